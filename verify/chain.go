package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/chain/games"
	"roshambo/chain/replay"
)

// ChainChecks lists the checks of a whole chain, for the reports of every command that makes them.
const ChainChecks = "every block hash, Merkle root, transaction hash, balance, nonce, commitment and owner, " +
	"and every game, re-derived from genesis; the tables of cups, but for who entered or left a cup and which casual " +
	"duels of a pair were played for it; the tables of seasons, but for points that are missing and the order of equal " +
	"ones"

// ChainOptions configure the verification of a chain. The zero value trusts the key that comes with
// the chain and keeps all state in memory.
type ChainOptions struct {
	// Key is the verifier key that must have signed the checkpoint, from a source other than
	// the chain. When it is nil, the key that comes with the chain is used. A malformed key, ""
	// included, is a problem of the checkpoint.
	Key *string
	// Witnesses are the verifier keys of witnesses, of which Quorum must have cosigned the checkpoint,
	// all when it is 0. Without any, cosignatures are not checked, and a quorum is a problem.
	Witnesses []string
	Quorum    int
	// WitnessesFrom is the height from which on rules begin only a day after the witnesses have seen them. A
	// reader whose witnesses were added later names the height of the next block of that time.
	WitnessesFrom int64
	// VerifierKey is the key that comes with the chain. It is trusted when Key is nil, and compared with it
	// otherwise.
	VerifierKey string
	// Extends is a signed checkpoint that was kept earlier: the chain must have grown from its tree, or be
	// it. "" is none. It must be signed by the same key.
	Extends string
	// Transactions is the approximate number of transactions. It determines how many spill
	// files are used, nothing else.
	Transactions int64
	// Spill creates a spill file (replay.Options.Spill). Without it all state is in memory.
	Spill func() (io.ReadWriteCloser, error)
	// Progress, when set, is called every 64 blocks and at the end with the numbers of blocks
	// and transactions read so far.
	Progress func(blocks, transactions int64)
}

// ChainReport is the result of the verification of a chain. Its JSON has the members of
// GET /api/chain/verify, and gaps and kept, which only the commands list.
type ChainReport struct {
	// Valid reports that no problem was found.
	Valid bool `json:"valid"`
	// Height is the height of the last block, -1 without blocks.
	Height int64 `json:"height"`
	// Blocks and Transactions are counts; Transactions counts those in blocks.
	Blocks       int64 `json:"blocks"`
	Transactions int64 `json:"transactions"`
	// Addresses is the number of accounts, Tokens the number of tokens with an owner.
	Addresses int64 `json:"addresses"`
	Tokens    int64 `json:"tokens"`
	// Checkpoint is the signed note.
	Checkpoint string `json:"checkpoint"`
	// Problems are the first 20, in chain order.
	Problems []ChainProblem `json:"problems"`
	// Gaps are the times between two neighbour blocks that are outages.
	Gaps ChainGaps `json:"gaps"`
	// Kept says what the kept checkpoints show.
	Kept ChainKept `json:"kept"`
	// Record are the totals over all games: the record of the house.
	Record games.Record `json:"record"`
	// TookMS is the duration in milliseconds. The caller sets it, as the package has no clock.
	TookMS int64 `json:"took_ms"`
}

// ChainGaps are the gaps between blocks (replay.Gap): the longest 20 in chain order, and the count and the sum
// of all.
type ChainGaps struct {
	Count   int64      `json:"count"`
	TotalMS int64      `json:"total_ms"`
	Longest []ChainGap `json:"longest"`
}

// ChainGap is replay.Gap in JSON. From and To are in Unix milliseconds.
type ChainGap struct {
	Height int64 `json:"height"` // of the later block
	From   int64 `json:"from"`
	To     int64 `json:"to"`
}

// ChainProblem is replay.Problem with the null values of its JSON.
type ChainProblem struct {
	Height   *int64  `json:"height"`   // of the block, nil without one
	Hash     *string `json:"hash"`     // of the block or transaction, nil without one
	What     string  `json:"what"`     // the subject
	Expected string  `json:"expected"` // follows from the chain
	Found    string  `json:"found"`    // is there instead
}

// NewChainReport converts the report of a replay. TookMS is left for the caller.
func NewChainReport(r *replay.Report, checkpoint string) ChainReport {
	out := ChainReport{
		Valid: r.Valid(), Height: r.Height, Blocks: r.Blocks, Transactions: r.Transactions, Addresses: r.Addresses,
		Tokens: r.Tokens, Checkpoint: checkpoint, Problems: make([]ChainProblem, len(r.Problems)),
	}
	out.Kept = newKept()
	out.Gaps = ChainGaps{Count: r.GapCount, TotalMS: r.GapTime, Longest: make([]ChainGap, len(r.Gaps))}
	for i, g := range r.Gaps {
		out.Gaps.Longest[i] = ChainGap(g)
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

// Chain verifies a whole chain, block by block from genesis. With spill files its memory does not
// grow with the chain.
//
//	c, err := verify.NewChain(verify.ChainOptions{…})
//	…
//	defer c.Close()
//	for … { c.Block(header, raws, transcripts); c.Kept(note) }
//	report, err := c.Finish(checkpoint)
type Chain struct {
	options ChainOptions
	replay  *replay.Replay
	games   *games.Checker
	tree    chain.Tree // of the log: a leaf per header
	txs     int64      // so far
	kept    keptChecks

	extendsSize int64      // that ChainOptions.Extends states; -1 for none
	then        chain.Hash // root of the tree of that size
}

// NewChain starts a verification. The caller must end it with Finish or Close. An error means that
// a spill file cannot be created.
func NewChain(o ChainOptions) (*Chain, error) {
	// One part without spill files. The limit keeps open files low on small machines.
	parts := 1
	if o.Spill != nil {
		parts = min(replay.PartsFor(max(o.Transactions, 0)), maxParts)
	}
	c := &Chain{options: o, games: games.New(), extendsSize: -1}
	c.kept = keptChecks{key: o.VerifierKey, hour: -1, since: o.WitnessesFrom, report: newKept()}
	c.kept.rules = ruleChanges{height: noHeight, announced: noHeight}
	if o.Key != nil {
		c.kept.key = *o.Key
	}
	if w, err := (witnessPolicy{o.Witnesses, o.Quorum}).parse(); err == nil { // otherwise Finish reports it
		c.kept.witnesses = &w
	}
	if o.Extends != "" {
		c.extendsSize = 0
		if body, _, err := parseNote(o.Extends); err == nil {
			stated, _ := parseTree(body) // Finish reports an error
			c.extendsSize = stated.size
		}
	}
	if c.extendsSize == 0 {
		c.then = c.tree.Root()
	}
	var err error
	c.replay, err = replay.New(replay.Options{
		Parts: parts, Spill: o.Spill,
		Begin: func(h *chain.Header) { c.kept.rules.height++; c.games.Begin(h) },
		Visit: func(hash chain.Hash, tx *chain.Tx, parsed bool) {
			if parsed { // the replay reports one that does not parse
				c.games.Transaction(hash, tx)
				c.kept.rules.visit(hash, tx)
			}
		},
	})
	if err != nil {
		c.games.Close()
		return nil, err
	}
	c.games.Earn, c.games.Stated = c.replay.Earn, c.replay.Stated
	return c, nil
}

// maxParts limits the spill files that a verification has open.
const maxParts = 256

// progressBlocks is the number of blocks between calls of Progress.
const progressBlocks = 64

// Block adds the next block: the header's raw, the transactions' raws in order, and the transcripts of
// the games that they end, in the same order. The caller must not change the slices afterwards.
func (c *Chain) Block(header []byte, txs, transcripts [][]byte) {
	c.header(header)
	c.games.Add(transcripts)
	// An export has no stored hashes: the replay compares the derived hash with itself.
	c.replay.Block(replay.Block{Hash: chain.HashBlock(header), Header: header, Txs: txs})
	c.tree.Add(chain.LeafHash(header))
	if c.tree.Size() == c.extendsSize {
		c.then = c.tree.Root()
	}
	c.txs += int64(len(txs))
	if c.options.Progress != nil && c.tree.Size()%progressBlocks == 0 {
		c.options.Progress(c.tree.Size(), c.txs)
	}
}

// AddProblem adds a problem that the caller found outside the chain's texts, in the tiles of its log
// for example. height is -1 for a problem without a block.
func (c *Chain) AddProblem(height int64, what, expected, found string) {
	c.replay.AddProblem(replay.Problem{Height: height, What: what, Expected: expected, Found: found})
}

// noHeight is the height of problems without a block.
const noHeight = -1

// Finish compares the chain with its checkpoint and returns the report. The checkpoint must be signed
// by ChainOptions.Key, or by ChainOptions.VerifierKey when that is nil. A key that differs from
// the pinned one is a problem. An error means that a spill file failed.
func (c *Chain) Finish(checkpoint string) (ChainReport, error) {
	c.replay.Drain()
	if c.options.Progress != nil {
		c.options.Progress(c.tree.Size(), c.txs)
	}
	// A chain that comes with another key than the pinned one is suspect even when the pinned key
	// has signed it, so the difference is a problem of its own.
	key := c.kept.key
	if came := c.options.VerifierKey; came != "" && came != key {
		c.AddProblem(noHeight, "verifier key", key, came)
	}
	origin, err := c.checkpoint(checkpoint, key)
	if err != nil {
		expected := fmt.Sprintf("of a tree of %d blocks, signed by %s", c.tree.Size(), origin)
		c.AddProblem(noHeight, "checkpoint", expected, err.Error())
	}
	if c.options.Extends != "" {
		if err := c.extends(key); err != nil {
			c.AddProblem(noHeight, "the checkpoint of --extends", "of a tree that the chain extends", err.Error())
		}
	}
	var newest *cosigned
	if w := (witnessPolicy{c.options.Witnesses, c.options.Quorum}); w.asked() {
		// The last block is the latest one, or the replay finds a problem.
		by, err := w.check(&checkpoint, []int64{c.kept.time})
		if newest = &by; err != nil {
			newest = nil
			c.AddProblem(noHeight, "cosignatures", "those of the witnesses", err.Error())
		}
	}
	c.finishKept(newest)
	played := c.games.Finish()
	for _, p := range played.Problems {
		c.replay.AddProblem(p)
	}
	report, err := c.replay.Finish()
	if err != nil {
		return ChainReport{}, err
	}
	out := NewChainReport(report, checkpoint)
	out.Record, out.Kept = played.Record, c.kept.report
	if report.Name != origin && origin != "" {
		out.Valid = false
		// Genesis is in block 0. The problem is added here, after the replay's own ones, because the
		// name is known only after Finish.
		zero := int64(0)
		problem := ChainProblem{Height: &zero, What: "chain name", Expected: origin, Found: report.Name}
		out.Problems = append(out.Problems, problem)
	}
	return out, nil
}

// Close aborts a verification and releases its files. After Finish it does nothing.
func (c *Chain) Close() {
	c.replay.Close() // first: it calls the checker
	c.games.Close()
}

// checkpoint checks the signed checkpoint against the key and the tree of the blocks. It returns the
// origin that the checkpoint must have, also on error, and "" when the key is malformed.
func (c *Chain) checkpoint(text, verifierKey string) (origin string, err error) {
	key, err := ParseKey(verifierKey)
	if err != nil {
		return "", err
	}
	stated, err := key.Checkpoint(text)
	if err != nil {
		return key.Name, err
	}
	// The signature holds, so the log has signed another tree than the tree of the blocks.
	if stated.Size != c.tree.Size() || stated.Root != c.tree.Root() {
		return key.Name, fmt.Errorf("a tree of %d blocks with root %v, where the blocks have root %v",
			stated.Size, stated.Root, c.tree.Root())
	}
	return key.Name, nil
}

// extends compares the tree with a reader's own memory of it, which no later signature can replace: it
// returns an error unless the chain extends the tree of the checkpoint of --extends, which verifierKey
// must have signed.
func (c *Chain) extends(verifierKey string) error {
	key, err := ParseKey(verifierKey)
	if err != nil {
		return err
	}
	then, err := key.Checkpoint(c.options.Extends)
	switch {
	case err != nil:
		return err
	case then.Size > c.tree.Size():
		return fmt.Errorf("a tree of %d blocks, where the chain has %d", then.Size, c.tree.Size())
	case then.Root != c.then:
		return fmt.Errorf("a tree of %d blocks with root %v, where the chain had root %v", then.Size, then.Root, c.then)
	}
	return nil
}

// Export verifies a whole chain in the format of package export. Problems of the chain and of the
// format are in the report. An error comes from r or a spill file. o.Transactions is taken from
// the export.
func Export(r io.Reader, o ChainOptions) (ChainReport, error) {
	x, err := export.NewReader(r)
	if err != nil {
		return malformed(err)
	}
	o.Transactions, o.VerifierKey = x.Info.Transactions, x.Info.VerifierKey
	c, err := NewChain(o)
	if err != nil {
		return ChainReport{}, err
	}
	// Finish has ended the replay when Close runs; after an error Close releases the files.
	defer c.Close()
	for {
		b, err := x.Block()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return malformed(err)
		}
		c.Block(b.Header, b.Txs, b.Transcripts)
		if b.Kept != "" {
			c.Kept(b.Kept)
		}
	}
	// The counts in the first line are unsigned, but a reader may have relied on them.
	if blocks := c.tree.Size(); x.Info.Blocks != blocks || x.Info.Transactions != c.txs {
		c.AddProblem(noHeight, "counts in the first line", fmt.Sprintf("%d blocks, %d transactions", blocks, c.txs),
			fmt.Sprintf("%d blocks, %d transactions", x.Info.Blocks, x.Info.Transactions))
	}
	return c.Finish(x.Checkpoint)
}

// malformed returns the report on a malformed export, or err when it is another error.
func malformed(err error) (ChainReport, error) {
	bad, ok := errors.AsType[*export.MalformedError](err)
	if !ok {
		return ChainReport{}, err
	}
	return ChainReport{Height: noHeight, Gaps: ChainGaps{Longest: []ChainGap{}},
		Kept: newKept(), Problems: []ChainProblem{{
			What: fmt.Sprintf("line %d of the export", bad.Line), Expected: "a line of " + export.Format, Found: bad.What,
		}}}, nil
}

// WriteText writes the report as text: counts, checkpoint, problems, and the verdict. The error
// comes from w.
func (r *ChainReport) WriteText(w io.Writer) error {
	var b strings.Builder
	const counts = "height        %d\nblocks        %d\ntransactions  %d\naddresses     %d\ntokens        %d\n" +
		"games         %d runs with %d throws, %d duels\ntook          %d ms\n"
	fmt.Fprintf(&b, counts, r.Height, r.Blocks, r.Transactions, r.Addresses, r.Tokens, r.Record.Runs, r.Record.Throws,
		r.Record.Duels, r.TookMS)
	if r.Gaps.Count > 0 {
		fmt.Fprintf(&b, "gaps          %d of more than %s between two blocks, %s in all\n", r.Gaps.Count,
			clock(replay.MaxQuiet), clock(r.Gaps.TotalMS))
	}
	for _, g := range r.Gaps.Longest {
		fmt.Fprintf(&b, "    %s before block %d, from %s\n", clock(g.To-g.From), g.Height, utc(g.From))
	}
	b.WriteString(r.Kept.Text())
	if r.Checkpoint != "" {
		b.WriteString("checkpoint\n")
		for line := range strings.Lines(r.Checkpoint) {
			b.WriteString("    " + printable(line) + "\n")
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem       %s: expected %s, found %s",
			printable(p.What), printable(p.Expected), printable(p.Found))
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

// The package has no clock and no calendar, as it is pure.

// clock returns milliseconds as hours, minutes and seconds.
func clock(ms int64) string {
	return fmt.Sprintf("%d:%02d:%02d", ms/3_600_000, ms/60_000%60, ms/1000%60)
}

// utc returns Unix milliseconds as a date and a time of day.
func utc(ms int64) string {
	// Years of the Gregorian calendar begin in March here, so that a leap day is the last day of its year, and
	// 146,097 days are 400 years.
	days := ms/86_400_000 + 719_468
	era, day := days/146_097, days%146_097
	year := (day - day/1460 + day/36_524 - day/146_096) / 365
	day -= 365*year + year/4 - year/100
	month := (5*day + 2) / 153
	day -= (153*month+2)/5 - 1
	if year += 400 * era; month >= 10 {
		year, month = year+1, month-12
	}
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", year, month+3, day, ms/3_600_000%24, ms/60_000%60, ms/1000%60)
}

// printable removes control characters, so that untrusted text cannot control a terminal.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if isControl(c) || c == '\n' || c >= 0x7f && c < 0xa0 {
			return -1
		}
		return c
	}, s)
}

// WriteJSON writes the report as one line of JSON. The error comes from w.
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
