package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/db"
	q "roshambo/internal/query/ledgerq"
)

// Draft is a transaction before it has its nonce and time.
type Draft struct {
	Actor     chain.Address // none for the chain's own
	Transfers []chain.Transfer
	Data      chain.Data
}

// Posted is a transaction that has taken effect, once the database transaction
// it was posted in is committed.
type Posted struct {
	Hash    chain.Hash
	Balance int64 // of the actor, afterwards
}

// ErrConflict says that somebody else changed the same account, token or game at
// the same time. The use case as a whole may be tried again.
var ErrConflict = errors.New("ledger: changed by somebody else at the same time")

// Post gives d its nonce and time, holds it to the rules, and makes it take
// effect within tx. Errors of somebody who cannot pay wrap
// *chain.InsufficientFundsError; of somebody who does not own the token,
// chain.ErrNotOwner. Any other is a fault of the caller, who must not post what
// the rules forbid. After an error tx must be taken back.
func (l *Ledger) Post(ctx context.Context, tx *db.Tx, d Draft) (Posted, error) {
	p := posting{ctx: ctx, q: q.New(tx.Later())}
	t := chain.Tx{Actor: d.Actor, Time: l.now().UnixMilli(), Transfers: d.Transfers, Data: d.Data}
	var actor accountRow
	if _, opens := d.Data.(*chain.AccountCreate); d.Actor != (chain.Address{}) && !opens {
		var err error
		if actor, err = p.loadAccount(d.Actor); err != nil {
			return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
		}
		t.Nonce = actor.state.Nonce
	}
	if err := l.followRules(ctx, tx); err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	effects, err := l.Rules().Effects(&t)
	if err != nil {
		return Posted{}, fmt.Errorf("ledger: post: %w", err)
	}
	raw := t.Raw()
	p.hash = chain.HashTx(raw)
	p.fact.Tx, p.fact.Hash = &t, p.hash
	posted := Posted{Hash: p.hash}
	if posted.Balance, err = p.apply(&effects, d.Actor, actor); err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	for _, listener := range l.listeners {
		if err := listener.Posted(ctx, tx, &p.fact); err != nil {
			return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
		}
	}
	// Last, for the order of pending transactions: see the package comment.
	// A crash before the caller's commit: none of this was. After it: all of it
	// is, and the sealer of the next start finds the transaction here.
	err = p.q.InsertPending(ctx, q.InsertPendingParams{Hash: p.hash[:], Actor: nullable(d.Actor), Raw: raw})
	if err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	if err := p.concerns(&t); err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	tx.AfterCommit(func() { l.waiting.add(1); l.Wake() })
	return posted, nil
}

// concerns notes whom else a pending transaction concerns.
func (p *posting) concerns(t *chain.Tx) error {
	for _, a := range t.Addresses() {
		if a == t.Actor {
			continue
		}
		if err := p.q.InsertPendingAddress(p.ctx, q.InsertPendingAddressParams{Address: a[:], Hash: p.hash[:]}); err != nil {
			return err
		}
	}
	return nil
}

// posting is one transaction on its way into the tables.
type posting struct {
	ctx  context.Context
	q    *q.Queries
	hash chain.Hash
	fact Fact
}

// accountRow is an account as it was read. What is written back is compared with
// it.
type accountRow struct {
	found        bool
	state        chain.Account
	commitmentTx []byte
}

// apply applies the effects and returns the actor's balance. The actor's row was
// read before, for its nonce.
func (p *posting) apply(e *chain.Effects, actor chain.Address, actorRow accountRow) (balance int64, err error) {
	for i := range e.Accounts {
		effect, row := &e.Accounts[i], actorRow
		switch {
		case effect.Create != "":
			// Looked for by opening it: who looks for what is not there yet gets into the
			// way of all others who open accounts, where updates run side by side.
			row = accountRow{}
		case effect.Address != actor:
			if row, err = p.loadAccount(effect.Address); err != nil {
				return 0, err
			}
		}
		after, err := p.account(effect, row)
		if err != nil {
			return 0, fmt.Errorf("account %v: %w", effect.Address, err)
		}
		if effect.Address == actor {
			balance = after.Balance
		}
		p.fact.Accounts = append(p.fact.Accounts, AccountFact{effect.Address, after.Kind, effect.Delta, after.Balance})
	}
	for i := range e.Tokens {
		if err := p.token(&e.Tokens[i], e); err != nil {
			return 0, fmt.Errorf("token %d: %w", e.Tokens[i].ID, err)
		}
	}
	for i := range e.Games {
		if err := p.game(&e.Games[i]); err != nil {
			return 0, fmt.Errorf("%s: %w", e.Games[i].ID, err)
		}
	}
	return balance, nil
}

func (p *posting) loadAccount(a chain.Address) (accountRow, error) {
	row, err := p.q.GetAccount(p.ctx, a[:])
	if errors.Is(err, sql.ErrNoRows) {
		return accountRow{}, nil
	}
	if err != nil {
		return accountRow{}, err
	}
	return accountRow{true, accountState(row.Kind, row.Balance, row.Nonce, row.Commitment), row.CommitmentTx}, nil
}

func accountState(kind string, balance, nonce int64, commitment []byte) chain.Account {
	a := chain.Account{Kind: chain.AccountKind(kind), Balance: balance, Nonce: nonce}
	copy(a.Commitment[:], commitment)
	return a
}

func (p *posting) account(e *chain.AccountEffect, row accountRow) (chain.Account, error) {
	after := row.state
	if err := after.Apply(e); err != nil {
		return after, err
	}
	commitmentTx := row.commitmentTx
	if e.Publish != (chain.Hash{}) {
		commitmentTx = p.hash[:]
	}
	if !row.found {
		n, err := p.q.InsertAccount(p.ctx, q.InsertAccountParams{
			Address: e.Address[:], Kind: string(after.Kind), Balance: after.Balance, Nonce: after.Nonce,
			Commitment: nullable(after.Commitment), CommitmentTx: commitmentTx,
		})
		if err != nil || n == 1 {
			return after, err
		}
		if row, err = p.loadAccount(e.Address); err != nil {
			return after, err
		}
		return after, cmp.Or(row.state.Apply(e), ErrConflict)
	}
	return after, OneRow(p.q.UpdateAccount(p.ctx, q.UpdateAccountParams{
		Address: e.Address[:], Balance: after.Balance, Nonce: after.Nonce,
		Commitment: nullable(after.Commitment), CommitmentTx: commitmentTx,
		SeenBalance: row.state.Balance, SeenNonce: row.state.Nonce,
	}))
}

// token applies the effect on a token. A token that is created has its row
// already: NewTokenID made it.
func (p *posting) token(e *chain.TokenEffect, all *chain.Effects) error {
	row, err := p.q.GetToken(p.ctx, e.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return chain.ErrNotOwner
	}
	if err != nil {
		return err
	}
	token := tokenState(row.Tier, row.Owner)
	if err := token.Apply(e); err != nil {
		return err
	}
	if row.Locked != 0 {
		return ErrLocked
	}
	p.fact.Tokens = append(p.fact.Tokens, TokenFact{e.ID, token.Tier, e.From, e.To})
	if e.From == (chain.Address{}) {
		return OneRow(p.q.CreateToken(p.ctx, q.CreateTokenParams{
			TokenID: e.ID, Tier: token.Tier, Owner: token.Owner[:], RunID: wonIn(all),
		}))
	}
	return OneRow(p.q.MoveToken(p.ctx, q.MoveTokenParams{
		TokenID: e.ID, SeenOwner: e.From[:], NewOwner: nullable(token.Owner),
	}))
}

func tokenState(tier int64, owner []byte) chain.Token {
	t := chain.Token{Tier: tier}
	copy(t.Owner[:], owner)
	return t
}

// wonIn returns the id of the run that a created token was won in.
func wonIn(e *chain.Effects) *string {
	for _, g := range e.Games {
		if g.Step == chain.StepEnd {
			id := g.ID[len("run:"):]
			return &id
		}
	}
	return nil
}

func (p *posting) game(e *chain.GameEffect) error {
	row, err := p.q.GetGame(p.ctx, e.ID)
	found := err == nil
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	before := gameState(row.Step, row.A, row.B, row.Tier, row.Stake)
	after := before
	if err := after.Apply(e); err != nil {
		return err
	}
	if !found {
		return p.q.InsertGame(p.ctx, q.InsertGameParams{
			ID: e.ID, Step: int64(after.Step), A: nullable(after.A), B: nullable(after.B),
			Tier: after.Tier, Stake: after.Stake,
		})
	}
	return OneRow(p.q.UpdateGame(p.ctx, q.UpdateGameParams{
		ID: e.ID, Step: int64(after.Step), B: nullable(after.B), SeenStep: int64(before.Step),
	}))
}

func gameState(step int64, a, b []byte, tier, stake int64) chain.Game {
	g := chain.Game{Step: chain.GameStep(step), Tier: tier, Stake: stake}
	copy(g.A[:], a)
	copy(g.B[:], b)
	return g
}

// NewTokenID reserves the id of a token that the caller creates within the same
// database transaction.
func (l *Ledger) NewTokenID(ctx context.Context, tx *db.Tx) (int64, error) {
	id, err := q.New(tx).NewToken(ctx)
	if err != nil {
		return 0, fmt.Errorf("ledger: new token: %w", err)
	}
	return id, nil
}

// OneRow turns an update that found no row, or another version of it, into ErrConflict.
func OneRow(rows int64, err error) error {
	if err == nil && rows != 1 {
		return ErrConflict
	}
	return err
}

// nullable returns the bytes of a hash or address, or nil when it is none.
func nullable[T chain.Hash | chain.Address](v T) []byte {
	var zero T
	if v == zero {
		return nil
	}
	switch v := any(v).(type) {
	case chain.Hash:
		return v[:]
	case chain.Address:
		return v[:]
	}
	return nil
}
