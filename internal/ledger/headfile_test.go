package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// remembering opens a head file in a folder.
func remembering(t *testing.T, folder string) *ledger.HeadFile {
	t.Helper()
	f, err := ledger.OpenHeadFile(filepath.Join(folder, "head.json"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// checkpoint returns the newest checkpoint.
func (e *economy) checkpoint(t *testing.T) (text string) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		signed, err := e.SignedHead(ctx, tx)
		text = string(signed)
		return err
	})
	return text
}

// TestSealedTwiceAlike stops a sealer between the head file and the database, before the commit
// and after it. The next process rebuilds the signed block, although more was posted and time has
// passed.
func TestSealedTwiceAlike(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			folder, faults := t.TempDir(), new(ledgertest.Faults)
			o := ledgertest.Options{DB: store.Config{Faults: faults.Config()}, File: remembering(t, folder)}
			e := newEconomy(t, o)
			ann := e.join(t)
			e.SealAll(t)
			e.Faucets(t, ann, 3)
			faults.Play(m)
			_, err := e.SealBlock(t.Context())
			if (err != nil) != m.Unavailable {
				t.Fatalf("sealing: %v", err)
			}
			size, _ := o.File.Size()
			text, err := os.ReadFile(o.File.Path())
			if err != nil || size != 3 {
				t.Fatalf("%d blocks are remembered, %v", size, err)
			}
			e.Faucets(t, ann, 2)
			e.Clock.Add(5000)
			o.File = remembering(t, folder)
			e, err = e.reopen(t, o)
			if err != nil {
				t.Fatalf("the next start: %v", err)
			}
			if n, err := e.SealBlock(t.Context()); err != nil || !m.Stored && n != 3 {
				t.Fatalf("sealed %d, %v", n, err)
			}
			// The file holds no signature, but the root of the tree, in base64.
			e.View(t, func(ctx context.Context, tx *store.Tx) error {
				b, err := e.Block(ctx, tx, 2)
				if err == nil && b.Header.TxCount != 3 {
					t.Errorf("block 2 holds %d transactions", b.Header.TxCount)
				}
				return err
			})
			if !m.Stored {
				root := strings.Split(e.checkpoint(t), "\n")[2]
				if !bytes.Contains(text, []byte(root)) {
					t.Errorf("the block was made with the root %s, remembered is\n%s", root, text)
				}
			}
			e.SealAll(t)
			e.WantValid(t)
		})
	}
}

// TestEmptySealedTwiceAlike is TestSealedTwiceAlike for the empty block of a quiet chain: its inputs are its
// time alone. The next process finds nothing pending, or a transaction that was posted since.
func TestEmptySealedTwiceAlike(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		for later := range 2 {
			folder, faults := t.TempDir(), new(ledgertest.Faults)
			o := ledgertest.Options{DB: store.Config{Faults: faults.Config()}, File: remembering(t, folder)}
			e := newEconomy(t, o)
			ann := e.join(t)
			e.SealAll(t)
			e.Clock.Add(ledger.QuietInterval)
			at := e.Clock.Now().UnixMilli()
			play := sync.OnceFunc(func() { faults.Play(m) }) // once the block is stored, and not of what precedes it
			ended, stop := context.WithCancel(t.Context())
			stop()
			e.Seal(ended, func(context.Context, *store.Tx) error {
				play()
				return nil
			})
			if size, _ := o.File.Size(); size != 3 {
				t.Fatalf("%s: %d blocks are remembered", m.Name, size)
			}
			e.Clock.Add(time.Minute)
			o.File = remembering(t, folder)
			e, err := e.reopen(t, o)
			if err != nil {
				t.Fatalf("%s: the next start: %v", m.Name, err)
			}
			e.Faucets(t, ann, later)
			if n, err := e.SealBlock(t.Context()); err != nil || n != 0 && !m.Stored {
				t.Fatalf("%s: sealed %d, %v", m.Name, n, err)
			}
			e.View(t, func(ctx context.Context, tx *store.Tx) error {
				b, err := e.Block(ctx, tx, 2)
				if err == nil && (b.Header.TxCount != 0 || b.Header.Time != at) {
					t.Errorf("%s: block 2 of %d holds %d transactions, want none at %d", m.Name, b.Header.Time,
						b.Header.TxCount, at)
				}
				return err
			})
			e.SealAll(t)
			e.WantValid(t)
		}
	}
}

// TestSealerStops checks that a sealer whose database is behind the head file adds no block, logs
// that once, and continues when the database has recovered.
func TestSealerStops(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := remembering(t, t.TempDir())
	e := newEconomy(t, ledgertest.Options{File: f, Log: &log})
	ann := e.join(t)
	e.SealAll(t)
	before := e.checkpoint(t)
	f.SetStored(9)
	e.Faucets(t, ann, 1)
	for range 3 {
		n, err := e.SealBlock(t.Context())
		if rolled, ok := errors.AsType[*ledger.RollbackError](err); !ok || n != 0 || rolled.Size != 9 ||
			rolled.Has != 2 {
			t.Fatalf("sealed %d, error %v", n, err)
		}
	}
	if e.checkpoint(t) != before || e.RolledBack() == nil {
		t.Errorf("the checkpoint is %s, and the ledger says %v", e.checkpoint(t), e.RolledBack())
	}
	logged := func(want int) {
		t.Helper()
		if n := strings.Count(log.String(), "nothing is sealed"); n != want {
			t.Errorf("it is logged %d times, want %d:\n%s", n, want, log.String())
		}
	}
	logged(1)
	for want, later := range []time.Duration{time.Minute - time.Millisecond, time.Millisecond, time.Minute} {
		e.Clock.Add(later)
		if _, err := e.SealBlock(t.Context()); err == nil {
			t.Error("sealed behind the head file")
		}
		logged(want + 1)
	}
	f.SetStored(0)
	if n := e.SealAll(t); n != 1 || e.RolledBack() != nil {
		t.Errorf("sealed %d, and the ledger says %v", n, e.RolledBack())
	}
	e.WantValid(t)
}

// TestStartRefusesRollback checks that no ledger opens on a database that is behind its head file,
// or has another tree of the same size, that the refusal changes nothing, and that it opens once
// the database has the tree.
func TestStartRefusesRollback(t *testing.T) {
	t.Parallel()
	o := ledgertest.Options{File: remembering(t, t.TempDir())}
	e := newEconomy(t, o)
	e.join(t)
	e.SealAll(t)
	before := e.Dump(t)
	size, _ := o.File.Size()
	for _, stored := range []int64{size, size + 1, 9} {
		o.File.SetStored(stored) // with another root
		for range 2 {
			again, err := e.reopen(t, o)
			e = again
			rolled, ok := errors.AsType[*ledger.RollbackError](err)
			if !ok || rolled.Size != stored || rolled.Has != size {
				t.Errorf("a tree of %d is remembered, the database has %d blocks: error %v", stored, size, err)
			}
		}
	}
	// A node that shares the database tells the others of the loss, by one row; nothing else changes.
	after, told := e.Dump(t), 0
	after = slices.DeleteFunc(after, func(row string) bool {
		loss := strings.HasPrefix(row, "meta: (recovering,")
		if loss {
			told++
		}
		return loss
	})
	if shared := !e.DB.Exclusive(); (told == 1) != shared || told > 1 {
		t.Errorf("%d rows say that the database lost data; it is shared: %v", told, shared)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("a refused start has changed rows:\n%s", diff)
	}
	o.File.SetStored(0)
	if _, err := e.reopen(t, o); err != nil {
		t.Errorf("the database has the whole tree: %v", err)
	}
}

// TestHeadFileRefused checks that Open refuses a malformed head file, one of another chain and,
// where no other process seals, a missing one.
func TestHeadFileRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	o := ledgertest.Options{File: remembering(t, folder)}
	e := newEconomy(t, o)
	e.join(t)
	e.SealAll(t)
	path := o.File.Path()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range len(text) - 1 { // without the last newline nothing is missing
		if err := os.WriteFile(path, text[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.OpenHeadFile(path); err == nil {
			t.Errorf("its first %d bytes are read", at)
		}
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	other := newEconomy(t, ledgertest.Options{})
	if _, err := other.reopen(
		t, ledgertest.Options{File: remembering(t, folder), Key: other.Key},
	); !errors.Is(err, ledger.ErrOtherChain) {
		t.Errorf("the file of another chain: %v", err)
	}
	// It is created anew only where another process may have sealed, for which this node is new.
	o.File = remembering(t, t.TempDir())
	if _, err := e.reopen(t, o); errors.Is(err, ledger.ErrHeadFileLost) != e.DB.Exclusive() ||
		err != nil && !e.DB.Exclusive() {
		t.Errorf("without the file: %v", err)
	}
}

// TestUnsignableBlock checks that a block is not stored unless the head file remembers that it was
// signed, and that a ledger without a head file has nothing to resume.
func TestUnsignableBlock(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "heads")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	e := newEconomy(t, ledgertest.Options{File: remembering(t, folder)})
	e.join(t)
	e.SealAll(t)
	before := e.checkpoint(t)
	e.Faucets(t, e.join(t), 2)
	if err := os.Rename(folder, folder+" gone"); err != nil {
		t.Fatal(err)
	}
	if n, err := e.SealBlock(t.Context()); n != 0 || err == nil {
		t.Errorf("sealed %d transactions without a head file, error %v", n, err)
	}
	if e.checkpoint(t) != before {
		t.Error("a block is visible that the head file does not remember")
	}
	if err := os.Rename(folder+" gone", folder); err != nil {
		t.Fatal(err)
	}
	e.SealAll(t)
	e.WantValid(t)
	if err := newEconomy(t, ledgertest.Options{}).Resume(t.Context()); err != nil {
		t.Errorf("resumed without a head file: error %v", err)
	}
}

// TestSharedHeadFile checks that a node which shares the file keeps what another node has written since,
// and that the file forgets a signed block once any node knows it to be stored.
func TestSharedHeadFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, newer, signed, keep int64 }{
		{old: 5, newer: 5, signed: 4, keep: 0},
		{old: 5, newer: 5, signed: 5, keep: 0},
		{old: 2, newer: 5, signed: 4, keep: 0},
		{old: 2, newer: 5, signed: 5, keep: 0},
		{old: 2, newer: 5, signed: 6, keep: 6},
	} {
		folder := t.TempDir()
		if err := remembering(t, folder).Stored(c.old); err != nil {
			t.Fatal(err)
		}
		slow, fast := remembering(t, folder), remembering(t, folder)
		if err := fast.Stored(c.newer); err != nil {
			t.Fatal(err)
		}
		if err := slow.Signed(c.signed); err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]*ledger.HeadFile{"the slow node": slow, "the file": remembering(t, folder)} {
			if stored, signed := f.Sizes(); stored != c.newer || signed != c.keep {
				t.Errorf("%+v: %s has %d blocks stored, %d signed", c, name, stored, signed)
			}
		}
	}
}
