package score

import (
	"context"
	"fmt"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestDuelPoints checks which duels give points to their winner.
func TestDuelPoints(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
	own, other := h.player(t, 3, chain.Bot), h.player(t, 4, chain.Bot)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO bot (address, owner, created_at) VALUES ($1, $2, 0), ($3, $4, 0)`,
			own[:], ann[:], other[:], bob[:])
		return err
	})
	points := func(a chain.Address) (n int64) {
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			b, err := h.AllTimeBoard(ctx, tx, &Viewer{Address: a}, PageRequest{Count: 1})
			if err == nil && b.Me != nil {
				n = b.Me.Value
			}
			return err
		})
		return n
	}
	for i, c := range []struct {
		name     string
		a, b     chain.Address
		winner   string
		practice bool
		later    time.Duration // since the previous duel
		ann, bob int64         // points afterwards
	}{
		{"won", ann, bob, "a", false, 0, 8, 0},
		{"lost", ann, bob, "b", false, 0, 8, 8},
		{"drawn", ann, bob, "", false, 0, 8, 8},
		{"practice", ann, other, "a", true, 0, 8, 8},
		{"against the player's own bot", ann, own, "a", false, 0, 8, 8},
		{"against another player's bot", ann, other, "a", false, 0, 16, 8},
		{"a bot wins", other, ann, "a", false, 0, 16, 8},
		{"second win of the day", bob, ann, "b", false, 0, 24, 8},
		{"third win of the day", ann, bob, "a", false, 0, 32, 8},
		{"fourth win of the day", ann, bob, "a", false, 0, 32, 8},
		{"next day", ann, bob, "a", false, 24 * time.Hour, 40, 8},
	} {
		h.ledger.Clock.Add(c.later)
		d := Duel{
			Code: fmt.Sprint("duel-", i), A: c.a, B: c.b, Winner: c.winner, Practice: c.practice,
			At: h.ledger.Clock.Now(),
		}
		h.update(t, func(ctx context.Context, tx *store.Tx) error { return h.DuelFinished(ctx, tx, d) })
		h.drainAll(t)
		if a, b := points(ann), points(bob); a != c.ann || b != c.bob {
			t.Errorf("%s: Ann has %d points and Bob %d, want %d and %d", c.name, a, b, c.ann, c.bob)
		}
	}
	if a, b := points(own), points(other); a != 0 || b != 0 {
		t.Errorf("bots have %d and %d points, want none", a, b)
	}
}

// TestStreaks checks the streak after each daily run, and one and two days later.
func TestStreaks(t *testing.T) {
	t.Parallel()
	var c Counts
	for i, s := range []struct{ day, streak, best, dayAfter, twoAfter int64 }{
		{100, 1, 1, 1, 0},
		{101, 2, 2, 2, 0},
		{102, 3, 3, 3, 0},
		{102, 3, 3, 3, 0}, // a second run on one day, which the API refuses
		{104, 1, 3, 1, 0},
		{105, 2, 3, 2, 0},
	} {
		c.add(&fact{kind: factRun, entry: chain.EntryDaily, day: s.day, result: string(chain.RunLost)})
		if c.streakOn(s.day) != s.streak || c.BestStreak != s.best || c.streakOn(s.day+1) != s.dayAfter ||
			c.streakOn(s.day+2) != s.twoAfter {
			t.Errorf("after day %d: %+v, want %+v", s.day, c, s)
		}
		if c.Dailies != int64(i)+1 || c.Runs != c.Dailies {
			t.Errorf("after day %d: %d daily runs of %d, want %d", s.day, c.Dailies, c.Runs, i+1)
		}
	}
}

// TestAchievementsAreSound checks that numbers and ids are unique, and that a new player has
// unlocked none.
func TestAchievementsAreSound(t *testing.T) {
	t.Parallel()
	numbers, ids := map[int64]bool{}, map[string]bool{}
	for i := range Achievements {
		a := &Achievements[i]
		if numbers[a.Number] || ids[a.ID] || a.Number <= 0 || a.Target <= 0 || a.Title == "" || a.Text == "" {
			t.Errorf("number or id used twice, or a member is missing: %+v", a)
		}
		numbers[a.Number], ids[a.ID] = true, true
		var none Counts
		if a.unlocked(&none) || a.Progress(&none) != 0 {
			t.Errorf("%s is unlocked without facts", a.ID)
		}
	}
	if len(Achievements) < 24 {
		t.Errorf("%d achievements, want at least 24", len(Achievements))
	}
}
