package run

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/runq"
)

// Started is the result of Start.
type Started struct {
	Run            *Run
	Posted         ledger.Posted // the run.start transaction
	NextCommitment chain.Hash    // for the account's next run
	First          *Thrown       // the first throw; nil if the start had none
}

// StartOptions are the arguments of Start.
type StartOptions struct {
	Entry      chain.Entry // "" selects free while it is available, then fee
	ClientSeed string      // at most 64 characters
	TokenID    *int64      // the token to burn; nil selects the cheapest
	First      *Play       // the first throw; nil leaves it to a later call
	// FreeWin reports whether the caller's network may win another free token with a free or daily
	// entry today, and counts it; nil is no limit. A run beyond the limit wins a bound token. Start
	// calls it at most once, and once more when it is retried.
	FreeWin func() bool
	// Ranked reports whether the day's board may show another daily run of the caller's network. It is
	// called at most once in a transaction. Nil stands for yes.
	Ranked func() bool
}

// Start begins a run with the account's outstanding commitment, and plays its first throw
// if o.First is set. Errors: ErrRunActive, ErrEntryUsed, ErrNoToken, chain.ErrNotOwner,
// ledger.ErrLocked, *chain.InsufficientFundsError.
func (s *Service) Start(ctx context.Context, tx *store.Tx, account chain.Address, o StartOptions) (Started, error) {
	before, r, price, err := s.decide(ctx, tx, account, o)
	if err != nil {
		return Started{}, err
	}
	if err := s.Ledger.CheckRotated(ctx, tx, before.actor); err != nil {
		return Started{}, err
	}
	start, err := s.begin(ctx, tx, before, r, price)
	if err != nil {
		return Started{}, err
	}
	started := Started{Run: r, NextCommitment: start.Data.(*chain.RunStart).NextCommitment}
	if o.First != nil {
		err := s.throwFirst(ctx, tx, &started, *o.First, start)
		return started, err
	}
	if started.Posted, err = s.Ledger.Post(ctx, tx, start); err != nil {
		return Started{}, err
	}
	r.StartTx = started.Posted.Hash
	if err := insert(ctx, tx, r); err != nil {
		return Started{}, fmt.Errorf("run: start: %w", err)
	}
	tx.AfterCommit(func() { s.warmCache(r) })
	return started, nil
}

// startRows are what a start is decided by.
type startRows struct {
	account chain.Address
	actor   ledger.ActorState
	seeds   sealedChain // of the outstanding commitment
	token   burnable
}

// burnable is a token that an entry would burn. Tier is 0 if there is none.
type burnable struct {
	chain.Token
	id int64
}

// decide decides a start by what this node remembers of the account. If that refuses the start, or
// there is nothing, it decides by the stored rows.
func (s *Service) decide(ctx context.Context, tx *store.Tx, account chain.Address, o StartOptions) (
	before startRows, r *Run, price []chain.Transfer, err error,
) {
	now := tx.Now()
	if before, ok := s.recallStart(tx, account, o); ok {
		if r, price, err = decideStart(s.Ledger.Rules(), before, o, now); err == nil && before.affords(price) {
			return before, r, price, nil
		}
	}
	if before, err = s.loadStart(ctx, tx, account, o); err != nil {
		return before, nil, nil, err
	}
	r, price, err = decideStart(s.Ledger.Rules(), before, o, now)
	return before, r, price, err
}

// recallStart returns what this node remembers of an account in place of loadStart. ok is false if the
// rows must be read. Outdated rows store nothing: see ledger.Recall and replaceCommitment.
func (s *Service) recallStart(tx *store.Tx, account chain.Address, o StartOptions) (before startRows, ok bool) {
	if o.Entry == chain.EntryBurn { // tokens are not remembered
		return before, false
	}
	before.account = account
	if before.actor, ok = s.Ledger.Recall(tx, account); !ok {
		return before, false
	}
	before.seeds, ok = s.outstanding.Get(account)
	return before, ok && !before.seeds.thrownUnknown && before.seeds.commitment == before.actor.Account.Commitment
}

// affords reports whether the account can pay a price in coins.
func (b *startRows) affords(price []chain.Transfer) bool {
	for _, t := range price {
		if t.Amount > b.actor.Account.Balance {
			return false
		}
	}
	return true
}

// loadStart loads what a start is decided by, with the token that it burns.
func (s *Service) loadStart(
	ctx context.Context, tx *store.Tx, account chain.Address, o StartOptions,
) (before startRows, err error) {
	tx.Prefetch(q.GetCommitment, account[:])
	tx.Prefetch(q.LastThrow, account[:])
	ledger.PrefetchAccount(tx, account)
	before.account = account
	if before.actor, err = s.Ledger.LoadActor(ctx, tx, account); err != nil {
		return before, err
	}
	row, err := q.New(tx).GetCommitment(ctx, account[:])
	if err != nil {
		return before, fmt.Errorf("run: commitment of %v: %w", account, err)
	}
	copy(before.seeds.commitment[:], row.Commitment)
	before.seeds.sealed = row.Seed
	thrown, err := q.New(tx).LastThrow(ctx, account[:])
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // no row: the account's first run
		return before, fmt.Errorf("run: last throw of %v: %w", account, err)
	}
	before.seeds.thrownAt = column.TimeOrZero(thrown)
	if o.Entry != chain.EntryBurn {
		return before, nil
	}
	before.token, err = s.loadToken(ctx, tx, account, o.TokenID)
	return before, err
}

// loadToken returns the token with an id, or an account's cheapest one if id is nil.
func (s *Service) loadToken(ctx context.Context, tx *store.Tx, account chain.Address, id *int64) (b burnable,
	err error) {
	if id != nil {
		b.id = *id
		b.Token, _, err = s.Ledger.Token(ctx, tx, *id)
	} else {
		var cheapest ledger.OwnedToken
		cheapest, err = s.Ledger.CheapestToken(ctx, tx, account)
		b = burnable{id: cheapest.ID, Token: chain.Token{Tier: cheapest.Tier, Owner: account, Bound: cheapest.Bound}}
	}
	if errors.Is(err, ledger.ErrNotFound) {
		return burnable{}, nil
	}
	return b, err
}

// begin gives a run its id, stores the account's next commitment, and returns the draft of the
// run.start transaction.
func (s *Service) begin(
	ctx context.Context, tx *store.Tx, before startRows, r *Run, price []chain.Transfer,
) (ledger.Draft, error) {
	r.ID = uuid.Must(uuid.NewV7()).String()
	next, err := s.nextCommitment(ctx, tx, r.Account, r.Commitment[:])
	if err != nil {
		return ledger.Draft{}, err
	}
	next.thrownUnknown = true
	s.remember(tx, r.Account, next)
	return ledger.Draft{
		Actor: r.Account, State: &before.actor, Transfers: price, Time: r.StartedAt,
		Data: &chain.RunStart{
			Bound: r.Bound, ClientSeedHash: chain.HashText(r.ClientSeed), Commitment: r.Commitment, Entry: r.Entry,
			FirstTier: r.FirstTier, NextCommitment: next.commitment, RunID: r.ID,
		},
	}, nil
}

// nextCommitment stores a new seed chain for the account's next run in place of the outstanding one,
// and returns it.
func (s *Service) nextCommitment(
	ctx context.Context, tx *store.Tx, account chain.Address, outstanding []byte,
) (sealedChain, error) {
	c, err := s.Seeds.next()
	if err != nil {
		return c, fmt.Errorf("run: next commitment of %v: %w", account, err)
	}
	if err := replaceCommitment(ctx, tx, account, outstanding, c); err != nil {
		return c, fmt.Errorf("run: next commitment of %v: %w", account, err)
	}
	return c, nil
}

// throwFirst plays the first throw of a run in the transaction that starts it with a draft: both are
// stored, or neither. Every row is written once, as it is after the throw.
func (s *Service) throwFirst(
	ctx context.Context, tx *store.Tx, started *Started, play Play, start ledger.Draft,
) (err error) {
	live, thrown := &liveRun{run: *started.Run}, &Thrown{}
	r := &live.run
	if err := s.play(live, r.StartedAt, play, thrown); err != nil {
		return err
	}
	if r.Status.Over() {
		var ended ledger.Posted
		end, err := s.ending(ctx, tx, r)
		if err != nil {
			return err
		}
		if started.Posted, ended, err = s.Ledger.PostGame(ctx, tx, start, end); err != nil {
			return err
		}
		r.EndTx, thrown.Posted = &ended.Hash, &ended
	} else if started.Posted, err = s.Ledger.Post(ctx, tx, start); err != nil {
		return err
	}
	r.StartTx = started.Posted.Hash
	if err := insert(ctx, tx, r); err != nil {
		return fmt.Errorf("run: start: %w", err)
	}
	if err := s.announce(ctx, tx, r); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.cache.put(live) })
	thrown.Run, started.Run, started.First = r, r, thrown
	return nil
}

// warmCache caches a run that has just begun, with its first seeds, which it decrypts and hashes
// outside of any transaction.
func (s *Service) warmCache(r *Run) {
	live := &liveRun{run: *r}
	if _, err := live.seedOf(s.Seeds, 1); err == nil { // on an error the first throw reports it
		s.cache.put(live)
	}
}
