package ledger

import (
	"bytes"
	"context"
	"math"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// tables reads the tables from end to end, in one transaction. What a row holds may be
// looked at until the function that it is given to returns.
type tables struct {
	ctx context.Context
	tx  *store.Tx
	q   *q.Queries
}

func tablesOf(ctx context.Context, tx *store.Tx) tables { return tables{ctx, tx, q.New(tx)} }

// task goes through a table.
type task func() error

// inTurn runs tasks one after the other.
func inTurn(tasks ...task) error {
	for _, read := range tasks {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// each is the task of calling fn for each row of a query.
func (t tables) each(query string, fn func(store.Row)) task {
	return func() error { return t.tx.Scan(query, nil, fn) }
}

// storedBlock is a block as its rows hold it; its slices may be kept.
type storedBlock struct {
	Height       int64
	Hash, Header []byte
	FirstPos     int64
	TxCount      int64
	chunks       []storedChunk
}

type storedChunk struct {
	firstPos int64
	body     []byte
}

// blocksAtOnce bounds the blocks of a page.
const blocksAtOnce = 8

// blocks goes through the blocks by height, a page at a time.
func (t tables) blocks(fn func(*storedBlock)) task {
	return func() error {
		for first := int64(math.MinInt64); ; {
			n, last, err := readBlocks(t.tx, first, blocksAtOnce, fn)
			if err != nil || n == 0 || last == math.MaxInt64 {
				return err
			}
			first = last + 1
		}
	}
}

// readBlocks calls fn for up to count blocks from a height on, and returns how many there
// were and the height of the last.
func readBlocks(tx *store.Tx, first, count int64, fn func(*storedBlock)) (n, last int64, err error) {
	var b *storedBlock // the rows of a block differ by their chunk alone
	done := func() {
		if b != nil {
			n, last = n+1, b.Height
			fn(b)
		}
	}
	err = tx.Scan(q.ScanBlocks, []any{first, count}, func(r store.Row) {
		if height := r.Int(0); b == nil || b.Height != height {
			done()
			b = &storedBlock{Height: height, Hash: bytes.Clone(r.Bytes(1)), Header: bytes.Clone(r.Bytes(2)), FirstPos: r.Int(3), TxCount: r.Int(4)}
		}
		if !r.Null(5) {
			b.chunks = append(b.chunks, storedChunk{r.Int(5), bytes.Clone(r.Bytes(6))})
		}
	})
	if err == nil {
		done()
	}
	return n, last, err
}

func (t tables) pending(fn func(*q.ChainPending)) task {
	return t.each(q.ScanPending, func(r store.Row) {
		// The replay keeps the raw.
		fn(&q.ChainPending{Seq: r.Int(0), Hash: r.Bytes(1), Actor: r.Bytes(2), Raw: bytes.Clone(r.Bytes(3))})
	})
}

func (t tables) accounts(fn func(*q.LedgerAccount)) task {
	var row q.LedgerAccount
	return t.each(q.ScanAccounts, func(r store.Row) {
		row = q.LedgerAccount{Address: r.Bytes(0), Kind: accountKind(r.Bytes(1)), Balance: r.Int(2),
			Nonce: r.Int(3), Commitment: r.Bytes(4), CommitmentTx: r.Bytes(5)}
		fn(&row)
	})
}

// accountKind is the text of an account's kind, which is not made for each account.
func accountKind(text []byte) string {
	for _, known := range accountKinds {
		if string(known) == string(text) {
			return string(known)
		}
	}
	return string(text)
}

// tokenRow is a row of ledger_token; runID is nil for none.
type tokenRow struct {
	tokenID, tier int64
	owner, runID  []byte
}

func (t tables) tokens(fn func(*tokenRow)) task {
	var row tokenRow
	return t.each(q.ScanTokens, func(r store.Row) {
		row = tokenRow{tokenID: r.Int(0), tier: r.Int(1), owner: r.Bytes(2), runID: r.Bytes(3)}
		fn(&row)
	})
}

func (t tables) games(fn func(*q.LedgerGame)) task {
	var row q.LedgerGame
	return t.each(q.ScanGames, func(r store.Row) {
		row = q.LedgerGame{ID: string(r.Bytes(0)), Step: r.Int(1), A: r.Bytes(2), B: r.Bytes(3), Tier: r.Int(4), Stake: r.Int(5)}
		fn(&row)
	})
}
