package ledger

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
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
	State     *ActorState // of the actor, if the caller has loaded it in the same tx; else nil
	// Transcript is that of the game that the transaction ends and pins; nil if it ends none. It is
	// published with the block.
	Transcript []byte
	Time       time.Time // by which the caller decided; zero stands for now
}

// ActorState is an actor's account as LoadActor returns it.
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
	p := posting{ctx: ctx, tx: tx, q: q.New(tx.Deferred()), actor: d.Actor}
	t := chain.Tx{Actor: d.Actor, Time: l.timeOf(d), Transfers: d.Transfers, Data: d.Data}
	known := l.rules.Load()
	effects, err := known.effectsOf(&t)
	if err != nil {
		return Posted{}, fmt.Errorf("ledger: post: %w", err)
	}
	if err := checkTranscript(d); err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	prefetch(tx, &effects, d)
	if err := l.checkRules(ctx, tx, known); err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	if err := p.loadActor(&t, &effects, d.State); err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	raw := t.Raw()
	p.hash = chain.HashTx(raw)
	p.fact.Tx, p.fact.Hash = &t, p.hash
	posted := Posted{Hash: p.hash, tx: &t}
	if posted.Balance, err = p.apply(&effects); err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	posted.State = p.after
	for _, listener := range l.listeners {
		if err := listener.Posted(ctx, tx, &p.fact); err != nil {
			return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
		}
	}
	// Stored last, for the order of pending transactions: see the package comment. A crash before
	// the caller's commit leaves nothing of this. A crash after it leaves all of it, and the next
	// sealer finds the transaction here.
	err = p.q.InsertPending(ctx, q.InsertPendingParams{
		Hash: p.hash[:], Actor: layout.Nullable(d.Actor), Raw: raw, Transcript: d.Transcript})
	if err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	if err := p.indexPending(&t); err != nil {
		return Posted{}, fmt.Errorf("ledger: post %s: %w", t.Kind(), err)
	}
	tx.AfterCommit(func() { l.pendingCount.add(1); l.Wake() })
	return posted, nil
}

// checkTranscript returns an error unless the draft has the transcript that it pins. A block with a
// game that cannot be verified could never be withdrawn.
func checkTranscript(d Draft) error {
	var pinned chain.Hash
	switch data := d.Data.(type) {
	case *chain.RunEnd:
		pinned = data.TranscriptHash
	case *chain.DuelSettle:
		pinned = data.TranscriptHash
	default:
		if d.Transcript != nil {
			return errors.New("a transcript without a game that ends")
		}
		return nil
	}
	if d.Transcript == nil || chain.HashTranscript(d.Transcript) != pinned {
		return errors.New("the transcript is not the one that the transaction pins")
	}
	return nil
}

// timeOf returns the time of a draft in Unix milliseconds. It is not before the latest block that this
// node has seen: a replay refuses transactions that are more than a minute earlier, which a clock that
// was set back would make, or one that is behind those of other nodes.
func (l *Ledger) timeOf(d Draft) int64 {
	at := d.Time
	if at.IsZero() {
		at = l.now()
	}
	return max(at.UnixMilli(), l.blockTimes.Load())
}

// notBefore makes no later transaction of this node earlier than a block.
func (l *Ledger) notBefore(blockTime int64) {
	for {
		seen := l.blockTimes.Load()
		if blockTime <= seen || l.blockTimes.CompareAndSwap(seen, blockTime) {
			return
		}
	}
}

// indexPending stores which addresses besides the actor's a pending transaction concerns.
func (p *posting) indexPending(t *chain.Tx) error {
	for _, a := range t.Addresses() {
		if a == t.Actor {
			continue
		}
		if err := p.q.InsertPendingAddress(
			p.ctx, q.InsertPendingAddressParams{Address: a[:], Hash: p.hash[:]},
		); err != nil {
			return err
		}
	}
	return nil
}

// posting is one call of Post.
type posting struct {
	ctx   context.Context
	tx    *store.Tx
	q     *q.Queries
	hash  chain.Hash
	fact  Fact
	actor chain.Address
	known accountRow // the actor's
	after ActorState // the actor's
}

// accountRow is an account as it was read. The update compares the row with it.
type accountRow struct {
	exists       bool
	state        chain.Account
	commitmentTx []byte
}

// Prefetch makes the database read the rows that Post is going to read for d, in one round trip
// with the caller's next query. Writes to these rows must precede Prefetch. It ignores drafts that
// break the rules; Post refuses them.
func (l *Ledger) Prefetch(tx *store.Tx, d Draft) {
	t := chain.Tx{Actor: d.Actor, Time: l.timeOf(d), Transfers: d.Transfers, Data: d.Data}
	if effects, err := l.rules.Load().effectsOf(&t); err == nil {
		prefetch(tx, &effects, d)
	}
}

// prefetch makes the database read the rows that the effects need, in one round trip.
func prefetch(tx *store.Tx, e *chain.Effects, d Draft) {
	for i := range e.Accounts {
		if a := &e.Accounts[i]; a.Create == "" && (a.Address != d.Actor || d.State == nil) {
			tx.Prefetch(q.GetAccount, a.Address[:])
		}
	}
	for i := range e.Tokens {
		if t := &e.Tokens[i]; t.From != (chain.Address{}) {
			tx.Prefetch(q.GetToken, t.ID)
		}
	}
	for i := range e.Games {
		if g := &e.Games[i]; !createsGame(g) {
			tx.Prefetch(q.GetGame, g.ID)
		}
	}
}

// loadActor loads the actor's account, unless the transaction creates it, and sets the nonce of t
// and of the actor's effect.
func (p *posting) loadActor(t *chain.Tx, e *chain.Effects, state *ActorState) error {
	if _, opens := t.Data.(*chain.AccountCreate); opens || p.actor == (chain.Address{}) {
		return nil
	}
	if state != nil {
		p.known = accountRow{true, state.Account, layout.Nullable(state.CommitmentTx)}
	} else {
		var err error
		if p.known, err = p.loadAccount(p.actor); err != nil {
			return err
		}
	}
	t.Nonce = p.known.state.Nonce
	for i := range e.Accounts {
		if a := &e.Accounts[i]; a.Actor {
			a.Nonce = t.Nonce
		}
	}
	return nil
}

// apply applies the effects and returns the actor's balance.
func (p *posting) apply(e *chain.Effects) (balance int64, err error) {
	// In ascending order of addresses, so that two transactions which pay each other cannot
	// deadlock.
	slices.SortFunc(e.Accounts, func(a, b chain.AccountEffect) int { return bytes.Compare(a.Address[:], b.Address[:]) })
	for i := range e.Accounts {
		effect, row := &e.Accounts[i], p.known
		switch {
		case effect.Create != "":
			// Insert without reading first: a serializable read of a missing row conflicts
			// with concurrent inserts of other accounts.
			row = accountRow{}
		case effect.Address != p.actor:
			if row, err = p.loadAccount(effect.Address); err != nil {
				return 0, err
			}
		}
		after, err := p.account(effect, row)
		if err != nil {
			return 0, fmt.Errorf("account %v: %w", effect.Address, err)
		}
		if effect.Address == p.actor {
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
	columns := layout.Account(row)
	return accountRow{true, columns.State(), row.CommitmentTx}, nil
}

// account applies the effect on an account that was read as row, and stores it.
func (p *posting) account(e *chain.AccountEffect, row accountRow) (chain.Account, error) {
	after := row.state
	if err := after.Apply(e); err != nil {
		return after, err
	}
	commitmentTx := row.commitmentTx
	if e.Publish != (chain.Hash{}) {
		commitmentTx = p.hash[:]
	}
	if e.Address == p.actor {
		p.after.Account = after
		copy(p.after.CommitmentTx[:], commitmentTx)
	}
	if !row.exists {
		n, err := p.q.InsertAccount(p.ctx, q.InsertAccountParams{
			Address: e.Address[:], Kind: string(after.Kind), Balance: after.Balance, Bound: after.Bound,
			Nonce: after.Nonce, Commitment: layout.Nullable(after.Commitment), CommitmentTx: commitmentTx,
			BoundStart: layout.Bit(after.BoundStart), SecuredAt: after.SecuredAt, Recovery: after.Recovery,
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
		Address: e.Address[:], Balance: after.Balance, Bound: after.Bound, Nonce: after.Nonce,
		Commitment: layout.Nullable(after.Commitment), CommitmentTx: commitmentTx, SecuredAt: after.SecuredAt,
		FaucetAt: after.FaucetAt, Playing: string(after.Playing), Paid: after.Paid,
		PaidBound: after.PaidBound, Recovery: after.Recovery, EntryDay: after.Day,
		FreeEntries: after.Free, DailyEntries: after.Daily,
		SeenBalance: row.state.Balance, SeenNonce: row.state.Nonce,
	}))
}

// token applies the effect on a token. A created token has a row already: NewTokenID inserted it
// in the same database transaction.
func (p *posting) token(e *chain.TokenEffect, all *chain.Effects) error {
	if e.From == (chain.Address{}) {
		var token chain.Token
		if err := token.Apply(e); err != nil {
			return err
		}
		p.fact.Tokens = append(p.fact.Tokens, TokenFact{e.ID, token.Tier, e.From, e.To})
		n, err := p.q.CreateToken(p.ctx, q.CreateTokenParams{
			TokenID: e.ID, Tier: token.Tier, Owner: token.Owner[:], RunID: wonIn(all), Bound: layout.Bit(token.Bound),
		})
		if err != nil || n == 1 {
			return err
		}
		token, err = p.loadToken(e.ID)
		return cmp.Or(err, token.Apply(e), ErrConflict)
	}
	token, err := p.loadToken(e.ID)
	if err != nil && !errors.Is(err, ErrLocked) {
		return err
	}
	if err := cmp.Or(token.Apply(e), err); err != nil {
		return err
	}
	p.fact.Tokens = append(p.fact.Tokens, TokenFact{e.ID, token.Tier, e.From, e.To})
	return OneRow(p.q.MoveToken(p.ctx, q.MoveTokenParams{
		TokenID: e.ID, SeenOwner: e.From[:], NewOwner: layout.Nullable(token.Owner),
	}))
}

// loadToken reads a token. Errors: chain.ErrNotOwner when there is none; ErrLocked, with the
// token.
func (p *posting) loadToken(id int64) (chain.Token, error) {
	row, err := p.q.GetToken(p.ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return chain.Token{}, chain.ErrNotOwner
	}
	if err == nil && row.Locked != 0 {
		err = ErrLocked
	}
	return layout.Token(row.Tier, row.Owner, row.Bound), err
}

// wonIn returns the id of the run whose end creates a token; nil for none.
func wonIn(e *chain.Effects) *string {
	for _, g := range e.Games {
		if g.Step == chain.StepEnd {
			id := g.ID[len("run:"):]
			return &id
		}
	}
	return nil
}

// createsGame reports whether an effect requires that its game does not exist. Such games, like
// accounts, are inserted without reading first.
func createsGame(e *chain.GameEffect) bool {
	return e.Step == chain.StepStart || e.Step == chain.StepClose
}

// game applies the effect on a game.
func (p *posting) game(e *chain.GameEffect) error {
	var before chain.Game
	found := false
	if !createsGame(e) {
		var err error
		if before, found, err = p.loadGame(e.ID); err != nil {
			return err
		}
	}
	after := before
	if err := after.Apply(e); err != nil {
		return err
	}
	if found {
		return OneRow(p.q.UpdateGame(p.ctx, q.UpdateGameParams{
			ID: e.ID, Step: int64(after.Step), B: layout.Nullable(after.B), SeenStep: int64(before.Step),
		}))
	}
	n, err := p.q.InsertGame(p.ctx, q.InsertGameParams{
		ID: e.ID, Step: int64(after.Step), A: layout.Nullable(after.A), B: layout.Nullable(after.B),
		Tier: after.Tier, Stake: after.Stake, Bound: layout.Bit(after.Bound),
	})
	if err != nil || n == 1 {
		return err
	}
	if before, _, err = p.loadGame(e.ID); err != nil {
		return err
	}
	return cmp.Or(before.Apply(e), ErrConflict)
}

func (p *posting) loadGame(id string) (g chain.Game, found bool, err error) {
	row, err := p.q.GetGame(p.ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return g, false, nil
	}
	columns := layout.Game(row)
	return columns.State(), err == nil, err
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
	if err == nil && rows != 1 {
		return ErrConflict
	}
	return err
}
