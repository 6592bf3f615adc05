package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Draft is a transaction without its nonce and time.
type Draft struct {
	Actor     chain.Address // zero for the chain's own transactions
	Transfers []chain.Transfer
	Data      chain.Data
	State     *ActorState // of the actor, if the caller has it by LoadActor in the same tx or by Recall; else nil
	// Transcript is what the transaction pins: the transcript of the game that it ends, or the table of the cup or
	// season that it closes; nil if it pins none. It is published with the block.
	Transcript []byte
	Time       time.Time // by which the caller decided, a moment ago; zero stands for tx.Now
}

// ActorState is an actor's account as LoadActor and Recall return it.
type ActorState struct {
	Account      chain.Account
	CommitmentTx chain.Hash // transaction that published the outstanding commitment
}

// Posted is a transaction that takes effect when the database transaction commits.
type Posted struct {
	Hash    chain.Hash
	Balance int64      // of the actor, after it
	State   ActorState // of the actor, after it: for another draft in the same tx
	tx      *chain.Tx
}

// ErrConflict reports that a concurrent transaction changed the same account, token or game. The
// caller may retry the whole use case.
var ErrConflict = errors.New("ledger: a concurrent transaction changed the same row")

// Post completes a draft with its nonce and time, checks it against the rules, and applies it
// within tx. Errors: *chain.InsufficientFundsError when an account cannot pay, chain.ErrNotOwner
// when an account does not own the token, ErrLocked, ErrConflict. Every other error is a defect of
// the caller, which must not post what the rules forbid. After an error the caller must roll tx
// back.
func (l *Ledger) Post(ctx context.Context, tx *store.Tx, d Draft) (Posted, error) {
	known := l.rules.Load()
	p, err := propose(d, known, timeOf(tx, d))
	if err != nil {
		return Posted{}, fmt.Errorf("ledger: post: %w", err)
	}
	o, err := l.post(ctx, tx, &p, d.State, known)
	if err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", p.tx.Kind(), err)
	}
	l.announcePending(tx, 1)
	l.remember(tx, o)
	return o.posted, nil
}

// announcePending counts n posted transactions when tx commits, and wakes the sealer.
func (l *Ledger) announcePending(tx *store.Tx, n int64) {
	tx.AfterCommit(func() { l.pendingCount.add(n); l.Wake() })
}

// post loads what a proposal needs, decides and stores the outcome.
func (l *Ledger) post(
	ctx context.Context, tx *store.Tx, p *proposal, actor *ActorState, known *inForce,
) (*outcome, error) {
	p.prefetch(tx, actor)
	if err := l.checkBase(ctx, tx, known, p.tx.Time); err != nil {
		return nil, err
	}
	before, err := p.load(ctx, tx, actor)
	if err != nil {
		return nil, err
	}
	o, err := p.decide(before)
	if err != nil {
		return nil, err
	}
	w := l.writer(ctx, tx, known)
	if err := w.state(p, before, o); err != nil {
		return nil, err
	}
	for _, listener := range l.listeners {
		if err := listener.Posted(ctx, tx, &o.fact); err != nil {
			return nil, err
		}
	}
	if err := l.raise(ctx, tx, p.tx.Time); err != nil {
		return nil, err
	}
	// Stored last, for the order of pending transactions: see the package comment. A crash before
	// the caller's commit leaves nothing of this. A crash after it leaves all of it, and the next
	// sealer finds the transaction here.
	return o, w.pending(p, o)
}

// timeOf returns the time of a draft in Unix milliseconds, which the commit of tx compares with the
// database's clock.
func timeOf(tx *store.Tx, d Draft) int64 {
	if d.Time.IsZero() {
		return tx.Now().UnixMilli()
	}
	tx.Dated(d.Time)
	return d.Time.UnixMilli()
}

// Prefetch makes the database read the rows that Post is going to read for d, in one round trip
// with the caller's next query. Writes to these rows must precede Prefetch. It ignores drafts that
// break the rules; Post refuses them.
func (l *Ledger) Prefetch(tx *store.Tx, d Draft) {
	if p, err := propose(d, l.rules.Load(), timeOf(tx, d)); err == nil {
		p.prefetch(tx, d.State)
	}
}

// prefetch announces the reads of load.
func (p *proposal) prefetch(tx *store.Tx, actor *ActorState) {
	for i := range p.effects.Accounts {
		if e := &p.effects.Accounts[i]; !createsAccount(e) && (!e.Actor || actor == nil) {
			tx.Prefetch(q.GetAccount, e.Address[:])
		}
	}
	for i := range p.effects.Tokens {
		if e := &p.effects.Tokens[i]; !createsToken(e) {
			tx.Prefetch(q.GetToken, e.ID)
		}
	}
	for i := range p.effects.Games {
		if e := &p.effects.Games[i]; !createsGame(e) {
			tx.Prefetch(q.GetGame, e.ID)
		}
	}
}

// load reads the rows that the proposal is decided by. The actor's state is nil unless the caller has
// read it.
func (p *proposal) load(ctx context.Context, tx *store.Tx, actor *ActorState) (r rows, err error) {
	queries, e := q.New(tx), &p.effects
	r.accounts = make([]accountRow, len(e.Accounts))
	r.tokens = make([]tokenRow, len(e.Tokens))
	r.games = make([]gameRow, len(e.Games))
	for i := range e.Accounts {
		if createsAccount(&e.Accounts[i]) {
			continue
		}
		if e.Accounts[i].Actor && actor != nil {
			r.accounts[i] = accountRow{exists: true, ActorState: *actor}
			continue
		}
		if r.accounts[i], err = loadAccount(ctx, queries, e.Accounts[i].Address); err != nil {
			return r, fmt.Errorf("account %v: %w", e.Accounts[i].Address, err)
		}
	}
	for i := range e.Tokens {
		if createsToken(&e.Tokens[i]) {
			continue
		}
		if r.tokens[i], err = loadToken(ctx, queries, e.Tokens[i].ID); err != nil {
			return r, fmt.Errorf("token %d: %w", e.Tokens[i].ID, err)
		}
	}
	for i := range e.Games {
		if createsGame(&e.Games[i]) {
			continue
		}
		if r.games[i], err = loadGame(ctx, queries, e.Games[i].ID); err != nil {
			return r, fmt.Errorf("%s: %w", e.Games[i].ID, err)
		}
	}
	return r, nil
}

// found returns the row that a query found, and the zero row for sql.ErrNoRows.
func found[R any](row R, err error) (R, error) {
	var none R
	if errors.Is(err, sql.ErrNoRows) {
		return none, nil
	}
	return row, err
}

func loadAccount(ctx context.Context, queries *q.Queries, a chain.Address) (accountRow, error) {
	row, err := queries.GetAccount(ctx, a[:])
	columns := layout.Account(row)
	loaded := accountRow{exists: true, ActorState: ActorState{Account: columns.State()}}
	copy(loaded.CommitmentTx[:], row.CommitmentTx)
	return found(loaded, err)
}

func loadToken(ctx context.Context, queries *q.Queries, id int64) (tokenRow, error) {
	row, err := queries.GetToken(ctx, id)
	return found(tokenRow{state: layout.Token(row.Tier, row.Owner, row.Bound), locked: row.Locked != 0}, err)
}

func loadGame(ctx context.Context, queries *q.Queries, id string) (gameRow, error) {
	row, err := queries.GetGame(ctx, id)
	columns := layout.Game(row)
	return found(gameRow{exists: true, state: columns.State()}, err)
}

// writes returns the statements of this package, for outcomes that the use case assumes
// (store.Deferred).
func writes(tx *store.Tx) *q.Queries { return q.New(tx.Deferred()) }

// writer stores the outcome of a proposal. Each row is swapped: it must be as it was when it was
// loaded, or absent where it is created.
type writer struct {
	ctx   context.Context
	q     *q.Queries
	rules string // the row of the rules as it must be stored; "" where checkRules has checked that
}

// writer returns a writer for outcomes decided by the known rules.
func (l *Ledger) writer(ctx context.Context, tx *store.Tx, known *inForce) writer {
	later := tx.Deferred()
	w := writer{ctx: ctx, q: q.New(later)}
	if l.shared && later.Assumed() {
		w.rules = known.row
	}
	return w
}

// state stores the rows of the state.
func (w writer) state(p *proposal, before rows, o *outcome) error {
	for i := range p.effects.Accounts {
		e := &p.effects.Accounts[i]
		if err := w.account(e, before.accounts[i], o.after.accounts[i]); err != nil {
			return fmt.Errorf("account %v: %w", e.Address, err)
		}
	}
	for i := range p.effects.Tokens {
		e := &p.effects.Tokens[i]
		if err := w.token(e, o.after.tokens[i].state, wonIn(p.tx.Data)); err != nil {
			return fmt.Errorf("token %d: %w", e.ID, err)
		}
	}
	for i := range p.effects.Games {
		e := &p.effects.Games[i]
		if err := w.game(e, before.games[i], o.after.games[i].state); err != nil {
			return fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	return nil
}

func (w writer) account(e *chain.AccountEffect, before, after accountRow) error {
	a, published := &after.Account, layout.Nullable(after.CommitmentTx)
	if before.exists {
		return OneRow(w.q.UpdateAccount(w.ctx, q.UpdateAccountParams{
			Address: e.Address[:], Balance: a.Balance, Bound: a.Bound, Nonce: a.Nonce,
			Commitment: layout.Nullable(a.Commitment), CommitmentTx: published, SecuredAt: a.SecuredAt,
			FaucetAt: a.FaucetAt, Playing: string(a.Playing), Paid: a.Paid, PaidBound: a.PaidBound, Recovery: a.Recovery,
			FreeDay: a.FreeDay, FreeEntries: a.Free, DailyDay: a.DailyDay, DailyEntries: a.Daily,
			SeenBalance: before.Account.Balance, SeenNonce: before.Account.Nonce, SeenBound: before.Account.Bound,
			SeenSecuredAt: before.Account.SecuredAt, SeenFaucetAt: before.Account.FaucetAt,
		}))
	}
	n, err := w.q.InsertAccount(w.ctx, q.InsertAccountParams{
		Address: e.Address[:], Kind: string(a.Kind), Balance: a.Balance, Bound: a.Bound,
		Nonce: a.Nonce, Commitment: layout.Nullable(a.Commitment), CommitmentTx: published,
		BoundStart: layout.Bit(a.BoundStart), SecuredAt: a.SecuredAt, Recovery: a.Recovery,
	})
	if err != nil || n == 1 {
		return err
	}
	stored, err := loadAccount(w.ctx, w.q, e.Address)
	if err != nil {
		return err
	}
	return refusal(stored.Account.Apply(e))
}

// token stores a token. A created token has a row already: NewTokenID inserted it in the same
// database transaction.
func (w writer) token(e *chain.TokenEffect, after chain.Token, run *string) error {
	if !createsToken(e) {
		return OneRow(w.q.MoveToken(w.ctx, q.MoveTokenParams{
			TokenID: e.ID, SeenOwner: e.From[:], NewOwner: layout.Nullable(after.Owner),
		}))
	}
	n, err := w.q.CreateToken(w.ctx, q.CreateTokenParams{
		TokenID: e.ID, Tier: after.Tier, Owner: after.Owner[:], RunID: run, Bound: layout.Bit(after.Bound),
	})
	if err != nil || n == 1 {
		return err
	}
	stored, err := loadToken(w.ctx, w.q, e.ID)
	if err != nil {
		return err
	}
	if stored.state.Tier == 0 {
		return chain.ErrNotOwner // its id was not reserved
	}
	return refusal(stored.state.Apply(e))
}

func (w writer) game(e *chain.GameEffect, before gameRow, after chain.Game) error {
	if before.exists {
		return OneRow(w.q.UpdateGame(w.ctx, q.UpdateGameParams{
			ID: e.ID, Step: int64(after.Step), A: layout.Nullable(after.A), B: layout.Nullable(after.B),
			SeenStep: int64(before.state.Step),
		}))
	}
	n, err := w.q.InsertGame(w.ctx, q.InsertGameParams{
		ID: e.ID, Step: int64(after.Step), A: layout.Nullable(after.A), B: layout.Nullable(after.B),
		Tier: after.Tier, Stake: after.Stake, Bound: layout.Bit(after.Bound),
	})
	if err != nil || n == 1 {
		return err
	}
	stored, err := loadGame(w.ctx, w.q, e.ID)
	if err != nil {
		return err
	}
	return refusal(stored.state.Apply(e))
}

// refusal is the error of an insert that met a row: refused is the error of the effect on that row,
// nil if only a concurrent transaction stood in the way.
func refusal(refused error) error {
	if refused != nil {
		return refused
	}
	return ErrConflict
}

// pending stores the transaction for the next block, with the addresses besides the actor's that it
// concerns.
func (w writer) pending(p *proposal, o *outcome) error {
	hash, actor := o.fact.Hash[:], layout.Nullable(p.tx.Actor)
	var err error
	if w.rules == "" {
		err = w.q.InsertPending(w.ctx, q.InsertPendingParams{Hash: hash, Actor: actor, Raw: o.raw, Transcript: p.transcript})
	} else {
		err = OneRow(w.q.InsertPendingUnder(w.ctx, q.InsertPendingUnderParams{
			Hash: hash, Actor: actor, Raw: o.raw, Transcript: p.transcript, Name: layout.MetaRules, Value: w.rules,
			Latest: p.tx.Time + earlyAtMost.Milliseconds(),
		}))
	}
	if err != nil {
		return err
	}
	for _, a := range p.tx.Addresses() {
		if a == p.tx.Actor {
			continue
		}
		if err := w.q.InsertPendingAddress(w.ctx, q.InsertPendingAddressParams{Address: a[:], Hash: hash}); err != nil {
			return err
		}
	}
	return nil
}

// NewTokenID reserves the id of a token that the caller creates within the same database
// transaction.
func (l *Ledger) NewTokenID(ctx context.Context, tx *store.Tx) (int64, error) {
	id, err := q.New(tx).NewToken(ctx)
	if err != nil {
		return 0, fmt.Errorf("ledger: new token: %w", err)
	}
	return id, nil
}

// OneRow returns ErrConflict for a compare-and-swap that changed no row, and otherwise err.
func OneRow(rows int64, err error) error {
	if err != nil {
		return err
	}
	if rows != 1 {
		return ErrConflict
	}
	return nil
}
