package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// wantSealed checks that the chain holds exactly these transactions after its first ones, in
// order.
func (e *economy) wantSealed(t testing.TB, first int, want []chain.Hash) {
	t.Helper()
	var got []chain.Hash
	for i, r := range e.sealed(t) {
		if r.Pos != int64(i) || !r.Sealed {
			t.Errorf("transaction %d is at position %d, sealed %v", i, r.Pos, r.Sealed)
		}
		got = append(got, r.Hash)
	}
	if !slices.Equal(got[min(first, len(got)):], want) {
		t.Errorf(
			"%d transactions are sealed after the first %d, want %d, or not in this order",
			len(got)-first,
			first,
			len(want),
		)
	}
}

// TestBlocksAreFull checks that pending transactions are sealed in their order, at most 1000 to a
// block.
func TestBlocksAreFull(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	want := e.Faucets(t, ann, 2*ledger.MaxBlock+63)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		read := 0
		err := e.Each(ctx, tx, func(*chain.Tx, []byte) { read++ })
		if read != 2+len(want) {
			t.Errorf("%d transactions are read, want %d", read, 2+len(want))
		}
		return err
	})
	for i, n := range []int{ledger.MaxBlock, ledger.MaxBlock, 63, 0, 0} {
		if h := e.Newest(t); h.Pending != int64(len(want)-min(i*ledger.MaxBlock, len(want))) {
			t.Errorf("before block %d %d are pending", i, h.Pending)
		}
		got, err := e.SealBlock(t.Context())
		if err != nil || got != n {
			t.Errorf("block %d: sealed %d, error %v, want %d", i, got, err, n)
		}
	}
	e.wantSealed(t, 2, want)
	h := e.Newest(t)
	if h.Block.Header.Height != 4 || h.Transactions != int64(2+len(want)) || h.Block.Header.TxCount != 63 {
		t.Errorf("head %+v", h)
	}
	e.WantValid(t)
}

// TestBlockTime checks that a block has the time of its sealing, but never an earlier one than the
// block before, even if the clock goes back.
func TestBlockTime(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	began := e.Clock.Now()
	for _, tt := range []struct{ move, want time.Duration }{
		{0, 0}, {time.Second, time.Second}, {-20 * time.Second, time.Second},
		{20*time.Second + time.Millisecond, time.Second + time.Millisecond},
	} {
		e.Faucets(t, ann, 1)
		e.Clock.Add(tt.move)
		e.SealAll(t)
		if got := time.UnixMilli(e.Newest(t).Block.Header.Time).Sub(began); got != tt.want {
			t.Errorf("clock moved by %v: block at %v, want %v", tt.move, got, tt.want)
		}
	}
	e.WantValid(t)
}

// TestAnotherSealerFirst checks that a sealer discards its block, and logs that, if another one
// stores a block first.
func TestAnotherSealerFirst(t *testing.T) {
	t.Parallel()
	e := newEconomy(
		t, ledgertest.Options{DB: store.Config{Faults: storetest.ViewsOnce()}},
	) // the test counts the calls of Now
	want := e.Faucets(t, e.join(t), 3)
	var log bytes.Buffer
	first := true
	slow, err := ledger.Open(t.Context(), ledger.Config{
		DB:          e.DB,
		Rules:       *e.Rules(),
		Signer:      e.Key.Signer,
		VerifierKey: e.Key.Verifier,
		Logger:      slog.New(slog.NewTextHandler(&log, nil)),
		Now: func() time.Time { // called while a block is built
			if first {
				first = false
				e.SealAll(t)
			}
			return e.Clock.Now()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := slow.SealBlock(t.Context()); n != 0 || err != nil || first {
		t.Errorf("the second sealer sealed %d, error %v", n, err)
	}
	if !strings.Contains(log.String(), "another sealer was first") {
		t.Errorf("the second sealer logged %q", &log)
	}
	e.wantSealed(t, 2, want)
	e.WantValid(t)
}

// TestPendingVanishes checks that no block is stored whose transactions are no longer all pending while
// the head is still the one it was built on.
func TestPendingVanishes(t *testing.T) {
	t.Parallel()
	e := newEconomy(
		t, ledgertest.Options{DB: store.Config{Faults: storetest.ViewsOnce()}},
	) // the test counts the calls of Now
	hash := e.Faucets(t, e.join(t), 3)[1]
	first := true
	slow, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: *e.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier,
		Logger: slog.New(slog.DiscardHandler),
		Now: func() time.Time { // called while a block is built
			if first {
				first = false
				e.Update(t, func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.ExecContext(ctx, "DELETE FROM chain_pending WHERE hash = $1", hash[:])
					return err
				})
			}
			return e.Clock.Now()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := slow.SealBlock(t.Context()); n != 0 || !errors.Is(err, ledger.ErrConflict) || first {
		t.Errorf("sealed %d, error %v", n, err)
	}
	if h := e.Newest(t); h.Block.Header.Height != 0 || h.Pending != 3 {
		t.Errorf("block %d, %d pending, want 3 of 4 pending", h.Block.Header.Height, h.Pending)
	}
}

// TestGuard checks that a block is stored only if the guard of its sealer agrees, and that the guard's
// error is not retried when another process seals.
func TestGuard(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // of the loop alone
	e := newEconomy(t, ledgertest.Options{Log: &log})
	e.join(t)
	ended, stop := context.WithCancel(t.Context())
	stop() // the loop seals once and ends
	asked := 0
	for _, refusal := range []error{ledger.ErrNotSealer, errStatement} {
		e.Seal(ended, func(context.Context, *store.Tx) error {
			asked++
			return refusal
		})
	}
	if h := e.Newest(t); asked != 2 || h.Block.Header.Height != 0 || h.Pending != 1 {
		t.Errorf("asked %d times: block %d, %d pending", asked, h.Block.Header.Height, h.Pending)
	}
	for _, line := range []string{"block discarded", errStatement.Error()} {
		if strings.Count(log.String(), line) != 1 {
			t.Errorf("%q is not logged once: %s", line, &log)
		}
	}
	e.Seal(ended, func(context.Context, *store.Tx) error { return nil })
	if h := e.Newest(t); h.Pending != 0 {
		t.Errorf("%d pending after the guard agreed", h.Pending)
	}
}

// TestSealersAtOnce checks that concurrent sealers, while transactions are posted, lose none and
// seal none twice.
func TestSealersAtOnce(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	players := []player{e.join(t), e.join(t), e.join(t)}
	ctx, stop := context.WithCancel(t.Context())
	var sealers, posters sync.WaitGroup
	for range 3 {
		sealers.Go(func() {
			for ctx.Err() == nil {
				if _, err := e.SealBlock(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for _, p := range players {
		posters.Go(func() {
			for range 40 {
				e.Faucets(t, p, 3)
			}
		})
	}
	posters.Wait()
	stop()
	sealers.Wait()
	e.SealAll(t)
	seen := map[chain.Hash]bool{}
	for _, r := range e.sealed(t) {
		seen[r.Hash] = true
	}
	if h := e.Newest(t); len(seen) != 1+3+3*40*3 || h.Transactions != int64(len(seen)) || h.Pending != 0 {
		t.Errorf("%d different transactions in %d positions, %d pending", len(seen), h.Transactions, h.Pending)
	}
	e.WantValid(t)
}

// TestSealUnderMishaps checks that no commit fault of a block loses a pending transaction or seals
// it twice, and that the log continues from the signed head.
func TestSealUnderMishaps(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			faults := new(ledgertest.Faults)
			e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
			ann := e.join(t)
			e.SealAll(t)
			want := e.Faucets(t, ann, 70)
			faults.Play(m)
			n, err := e.SealBlock(t.Context())
			if errors.Is(err, store.ErrUnavailable) != m.Unavailable || err != nil && !m.Unavailable {
				t.Errorf("sealed %d, error %v, unavailable is %v", n, err, m.Unavailable)
			}
			if h := e.Newest(t); (h.Block.Header.Height == 2) != m.Stored || (h.Pending == 0) != m.Stored {
				t.Errorf("height %d, %d pending, stored is %v", h.Block.Header.Height, h.Pending, m.Stored)
			}
			want = append(want, e.Faucets(t, ann, 3)...)
			e.SealAll(t)
			e.wantSealed(t, 2, want)
			e.WantValid(t)
		})
	}
}

// TestSealLoop checks that the loop seals transactions that were pending at its start and later
// ones, retries after a failure without a wake-up, and seals the rest when it ends.
func TestSealLoop(t *testing.T) {
	t.Parallel()
	faults := new(ledgertest.Faults)
	var log bytes.Buffer // of the loop alone
	e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}, Log: &log})
	ann := e.join(t)
	want := e.Faucets(t, ann, 5)
	faults.Play(ledgertest.Mishap{Commits: []store.Fault{store.NotStored, store.NotStored}})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.Seal(ctx, nil)
	}()
	for e.Newest(t).Pending > 0 { // the first block fails, the retry succeeds
		if t.Context().Err() != nil {
			t.Fatal("the pending transactions are never sealed")
		}
	}
	want = append(want, e.Faucets(t, ann, 4)...)
	stop()
	<-ended
	e.wantSealed(t, 2, want)
	e.WantValid(t)
	if !strings.Contains(log.String(), "cannot seal a block") {
		t.Errorf("the failure was not logged: %q", log.String())
	}
}

// TestSealLoopIsNotWoken checks that a transaction is sealed whose commit succeeded and was
// reported as unknown, so that no wake-up came, even if no other transaction follows.
func TestSealLoopIsNotWoken(t *testing.T) {
	t.Parallel()
	faults := new(ledgertest.Faults)
	e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
	ann := e.join(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.Seal(ctx, nil)
	}()
	for e.Newest(t).Pending > 0 {
		if t.Context().Err() != nil {
			t.Fatal("what is pending is never sealed")
		}
	}
	faults.Play(ledgertest.Mishap{Commits: []store.Fault{store.Stored}})
	err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := e.Post(ctx, tx, ledgertest.Faucet(ann))
		return err
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("error %v", err)
	}
	timeout := time.After(2 * time.Minute) // for a busy machine; it takes some block intervals
	for h := e.Newest(t); h.Pending > 0 || h.Transactions != 3; h = e.Newest(t) {
		select {
		case <-timeout:
			t.Fatalf("%d transactions wait, %d are sealed", h.Pending, h.Transactions)
		case <-time.After(10 * time.Millisecond):
		}
	}
	stop()
	<-ended
	e.WantValid(t)
}

// TestDamageIsNotSealed checks that the sealer includes no transaction that was never posted,
// builds on no head that is not the last block, and signs no log that does not extend the signed
// one. Once the damage is mended it seals the pending transactions.
func TestDamageIsNotSealed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ damage, mend string }{ // mend is "" for damage that cannot be mended
		{
			"UPDATE chain_pending SET raw = cast(replace(cast(raw AS TEXT), '200', '201') AS BLOB)",
			"UPDATE chain_pending SET raw = cast(replace(cast(raw AS TEXT), '201', '200') AS BLOB)",
		},
		{"UPDATE chain_pending SET hash = zeroblob(32)", ""},
		{"UPDATE chain_pending SET hash = x''", ""},
		{
			"UPDATE chain_head SET hash = x'00'",
			"UPDATE chain_head SET hash = (SELECT hash FROM chain_block WHERE height = 5)",
		},
		{
			"UPDATE chain_head SET hash = zeroblob(32)",
			"UPDATE chain_head SET hash = (SELECT hash FROM chain_block WHERE height = 5)",
		},
		{"UPDATE chain_head SET height = 4", "UPDATE chain_head SET height = 5"},
		{"UPDATE chain_head SET time = time + 1", "UPDATE chain_head SET time = time - 1"},
		{"UPDATE chain_head SET next_pos = next_pos - 1", "UPDATE chain_head SET next_pos = next_pos + 1"},
		{
			"UPDATE chain_head SET note = replace(note, 'roshambo-test', 'another')",
			"UPDATE chain_head SET note = replace(note, 'another', 'roshambo-test')",
		},
		{
			"UPDATE chain_block SET hash = x'00' WHERE height = 5",
			"UPDATE chain_block SET hash = (SELECT hash FROM chain_head) WHERE height = 5",
		},
		{"UPDATE log_hash SET hash = zeroblob(32) WHERE idx = 6", ""},
		{"UPDATE log_hash SET hash = zeroblob(32) WHERE idx = 8", ""},
		{"UPDATE log_hash SET hash = x'' WHERE idx = 9", ""},
		{"DELETE FROM log_hash WHERE idx = 9", ""},
	} {
		t.Run(tt.damage, func(t *testing.T) {
			t.Parallel()
			e := newEconomy(t, ledgertest.Options{})
			ann := e.join(t)
			for range 5 {
				e.SealAll(t)
				e.Faucets(t, ann, 1)
			}
			e.Clock.Add(time.Second)
			change := func(text string) {
				e.Update(t, func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.ExecContext(ctx, storetest.SQL(text))
					return err
				})
			}
			change(tt.damage)
			before := e.Dump(t)
			if n, err := e.SealBlock(t.Context()); n != 0 || err == nil {
				t.Errorf("sealed %d, error %v", n, err)
			}
			if !slices.Equal(before, e.Dump(t)) {
				t.Error("something has changed")
			}
			if tt.mend != "" {
				change(tt.mend)
				if n := e.SealAll(t); n != 1 {
					t.Errorf("once mended: sealed %d", n)
				}
				e.WantValid(t)
			}
		})
	}
}
