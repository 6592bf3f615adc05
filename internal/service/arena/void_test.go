package arena_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// voided is an arena with random rated duels of bots, and the chain that a book reads.
type voided struct {
	*fixture

	bots  []chain.Address
	duels []chain.DuelSettle
	chain []chain.Data
}

// play plays a number of rated duels.
func (v *voided) play(t *testing.T, random *rand.Rand, n int) {
	t.Helper()
	for range n {
		v.forward(time.Second)
		pair := random.Perm(len(v.bots))
		d := chain.DuelSettle{A: v.bots[pair[0]], B: v.bots[pair[1]], DuelID: fmt.Sprint("D", len(v.duels)), Rated: true,
			Winner: []string{"a", "b", ""}[random.IntN(3)]}
		v.update(t, func(ctx context.Context, tx *store.Tx) error {
			return v.record(ctx, tx, arena.Result{Duel: d.DuelID, Pool: arena.Bots, Rated: true, A: d.A, B: d.B,
				Winner: sides[d.Winner], Rounds: rounds(d.Winner), At: v.now()})
		})
		v.duels, v.chain = append(v.duels, d), append(v.chain, &d)
	}
}

// void declares a duel void.
func (v *voided) void(t *testing.T, d chain.DuelSettle) {
	t.Helper()
	v.forward(time.Second)
	v.update(t, func(ctx context.Context, tx *store.Tx) error {
		return v.VoidDuel(ctx, tx, arena.Voided{Duel: d.DuelID, Pool: arena.Bots, A: d.A, B: d.B, At: v.now()})
	})
	v.chain = append(v.chain, &chain.ResultVoid{Game: chain.DuelGameID(d.DuelID)})
}

// restore takes the declaration back.
func (v *voided) restore(t *testing.T, d chain.DuelSettle) {
	t.Helper()
	v.forward(time.Second)
	v.update(t, func(ctx context.Context, tx *store.Tx) error {
		return v.RestoreDuel(ctx, tx, arena.Voided{Duel: d.DuelID, Pool: arena.Bots, A: d.A, B: d.B, At: v.now()})
	})
	v.chain = append(v.chain, &chain.ResultRestore{Game: chain.DuelGameID(d.DuelID)})
}

// standing is the record of a bot, in total and by opponent.
type standing struct {
	Record  arena.Record
	Against []arena.Opponent
}

// standings returns the records of all bots, without the number of their histories' entries.
func (v *voided) standings(t *testing.T) (list []standing) {
	t.Helper()
	v.view(t, func(ctx context.Context, tx *store.Tx) error {
		for _, bot := range v.bots {
			row, err := v.Standing(ctx, tx, arena.Bots, bot)
			if err != nil {
				return err
			}
			s := standing{Record: *row.Player.Record}
			s.Record.Games = 0
			s.Against, err = v.Opponents(ctx, tx, arena.PlayerKey{Pool: arena.Bots, Address: bot}, arena.OpponentCursor{}, 100)
			if err != nil {
				return err
			}
			list = append(list, s)
		}
		return nil
	})
	return list
}

// TestRestoreDuel declares duels void and restores them: nothing is left of both when no duel stands between
// them, and with others between them the stored ratings agree with the chain.
func TestRestoreDuel(t *testing.T) {
	t.Parallel()
	random := testseed.Rand(t)
	v := &voided{fixture: open(t, storetest.New(t))}
	for n := range 4 {
		v.bots = append(v.bots, v.player(t, n+1, chain.Bot, 100+n))
	}
	v.play(t, random, 60) // enough for peaks
	for range 10 {
		d := v.duels[random.IntN(50)]
		if slices.ContainsFunc(v.chain, func(c chain.Data) bool {
			r, ok := c.(*chain.ResultVoid)
			return ok && r.Game == chain.DuelGameID(d.DuelID)
		}) {
			continue // final
		}
		before := v.standings(t)
		v.void(t, d)
		v.audit(t)
		v.restore(t, d)
		v.audit(t)
		if diff := cmp.Diff(before, v.standings(t)); diff != "" {
			t.Errorf("after the void and the restore of %s (-before +after):\n%s", d.DuelID, diff)
		}
	}
	d := v.duels[55]
	v.void(t, d)
	v.play(t, random, 5)
	v.restore(t, d)
	v.play(t, random, 5)
	v.audit(t)
}

// audit compares the stored ratings with the chain's.
func (v *voided) audit(t *testing.T) *arena.Book {
	t.Helper()
	var games []string
	for _, data := range v.chain {
		if d, ok := data.(*chain.ResultVoid); ok { // also of those that are restored
			games = append(games, d.Game)
		}
	}
	book := arena.NewBook(games...)
	for _, bot := range v.bots {
		book.Add(&chain.Tx{Actor: bot, Data: &chain.AccountCreate{AccountKind: chain.Bot}}, nil)
	}
	for _, data := range v.chain {
		var raw []byte
		if d, ok := data.(*chain.DuelSettle); ok {
			raw = transcript(d)
		}
		book.Add(&chain.Tx{Data: data}, raw)
	}
	v.view(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := v.Audit(ctx, tx, book, 10)
		for _, d := range list {
			t.Errorf("%+v", d)
		}
		return err
	})
	return book
}

// TestVoidDuel plays random duels and declares random ones void, in between and at last all of them:
// stored ratings, records and ranks agree with the chain at each step, and in the end every player is a
// newcomer without opponents.
func TestVoidDuel(t *testing.T) {
	t.Parallel()
	random := testseed.Rand(t)
	v := &voided{fixture: open(t, storetest.New(t))}
	for n := range 4 {
		v.bots = append(v.bots, v.player(t, n+1, chain.Bot, 100+n))
	}
	left := []chain.DuelSettle{}
	for range 3 {
		before := len(v.duels)
		v.play(t, random, 5)
		left = append(left, v.duels[before:]...)
		i := random.IntN(len(left))
		v.void(t, left[i])
		left = append(left[:i], left[i+1:]...)
		v.audit(t)
	}
	for _, d := range left {
		v.void(t, d)
	}
	for player, rating := range v.audit(t).Ratings() {
		if rating.Rating != glicko.Newcomer.Rating || rating.Deviation != glicko.Newcomer.Deviation {
			t.Errorf("%v without a valid duel: %+v", player, rating)
		}
	}
	v.view(t, func(ctx context.Context, tx *store.Tx) error {
		for _, bot := range v.bots {
			row, err := v.Standing(ctx, tx, arena.Bots, bot)
			if err != nil {
				return err
			}
			if r := row.Player.Record; r == nil || r.Games != 0 || r.Wins+r.Losses+r.Draws != 0 || r.Rivals != 0 {
				t.Errorf("%v: %+v", bot, r)
			}
			history, err := v.History(ctx, tx, arena.PlayerKey{Pool: arena.Bots, Address: bot}, math.MaxInt64, 100)
			if err != nil {
				return err
			}
			if len(history)%2 != 0 || len(history) > 0 && history[0].Outcome != "void" {
				t.Errorf("%v: history %+v", bot, history)
			}
		}
		return nil
	})
	// A duel without a rating change cannot be void.
	err := v.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return v.VoidDuel(ctx, tx, arena.Voided{Duel: "unknown", Pool: arena.Bots, A: v.bots[0], B: v.bots[1], At: v.now()})
	})
	if !errors.Is(err, arena.ErrNotFound) {
		t.Errorf("an unknown duel: %v", err)
	}
}
