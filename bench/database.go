package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"time"

	"roshambo/bench/probe"
	"roshambo/chain"
	"roshambo/internal/service/market"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
	"roshambo/internal/store/postgres"
	"roshambo/internal/store/sqlite"
)

// open opens the database of a build that does not run.
func (r *rival) open(ctx context.Context) (*store.DB, error) {
	if r.database != "" {
		return postgres.Open(ctx, store.Config{URL: r.database})
	}
	return sqlite.Open(ctx, store.Config{Path: filepath.Join(r.folder, "roshambo.db")})
}

// findCluster finds the process of the databases if it runs on this machine, by the process of a
// connection, which every role may ask for, and says how durable it is.
func (b *bench) findCluster(ctx context.Context) (err error) {
	if len(b.Database) == 0 {
		return nil
	}
	d, err := postgres.Open(ctx, store.Config{URL: b.Database[0], ReadOnly: true}) // a build's, whose tables are known
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		var backend int
		var near bool
		var fsync, commit string
		err := tx.QueryRowContext(ctx, `SELECT pg_backend_pid(), coalesce(inet_server_addr() = inet_client_addr(), true),
			current_setting('fsync'), current_setting('synchronous_commit')`).Scan(&backend, &near, &fsync, &commit)
		b.say("the database: fsync %s, synchronous_commit %s", fsync, commit)
		if b.cluster = nil; err == nil && near {
			b.cluster = probe.ClusterOf(backend)
		}
		return err
	})
}

// crowd restarts the servers with Crowd more accounts on their leaderboards, and the builds with
// Listings listings and twice as many sales on their markets.
func (b *bench) crowd(ctx context.Context) error {
	for _, r := range b.rivals {
		b.say("a crowd on %s …", r.name)
		if err := b.crowdOn(ctx, r); err != nil {
			return fmt.Errorf("bench: a crowd on %s: %w", r.name, err)
		}
	}
	return b.gather(ctx)
}

// crowdOn does the work of crowd for one server.
func (b *bench) crowdOn(ctx context.Context, r *rival) (err error) {
	if !r.ours() {
		if err := r.crowdNakama(b.Crowd); err != nil {
			return err
		}
		r.stop()
		return r.start(ctx)
	}
	r.stop()
	d, err := r.open(ctx)
	if err != nil {
		return err
	}
	err = errors.Join(seedBoard(ctx, d, b.Crowd), seedMarket(ctx, d, int64(b.Listings)), d.Close())
	if err != nil {
		return err
	}
	return r.start(ctx)
}

// seedSize is the number of accounts per transaction.
const seedSize = 20_000

// seedBoard adds n synthetic accounts to the all-time board. Low scores are by far the most
// frequent, so that many accounts share theirs.
func seedBoard(ctx context.Context, d *store.DB, n int) error {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	now := time.Now()
	points := func(a chain.Address) score.Points {
		// Each doubling of the points is half as frequent; uniform in between.
		value := int64(2) << bits.TrailingZeros64(random.Uint64()|1<<20)
		return score.Points{Account: a, Points: value + 2*random.Int64N(value),
			At: now.Add(-time.Duration(random.Int64N(int64(28 * 24 * time.Hour))))}
	}
	for done := 0; done < n; done += seedSize {
		err := d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			var list []score.Points
			for _, a := range addresses(0xb, done, min(seedSize, n-done)) {
				list = append(list, points(a))
			}
			if err := seedAccounts(ctx, tx, 0xb, done, len(list), now); err != nil {
				return err
			}
			return score.Fill(ctx, tx, list)
		})
		if err != nil {
			return err
		}
	}
	return d.Update(ctx, score.Count)
}

// seedMarket adds n listings of a thousand sellers to the market.
func seedMarket(ctx context.Context, d *store.DB, n int64) error {
	return d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		f := market.FillOptions{Listings: n, Sales: 2 * n, Tiers: 16, Now: time.Now(), Sellers: addresses(0xc, 0, 1000),
			Behind: 1 << 30} // tokens of games that were played, and far from the last id
		if err := seedAccounts(ctx, tx, 0xc, 0, len(f.Sellers), f.Now); err != nil {
			return err
		}
		return market.Fill(ctx, tx, f)
	})
}

// addresses returns n addresses of a group, by number. Ascending ones are fast to insert.
func addresses(group byte, first, n int) []chain.Address {
	list := make([]chain.Address, n)
	for i := range list {
		x := first + i
		list[i] = chain.Address{group, byte(x >> 24), byte(x >> 16), byte(x >> 8), byte(x)}
	}
	return list
}

// seedAccounts inserts the accounts of addresses.
func seedAccounts(ctx context.Context, tx *store.Tx, group byte, first, n int, now time.Time) error {
	rows := make([][]any, n)
	for i, a := range addresses(group, first, n) {
		name := fmt.Sprintf("crowd-%d-%d", group, first+i)
		rows[i] = []any{a[:], string(chain.Guest), name, name, name, now.UnixMilli()}
	}
	columns := []string{"address", "kind", "username", "username_key", "username_fold", "created_at"}
	return store.BulkInsert(ctx, tx, "account", columns, rows)
}
