package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestSealPace checks that the sealer makes one block per interval while transactions arrive all the time,
// one more at once when a block is full, and while nothing is pending an empty one every five minutes alone.
func TestSealPace(t *testing.T) {
	t.Parallel()
	place := storetest.At(storetest.NewSQLite(t), store.Config{})
	synctest.Test(t, func(t *testing.T) {
		e := newEconomy(t, ledgertest.Options{DB: place})
		ann := e.join(t)
		e.SealAll(t)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); e.Seal(ctx, nil) }()
		first := e.Newest(t).Block.Header.Height
		want := func(what string, blocks, pending int64) {
			t.Helper()
			h := e.Newest(t)
			if got := h.Block.Header.Height - first; got != blocks || h.Pending != pending {
				t.Errorf("%s: %d blocks, %d pending, want %d and %d", what, got, h.Pending, blocks, pending)
			}
		}
		pass := func(d time.Duration) { <-time.After(d); synctest.Wait() }
		pass(10*ledger.BlockInterval + ledger.BlockInterval/2)
		want("idle", 0, 0)
		e.Faucets(t, ann, 1)
		synctest.Wait()
		before := e.Newest(t).Block.Header.Height - first
		for range 30 {
			pass(ledger.BlockInterval / 10)
			e.Faucets(t, ann, 1)
		}
		pass(ledger.BlockInterval)
		want("three intervals of transactions", before+4, 0)
		e.Faucets(t, ann, 1)
		pass(ledger.BlockInterval)
		last := e.Newest(t).Block.Header.Height - first
		pass(ledger.BlockInterval / 4)
		e.Faucets(t, ann, ledger.MaxBlock-1)
		synctest.Wait()
		want("not full", last, ledger.MaxBlock-1)
		e.Faucets(t, ann, 1)
		synctest.Wait()
		want("full", last+1, 0)
		e.Clock.Add(ledger.QuietInterval - time.Millisecond)
		pass(2 * ledger.BlockInterval)
		want("almost quiet", last+1, 0)
		for quiet := range int64(2) {
			e.Clock.Add(ledger.QuietInterval)
			pass(2 * ledger.BlockInterval)
			want("quiet", last+2+quiet, 0)
		}
		if n := e.Newest(t).Block.Header.TxCount; n != 0 {
			t.Errorf("the block of a quiet chain has %d transactions", n)
		}
		stop()
		<-ended
		e.WantValid(t)
	})
}

// TestServesNoOtherTree checks that a node refuses to serve the checkpoint of a database that does not have
// the tree which the node has served before, and remembers the larger one only otherwise.
func TestServesNoOtherTree(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	file := remembering(t, folder)
	node, err := ledger.Open(t.Context(), ledger.Config{DB: e.DB, Rules: ledgertest.Rules(), Signer: e.Key.Signer,
		VerifierKey: e.Key.Verifier, Now: e.Clock.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	node.Share()
	node.Remember(file)
	serve := func() error {
		return e.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := node.SignedHead(ctx, tx)
			return err
		})
	}
	if err := serve(); err != nil {
		t.Fatal(err)
	}
	e.Faucets(t, ann, 1)
	e.SealAll(t)
	file.SetStored(1) // with a root that the database never had
	if _, ok := errors.AsType[*ledger.RollbackError](serve()); !ok {
		t.Errorf("served: error %v", err)
	}
	if size, _ := file.Size(); size != 1 {
		t.Errorf("a tree of %d is remembered, want the one before", size)
	}
	file.SetStored(0)
	if err := serve(); err != nil {
		t.Error(err)
	}
	if size, _ := remembering(t, filepath.Dir(file.Path())).Size(); size != 3 {
		t.Errorf("a tree of %d is remembered, want 3", size)
	}
}

// TestDamagedTime checks that a damaged time of the head does not reach the transactions that are posted
// afterwards.
func TestDamagedTime(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	e.Faucets(t, ann, 1)
	add := func(change string) {
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE chain_head SET time = time "+change)
			return err
		})
	}
	const year = "31536000000"
	add("+ " + year)
	if n, err := e.SealBlock(t.Context()); n != 0 || err == nil {
		t.Errorf("sealed %d on a damaged head, error %v", n, err)
	}
	add("- " + year)
	e.Clock.Add(time.Second)
	now := e.Clock.Now()
	e.Faucets(t, ann, 1)
	e.SealAll(t)
	list := e.sealed(t)
	if at := time.UnixMilli(list[len(list)-1].Parsed.Time); !at.Equal(now.Truncate(time.Millisecond)) {
		t.Errorf("a transaction of %v is dated %v", now, at)
	}
	e.WantValid(t)
}

// TestFailuresAreLogged checks that failed sealing is logged once a minute, that a rollback, which is logged
// elsewhere, is not, and nothing is while the process ends.
func TestFailuresAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := newEconomy(t, ledgertest.Options{Log: &log})
	fault := errors.New("the disk is full")
	ended, stop := context.WithCancel(t.Context())
	stop()
	e.LogSealing(ended, fault)
	e.LogSealing(t.Context(), &ledger.RollbackError{})
	for n, c := range []struct {
		later time.Duration
		want  int
	}{{0, 1}, {0, 1}, {time.Minute - time.Millisecond, 1}, {time.Millisecond, 2}, {time.Second, 2}, {time.Hour, 3}} {
		e.Clock.Add(c.later)
		e.LogSealing(t.Context(), fault)
		if got := strings.Count(log.String(), "cannot seal a block"); got != c.want {
			t.Errorf("failure %d: logged %d times, want %d", n, got, c.want)
		}
	}
}
