package portfolio_test

import (
	"context"
	"testing"
	"time"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
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
	do := storetest.Do
	var listing market.Listing
	escrows := func(ctx context.Context, tx *store.Tx) (rows int, err error) {
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM portfolio_coin WHERE address NOT IN ($1, $2)",
			ann.Address[:], bob.Address[:]).Scan(&rows)
		return rows, err
	}
	each.Run(t, []storetest.Case{
		{Name: "list", Update: do(w.market.List, ann.Address, token.ID, 100), Keep: &listing},
		{Name: "buy", Update: do(w.market.Buy, bob.Address, &listing.ID)},
		{Name: "burn", Call: do(w.Burn, t, bob.Player, token)},
		{Name: "check", View: do(w.book.Check), Want: storetest.Len(0)},
		{Name: "report", View: func(c storetest.In) (any, error) { return w.book.Report(c, c.Tx, w.request(bob, 3)) },
			Want: func(r *portfolio.Report) bool { return r.Balance == 900 }},
		{Name: "stake", Update: do(w.Post, ledgertest.Stake(*bob.Player, "a duel", 10))},
		{Name: "rows of escrow accounts", View: do(escrows), Want: 0},
	})
}
