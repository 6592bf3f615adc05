package layout

import (
	"bytes"
	"fmt"
	"slices"

	"roshambo/chain/export"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// BlocksPerRead is the most blocks that callers read at once, which bounds their memory.
const BlocksPerRead = 8

// Block is a block as its rows hold it, unchecked. Its slices are the caller's to keep.
type Block struct {
	Height       int64
	Hash, Header []byte
	FirstPos     int64 // position of its first transaction
	TxCount      int64
	Chunks       []Chunk
}

// Chunk is a row of chain_chunk.
type Chunk struct {
	FirstPos    int64 // position of its first transaction
	Body        []byte
	Transcripts []byte // of the games that its transactions end, as Body; nil for none
}

// ReadBlocks calls fn for up to count blocks from height first on, in ascending order. It
// returns how many it read and the height of the last one.
func ReadBlocks(tx *store.Tx, first, count int64, fn func(*Block)) (n, last int64, err error) {
	var b *Block // the query returns one row per chunk, the block's columns repeated
	done := func() {
		if b != nil {
			n, last = n+1, b.Height
			fn(b)
		}
	}
	err = tx.Scan(q.ScanBlocks, []any{first, count}, func(r store.Row) {
		if height := r.Int(0); b == nil || b.Height != height {
			done()
			b = &Block{
				Height: height, Hash: bytes.Clone(r.Bytes(1)), Header: bytes.Clone(r.Bytes(2)),
				FirstPos: r.Int(3), TxCount: r.Int(4),
			}
		}
		if !r.Null(5) {
			b.Chunks = append(b.Chunks, Chunk{r.Int(5), bytes.Clone(r.Bytes(6)), bytes.Clone(r.Bytes(7))})
		}
	})
	if err != nil {
		return n, last, err
	}
	done()
	return n, last, nil
}

// Page holds consecutive blocks.
type Page struct {
	Blocks       []export.Block
	Transactions int64 // in them
}

// ReadPage returns exactly count blocks from height first on. Errors: ErrDamaged when one is
// missing or its rows contradict one another.
func ReadPage(tx *store.Tx, first, count int64) (p Page, err error) {
	_, _, read := ReadBlocks(tx, first, count, func(b *Block) {
		if err == nil && int64(len(p.Blocks)) < count {
			err = p.add(b, first+int64(len(p.Blocks)))
		}
	})
	if read != nil {
		return Page{}, read
	}
	if err != nil {
		return p, err
	}
	if int64(len(p.Blocks)) != count {
		return p, fmt.Errorf("block %d: %w", first+int64(len(p.Blocks)), ErrDamaged)
	}
	return p, nil
}

// add appends the block that belongs at a height.
func (p *Page) add(b *Block, height int64) error {
	out := export.Block{Header: b.Header}
	for _, c := range b.Chunks {
		raws, err := SplitChunk(c.Body)
		if err != nil {
			return fmt.Errorf("block %d: %w", height, err)
		}
		out.Txs = append(out.Txs, raws...)
		if raws, err = SplitChunk(c.Transcripts); err != nil {
			return fmt.Errorf("transcripts of block %d: %w", height, err)
		}
		out.Transcripts = append(out.Transcripts, raws...)
	}
	// An export is made of lines: a newline inside a header, transaction or transcript would shift them.
	newline := slices.ContainsFunc(
		slices.Concat(out.Txs, out.Transcripts, [][]byte{b.Header}),
		func(raw []byte) bool { return bytes.IndexByte(raw, '\n') >= 0 },
	)
	if b.Height != height || int64(len(out.Txs)) != b.TxCount || newline {
		return fmt.Errorf("block %d: %w", height, ErrDamaged)
	}
	p.Blocks = append(p.Blocks, out)
	p.Transactions += b.TxCount
	return nil
}

// AppendLines appends the blocks as lines of package export.
func (p *Page) AppendLines(b []byte) []byte {
	for _, block := range p.Blocks {
		b = export.AppendBlock(b, block)
	}
	return b
}
