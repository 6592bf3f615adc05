package chain

// Header is a block's header (docs/protocol.md, section 3). The header's raw is also the
// entry at Height of the transparency log.
//
//	{"height":n,"merkle_root":hash,"prev":hash,"time":ms,"tx_count":n,"v":1}
type Header struct {
	Height     int64 // 0 for genesis
	MerkleRoot Hash  // of the transactions' hashes, see MerkleRoot
	Prev       Hash  // hash of the previous block, see HashBlock; all zeros for genesis
	Time       int64 // Unix milliseconds, never less than the time of the previous block
	TxCount    int64 // number of transactions, 0 or more; exactly 1 for genesis
}

// Raw returns the canonical text of the header, which HashBlock hashes. It panics when a
// number is beyond 2^53-1.
func (h Header) Raw() []byte { return write(256, &h) }

// ParseHeader reads a header's raw and accepts only texts that Raw writes. The rules between
// blocks (height, prev, time) and the Merkle root are for the caller to check.
func ParseHeader(raw []byte) (Header, error) { return parse("block header", raw, (*Header).members) }

func (h *Header) members(f *form) {
	f.count(`{"height":`, &h.Height)
	f.hash(`,"merkle_root":`, &h.MerkleRoot)
	f.hash(`,"prev":`, &h.Prev)
	f.count(`,"time":`, &h.Time)
	f.count(`,"tx_count":`, &h.TxCount)
	f.literal(`,"v":1}`)
}
