package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// ErrRecovering reports that nothing is stored: the database is behind the signed log, and players have
// seen seeds that it does not hold (CheckWritable), or a recovery has replaced the account's commitment in
// no block yet, and a run that started now could use one that was chosen with its client seed known.
var ErrRecovering = errors.New("ledger: recovering from a loss of data")

// DefaultReason is the published reason of a recovery for which no operator gave one.
const DefaultReason = "The service continued from an older state of its database."

// MaxReason is the longest reason, in bytes.
const MaxReason = 500

// Recover declares a recovery with a public reason; "" is DefaultReason. It names the newest tree that the
// log's rollbacks have given up, that no earlier recovery has named and that has as many blocks as come before
// the recovery. The caller then posts, in the same tx
// and before anything else, the ends of all runs in play and the void settlements of all staked duels in
// play, rotates the outstanding commitments, and calls Recovered. All of it is one commit: a crash before
// it leaves nothing of the recovery, one after it everything.
func (l *Ledger) Recover(ctx context.Context, tx *store.Tx, reason string) error {
	tx.Long() // it posts for every account
	// No block is sealed meanwhile: the transactions could be too early behind it.
	if _, err := q.New(tx.LockRows("chain_head")).GetHead(ctx); err != nil {
		return err
	}
	if err := l.Reload(ctx, tx); err != nil { // an attempt that was rolled back has left its own
		return err
	}
	if reason == "" {
		reason = DefaultReason
	}
	lost, err := newlyLost(ctx, tx)
	if err != nil {
		return fmt.Errorf("ledger: recover: %w", err)
	}
	d := &chain.Recovery{Lost: lost, ReasonHash: chain.HashText(reason), Number: l.Recovery() + 1}
	hash, err := l.postChain(ctx, tx, d)
	if err != nil {
		return err
	}
	return q.New(tx).InsertRecovery(ctx, q.InsertRecoveryParams{
		Number: d.Number, Tx: hash[:], Reason: reason, LostSize: lost.Size, LostRoot: lost.Root[:]})
}

// Recovered notes that all consequences of the last recovery are posted in tx.
func (l *Ledger) Recovered(ctx context.Context, tx *store.Tx) error {
	return q.New(tx).CompleteRecovery(ctx, l.Recovery())
}

// newlyLost returns the largest tree among the declared rollbacks that no recovery has named; the zero value when
// none is as large as the tree of the blocks before a recovery which is posted in tx.
func newlyLost(ctx context.Context, tx *store.Tx) (lost chain.LostTree, err error) {
	// A block that another node stores at the same time would be one more: see rewriteHead.
	h, err := rewriteHead(ctx, tx)
	if err != nil {
		return lost, err
	}
	waiting, err := q.New(tx).CountPending(ctx)
	if err != nil {
		return lost, err
	}
	least := h.height + 1 + waiting/MaxBlock
	lines, err := layout.LoadRollbacks(ctx, tx)
	if err != nil {
		return lost, err
	}
	earlier, err := q.New(tx).ListRecoveries(ctx)
	if err != nil {
		return lost, err
	}
	named := map[chain.LostTree]bool{}
	for _, r := range earlier {
		one := chain.LostTree{Size: r.LostSize}
		copy(one.Root[:], r.LostRoot)
		named[one] = true
	}
	for _, line := range lines {
		r, err := layout.ParseRollback(line)
		if err != nil {
			return lost, err
		}
		one := chain.LostTree{Root: chain.Hash(r.Root), Size: r.Size}
		if one.Size >= max(least, lost.Size+1) && !named[one] {
			lost = one
		}
	}
	return lost, nil
}

// CheckRotated returns ErrRecovering while the rotation of the actor's commitment is in no block. After
// the blocks of a recovery it costs nothing.
func (l *Ledger) CheckRotated(ctx context.Context, tx *store.Tx, actor ActorState) error {
	number := l.Recovery()
	if number == 0 || l.rotated.Load() == number {
		return nil
	}
	waiting, err := q.New(tx).CountRotating(ctx, number)
	if err != nil {
		return fmt.Errorf("ledger: rotations: %w", err)
	}
	if waiting == 0 {
		tx.AfterCommit(func() { l.rotated.Store(number) })
		return nil
	}
	r, err := l.Tx(ctx, tx, actor.CommitmentTx)
	if err != nil {
		return err
	}
	if _, rotates := r.Parsed.Data.(*chain.Rotate); rotates && !r.Sealed {
		return ErrRecovering
	}
	return nil
}

// RecoveryReason returns the published reason of a recovery. Errors: ErrNotFound.
func (l *Ledger) RecoveryReason(ctx context.Context, tx *store.Tx, number int64) (string, error) {
	reasons, err := l.RecoveryReasons(ctx, tx)
	reason, ok := reasons[number]
	if err == nil && !ok {
		err = ErrNotFound
	}
	return reason, err
}

// RecoveryReasons returns the published reasons of all recoveries by number.
func (l *Ledger) RecoveryReasons(ctx context.Context, tx *store.Tx) (map[int64]string, error) {
	rows, err := q.New(tx).ListRecoveries(ctx)
	if err != nil {
		return nil, fmt.Errorf("ledger: recoveries: %w", err)
	}
	reasons := map[int64]string{}
	for _, r := range rows {
		reasons[r.Number] = r.Reason
	}
	return reasons, nil
}

// CrossedRecovery returns the hash of the first recovery between two transactions, which exist; nil for
// none. Nothing is played between the first one and the end of a game that it ends, so the first one has lost what
// the chain lacks of the game.
func (l *Ledger) CrossedRecovery(ctx context.Context, tx *store.Tx, start, end chain.Hash) (*chain.Hash, error) {
	if l.Recovery() == 0 {
		return nil, nil
	}
	rows, err := q.New(tx).ListRecoveries(ctx)
	if err != nil {
		return nil, fmt.Errorf("ledger: recoveries: %w", err)
	}
	var ends [2]Record
	for i, hash := range []chain.Hash{start, end} {
		if ends[i], err = l.Tx(ctx, tx, hash); err != nil {
			return nil, err
		}
	}
	var crossed *chain.Hash
	for _, row := range rows { // the last one first
		r, err := l.Tx(ctx, tx, chain.Hash(row.Tx))
		if err != nil {
			return nil, err
		}
		if !ends[0].precedes(&r) {
			break
		}
		if r.precedes(&ends[1]) {
			crossed = &r.Hash
		}
	}
	return crossed, nil
}

// RecoverySince returns the hash of the first recovery from a time on, before the transaction end, which exists, or nil
// for any; nil for none. It is the one that a duel without a stake has crossed since it began: what the duel lacks was
// lost by it, unless another one follows later.
func (l *Ledger) RecoverySince(
	ctx context.Context, tx *store.Tx, since time.Time, end *chain.Hash,
) (*chain.Hash, error) {
	if l.Recovery() == 0 {
		return nil, nil
	}
	rows, err := q.New(tx).ListRecoveries(ctx)
	if err != nil {
		return nil, fmt.Errorf("ledger: recoveries: %w", err)
	}
	var last *Record
	if end != nil {
		r, err := l.Tx(ctx, tx, *end)
		if err != nil {
			return nil, err
		}
		last = &r
	}
	var crossed *chain.Hash
	for _, row := range rows { // the last one first
		r, err := l.Tx(ctx, tx, chain.Hash(row.Tx))
		if err != nil {
			return nil, err
		}
		if r.Parsed.Time < since.UnixMilli() {
			break
		}
		if last == nil || r.precedes(last) {
			crossed = &r.Hash
		}
	}
	return crossed, nil
}

// precedes reports whether r is before o in the chain. Of two pending transactions the times decide: a
// recovery and its consequences are posted in one transaction.
func (r *Record) precedes(o *Record) bool {
	if r.Sealed && o.Sealed {
		return r.Pos < o.Pos
	}
	return r.Sealed || !o.Sealed && r.Parsed.Time <= o.Parsed.Time
}

// Kept returns the raw of the header of the block before the one of a sealed record.
func (l *Ledger) Kept(ctx context.Context, tx *store.Tx, r *Record) ([]byte, error) {
	b, err := l.Block(ctx, tx, r.Height-1)
	return b.Raw, err
}
