package ledger_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestSealsMoreThanABlock checks that a sealer which ends makes as many blocks as the pending transactions
// need, the first of them full.
func TestSealsMoreThanABlock(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	e.Faucets(t, ann, ledger.MaxBlock+1)
	ended, stop := context.WithCancel(t.Context())
	stop()
	e.Seal(ended, nil)
	if h := e.Newest(t); h.Block.Header.Height != 3 || h.Block.Header.TxCount != 1 || h.Pending != 0 {
		t.Errorf("block %d of %d, %d pending, want block 3 of 1", h.Block.Header.Height, h.Block.Header.TxCount, h.Pending)
	}
}

// TestSealsAtOnce checks that a sealer begins with what other nodes have left pending, of which no one wakes it.
func TestSealsAtOnce(t *testing.T) {
	t.Parallel()
	place := storetest.At(storetest.NewSQLite(t), store.Config{})
	synctest.Test(t, func(t *testing.T) {
		e := newEconomy(t, ledgertest.Options{DB: place})
		ann := e.join(t)
		other, err := e.node(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		for turn := range 2 { // the second without the wake-up of the start and of the first transaction
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); e.Seal(ctx, nil) }()
			synctest.Wait()
			if h := e.Newest(t); h.Pending != 0 {
				t.Errorf("turn %d: %d pending", turn, h.Pending)
			}
			<-time.After(3 * ledger.BlockInterval / 2)
			stop()
			<-ended
			e.Update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := other.Post(ctx, tx, ledgertest.Faucet(ann))
				return err
			})
		}
	})
}

// TestSealedMeanwhile checks that a sealer makes no block of what another one has sealed since it first looked,
// and that it does not take the other one for a rival then.
func TestSealedMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{}) // views run twice
	e.join(t)
	var log bytes.Buffer
	armed := false
	slow, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: *e.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier,
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Now: func() time.Time { // called while a block is built
			if armed {
				armed = false
				e.SealAll(t)
			}
			return e.Clock.Now()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	armed = true
	if n, err := slow.SealBlock(t.Context()); n != 0 || err != nil || armed || log.Len() > 0 {
		t.Errorf("sealed %d, error %v, logged %q", n, err, &log)
	}
	if h := e.Newest(t); h.Block.Header.Height != 1 || h.Pending != 0 {
		t.Errorf("block %d, %d pending", h.Block.Header.Height, h.Pending)
	}
}

// TestRecordedMeanwhile checks that a sealer which learns between building a block and signing it that another
// node was first neither records its block as signed nor stores it, and that its head file stays readable.
func TestRecordedMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: storetest.ViewsOnce()}})
	ann := e.join(t)
	e.SealAll(t)
	folder := t.TempDir()
	f := remembering(t, folder)
	if err := f.Adopt(t.Context(), e.DB); err != nil {
		t.Fatal(err)
	}
	armed, guarded := false, false
	var slow *ledger.Ledger
	var err error
	slow, err = ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: *e.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier, File: f,
		Logger: slog.New(slog.DiscardHandler),
		Now: func() time.Time { // called while a block is built
			if armed {
				armed = false
				e.SealAll(t)
				if err := slow.UpdateHeadFile(t.Context()); err != nil {
					t.Error(err)
				}
			}
			return e.Clock.Now()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slow.Share()
	e.Faucets(t, ann, 1)
	armed = true
	ended, stop := context.WithCancel(t.Context())
	stop()
	slow.Seal(ended, func(context.Context, *store.Tx) error { guarded = true; return nil })
	if armed || guarded {
		t.Errorf("armed %v, guarded %v: want no attempt to store the block", armed, guarded)
	}
	for name, f := range map[string]*ledger.HeadFile{"memory": f, "the file": remembering(t, folder)} {
		if stored, signed := f.Sizes(); stored != 3 || signed != 0 {
			t.Errorf("%s: %d blocks stored, %d signed, want 3 and none", name, stored, signed)
		}
	}
	e.WantValid(t)
}

// naming is a signer whose name is asked for while a head is signed again.
type naming struct {
	note.Signer
	asked func()
}

// Name implements note.Signer.
func (s naming) Name() string {
	s.asked()
	return s.Signer.Name()
}

// TestSignedMeanwhile checks that a start does not sign again a head that another process has signed again, and
// built on, since the start first looked.
func TestSignedMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{}) // views run twice
	ann := e.join(t)
	e.SealAll(t)
	f := remembering(t, t.TempDir())
	if err := f.Adopt(t.Context(), e.DB); err != nil {
		t.Fatal(err)
	}
	f.SetStored(9)
	if _, err := ledger.AcceptRollback(t.Context(), e.DB, f, ledger.Acceptance{Size: 9, Strict: true}); err != nil {
		t.Fatal(err)
	}
	e.Faucets(t, ann, 1)
	calls := 0
	_, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: *e.Rules(), VerifierKey: e.Key.Verifier, Now: e.Clock.Now, Logger: slog.New(slog.DiscardHandler),
		Signer: naming{e.Key.Signer, func() {
			if calls++; calls == 2 { // the first call compares it with the verifier
				if _, err := e.node(t, nil); err != nil { // signs the head again
					t.Error(err)
				}
				e.SealAll(t)
			}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if h := e.Newest(t); calls < 3 || h.Block.Header.Height != 2 {
		t.Errorf("block %d, the name was asked for %d times", h.Block.Header.Height, calls)
	}
	e.WantValid(t)
}

// TestNoTransactionIsSealed checks that no block is made of a text that is no transaction, although its hash
// is right.
func TestNoTransactionIsSealed(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	e.join(t)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		raw := []byte("no transaction")
		hash := chain.HashTx(raw)
		_, err := tx.ExecContext(ctx, "UPDATE chain_pending SET raw = $1, hash = $2", raw, hash[:])
		return err
	})
	n, err := e.SealBlock(t.Context())
	if n != 0 || err == nil || !strings.Contains(err.Error(), "pending transaction") {
		t.Errorf("sealed %d, error %v", n, err)
	}
	if h := e.Newest(t); h.Block.Header.Height != 0 || h.Pending != 1 {
		t.Errorf("block %d, %d pending", h.Block.Header.Height, h.Pending)
	}
}
