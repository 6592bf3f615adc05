package audit

import (
	"bytes"
	"context"
	"math"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// tables reads whole tables in one transaction. A row is valid until the function that receives
// it returns.
type tables struct {
	ctx context.Context
	tx  *store.Tx
	q   *q.Queries
}

func tablesOf(ctx context.Context, tx *store.Tx) tables { return tables{ctx, tx, q.New(tx)} }

// task reads one table.
type task func() error

// runTasks runs tasks one after the other, up to the first error.
func runTasks(tasks ...task) error {
	for _, read := range tasks {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// each returns the task of calling fn for each row of a query.
func (t tables) each(query string, fn func(store.Row)) task {
	return func() error { return t.tx.Scan(query, nil, fn) }
}

// blocks returns the task of reading the blocks by height, a few at a time.
func (t tables) blocks(fn func(*layout.Block)) task {
	return func() error {
		for first := int64(math.MinInt64); ; {
			n, last, err := layout.ReadBlocks(t.tx, first, layout.BlocksPerRead, fn)
			if err != nil || n == 0 || last == math.MaxInt64 {
				return err
			}
			first = last + 1
		}
	}
}

func (t tables) pending(fn func(*q.ChainPending)) task {
	return t.each(q.ScanPending, func(r store.Row) {
		// The replay keeps the raw transaction, the checker of games the transcript.
		fn(&q.ChainPending{
			Seq: r.Int(0), Hash: r.Bytes(1), Actor: r.Bytes(2), Raw: bytes.Clone(r.Bytes(3)),
			Transcript: bytes.Clone(r.Bytes(4)),
		})
	})
}

func (t tables) accounts(fn func(*q.LedgerAccount)) task {
	var row q.LedgerAccount
	return t.each(q.ScanAccounts, func(r store.Row) {
		row = q.LedgerAccount{
			Address: r.Bytes(0), Kind: accountKind(r.Bytes(1)), Balance: r.Int(2), Bound: r.Int(3),
			Nonce: r.Int(4), Commitment: r.Bytes(5), CommitmentTx: r.Bytes(6), BoundStart: r.Int(7),
			SecuredAt: r.Int(8), FaucetAt: r.Int(9), Recovery: r.Int(10),
			Playing: entryText(r.Bytes(11)), Paid: r.Int(12), PaidBound: r.Int(13), FreeDay: r.Int(14),
			FreeEntries: r.Int(15), DailyDay: r.Int(16), DailyEntries: r.Int(17),
		}
		fn(&row)
	})
}

// accountKind and entryText return the text of an account's kind and of the entry of its open run
// without an allocation for each account.
func accountKind(text []byte) string { return knownText(text, accountKinds) }
func entryText(text []byte) string   { return knownText(text, openEntries) }

func knownText[T ~string](text []byte, known []T) string {
	for _, k := range known {
		if string(k) == string(text) {
			return string(k)
		}
	}
	return string(text)
}

// tokenRow is a row of ledger_token; owner and runID are nil for NULL.
type tokenRow struct {
	tokenID, tier, bound int64
	owner, runID         []byte
}

func (t tables) tokens(fn func(*tokenRow)) task {
	var row tokenRow
	return t.each(q.ScanTokens, func(r store.Row) {
		row = tokenRow{tokenID: r.Int(0), tier: r.Int(1), owner: r.Bytes(2), runID: r.Bytes(3), bound: r.Int(4)}
		fn(&row)
	})
}

func (t tables) games(fn func(*q.LedgerGame)) task {
	var row q.LedgerGame
	return t.each(q.ScanGames, func(r store.Row) {
		row = q.LedgerGame{
			ID: string(r.Bytes(0)), Step: r.Int(1), A: r.Bytes(2), B: r.Bytes(3), Tier: r.Int(4), Stake: r.Int(5),
			Bound: r.Int(6),
		}
		fn(&row)
	})
}
