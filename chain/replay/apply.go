package replay

import (
	"fmt"

	"roshambo/chain"
)

// applier applies transactions in chain order. It runs in one goroutine.
type applier struct {
	opts    Options
	report  Report
	time    int64 // of the last block
	number  int64 // of the rules in force
	parts   []*part
	effects chain.Effects // reused
	err     error         // of a spill file; the first one
}

func newApplier(opts Options) (*applier, error) {
	a := &applier{opts: opts, report: Report{Height: -1}}
	for i := range opts.Parts {
		p := &part{applier: a}
		if i > 0 {
			file, err := opts.Spill()
			if err != nil {
				a.close()
				return nil, fmt.Errorf("replay: spill file: %w", err)
			}
			p.spill = newSpill(file)
		}
		a.parts = append(a.parts, p)
	}
	a.parts[0].open()
	return a, nil
}

func (a *applier) close() {
	for _, p := range a.parts {
		if p.spill != nil {
			_ = p.spill.file.Close() // a temporary file; what was read from it is checked where it is read
		}
	}
}

func (a *applier) problem(p Problem) {
	a.report.ProblemCount++
	if len(a.report.Problems) < a.opts.MaxProblems {
		a.report.Problems = append(a.report.Problems, p)
	}
}

func (a *applier) batch(b *batch) {
	if b.settled != nil {
		close(b.settled)
		return
	}
	for i := range b.blocks {
		a.block(&b.blocks[i])
	}
}

func (a *applier) block(b *block) {
	if !b.pending {
		a.checkHeader(b)
	}
	for i := range b.txs {
		where := position{height: a.report.Height, index: int64(i)}
		if b.pending {
			where.height = pendingHeight
		}
		a.transaction(&b.txs[i], where)
	}
}

// position is where a transaction stands, to name it in a problem.
type position struct{ height, index int64 }

// pendingHeight is the height of what has no block yet.
const pendingHeight = -1

func (a *applier) transaction(t *parsedTx, at position) {
	wrong := func(expected, found string) {
		a.problem(Problem{at.height, t.hash.String(), "transaction", expected, found})
	}
	if t.err != nil {
		wrong("a canonical transaction", t.err.Error())
		return
	}
	switch d := t.tx.Data.(type) {
	case *chain.Genesis:
		if at != (position{0, 0}) || a.report.Name != "" {
			wrong("one genesis, alone in block 0", "another one")
			return
		}
		a.report.Name, a.report.Rules = d.Name, d.Rules
	case *chain.RulesChange:
		if d.Number != a.number+1 {
			wrong(fmt.Sprint("rules number ", a.number+1), fmt.Sprint(d.Number))
			return
		}
	}
	if a.report.Name == "" {
		wrong("genesis first", string(t.tx.Kind()))
		return
	}
	if err := a.report.Rules.AppendEffects(&t.tx, &a.effects); err != nil {
		wrong("a transaction within the rules", err.Error())
		return
	}
	if d, ok := t.tx.Data.(*chain.RulesChange); ok {
		a.number, a.report.Rules = d.Number, d.Rules
	}
	a.countCoins(&t.tx)
	a.distribute(at)
}

// countCoins keeps the sums that the balances must add up to.
func (a *applier) countCoins(tx *chain.Tx) {
	for _, t := range tx.Transfers {
		if t.From == (chain.Address{}) {
			a.report.Created += t.Amount
		}
		if t.To == (chain.Address{}) {
			a.report.Destroyed += t.Amount
		}
	}
}

// distribute hands each effect to the part that it belongs to.
func (a *applier) distribute(at position) {
	n := len(a.parts)
	for i := range a.effects.Accounts {
		e := &a.effects.Accounts[i]
		a.parts[accountPart(e.Address, n)].account(e, at)
	}
	for i := range a.effects.Tokens {
		e := &a.effects.Tokens[i]
		a.parts[tokenPart(e.ID, n)].token(e, at)
	}
	for i := range a.effects.Games {
		e := &a.effects.Games[i]
		k := gameKey(e.ID)
		a.parts[k.part(n)].game(k, e, at)
	}
}

func accountPart(address chain.Address, parts int) int { return (int(address[0])<<8 | int(address[1])) % parts }
func tokenPart(id int64, parts int) int                { return int(id % int64(parts)) }

// ExpectAccount says what the state of an address is held to be.
func (r *Replay) ExpectAccount(address chain.Address, account chain.Account) {
	a := r.apply
	a.parts[accountPart(address, len(a.parts))].expectAccount(address, &account)
}

// ExpectToken says what the state of a token is held to be.
func (r *Replay) ExpectToken(id int64, token chain.Token) {
	a := r.apply
	a.parts[tokenPart(id, len(a.parts))].expectToken(id, &token)
}

// ExpectGame says what the state of a run, duel or season is held to be.
func (r *Replay) ExpectGame(id string, game chain.Game) {
	k := gameKey(id)
	r.apply.parts[k.part(len(r.apply.parts))].expectGame(k, &game)
}

// ChainDone waits until every block and pending transaction is applied. It must
// be called once before the first Expect.
func (r *Replay) ChainDone() { r.settle() }

// finish works off the parts that had to wait, one after the other.
func (a *applier) finish() (*Report, error) {
	defer a.close()
	a.parts[0].finish()
	for _, p := range a.parts[1:] {
		if a.err != nil {
			break
		}
		p.open()
		if err := p.readSpill(); err != nil {
			return nil, fmt.Errorf("replay: spill file: %w", err)
		}
		p.finish()
	}
	if a.err != nil {
		return nil, fmt.Errorf("replay: spill file: %w", a.err)
	}
	if a.report.Name == "" && a.report.Blocks == 0 {
		a.problem(Problem{Height: -1, What: "chain", Expected: "a genesis block", Found: "no block"})
	}
	return &a.report, nil
}
