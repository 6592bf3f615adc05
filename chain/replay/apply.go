package replay

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"

	"roshambo/chain"
)

// applier applies blocks and transactions in chain order. Its methods run in one goroutine at a
// time: the pipeline's applyAll, and the caller's after Drain.
type applier struct {
	opts     Options
	report   Report
	problems problems
	time     int64         // highest block time so far, Unix milliseconds
	earliest int64         // the earliest time of a transaction in the current block
	latest   int64         // the latest one
	began    int64         // time of genesis
	season   int64         // the last one that was closed
	voids    map[key]int64 // by game whose result is void: the last season that was closed before
	rules    chain.InForce // zero before genesis
	recovery int64         // number of the last recovery
	crossing crossing      // the games that a recovery ends
	tree     chain.Tree    // of the log, without the block being applied
	pending  int64         // pending transactions so far
	parts    []part        // first, then spills
	first    *state        // the part that is applied right away
	spills   []*spill      // the parts that finish applies
	effects  chain.Effects // reused for each transaction
	at       position      // of the transaction being applied
}

// newApplier creates the parts and their spill files. On error it closes the files it created.
func newApplier(opts Options) (*applier, error) {
	a := &applier{opts: opts, report: Report{Height: noHeight}, problems: problems{most: opts.MaxProblems},
		voids: make(map[key]int64), crossing: newCrossing()}
	a.first = newState(opts.MaxProblems)
	a.first.voids = a.voids
	a.parts = []part{a.first}
	for range opts.Parts - 1 {
		file, err := opts.Spill()
		if err != nil {
			a.close()
			return nil, fmt.Errorf("replay: spill file: %w", err)
		}
		s := newSpill(file)
		a.spills, a.parts = append(a.spills, s), append(a.parts, s)
	}
	return a, nil
}

// close closes the spill files; the second call does nothing.
func (a *applier) close() {
	for _, s := range a.spills {
		_ = s.file.Close() // the content is not needed any more
	}
	a.spills = nil
}

// batch applies the blocks of a prepared batch.
func (a *applier) batch(b *batch) {
	for i := range b.blocks {
		a.block(&b.blocks[i])
	}
}

// block checks the header of a block, calls the caller's hooks and applies the transactions. A
// pending transaction has no header and is not passed to Visit.
func (a *applier) block(b *block) {
	if b.pending {
		a.at = position{height: noHeight, index: a.pending}
		a.earliest, a.latest = a.time-timeSlack, math.MaxInt64
		a.pending++
	} else {
		a.checkHeader(b)
		if a.opts.Begin != nil {
			a.opts.Begin(&b.header)
		}
		a.at = position{height: a.report.Height}
	}
	// Hooks see every transaction of a block, also those that the rules forbid.
	for i := range b.txs {
		t := &b.txs[i]
		a.at.hash = t.hash
		if !b.pending && a.opts.Visit != nil {
			a.opts.Visit(t.hash, &t.tx, t.err == nil)
		}
		a.transaction(t)
		a.at.index++
	}
	// Last, as a recovery names a tree other than the tree of the blocks before its own; pending transactions come
	// behind all blocks.
	if !b.pending {
		a.tree.Add(chain.LeafHash(b.Header))
	}
}

// timeSlack is how much earlier than the block before its own a transaction may be, in milliseconds:
// transactions wait for their block, and the clocks of nodes differ.
const timeSlack = 60_000

// checkHeader checks a block against its own content and the previous block, and counts it. The
// chain continues from the derived hash and height, so that a wrong field is reported once.
func (a *applier) checkHeader(b *block) {
	want := a.report.Height + 1
	reject := func(what string, expected, found any) {
		a.problems.add(Problem{
			Height: want, Hash: b.hash.String(), What: what, Expected: fmt.Sprint(expected), Found: fmt.Sprint(found),
		}, beforeAll)
	}
	// A header that cannot be parsed is zero, so its fields are problems as well.
	if b.headerErr != nil {
		reject("block header", "a canonical header", b.headerErr)
	}
	if b.hash != b.Hash {
		reject("block hash", b.hash, b.Hash)
	}
	if b.header.Height != want {
		reject("block height", want, b.header.Height)
	}
	if b.header.Prev != a.report.Head {
		reject("hash of the block before", a.report.Head, b.header.Prev)
	}
	if b.header.Time < a.time {
		reject("block time", "at least "+strconv.FormatInt(a.time, 10), b.header.Time)
	}
	if b.header.TxCount != int64(len(b.Txs)) {
		reject("number of transactions", b.header.TxCount, len(b.Txs))
	}
	if b.header.MerkleRoot != b.root {
		reject("merkle root", b.root, b.header.MerkleRoot)
	}
	// No rule of the header limits block 0; the genesis must be alone in it.
	if want == 0 && len(b.Txs) != 1 {
		reject("number of transactions", "genesis alone", len(b.Txs))
	}
	// Without this rule the house could date a transaction back, for a free entry of another day.
	a.earliest, a.latest = a.time-timeSlack, b.header.Time
	if want > 0 {
		a.report.addGap(want, a.time, b.header.Time)
	}
	// The highest time, not the last: one block from the future must not hide later ones.
	a.time = max(a.time, b.header.Time)
	a.report.Height, a.report.Head, a.report.HeaderRaw = want, b.hash, b.Header
	a.report.Blocks++
	a.report.Transactions += int64(len(b.Txs))
}

// transaction applies the transaction at a.at. A transaction that is malformed, in a forbidden
// position or refused by Rules.Effects is a problem and has no effect at all. An effect that a state
// forbids is a problem too, and leaves that state unchanged; the other effects are applied.
func (a *applier) transaction(t *parsedTx) {
	if t.err != nil {
		a.reject("a canonical transaction", t.err.Error())
		return
	}
	if expected := a.expectedInstead(&t.tx); expected != "" {
		a.reject(expected, string(t.tx.Kind()))
		return
	}
	if t.tx.Time < a.earliest || t.tx.Time > a.latest {
		a.reject(fmt.Sprintf("a time from %d to %d", a.earliest, a.latest), decimal(t.tx.Time))
		return
	}
	// Before genesis the rules are zero; expectedInstead admits nothing else then.
	if err := a.rules.Now().AppendEffects(&t.tx, &a.effects); err != nil {
		a.reject("a transaction within the rules", err.Error())
		return
	}
	// New rules apply from the next transaction on: these effects were checked with the old ones.
	switch d := t.tx.Data.(type) {
	case *chain.Genesis:
		a.report.Name, a.began = d.Name, t.tx.Time
		a.rules = chain.InForce{Latest: d.Rules, Began: t.tx.Time}
	case *chain.RulesChange:
		a.rules, _ = a.rules.Announce(d, a.latest) // expectedInstead has asked for the error
	case *chain.RulesBegin:
		// From here on, whatever the times of the transactions are.
		a.rules, _ = a.rules.Begin(d, t.tx.Time)
	case *chain.Recovery:
		a.recovery = d.Number
		a.crossing.begin()
	case *chain.SeasonClose:
		a.season = d.Season
	case *chain.ResultVoid:
		a.voids[gameKey(d.Game)] = a.season // a second one is refused with its effects
	case *chain.ResultRestore:
		delete(a.voids, gameKey(d.Game)) // expectedInstead has compared the season
	}
	// The effects know nothing of other transactions, so the number of the recovery is added to them.
	a.effects.At(a.recovery)
	a.countCoins(&t.tx)
	a.distribute()
}

// The earliest and the latest time are set with each header, so pending transactions, which have
// none, are compared with the last block alone.

// reject adds a problem of the transaction at a.at.
func (a *applier) reject(expected, found string) {
	a.problems.add(Problem{
		Height: a.at.height, Hash: a.at.hash.String(), What: "transaction", Expected: expected, Found: found,
	}, a.at.index)
}

// expectedInstead returns "" when the position a.at allows tx, otherwise the expected transaction:
// genesis is the first transaction of block 0, rules and recoveries have consecutive numbers, the
// consequences of a recovery follow it at once, seasons close in their order once they are over, and a
// result is restored before the next season closes.
func (a *applier) expectedInstead(tx *chain.Tx) string {
	// A valid genesis has a name, so the name shows that there was one.
	begun := a.report.Name != ""
	switch d := tx.Data.(type) {
	case *chain.Genesis:
		if begun || a.at.height != 0 || a.at.index != 0 {
			return "one genesis, alone in block 0"
		}
		return ""
	case *chain.RulesChange:
		if _, err := a.rules.Announce(d, a.latest); begun && err != nil {
			return err.Error()
		}
	case *chain.RulesBegin:
		// The notice counts from the block of the announcement, which readers have seen, not from a time that
		// the house has written into it.
		if _, err := a.rules.Begin(d, tx.Time); begun && err != nil {
			return err.Error()
		}
	case *chain.Recovery:
		if begun && d.Number != a.recovery+1 {
			return "recovery number " + decimal(a.recovery+1)
		}
		// A tree that is still there is no loss. A smaller one cannot be compared, as the roots of the past are not
		// kept, so that memory stays constant; an honest house declares a loss before it seals more than it lost.
		kept := chain.LostTree{Root: a.tree.Root(), Size: a.tree.Size()}
		if begun && d.Lost != (chain.LostTree{}) && (d.Lost.Size < kept.Size || d.Lost == kept) {
			return "a lost tree of at least " + decimal(kept.Size) + " blocks, other than theirs"
		}
	case *chain.SeasonClose:
		if begun && d.Season != a.season+1 {
			return "the close of season " + decimal(a.season+1)
		}
		if end := chain.SeasonEnd(a.began, a.season+1); begun && tx.Time < end {
			return "a close from " + decimal(end) + " on"
		}
	case *chain.ResultRestore:
		// The table of a season that has closed since stands without the result.
		if season, void := a.voids[gameKey(d.Game)]; begun && void && season != a.season {
			return "a restored result before the close of season " + decimal(season+1)
		}
	}
	if !begun {
		return "genesis first"
	}
	return a.crossing.expectedInstead(tx.Data, a.recovery)
}

// countCoins adds the coins that tx creates and destroys to the totals in the report.
func (a *applier) countCoins(tx *chain.Tx) {
	for i := range tx.Transfers {
		t := &tx.Transfers[i]
		if t.From == (chain.Address{}) {
			a.report.Created += t.Amount
		}
		if t.To == (chain.Address{}) {
			a.report.Destroyed += t.Amount
		}
	}
}

// distribute passes each effect to the part of its address, token or game.
func (a *applier) distribute() {
	for i := range a.effects.Accounts {
		e := &a.effects.Accounts[i]
		a.accountPart(e.Address).account(e, &a.at)
		if e.Publish != (chain.Hash{}) {
			a.commitmentPart(e.Publish).commitment(e.Publish, &a.at)
		}
	}
	for i := range a.effects.Tokens {
		e := &a.effects.Tokens[i]
		a.tokenPart(e.ID).token(e, &a.at)
	}
	for i := range a.effects.Games {
		e := &a.effects.Games[i]
		k := gameKey(e.ID)
		a.crossing.follow(k, e)
		a.gamePart(k).game(k, e, &a.at)
	}
}

// A commitment has no state of its own beside having been published, so its part only has to be the
// same one every time.

// Addresses, commitments and keys are hashes, so their first two bytes distribute them evenly over the parts.

func (a *applier) accountPart(address chain.Address) part {
	return a.parts[(int(address[0])<<8|int(address[1]))%len(a.parts)]
}

func (a *applier) commitmentPart(c chain.Hash) part {
	return a.parts[(int(c[0])<<8|int(c[1]))%len(a.parts)]
}

func (a *applier) tokenPart(id int64) part { return a.parts[uint64(id)%uint64(len(a.parts))] }

func (a *applier) gamePart(k key) part {
	return a.parts[(int(k[0])<<8|int(k[1]))%len(a.parts)]
}

// finish applies the spilled parts and returns the report. Errors come from spill files.
func (a *applier) finish() (*Report, error) {
	defer a.close()
	// Release the first state before the spilled ones are built, to limit the peak memory.
	a.mergePart(a.first)
	a.first, a.parts = nil, nil
	if err := a.finishSpills(); err != nil {
		return nil, fmt.Errorf("replay: spill file: %w", err)
	}
	if a.report.Name == "" {
		a.problems.addFinal("chain", "a genesis transaction", "none")
	}
	// Announced rules that wait are not in force at the last block.
	a.report.Rules = *a.rules.Now()
	a.report.Problems, a.report.ProblemCount = a.problems.list(), a.problems.count
	return &a.report, nil
}

// maxStates is the largest number of spilled parts that are applied concurrently. Each needs the
// memory of a state.
const maxStates = 4

// finishSpills applies the spilled parts by a few goroutines. The parts are independent, so the
// order does not matter. After the first error no further part is started.
func (a *applier) finishSpills() error {
	var mu sync.Mutex // guards the applier, left and failed
	var failed error
	var workers sync.WaitGroup
	left := a.spills
	next := func() *spill {
		mu.Lock()
		defer mu.Unlock()
		if len(left) == 0 || failed != nil {
			return nil
		}
		s := left[0]
		left = left[1:]
		return s
	}
	// Each goroutine takes the next spill and builds a state from it. The applier is shared, so its
	// report is merged under the lock.
	for range min(maxStates, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for s := next(); s != nil; s = next() {
				state := newState(a.opts.MaxProblems)
				state.voids = a.voids
				err := s.replayInto(state)
				mu.Lock()
				if err != nil {
					failed = cmp.Or(failed, err)
				} else {
					a.mergePart(state)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return failed
}

// mergePart adds the problems and counts of a finished part to the report.
func (a *applier) mergePart(s *state) {
	if a.opts.Compare {
		s.reportMissing()
	}
	a.problems.merge(&s.problems)
	a.report.Addresses += s.addresses
	a.report.Tokens += s.wallets
}
