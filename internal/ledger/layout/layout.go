// Package layout defines the encoding of the chain in the rows of the ledger's tables. Package ledger
// writes and serves these rows; package audit verifies them. Both use the same encoding, and neither
// needs the other for it.
//
//	chain_chunk.body   up to ChunkSize raw transactions, each after its length in 4 bytes big-endian;
//	                   its transcripts likewise, of the games that these transactions end
//	chain_index        Prefix of a transaction's hash → position in the chain
//	ledger_account …   NULL for a zero hash or address (Nullable), never an empty blob
//	chain_head.note    a signed note of CheckpointText
//	meta               MetaChain, MetaRules, MetaRestored, MetaRollbacks,
//	                   MetaRecovering, MetaRecovered, MetaMoving, MetaMoved
//
// A position counts transactions from the start of the chain, a height counts blocks; both
// begin at 0.
package layout

import (
	"encoding/binary"
	"errors"

	"roshambo/chain"
)

// Names of the rows of table meta.
const (
	MetaChain     = "chain"     // verifier key of the chain, as golang.org/x/mod/sumdb/note writes it
	MetaRules     = "rules"     // RulesRow.String
	MetaRestored  = "restored"  // nothing is written until a recovery, as by the next start; the value is its reason
	MetaRollbacks = "rollbacks" // declared rollbacks, one line of Rollback.String each
	// MetaRecovering is there while a node knows a signed tree that the database lacks; nothing is written then.
	// Its value is the size and the root of the largest such tree.
	MetaRecovering = "recovering"
	// MetaRecovered is when nodes last declared a recovery by themselves, in Unix milliseconds.
	MetaRecovered = "recovered"
	// MetaMoving is there while a move to this database is not finished (package move), with its progress.
	MetaMoving = "moving"
	// MetaMoved is there once this database was moved to another one: no service starts on it.
	MetaMoved = "moved"
)

// Prefixes of the keys of table ledger_game, by kind of game.
const (
	RunPrefix     = "run:"
	DuelPrefix    = "duel:"
	SeasonPrefix  = "season:"
	CupPrefix     = "cup:"
	ListingPrefix = "listing:"
	OfferPrefix   = "offer:"
	VoidPrefix    = "void:"    // and the key of the game whose result is void
	RestorePrefix = "restore:" // and the key of the game whose result was void
)

// ErrDamaged reports rows that this package never writes. The audit names them.
var ErrDamaged = errors.New("the stored chain is damaged")

// ChunkSize is the most raw transactions that share a row of chain_chunk.
const ChunkSize = 64

// lengthSize is the number of bytes of the length before each raw transaction.
const lengthSize = 4

// JoinChunk returns the body of a chunk that holds the raw transactions, in their order.
func JoinChunk(raws [][]byte) []byte {
	size := 0
	for _, raw := range raws {
		size += lengthSize + len(raw)
	}
	body := make([]byte, 0, size)
	for _, raw := range raws {
		body = binary.BigEndian.AppendUint32(body, uint32(len(raw)))
		body = append(body, raw...)
	}
	return body
}

// SplitChunk returns the raw transactions in the body of a chunk, as slices of the body. With
// ErrDamaged it returns those before the damage.
func SplitChunk(body []byte) ([][]byte, error) {
	raws := make([][]byte, 0, ChunkSize)
	for len(body) > 0 {
		if len(body) < lengthSize {
			return raws, ErrDamaged
		}
		n := int64(binary.BigEndian.Uint32(body))
		if n > int64(len(body)-lengthSize) {
			return raws, ErrDamaged
		}
		end := lengthSize + n
		raws = append(raws, body[lengthSize:end:end])
		body = body[end:]
	}
	return raws, nil
}

// Prefix returns the first 8 bytes of a hash as a signed integer, the key of chain_index.
func Prefix(h chain.Hash) int64 { return int64(binary.BigEndian.Uint64(h[:8])) }

// Nullable returns the bytes of a hash or address, or nil (NULL) for the zero value.
func Nullable[T chain.Hash | chain.Address](v T) []byte {
	var zero T
	if v == zero {
		return nil
	}
	switch v := any(v).(type) {
	case chain.Hash:
		return v[:]
	case chain.Address:
		return v[:]
	}
	return nil
}

// Account holds the columns of ledger_account, except for the address, in their order.
type Account struct {
	Kind         string
	Balance      int64
	Bound        int64
	Nonce        int64
	Commitment   []byte
	CommitmentTx []byte
	BoundStart   int64
	SecuredAt    int64
	FaucetAt     int64
	Playing      string
	Paid         int64
	PaidBound    int64
	Recovery     int64
	FreeDay      int64
	FreeEntries  int64
	DailyDay     int64
	DailyEntries int64
}

// State returns the state in the row.
func (r *Account) State() chain.Account {
	a := chain.Account{
		Kind: chain.AccountKind(r.Kind), Balance: r.Balance, Bound: r.Bound, Nonce: r.Nonce,
		BoundStart: r.BoundStart != 0, SecuredAt: r.SecuredAt, FaucetAt: r.FaucetAt, Playing: chain.Entry(r.Playing),
		Paid: r.Paid, PaidBound: r.PaidBound, Recovery: r.Recovery,
		FreeDay: r.FreeDay, Free: r.FreeEntries, DailyDay: r.DailyDay, Daily: r.DailyEntries,
	}
	copy(a.Commitment[:], r.Commitment)
	return a
}

// Bit returns the column of a mark: 1 for true.
func Bit(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// Token returns the state in a row of ledger_token.
func Token(tier int64, owner []byte, bound int64) chain.Token {
	t := chain.Token{Tier: tier, Bound: bound != 0}
	copy(t.Owner[:], owner)
	return t
}

// Game holds the columns of ledger_game, except for the id, in their order.
type Game struct {
	Step  int64
	A     []byte
	B     []byte
	Tier  int64
	Stake int64
	Bound int64
}

// State returns the state in the row.
func (r *Game) State() chain.Game {
	g := chain.Game{Step: chain.GameStep(r.Step), Tier: r.Tier, Stake: r.Stake, Bound: r.Bound != 0}
	copy(g.A[:], r.A)
	copy(g.B[:], r.B)
	return g
}
