package verify

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/chain/replay"
)

// ChainChecks says in a sentence what is checked of a whole chain, wherever it is read.
const ChainChecks = "every block hash, Merkle root, transaction hash, balance, nonce, commitment and owner, re-derived from genesis"

// ChainOptions are what the caller knows beside a chain.
type ChainOptions struct {
	// Key is the verifier key that must have signed the checkpoint, as known from
	// elsewhere. Without it the key that comes with the chain is used.
	Key string
	// Transactions is about how many there are; the memory is planned with it.
	Transactions int64
	// Spill makes a file for what waits (replay.Options.Spill); without it all is kept
	// in memory.
	Spill func() (io.ReadWriteCloser, error)
	// Progress, when set, is told now and then how far it is.
	Progress func(blocks, transactions int64)
}

// ChainReport is what was found in a whole chain; its JSON has the members of
// GET /api/chain/verify.
type ChainReport struct {
	Valid        bool           `json:"valid"`
	Height       int64          `json:"height"`
	Blocks       int64          `json:"blocks"`
	Transactions int64          `json:"transactions"` // in blocks
	Addresses    int64          `json:"addresses"`
	Tokens       int64          `json:"tokens"` // in somebody's wallet
	Checkpoint   string         `json:"checkpoint"`
	Problems     []ChainProblem `json:"problems"` // the first 20
	TookMS       int64          `json:"took_ms"`  // the caller's to fill in
}

// ChainProblem is something that is not as it must be.
type ChainProblem struct {
	Height   *int64  `json:"height"` // nil where no block is concerned
	Hash     *string `json:"hash"`   // of a block or transaction
	What     string  `json:"what"`
	Expected string  `json:"expected"`
	Found    string  `json:"found"`
}

// NewChainReport makes a report of what a replay found.
func NewChainReport(r *replay.Report, checkpoint string) ChainReport {
	out := ChainReport{
		Valid: r.Valid(), Height: r.Height, Blocks: r.Blocks, Transactions: r.Transactions, Addresses: r.Addresses,
		Tokens: r.Tokens, Checkpoint: checkpoint, Problems: make([]ChainProblem, len(r.Problems)),
	}
	for i, p := range r.Problems {
		w := ChainProblem{What: p.What, Expected: p.Expected, Found: p.Found}
		if p.Height >= 0 {
			w.Height = &p.Height
		}
		if p.Hash != "" {
			w.Hash = &p.Hash
		}
		out.Problems[i] = w
	}
	return out
}

// Chain verifies a whole chain, block by block from genesis, with flat memory.
//
//	c, err := verify.NewChain(verify.ChainOptions{…})
//	…
//	defer c.Close()
//	for … { c.Block(header, raws) }
//	report, err := c.Finish(checkpoint, verifierKey)
type Chain struct {
	options ChainOptions
	replay  *replay.Replay
	tree    chain.Tree
	txs     int64
}

// NewChain begins a verification.
func NewChain(o ChainOptions) (*Chain, error) {
	parts := 1
	if o.Spill != nil {
		parts = min(replay.PartsFor(max(o.Transactions, 0)), maxParts)
	}
	r, err := replay.New(replay.Options{Parts: parts, Spill: o.Spill})
	if err != nil {
		return nil, err
	}
	return &Chain{options: o, replay: r}, nil
}

// maxParts bounds the files that a verification has open.
const maxParts = 256

// progressBlocks is every how many blocks the caller hears of it.
const progressBlocks = 64

// Block takes the next block. Its slices must not be changed afterwards.
func (c *Chain) Block(header []byte, txs [][]byte) {
	c.replay.Block(replay.Block{Hash: chain.HashBlock(header), Header: header, Txs: txs})
	c.tree.Add(chain.LeafHash(header))
	c.txs += int64(len(txs))
	if c.options.Progress != nil && c.tree.Size()%progressBlocks == 0 {
		c.options.Progress(c.tree.Size(), c.txs)
	}
}

// Note adds a problem that the caller found beside the chain. height is -1 where no
// block is concerned.
func (c *Chain) AddProblem(height int64, what, expected, found string) {
	c.replay.AddProblem(replay.Problem{Height: height, What: what, Expected: expected, Found: found})
}

// noHeight is the height of what concerns no block.
const noHeight = -1

// Finish holds the chain against the checkpoint, which must be signed by the pinned key,
// or without one by key, which came with the chain, and reports.
func (c *Chain) Finish(checkpoint, key string) (ChainReport, error) {
	c.replay.Drain()
	if c.options.Progress != nil {
		c.options.Progress(c.tree.Size(), c.txs)
	}
	if c.options.Key != "" && key != "" && key != c.options.Key {
		c.AddProblem(noHeight, "verifier key", c.options.Key, key)
	}
	if c.options.Key != "" {
		key = c.options.Key
	}
	origin, err := c.checkpoint(checkpoint, key)
	if err != nil {
		c.AddProblem(noHeight, "checkpoint", fmt.Sprintf("of a tree of %d blocks, signed by %s", c.tree.Size(), origin), err.Error())
	}
	report, err := c.replay.Finish()
	if err != nil {
		return ChainReport{}, err
	}
	out := NewChainReport(report, checkpoint)
	if report.Name != origin && origin != "" {
		out.Valid = false
		zero := int64(0)
		out.Problems = append(out.Problems, ChainProblem{Height: &zero, What: "chain name", Expected: origin, Found: report.Name})
	}
	return out, nil
}

// Close ends a verification whose outcome nobody wants.
func (c *Chain) Close() { c.replay.Close() }

// checkpoint checks the checkpoint, and returns the origin that it must have.
func (c *Chain) checkpoint(text, verifierKey string) (origin string, err error) {
	key, err := ParseKey(verifierKey)
	if err != nil {
		return "", err
	}
	body, signatures, err := parseNote(text)
	if err != nil {
		return key.Name, err
	}
	stated, err := parseTree(body)
	if err != nil {
		return key.Name, err
	}
	signed := false
	for _, s := range signatures {
		if s.name != key.Name || s.id != key.ID {
			continue
		}
		if !ed25519.Verify(key.Public, []byte(body), s.bytes) {
			return key.Name, errors.New("the checkpoint's signature is wrong")
		}
		signed = true
	}
	switch {
	case !signed:
		return key.Name, errors.New("the checkpoint is not signed by the verifier key")
	case stated.origin != key.Name:
		return key.Name, errors.New("the checkpoint is of another origin than the verifier key")
	case stated.size != c.tree.Size() || stated.root != c.tree.Root():
		return key.Name, fmt.Errorf("a tree of %d blocks with root %v, where the blocks have root %v", stated.size, stated.root, c.tree.Root())
	}
	return key.Name, nil
}

// Export verifies a whole chain as an export has it (package export). What is wrong with
// it stands in the report, its form included; an error is of the reading.
func Export(r io.Reader, o ChainOptions) (ChainReport, error) {
	x, err := export.NewReader(r)
	if err != nil {
		return malformed(err)
	}
	o.Transactions = x.Info.Transactions
	c, err := NewChain(o)
	if err != nil {
		return ChainReport{}, err
	}
	defer c.Close()
	for {
		b, err := x.Block()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return malformed(err)
		}
		c.Block(b.Header, b.Txs)
	}
	if blocks := c.tree.Size(); x.Info.Blocks != blocks || x.Info.Transactions != c.txs {
		c.AddProblem(noHeight, "counts in the first line", fmt.Sprintf("%d blocks, %d transactions", blocks, c.txs),
			fmt.Sprintf("%d blocks, %d transactions", x.Info.Blocks, x.Info.Transactions))
	}
	return c.Finish(x.Checkpoint, x.Info.VerifierKey)
}

// malformed is the report on what is no export.
func malformed(err error) (ChainReport, error) {
	bad, ok := errors.AsType[*export.MalformedError](err)
	if !ok {
		return ChainReport{}, err
	}
	return ChainReport{Height: noHeight, Problems: []ChainProblem{{
		What: fmt.Sprintf("line %d of the export", bad.Line), Expected: "what " + export.Format + " has there", Found: bad.What,
	}}}, nil
}

// WriteText writes the report for people.
func (r *ChainReport) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "height        %d\nblocks        %d\ntransactions  %d\naddresses     %d\ntokens        %d\ntook          %d ms\n",
		r.Height, r.Blocks, r.Transactions, r.Addresses, r.Tokens, r.TookMS)
	if r.Checkpoint != "" {
		b.WriteString("checkpoint\n")
		for line := range strings.Lines(r.Checkpoint) {
			b.WriteString("    " + printable(line) + "\n")
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem       %s: expected %s, found %s", printable(p.What), printable(p.Expected), printable(p.Found))
		if p.Height != nil {
			fmt.Fprintf(&b, " (block %d)", *p.Height)
		}
		if p.Hash != nil {
			fmt.Fprintf(&b, " (%s)", *p.Hash)
		}
		b.WriteByte('\n')
	}
	if r.Valid {
		b.WriteString("VALID: " + ChainChecks + "\n")
	} else {
		b.WriteString("NOT VALID\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printable keeps what strangers wrote from steering a terminal.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if isControl(c) || c == '\n' || c >= 0x7f && c < 0xa0 {
			return -1
		}
		return c
	}, s)
}

// WriteJSON writes the report as one line of JSON.
func (r *ChainReport) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
