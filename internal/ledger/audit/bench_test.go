package audit_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"syscall"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/verify"
)

// grow adds players to the chain until it has at least so many transactions: each opens an
// account, plays four runs and claims the last. It returns the raw transactions.
func (e *economy) grow(t testing.TB, transactions int) (raws [][]byte) {
	t.Helper()
	for n := 0; n < transactions; {
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			n = len(raws)
			for range 100 {
				if err := e.life(ctx, tx); err != nil {
					return err
				}
				n += 9
			}
			return nil
		})
		raws = append(raws, e.sealRaws(t)...)
		n = len(raws)
	}
	return raws
}

func (e *economy) life(ctx context.Context, tx *store.Tx) error {
	p := e.NewPlayer()
	if _, err := e.Post(ctx, tx, ledgertest.Create(p)); err != nil {
		return err
	}
	for i := range 4 {
		h := e.NewHash()
		run := fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
		next := e.NewHash()
		if _, err := e.Post(
			ctx, tx, ledgertest.Start(p, run, []chain.Entry{chain.EntryFree, chain.EntryFee}[i%2], next),
		); err != nil {
			return err
		}
		p.Next = next
		end := ledgertest.Lose(p, run, 2)
		if i == 3 {
			id, err := e.NewTokenID(ctx, tx)
			if err != nil {
				return err
			}
			end = ledgertest.Claim(p, run, ledger.OwnedToken{ID: id, Tier: 2})
		}
		if _, err := e.Post(ctx, tx, end); err != nil {
			return err
		}
	}
	return nil
}

// sealRaws seals the pending transactions and returns the raws.
func (e *economy) sealRaws(t testing.TB) (raws [][]byte) {
	t.Helper()
	e.SealAll(t)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		blocks, err := e.Blocks(ctx, tx, ledger.Newest, 1)
		if err != nil {
			return err
		}
		txs, err := e.Txs(ctx, tx, blocks[0])
		for _, r := range txs {
			raws = append(raws, r.Raw)
		}
		return err
	})
	return raws
}

// BenchmarkVerify audits a chain of 200,000 transactions, and hashes the same raw transactions
// with SHA-256 on one core. The ratio is the cost of an audit: in wall time on an idle machine
// with two cores, in processor time otherwise.
func BenchmarkVerify(b *testing.B) {
	e := newEconomy(b, ledgertest.Options{})
	raws := e.grow(b, 200_000)
	hashing, hashingCPU := measure(b, func() {
		for _, raw := range raws {
			sha256.Sum256(raw)
		}
	})
	txs := float64(len(raws))
	raws = nil
	var wall, cpu float64
	for b.Loop() {
		w, c := measure(b, func() {
			if v, err := e.Verify(b.Context()); err != nil || !v.Valid() {
				b.Fatal(err, v.Problems)
			}
		})
		wall, cpu = wall+w, cpu+c
	}
	n := float64(b.N)
	b.ReportMetric(hashing/(wall/n), "of-SHA-256")
	b.ReportMetric(cpu/n/txs, "cpu-ns/tx")
	b.ReportMetric(hashingCPU/txs, "SHA-256-cpu-ns/tx")
}

// BenchmarkVerifyExport verifies an export of 40,000 transactions with all games, and hashes the same
// lines, transcripts included, with SHA-256 on one core. It reports the same metrics as
// BenchmarkVerify.
func BenchmarkVerifyExport(b *testing.B) {
	e := newEconomy(b, ledgertest.Options{})
	e.grow(b, 40_000)
	var text bytes.Buffer
	if err := audit.Export(b.Context(), e.DB, &text, audit.ExportOptions{}); err != nil {
		b.Fatal(err)
	}
	lines := bytes.Split(text.Bytes(), []byte("\n"))
	hash := func() {
		for _, line := range lines {
			sha256.Sum256(line)
		}
	}
	hash() // once before, so that no page is touched for the first time
	hashing, hashingCPU := measure(b, hash)
	var wall, cpu float64
	for b.Loop() {
		w, c := measure(b, func() {
			if v, err := verify.Export(bytes.NewReader(text.Bytes()), verify.ChainOptions{}); err != nil || !v.Valid {
				b.Fatal(err, v.Problems)
			}
		})
		wall, cpu = wall+w, cpu+c
	}
	n := float64(b.N)
	b.ReportMetric(hashing/(wall/n), "of-SHA-256")
	b.ReportMetric(hashingCPU/(cpu/n), "of-SHA-256-cpu")
	b.ReportMetric(float64(text.Len())/hashing*1000, "SHA-256-MB/s")
	b.ReportMetric(float64(text.Len())/(wall/n)*1000, "MB/s")
}

// measure returns how many nanoseconds fn takes, by the clock and of processors.
func measure(t testing.TB, fn func()) (wall, cpu float64) {
	t.Helper()
	used := func() int64 {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			t.Fatal(err)
		}
		return r.Utime.Nano() + r.Stime.Nano()
	}
	before, began := used(), time.Now()
	fn()
	return float64(time.Since(began).Nanoseconds()), float64(used() - before)
}
