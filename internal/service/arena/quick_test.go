package arena_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
)

// MayPair implements arena.QuickDuels: the test table holds the pairs that are spent.
func (h *fixture) MayPair(ctx context.Context, tx *store.Tx, a, b chain.Address) (bool, error) {
	n := 0
	if h.networks[a] != "" && h.networks[a] == h.networks[b] {
		return false, nil
	}
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM test_duel WHERE code LIKE 'SPENT%' AND "+
		"(a = $1 AND b = $2 OR a = $2 AND b = $1)", a[:], b[:]).Scan(&n)
	return n == 0, err
}

// StartQuick implements arena.QuickDuels.
func (h *fixture) StartQuick(ctx context.Context, tx *store.Tx, a, b arena.QuickPlayer) (string, error) {
	return h.StartRanked(ctx, tx, a.Address, b.Address)
}

// InPlay implements arena.QuickDuels.
func (h *fixture) InPlay(ctx context.Context, tx *store.Tx, code string) (bool, error) {
	n := 0
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM test_duel WHERE code = $1 AND winner IS NULL", code).Scan(&n)
	return n == 1, err
}

// person returns a registered person at a network address; "" is an exempt one.
func (h *fixture) person(t testing.TB, n int, network string) arena.QuickPlayer {
	t.Helper()
	p := arena.QuickPlayer{Address: h.player(t, n, chain.Full, 0), Kind: chain.Full, Username: "person"}
	h.networks[p.Address] = network
	return p
}

func (h *fixture) ask(t testing.TB, p arena.QuickPlayer) (status arena.QueueStatus) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		status, err = h.JoinQuick(ctx, tx, p)
		return err
	})
	return status
}

// TestQuickPairs checks which people are paired: strangers, by rating in a growing window, not from
// one network address, not once their duels of the day are spent, and not the last opponent while
// another waits.
func TestQuickPairs(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann, bob, cyd := h.person(t, 1, "one"), h.person(t, 2, "one"), h.person(t, 3, "two")
	if !h.ask(t, ann).Waiting || !h.ask(t, bob).Waiting {
		t.Error("two people of one network address were paired")
	}
	code := h.ask(t, cyd).Duel
	if code == "" || h.ask(t, ann).Duel == code == (h.ask(t, bob).Duel == code) {
		t.Fatalf("a third person got %q", code)
	}
	if h.ask(t, cyd).Duel != code {
		t.Error("a player in a quick duel does not get it again")
	}
	h.exec(t, "UPDATE test_duel SET winner = 'a'")
	h.exec(t, "DELETE FROM arena_quick WHERE since IS NOT NULL")

	dan, eve := h.person(t, 4, ""), h.person(t, 5, "")
	h.exec(t, `INSERT INTO test_duel (code, a, b, at, winner) VALUES ('SPENT', $1, $2, 0, 'a')`, eve.Address[:],
		dan.Address[:])
	if !h.ask(t, dan).Waiting || !h.ask(t, eve).Waiting {
		t.Error("two people were paired whose duels of the day are spent")
	}
	if h.ask(t, h.person(t, 6, "")).Duel == "" {
		t.Error("people of exempt addresses are not paired")
	}
	h.exec(t, "DELETE FROM arena_quick")

	strong, weak := h.person(t, 7, ""), h.person(t, 8, "")
	h.exec(t, `INSERT INTO arena_rating (pool, address, rating, deviation, volatility, games, wins, losses, draws, rivals,
		standing, last_played) VALUES ('human', $1, $2, 1, 1, 1, 1, 0, 0, 1, $2, 1)`, strong.Address[:],
		int64(1850*glicko.Point))
	h.ask(t, strong)
	if !h.ask(t, weak).Waiting {
		t.Error("paired across 350 points at once")
	}
	h.exec(t, "DELETE FROM arena_rating") // a waiting player keeps the rating from before
	for range 2 {
		h.forward(2 * time.Second)
		h.ask(t, strong)
	}
	if n := h.number(t, "SELECT rating FROM arena_quick WHERE address = $1", strong.Address[:]); n != 1850*glicko.Point {
		t.Errorf("rating %d in the queue, want that of entering it", n)
	}
	if h.ask(t, weak).Duel == "" {
		t.Error("not paired across 350 points after 4 s")
	}
}

// TestQuickAgain checks that a player meets the last opponent again only if no other waits.
func TestQuickAgain(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann, bob, cyd := h.person(t, 1, ""), h.person(t, 2, ""), h.person(t, 3, "")
	end := func() { h.exec(t, "UPDATE test_duel SET winner = 'a'") }
	h.ask(t, ann)
	if h.ask(t, bob).Duel == "" {
		t.Fatal("not paired")
	}
	end()
	h.ask(t, bob)
	h.exec(t, "UPDATE arena_quick SET expires_at = expires_at + 60000")
	h.ask(t, cyd) // is paired with bob
	end()
	h.ask(t, ann)
	code := h.ask(t, bob).Duel
	if n := h.number(t, "SELECT count(*) FROM test_duel WHERE code = $1 AND (a = $2 OR b = $2)", code,
		ann.Address[:]); n != 1 {
		t.Error("bob's last opponent was cyd, and ann waits: they are not paired")
	}
	end()
	h.ask(t, ann)
	if h.ask(t, bob).Duel == "" {
		t.Error("no other player waits, and the last opponent is not taken")
	}
}

// TestQuickLapse checks that a player who stops asking is not paired, and that a bot is refused.
func TestQuickLapse(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann, bob := h.person(t, 1, "one"), h.person(t, 2, "two")
	h.ask(t, ann)
	h.forward(arena.QueueTimeout)
	if !h.ask(t, bob).Waiting {
		t.Error("paired with a player who had stopped asking")
	}
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		status, err := h.StayQuick(ctx, tx, ann)
		if status != (arena.QueueStatus{}) {
			t.Errorf("a lapsed player stays: %+v", status)
		}
		return err
	})
	h.update(t, func(ctx context.Context, tx *store.Tx) error { return h.DropQuick(ctx, tx) })
	if n := h.number(t, "SELECT count(*) FROM arena_quick"); n != 1 {
		t.Errorf("%d rows after the drop, want 1", n)
	}
	bot := arena.QuickPlayer{Address: h.player(t, 3, chain.Bot, 4), Kind: chain.Bot}
	err := h.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := h.JoinQuick(ctx, tx, bot)
		return err
	})
	if !errors.Is(err, arena.ErrNotPerson) {
		t.Errorf("a bot: %v", err)
	}
}

// TestQuickReach checks that unsuitable neighbours do not hide a suitable one behind them.
func TestQuickReach(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	for n := range 7 {
		if !h.ask(t, h.person(t, 1+n, "one")).Waiting {
			t.Fatal("two people of one network address were paired")
		}
	}
	stranger := h.person(t, 10, "one")
	h.exec(t, `INSERT INTO arena_rating (pool, address, rating, deviation, volatility, games, wins, losses, draws, rivals,
		standing, last_played) VALUES ('human', $1, $2, 1, 1, 1, 1, 0, 0, 1, $2, 1)`, stranger.Address[:],
		int64(1501*glicko.Point))
	if !h.ask(t, stranger).Waiting {
		t.Fatal("paired with a person of the same network address")
	}
	h.networks[stranger.Address] = "two"
	code := h.ask(t, h.person(t, 11, "one")).Duel
	if n := h.number(t, "SELECT count(*) FROM test_duel WHERE code = $1 AND (a = $2 OR b = $2)", code,
		stranger.Address[:]); n != 1 {
		t.Errorf("seven people of the same network address hide a stranger: duel %q", code)
	}
}

// TestStateAtExpiry checks that a bot is in the queue until the moment at which its place expires.
func TestStateAtExpiry(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	bot := h.player(t, 1, chain.Bot, 101)
	h.poll(t, bot)
	for _, step := range []struct {
		wait time.Duration
		want arena.State
	}{{arena.QueueTimeout - time.Millisecond, arena.InQueue}, {time.Millisecond, arena.Idle}} {
		h.forward(step.wait)
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			state, _, err := h.StateOf(ctx, tx, bot)
			if state != step.want {
				t.Errorf("after %v more: %s, want %s", step.wait, state, step.want)
			}
			return err
		})
	}
}

// TestOthers checks the number of others in both queues.
func TestOthers(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	for n := range int64(3) { // of one owner, or at one network address: no two are paired
		if got := h.poll(t, h.player(t, int(1+n), chain.Bot, 101)); !got.Waiting || got.Others != n {
			t.Errorf("bot %d: %+v, want %d others", n, got, n)
		}
		if got := h.ask(t, h.person(t, int(11+n), "one")); !got.Waiting || got.Others != n {
			t.Errorf("person %d: %+v, want %d others", n, got, n)
		}
	}
}
