package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestClockOff checks that a node whose clock is off posts nothing, and dates the blocks that it seals
// by their transactions: dated by its clock, an hour ahead, they would make those of all other nodes
// invalid.
func TestClockOff(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	posted := e.post(t, ann, 1)
	at := e.Clock.Now()

	fault := errors.New("off")
	off, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: *e.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier,
		Now:        func() time.Time { return e.Clock.Now().Add(time.Hour) },
		CheckClock: func() error { return fault },
	})
	if err != nil {
		t.Fatal(err)
	}
	err = e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := off.Post(ctx, tx, ledgertest.Faucet(ann))
		return err
	})
	if !errors.Is(err, fault) {
		t.Errorf("a node whose clock is off posts: %v", err)
	}
	if n, err := off.SealBlock(t.Context()); n != len(posted) || err != nil {
		t.Errorf("sealed %d, %v", n, err)
	}
	if got := time.UnixMilli(e.head(t).Block.Header.Time); !got.Equal(at.Truncate(time.Millisecond)) {
		t.Errorf("the block is of %v, its transaction of %v", got, at)
	}
	e.post(t, ann, 1) // by a node whose clock is right
	e.SealAll(t)
	e.WantValid(t)
}
