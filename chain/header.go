package chain

import (
	"fmt"

	"roshambo/canon"
)

// Header is a block's header (docs/protocol.md, section 3). The header's raw is also the
// entry at Height of the transparency log.
//
//	{"height":n,"merkle_root":hash,"prev":hash,"time":ms,"tx_count":n,"v":1}
type Header struct {
	Height     int64 // 0 for genesis
	MerkleRoot Hash  // of the transactions' hashes, see MerkleRoot
	Prev       Hash  // hash of the previous block, see HashBlock; all zeros for genesis
	Time       int64 // Unix milliseconds, never less than that of the previous block
	TxCount    int64 // number of transactions, 0 or more; exactly 1 for genesis
}

// Raw returns the canonical text of the header, which HashBlock hashes. It panics when a
// number is beyond 2^53-1.
func (h Header) Raw() []byte {
	b := make([]byte, 0, 256)
	b = append(b, `{"height":`...)
	b = canon.AppendInt(b, h.Height)
	b = appendHash(append(b, `,"merkle_root":`...), h.MerkleRoot)
	b = appendHash(append(b, `,"prev":`...), h.Prev)
	b = canon.AppendInt(append(b, `,"time":`...), h.Time)
	b = canon.AppendInt(append(b, `,"tx_count":`...), h.TxCount)
	return append(b, `,"v":1}`...)
}

// ParseHeader reads a header's raw and accepts only texts that Raw writes. The rules between
// blocks (height, prev, time) and the Merkle root are for the caller to check.
func ParseHeader(raw []byte) (Header, error) {
	var h Header
	r := canon.NewReader(raw)
	r.Literal(`{"height":`)
	h.Height = readCount(&r)
	r.Literal(`,"merkle_root":`)
	h.MerkleRoot = readHash(&r)
	r.Literal(`,"prev":`)
	h.Prev = readHash(&r)
	r.Literal(`,"time":`)
	h.Time = readCount(&r)
	r.Literal(`,"tx_count":`)
	h.TxCount = readCount(&r)
	r.Literal(`,"v":1}`)
	if err := r.End(); err != nil {
		return Header{}, fmt.Errorf("chain: block header: %w", err)
	}
	return h, nil
}

// appendHash appends h as a string of hex digits.
func appendHash(b []byte, h Hash) []byte {
	b = append(b, '"')
	for _, c := range h {
		b = append(b, hexDigits[c>>4], hexDigits[c&15])
	}
	return append(b, '"')
}

// readHash reads a string of 64 lowercase hex digits.
func readHash(r *canon.Reader) Hash {
	// Chars is safe here: parseHash refuses every byte that is not a hex digit.
	s := r.Chars(2 * len(Hash{}))
	if r.Err() != nil {
		return Hash{}
	}
	h, err := parseHash(s)
	if err != nil {
		r.Fail(err.Error())
	}
	return h
}

// readCount reads an integer from 0 to 2^53-1.
func readCount(r *canon.Reader) int64 {
	n := r.Int()
	if n < 0 {
		r.Fail("a negative number")
	}
	return n
}
