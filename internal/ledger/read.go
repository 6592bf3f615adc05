package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Record is a transaction with its position in the chain.
type Record struct {
	Hash   chain.Hash
	Raw    []byte
	Parsed chain.Tx
	// Sealed reports that the transaction is in a block. Height, and Index within the block,
	// are valid only then.
	Sealed        bool
	Height, Index int64
	// Pos counts transactions from the start of the chain. For a pending transaction only
	// History sets it, to the position that the transaction will have.
	Pos int64
}

// Block is a block's header with its hash.
type Block struct {
	Hash     chain.Hash
	Raw      []byte
	Header   chain.Header
	firstPos int64 // position of its first transaction
}

// Head is the newest block with the totals of the chain.
type Head struct {
	Block        Block
	Transactions int64  // in blocks
	Pending      int64  // transactions in no block
	Checkpoint   string // signed note
}

// Head returns the newest block and the totals of the chain.
func (l *Ledger) Head(ctx context.Context, tx *store.Tx) (Head, error) {
	queries := q.New(tx)
	row, err := queries.GetHead(ctx)
	if err != nil {
		return Head{}, fmt.Errorf("ledger: head: %w", err)
	}
	b, err := l.Block(ctx, tx, row.Height)
	if err != nil {
		return Head{}, err
	}
	waiting, err := queries.CountPending(ctx)
	if err != nil {
		return Head{}, fmt.Errorf("ledger: head: %w", err)
	}
	return Head{Block: b, Transactions: row.NextPos, Pending: waiting, Checkpoint: row.Note}, nil
}

// Block returns the block at a height. Errors: ErrNotFound.
func (l *Ledger) Block(ctx context.Context, tx *store.Tx, height int64) (Block, error) {
	row, err := q.New(tx).GetBlock(ctx, height)
	return block(row, err, height)
}

// Blocks returns up to count blocks below a height, the newest first.
func (l *Ledger) Blocks(ctx context.Context, tx *store.Tx, before, count int64) ([]Block, error) {
	rows, err := q.New(tx).ListBlocks(ctx, q.ListBlocksParams{Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("ledger: blocks: %w", err)
	}
	list := make([]Block, len(rows))
	for i, row := range rows {
		if list[i], err = block(row, nil, row.Height); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// block decodes the result of a query for the block that which names.
func block(row q.ChainBlock, err error, which any) (Block, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return Block{}, ErrNotFound
	}
	if err != nil {
		return Block{}, fmt.Errorf("ledger: block %v: %w", which, err)
	}
	header, err := chain.ParseHeader(row.Header)
	if err != nil {
		return Block{}, fmt.Errorf("ledger: block %v: %w", which, err)
	}
	hash := chain.HashBlock(row.Header)
	if !bytes.Equal(hash[:], row.Hash) || header.Height != row.Height {
		return Block{}, fmt.Errorf("ledger: block %v: %w", which, layout.ErrDamaged)
	}
	return Block{hash, row.Header, header, row.FirstPos}, nil
}

// Txs returns the transactions of a block, in order.
func (l *Ledger) Txs(ctx context.Context, tx *store.Tx, b Block) ([]Record, error) {
	raws, err := blockRaws(ctx, tx, b)
	if err != nil {
		return nil, err
	}
	list := make([]Record, len(raws))
	for i, raw := range raws {
		if list[i], err = record(raw); err != nil {
			return nil, fmt.Errorf("ledger: transaction %d of block %d: %w", i, b.Header.Height, err)
		}
		index := int64(i)
		list[i].Sealed, list[i].Height, list[i].Index, list[i].Pos = true, b.Header.Height, index, b.firstPos+index
	}
	return list, nil
}

// blockRaws returns the raw transactions of a block, in order.
func blockRaws(ctx context.Context, tx *store.Tx, b Block) ([][]byte, error) {
	rows, err := q.New(tx).ListChunks(ctx, b.Header.Height)
	if err != nil {
		return nil, fmt.Errorf("ledger: transactions of block %d: %w", b.Header.Height, err)
	}
	var list [][]byte
	for _, row := range rows {
		raws, err := layout.SplitChunk(row.Body)
		if err != nil || row.FirstPos != b.firstPos+int64(len(list)) {
			return nil, fmt.Errorf("ledger: transactions of block %d: %w", b.Header.Height, layout.ErrDamaged)
		}
		list = append(list, raws...)
	}
	if int64(len(list)) != b.Header.TxCount {
		return nil, fmt.Errorf("ledger: transactions of block %d: %w", b.Header.Height, layout.ErrDamaged)
	}
	return list, nil
}

// record parses a raw transaction.
func record(raw []byte) (Record, error) {
	parsed, err := chain.ParseTx(raw)
	return Record{Hash: chain.HashTx(raw), Raw: raw, Parsed: parsed}, err
}

// Tx returns a transaction, sealed or pending, by its hash. Errors: ErrNotFound.
func (l *Ledger) Tx(ctx context.Context, tx *store.Tx, hash chain.Hash) (Record, error) {
	queries := q.New(tx)
	raw, err := queries.GetPending(ctx, hash[:])
	if err == nil {
		return pendingRecord(raw, hash)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return Record{}, fmt.Errorf("ledger: transaction %v: %w", hash, err)
	}
	rows, err := queries.FindTx(ctx, layout.Prefix(hash))
	if err != nil {
		return Record{}, fmt.Errorf("ledger: transaction %v: %w", hash, err)
	}
	for _, row := range rows {
		r, err := recordAt(txRow(row))
		if err != nil {
			return Record{}, err
		}
		if r.Hash == hash { // another hash may have the same prefix
			return r, nil
		}
	}
	return Record{}, ErrNotFound
}

// pendingRecord parses a pending transaction, which must have the given hash.
func pendingRecord(raw []byte, hash chain.Hash) (Record, error) {
	r, err := record(raw)
	if err != nil {
		return Record{}, fmt.Errorf("ledger: pending transaction %v: %w", hash, err)
	}
	if r.Hash != hash {
		return Record{}, fmt.Errorf("ledger: pending transaction %v: %w", hash, layout.ErrDamaged)
	}
	return r, nil
}

// txRow is a row of the queries that join a transaction's position with its chunk and block.
type txRow struct {
	Pos      int64  // of the transaction
	ChunkPos int64  // position of the chunk's first transaction
	Body     []byte // of the chunk
	Height   int64  // of the block
	BlockPos int64  // position of the block's first transaction
}

// recordAt decodes the transaction of a row.
func recordAt(p txRow) (Record, error) {
	raws, err := layout.SplitChunk(p.Body)
	if err != nil || p.Pos-p.ChunkPos >= int64(len(raws)) {
		return Record{}, fmt.Errorf("ledger: position %d: %w", p.Pos, layout.ErrDamaged)
	}
	r, err := record(raws[p.Pos-p.ChunkPos])
	if err != nil {
		return Record{}, fmt.Errorf("ledger: position %d: %w", p.Pos, err)
	}
	r.Sealed, r.Height, r.Index, r.Pos = true, p.Height, p.Pos-p.BlockPos, p.Pos
	return r, nil
}

// Account returns the state of an address, and the transaction that published its outstanding
// commitment. Errors: ErrNotFound for an address that was never used.
func (l *Ledger) Account(ctx context.Context, tx *store.Tx, a chain.Address) (chain.Account, chain.Hash, error) {
	s, err := l.LoadActor(ctx, tx, a)
	return s.Account, s.CommitmentTx, err
}

// LoadActor returns an account for a Draft of the same tx. Errors: ErrNotFound.
func (l *Ledger) LoadActor(ctx context.Context, tx *store.Tx, a chain.Address) (ActorState, error) {
	row, err := loadAccount(ctx, q.New(tx), a)
	switch {
	case err != nil:
		return ActorState{}, fmt.Errorf("ledger: account %v: %w", a, err)
	case !row.exists:
		return ActorState{}, ErrNotFound
	}
	return row.ActorState, nil
}

// PrefetchAccount makes the database read an account and games that the caller is going to read or
// post about within tx: see store.Tx.Prefetch.
func PrefetchAccount(tx *store.Tx, a chain.Address, games ...string) {
	tx.Prefetch(q.GetAccount, a[:])
	for _, id := range games {
		tx.Prefetch(q.GetGame, id)
	}
}

// History returns up to count transactions that concern an address, at positions below before, the
// newest first: pending ones, then sealed ones. The position of the last one is the before of the
// next page, even if it was sealed between the two calls.
func (l *Ledger) History(ctx context.Context, tx *store.Tx, a chain.Address, before, count int64) ([]Record, error) {
	list, err := pendingOf(ctx, tx, a, before, count)
	if err != nil {
		return nil, fmt.Errorf("ledger: history of %v: %w", a, err)
	}
	rows, err := q.New(tx).HistoryOf(
		ctx, q.HistoryOfParams{Address: a[:], Before: before, Count: count - int64(len(list))},
	)
	if err != nil {
		return nil, fmt.Errorf("ledger: history of %v: %w", a, err)
	}
	for _, row := range rows {
		r, err := recordAt(txRow(row))
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// Pending returns up to count pending transactions that concern an address, the newest first.
func (l *Ledger) Pending(ctx context.Context, tx *store.Tx, a chain.Address, count int64) ([]Record, error) {
	list, err := pendingOf(ctx, tx, a, Newest, count)
	if err != nil {
		return nil, fmt.Errorf("ledger: pending transactions of %v: %w", a, err)
	}
	return list, nil
}

// pendingOf returns the pending part of History. Blocks take pending transactions in their order,
// so their future positions are known.
func pendingOf(ctx context.Context, tx *store.Tx, a chain.Address, before, count int64) ([]Record, error) {
	h, err := loadHead(ctx, tx)
	if err != nil || before <= h.nextPos {
		return nil, err
	}
	rows, err := q.New(tx).PendingOf(
		ctx, q.PendingOfParams{Address: a[:], BeforeRank: before - h.nextPos, Count: count},
	)
	if err != nil {
		return nil, err
	}
	list := make([]Record, len(rows))
	for i, row := range rows {
		if list[i], err = record(row.Raw); err != nil {
			return nil, err
		}
		list[i].Pos = h.nextPos + row.Ahead
	}
	return list, nil
}

// Newest is a position after every transaction, and a height above every block.
const Newest = 1 << 62

// OwnedToken is a token in a wallet.
type OwnedToken struct {
	ID, Tier int64
	Bound    bool
}

// TokensOf returns up to count tokens of an owner with ids above after, in ascending order.
func (l *Ledger) TokensOf(
	ctx context.Context, tx *store.Tx, owner chain.Address, after, count int64,
) ([]OwnedToken, error) {
	rows, err := q.New(tx).TokensOf(ctx, q.TokensOfParams{Owner: owner[:], After: after, Count: count})
	if err != nil {
		return nil, fmt.Errorf("ledger: tokens of %v: %w", owner, err)
	}
	list := make([]OwnedToken, len(rows))
	for i, row := range rows {
		list[i] = OwnedToken{row.TokenID, row.Tier, row.Bound != 0}
	}
	return list, nil
}

// CheapestToken returns the owner's unlocked token of the lowest tier. Errors: ErrNotFound.
func (l *Ledger) CheapestToken(ctx context.Context, tx *store.Tx, owner chain.Address) (OwnedToken, error) {
	row, err := q.New(tx).CheapestToken(ctx, owner[:])
	if errors.Is(err, sql.ErrNoRows) {
		return OwnedToken{}, ErrNotFound
	}
	if err != nil {
		return OwnedToken{}, fmt.Errorf("ledger: tokens of %v: %w", owner, err)
	}
	return OwnedToken{row.TokenID, row.Tier, row.Bound != 0}, nil
}

// Holding is the account state from which a run starts.
type Holding struct {
	Account      chain.Account
	CommitmentTx chain.Hash  // transaction that published its commitment
	Pending      bool        // CommitmentTx is in no block
	Cheapest     *OwnedToken // unlocked token of the lowest tier; nil for none
}

// Holding returns an account with its cheapest unlocked token. Errors: ErrNotFound.
func (l *Ledger) Holding(ctx context.Context, tx *store.Tx, a chain.Address) (Holding, error) {
	row, err := q.New(tx).GetHolding(ctx, a[:])
	if errors.Is(err, sql.ErrNoRows) {
		return Holding{}, ErrNotFound
	}
	if err != nil {
		return Holding{}, fmt.Errorf("ledger: holding of %v: %w", a, err)
	}
	columns := layout.Account{
		Kind: row.Kind, Balance: row.Balance, Bound: row.Bound, Nonce: row.Nonce, Commitment: row.Commitment,
		BoundStart: row.BoundStart, SecuredAt: row.SecuredAt, FaucetAt: row.FaucetAt, Playing: row.Playing,
		Paid: row.Paid, PaidBound: row.PaidBound, Recovery: row.Recovery,
		FreeDay: row.FreeDay, FreeEntries: row.FreeEntries, DailyDay: row.DailyDay, DailyEntries: row.DailyEntries,
	}
	h := Holding{Account: columns.State(), Pending: row.Pending != 0}
	copy(h.CommitmentTx[:], row.CommitmentTx)
	if c := row.Cheapest; c != 0 { // tier, id and bound: see the query
		h.Cheapest = &OwnedToken{ID: (c & (1<<55 - 1)) >> 1, Tier: c >> 55, Bound: c&1 != 0}
	}
	return h, nil
}

// Token returns the state of a token and the id of the run in which it was won. Errors:
// ErrNotFound.
func (l *Ledger) Token(ctx context.Context, tx *store.Tx, id int64) (chain.Token, string, error) {
	row, err := q.New(tx).GetToken(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return chain.Token{}, "", ErrNotFound
	}
	if err != nil {
		return chain.Token{}, "", fmt.Errorf("ledger: token %d: %w", id, err)
	}
	if row.Tier == 0 {
		return chain.Token{}, "", ErrNotFound
	}
	run := ""
	if row.RunID != nil {
		run = *row.RunID
	}
	return layout.Token(row.Tier, row.Owner, row.Bound), run, nil
}

// MaxTokenHistory bounds the result of TokenHistory.
const MaxTokenHistory = 200

// TokenHistory returns the sealed transactions that created, moved or destroyed a token, the
// oldest first, at most MaxTokenHistory.
func (l *Ledger) TokenHistory(ctx context.Context, tx *store.Tx, id int64) ([]Record, error) {
	rows, err := q.New(tx).HistoryOfToken(ctx, q.HistoryOfTokenParams{TokenID: id, Count: MaxTokenHistory})
	if err != nil {
		return nil, fmt.Errorf("ledger: history of token %d: %w", id, err)
	}
	list := make([]Record, len(rows))
	for i, row := range rows {
		if list[i], err = recordAt(txRow(row)); err != nil {
			return nil, err
		}
	}
	return list, nil
}
