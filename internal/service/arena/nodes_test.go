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

// node returns the service of another node on the same database. It calls moment whenever it
// reads its clock; nil for never.
func (h *hall) node(moment func()) *arena.Service {
	now := func() time.Time {
		if moment != nil {
			moment()
		}
		return h.now()
	}
	return arena.New(arena.Service{DB: h.db, Duels: h, Events: h.Events, Now: now, Logger: slog.New(slog.DiscardHandler)})
}

// rows describes where each bot is: "waits", "idle" or the code of its duel. It fails the test
// when a bot is in two duels, or its row does not say what the duels say.
func (h *hall) rows(t *testing.T, tx *store.Tx, bots ...chain.Address) (list []string) {
	t.Helper()
	for _, bot := range bots {
		var waits, duels int
		var duel, unfinished string
		err := tx.QueryRowContext(t.Context(), "SELECT count(since), coalesce(max(duel), '') FROM arena_bot WHERE address = $1", bot[:]).Scan(&waits, &duel)
		if err == nil {
			err = tx.QueryRowContext(t.Context(), "SELECT count(*), coalesce(max(code), '') FROM test_duel WHERE winner IS NULL AND (a = $1 OR b = $1)", bot[:]).
				Scan(&duels, &unfinished)
		}
		if err != nil {
			t.Fatal(err)
		}
		if duels > 1 || duel != unfinished || waits == 1 && duel != "" {
			t.Errorf("%v: waits %d, its row names duel %q, its %d duels are %q", bot, waits, duel, duels, unfinished)
		}
		state := duel
		if state == "" {
			state = []string{"idle", "waits"}[waits]
		}
		list = append(list, state)
	}
	return list
}

// TestAnotherNodeMatches has a bot enter the queue while two others wait, and another node do
// something with one of the three at each moment at which the first node reads its clock or
// begins the duel. Nobody is in two duels, and the bot is answered what is stored.
func TestAnotherNodeMatches(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	if !h.db.Exclusive() {
		return // both would need a transaction of their own, and the second one would wait for the first
	}
	ann, bob, cyd := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102), h.player(t, 3, chain.Bot, 102)
	dan := h.player(t, 4, chain.Bot, 104)
	h.poll(t, bob)
	h.poll(t, cyd)
	other := h.node(nil)
	asks := func(bot chain.Address) func(context.Context, *store.Tx) error {
		return func(ctx context.Context, tx *store.Tx) error { _, err := other.Queue(ctx, tx, bot); return err }
	}
	leaves := func(bot chain.Address) func(context.Context, *store.Tx) error {
		return func(ctx context.Context, tx *store.Tx) error { _, err := other.Leave(ctx, tx, bot); return err }
	}
	taken := 0
	for name, interrupt := range map[string]func(context.Context, *store.Tx) error{
		"ann asks there, too": asks(ann), "dan asks there": asks(dan), "bob leaves": leaves(bob), "cyd leaves": leaves(cyd), "ann leaves": leaves(ann),
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
				place, err := h.node(arrive).Queue(ctx, tx, ann)
				h.begun = nil
				if left > 0 {
					moment = -1
				}
				if err != nil {
					taken++
					return err
				}
				states := h.rows(t, tx, ann, bob, cyd, dan)
				want := map[bool]string{true: "waits", false: place.Duel}[place.Waiting]
				if states[0] != want && name != "ann leaves" {
					t.Errorf("%s at moment %d: ann is answered %+v, stored is %q", name, moment, place, states)
				}
				return errUndo
			})
			// Who is taken itself, or once the duel has begun, is told so; whose opponent has gone waits.
			mayBeTaken := !strings.HasSuffix(name, " leaves") || name == "ann leaves"
			if !errors.Is(err, errUndo) && (!mayBeTaken || !strings.Contains(fmt.Sprint(err), "does not wait any more")) {
				t.Errorf("%s at moment %d: %v", name, moment, err)
			}
		}
	}
	if taken == 0 {
		t.Error("no pair was taken by the other node once its duel was begun")
	}
}

// TestAnotherNodePasses has the matcher find a pair, and another node do something with one of
// the two, in a transaction of its own, before the matcher claims them: after it has read who
// waits, and before. Nobody is in two duels, and a bot whose opponent has gone goes on waiting.
func TestAnotherNodePasses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"nothing": "duel duel idle", "ann leaves": "idle waits idle", "bob leaves": "waits idle idle", "dan asks": "waits duel duel", "the other passes": "duel duel idle",
	} {
		for moment := range 2 {
			h := open(t, store.Config{Faults: storetest.ViewsOnce()}) // the clock is read once in the View, and once behind it
			ann, bob, dan := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102), h.player(t, 3, chain.Bot, 103)
			h.poll(t, ann)
			h.exec(t, "UPDATE arena_bot SET rating = rating + 150 * 1000000") // too far, at first
			h.poll(t, bob)
			h.forward(2 * time.Second)
			interrupt := map[string]func(){
				"nothing": func() {}, "ann leaves": func() { h.leave(t, ann) }, "bob leaves": func() { h.leave(t, bob) },
				"dan asks": func() { h.poll(t, dan) }, "the other passes": func() { h.pass(t) },
			}[name]
			left, calls := moment+1, 0
			pass := h.node(func() {
				calls++
				if left--; left == 0 {
					interrupt()
				}
			})
			if _, err := pass.Pass(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if calls < 2 {
				t.Errorf("%s: the clock was read %d times", name, calls)
			}
			h.view(t, func(_ context.Context, tx *store.Tx) error {
				states := h.rows(t, tx, ann, bob, dan)
				for i, s := range states {
					if strings.HasPrefix(s, "DUEL") {
						states[i] = "duel"
					}
				}
				if got := strings.Join(states, " "); got != want {
					t.Errorf("%s at moment %d: %s, want %s", name, moment, got, want)
				}
				return nil
			})
		}
	}
}
