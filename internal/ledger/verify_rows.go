package ledger

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// rows adds up rows that the tables must hold, or do hold. What the chain says and
// what the tables hold is compared by these sums, as there are too many rows to be
// remembered: each row is hashed with a seed that nobody knows and added to one of
// many sums, in whatever order it comes. Where two sums differ, a second reading finds
// the rows of those sums alone, and names them.
//
// Here belongs what Replay does not compare: how transactions are found, what a game
// that is over was, in which run a token was won, and escrows that were paid out.
type rows struct {
	sums  [rowSums]uint64
	text  []byte     // of one row, reused
	pos   int64      // of the next sealed transaction
	name  string     // of the chain, by its genesis
	rules chain.Hash // the last transaction with rules
	periods

	// On second reading:
	search *search
	sign   int        // 1 for what the chain says, -1 for what the tables hold
	height int64      // of the block that is read
	hash   chain.Hash // of the transaction
}

// rowSums is how many sums there are: enough that a second reading has few rows to
// remember, few enough to be nothing.
const rowSums = 4096

// rowSeed makes sums that cannot be made to come out right.
var rowSeed = maphash.MakeSeed()

// The tables, as the first byte of a row's text.
const (
	rowIndex   = 'i' // chain_index: prefix, pos
	rowAddress = 'a' // chain_address: address, pos
	rowToken   = 't' // chain_token: token_id, pos
	rowBorn    = 'b' // ledger_token: token_id, run_id
	rowRun     = 'r' // ledger_game of a run: id, a, tier
	rowDuel    = 'd' // ledger_game of a duel that is over: id, a, b, stake
	rowEscrow  = 'e' // ledger_account of an escrow that was paid out: address
	rowLog     = 'l' // log_hash: idx, hash
	rowWaits   = 'w' // chain_pending_address: address, hash
	rowPeriod  = 'p' // chain_period: its columns in their order
)

func (r *rows) begin(table byte) { r.text = append(r.text[:0], table) }

func (r *rows) number(n int64) { r.text = binary.BigEndian.AppendUint64(r.text, uint64(n)) }

// bytes adds a text or blob. NULL, which is nil, is not the same as an empty one.
func (r *rows) bytes(b []byte) {
	if b == nil {
		r.text = binary.BigEndian.AppendUint32(r.text, math.MaxUint32)
		return
	}
	r.text = append(binary.BigEndian.AppendUint32(r.text, uint32(len(b))), b...)
}

func (r *rows) string(prefix, s string) {
	r.text = binary.BigEndian.AppendUint32(r.text, uint32(len(prefix)+len(s)))
	r.text = append(append(r.text, prefix...), s...)
}

func (r *rows) end() {
	h := maphash.Bytes(rowSeed, r.text)
	r.sums[h%rowSums] += h
	if r.search != nil && r.search.wanted[h%rowSums] {
		r.search.count(r)
	}
}

// sealed takes the next transaction of the chain. Of one that cannot be read nothing
// is known but its hash; the replay names it.
func (r *rows) sealed(hash chain.Hash, tx *chain.Tx, parsed bool) {
	r.found(rowIndex, prefix(hash), r.pos)
	if parsed {
		for _, a := range tx.Addresses() {
			r.concerns(a[:], r.pos)
		}
		for _, id := range tx.TokenIDs() {
			r.found(rowToken, id, r.pos)
		}
		r.count(tx)
		r.took(hash, tx)
	}
	r.pos++
}

// found is a row of chain_index or chain_token.
func (r *rows) found(table byte, key, pos int64) {
	r.begin(table)
	r.number(key)
	r.number(pos)
	r.end()
}

// inLog is a row of log_hash.
func (r *rows) inLog(index int64, hash []byte) {
	r.begin(rowLog)
	r.number(index)
	r.bytes(hash)
	r.end()
}

// concerns is a row of chain_address.
func (r *rows) concerns(address []byte, pos int64) {
	r.begin(rowAddress)
	r.bytes(address)
	r.number(pos)
	r.end()
}

// waits is a row of chain_pending_address.
func (r *rows) waits(address, hash []byte) {
	r.begin(rowWaits)
	r.bytes(address)
	r.bytes(hash)
	r.end()
}

// pending takes a transaction that waits for its block.
func (r *rows) pending(hash chain.Hash, tx *chain.Tx) {
	for _, a := range tx.Addresses() {
		if a != tx.Actor {
			r.waits(a[:], hash[:])
		}
	}
	r.took(hash, tx)
}

// took takes the effect of a transaction, sealed or not.
func (r *rows) took(hash chain.Hash, tx *chain.Tx) {
	switch d := tx.Data.(type) {
	case *chain.Genesis:
		r.name, r.rules = d.Name, hash
	case *chain.RulesChange:
		r.rules = hash
	case *chain.RunStart:
		r.begin(rowRun)
		r.string(runPrefix, d.RunID)
		r.bytes(tx.Actor[:])
		r.number(d.FirstTier)
		r.end()
	case *chain.RunEnd:
		for _, id := range tx.TokenIDs() {
			r.begin(rowBorn)
			r.number(id)
			r.string("", d.RunID)
			r.end()
		}
	case *chain.DuelSettle:
		r.settled(tx, d)
	}
}

func (r *rows) settled(tx *chain.Tx, d *chain.DuelSettle) {
	stake := int64(0)
	if len(tx.Transfers) > 0 {
		stake = tx.Transfers[0].Amount
		if d.Winner != "" {
			stake /= 2
		}
		escrow := chain.Escrow(d.DuelID)
		r.paidOut(escrow[:])
	}
	r.begin(rowDuel)
	r.string(duelPrefix, d.DuelID)
	r.bytes(nullable(d.A))
	r.bytes(nullable(d.B))
	r.number(stake)
	r.end()
}

func (r *rows) paidOut(escrow []byte) {
	r.begin(rowEscrow)
	r.bytes(escrow)
	r.end()
}

// The rows that the tables hold.

// finders are the tasks for the tables that serve to find and to prove transactions.
func (r *rows) finders(t tables) []task {
	return []task{
		t.each(q.ScanIndex, func(row store.Row) { r.found(rowIndex, row.Int(0), row.Int(1)) }),
		t.each(q.ScanAddresses, func(row store.Row) { r.concerns(row.Bytes(0), row.Int(1)) }),
		t.each(q.ScanTokenRows, func(row store.Row) { r.found(rowToken, row.Int(0), row.Int(1)) }),
		t.each(q.ScanLogHashes, func(row store.Row) { r.inLog(row.Int(0), row.Bytes(1)) }),
		t.each(q.ScanPeriods, func(row store.Row) {
			r.period([7]int64{row.Int(0), row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Int(5), row.Int(6)})
		}),
		t.each(q.ScanPendingAddresses, func(row store.Row) { r.waits(row.Bytes(0), row.Bytes(1)) }),
	}
}

func (r *rows) account(row *q.LedgerAccount) {
	if row.Kind == "" && row.Balance == 0 {
		r.paidOut(row.Address)
	}
}

func (r *rows) token(row *tokenRow) {
	r.begin(rowBorn)
	r.number(row.tokenID)
	r.bytes(row.runID)
	r.end()
}

func (r *rows) game(row *q.LedgerGame) {
	switch chain.GameStep(row.Step) {
	case chain.StepStart, chain.StepEnd:
		r.begin(rowRun)
		r.string("", row.ID)
		r.bytes(row.A)
		r.number(row.Tier)
		r.end()
	case chain.StepSettle:
		r.begin(rowDuel)
		r.string("", row.ID)
		r.bytes(row.A)
		r.bytes(row.B)
		r.number(row.Stake)
		r.end()
	}
}

// The names of games in the tables begin with what they are.
const (
	runPrefix    = "run:"
	duelPrefix   = "duel:"
	seasonPrefix = "season:"
)

// describe says which row a text is of.
func describe(row string) string {
	t := rowText(row[1:])
	switch row[0] {
	case rowIndex:
		return fmt.Sprintf("chain_index prefix %016x position %d", uint64(t.number()), t.number())
	case rowAddress:
		return fmt.Sprintf("chain_address %s position %d", addressName([]byte(t.string())), t.number())
	case rowLog:
		return fmt.Sprintf("log_hash %d %x", t.number(), t.string())
	case rowWaits:
		return fmt.Sprintf("chain_pending_address %s hash %x", addressName([]byte(t.string())), t.string())
	case rowPeriod:
		return fmt.Sprintf("chain_period of %d s from %d: %d blocks, %d transactions, %d coins created, %d destroyed, %d there",
			t.number(), t.number(), t.number(), t.number(), t.number(), t.number(), t.number())
	case rowToken:
		return fmt.Sprintf("chain_token %d position %d", t.number(), t.number())
	case rowBorn:
		return fmt.Sprintf("ledger_token %d run_id %q", t.number(), t.string())
	case rowRun:
		return fmt.Sprintf("ledger_game %q of %s from tier %d", t.string(), addressName([]byte(t.string())), t.number())
	case rowDuel:
		return fmt.Sprintf("ledger_game %q between %s and %s for %d", t.string(),
			addressName([]byte(t.string())), addressName([]byte(t.string())), t.number())
	default:
		return "ledger_account " + addressName([]byte(t.string()))
	}
}

// rowText takes the text of a row apart, which is as rows wrote it.
type rowText string

func (t *rowText) number() int64 {
	n := binary.BigEndian.Uint64([]byte((*t)[:8]))
	*t = (*t)[8:]
	return int64(n)
}

func (t *rowText) string() string {
	n := binary.BigEndian.Uint32([]byte((*t)[:4]))
	*t = (*t)[4:]
	if n == math.MaxUint32 {
		return ""
	}
	s := (*t)[:n]
	*t = (*t)[n:]
	return string(s)
}

// addressName writes an address, and what should be one in hex.
func addressName(b []byte) string {
	if len(b) != len(chain.Address{}) {
		return fmt.Sprintf("%x", b)
	}
	return chain.Address(b).String()
}
