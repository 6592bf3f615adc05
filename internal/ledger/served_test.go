package ledger_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestServedIsRemembered checks that a node which does not seal remembers the tree of every checkpoint
// that it serves, before it serves it, and that serving it again costs one statement.
func TestServedIsRemembered(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(ctx context.Context, tx *store.Tx, l *ledger.Ledger, hash chain.Hash) error{
		"signed head": func(ctx context.Context, tx *store.Tx, l *ledger.Ledger, _ chain.Hash) error {
			_, err := l.SignedHead(ctx, tx)
			return err
		},
		"checkpoint": func(ctx context.Context, tx *store.Tx, l *ledger.Ledger, _ chain.Hash) error {
			_, err := l.Checkpoint(ctx, tx)
			return err
		},
		"anchors": func(ctx context.Context, tx *store.Tx, l *ledger.Ledger, hash chain.Hash) error {
			_, _, err := l.Anchors(ctx, tx, hash)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var each storetest.Statements
			sealing := t.TempDir()
			e := newEconomy(t, ledgertest.Options{File: remembering(t, sealing), DB: store.Config{Faults: each.Faults()}})
			ann := e.join(t)
			e.SealAll(t)
			file := copied(t, sealing)
			serving := filepath.Dir(file.Path())
			node, err := ledger.Open(t.Context(), ledger.Config{DB: e.DB, Rules: ledgertest.Rules(), Signer: e.Key.Signer,
				VerifierKey: e.Key.Verifier, File: file, Now: e.Clock.Now,
				Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			node.Share()
			hash := e.Faucets(t, ann, 1)[0]
			e.SealAll(t)
			e.View(t, func(ctx context.Context, tx *store.Tx) error { return serve(ctx, tx, node, hash) })
			if size, _ := remembering(t, serving).Size(); size != 3 {
				t.Errorf("%d blocks are remembered, want 3", size)
			}
			e.View(t, func(ctx context.Context, tx *store.Tx) error {
				each.Fail(2)
				_, err := node.SignedHead(ctx, tx)
				if query := each.Failed(); query != "" {
					t.Errorf("serving it again reads more: %s", query)
				}
				return err
			})
			// What cannot be remembered is not served: the folder is gone.
			if err := os.RemoveAll(serving); err != nil {
				t.Fatal(err)
			}
			hash = e.Faucets(t, ann, 1)[0]
			e.SealAll(t)
			e.View(t, func(ctx context.Context, tx *store.Tx) error {
				if err := serve(ctx, tx, node, hash); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("not remembered, and served with error %v", err)
				}
				return nil
			})
		})
	}
}

// TestEachStatementOfGenesis opens new chains with each statement failing once: the error is returned, and
// the next start completes the chain.
func TestEachStatementOfGenesis(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	var d *store.DB
	key, clock := ledgertest.NewKey(t, "roshambo-test"), ledgertest.NewClock()
	each.Run(t, []storetest.Case{{Name: "open a new chain", Before: func() {
		d = storetest.Open(t, storetest.At(storetest.New(t), store.Config{Faults: each.Faults()}))
	}, Steps: func(c storetest.In) (any, error) {
		return ledger.Open(c, ledger.Config{DB: d, Rules: ledgertest.Rules(), Signer: key.Signer,
			VerifierKey: key.Verifier, Now: clock.Now, Logger: slog.New(slog.DiscardHandler)})
	}}})
}

// TestResume checks that a start completes a block that was signed and not stored, and makes no other;
// where other processes seal, it leaves that to the next sealer.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		if m.Stored {
			continue
		}
		faults := new(ledgertest.Faults)
		e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}, File: remembering(t, t.TempDir())})
		ann := e.join(t)
		e.SealAll(t)
		e.Faucets(t, ann, 2)
		for _, want := range []int64{1, 2} { // without a signed block, and with one
			if err := e.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !e.DB.Exclusive() {
				want = 1
			}
			if got := e.Newest(t).Block.Header.Height; got != want {
				t.Errorf("%s: the newest block is %d, want %d", m.Name, got, want)
			}
			if want == 1 {
				faults.Play(m)
				_, _ = e.SealBlock(t.Context())
			}
		}
	}
}

// TestFind checks that transactions and blocks are found by digits of their hashes, sealed ones first,
// at most as many as asked for, and that digits behind those of the index count.
func TestFind(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	sealed := e.Faucets(t, ann, 3)
	e.SealAll(t)
	waiting := e.Faucets(t, ann, 2)
	find := func(digits string, count int64) (list []chain.Hash) {
		t.Helper()
		e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
			list, err = e.FindTxs(ctx, tx, digits, count)
			return err
		})
		return list
	}
	for _, hash := range append(slices.Clone(sealed), waiting...) {
		text := hash.String()
		for _, digits := range []string{text[:6], text[:17], text} {
			if got := find(digits, 10); !slices.Equal(got, []chain.Hash{hash}) {
				t.Errorf("%s: got %v", digits, got)
			}
		}
		if got := find(text[:16]+other(text[16:17])+text[17:], 10); len(got) != 0 {
			t.Errorf("another hash than %v: got %v", hash, got)
		}
	}
	// Pending ones that begin like the first sealed one.
	alike := sealed[0]
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		for n := range byte(3) {
			alike[31] = n
			_, err := tx.ExecContext(ctx, "INSERT INTO chain_pending (hash, raw) VALUES ($1, $1)", alike[:])
			if err != nil {
				return err
			}
		}
		return nil
	})
	for count, want := range map[int64]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 4} {
		got := find(sealed[0].String()[:20], count)
		if len(got) != want || got[0] != sealed[0] {
			t.Errorf("at most %d: got %v, want %d", count, got, want)
		}
	}
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		b, err := e.Block(ctx, tx, 1)
		if err != nil {
			return err
		}
		text := b.Hash.String()
		for digits, want := range map[string]int{
			text[:5]: 0, text[:6]: 1, text: 1, other(text[:1]) + text[1:]: 0, text + "0": 0,
		} {
			if list, err := e.FindBlocks(ctx, tx, digits, 10); err != nil || len(list) != want {
				t.Errorf("blocks %s: got %v, error %v", digits, list, err)
			}
		}
		return nil
	})
}

// other returns other hex digits.
func other(digits string) string {
	return strings.Map(func(r rune) rune {
		if r == 'a' {
			return 'b'
		}
		return 'a'
	}, digits)
}
