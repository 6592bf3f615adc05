package ledger_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestRulesBeginAlone posts by the old rules at another node while rules begin: the beginning has its place among the
// transactions, and is not stored yet. The post waits, and is refused then. SQLite has one writer, so that both nodes
// share a connection there, and the post waits for it.
func TestRulesBeginAlone(t *testing.T) {
	t.Parallel()
	var hold atomic.Pointer[func()] // called before the next commit of the first node
	o := ledgertest.Options{DB: store.Config{Faults: &store.Faults{Commit: func() store.Fault {
		if f := hold.Swap(nil); f != nil {
			(*f)()
		}
		return store.NoFault
	}}}}
	e := newEconomy(t, o)
	e.Share()
	ann := e.join(t)
	dearer := ledgertest.Rules()
	dearer.EntryFee = 60
	e, err := e.reopen(t, ledgertest.Options{DB: o.DB, Rules: &dearer})
	if err != nil {
		t.Fatal(err)
	}
	e.SealAll(t)
	db := e.DB
	if storetest.Postgres() {
		db = storetest.Open(t, storetest.At(e.Location, store.Config{Now: e.Clock.Now}))
	}
	other, err := e.node(t, nil) // which announces nothing, since its rules wait
	if err != nil {
		t.Fatal(err)
	}
	other.Share()
	pay := func(fee int64) error {
		draft := ledgertest.Start(ann, "run", chain.EntryFee, e.NewHash())
		draft.Transfers[0].Amount = fee
		return db.UpdateAt(t.Context(), store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
			_, err := other.Post(ctx, tx, draft)
			return err
		})
	}
	paid := make(chan error, 1)
	waits := func() bool { return db.Stats().Queue > 0 }
	if storetest.Postgres() {
		raw := storetest.Raw(t, e.Location)
		waits = func() (waiting bool) {
			const query = `SELECT count(*) > 0 FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`
			if err := raw.QueryRowContext(t.Context(), query).Scan(&waiting); err != nil {
				t.Error(err)
				return true
			}
			return waiting
		}
	}
	during := func() {
		go func() { paid <- pay(50) }()
		for len(paid) == 0 && !waits() {
			runtime.Gosched()
		}
	}
	hold.Store(&during)
	if err := e.BeginRules(t.Context()); err != nil || e.Rules().EntryFee != 60 {
		t.Fatalf("the fee is %d, error %v", e.Rules().EntryFee, err)
	}
	if err := <-paid; !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("by the old rules: error %v", err)
	}
	if err := pay(60); err != nil {
		t.Errorf("by the new rules: error %v", err)
	}
	e.SealAll(t)
	e.WantValid(t)
}
