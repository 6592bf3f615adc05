// Package audit verifies the ledger's tables from genesis and exports the chain.
//
// An audit replays every block with the rules of package chain (chain/replay) and compares the
// result with every row of the tables that Tables lists: the chain, the pending transactions, the
// state, the indexes, the log's hashes, the periods, the checkpoint and the cosignatures. It needs
// no signing key and trusts no earlier result. It reads one snapshot, while the ledger continues.
//
// Memory does not grow with the chain: the replay spills to files, and indexes are compared by sums
// of row hashes (rowSums).
package audit

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"roshambo/chain/games"
	"roshambo/chain/replay"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Verification is the result of an audit.
type Verification struct {
	*replay.Report
	Checkpoint string        // signed note of the verified state
	Record     games.Record  // totals over all games
	Kept       int64         // kept checkpoints; of their lines only the log's is checked
	Took       time.Duration // of the pass; 0 from VerifyTables
	At         time.Time     // when the pass began; zero from VerifyTables
}

// Tables lists the tables that an audit compares. It finds a change of any value in them,
// except for: the numbers of pending transactions, of which only the order has a meaning; the time in chain_head
// behind which little is posted, which follows from nothing on the chain; further rows of meta; and the lock of a
// token, which belongs to the market.
func Tables() []string {
	return []string{
		"chain_address", "chain_block", "chain_chunk", "chain_head", "chain_index", "chain_pending",
		"chain_pending_address", "chain_period", "chain_token", "ledger_account", "ledger_game", "ledger_token",
		"log_cosignature", "log_hash", "meta",
	}
}

// Auditor audits one chain on behalf of concurrent callers. Its methods are safe for concurrent
// use.
type Auditor struct {
	db  *store.DB
	key string // verifier key of the chain
	now func() time.Time

	mu      sync.Mutex // guards running, its waiting, and last
	running *pass      // nil when no pass is under way
	last    *pass      // the last one that reached a result; nil for none
}

// New returns an Auditor of the chain that a verifier key signs. now measures how long a pass
// takes.
func New(db *store.DB, key string, now func() time.Time) *Auditor {
	return &Auditor{db: db, key: key, now: now}
}

// pass is one audit, shared by its callers.
type pass struct {
	waiting int // callers; guarded by Auditor.mu
	cancel  context.CancelFunc
	done    chan struct{} // closed when result and err are set
	result  Verification
	err     error
}

// Verify audits the tables. Concurrent callers share one pass, which is cancelled when the last
// of them has given up. The report lists the differences; an error means that the tables could
// not be read.
func (a *Auditor) Verify(ctx context.Context) (Verification, error) { return a.VerifyWithin(ctx, 0) }

// VerifyWithin is Verify, but returns the result of an earlier pass that began less than age
// ago, if there is one.
func (a *Auditor) VerifyWithin(ctx context.Context, age time.Duration) (Verification, error) {
	a.mu.Lock()
	if l := a.last; l != nil && a.now().Sub(l.result.At) < age {
		a.mu.Unlock()
		return l.result, nil
	}
	p := a.running
	if p == nil {
		// Other callers may join the pass, so it outlives the context of the first one.
		free, cancel := context.WithCancel(context.WithoutCancel(ctx))
		p = &pass{cancel: cancel, done: make(chan struct{})}
		a.running = p
		go a.run(free, p)
	}
	p.waiting++
	a.mu.Unlock()
	select {
	case <-p.done:
		return p.result, p.err
	case <-ctx.Done():
		a.leave(p)
		return Verification{}, ctx.Err()
	}
}

// leave removes a caller from a pass, and cancels the pass when it was the last one. Later
// callers then begin another pass.
func (a *Auditor) leave(p *pass) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.waiting--; p.waiting > 0 {
		return
	}
	p.cancel()
	if a.running == p {
		a.running = nil
	}
}

func (a *Auditor) run(ctx context.Context, p *pass) {
	defer close(p.done)
	defer p.cancel()
	p.result, p.err = a.verify(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == p {
		a.running = nil
	}
	if p.err == nil {
		a.last = p
	}
}

func (a *Auditor) verify(ctx context.Context) (v Verification, err error) {
	began := a.now()
	v, err = VerifyTables(store.Within(ctx, store.LongTrip), a.db, a.key, nil)
	v.Took, v.At = a.now().Sub(began), began
	return v, err
}

// VerifyTables audits the tables of a database, which other processes may use meanwhile. An
// empty key stands for the verifier key in the tables. progress, when not nil, is called after
// each block with the number of blocks and transactions so far.
func VerifyTables(
	ctx context.Context, d *store.DB, key string, progress func(blocks, transactions int64),
) (v Verification, err error) {
	err = d.Views(ctx, 2, func(ctx context.Context, txs []*store.Tx) error {
		if key == "" {
			if key, err = q.New(txs[0]).GetMeta(ctx, layout.MetaChain); err != nil {
				return fmt.Errorf("ledger: verify: the chain's key: %w", err)
			}
		}
		v, err = verifyTables(ctx, txs, key, progress)
		return err
	})
	return v, err
}

// SpillFile creates a temporary file that the operating system removes when it is closed or the
// process dies.
func SpillFile() (io.ReadWriteCloser, error) {
	f, err := os.CreateTemp("", "roshambo-verify-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}
