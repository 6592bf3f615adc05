package replay

import (
	"slices"

	"roshambo/chain"
)

// batchSize is how many transactions and blocks go through the pipeline together:
// enough that handing over costs little, few enough that little is in flight.
const batchSize = 512

// batch is what goes through the pipeline: some blocks in order. One that was
// applied is used again.
type batch struct {
	blocks []block
	size   int           // transactions and blocks
	txs    []parsedTx    // of all blocks
	hashes []chain.Hash  // of txs
	ready  chan struct{} // closed when prepared
	// settled, when set, is closed by the applier; such a batch is empty.
	drained chan struct{}
}

// block is a block with all that can be said of it alone. A pending transaction
// travels as a block of its own, without a header.
type block struct {
	Block
	pending   bool
	header    chain.Header
	headerErr error
	hash      chain.Hash // of the header
	root      chain.Hash // over the transactions
	txs       []parsedTx // within those of the batch
}

type parsedTx struct {
	tx   chain.Tx
	hash chain.Hash
	err  error
}

// prepare hashes and parses; it runs on any processor.
func (b *batch) prepare() {
	b.txs = slices.Grow(b.txs[:0], b.size)
	b.hashes = slices.Grow(b.hashes[:0], b.size)
	for i := range b.blocks {
		b.blocks[i].prepare(b)
	}
}

func (block *block) prepare(b *batch) {
	from, to := len(b.txs), len(b.txs)+len(block.Txs)
	b.txs, b.hashes = b.txs[:to], b.hashes[:to]
	block.txs = b.txs[from:]
	for i, raw := range block.Txs {
		t := &block.txs[i]
		t.hash = chain.HashTx(raw)
		t.tx, t.err = chain.ParseTx(raw)
		b.hashes[from+i] = t.hash
	}
	if block.pending {
		return
	}
	block.hash = chain.HashBlock(block.Header)
	block.header, block.headerErr = chain.ParseHeader(block.Header)
	block.root = chain.MerkleRoot(b.hashes[from:])
}

// reset empties b for its next use, but for its space.
func (b *batch) reset() {
	clear(b.blocks)
	clear(b.txs)
	b.blocks, b.txs, b.size = b.blocks[:0], b.txs[:0], 0
}
