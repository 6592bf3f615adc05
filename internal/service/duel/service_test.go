package duel_test

import (
	"context"
	"errors"
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

// TestEveryEnd plays duels to each of their ends, with a stake: the listener is told
// once of those that were played, the chain has what it must, and the coins are where
// they belong.
func TestEveryEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rounds  string // "" when nobody joined
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
			h := newHall(t)
			ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
			d := h.must(t)(h.create(t, ann, 100))
			if got := h.balance(t, ann.Address); got != 900 {
				t.Errorf("ann has %d coins after staking 100", got)
			}
			switch c.status {
			case duel.Finished:
				h.must(t)(h.enter(t, bob, d.Code))
				d = h.play(t, h.look(t, d.Code), strings.Fields(c.rounds)...)
			case duel.Expired:
				h.Clock.Set(d.Deadline)
				d = h.look(t, d.Code)
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
			told := 0
			if c.status == duel.Finished {
				told = 1
			}
			if h.finished[d.Code] != told {
				t.Errorf("the listener was told %d times, want %d", h.finished[d.Code], told)
			}
			if diff := cmp.Diff(d, h.look(t, d.Code), duel.Equal); diff != "" {
				t.Errorf("answered and stored differ:\n%s", diff)
			}
			h.SealAll(t)
			h.WantValid(t)
		})
	}
}

// TestStepsCostOneReadAndOneWrite counts the statements of use cases.
func TestStepsCostOneReadAndOneWrite(t *testing.T) {
	t.Parallel()
	h := newHall(t)
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
			h.Clock.Add(duel.ForBots)
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
			t.Errorf("a look costs %d statements, want 1", tx.Statements())
		}
		return err
	})
}

// TestReadOrSweep lets one of two equal duels be looked at all the time and the other
// never, until the sweep comes to it: they come to the same.
func TestReadOrSweep(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	for _, stake := range []int64{0, 7} {
		looked, swept := h.must(t)(h.create(t, ann, stake)), h.must(t)(h.create(t, ann, stake))
		open := h.must(t)(h.create(t, ann, stake))
		for _, d := range []*duel.Duel{looked, swept} {
			h.must(t)(h.enter(t, bob, d.Code))
		}
		hand := salted(game.Rock)
		h.must(t)(h.commit(t, ann, looked.Code, hand))
		h.must(t)(h.commit(t, ann, swept.Code, hand))
		for range 40 {
			h.Clock.Add(7 * time.Second)
			h.look(t, looked.Code)
		}
		if next := h.sweep(t); !next.Equal(open.Deadline) {
			t.Errorf("the next deadline is %v, want %v", next, open.Deadline)
		}
		got, want := h.look(t, swept.Code), h.look(t, looked.Code)
		if got.Status != duel.Finished || len(got.Rounds) != 3 || got.Version >= want.Version {
			t.Errorf("swept once: %+v", got)
		}
		if diff := cmp.Diff(want, got, duel.Alike); diff != "" {
			t.Errorf("looked at (-) and swept (+):\n%s", diff)
		}
		h.Clock.Add(duel.OpenFor)
		if next := h.sweep(t); !next.IsZero() || h.look(t, open.Code).Status != duel.Expired {
			t.Errorf("the open duel is not over, the next deadline %v", next)
		}
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestRated: duels between two people with accounts count, three on a day against the
// same opponent, however many are joined at the same time.
func TestRated(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ann, bob, cyd := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full), h.join(t, "cyd", chain.Full)
	guest, bot := h.join(t, "guest", chain.Guest), h.join(t, "bot", chain.Bot)
	rated := func(a, b duel.Player) bool {
		d := h.must(t)(h.enter(t, b, h.must(t)(h.create(t, a, 0)).Code))
		if want := map[bool]duel.Pool{true: duel.Human}[d.Rated]; d.Pool() != want {
			t.Errorf("the pool is %q, want %q", d.Pool(), want)
		}
		d = h.play(t, d, "rs", "rs", "rs") // so that not too many are open
		if (d.SettleTx != nil) != d.Rated {
			t.Errorf("rated %v, settled by %v", d.Rated, d.SettleTx)
		}
		return d.Rated
	}
	for _, pair := range [][2]duel.Player{{ann, guest}, {guest, ann}, {ann, bot}, {bot, ann}, {bot, h.join(t, "bot2", chain.Bot)}} {
		if rated(pair[0], pair[1]) {
			t.Errorf("%s against %s is rated", pair[0].Username, pair[1].Username)
		}
	}
	var codes [8]string
	for i := range codes {
		codes[i] = h.must(t)(h.create(t, [2]duel.Player{ann, bob}[i%2], 0)).Code
	}
	var wait sync.WaitGroup
	var joined [len(codes)]*duel.Duel
	for i, code := range codes {
		wait.Go(func() {
			d := &duel.Duel{}
			err := h.Ledger.DB.UpdateAt(t.Context(), duel.Isolation, func(ctx context.Context, tx *store.Tx) (err error) {
				d, err = h.Service.Join(ctx, tx, [2]duel.Player{bob, ann}[i%2], code)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			joined[i] = d
		})
	}
	wait.Wait()
	n := 0
	for _, d := range joined {
		if d.Rated {
			n++
		}
	}
	if n != duel.MaxRated {
		t.Errorf("%d of %d duels on a day are rated, want %d", n, len(codes), duel.MaxRated)
	}
	if !rated(ann, cyd) {
		t.Error("against somebody else it is not rated")
	}
	h.Clock.Add(12 * time.Hour)
	if !rated(bob, ann) {
		t.Error("on the next day it is not rated")
	}
}

// TestDropPairs: what was counted on days that are over is forgotten, today's is not.
func TestDropPairs(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	for _, want := range []int{1, 2, 2} { // today's; and yesterday's, as clocks differ
		d := h.must(t)(h.enter(t, bob, h.must(t)(h.create(t, ann, 0)).Code))
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

// TestPatience: who plays decides how long a side may take.
func TestPatience(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	person, bot, other := h.join(t, "person", chain.Guest), h.join(t, "bot", chain.Bot), h.join(t, "other", chain.Bot)
	for _, c := range []struct {
		name  string
		begin func() (*duel.Duel, error)
		want  time.Duration
	}{
		{"bots in the arena", func() (*duel.Duel, error) { return h.ranked(t, bot, other) }, 15 * time.Second},
		{"bots by code", func() (*duel.Duel, error) { return h.enter(t, other, h.must(t)(h.create(t, bot, 0)).Code) }, 15 * time.Second},
		{"a person and a bot", func() (*duel.Duel, error) { return h.enter(t, person, h.must(t)(h.create(t, bot, 0)).Code) }, time.Minute},
		{"a bot practising", func() (*duel.Duel, error) { return h.spar(t, bot) }, 10 * time.Minute},
	} {
		d := h.must(t)(c.begin())
		if got := d.Deadline.Sub(h.Clock.Now()); got != c.want {
			t.Errorf("%s may take %v to commit, want %v", c.name, got, c.want)
		}
		for _, p := range []duel.Player{d.A, d.B} {
			if !p.SparringBot() {
				h.Clock.Add(3 * time.Second)
				d = h.must(t)(h.commit(t, p, d.Code, salted(game.Rock)))
			}
		}
		if got := d.Deadline.Sub(h.Clock.Now()); got != c.want {
			t.Errorf("%s may take %v to reveal, want %v", c.name, got, c.want)
		}
	}
}

// TestRefusals: whoever cannot pay, or has too much going on, begins nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := newHall(t)
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
	if got := h.look(t, d.Code); got.Status != duel.Open || got.Version != 0 {
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

// stuck gives the same chance a few times before it goes on.
type stuck struct {
	io.Reader // what comes then
	left      int
}

// Read reads chance, or what there was before.
func (s *stuck) Read(b []byte) (int, error) {
	if s.left--; s.left >= 0 {
		clear(b)
		return len(b), nil
	}
	return s.Reader.Read(b)
}

// TestTakenCodes: a duel whose code is taken gets another one, and the sparring bot's hand
// is that of the code which it gets.
func TestTakenCodes(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ann := h.join(t, "ann", chain.Guest)
	chance := h.Rand
	h.Rand = &stuck{chance, 2} // one for a use case that is run twice
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
		t.Error("begun without a code of its own")
	}
}

// TestListenerTakesBack: what a listener cannot do takes the step back.
func TestListenerTakesBack(t *testing.T) {
	t.Parallel()
	h := newHall(t)
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
	if diff := cmp.Diff(before, h.look(t, d.Code), duel.Equal); diff != "" || h.balance(t, chain.Escrow(d.Code)) != 20 {
		t.Errorf("after it was taken back:\n%s", diff)
	}
	h.Listeners = h.Listeners[:1]
	if d = h.must(t)(h.reveal(t, bob, d.Code, s)); d.Winner != game.A || h.finished[d.Code] != 1 {
		t.Errorf("tried again: %+v", d)
	}
}

var errListener = errors.New("the listener fails")

type failing struct{}

// DuelFinished fails.
func (failing) DuelFinished(context.Context, *store.Tx, *duel.Duel) error { return errListener }

// TestTold: whoever is concerned is told what became of a duel, and of its steps nobody:
// those only wake.
func TestTold(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ann, bob := h.join(t, "ann", chain.Guest), h.join(t, "bob", chain.Guest)
	names := strings.NewReplacer(ann.Address.String(), "ann", bob.Address.String(), "bob")
	told := func(what string, want ...string) {
		t.Helper()
		var got []string
		h.Update(t, func(ctx context.Context, tx *store.Tx) error {
			rows, err := tx.QueryContext(ctx, "SELECT topic, kind FROM event_inbox ORDER BY id")
			if err != nil {
				return err
			}
			defer rows.Close()
			got = nil // this runs twice at times
			for rows.Next() {
				var topic, kind string
				if err := rows.Scan(&topic, &kind); err != nil {
					return err
				}
				got = append(got, names.Replace(topic)+" "+kind)
			}
			if err := rows.Err(); err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, "DELETE FROM event_inbox")
			return err
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
	d := h.must(t)(h.create(t, ann, 5))
	told("created", "duels duel_created", "account:ann duel_created")
	watch := h.hub.Watch("duel:" + d.Code)
	defer watch.Close()
	d = h.must(t)(h.enter(t, bob, d.Code))
	<-watch.C()
	told("joined", "account:ann duel_joined", "account:bob duel_joined", "duels duel_joined")
	h.must(t)(h.commit(t, ann, d.Code, salted(game.Rock)))
	<-watch.C()
	h.Clock.Set(d.Deadline)
	d = h.look(t, d.Code)
	<-watch.C()
	told("steps")
	h.play(t, d, "rs", "rs")
	told("finished", "account:ann duel_finished", "account:bob duel_finished")
	h.must(t)(h.cancel(t, ann, h.must(t)(h.create(t, ann, 0)).Code))
	told("cancelled", "duels duel_created", "account:ann duel_created", "account:ann duel_cancelled", "duels duel_cancelled")
	h.must(t)(h.create(t, ann, 0))
	h.Clock.Add(duel.OpenFor)
	h.sweep(t)
	told("expired", "duels duel_created", "account:ann duel_created", "account:ann duel_expired", "duels duel_expired")
	h.must(t)(h.spar(t, ann))
	told("practising")
	h.must(t)(h.ranked(t, ann, bob))
	told("ranked", "account:ann duel_started", "account:bob duel_started")
}
