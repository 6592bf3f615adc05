package ledger

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/store"
)

// ErrBlockAhead is the refusal of a block that the next call dates anew.
var ErrBlockAhead = errBlockAhead

// Refusals to make a block of transactions with wrong times.
var ErrTxAhead, ErrTxEarly = errTxAhead, errTxEarly

// Share makes the ledger one of several nodes on its database.
func (l *Ledger) Share() { l.shared = true }

// ReportLost stores a tree that the database lacks, as another node that knows it does.
func (l *Ledger) ReportLost(ctx context.Context, size int64) error {
	return l.report(ctx, func(ctx context.Context, tx *store.Tx) (*lostTree, error) {
		h, err := loadHead(ctx, tx)
		return &lostTree{treeHead: treeHead{size, tlog.Hash{byte(size)}}, base: min(h.height+1, size-1)}, err
	})
}

// ShareLoss tells the other nodes of a *RollbackError that was found before.
func (l *Ledger) ShareLoss(ctx context.Context, err error) error { return l.share(ctx, err) }

// SetStored makes a file remember a tree that the database does not have, whose root begins with its size.
func (f *HeadFile) SetStored(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.Stored = treeHead{size, tlog.Hash{byte(size)}}
}

// Stored makes a file remember that the database has a tree, as a serving node does.
func (f *HeadFile) Stored(size int64) error { return f.stored(treeHead{Size: size}, nil, true) }

// Signed makes a file remember a signed block, of a transaction that the database may not have.
func (f *HeadFile) Signed(size int64) error {
	return f.change(func(m *memory) bool {
		m.Signed = &signedBlock{treeHead: treeHead{Size: size}, Transactions: []tlog.Hash{{7}}}
		return true
	})
}

// Sizes returns the sizes of the stored tree and of the signed one, 0 for none.
func (f *HeadFile) Sizes() (stored, signed int64) {
	m, _ := f.get()
	if m.Signed != nil {
		signed = m.Signed.Size
	}
	return m.Stored.Size, signed
}

// Remembered returns the state of an account that Recall would return.
func (l *Ledger) Remembered(a chain.Address) (state ActorState, ok bool) {
	l.actors.Update(a, func(kept ActorState, exists bool) (ActorState, bool) {
		state, ok = kept, exists
		return kept, exists
	})
	return state, ok
}

// Remember gives the ledger a head file.
func (l *Ledger) Remember(f *HeadFile) { l.file = f }

// LogSealing logs an error of sealing.
func (l *Ledger) LogSealing(ctx context.Context, err error) { l.logSealing(ctx, err) }

// SignedOf makes a file remember a signed block of some transactions with a root that no block has.
func (f *HeadFile) SignedOf(size, at int64, hashes ...chain.Hash) error {
	return f.change(func(m *memory) bool {
		m.Signed = &signedBlock{treeHead: treeHead{size, tlog.Hash{8}}, Time: at}
		for _, hash := range hashes {
			m.Signed.Transactions = append(m.Signed.Transactions, tlog.Hash(hash))
		}
		return true
	})
}

// Declared makes a file remember declared rollbacks.
func (f *HeadFile) Declared(lines ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.Rollbacks = lines
}

// Declares returns the declared rollbacks that a file remembers.
func (f *HeadFile) Declares() []string {
	m, _ := f.get()
	return m.Rollbacks
}

// Unsealed returns the number of transactions that this node counts since the last block.
func (l *Ledger) Unsealed() int64 { return l.pendingCount.n.Load() }

// Prove adds the proofs of a sealed transaction to its anchor; size is the size of the checkpoint.
func (l *Ledger) Prove(ctx context.Context, tx *store.Tx, a *Anchor, size int64) error {
	return l.anchor(ctx, tx, a, size)
}
