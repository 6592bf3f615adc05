package arena_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
)

// crowd is the number of rated bots in the benchmarks of tables.
const crowd = 200_000

// BenchmarkRank measures the rank of a rating in the middle of a large pool, and a page of
// the table.
func BenchmarkRank(b *testing.B) {
	h := open(b, store.Config{})
	h.crowd(b)
	b.Run("rank", func(b *testing.B) {
		for b.Loop() {
			h.view(b, func(ctx context.Context, tx *store.Tx) error {
				_, err := h.Rank(ctx, tx, arena.Bots, 1400*glicko.Point)
				return err
			})
		}
	})
	b.Run("next page", func(b *testing.B) {
		for b.Loop() {
			h.view(b, func(ctx context.Context, tx *store.Tx) error {
				_, err := h.Table(ctx, tx, arena.Bots, arena.TableCursor{Standing: 1400 * glicko.Point}, 50)
				return err
			})
		}
	})
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			h.view(b, func(ctx context.Context, tx *store.Tx) error {
				_, err := h.Table(ctx, tx, arena.Bots, arena.TableCursor{}, 50)
				return err
			})
		}
	})
}

// crowd stores ratings as duels would have left them.
func (h *fixture) crowd(b *testing.B) {
	b.Helper()
	chance := rand.New(rand.NewPCG(1, 2)) // of a benchmark
	var accounts, ratings [][]any
	for n := range crowd {
		a := addressOf(n + 1)
		rating := int64((1500 + 200*chance.NormFloat64()) * glicko.Point)
		accounts = append(accounts, []any{a[:], "bot", a.String(), a.String(), a.String(), 1})
		ratings = append(ratings, []any{"bots", a[:], rating, 60_000_000, 60_000_000_000, 100, 40, 40, 20, 0, rating, 1})
	}
	h.update(b, func(ctx context.Context, tx *store.Tx) error {
		if err := store.BulkInsert(ctx, tx, "account",
			[]string{"address", "kind", "username", "username_key", "username_fold", "created_at"}, accounts); err != nil {
			return err
		}
		columns := []string{"pool", "address", "rating", "deviation", "volatility", "games", "wins", "losses", "draws",
			"rivals", "standing", "last_played"}
		if err := store.BulkInsert(ctx, tx, "arena_rating", columns, ratings); err != nil {
			return err
		}
		return h.RebuildRanks(ctx, tx, arena.Bots)
	})
}

// BenchmarkQueue measures a queue of 2,000 bots that may not play one another: a request of
// one of them, and a pass over all.
func BenchmarkQueue(b *testing.B) {
	h := open(b, store.Config{})
	h.wait(b, 2000)
	b.Run("stay", func(b *testing.B) {
		for b.Loop() {
			h.poll(b, addressOf(1000))
		}
	})
	b.Run("pass", func(b *testing.B) {
		for b.Loop() {
			h.matchOnce(b)
		}
	})
}

// wait puts n bots of one owner into the queue, with ratings around a new player's.
func (h *fixture) wait(b *testing.B, n int) {
	b.Helper()
	owner, lapse := h.player(b, 500_000, chain.Full, 0), h.now().Add(time.Hour).UnixMilli()
	var accounts, bots, waiting [][]any
	for i := range n {
		a := addressOf(i + 1)
		rating := int64(1500+(i-n/2)%400) * glicko.Point
		accounts = append(accounts, []any{a[:], "bot", a.String(), a.String(), a.String(), 1})
		bots = append(bots, []any{a[:], owner[:], 1})
		waiting = append(waiting, []any{a[:], owner[:], rating, h.now().UnixMilli() - int64(i), lapse, 1})
	}
	h.update(b, func(ctx context.Context, tx *store.Tx) error {
		if err := store.BulkInsert(ctx, tx, "account",
			[]string{"address", "kind", "username", "username_key", "username_fold", "created_at"}, accounts); err != nil {
			return err
		}
		if err := store.BulkInsert(ctx, tx, "bot", []string{"address", "owner", "created_at"}, bots); err != nil {
			return err
		}
		columns := []string{"address", "owner", "rating", "since", "expires_at", "version"}
		return store.BulkInsert(ctx, tx, "arena_bot", columns, waiting)
	})
}

// BenchmarkPairing measures, by the real clock, the time from a bot's entry until it gets its
// duel, while n other bots stay in the queue and the matcher runs: with a suitable opponent,
// and with its last opponents only.
func BenchmarkPairing(b *testing.B) {
	for _, n := range []int{2, 200, 2000} {
		b.Run(fmt.Sprintf("fresh/%d", n), func(b *testing.B) { pairing(b, n, false) })
		b.Run(fmt.Sprintf("again/%d", n), func(b *testing.B) { pairing(b, n, true) })
	}
}

func pairing(b *testing.B, n int, again bool) {
	h := open(b, store.Config{})
	h.Service.Now = time.Now
	h.ms.Store(time.Now().UnixMilli())
	h.wait(b, n)
	ctx, stop := context.WithCancel(b.Context())
	var background sync.WaitGroup
	background.Go(func() { h.MatchLoop(ctx) })
	background.Go(func() { // every waiting bot asks again every 8 seconds
		every := time.NewTicker(8 * time.Second / time.Duration(n))
		defer every.Stop()
		for i := 0; ctx.Err() == nil; i++ {
			<-every.C
			h.poll(b, addressOf(i%n+1))
		}
	})
	var waited []time.Duration
	guest, owner := 600_000, 700_000
	for b.Loop() {
		b.StopTimer()
		guest, owner = guest+1, owner+1
		bot := h.player(b, guest, chain.Bot, owner)
		if again { // it was the last opponent of every waiting bot
			h.exec(b, "UPDATE arena_bot SET last_opponent = $1", bot[:])
		}
		watch := h.Events.Hub.Watch(event.Account(bot))
		b.StartTimer()
		began := time.Now()
		code := h.poll(b, bot).Duel
		for code == "" {
			<-watch.C()
			code = h.poll(b, bot).Duel
		}
		waited = append(waited, time.Since(began))
		b.StopTimer()
		watch.Close()
		h.finish(b, code, "")
		h.exec(b, "DELETE FROM arena_bot WHERE address = $1", bot[:])
		h.exec(b, "UPDATE arena_bot SET since = $1 WHERE since IS NULL", time.Now().UnixMilli())
		b.StartTimer()
	}
	stop()
	background.Wait()
	slices.Sort(waited)
	b.ReportMetric(float64(waited[len(waited)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(waited[len(waited)*99/100].Microseconds())/1000, "p99-ms")
}
