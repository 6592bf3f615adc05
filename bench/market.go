package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// market measures the first page of the market, and a page in the middle of a tier, on an
// empty market and on one of Listings listings and twice as many sales. They are inserted
// into the database while no server runs on it.
func (b *bench) market(ctx context.Context) (err error) {
	folder, remove, err := b.dataFolder("market")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	var before, after measurement
	err = b.reading(ctx, folder, func(to *child) error {
		before, err = b.reads(ctx, to, "/api/market")
		return err
	})
	if err != nil {
		return err
	}
	b.say("putting %d listings on the market …", b.Listings)
	if err := seedMarket(ctx, b.databaseIn(folder), int64(b.Listings)); err != nil {
		return err
	}
	var tier measurement
	err = b.reading(ctx, folder, func(to *child) error {
		if after, err = b.reads(ctx, to, "/api/market"); err != nil {
			return err
		}
		tier, err = b.reads(ctx, to, "/api/market?tier=7&sort=newest")
		return err
	})
	if err != nil {
		return err
	}
	b.report.rate("GET /api/market, empty", before)
	b.report.rate(fmt.Sprintf("GET /api/market among %d listings", b.Listings), after)
	b.report.row("its rate against that of the empty market", "%.2f", after.rate()/before.rate())
	b.report.rate("GET /api/market?tier=7&sort=newest among them", tier)
	return nil
}

// reading runs a server on a data folder during measure.
func (b *bench) reading(ctx context.Context, folder string, measure func(*child) error) error {
	server, err := b.boardServer(ctx, folder)
	if err != nil {
		return err
	}
	defer server.stop()
	// b.cpu must count the processor time of this server.
	previous := b.server
	b.server = server
	defer func() { b.server = previous }()
	return measure(server)
}

// reads measures an anonymous GET request.
func (b *bench) reads(ctx context.Context, to *child, path string) (measurement, error) {
	return b.measure(ctx, func(ctx context.Context, w *worker) error {
		return w.call(ctx, request{to: to, method: "GET", path: path}, nil)
	})
}

// seedMarket adds n listings of a thousand sellers to the market.
func seedMarket(ctx context.Context, c store.Config, n int64) (err error) {
	d, err := openDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	f := market.FillOptions{Listings: n, Sales: 2 * n, Tiers: 16, Now: time.Now()}
	var accounts [][]any
	for i := range 1000 {
		a, name := chain.Address{0xc, byte(i >> 8), byte(i)}, fmt.Sprint("seller-", i)
		f.Sellers = append(f.Sellers, a)
		accounts = append(accounts, []any{a[:], string(chain.Guest), name, name, name, f.Now.UnixMilli()})
	}
	err = d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := store.BulkInsert(ctx, tx, "account", []string{"address", "kind", "username", "username_key", "username_fold", "created_at"},
			accounts); err != nil {
			return err
		}
		return market.Fill(ctx, tx, f)
	})
	if err != nil {
		return fmt.Errorf("seeding: %w", err)
	}
	return nil
}

// portfolio measures the portfolio of an account with Entries ledger entries: staked duels
// that it opens and cancels, which are two entries each.
func (b *bench) portfolio(ctx context.Context) error {
	w := newWorker()
	defer w.client.CloseIdleConnections()
	p, err := w.guest(ctx, b.server)
	if err != nil {
		return err
	}
	b.say("%d ledger entries …", b.Entries)
	for range b.Entries / 2 {
		var out struct {
			Duel struct {
				ID string `json:"id"`
			} `json:"duel"`
		}
		err := w.call(ctx, request{to: b.server, method: "POST", path: "/api/duels", by: p, in: map[string]int{"stake": 5}},
			&out)
		if err != nil {
			return err
		}
		if err := w.call(ctx, request{to: b.server, method: "POST", path: "/api/duels/" + out.Duel.ID + "/cancel", by: p},
			nil); err != nil {
			return err
		}
	}
	m, err := b.measure(ctx, func(ctx context.Context, w *worker) error {
		return w.call(ctx, request{to: b.server, method: "GET", path: "/api/portfolio?days=90", by: p}, nil)
	})
	b.report.rate(fmt.Sprintf("GET /api/portfolio, 90 days, %d ledger entries", b.Entries), m)
	return err
}
