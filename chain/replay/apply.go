package replay

import (
	"cmp"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"roshambo/chain"
)

// applier applies transactions in chain order. Its methods run in one goroutine at
// a time: that of the pipeline, and once that has settled, the caller's.
type applier struct {
	opts     Options
	report   Report
	problems problems
	time     int64 // of the last block
	number   int64 // of the rules in force
	pending  int64 // transactions so far
	parts    []part
	first    *state   // the part that is worked on at once
	spills   []*spill // the others
	effects  chain.Effects
	at       position // of the transaction being applied
}

func newApplier(opts Options) (*applier, error) {
	a := &applier{opts: opts, report: Report{Height: noHeight}, problems: problems{most: opts.MaxProblems}}
	a.first = newState(opts.MaxProblems)
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

// close lets go of the spill files that are left.
func (a *applier) close() {
	for _, s := range a.spills {
		_ = s.file.Close() // only ever read back by us, who are done with it
	}
	a.spills = nil
}

func (a *applier) batch(b *batch) {
	for i := range b.blocks {
		a.block(&b.blocks[i])
	}
}

func (a *applier) block(b *block) {
	if b.pending {
		a.at = position{height: noHeight, index: a.pending}
		a.pending++
	} else {
		a.checkHeader(b)
		if a.opts.Begin != nil {
			a.opts.Begin(&b.header)
		}
		a.at = position{height: a.report.Height}
	}
	for i := range b.txs {
		t := &b.txs[i]
		a.at.hash = t.hash
		if !b.pending && a.opts.Visit != nil {
			a.opts.Visit(t.hash, &t.tx, t.err == nil)
		}
		a.transaction(t)
		a.at.index++
	}
}

// checkHeader holds a block against the one before it.
func (a *applier) checkHeader(b *block) {
	want := a.report.Height + 1
	reject := func(what string, expected, found any) {
		a.problems.add(Problem{want, b.hash.String(), what, fmt.Sprint(expected), fmt.Sprint(found)}, beforeAll)
	}
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
	if want == 0 && len(b.Txs) != 1 {
		reject("number of transactions", "genesis alone", len(b.Txs))
	}
	a.time = max(a.time, b.header.Time)
	a.report.Height, a.report.Head, a.report.HeaderRaw = want, b.hash, b.Header
	a.report.Blocks++
	a.report.Transactions += int64(len(b.Txs))
}

// transaction applies the transaction at a.at.
func (a *applier) transaction(t *parsedTx) {
	if t.err != nil {
		a.reject("a canonical transaction", t.err.Error())
		return
	}
	if expected := a.expectedInstead(t.tx.Data); expected != "" {
		a.reject(expected, string(t.tx.Kind()))
		return
	}
	if err := a.report.Rules.AppendEffects(&t.tx, &a.effects); err != nil {
		a.reject("a transaction within the rules", err.Error())
		return
	}
	switch d := t.tx.Data.(type) {
	case *chain.Genesis:
		a.report.Name, a.report.Rules = d.Name, d.Rules
	case *chain.RulesChange:
		a.number, a.report.Rules = d.Number, d.Rules
	}
	a.countCoins(&t.tx)
	a.distribute()
}

// wrong adds a problem of the transaction at a.at.
func (a *applier) reject(expected, found string) {
	a.problems.add(Problem{a.at.height, a.at.hash.String(), "transaction", expected, found}, a.at.index)
}

// misplaced says what is expected in place of d, "" when d may stand here.
func (a *applier) expectedInstead(d chain.Data) string {
	begun := a.report.Name != ""
	switch d := d.(type) {
	case *chain.Genesis:
		if begun || a.at.height != 0 || a.at.index != 0 {
			return "one genesis, alone in block 0"
		}
		return ""
	case *chain.RulesChange:
		if begun && d.Number != a.number+1 {
			return "rules number " + decimal(a.number+1)
		}
	}
	if !begun {
		return "genesis first"
	}
	return ""
}

// countCoins keeps the sums that the balances must add up to.
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

// distribute hands each effect to the part that it belongs to.
func (a *applier) distribute() {
	for i := range a.effects.Accounts {
		e := &a.effects.Accounts[i]
		a.accountPart(e.Address).account(e, &a.at)
	}
	for i := range a.effects.Tokens {
		e := &a.effects.Tokens[i]
		a.tokenPart(e.ID).token(e, &a.at)
	}
	for i := range a.effects.Games {
		e := &a.effects.Games[i]
		k := gameKey(e.ID)
		a.gamePart(k).game(k, e, &a.at)
	}
}

// Addresses and keys are as good as random, so two bytes share them out.

func (a *applier) accountPart(address chain.Address) part {
	return a.parts[(int(address[0])<<8|int(address[1]))%len(a.parts)]
}

func (a *applier) tokenPart(id int64) part { return a.parts[uint64(id)%uint64(len(a.parts))] }

func (a *applier) gamePart(k key) part {
	return a.parts[(int(k[0])<<8|int(k[1]))%len(a.parts)]
}

// finish works off the parts that had to wait, and puts together what was found.
func (a *applier) finish() (*Report, error) {
	defer a.close()
	a.mergePart(a.first)
	a.first, a.parts = nil, nil
	if err := a.finishSpills(); err != nil {
		return nil, fmt.Errorf("replay: spill file: %w", err)
	}
	if a.report.Name == "" {
		a.problems.addFinal("chain", "a genesis transaction", "none")
	}
	a.report.Problems, a.report.ProblemCount = a.problems.list(), a.problems.count
	return &a.report, nil
}

// atOnce is how many parts are worked off at the same time at most: each holds a
// state of its own.
const maxStates = 4

// finishSpills lets a few goroutines take the spills one by one. What they find
// does not depend on which is done when. An error stops those that have not begun.
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
	for range min(maxStates, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for s := next(); s != nil; s = next() {
				state := newState(a.opts.MaxProblems)
				err := s.replayInto(state)
				mu.Lock()
				if failed = cmp.Or(failed, err); err == nil {
					a.mergePart(state)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return failed
}

// finishPart takes over what one part came to.
func (a *applier) mergePart(s *state) {
	if a.opts.Compare {
		s.reportMissing()
	}
	a.problems.merge(&s.problems)
	a.report.Addresses += s.addresses
	a.report.Tokens += s.wallets
}
