package duel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// TestEveryEnd plays duels with a stake to each of their ends: the listener gets one report of
// a finished duel, the chain is valid, and the coins are paid out.
func TestEveryEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rounds  string // "" without an opponent
		status  duel.Status
		winner  game.Side
		balance [2]int64
	}{
		"won by a":          {"rs rr pr sp", duel.Finished, game.A, [2]int64{1100, 900}},
		"won by b":          {"rp pp -r xr", duel.Finished, game.B, [2]int64{900, 1100}},
		"won by forfeits":   {"r- rx x-", duel.Finished, game.A, [2]int64{1100, 900}},
		"drawn by voids":    {"rs rs -- xx", duel.Finished, game.NoSide, [2]int64{1000, 1000}},
		"drawn by 60 ties":  {strings.TrimSpace(strings.Repeat("ss ", 60)), duel.Finished, game.NoSide, [2]int64{1000, 1000}},
		"expired":           {"", duel.Expired, game.NoSide, [2]int64{1000, 1000}},
		"cancelled":         {"", duel.Cancelled, game.NoSide, [2]int64{1000, 1000}},
		"void, void, ended": {"-- --", duel.Finished, game.NoSide, [2]int64{1000, 1000}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
			d := h.must(t)(h.create(t, ann, 100))
			if got := h.balance(t, ann.Address); got != 900 {
				t.Errorf("ann has %d coins after staking 100", got)
			}
			switch c.status {
			case duel.Finished:
				h.must(t)(h.enter(t, bob, d.Code))
				d = h.play(t, h.read(t, d.Code), strings.Fields(c.rounds)...)
			case duel.Expired:
				h.Clock.Set(d.Deadline)
				d = h.read(t, d.Code)
			default:
				d = h.must(t)(h.cancel(t, ann, d.Code))
			}
			if d.Status != c.status || d.Winner != c.winner || d.EndedAt == nil || d.SettleTx == nil {
				t.Errorf("the duel is %+v", d)
			}
			if got := [2]int64{h.balance(t, ann.Address), h.balance(t, bob.Address)}; got != c.balance {
				t.Errorf("balances %v, want %v", got, c.balance)
			}
			if got := h.balance(t, chain.Escrow(d.Code)); got != 0 {
				t.Errorf("%d coins are left in the escrow", got)
			}
			reports := 0
			if c.status == duel.Finished {
				reports = 1
			}
			if h.finished[d.Code] != reports {
				t.Errorf("the listener got %d reports, want %d", h.finished[d.Code], reports)
			}
			if diff := cmp.Diff(d, h.read(t, d.Code), duel.Equal); diff != "" {
				t.Errorf("the result and the stored duel differ:\n%s", diff)
			}
			h.SealAll(t)
			h.WantValid(t)
		})
	}
}

// TestWithoutRating checks that a service without Rating finishes and settles duels.
func TestWithoutRating(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.Rating = nil
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	d := h.must(t)(h.create(t, ann, 100))
	h.must(t)(h.enter(t, bob, d.Code))
	d = h.play(t, h.read(t, d.Code), "rs", "rs", "rs")
	if d.Status != duel.Finished || d.SettleTx == nil || h.finished[d.Code] != 1 {
		t.Errorf("%d reports of the duel %+v", h.finished[d.Code], d)
	}
}

// TestStepsCostOneReadAndOneWrite counts the statements of use cases.
func TestStepsCostOneReadAndOneWrite(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Bot), h.join(t, "bob", chain.Bot)
	d := h.must(t)(h.ranked(t, ann, bob))
	r, s := salted(game.Rock), salted(game.Scissors)
	for _, step := range []struct {
		name string
		take func() (*duel.Duel, error)
	}{
		{"the first commit", func() (*duel.Duel, error) { return h.commit(t, ann, d.Code, r) }},
		{"the second commit", func() (*duel.Duel, error) { return h.commit(t, bob, d.Code, s) }},
		{"the first reveal", func() (*duel.Duel, error) { return h.reveal(t, ann, d.Code, r) }},
		{"the second reveal", func() (*duel.Duel, error) { return h.reveal(t, bob, d.Code, s) }},
		{"a commit after a missed deadline", func() (*duel.Duel, error) {
			h.Clock.Add(duel.BotStepTimeout)
			return h.commit(t, ann, d.Code, salted(game.Rock))
		}},
	} {
		h.must(t)(step.take())
		if h.cost != 2 {
			t.Errorf("%s costs %d statements, want 2", step.name, h.cost)
		}
	}
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		_, _, err := h.Get(ctx, tx, d.Code)
		if tx.Statements() != 1 {
			t.Errorf("a read costs %d statements, want 1", tx.Statements())
		}
		return err
	})
}

// TestReadOrSweep reads one of two equal duels all the time and the other not until the
// sweep: both end in the same state.
func TestReadOrSweep(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	for _, stake := range []int64{0, 7} {
		reads, swept := h.must(t)(h.create(t, ann, stake)), h.must(t)(h.create(t, ann, stake))
		open := h.must(t)(h.create(t, ann, stake))
		for _, d := range []*duel.Duel{reads, swept} {
			h.must(t)(h.enter(t, bob, d.Code))
		}
		hand := salted(game.Rock)
		h.must(t)(h.commit(t, ann, reads.Code, hand))
		h.must(t)(h.commit(t, ann, swept.Code, hand))
		for range 40 {
			h.Clock.Add(7 * time.Second)
			h.read(t, reads.Code)
		}
		if next := h.sweep(t); !next.Equal(open.Deadline) {
			t.Errorf("the next deadline is %v, want %v", next, open.Deadline)
		}
		got, want := h.read(t, swept.Code), h.read(t, reads.Code)
		if got.Status != duel.Finished || len(got.Rounds) != 3 || got.Version >= want.Version {
			t.Errorf("swept once: %+v", got)
		}
		if diff := cmp.Diff(want, got, duel.Alike); diff != "" {
			t.Errorf("read (-) and swept (+):\n%s", diff)
		}
		h.Clock.Add(duel.JoinTimeout)
		if next := h.sweep(t); !next.IsZero() || h.read(t, open.Code).Status != duel.Expired {
			t.Errorf("the open duel is not over, the next deadline %v", next)
		}
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestRated checks that duels of registered people are rated if the service pairs them, three per
// day against the same opponent, however many begin concurrently, and that duels by code are
// casual.
func TestRated(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob, cyd := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full), h.join(t, "cyd", chain.Full)
	guest := h.join(t, "guest", chain.Guest)
	finish := func(d *duel.Duel) *duel.Duel {
		if want := map[bool]duel.Pool{true: duel.Human}[d.Rated]; d.Pool() != want {
			t.Errorf("the pool is %q, want %q", d.Pool(), want)
		}
		if d = h.play(t, d, "rs", "rs", "rs"); d.SettleTx == nil {
			t.Errorf("rated %v, not settled", d.Rated)
		}
		return d
	}
	if d := finish(h.must(t)(h.enter(t, bob, h.must(t)(h.create(t, ann, 0)).Code))); d.Rated {
		t.Error("a duel by code is rated")
	}
	for range duel.MaxRated + 1 {
		if d := finish(h.must(t)(h.quick(t, guest, ann))); d.Rated {
			t.Error("a guest's duel is rated")
		}
	}
	var wait sync.WaitGroup
	var began [8]error
	for i := range began {
		wait.Go(func() {
			began[i] = h.Ledger.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := h.StartQuick(ctx, tx, [2]duel.Player{ann, bob}[i%2], [2]duel.Player{bob, ann}[i%2])
				return err
			})
		})
	}
	wait.Wait()
	n := 0
	for _, err := range began {
		switch {
		case err == nil:
			n++
		case !errors.Is(err, duel.ErrPaired):
			t.Error(err)
		}
	}
	if n != duel.MaxRated {
		t.Errorf("%d of %d duels on a day are rated, want %d", n, len(began), duel.MaxRated)
	}
	if d := finish(h.must(t)(h.quick(t, ann, cyd))); !d.Rated {
		t.Error("a duel against another opponent is not rated")
	}
	h.Clock.Add(12 * time.Hour)
	if d := finish(h.must(t)(h.quick(t, bob, ann))); !d.Rated {
		t.Error("a duel on the next day is not rated")
	}
}

// TestPractice checks that ranked duels with a bot that is there for practice are not rated, and take nothing from the
// rated duels of the two.
func TestPractice(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, ben, coach := h.join(t, "ann-bot", chain.Bot), h.join(t, "ben-bot", chain.Bot), h.join(t, "coach", chain.Bot)
	h.Practice = func(p duel.Player) bool { return p.Username == "coach" }
	for range duel.MaxRated {
		for _, sides := range [][2]duel.Player{{ann, coach}, {coach, ann}} {
			d := h.must(t)(h.ranked(t, sides[0], sides[1]))
			if d = h.play(t, d, "rs", "rs", "rs"); d.Rated || d.Kind != duel.Ranked || d.SettleTx == nil {
				t.Errorf("a duel for practice: %s, rated %v", d.Kind, d.Rated)
			}
		}
	}
	if d := h.must(t)(h.ranked(t, ann, ben)); !d.Rated {
		t.Error("a duel of two other bots is not rated")
	}
	h.Practice = nil
	if d := h.must(t)(h.ranked(t, ann, coach)); !d.Rated {
		t.Error("without practice a duel is not rated")
	}
}

// TestDropPairs checks that the sweep deletes the counts of past days.
func TestDropPairs(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	for _, want := range []int{1, 2, 2} { // today's and yesterday's
		d := h.must(t)(h.quick(t, ann, bob))
		h.play(t, d, "rs", "rs", "rs")
		for range 2 {
			h.sweep(t)
		}
		kept := 0
		h.View(t, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT count(*) FROM duel_pair").Scan(&kept)
		})
		if kept != want {
			t.Errorf("%d counts are kept, want %d", kept, want)
		}
		h.Clock.Add(24 * time.Hour)
	}
}

// TestStepTimeout checks how long a side may take, by the kinds of players and by what was chosen.
func TestStepTimeout(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	person, bot, other := h.join(t, "person", chain.Guest), h.join(t, "bot", chain.Bot), h.join(t, "other", chain.Bot)
	for _, c := range []struct {
		name  string
		begin func() (*duel.Duel, error)
		want  time.Duration
	}{
		{"bots in the arena", func() (*duel.Duel, error) { return h.ranked(t, bot, other) }, 15 * time.Second},
		{"bots by code", func() (*duel.Duel, error) {
			return h.enter(t, other, h.must(t)(h.create(t, bot, 0)).Code)
		}, 15 * time.Second},
		{"a person and a bot", func() (*duel.Duel, error) {
			return h.enter(t, person, h.must(t)(h.create(t, bot, 0)).Code)
		}, time.Minute},
		{"bots in a cup of a host", func() (*duel.Duel, error) {
			return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
				return h.StartCup(ctx, tx, [2]duel.Player{bot, other}, 5*time.Minute, true)
			})
		}, 5 * time.Minute},
		{"bots with a chosen time", func() (*duel.Duel, error) {
			return h.enter(t, other, h.must(t)(h.terms(t, bot, duel.Terms{Unlisted: true, Step: 5 * time.Minute})).Code)
		}, 5 * time.Minute},
		{"a person and a bot with a chosen time", func() (*duel.Duel, error) {
			return h.enter(t, person, h.must(t)(h.terms(t, bot, duel.Terms{Unlisted: true, Step: 5 * time.Second})).Code)
		}, 5 * time.Second},
		{"a bot practising", func() (*duel.Duel, error) { return h.spar(t, bot) }, 10 * time.Minute},
	} {
		d := h.must(t)(c.begin())
		if got := d.Deadline.Sub(h.Clock.Now()); got != c.want {
			t.Errorf("%s may take %v to commit, want %v", c.name, got, c.want)
		}
		for _, p := range []duel.Player{d.A, d.B} {
			if !p.SparringBot() {
				h.Clock.Add(time.Second)
				d = h.must(t)(h.commit(t, p, d.Code, salted(game.Rock)))
			}
		}
		if got := d.Deadline.Sub(h.Clock.Now()); got != c.want {
			t.Errorf("%s may take %v to reveal, want %v", c.name, got, c.want)
		}
	}
}

// TestRefusals checks that a player without the coins, or with too many unfinished duels,
// begins no duel.
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Guest), h.join(t, "bob", chain.Guest)
	poor := &chain.InsufficientFundsError{}
	if _, err := h.create(t, ann, 1001); !errors.As(err, &poor) {
		t.Errorf("a stake beyond the balance: %v", err)
	}
	d := h.must(t)(h.create(t, ann, 900))
	h.must(t)(h.create(t, bob, 900))
	if _, err := h.enter(t, bob, d.Code); !errors.As(err, &poor) {
		t.Errorf("joined without the coins: %v", err)
	}
	if got := h.read(t, d.Code); got.Status != duel.Open || got.Version != 0 {
		t.Errorf("after the refusal: %+v", got)
	}
	for range duel.MaxUnfinished - 1 {
		h.must(t)(h.spar(t, ann))
	}
	free := h.must(t)(h.create(t, bob, 0))
	for name, err := range map[string]error{
		"create": second(h.create(t, ann, 0)), "spar": second(h.spar(t, ann)), "join": second(h.enter(t, ann, free.Code)),
	} {
		if !errors.Is(err, duel.ErrUnfinished) {
			t.Errorf("%s with %d unfinished duels: %v", name, duel.MaxUnfinished, err)
		}
	}
	h.must(t)(h.cancel(t, ann, d.Code))
	h.must(t)(h.enter(t, ann, free.Code))
	for _, code := range []string{"", "ABC", "ABCDEFGU", "ABCDEFGH", "ÄBCDEFG", "ABCDEFGHJ"} {
		if _, err := h.commit(t, ann, code, salted(game.Rock)); !errors.Is(err, duel.ErrNotFound) {
			t.Errorf("code %q: %v", code, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// stuck is a source of randomness whose first reads yield zeros.
type stuck struct {
	io.Reader // serves the later reads
	left      int
}

// Read yields zeros, or reads from the underlying source.
func (s *stuck) Read(b []byte) (int, error) {
	if s.left--; s.left >= 0 {
		clear(b)
		return len(b), nil
	}
	return s.Reader.Read(b)
}

// TestTakenCodes checks that a duel whose code is taken gets another one, and that the
// sparring bot's hand is derived from that code.
func TestTakenCodes(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann := h.join(t, "ann", chain.Guest)
	chance := h.Rand
	h.Rand = &stuck{chance, 2} // one for a retry of the use case
	first := h.must(t)(h.create(t, ann, 5))
	h.Rand = &stuck{chance, 3}
	second := h.must(t)(h.spar(t, ann))
	if first.Code != "00000000" || second.Code == first.Code {
		t.Errorf("the codes are %s and %s", first.Code, second.Code)
	}
	second = h.play(t, second, "rr", "ss", "pp")
	for _, r := range second.Rounds {
		if hand := r.Hands[1]; chain.HashHand(hand.Move, hand.Salt) != hand.Commitment {
			t.Errorf("the sparring bot's hand in round %d is %+v", r.N, hand)
		}
	}
	h.Rand = &stuck{left: 100}
	if _, err := h.create(t, ann, 5); err == nil {
		t.Error("a duel began without an unused code")
	}
}

// TestNoRandomness checks that no duel begins without randomness for its code.
func TestNoRandomness(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Bot), h.join(t, "bob", chain.Bot)
	for _, bytesLeft := range []int64{0, 4} {
		h.Rand = io.LimitReader(h.addresses, bytesLeft)
		for name, begin := range map[string]func() (*duel.Duel, error){
			"create": func() (*duel.Duel, error) { return h.create(t, ann, 5) },
			"spar":   func() (*duel.Duel, error) { return h.spar(t, ann) },
			"ranked": func() (*duel.Duel, error) { return h.ranked(t, ann, bob) },
		} {
			if d, err := begin(); err == nil {
				t.Errorf("%s with %d bytes of randomness: %+v", name, bytesLeft, d)
			}
		}
	}
	if balance := h.balance(t, ann.Address); balance != startingBalance {
		t.Errorf("balance %d, want %d", balance, startingBalance)
	}
}

// TestBeginsWriteTheAccount checks that a use case that is bound by the number of unfinished duels
// writes the account's row once, with and without a stake: of two concurrent ones that count the
// same duels one conflicts.
func TestBeginsWriteTheAccount(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex // guards written
	written := 0
	h := newFixtureWith(t, &store.Faults{Statement: func(query string) error {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(query, "UPDATE ledger_account") {
			written++
		}
		return nil
	}})
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	want := func(name string, rows int, d *duel.Duel, err error) *duel.Duel {
		t.Helper()
		if h.must(t)(d, err); written != rows {
			t.Errorf("%s writes %d accounts, want %d", name, written, rows)
		}
		written = 0
		return d
	}
	written = 0
	for _, stake := range []int64{0, 1, 2} {
		d, err := h.create(t, ann, stake) // the stake creates the escrow's row
		want(fmt.Sprintf("create with %d coins", stake), 1, d, err)
		d, err = h.enter(t, bob, d.Code)
		want(fmt.Sprintf("join with %d coins", stake), int(1+min(stake, 1)), d, err) // and the escrow
	}
	d, err := h.spar(t, ann)
	want("spar", 1, d, err)
}

// TestListenerError checks that a listener's error rolls the step back.
func TestListenerError(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Guest), h.join(t, "bob", chain.Guest)
	d := h.must(t)(h.enter(t, bob, h.must(t)(h.create(t, ann, 10)).Code))
	d = h.play(t, d, "rs", "rs")
	r, s := salted(game.Rock), salted(game.Scissors)
	h.must(t)(h.commit(t, ann, d.Code, r))
	h.must(t)(h.commit(t, bob, d.Code, s))
	before := h.must(t)(h.reveal(t, ann, d.Code, r))
	h.Listeners = append(h.Listeners, failing{})
	if _, err := h.reveal(t, bob, d.Code, s); !errors.Is(err, errListener) {
		t.Errorf("the last reveal: %v", err)
	}
	if diff := cmp.Diff(before, h.read(t, d.Code), duel.Equal); diff != "" || h.balance(t, chain.Escrow(d.Code)) != 20 {
		t.Errorf("after the rollback:\n%s", diff)
	}
	h.Listeners = h.Listeners[:1]
	if d = h.must(t)(h.reveal(t, bob, d.Code, s)); d.Winner != game.A || h.finished[d.Code] != 1 {
		t.Errorf("repeated: %+v", d)
	}
}

var errListener = errors.New("the listener fails")

type failing struct{}

// DuelFinished fails.
func (failing) DuelFinished(context.Context, *store.Tx, *duel.Duel) error { return errListener }

// posted returns the events since the last call, "topic kind" with the names of the players.
func (h *fixture) posted(t testing.TB) (list []string) {
	t.Helper()
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT topic, kind FROM event_inbox ORDER BY id")
		if err != nil {
			return err
		}
		defer rows.Close()
		list = nil // the closure may be retried
		for rows.Next() {
			var topic, kind string
			if err := rows.Scan(&topic, &kind); err != nil {
				return err
			}
			for _, p := range h.accounts {
				topic = strings.Replace(topic, p.Address.String(), p.Username, 1)
			}
			list = append(list, topic+" "+kind)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM event_inbox")
		return err
	})
	return list
}

// TestEvents checks the events of a duel's status changes, and that its steps only wake
// watchers.
func TestEvents(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Guest), h.join(t, "bob", chain.Guest)
	expectEvents := func(name string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, h.posted(t)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	d := h.must(t)(h.create(t, ann, 5))
	expectEvents("created", "duels duel_created", "account:ann duel_created")
	watch := h.hub.Watch("duel:" + d.Code)
	defer watch.Close()
	d = h.must(t)(h.enter(t, bob, d.Code))
	<-watch.C()
	expectEvents("joined", "account:ann duel_joined", "account:bob duel_joined", "duels duel_joined")
	h.must(t)(h.commit(t, ann, d.Code, salted(game.Rock)))
	<-watch.C()
	h.Clock.Set(d.Deadline)
	d = h.read(t, d.Code)
	<-watch.C()
	expectEvents("steps")
	h.play(t, d, "rs", "rs")
	expectEvents("finished", "account:ann duel_finished", "account:bob duel_finished")
	for _, do := range []func(testing.TB, duel.Player, string) (*duel.Duel, error){h.rematch, h.withdraw} {
		for len(watch.C()) > 0 {
			<-watch.C()
		}
		h.must(t)(do(t, ann, d.Code))
		if len(watch.C()) == 0 {
			t.Error("an offer of a rematch, or its end, woke no watcher")
		}
	}
	h.posted(t)
	h.must(t)(h.cancel(t, ann, h.must(t)(h.create(t, ann, 0)).Code))
	expectEvents("cancelled", "duels duel_created", "account:ann duel_created", "account:ann duel_cancelled",
		"duels duel_cancelled")
	h.must(t)(h.create(t, ann, 0))
	h.Clock.Add(duel.JoinTimeout)
	h.sweep(t)
	expectEvents("expired", "duels duel_created", "account:ann duel_created", "account:ann duel_expired",
		"duels duel_expired")
	h.must(t)(h.spar(t, ann))
	expectEvents("practising")
	h.must(t)(h.ranked(t, ann, bob))
	expectEvents("ranked", "account:ann duel_started", "account:bob duel_started")
}
