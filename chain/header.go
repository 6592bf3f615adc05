package chain

import (
	"fmt"

	"roshambo/canon"
)

// Header is a block's header.
type Header struct {
	Height     int64 // 0 is genesis
	MerkleRoot Hash  // over the transactions' hashes
	Prev       Hash  // hash of the block before; all zeros for genesis
	Time       int64 // Unix milliseconds, never less than the block's before
	TxCount    int64
}

// Raw returns the text that is hashed.
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

// ParseHeader reads a header's raw and accepts only what Raw writes.
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

func appendHash(b []byte, h Hash) []byte {
	b = append(b, '"')
	for _, c := range h {
		b = append(b, hexDigits[c>>4], hexDigits[c&15])
	}
	return append(b, '"')
}

func readHash(r *canon.Reader) Hash {
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

// readCount reads an integer that must not be negative.
func readCount(r *canon.Reader) int64 {
	n := r.Int()
	if n < 0 {
		r.Fail("a negative number where none may be")
	}
	return n
}
