package arena_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/arena"
	"roshambo/internal/arena/glicko"
	"roshambo/internal/db"
)

// crowd is how many bots have a rating in the benchmarks of tables.
const crowd = 200_000

// BenchmarkRank is the place of a player in the middle of a large pool, and with the
// page of a table around it.
func BenchmarkRank(b *testing.B) {
	h := open(b, db.Config{})
	h.crowd(b)
	b.Run("rank", func(b *testing.B) {
		for b.Loop() {
			h.view(b, func(ctx context.Context, tx *db.Tx) error {
				_, err := h.Rank(ctx, tx, arena.Bots, 1400*glicko.Point)
				return err
			})
		}
	})
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			h.view(b, func(ctx context.Context, tx *db.Tx) error {
				_, err := h.Table(ctx, tx, arena.Bots, arena.After{}, 50)
				return err
			})
		}
	})
}

// crowd stores ratings as duels would have left them.
func (h *hall) crowd(b *testing.B) {
	b.Helper()
	chance := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // of a benchmark
	var accounts, ratings, counts [][]any
	players := map[[2]int64]int64{}
	for n := range crowd {
		a := addressOf(n + 1)
		rating := int64((1500 + 200*chance.NormFloat64()) * glicko.Point)
		accounts = append(accounts, []any{a[:], "bot", a.String(), a.String(), 1})
		ratings = append(ratings, []any{"bots", a[:], rating, 60_000_000, 60_000_000_000, 100, 40, 40, 20, 1})
		players[[2]int64{rating / (4 * glicko.Point), int64(a[0] % 8)}]++
	}
	for key, n := range players {
		counts = append(counts, []any{"bots", key[0], key[1], n})
	}
	h.update(b, func(ctx context.Context, tx *db.Tx) error {
		if err := db.BulkInsert(ctx, tx, "account", []string{"address", "kind", "username", "username_key", "created_at"}, accounts); err != nil {
			return err
		}
		columns := []string{"pool", "address", "rating", "deviation", "volatility", "games", "wins", "losses", "draws", "last_played"}
		if err := db.BulkInsert(ctx, tx, "arena_rating", columns, ratings); err != nil {
			return err
		}
		return db.BulkInsert(ctx, tx, "arena_count", []string{"pool", "bucket", "shard", "players"}, counts)
	})
}

// BenchmarkQueue is the queue with 2,000 bots in it that do not suit one another: one
// that stays, one that arrives and is matched, and a look at all of them.
func BenchmarkQueue(b *testing.B) {
	h := open(b, db.Config{})
	h.player(b, 1, chain.Bot, 100_000)
	owner, lapse := addressOf(100_000), h.ms.Load()+time.Hour.Milliseconds()
	var accounts, bots, waiting [][]any
	for n := range 2000 { // all of one owner
		a := addressOf(n + 2)
		accounts = append(accounts, []any{a[:], "bot", a.String(), a.String(), 1})
		bots = append(bots, []any{a[:], owner[:], 1})
		waiting = append(waiting, []any{a[:], owner[:], int64(n) * glicko.Point, h.ms.Load() - int64(n), lapse, 1})
	}
	h.update(b, func(ctx context.Context, tx *db.Tx) error {
		if err := db.BulkInsert(ctx, tx, "account", []string{"address", "kind", "username", "username_key", "created_at"}, accounts); err != nil {
			return err
		}
		if err := db.BulkInsert(ctx, tx, "bot", []string{"address", "owner", "created_at"}, bots); err != nil {
			return err
		}
		columns := []string{"address", "owner", "rating", "since", "expires_at", "version"}
		return db.BulkInsert(ctx, tx, "arena_bot", columns, waiting)
	})
	guest := h.player(b, 3000, chain.Bot, 100_001)
	b.Run("stay", func(b *testing.B) {
		for b.Loop() {
			h.poll(b, addressOf(1000))
		}
	})
	b.Run("arrive", func(b *testing.B) {
		for b.Loop() {
			place := h.poll(b, guest)
			if place.Duel == "" {
				b.Fatal("not matched")
			}
			b.StopTimer()
			h.finish(b, place.Duel, "")
			h.exec(b, "UPDATE arena_bot SET since = $1, last_opponent = NULL WHERE address <> $2 AND since IS NULL", h.ms.Load(), guest[:])
			h.exec(b, "UPDATE arena_bot SET last_opponent = NULL")
			b.StartTimer()
		}
	})
	b.Run("pass", func(b *testing.B) {
		for b.Loop() {
			h.pass(b)
		}
	})
}
