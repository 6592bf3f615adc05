package portfolio_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatement writes to the book and reads it once per statement, with that statement
// failing: a failed write to the book rolls back the transaction that it belongs to.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	w := newWorldWith(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}})
	each.Use(t, w.DB, w.Location)
	each.Level = market.Isolation
	ann, bob := w.join(t), w.join(t)
	token := w.Win(t, ann.Player, 2)
	w.Clock.Add(24 * time.Hour)
	var listing *market.Listing
	each.Update(t, "list", func(ctx context.Context, tx *store.Tx) (err error) {
		listing, err = w.market.List(ctx, tx, ann.Address, token.ID, 100)
		return err
	})
	each.Update(t, "buy", func(ctx context.Context, tx *store.Tx) error {
		_, err := w.market.Buy(ctx, tx, bob.Address, listing.ID)
		return err
	})
	each.Call(t, "burn", func(context.Context) error { return w.Burn(t, bob.Player, token) })
	each.View(t, "check", func(ctx context.Context, tx *store.Tx) error {
		wrong, err := w.book.Check(ctx, tx)
		if len(wrong) != 0 {
			err = errors.Join(err, errors.New(wrong[0].What))
		}
		return err
	})
	each.View(t, "report", func(ctx context.Context, tx *store.Tx) error {
		r, err := w.book.Report(ctx, tx, w.request(bob, 3))
		if err == nil && r.Balance != 900 {
			t.Errorf("balance %d, want 900", r.Balance)
		}
		return err
	})
	stake := ledgertest.Stake(*bob.Player, "a duel", 10)
	each.Update(t, "stake", func(ctx context.Context, tx *store.Tx) error {
		_, err := w.Post(ctx, tx, stake)
		return err
	})
	w.View(t, func(ctx context.Context, tx *store.Tx) error {
		var rows int
		err := tx.QueryRowContext(ctx, "SELECT count(*) FROM portfolio_coin WHERE address NOT IN ($1, $2)",
			ann.Address[:], bob.Address[:]).Scan(&rows)
		if rows != 0 {
			t.Errorf("the book has %d rows of escrow accounts", rows)
		}
		return err
	})
}
