// Package chain defines the simulated chain: transactions, block headers, Merkle trees, and
// the rules by which every balance, nonce and token owner follows from the transactions. It
// implements sections 2 to 4 of docs/protocol.md.
//
// # Data model
//
// The chain is a list of blocks. A block is a header and an ordered list of transactions;
// the header holds the Merkle root of the transactions' hashes and the hash of the header
// before it. Block 0 holds the genesis transaction alone. A transaction (Tx) has an actor,
// the actor's nonce, a time, up to three transfers, and data that depends on its kind:
//
//	genesis         names the chain and sets the first rules
//	rules           announces rules, which apply from 24 hours later on
//	account.create  opens the actor's account with the starting balance, publishes the
//	                commitment of its first run
//	account.secure  records that the actor has a password or a verified mailbox
//	faucet          creates the faucet's amount for the actor
//	recovery        declares that the house continues from an older state of its database
//	commitment.rotate  replaces the outstanding commitment after a recovery
//	run.start       starts a run: pays the entry (coins or a token destroyed), uses up the
//	                outstanding commitment, publishes the one of the next run
//	run.end         ends a run: creates a token of the tier reached when it was claimed, gives the
//	                entry back when a recovery has made it void
//	duel.stake      moves the actor's stake into the duel's escrow
//	duel.settle     ends a duel: pays the escrow to the winner, or both stakes back
//	market.sale     sells a token: price to the seller, fee destroyed, token to the buyer
//	buyback         destroys a token of the actor and creates its buyback price
//	season.close    pins the hash of a season's final table
//	cup.close       pins the hash of a cup's final table
//	result.void     declares the result of a rated duel or of a daily run void
//	result.restore  takes a result.void back
//
// The actor of genesis, rules, recovery, duel.settle, season.close, cup.close, result.void and
// result.restore is null: the chain itself acts.
// Four states follow from the transactions, each with an Apply method: an Account (kind,
// balance, nonce, outstanding commitment, …) or a duel's escrow (balance) per Address, a Token
// (tier, owner) per id, and a Game (a run, duel, season or cup) per id.
//
// # Bound and free value
//
// Value given in bulk is bound, and so is whatever is won with bound value. Bound coins come from
// the faucet, from a bound start, and from bound tokens that the house buys; they pay entry fees
// alone, before free coins do. A token is bound when a bound coin or a bound token entered its run,
// or when an account with a bound start that has not been secured for 3 days won it with a free or
// daily entry. It cannot be sold to another account.
//
// # Hashes
//
// A transaction or header is hashed as the text in which it travels, its raw. A raw is
// canonical JSON (package canon), read strictly: each kind of transaction has exactly its
// members, in sorted order.
//
//	tx_hash         = SHA-256("roshambo/tx/v1\n" || raw)
//	block_hash      = SHA-256("roshambo/block/v1\n" || header raw)
//	transcript_hash = SHA-256("roshambo/transcript/v1\n" || transcript raw)
//	merkle_root     = MTH of RFC 6962 over the tx_hash values in block order
//
// # Rules
//
// A transaction is checked in two steps, so that the server's ledger and an independent
// replay share the rules whatever storage they use:
//
//	effects, err := rules.Effects(tx)         // shape and amounts of the kind; needs no state
//	err = account.Apply(&effects.Accounts[0]) // the state of one account, token or game
//
// Every rule concerns either the transaction alone, or one account, one token or one game.
// No rule spans two of them, so states can be stored and checked in any partition. Package
// replay uses this to verify chains of any length in bounded memory.
//
// # Proofs
//
// The hashes of a block's transactions are the leaves of the block's Merkle tree, and the
// headers are the leaves of the log's tree. A signed checkpoint states the size and the root of
// the log's tree, so two inclusion proofs connect a transaction with a signature:
//
//	hash := chain.HashTx(raw)
//	header, err := chain.ParseHeader(headerRaw)
//	err = chain.VerifyInclusion(chain.LeafHash(hash[:]), index, header.TxCount, txProof, header.MerkleRoot)
//	err = chain.VerifyInclusion(chain.LeafHash(headerRaw), header.Height, size, blockProof, logRoot)
//
// Package verify checks checkpoints, and whole proofs of runs and duels.
//
// The package is pure: standard library only, no clock, no randomness, no storage.
package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Hash is a SHA-256 digest. Its text is 64 lowercase hex digits. The zero Hash is never the
// hash of a document; optional hashes use it for "none".
type Hash [sha256.Size]byte

// String returns the hash in lowercase hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads 64 lowercase hex digits and returns an error for any other text.
func ParseHash(s string) (Hash, error) { return parseHash(s) }

// parseHash is ParseHash for strings and for slices of a document. It looks up every digit
// without branching, and checks the collected values once.
func parseHash[T string | []byte](s T) (h Hash, err error) {
	if len(s) != 2*len(h) {
		return Hash{}, fmt.Errorf("chain: a hash has %d hex digits, got %d", 2*len(h), len(s))
	}
	var wrong byte // the OR of all values: above 15 when a character is not a digit
	for i := range h {
		hi, lo := hexValue[s[2*i]], hexValue[s[2*i+1]]
		wrong |= hi | lo
		h[i] = hi<<4 | lo
	}
	if wrong > 15 {
		return Hash{}, errors.New("chain: a hash is lowercase hex")
	}
	return h, nil
}

const hexDigits = "0123456789abcdef"

// hexValue maps a lowercase hex digit to its value and every other byte to 255.
var hexValue = func() (v [256]byte) {
	for i := range v {
		v[i] = 255
	}
	for i, c := range hexDigits {
		v[c] = byte(i)
	}
	return v
}()

// The domains separate hashes by the kind of text, so that no text of one kind can pass for
// one of another kind.
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

// hashDomain returns SHA-256(domain || raw).
func hashDomain(domain string, raw []byte) (h Hash) {
	d := sha256.New()
	d.Write([]byte(domain))
	d.Write(raw)
	d.Sum(h[:0])
	return h
}
