package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

const (
	// MaxBlock is the most transactions of a block.
	MaxBlock = 1000
	// BlockInterval is the least time between blocks that are not full.
	BlockInterval = time.Second
	// QuietInterval is the time after which a sealer makes an empty block, so that a longer gap between two
	// blocks is an outage that every reader sees.
	QuietInterval = 5 * time.Minute
)

// pendingCount estimates the number of transactions posted since the last block. The sealer uses
// it only to find out when a block would be full; it reads the pending transactions from the
// tables.
type pendingCount struct{ n atomic.Int64 }

func (w *pendingCount) add(n int64) { w.n.Add(n) }

// Wake wakes the sealer, because transactions may be pending.
func (l *Ledger) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Guard is called in the transaction that stores a block. An error rolls the block back,
// ErrNotSealer because another process seals; nil stands for no guard. If another process starts
// sealing right after the guard has run, both swap the same head, and one block succeeds.
type Guard func(ctx context.Context, tx *store.Tx) error

// ErrNotSealer reports that another process seals now.
var ErrNotSealer = errors.New("ledger: another process seals")

// Seal runs the sealer until ctx ends: it makes a block whenever transactions are pending, at most
// one per BlockInterval unless MaxBlock transactions are pending, and an empty one after QuietInterval without
// any. At the end it seals the transactions pending by then, and returns. It also returns, so that another
// node can take the lease, while this node's clock and the database's are more than store.ClockApart from each
// other: either is wrong, and the time of a block cannot be taken back.
func (l *Ledger) Seal(ctx context.Context, guard Guard) {
	// Transactions that other processes posted, and transactions of a commit whose result is
	// unknown (store.ErrUnavailable), come without a wake-up: poll for them.
	poll := time.NewTicker(BlockInterval)
	defer poll.Stop()
	l.Wake() // for transactions that the last sealer left pending
	for {
		select {
		case <-ctx.Done():
			l.sealAll(context.WithoutCancel(ctx), guard)
			return
		case <-l.wake:
		case <-poll.C:
		}
		if l.sealAll(ctx, guard) {
			return
		}
		l.pause(ctx)
	}
}

// pause waits until the next block is due: the interval is over, or the block is full.
func (l *Ledger) pause(ctx context.Context) {
	timer := time.NewTimer(BlockInterval)
	defer timer.Stop()
	for woken := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			if woken {
				l.Wake() // the token was taken below
			}
			return
		case <-l.wake:
			woken = true
			if l.pendingCount.n.Load() >= MaxBlock {
				l.Wake()
				return
			}
		}
	}
}

// sealFailureEvery is the least time between two log lines about failed sealing: the sealer
// retries every second, and a full disk may last for hours.
const sealFailureEvery = time.Minute

// logSealing logs an error of sealing, unless it logged one within sealFailureEvery.
func (l *Ledger) logSealing(ctx context.Context, err error) {
	if _, logged := errors.AsType[*RollbackError](err); ctx.Err() != nil || logged {
		return
	}
	now := l.now().UnixMilli()
	if last := l.sealFailureLogged.Load(); last != 0 && time.Duration(now-last)*time.Millisecond < sealFailureEvery {
		return
	}
	l.sealFailureLogged.Store(now)
	l.log.Error("cannot seal a block", "error", err)
}

// sealAll makes blocks until fewer than MaxBlock transactions are pending, and reports whether another
// node should seal, because this one's clock and the database's are apart.
func (l *Ledger) sealAll(ctx context.Context, guard Guard) (apart bool) {
	for {
		l.pendingCount.n.Store(0)
		if err := l.BeginRules(ctx); err != nil {
			l.logSealing(ctx, fmt.Errorf("begin the announced rules: %w", err)) // the next pass tries again
		}
		n, err := l.sealBlock(ctx, guard, QuietInterval)
		if errors.Is(err, ErrNotSealer) {
			l.log.Info("another process seals: block discarded", "reason", err)
			return false // Seal is called again when this process holds the lease again
		}
		if err != nil {
			l.logSealing(ctx, err)
			l.Wake() // the transactions are still pending: retry after the pause
			return errors.Is(err, ErrClocksApart)
		}
		if n < MaxBlock {
			return false
		}
	}
}

// pending is a row of chain_pending.
type pending struct {
	seq  int64 // defines the order
	hash chain.Hash
	raw  []byte
	tx   chain.Tx // of raw
	// transcript is the transcript of the game that the transaction ends; nil if it ends none
	transcript []byte
}

// head is the row of chain_head.
type head struct {
	height  int64 // -1 before genesis
	hash    chain.Hash
	time    int64
	nextPos int64  // number of sealed transactions
	note    string // signed checkpoint
	// posted is about the time of the newest transaction, if that is later than the block: see Ledger.raise.
	posted int64
}

var (
	// ErrClocksApart reports that no block is made, because the time is uncertain.
	ErrClocksApart = errors.New("ledger: this node's clock differs from the database's: synchronize both (NTP)")
	// errBlockAhead reports that a block was dated ahead of the database's clock.
	errBlockAhead = errors.New("ledger: a block is dated ahead of the database's clock")
	// errBlockBack reports that a block was dated back of cosignatures that were kept since it was built.
	errBlockBack = errors.New("ledger: a block is dated back of the kept cosignatures")
)

// errHeadMoved reports that another sealer added a block first.
var errHeadMoved = errors.New("ledger: another sealer added a block")

// SealBlock makes one block of pending transactions and returns their number; 0 when none are
// pending. It prepares the block before the writing transaction, so that use cases do not wait for
// it.
func (l *Ledger) SealBlock(ctx context.Context) (int, error) {
	return l.sealBlock(ctx, nil, time.Duration(math.MaxInt64))
}

// sealBlock is SealBlock under a guard; it makes an empty block when the newest one is older than quiet.
func (l *Ledger) sealBlock(ctx context.Context, guard Guard, quiet time.Duration) (int, error) {
	if off := l.db.ClockOffset(); l.shared && off.Abs() > store.ClockApart {
		return 0, fmt.Errorf("%w: it is %v ahead", ErrClocksApart, off.Round(time.Second))
	}
	defer l.sealing.Store(0) // the block is in the head file or the tables, or given up
	b, err := l.nextBlock(ctx, quiet, 0)
	if errors.Is(err, errUnsettled) {
		l.noteRollback(nil)
		var settled int64
		if settled, err = l.settle(ctx); err == nil {
			b, err = l.nextBlock(ctx, quiet, settled)
		}
	}
	l.noteRollback(err)
	if err != nil || b == nil {
		return 0, err
	}
	err = l.storeBlock(ctx, b, guard)
	if errors.Is(err, errHeadMoved) {
		// Expected once, when a lease moves to another node. Repeated lines mean two sealers.
		l.log.Info("another sealer was first", "height", b.header.Height)
		l.Wake() // for transactions that the other sealer left pending
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	l.noteNewest(b.header.Time)
	for _, p := range b.txs { // their actors ask for them first
		l.heights.Put(p.hash, b.header.Height)
	}
	if l.file != nil {
		// The block is stored even if this fails: the next read of the head records it again.
		if err := l.file.stored(b.tree(), b.declared, l.shared); err != nil {
			l.log.Error("cannot record the newest head", "error", err)
		}
	}
	return len(b.txs), nil
}

// storeBlock records a block in the head file and stores it. Errors: errHeadMoved, errors of guard.
func (l *Ledger) storeBlock(ctx context.Context, b *newBlock, guard Guard) error {
	if l.file != nil {
		if err := l.file.sign(b); err != nil { // before the block is visible; HeadFile describes crashes
			return err
		}
	}
	// At Snapshot: it writes the head and the pending rows that the block rests on, and transactions that
	// are posted meanwhile, which read the head, need not wait for it.
	return l.db.UpdateAt(ctx, store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
		if guard != nil { // first: a process that lost its lease need not write
			if err := guard(ctx, tx); err != nil {
				return err
			}
		}
		// Refused at the commit if an estimate dated it ahead: then the next call dates it anew.
		if at := time.UnixMilli(b.header.Time); l.shared && b.header.Time > b.before.time {
			if tx.NotAhead(at); at.Sub(tx.Now()) > store.ClockTolerance {
				return errBlockAhead
			}
		}
		kept, err := lastKept(ctx, tx)
		if err != nil {
			return err
		}
		if b.header.Time < leastBehind(kept) { // another node has kept it since
			return errBlockBack
		}
		if err := b.store(ctx, tx); err != nil {
			return err
		}
		sealed := Block{Header: b.header, Raw: b.raw, Hash: b.hash, firstPos: b.before.nextPos}
		for _, listener := range l.sealListeners {
			if err := listener.Sealed(ctx, tx, sealed); err != nil {
				return err
			}
		}
		return nil
	})
}

// nextBlock builds the next block on one snapshot; nil when nothing is pending and the newest block is not
// older than quiet. It rebuilds a block that was signed and not stored. Errors: errUnsettled, by settled.
func (l *Ledger) nextBlock(ctx context.Context, quiet time.Duration, settled int64) (b *newBlock, err error) {
	var m memory
	if l.file != nil {
		m, _ = l.file.get() // before the snapshot, which must not be older
	}
	err = l.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		b = nil
		if l.file != nil {
			// Even if nothing is pending: a rollback may have taken the pending transactions
			// of a signed block.
			if err := l.checkFile(ctx, tx, m); err != nil {
				return err
			}
		}
		h, err := loadHead(ctx, tx)
		if err != nil {
			return err
		}
		now := l.now()
		list, waiting, err := l.duePending(ctx, tx, now.UnixMilli(), h.time)
		if err != nil {
			return err
		}
		l.sealing.Store(now.UnixMilli()) // before the kept checkpoint is read: a later one is bounded by it
		due := len(list) > 0 || now.Sub(time.UnixMilli(h.time)) >= quiet
		signed := m.Signed != nil && m.Signed.Size == h.height+2
		if !due && !signed {
			return waiting
		}
		// A block on a damaged head, and its checkpoint, could never be withdrawn.
		if err := l.checkHead(ctx, tx, h); err != nil {
			return fmt.Errorf("ledger: head of the chain: %w", err)
		}
		kept, err := lastKept(ctx, tx)
		if err != nil {
			return err
		}
		least := leastBehind(kept)
		if signed && (!l.shared || m.Signed.Time >= least) {
			if b, err = l.rebuild(ctx, tx, h, list, m.Signed); err != nil || b != nil || !due {
				return err
			}
		}
		if b, err = l.build(ctx, tx, h, list, max(least, l.blockTime(h, len(list)))); err == nil {
			err = cmp.Or(b.checkTimes(), b.checkSettled(settled))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// blockTime returns the least time of the next block: now, unless more transactions may wait than
// the block takes. Those that wait may have waited for long, for example while no node could seal, and
// a transaction must not be much earlier than the block before its own; so the block then gets the time
// of its latest transaction, which build makes sure of.
func (l *Ledger) blockTime(before head, txs int) int64 {
	if txs == MaxBlock {
		return before.time
	}
	return max(before.time, l.now().UnixMilli())
}

// rebuild builds a block that was signed and not stored. Where other processes seal it returns nil
// if the block cannot be rebuilt, because it was built on another head.
func (l *Ledger) rebuild(
	ctx context.Context, tx *store.Tx, h head, list []pending, s *signedBlock,
) (b *newBlock, err error) {
	if l.shared && time.UnixMilli(s.Time).Sub(l.now()) > store.ClockTolerance {
		return nil, nil // dated ahead, so it was not stored and could not be
	}
	picked, all := s.pick(list)
	if all {
		if b, err = l.build(ctx, tx, h, picked, s.Time); err != nil {
			return nil, err
		}
		if b.tree() == s.treeHead {
			return b, nil
		}
	}
	if l.shared {
		return nil, nil
	}
	return nil, &RollbackError{
		File: l.file.path, Size: s.Size, Root: s.Root, Has: h.height + 1,
		What: "lacks transactions of the last signed block",
	}
}

// loadPending returns the next MaxBlock pending transactions from a number on, in order. Errors:
// layout.ErrDamaged when a hash is not its transaction's.
func loadPending(ctx context.Context, tx *store.Tx, first int64) ([]pending, error) {
	rows, err := q.New(tx).ListPending(ctx, q.ListPendingParams{First: first, Count: MaxBlock})
	if err != nil {
		return nil, fmt.Errorf("ledger: pending transactions: %w", err)
	}
	list := make([]pending, len(rows))
	for i, r := range rows {
		list[i] = pending{seq: r.Seq, hash: chain.HashTx(r.Raw), raw: r.Raw, transcript: r.Transcript}
		if !bytes.Equal(list[i].hash[:], r.Hash) {
			// No block is better than one with a transaction that no caller has posted.
			return nil, fmt.Errorf("ledger: pending transaction %x: %w", r.Hash, layout.ErrDamaged)
		}
		if list[i].tx, err = chain.ParseTx(r.Raw); err != nil {
			return nil, fmt.Errorf("ledger: pending transaction %x: %w", r.Hash, err)
		}
	}
	return list, nil
}

// loadHead reads the head of the chain.
func loadHead(ctx context.Context, tx *store.Tx) (head, error) {
	row, err := q.New(tx).GetHead(ctx)
	if err != nil {
		return head{}, fmt.Errorf("ledger: head of the chain: %w", err)
	}
	h := head{height: row.Height, time: row.Time, nextPos: row.NextPos, note: row.Note, posted: row.Posted}
	if copy(h.hash[:], row.Hash) != len(h.hash) {
		return head{}, fmt.Errorf("ledger: head of the chain: %w", layout.ErrDamaged)
	}
	return h, nil
}

// checkHead checks that the head is the last block, and that the log's stored hashes give the
// signed checkpoint.
func (l *Ledger) checkHead(ctx context.Context, tx *store.Tx, h head) error {
	b, err := l.Block(ctx, tx, h.height)
	if err != nil {
		return err
	}
	if b.Hash != h.hash || b.Header.Time != h.time || b.firstPos+b.Header.TxCount != h.nextPos {
		return layout.ErrDamaged
	}
	hashes := hashReader(ctx, tx)
	declared, err := layout.LoadRollbacks(ctx, tx)
	if err != nil {
		return err
	}
	leaf, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, h.height)})
	if err != nil {
		return err
	}
	root, err := tlog.TreeHash(h.height+1, hashes)
	if err != nil {
		return err
	}
	signed, err := note.Open([]byte(h.note), note.VerifierList(l.public))
	if err != nil {
		return err
	}
	if leaf[0] != tlog.RecordHash(b.Raw) ||
		signed.Text != layout.CheckpointText(l.signer.Name(), h.height+1, root, declared) {
		return layout.ErrDamaged
	}
	return nil
}

// newBlock is a prepared block that is not stored yet.
type newBlock struct {
	before head
	header chain.Header
	raw    []byte // of the header
	hash   chain.Hash
	note   []byte    // the signed checkpoint of the log with this block
	root   tlog.Hash // of that log
	txs    []pending
	hashes []tlog.Hash // of the log, from firstHash on

	activity                          layout.Activity
	firstHash                         int64
	chunks, index, addresses, byToken [][]any // rows of the tables of that name
	pendingAddresses                  [][]any // rows to delete from chain_pending_address

	declared []string // rollbacks, in the checkpoint
}

// build prepares the block that follows a head and holds some transactions; at is its least time in
// Unix milliseconds. It is not earlier than any of its transactions, which other nodes may have dated
// by a clock that is ahead of this one's.
func (l *Ledger) build(ctx context.Context, tx *store.Tx, before head, txs []pending, at int64) (*newBlock, error) {
	b := &newBlock{before: before, txs: txs, activity: layout.Activity{Blocks: 1}}
	hashes := make([]chain.Hash, len(txs))
	for i, p := range txs {
		hashes[i] = p.hash
		at = max(at, p.tx.Time)
	}
	b.header = chain.Header{
		Height: before.height + 1, Prev: before.hash, MerkleRoot: chain.MerkleRoot(hashes),
		Time: at, TxCount: int64(len(txs)),
	}
	b.raw = b.header.Raw()
	b.hash = chain.HashBlock(b.raw)
	b.indexRows()
	return b, l.extendLog(ctx, tx, b)
}

// indexRows prepares the rows of the chunks and the indexes.
func (b *newBlock) indexRows() {
	b.chunk()
	for i := range b.txs {
		p := &b.txs[i]
		pos := b.before.nextPos + int64(i)
		b.index = append(b.index, []any{layout.Prefix(p.hash), pos})
		parsed := &p.tx
		for _, a := range parsed.Addresses() {
			b.addresses = append(b.addresses, []any{a[:], pos})
			if a != parsed.Actor {
				b.pendingAddresses = append(b.pendingAddresses, []any{a[:], p.hash[:]})
			}
		}
		for _, id := range parsed.TokenIDs() {
			b.byToken = append(b.byToken, []any{id, pos})
		}
		b.activity.Add(parsed)
	}
}

// chunk prepares the rows of chain_chunk.
func (b *newBlock) chunk() {
	first := b.before.nextPos
	for part := range slices.Chunk(b.txs, layout.ChunkSize) {
		raws := make([][]byte, len(part))
		var transcripts [][]byte
		for i, p := range part {
			if raws[i] = p.raw; p.transcript != nil {
				transcripts = append(transcripts, p.transcript)
			}
		}
		row := []any{first, b.header.Height, layout.JoinChunk(raws), nil}
		if transcripts != nil {
			row[3] = layout.JoinChunk(transcripts)
		}
		b.chunks = append(b.chunks, row)
		first += int64(len(part))
	}
}

// store writes the block in one database transaction. A crash before its commit leaves the
// transactions pending, and the next sealer makes a block of them again, perhaps a different one,
// which no reader has seen yet. A crash after it leaves the block stored, its checkpoint signed,
// and none of its transactions pending.
func (b *newBlock) store(ctx context.Context, tx *store.Tx) error {
	queries := q.New(tx)
	next := b.before.nextPos + int64(len(b.txs))
	if b.before.height < 0 {
		err := queries.InsertHead(ctx, q.InsertHeadParams{
			Height: b.header.Height, Hash: b.hash[:], Time: b.header.Time, NextPos: next, Note: string(b.note)})
		if err != nil {
			return err
		}
	} else if err := b.swapHead(ctx, tx, queries, next); err != nil {
		return err
	}
	err := queries.InsertBlock(ctx, q.InsertBlockParams{
		Height: b.header.Height, Hash: b.hash[:], Header: b.raw, FirstPos: b.before.nextPos, TxCount: b.header.TxCount})
	if err != nil {
		return err
	}
	if err := storeActivity(ctx, queries, b.activity, b.header.Time); err != nil {
		return err
	}
	return b.storeRows(ctx, tx)
}

// swapHead replaces the head that the block was built on, and deletes the block's pending rows.
// Errors: errHeadMoved.
func (b *newBlock) swapHead(ctx context.Context, tx *store.Tx, queries *q.Queries, next int64) error {
	n, err := queries.SwapHead(ctx, q.SwapHeadParams{
		Height: b.header.Height, Hash: b.hash[:], Time: b.header.Time, NextPos: next, Note: string(b.note),
		SeenHeight: b.before.height, SeenHash: b.before.hash[:]})
	if err != nil {
		return err
	}
	if n != 1 {
		return errHeadMoved
	}
	return b.dropPending(ctx, tx)
}

// dropPending deletes the rows of the block's transactions, and only those: on PostgreSQL a
// transaction with a lower number than the block's last may commit late.
func (b *newBlock) dropPending(ctx context.Context, tx *store.Tx) error {
	if _, err := store.BulkDelete(
		ctx, tx, "chain_pending_address", []string{"address", "hash"}, b.pendingAddresses,
	); err != nil {
		return err
	}
	numbers := make([][]any, len(b.txs))
	for i, p := range b.txs {
		numbers[i] = []any{p.seq}
	}
	gone, err := store.BulkDelete(ctx, tx, "chain_pending", []string{"seq"}, numbers)
	if err != nil {
		return err
	}
	if gone != int64(len(b.txs)) {
		return fmt.Errorf("%d pending transactions instead of %d: %w", gone, len(b.txs), ErrConflict)
	}
	return nil
}

// storeRows inserts the chunks, the indexes and the log's hashes.
func (b *newBlock) storeRows(ctx context.Context, tx *store.Tx) error {
	var hashes [][]any
	for i, h := range b.hashes {
		hashes = append(hashes, []any{b.firstHash + int64(i), h[:]})
	}
	for _, t := range []struct {
		table   string
		columns []string
		rows    [][]any
	}{
		{"chain_chunk", []string{"first_pos", "height", "body", "transcripts"}, b.chunks},
		{"chain_index", []string{"prefix", "pos"}, b.index},
		{"chain_address", []string{"address", "pos"}, b.addresses},
		{"chain_token", []string{"token_id", "pos"}, b.byToken},
		{"log_hash", []string{"idx", "hash"}, hashes},
	} {
		if err := store.BulkInsert(ctx, tx, t.table, t.columns, t.rows); err != nil {
			return err
		}
	}
	return nil
}
