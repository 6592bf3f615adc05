//go:build nightly

package ledger_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// loadAll loads the chain of one ledger into another, with the same blocks.
func loadAll(t *testing.T, from, to *ledgertest.Ledger) error {
	t.Helper()
	loader, err := to.NewLoader(t.Context())
	if err != nil {
		return err
	}
	var page layout.Page
	from.View(t, func(ctx context.Context, tx *store.Tx) error {
		head, err := from.Head(ctx, tx)
		if err != nil {
			return err
		}
		page, err = layout.ReadPage(tx, 1, head.Block.Header.Height)
		return err
	})
	for _, b := range page.Blocks {
		header, err := chain.ParseHeader(b.Header)
		if err != nil {
			t.Fatal(err)
		}
		transcripts := b.Transcripts
		for _, raw := range b.Txs {
			tx, err := chain.ParseTx(raw)
			if err != nil {
				t.Fatal(err)
			}
			d := ledger.Draft{Actor: tx.Actor, Data: tx.Data, Transfers: tx.Transfers}
			if _, pins := chain.PinnedBy(tx.Data); pins {
				d.Transcript, transcripts = transcripts[0], transcripts[1:]
			}
			got, err := loader.Post(d, tx.Time)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(string(raw), string(got)); diff != "" {
				t.Fatalf("loaded another transaction (-posted +loaded)\n%s", diff)
			}
		}
		if err := loader.Seal(t.Context(), header.Time); err != nil {
			return err
		}
	}
	return loader.Finish(t.Context())
}

// posted returns a chain of every kind of transaction, in several blocks.
func posted(t *testing.T) *ledgertest.Ledger {
	t.Helper()
	l := ledgertest.Open(t, ledgertest.Options{})
	scene := l.Everything(t)
	l.SealAll(t)
	l.Clock.Add(26 * time.Hour)
	l.MustPost(t, ledgertest.Faucet(scene.Ann))
	l.SealAll(t)
	return l
}

// empty returns a ledger with the genesis of another one.
func empty(t *testing.T, of *ledgertest.Ledger, c store.Config) *ledgertest.Ledger {
	t.Helper()
	return ledgertest.Open(t, ledgertest.Options{Key: of.Key, DB: c})
}

// TestLoader checks that a chain which is loaded has the same rows as one that was posted and sealed,
// and continues like it.
func TestLoader(t *testing.T) {
	t.Parallel()
	l := posted(t)
	loaded := empty(t, l, store.Config{})
	if err := loadAll(t, l, loaded); err != nil {
		t.Fatal(err)
	}
	loaded.WantValid(t)
	rows := func(l *ledgertest.Ledger) []string {
		// The hint at a time after the newest block, which PostgreSQL keeps, says nothing once the block is later.
		l.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE chain_head SET posted = 0 WHERE posted <= time")
			return err
		})
		return slices.DeleteFunc(l.Dump(t), func(row string) bool { return strings.HasPrefix(row, "goose") })
	}
	if diff := cmp.Diff(rows(l), rows(loaded)); diff != "" {
		t.Errorf("the rows differ (-posted +loaded)\n%s", diff)
	}
	loaded.Clock.Set(l.Clock.Now().Add(time.Hour))
	for range 10 { // the test's players have the same addresses on both
		loaded.NewPlayer()
	}
	loaded.Join(t)
	loaded.SealAll(t)
	loaded.WantValid(t)
}

// TestLoaderRefuses checks that a Loader refuses what the rules refuse, and a chain that has begun.
func TestLoaderRefuses(t *testing.T) {
	t.Parallel()
	l := posted(t)
	if _, err := l.NewLoader(t.Context()); err == nil {
		t.Error("a chain that has begun: no error")
	}
	fresh := empty(t, l, store.Config{})
	ann, bob := fresh.NewPlayer(), fresh.NewPlayer()
	token := ledger.OwnedToken{ID: 7, Tier: 1}
	for name, d := range map[string]ledger.Draft{
		"an account that does not exist": ledgertest.Faucet(ann),
		"a token that does not exist":    ledgertest.Sale(bob, ann, token.ID),
		"a run that has not begun":       ledgertest.Claim(ann, "a run", token),
		"a duel without stakes":          ledgertest.Settle(ann, bob, "a duel", 10),
		"an end without a transcript": {Actor: ann.Address,
			Data: &chain.RunEnd{RunID: "a run", Status: chain.RunAbandoned}},
	} {
		loader, err := fresh.NewLoader(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d.Data.Kind() != chain.KindFaucet {
			for _, p := range []ledgertest.Player{ann, bob} {
				if _, err := loader.Post(ledgertest.Create(p), fresh.Clock.Now().UnixMilli()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := loader.Post(d, fresh.Clock.Now().UnixMilli()); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := loader.Finish(t.Context()); d.Data.Kind() != chain.KindFaucet && err == nil {
			t.Errorf("%s: finished with transactions outside any block", name)
		}
	}
	fresh = empty(t, l, store.Config{})
	loader, err := fresh.NewLoader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := loader.Post(ledgertest.Create(ann), fresh.Clock.Now().UnixMilli()); err != nil {
		t.Fatal(err)
	}
	if err := loader.Finish(t.Context()); err == nil {
		t.Error("finished with one transaction outside any block")
	}
}

// TestLoaderChecks checks that a Loader makes each check of Post, that it fills no block with more than Post
// would, and that commitments are of the last recovery.
func TestLoaderChecks(t *testing.T) {
	t.Parallel()
	l := ledgertest.Open(t, ledgertest.Options{})
	ann, bob := l.NewPlayer(), l.NewPlayer()
	ms, next := l.Clock.Now().UnixMilli(), l.NewHash()
	open := []ledger.Draft{{Data: &chain.Recovery{Number: 1}}, ledgertest.Create(ann), ledgertest.Create(bob),
		ledgertest.Faucet(bob), ledgertest.Start(ann, "a run", chain.EntryFree, next)}
	duel := ledgertest.Settle(ann, bob, "for honour", 0)
	duel.Transcript = []byte(chain.EmptyTranscript)
	duel.Data.(*chain.DuelSettle).TranscriptHash = chain.HashTranscript(duel.Transcript)
	full := make([]ledger.Draft, ledger.MaxBlock-len(open)+1)
	for i := range full {
		full[i] = ledgertest.Faucet(bob)
	}
	for name, c := range map[string]struct {
		drafts []ledger.Draft // the last one is refused
		text   string
	}{
		"an end without a transcript": {[]ledger.Draft{ledgertest.Lose(ann, "a run", 0)}, "the transcript is not the one"},
		"a faucet of too much": {[]ledger.Draft{
			with(ledgertest.Faucet(bob), chain.Transfer{Amount: 201, To: bob.Address})}, "not those of its kind"},
		"a duel twice":          {[]ledger.Draft{duel, duel}, "settled before"},
		"more than a block has": {full, "the block is full"},
	} {
		loader, err := l.NewLoader(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(open, c.drafts)
		for i, d := range all {
			raw, err := loader.Post(d, ms)
			if i < len(all)-1 && err != nil {
				t.Fatalf("%s: draft %d: %v", name, i, err)
			}
			if i == len(all)-1 && (err == nil || raw != nil || !strings.Contains(err.Error(), c.text)) {
				t.Errorf("%s: %q, error %v, want one that says %q", name, raw, err, c.text)
			}
		}
		if a, b := loader.Account(ann.Address).Recovery, loader.Account(bob.Address).Recovery; a != 1 || b != 1 {
			t.Errorf("%s: accounts of the recoveries %d and %d, want 1", name, a, b)
		}
	}
}

// TestLoaderStores checks that a Loader stores its blocks once they have reached a size, each once, and
// returns the error if it cannot.
func TestLoaderStores(t *testing.T) {
	t.Parallel()
	var fails atomic.Bool
	l := ledgertest.Open(t, ledgertest.Options{DB: store.Config{Faults: &store.Faults{Statement: func(string) error {
		if fails.Load() {
			return errStatement
		}
		return nil
	}}}})
	ann := l.NewPlayer()
	loader, err := l.NewLoader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ms := l.Clock.Now().UnixMilli()
	for n, c := range []struct {
		draft  ledger.Draft
		room   int // bytes until the blocks are stored
		stored int // blocks afterwards
	}{
		{ledgertest.Create(ann), 1 << 20, 1}, {ledgertest.Faucet(ann), 1, 3},
		{ledgertest.Faucet(ann), 1 << 20, 3}, {ledgertest.Faucet(ann), 1, 5},
	} {
		if _, err := loader.Post(c.draft, ms); err != nil {
			t.Fatal(err)
		}
		loader.Room(c.room)
		if err := loader.Seal(t.Context(), ms); err != nil {
			t.Fatal(err)
		}
		l.View(t, func(ctx context.Context, tx *store.Tx) error {
			var stored int
			err := tx.QueryRowContext(ctx, "SELECT count(*) FROM chain_block").Scan(&stored)
			if stored != c.stored {
				t.Errorf("after block %d: %d are stored, want %d", n+1, stored, c.stored)
			}
			return err
		})
	}
	if err := loader.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.WantValid(t)
	loader.Room(0)
	fails.Store(true)
	if err := loader.Seal(t.Context(), ms); !errors.Is(err, errStatement) {
		t.Errorf("a block that cannot be stored: error %v", err)
	}
	fails.Store(false)
}

// TestLoaderFails loads a chain with each statement failing once: an error is returned.
func TestLoaderFails(t *testing.T) {
	t.Parallel()
	l := posted(t)
	for n := int64(1); ; n++ {
		var left atomic.Int64
		fresh := empty(t, l, store.Config{Faults: &store.Faults{Statement: func(string) error {
			if left.Add(-1) == 0 {
				return errStatement
			}
			return nil
		}}})
		left.Store(n)
		err := loadAll(t, l, fresh)
		if left.Load() > 0 {
			if err != nil || n < 10 {
				t.Errorf("error %v after %d statements", err, n)
			}
			return
		}
		if !errors.Is(err, errStatement) {
			t.Errorf("the error of statement %d is dropped: %v", n, err)
		}
	}
}

// TestLoaderSigns checks that a chain whose head cannot be signed is not finished.
func TestLoaderSigns(t *testing.T) {
	t.Parallel()
	key := ledgertest.NewKey(t, "roshambo-test")
	signer := &failingSigner{Signer: key.Signer}
	e := newEconomy(t, ledgertest.Options{Key: ledgertest.Key{Signer: signer, Verifier: key.Verifier}})
	loader, err := e.NewLoader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	signer.fails.Store(true)
	if err := loader.Finish(t.Context()); !errors.Is(err, errStatement) {
		t.Errorf("loaded with error %v, want that of the signer", err)
	}
}
