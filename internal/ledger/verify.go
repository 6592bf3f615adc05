package ledger

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"roshambo/chain/replay"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Verification is the outcome of re-deriving everything from genesis.
type Verification struct {
	*replay.Report
	Checkpoint string // signed note of the state that was verified
	Took       time.Duration
}

// Verified names the tables that Verify looks at: a change of any value in them is found,
// but for the numbers of pending transactions, whose order alone means something, what
// else is in meta, and the mark of a token that is locked, which is the market's.
func Verified() []string {
	return []string{
		"chain_address", "chain_block", "chain_chunk", "chain_head", "chain_index", "chain_pending", "chain_pending_address",
		"chain_period", "chain_token", "ledger_account", "ledger_game", "ledger_token", "log_cosignature", "log_hash", "meta",
	}
}

// verifier lets calls at the same time share one pass.
type verifier struct {
	mu      sync.Mutex
	running *pass // nil when none is
}

// pass is one verification, and those who wait for it.
type pass struct {
	waiting int // guarded by verifier.mu
	cancel  context.CancelFunc
	done    chan struct{}
	result  Verification
	err     error
}

// Verify re-derives every block hash, Merkle root, transaction hash, balance,
// nonce, commitment and owner from genesis, and compares them with the tables in
// use, and so it does with everything that stands beside the chain to find things in
// it. It trusts no earlier answer; callers at the same time share one pass. What is
// wrong stands in the report; an error means that the tables could not be read.
func (l *Ledger) Verify(ctx context.Context) (Verification, error) {
	v := &l.verifier
	v.mu.Lock()
	p := v.running
	if p == nil {
		// Others may wait for the pass, so it outlives who began it.
		free, cancel := context.WithCancel(context.WithoutCancel(ctx))
		p = &pass{cancel: cancel, done: make(chan struct{})}
		v.running = p
		go l.runPass(free, p)
	}
	p.waiting++
	v.mu.Unlock()
	select {
	case <-p.done:
		return p.result, p.err
	case <-ctx.Done():
		v.leave(p)
		return Verification{}, ctx.Err()
	}
}

// leave gives a pass up that nobody waits for any more. Who comes later begins
// another one.
func (v *verifier) leave(p *pass) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.waiting--; p.waiting > 0 {
		return
	}
	p.cancel()
	if v.running == p {
		v.running = nil
	}
}

func (l *Ledger) runPass(ctx context.Context, p *pass) {
	defer close(p.done)
	defer p.cancel()
	p.result, p.err = l.verify(ctx)
	v := &l.verifier
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.running == p {
		v.running = nil
	}
}

func (l *Ledger) verify(ctx context.Context) (v Verification, err error) {
	began := l.now()
	err = l.db.Views(ctx, 2, func(ctx context.Context, txs []*store.Tx) error {
		v, err = verifyTables(ctx, txs, l.key, nil)
		return err
	})
	v.Took = l.now().Sub(began)
	return v, err
}

// VerifyTables is Verify of a database that no ledger has open, or that of another
// process: it needs no signing key. Without a key it takes the one that the database
// says its chain has. progress, when not nil, is told now and then how far it is.
func VerifyTables(ctx context.Context, d *store.DB, key string, progress func(blocks, transactions int64)) (v Verification, err error) {
	err = d.Views(ctx, 2, func(ctx context.Context, txs []*store.Tx) error {
		if key == "" {
			if key, err = q.New(txs[0]).GetMeta(ctx, metaChain); err != nil {
				return fmt.Errorf("ledger: verify: the chain's key: %w", err)
			}
		}
		v, err = verifyTables(ctx, txs, key, progress)
		return err
	})
	return v, err
}

// SpillFile makes a file that is gone as soon as it is closed, whatever happens.
func SpillFile() (io.ReadWriteCloser, error) {
	f, err := os.CreateTemp("", "roshambo-verify-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}
