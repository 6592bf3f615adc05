package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"roshambo/chain/export"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// wantPage checks that both pages from a block on are of the blocks before end.
func (e *economy) wantPage(t *testing.T, first, end int64, wantFull bool) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		p, err := layout.ReadPage(tx, first, end-first)
		if err != nil {
			return err
		}
		var blocks, games []byte
		for _, b := range p.Blocks {
			games = export.AppendTranscripts(games, b.Transcripts)
			b.Transcripts = nil
			blocks = export.AppendBlock(blocks, b)
		}
		lines, full, err := e.LogPage(ctx, tx, first)
		if err != nil || full != wantFull || !bytes.Equal(lines, blocks) {
			t.Errorf("from block %d on: %d bytes, full %v, error %v, want the %d bytes of the blocks before %d, full %v",
				first, len(lines), full, err, len(blocks), end, wantFull)
		}
		lines, full, err = e.LogGames(ctx, tx, first)
		if err != nil || full != wantFull || !bytes.Equal(lines, games) {
			t.Errorf("from block %d on: %d bytes of games, full %v, error %v, want the %d bytes before block %d, full %v",
				first, len(lines), full, err, len(games), end, wantFull)
		}
		return nil
	})
}

// TestLogPages checks the pages of the log: whole blocks from the asked one on, the transcripts on pages of
// their own, and that a page ends with the block that reaches 2,000 transactions or 4 MiB of transcripts,
// however many blocks follow.
func TestLogPages(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	scene := e.Everything(t)
	e.SealAll(t)
	add := func(blocks int) {
		for range blocks {
			e.Faucets(t, scene.Ann, 1)
			e.SealAll(t)
		}
	}
	add(18) // more than two reads of blocks, and one more
	for _, first := range []int64{0, 1, 2, 3, 4, 11, 18, 19} {
		e.wantPage(t, first, 20, false)
	}
	for _, first := range []int64{-1, 20, math.MaxInt64} {
		err := e.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, _, err := e.LogPage(ctx, tx, first)
			return err
		})
		if !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("from block %d on: error %v", first, err)
		}
	}
	// Large blocks, which a page does not verify.
	change := func(query string, args ...any) {
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, storetest.SQL(query), args...)
			return err
		})
	}
	long := []byte(strings.Repeat("x", 2<<20))
	change("UPDATE chain_chunk SET transcripts = $1 WHERE height = 12", layout.JoinChunk([][]byte{long, long}))
	short := make([][]byte, 1998)
	for i := range short {
		short[i] = []byte("x")
	}
	change("UPDATE chain_chunk SET body = $1 WHERE height = 19", layout.JoinChunk(short))
	change("UPDATE chain_block SET tx_count = 1998 WHERE height = 19")
	e.wantPage(t, 1, 13, true)
	e.wantPage(t, 12, 13, true)
	e.wantPage(t, 13, 20, false)
	e.wantPage(t, 18, 20, false)
	e.wantPage(t, 17, 20, false) // 2,000 transactions: the page ends, and no block follows
	add(1)
	e.wantPage(t, 17, 20, true)
	e.wantPage(t, 18, 21, false)
}

// TestWitnessed checks that the most cosigned checkpoint is returned, of several the newest, with exactly
// its lines.
func TestWitnessed(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	kept := map[string]ledger.Cosignature{}
	block := func(names ...string) string {
		e.Faucets(t, ann, 1)
		e.SealAll(t)
		for _, name := range names {
			kept[name] = e.Cosignature(t, name)
			e.Keep(t, kept[name])
		}
		return e.checkpoint(t)
	}
	want := func(checkpoint string, names ...string) {
		t.Helper()
		for _, name := range names {
			checkpoint += kept[name].Lines
		}
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			got, err := e.Witnessed(ctx, tx)
			if err != nil || string(got) != checkpoint {
				t.Errorf("got %s, error %v, want\n%s", got, err, checkpoint)
			}
			return nil
		})
	}
	first := block("one", "two")
	want(first, "one", "two")
	block("three")
	want(first, "one", "two")
	last := block("two") // one cosignature on each of three
	block()
	want(last, "two")
}
