package arena_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// node returns the service of another node on the same database. It calls moment before each
// read of its clock; nil for none.
func (h *fixture) node() *arena.Service {
	return arena.New(arena.Service{DB: h.db, Duels: h, Quick: h, Events: h.Events, Now: h.now,
		Logger: slog.New(slog.DiscardHandler)})
}

// rows returns the state of each bot: "waits", "idle" or the code of its duel. It fails the
// test if a bot is in two duels, or if its row differs from the duels.
func (h *fixture) rows(t *testing.T, tx *store.Tx, bots ...chain.Address) (list []string) {
	t.Helper()
	for _, bot := range bots {
		var waits, duels int
		var duel, unfinished string
		err := tx.QueryRowContext(t.Context(),
			"SELECT count(since), coalesce(max(duel), '') FROM arena_bot WHERE address = $1", bot[:]).Scan(&waits, &duel)
		if err != nil {
			t.Fatal(err)
		}
		err = tx.QueryRowContext(t.Context(),
			"SELECT count(*), coalesce(max(code), '') FROM test_duel WHERE winner IS NULL AND (a = $1 OR b = $1)", bot[:]).
			Scan(&duels, &unfinished)
		if err != nil {
			t.Fatal(err)
		}
		if duels > 1 || duel != unfinished || waits == 1 && duel != "" {
			t.Errorf("%v: waits %d, its row names duel %q, it has %d duels: %q", bot, waits, duel, duels, unfinished)
		}
		state := duel
		if state == "" {
			state = []string{"idle", "waits"}[waits]
		}
		list = append(list, state)
	}
	return list
}

// TestAnotherNodeMatches lets a bot enter the queue while two others wait, and another node
// change one of the three whenever the first node reads its clock or begins the duel. No bot
// is in two duels, and the bot gets the stored state.
func TestAnotherNodeMatches(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	if !h.db.Exclusive() {
		return // each node would need its own transaction, and the second would wait for the first
	}
	ann, bob, cyd := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102), h.player(t, 3, chain.Bot, 102)
	dan := h.player(t, 4, chain.Bot, 104)
	h.poll(t, bob)
	h.poll(t, cyd)
	other := h.node()
	asks := func(bot chain.Address) func(context.Context, *store.Tx) error {
		return func(ctx context.Context, tx *store.Tx) error {
			_, err := other.JoinQueue(ctx, tx, bot, nil)
			return err
		}
	}
	leaves := func(bot chain.Address) func(context.Context, *store.Tx) error {
		return func(ctx context.Context, tx *store.Tx) error { _, err := other.LeaveQueue(ctx, tx, bot); return err }
	}
	taken := 0
	for name, interrupt := range map[string]func(context.Context, *store.Tx) error{
		"ann asks there, too": asks(ann), "dan asks there": asks(dan), "bob leaves": leaves(bob),
		"cyd leaves": leaves(cyd), "ann leaves": leaves(ann),
	} {
		for moment := 1; moment > 0; moment++ {
			err := h.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				left := moment
				arrive := func() {
					if left--; left == 0 {
						if err := interrupt(ctx, tx); err != nil {
							t.Errorf("%s at moment %d: %v", name, moment, err)
						}
					}
				}
				h.begun = func(context.Context, *store.Tx) { arrive() }
				h.reading = arrive
				status, err := h.node().JoinQueue(ctx, tx, ann, nil)
				h.begun, h.reading = nil, nil
				if left > 0 {
					moment = -1
				}
				if err != nil {
					taken++
					return err
				}
				states := h.rows(t, tx, ann, bob, cyd, dan)
				want := map[bool]string{true: "waits", false: status.Duel}[status.Waiting]
				if states[0] != want && name != "ann leaves" {
					t.Errorf("%s at moment %d: ann got %+v, stored is %q", name, moment, status, states)
				}
				return errRollback
			})
			// The call fails if the other node has matched ann, or one of the pair once the duel
			// has begun. If only an opponent has left, ann waits.
			mayBeTaken := !strings.HasSuffix(name, " leaves") || name == "ann leaves"
			if !errors.Is(err, errRollback) && (!mayBeTaken || !strings.Contains(fmt.Sprint(err), "no longer waits")) {
				t.Errorf("%s at moment %d: %v", name, moment, err)
			}
		}
	}
	if taken == 0 {
		t.Error("the other node never matched a bot of the pair after its duel had begun")
	}
}

// TestAnotherNodeMatchesOnce lets the matcher find a pair, and another node change one of the
// two in its own transaction before the matcher claims them: before and after it has read the
// queue. No bot is in two duels, and a bot whose opponent has left goes on waiting.
func TestAnotherNodeMatchesOnce(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"nothing": "duel duel idle", "ann leaves": "idle waits idle", "bob leaves": "waits idle idle",
		"dan asks": "waits duel duel", "the other passes": "duel duel idle",
	} {
		// The clock is read at the end of the View: views must not be retried.
		h := open(t, store.Config{Faults: storetest.ViewsOnce()})
		ann, bob, dan := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102), h.player(t, 3, chain.Bot, 103)
		h.poll(t, ann)
		h.exec(t, "UPDATE arena_bot SET rating = rating + 150 * 1000000") // too far, at first
		h.poll(t, bob)
		h.forward(2 * time.Second)
		interrupt := map[string]func(){
			"nothing": func() {}, "ann leaves": func() { h.leave(t, ann) }, "bob leaves": func() { h.leave(t, bob) },
			"dan asks": func() { h.poll(t, dan) }, "the other passes": func() { h.matchOnce(t) },
		}[name]
		reached := false
		h.reading = func() {
			h.reading, reached = nil, true
			interrupt()
		}
		if _, err := h.node().MatchOnce(t.Context()); err != nil || !reached {
			t.Errorf("%s: error %v, interrupted %v", name, err, reached)
		}
		h.view(t, func(_ context.Context, tx *store.Tx) error {
			states := h.rows(t, tx, ann, bob, dan)
			for i, s := range states {
				if strings.HasPrefix(s, "DUEL") {
					states[i] = "duel"
				}
			}
			if got := strings.Join(states, " "); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			return nil
		})
	}
}

// TestOnePairFails lets one of two pairs of a pass leave, or fail, while the matcher claims them: the
// other pair is matched all the same, and only a failure is an error.
func TestOnePairFails(t *testing.T) {
	t.Parallel()
	errBegin := errors.New("this duel cannot begin")
	for name, want := range map[string]error{"leaves": nil, "fails": errBegin, "fails once": nil} {
		h := open(t, store.Config{Faults: storetest.ViewsOnce()})
		var bots []chain.Address
		for i := range 4 { // too far apart to be matched on entry
			bots = append(bots, h.player(t, i+1, chain.Bot, 101+i))
			h.exec(t, `INSERT INTO arena_rating
				(pool, address, rating, deviation, volatility, games, wins, losses, draws, rivals, standing, last_played)
				VALUES ('bots', $1, $2, 100000000, 60000, 1, 1, 0, 0, 1, $2, 0)`, bots[i][:], int64(1000+300*(i/2)+150*i)*1_000_000)
			h.poll(t, bots[i])
		}
		h.forward(2 * time.Second)
		pass := h.node()
		if name == "leaves" {
			h.reading = func() { h.reading = nil; h.leave(t, bots[0]) }
		}
		failing := 1
		if name == "fails" {
			failing = 2
		}
		pass.Duels = &failingDuels{Duels: h, of: bots[0], err: errBegin, left: failing}
		if name == "leaves" {
			pass.Duels = h
		}
		if _, err := pass.MatchOnce(t.Context()); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: error %v, want %v", name, err, want)
		}
		h.view(t, func(_ context.Context, tx *store.Tx) error {
			if states := h.rows(t, tx, bots...); !strings.HasPrefix(states[2], "DUEL") || states[2] != states[3] ||
				strings.HasPrefix(states[1], "DUEL") != (name == "fails once") {
				t.Errorf("%s: %q", name, states)
			}
			return nil
		})
	}
}

// failingDuels fails to begin the next duels of a bot.
type failingDuels struct {
	arena.Duels
	of   chain.Address
	err  error
	left int
}

func (f *failingDuels) StartRanked(ctx context.Context, tx *store.Tx, a, b chain.Address) (string, error) {
	if f.left > 0 && (a == f.of || b == f.of) {
		f.left--
		return "", f.err
	}
	return f.Duels.StartRanked(ctx, tx, a, b)
}
