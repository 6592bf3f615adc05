// Package export writes and reads a whole chain as one text file. Every line is the exact text that
// was hashed, so a verifier in any language needs to parse nothing before it hashes
// (docs/protocol.md, section 4, "The whole chain"):
//
//	{"blocks":2,"format":"roshambo/chain-export/v1","transactions":3,"verifier_key":"…"}
//	{"height":0,…,"tx_count":1,"v":1}             the header raw of block 0
//	{"actor":null,…}                              the raws of its transactions, tx_count lines
//	{"height":1,…,"tx_count":2,"v":1}             and so on for every block, in order
//	{"actor":"rps1…",…}
//	{"actor":"rps1…",…}
//	[{"entropy_hash":…},…]                        the transcripts and tables that its transactions pin
//	{"kept":"…\n2\n…\n\n— …\n— …\n"}             a cosigned checkpoint of the log up to this block, if one is kept
//	{"checkpoint":"…\n2\n…\n\n— …\n"}             the signed checkpoint of the log of these blocks
//
// Every line ends with a newline; a raw is canonical JSON and contains none. The first and the
// last line are canonical JSON too, with exactly these members. The counts in the first line
// let a reader plan its memory; package verify compares them with the blocks.
//
// The package is pure. It checks the form alone; package verify checks the content.
package export

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"roshambo/canon"
	"roshambo/chain"
)

// Format is the member format of the first line.
const Format = "roshambo/chain-export/v1"

const (
	// MaxLine is the longest line, in bytes without its end. The transcript of a duel of 60 rounds with
	// salts of 512 bytes, each written as an escape of 6 bytes, has less than 400,000. The largest
	// transactions have a few thousand.
	MaxLine = 4 << 20
	// MaxTxs is the most transactions in a block, 100 times the service's own limit.
	MaxTxs = 100_000
	// maxBlock is the largest block, in bytes. It bounds the memory that a reader needs.
	maxBlock = 64 << 20
)

// Info is the content of the first line.
type Info struct {
	Blocks       int64
	Transactions int64  // of all blocks
	VerifierKey  string // of the log, name+id+base64 (section 4)
}

// Block is a block in the texts that were hashed.
type Block struct {
	Header []byte   // raw
	Txs    [][]byte // raws, in order
	// Transcripts are the transcripts of the games that end in the block, and the tables of the cups
	// and seasons that close in it, in the order of the transactions that pin them (chain.Pins). The
	// pages below /log/blocks/ leave them out.
	Transcripts [][]byte
	// Kept is the cosigned checkpoint of the tree that ends with the block, "" when none is kept. Pages leave
	// it out.
	Kept string
}

// AppendInfo appends the first line to b.
func AppendInfo(b []byte, i Info) []byte {
	b = canon.AppendInt(append(b, `{"blocks":`...), i.Blocks)
	b = append(b, `,"format":"`+Format+`","transactions":`...)
	b = canon.AppendInt(b, i.Transactions)
	b = canon.AppendString(append(b, `,"verifier_key":`...), i.VerifierKey)
	return append(b, "}\n"...)
}

// AppendBlock appends the lines of a block to b: the header, each transaction, each transcript, and the kept
// checkpoint if there is one.
func AppendBlock(b []byte, block Block) []byte {
	b = append(append(b, block.Header...), '\n')
	for _, raw := range block.Txs {
		b = append(append(b, raw...), '\n')
	}
	b = AppendTranscripts(b, block.Transcripts)
	if block.Kept != "" {
		b = AppendKept(b, block.Kept)
	}
	return b
}

// AppendTranscripts appends a line for each transcript to b.
func AppendTranscripts(b []byte, transcripts [][]byte) []byte {
	for _, raw := range transcripts {
		b = append(append(b, raw...), '\n')
	}
	return b
}

// keptStart begins the line of a kept checkpoint.
const keptStart = `{"kept":`

// AppendKept appends the line of a kept checkpoint to b. note is the signed and cosigned checkpoint.
func AppendKept(b []byte, note string) []byte {
	b = canon.AppendString(append(b, keptStart...), note)
	return append(b, "}\n"...)
}

// ParseKept reads a line of AppendKept without its end; ok is false for any other text.
func ParseKept(line []byte) (note string, ok bool) {
	c := canon.NewReader(line)
	c.Literal(keptStart)
	note = c.String()
	c.Literal(`}`)
	return note, c.End() == nil && note != ""
}

// AppendCheckpoint appends the last line to b. note is the signed checkpoint.
func AppendCheckpoint(b []byte, note string) []byte {
	b = canon.AppendString(append(b, `{"checkpoint":`...), note)
	return append(b, "}\n"...)
}

// MalformedError reports the line that violates the format. Errors of the underlying reader
// are returned as they are.
type MalformedError struct {
	Line int64  // counted from 1
	What string // the fault
}

func (e *MalformedError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// Reader reads an export from NewReader, or a sequence of blocks from NewPartReader.
type Reader struct {
	// Info is the first line; zero for a part.
	Info Info
	// Checkpoint is the signed checkpoint of the last line, set when Block returns io.EOF;
	// empty for a part.
	Checkpoint string

	r    *bufio.Reader
	line int64 // of the next error
	part bool  // no first and last line
}

// NewReader returns a reader of a whole export and reads its first line. It returns a
// *MalformedError when that line violates the format.
func NewReader(r io.Reader) (*Reader, error) {
	x := NewPartReader(r)
	x.part = false
	line, err := x.next(nil)
	if err != nil {
		return nil, x.whole(err)
	}
	c := canon.NewReader(line)
	c.Literal(`{"blocks":`)
	x.Info.Blocks = c.Int()
	c.Literal(`,"format":"` + Format + `","transactions":`)
	x.Info.Transactions = c.Int()
	c.Literal(`,"verifier_key":`)
	x.Info.VerifierKey = c.String()
	c.Literal(`}`)
	if c.End() != nil || x.Info.Blocks < 0 || x.Info.Transactions < 0 {
		return nil, x.malformed("not the first line of a " + Format)
	}
	return x, nil
}

// NewPartReader returns a reader of blocks without a first and a last line, the form of the
// pages below /log/blocks/.
func NewPartReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 256<<10), part: true}
}

// Block returns the next block, and io.EOF after the last one. The caller owns the block. It
// returns a *MalformedError when a line violates the format, a missing last line included.
func (x *Reader) Block() (Block, error) {
	raw, err := x.next(nil)
	if x.part && errors.Is(err, io.EOF) {
		return Block{}, io.EOF
	}
	if err != nil {
		return Block{}, x.whole(err)
	}
	if !x.part && bytes.HasPrefix(raw, []byte(`{"checkpoint":`)) {
		return Block{}, x.last(raw)
	}
	header, err := chain.ParseHeader(raw)
	if err != nil {
		return Block{}, x.malformed("neither a block header nor the checkpoint")
	}
	if header.TxCount > MaxTxs {
		return Block{}, x.malformed("a block of too many transactions")
	}
	// One buffer holds the whole block; ends are the ends of its texts. Growing the buffer
	// moves it, so it is sliced only when it is complete.
	buffer := append(make([]byte, 0, 512*(1+header.TxCount)), raw...)
	ends := make([]int, 0, 1+header.TxCount)
	ends = append(ends, len(buffer))
	for int64(len(ends)) <= header.TxCount || x.atTranscript() {
		if buffer, err = x.next(buffer); err != nil {
			return Block{}, x.whole(err)
		}
		if len(buffer) > maxBlock {
			return Block{}, x.malformed("a block of too many bytes")
		}
		ends = append(ends, len(buffer))
	}
	b := Block{Header: buffer[:ends[0]:ends[0]], Txs: make([][]byte, header.TxCount)}
	for i := range b.Txs {
		b.Txs[i] = buffer[ends[i]:ends[i+1]:ends[i+1]]
	}
	for i := int(header.TxCount); i+1 < len(ends); i++ {
		b.Transcripts = append(b.Transcripts, buffer[ends[i]:ends[i+1]:ends[i+1]])
	}
	err = x.kept(&b)
	return b, err
}

// kept reads the kept checkpoint that follows a block in an export, if there is one.
func (x *Reader) kept(b *Block) error {
	if next, _ := x.r.Peek(len(keptStart)); x.part || string(next) != keptStart { // an error shows at the next read
		return nil
	}
	line, err := x.next(nil)
	if err != nil {
		return x.whole(err)
	}
	note, ok := ParseKept(line)
	if !ok {
		return x.malformed("not a kept checkpoint")
	}
	b.Kept = note
	return nil
}

// atTranscript reports whether the next line is a transcript or table.
func (x *Reader) atTranscript() bool {
	next, _ := x.r.Peek(chain.MaxPinnedStart) // an error shows at the next read
	return chain.IsPinned(next)
}

// last reads the checkpoint from the last line and checks that nothing follows. It returns
// io.EOF on success.
func (x *Reader) last(line []byte) error {
	c := canon.NewReader(line)
	c.Literal(`{"checkpoint":`)
	x.Checkpoint = c.String()
	c.Literal(`}`)
	if c.End() != nil {
		return x.malformed("not the last line of a " + Format)
	}
	if _, err := x.r.ReadByte(); err == nil {
		x.line++
		return x.malformed("something after the checkpoint")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return io.EOF
}

// next appends the next line to b, without its newline. It returns io.EOF only at the start of
// a line; a line without a newline is malformed.
func (x *Reader) next(b []byte) ([]byte, error) {
	x.line++
	from := len(b)
	for {
		piece, err := x.r.ReadSlice('\n')
		b = append(b, piece...)
		if len(bytes.TrimSuffix(b[from:], []byte("\n"))) > MaxLine {
			return nil, x.malformed("a line of too many bytes")
		}
		switch {
		case err == nil:
			return b[:len(b)-1], nil
		case errors.Is(err, io.EOF) && len(b) > from:
			return nil, x.malformed("cut off")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// whole turns an io.EOF inside a block or before the last line into a *MalformedError.
func (x *Reader) whole(err error) error {
	if errors.Is(err, io.EOF) {
		return x.malformed("missing: the file ends too early")
	}
	return err
}

func (x *Reader) malformed(what string) error { return &MalformedError{x.line, what} }
