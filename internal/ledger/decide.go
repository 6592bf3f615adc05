package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"roshambo/chain"
)

// This file decides what a draft does to the state. It does not access the database: Post loads the
// rows that a proposal needs, decides, and stores the outcome.

// proposal is a draft as a transaction, still without its nonce, with its effects. It obeys every
// rule that needs no stored state.
type proposal struct {
	tx         chain.Tx
	effects    chain.Effects
	transcript []byte
}

// propose returns the proposal of a draft at a time in Unix milliseconds.
func propose(d Draft, known *inForce, at int64) (p proposal, err error) {
	p.tx = chain.Tx{Actor: d.Actor, Time: at, Transfers: d.Transfers, Data: d.Data}
	p.transcript = d.Transcript
	if p.effects, err = known.effectsOf(&p.tx); err != nil {
		return p, err
	}
	// Rows are written in ascending order of addresses, so that two transactions which pay each other
	// cannot deadlock.
	slices.SortFunc(p.effects.Accounts, func(a, b chain.AccountEffect) int {
		return bytes.Compare(a.Address[:], b.Address[:])
	})
	// A service never takes a tier from its ladder (rules.go), so no run passes it. The bound of the chain
	// depends on the transcript, which a replay verifies.
	if end, ok := d.Data.(*chain.RunEnd); ok && end.Cleared > known.Now().Top() {
		return p, errors.New("a run passes the highest tier")
	}
	return p, checkTranscript(d)
}

// checkTranscript returns an error unless the draft has the transcript or table that it pins. A block with
// one that cannot be verified could never be withdrawn.
func checkTranscript(d Draft) error {
	pinned, pins := chain.PinnedBy(d.Data)
	switch {
	case !pins && d.Transcript != nil:
		return errors.New("a transcript that the transaction does not pin")
	case pins && (d.Transcript == nil || chain.HashPinned(d.Transcript) != pinned):
		return errors.New("the transcript is not the one that the transaction pins")
	}
	return nil
}

// rows are the stored rows that a proposal changes, in the order of its effects. A row that does not
// exist has the zero value, and so has one that the proposal creates: it is not read.
type rows struct {
	accounts []accountRow
	tokens   []tokenRow
	games    []gameRow
}

// accountRow is a row of ledger_account.
type accountRow struct {
	exists bool
	ActorState
}

// tokenRow is a row of ledger_token.
type tokenRow struct {
	state  chain.Token
	locked bool
}

// gameRow is a row of ledger_game.
type gameRow struct {
	exists bool
	state  chain.Game
}

// outcome is a transaction that the rules accept, with the rows as they are after it, in the order of
// its effects.
type outcome struct {
	raw    []byte
	fact   Fact
	after  rows
	posted Posted
}

// decide numbers the transaction and applies its effects to the rows. Errors:
// *chain.InsufficientFundsError, chain.ErrNotOwner, ErrLocked; every other one is a defect of the
// caller.
func (p *proposal) decide(before rows) (*outcome, error) {
	for i := range p.effects.Accounts {
		if a := &p.effects.Accounts[i]; a.Actor {
			a.Nonce = before.accounts[i].Account.Nonce
			p.tx.Nonce = a.Nonce
		}
	}
	o := &outcome{raw: p.tx.Raw()}
	o.posted.Hash, o.posted.tx = chain.HashTx(o.raw), &p.tx
	o.fact = Fact{Tx: &p.tx, Hash: o.posted.Hash}
	if err := o.accounts(p, before); err != nil {
		return nil, err
	}
	if err := o.tokens(p, before); err != nil {
		return nil, err
	}
	if err := o.games(p, before); err != nil {
		return nil, err
	}
	return o, nil
}

// accounts applies the effects on accounts.
func (o *outcome) accounts(p *proposal, before rows) error {
	o.after.accounts = slices.Clone(before.accounts)
	for i := range p.effects.Accounts {
		e, row := &p.effects.Accounts[i], &o.after.accounts[i]
		if err := row.Account.Apply(e); err != nil {
			return fmt.Errorf("account %v: %w", e.Address, err)
		}
		if e.Publish != (chain.Hash{}) {
			row.CommitmentTx = o.fact.Hash
		}
		if e.Actor {
			o.posted.Balance, o.posted.State = row.Account.Balance, row.ActorState
		}
		o.fact.Accounts = append(o.fact.Accounts, AccountFact{
			Address: e.Address, Kind: row.Account.Kind, Delta: e.Delta, Balance: row.Account.Balance,
		})
	}
	return nil
}

// tokens applies the effects on tokens. A locked token cannot move.
func (o *outcome) tokens(p *proposal, before rows) error {
	o.after.tokens = slices.Clone(before.tokens)
	for i := range p.effects.Tokens {
		e, row := &p.effects.Tokens[i], &o.after.tokens[i]
		if err := row.state.Apply(e); err != nil {
			return fmt.Errorf("token %d: %w", e.ID, err)
		}
		if row.locked {
			return fmt.Errorf("token %d: %w", e.ID, ErrLocked)
		}
		o.fact.Tokens = append(o.fact.Tokens, TokenFact{ID: e.ID, Tier: row.state.Tier, From: e.From, To: e.To})
	}
	return nil
}

// games applies the effects on games.
func (o *outcome) games(p *proposal, before rows) error {
	o.after.games = slices.Clone(before.games)
	for i := range p.effects.Games {
		e := &p.effects.Games[i]
		if err := o.after.games[i].state.Apply(e); err != nil {
			return fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	return nil
}

// The effects that create a row. Such a row is inserted without reading it first: a serializable read
// of a missing row conflicts with concurrent inserts of other rows.

func createsAccount(e *chain.AccountEffect) bool { return e.Create != "" }
func createsToken(e *chain.TokenEffect) bool     { return e.From == chain.Address{} }
func createsGame(e *chain.GameEffect) bool {
	return e.Step == chain.StepStart || e.Step == chain.StepClose
}

// wonIn returns the id of the run whose end creates a token; nil for none. A token that a void run gives
// back was not won in it.
func wonIn(data chain.Data) *string {
	if end, ok := data.(*chain.RunEnd); ok && end.Status != chain.RunVoid {
		return &end.RunID
	}
	return nil
}
