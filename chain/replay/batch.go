package replay

import (
	"slices"

	"roshambo/chain"
)

// batchSize is the number of transactions and blocks in a full batch: large enough that the
// channel operations cost little, small enough that a pipeline of batches needs little memory.
const batchSize = 512

// batch is the unit of the pipeline: consecutive blocks. Applied batches are reused, so that
// parsing allocates little.
type batch struct {
	blocks []block
	size   int           // transactions and blocks
	txs    []parsedTx    // of all blocks, in order
	hashes []chain.Hash  // of txs
	ready  chan struct{} // closed when prepared; orders prepare before apply
	// drained marks an empty batch: the applier closes the channel when it reaches it.
	drained chan struct{}
}

// block is a block with everything that is derived from it alone. A pending transaction is a
// block of its own, without a header.
type block struct {
	Block
	pending   bool
	header    chain.Header
	headerErr error
	hash      chain.Hash // of the header
	root      chain.Hash // Merkle root of the transactions' hashes
	txs       []parsedTx // a slice of batch.txs
}

// parsedTx is a transaction after prepare; err is the error of ParseTx.
type parsedTx struct {
	tx   chain.Tx
	hash chain.Hash
	err  error
}

// prepare hashes and parses all blocks. It touches the batch alone, so any worker may run it.
func (b *batch) prepare() {
	b.txs = slices.Grow(b.txs[:0], b.size)
	b.hashes = slices.Grow(b.hashes[:0], b.size)
	for i := range b.blocks {
		b.blocks[i].prepare(b)
	}
}

// prepare hashes and parses the block, and appends its transactions to b.txs. That slice has
// capacity for all, so the slices of earlier blocks stay valid.
func (block *block) prepare(b *batch) {
	// Extend the batch's slices within their capacity; block.txs is the new section.
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
	// The stored hash is not trusted: it is compared with this one.
	block.hash = chain.HashBlock(block.Header)
	block.header, block.headerErr = chain.ParseHeader(block.Header)
	block.root = chain.MerkleRoot(b.hashes[from:])
}

// reset empties b for reuse and drops its references to raws, but keeps its memory.
func (b *batch) reset() {
	clear(b.blocks)
	clear(b.txs)
	b.blocks, b.txs, b.size = b.blocks[:0], b.txs[:0], 0
}
