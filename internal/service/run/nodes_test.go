package run_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// between calls another node during the start of a run: after the first node has read that
// the account has no unfinished run, and before it writes its own.
type between struct {
	call func(ctx context.Context, tx *store.Tx) error
}

// Posted implements ledger.Listener.
func (b *between) Posted(ctx context.Context, tx *store.Tx, f *ledger.Fact) error {
	if b.call == nil || f.Tx.Kind() != chain.KindRunStart {
		return nil
	}
	call := b.call
	b.call = nil
	defer func() { b.call = call }() // the closure may be retried
	return call(ctx, tx)
}

// TestStartedOnAnotherNode starts a run on two nodes, on the second one while the first has posted
// its start and not yet stored the run. The account's row tells the second one that a run is open,
// so it fails with ErrRunActive. Neither stores anything, as both share the transaction that is
// rolled back.
func TestStartedOnAnotherNode(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	other := h.Service
	h.restart(t)
	b := &between{}
	h.Listen(b)
	var started error
	b.call = func(ctx context.Context, tx *store.Tx) error {
		_, started = other.Start(ctx, tx, ann, run.StartOptions{})
		return started
	}
	before := h.Dump(t)
	if _, err := h.start(t, ann, run.StartOptions{Entry: chain.EntryFee}); !errors.Is(err, run.ErrRunActive) ||
		!errors.Is(started, run.ErrRunActive) {
		t.Errorf("started on two nodes: the first got %v, the second %v, want %v", err, started, run.ErrRunActive)
	}
	b.call = nil
	if after := h.Dump(t); len(after) != len(before) {
		t.Errorf("%d rows are stored, before were %d", len(after), len(before))
	}
	h.begin(t, ann, run.StartOptions{})
	h.SealAll(t)
	h.WantValid(t)
}
