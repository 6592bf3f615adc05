package audit

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// rowSums adds up hashes of rows, in any order. There are too many rows to remember, so the
// audit sums the rows that follow from the chain and the rows that the tables hold, and
// compares the sums. Each row's text is hashed with a random seed and added to one of sumCount
// sums, by its hash. Where two sums differ, a second pass (search) collects the rows of those
// sums alone, and names them.
//
// rowSums covers what the replay does not compare: the indexes, the log's hashes, the periods,
// the addresses of pending transactions, past games, the run in which a token was won, and
// escrows that were paid out.
type rowSums struct {
	sums  [sumCount]uint64
	text  []byte // of one row, reused
	pos   int64  // of the next sealed transaction
	name  string // of the chain, by its genesis
	rules layout.RulesRow
	periods

	// In the second pass:
	search *search
	sign   int        // 1 for rows that follow from the chain, -1 for rows of the tables
	height int64      // of the current block
	hash   chain.Hash // of the current transaction
}

// sumCount is the number of sums: large enough that a second pass has few rows to remember,
// small enough to need no memory (32 KB).
const sumCount = 4096

// rowSeed is random in each process: a tampered database cannot be made to fit the sums.
var rowSeed = maphash.MakeSeed()

// The tables, as the first byte of a row's text.
const (
	rowIndex   = 'i' // chain_index: prefix, pos
	rowAddress = 'a' // chain_address: address, pos
	rowToken   = 't' // chain_token: token_id, pos
	rowOrigin  = 'b' // ledger_token: token_id, run_id
	rowRun     = 'r' // ledger_game of a run: id, a, tier, bound
	rowDuel    = 'd' // ledger_game of a settled duel: id, a, b, stake, 1 if rated
	rowEscrow  = 'e' // ledger_account of an escrow that was paid out: address
	rowLog     = 'l' // log_hash: idx, hash
	rowPending = 'w' // chain_pending_address: address, hash
	rowPeriod  = 'p' // chain_period: its columns in their order
)

// begin begins the text of a row. number, bytes and string append its columns, end adds it to
// the sums.
func (r *rowSums) begin(table byte) { r.text = append(r.text[:0], table) }

func (r *rowSums) number(n int64) { r.text = binary.BigEndian.AppendUint64(r.text, uint64(n)) }

// bytes appends a text or blob after its length. NULL, which is nil, differs from an empty one.
func (r *rowSums) bytes(b []byte) {
	if b == nil {
		r.text = binary.BigEndian.AppendUint32(r.text, math.MaxUint32)
		return
	}
	r.text = append(binary.BigEndian.AppendUint32(r.text, uint32(len(b))), b...)
}

// string appends the text prefix+s after its length.
func (r *rowSums) string(prefix, s string) {
	r.text = binary.BigEndian.AppendUint32(r.text, uint32(len(prefix)+len(s)))
	r.text = append(append(r.text, prefix...), s...)
}

func (r *rowSums) end() {
	h := maphash.Bytes(rowSeed, r.text)
	r.sums[h%sumCount] += h
	if r.search != nil && r.search.selected[h%sumCount] {
		r.search.count(r)
	}
}

// sealed adds the rows of the next transaction of the chain. parsed is false for one that does
// not parse: only its hash is known, and the replay reports it.
func (r *rowSums) sealed(hash chain.Hash, tx *chain.Tx, parsed bool) {
	r.indexed(rowIndex, layout.Prefix(hash), r.pos)
	if parsed {
		for _, a := range tx.Addresses() {
			r.addressed(a[:], r.pos)
		}
		for _, id := range tx.TokenIDs() {
			r.indexed(rowToken, id, r.pos)
		}
		r.count(tx)
		r.effect(hash, tx)
	}
	r.pos++
}

// indexed adds a row of chain_index or chain_token.
func (r *rowSums) indexed(table byte, key, pos int64) {
	r.begin(table)
	r.number(key)
	r.number(pos)
	r.end()
}

// logHash adds a row of log_hash.
func (r *rowSums) logHash(index int64, hash []byte) {
	r.begin(rowLog)
	r.number(index)
	r.bytes(hash)
	r.end()
}

// appendLog appends a block's header to a log, and adds the rows of log_hash that follow.
func (r *rowSums) appendLog(log *layout.Edge, header []byte) {
	first, hashes := log.Add(header)
	for i := range hashes {
		r.logHash(first+int64(i), hashes[i][:])
	}
}

// addressed adds a row of chain_address.
func (r *rowSums) addressed(address []byte, pos int64) {
	r.begin(rowAddress)
	r.bytes(address)
	r.number(pos)
	r.end()
}

// pendingAddress adds a row of chain_pending_address.
func (r *rowSums) pendingAddress(address, hash []byte) {
	r.begin(rowPending)
	r.bytes(address)
	r.bytes(hash)
	r.end()
}

// pending adds the rows of a pending transaction.
func (r *rowSums) pending(hash chain.Hash, tx *chain.Tx) {
	for _, a := range tx.Addresses() {
		if a != tx.Actor {
			r.pendingAddress(a[:], hash[:])
		}
	}
	r.effect(hash, tx)
}

// effect adds the rows of the state that a transaction leaves behind for good, sealed or not.
func (r *rowSums) effect(hash chain.Hash, tx *chain.Tx) {
	r.rules.Apply(hash, tx)
	switch d := tx.Data.(type) {
	case *chain.Genesis:
		r.name = d.Name
	case *chain.RunStart:
		r.begin(rowRun)
		r.string(layout.RunPrefix, d.RunID)
		r.bytes(tx.Actor[:])
		r.number(d.FirstTier)
		r.number(layout.Bit(d.Bound))
		r.end()
	case *chain.RunEnd:
		for _, id := range tx.TokenIDs() {
			r.begin(rowOrigin)
			r.number(id)
			if d.Status == chain.RunVoid { // given back, not won
				r.bytes(nil)
			} else {
				r.string("", d.RunID)
			}
			r.end()
		}
	case *chain.DuelSettle:
		r.settled(tx, d)
	}
}

func (r *rowSums) settled(tx *chain.Tx, d *chain.DuelSettle) {
	stake := int64(0)
	if len(tx.Transfers) > 0 {
		stake = tx.Transfers[0].Amount
		if d.Winner != "" { // one transfer pays both stakes to the winner
			stake /= 2
		}
		escrow := chain.Escrow(d.DuelID)
		r.paidOut(escrow[:])
	}
	r.begin(rowDuel)
	r.string(layout.DuelPrefix, d.DuelID)
	r.bytes(layout.Nullable(d.A))
	r.bytes(layout.Nullable(d.B))
	r.number(stake)
	r.number(layout.Bit(d.Rated))
	r.end()
}

func (r *rowSums) paidOut(escrow []byte) {
	r.begin(rowEscrow)
	r.bytes(escrow)
	r.end()
}

// indexTasks returns the tasks that add the rows of the indexes, the log, the periods and the
// addresses of pending transactions, as the tables hold them.
func (r *rowSums) indexTasks(t tables) []task {
	return []task{
		t.each(q.ScanIndex, func(row store.Row) { r.indexed(rowIndex, row.Int(0), row.Int(1)) }),
		t.each(q.ScanAddresses, func(row store.Row) { r.addressed(row.Bytes(0), row.Int(1)) }),
		t.each(q.ScanTokenRows, func(row store.Row) { r.indexed(rowToken, row.Int(0), row.Int(1)) }),
		t.each(q.ScanLogHashes, func(row store.Row) { r.logHash(row.Int(0), row.Bytes(1)) }),
		t.each(q.ScanPeriods, func(row store.Row) {
			var columns [periodColumns]int64
			for i := range columns {
				columns[i] = row.Int(i)
			}
			r.period(columns)
		}),
		t.each(q.ScanPendingAddresses, func(row store.Row) { r.pendingAddress(row.Bytes(0), row.Bytes(1)) }),
	}
}

// account adds a row of ledger_account if it belongs to an escrow that was paid out.
func (r *rowSums) account(row *q.LedgerAccount) {
	if row.Kind == "" && row.Balance == 0 {
		r.paidOut(row.Address)
	}
}

// token adds the run in which a token was won, a column of ledger_token.
func (r *rowSums) token(row *tokenRow) {
	r.begin(rowOrigin)
	r.number(row.tokenID)
	r.bytes(row.runID)
	r.end()
}

// game adds a row of ledger_game, except for a duel that is not settled, which the replay
// compares.
func (r *rowSums) game(row *q.LedgerGame) {
	switch chain.GameStep(row.Step) {
	case chain.StepStart, chain.StepEnd:
		r.begin(rowRun)
		r.string("", row.ID)
		r.bytes(row.A)
		r.number(row.Tier)
		r.number(row.Bound)
		r.end()
	case chain.StepSettle, chain.StepRated:
		r.begin(rowDuel)
		r.string("", row.ID)
		r.bytes(row.A)
		r.bytes(row.B)
		r.number(row.Stake)
		r.number(layout.Bit(chain.GameStep(row.Step) == chain.StepRated))
		r.end()
	}
}
