package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"time"
)

// headResponse has the members of GET /api/chain/head that the bench reads.
type headResponse struct {
	Head struct {
		Height       int64 `json:"height"`
		Transactions int64 `json:"transactions"`
		Pending      int64 `json:"pending"`
	} `json:"head"`
}

// head returns the head of the chain.
func (b *bench) head(ctx context.Context, w *worker) (headResponse, error) {
	var out headResponse
	err := w.call(ctx, request{to: b.server, method: "GET", path: "/api/chain/head"}, &out)
	return out, err
}

// untilSealed waits until no transaction is pending.
func (b *bench) untilSealed(ctx context.Context) error {
	w := newWorker()
	defer w.client.CloseIdleConnections()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		h, err := b.head(ctx, w)
		if err != nil || h.Head.Pending == 0 {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// verifyResponse is the response to GET /api/chain/verify.
type verifyResponse struct {
	Valid        bool  `json:"valid"`
	Transactions int64 `json:"transactions"`
	TookMS       int64 `json:"took_ms"`
}

// verification measures GET /api/chain/verify against SHA-256 alone over the same
// transactions, and reports the best of three.
func (b *bench) verification(ctx context.Context) error {
	if err := b.grow(ctx); err != nil {
		return err
	}
	alone, size, err := b.hashAlone(ctx)
	if err != nil {
		return err
	}
	w := newWorker()
	defer w.client.CloseIdleConnections()
	var best verifyResponse
	for range 3 {
		var out verifyResponse
		if err := w.call(ctx, request{to: b.server, method: "GET", path: "/api/chain/verify"}, &out); err != nil {
			return err
		}
		if !out.Valid {
			return fmt.Errorf("the chain does not verify: %+v", out)
		}
		if best.TookMS == 0 || out.TookMS < best.TookMS {
			best = out
		}
	}
	rate := float64(best.Transactions) / (float64(best.TookMS) / 1000)
	b.report.row("SHA-256 alone on one core", "%.0f transactions/s of %d bytes", alone, size)
	b.report.row(fmt.Sprintf("verification of %d transactions", best.Transactions), "%.0f/s, %.2f of SHA-256 alone; %d ms",
		rate, rate/alone, best.TookMS)
	_, peak, err := b.server.memory()
	b.report.row("server's peak resident memory with verification", "%.0f MB", float64(peak)/1e6)
	return err
}

// grow creates guests until the chain has Transactions transactions.
func (b *bench) grow(ctx context.Context) error {
	w := newWorker()
	defer w.client.CloseIdleConnections()
	h, err := b.head(ctx, w)
	if err != nil {
		return err
	}
	if missing := int64(b.Transactions) - h.Head.Transactions; missing > 0 {
		if _, err := b.each(int(missing), func(w *worker, _ int) error {
			_, err := w.guest(ctx, b.server)
			return err
		}); err != nil {
			return err
		}
	}
	return b.untilSealed(ctx)
}

// hashAlone downloads every transaction of the chain and hashes it on one core, the minimum
// of work that a verification must do. It returns transactions per second and their mean
// size in bytes.
func (b *bench) hashAlone(ctx context.Context) (rate float64, size int64, err error) {
	w := newWorker()
	defer w.client.CloseIdleConnections()
	h, err := b.head(ctx, w)
	if err != nil {
		return 0, 0, err
	}
	var elapsed time.Duration
	var n, bytes int64
	for height := range h.Head.Height + 1 {
		var out struct {
			Block struct {
				Transactions []struct {
					Raw string `json:"raw"`
				} `json:"transactions"`
			} `json:"block"`
		}
		if err := w.call(ctx, request{to: b.server, method: "GET", path: fmt.Sprintf("/api/chain/blocks/%d", height)},
			&out); err != nil {
			return 0, 0, err
		}
		raws := make([][]byte, len(out.Block.Transactions))
		for i, tx := range out.Block.Transactions {
			raws[i] = []byte(tx.Raw)
			bytes += int64(len(tx.Raw))
		}
		began := time.Now()
		for _, raw := range raws {
			runtime.KeepAlive(sha256.Sum256(raw)) // prevents the compiler from removing the call
		}
		elapsed += time.Since(began)
		n += int64(len(raws))
	}
	return float64(n) / elapsed.Seconds(), bytes / n, nil
}
