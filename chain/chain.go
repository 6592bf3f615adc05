// Package chain is the simulated chain: transactions, blocks, Merkle trees, and
// the rules by which every balance and every token's owner follow from them.
//
// A transaction or block header is hashed as the text it travels in, its raw.
// A raw is canonical JSON (package canon), read strictly: each kind of
// transaction has exactly its members, in sorted order, and nothing else.
//
//	tx_hash         = SHA-256("roshambo/tx/v1\n" || raw)
//	block_hash      = SHA-256("roshambo/block/v1\n" || header raw)
//	transcript_hash = SHA-256("roshambo/transcript/v1\n" || transcript raw)
//	merkle_root     = MTH of RFC 6962 over the tx_hash values in block order
//
// What a transaction does is worked out in two steps, so that the ledger of a
// running server and the replay of a stranger use the same rules on whatever
// they keep state in:
//
//	effects, err := rules.Effects(tx)      // the kind's amounts and shape; needs no state
//	err = account.Apply(effects.Accounts[0])  // the state of one account, token or claim
//
// Every rule concerns either the transaction alone or one account, one token or
// one claim (a run, a duel's settlement). There is no rule across two of them,
// so that states may be kept and checked in any partition.
//
// The package is pure: standard library only, no clock, no chance, no storage.
package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Hash is a SHA-256 digest; in text 64 lowercase hex digits.
type Hash [sha256.Size]byte

// String returns the hash in lowercase hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads 64 lowercase hex digits.
func ParseHash(s string) (Hash, error) { return parseHash(s) }

func parseHash[T string | []byte](s T) (h Hash, err error) {
	if len(s) != 2*len(h) {
		return Hash{}, fmt.Errorf("chain: a hash has %d hex digits, not %d", 2*len(h), len(s))
	}
	var wrong byte // gathers the bits that no hex digit's value has
	for i := range h {
		hi, lo := hexValue[s[2*i]], hexValue[s[2*i+1]]
		wrong |= hi | lo
		h[i] = hi<<4 | lo
	}
	if wrong > 15 {
		return Hash{}, errors.New("chain: a hash is written in lowercase hex")
	}
	return h, nil
}

const hexDigits = "0123456789abcdef"

// hexValue maps a lowercase hex digit to its value and all else to 255.
var hexValue = func() (v [256]byte) {
	for i := range v {
		v[i] = 255
	}
	for i, c := range hexDigits {
		v[c] = byte(i)
	}
	return v
}()

// The domains under which texts are hashed, so that no text of one kind can
// pass for one of another.
const (
	txDomain         = "roshambo/tx/v1\n"
	blockDomain      = "roshambo/block/v1\n"
	transcriptDomain = "roshambo/transcript/v1\n"
	escrowDomain     = "roshambo/escrow/v1\n"
)

// HashTx returns the hash of a transaction's raw.
func HashTx(raw []byte) Hash { return hashDomain(txDomain, raw) }

// HashBlock returns the hash of a block header's raw.
func HashBlock(raw []byte) Hash { return hashDomain(blockDomain, raw) }

// HashTranscript returns the hash of a run's or a duel's transcript.
func HashTranscript(raw []byte) Hash { return hashDomain(transcriptDomain, raw) }

func hashDomain(domain string, raw []byte) (h Hash) {
	d := sha256.New()
	d.Write([]byte(domain))
	d.Write(raw)
	d.Sum(h[:0])
	return h
}
