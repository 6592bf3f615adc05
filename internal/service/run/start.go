package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
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
}

// Start begins a run with the account's outstanding commitment, and plays its first throw
// if o.First is set. Errors: ErrRunActive, ErrEntryUsed, ErrNoToken, chain.ErrNotOwner,
// ledger.ErrLocked, *chain.InsufficientFundsError.
func (s *Service) Start(ctx context.Context, tx *store.Tx, account chain.Address, o StartOptions) (Started, error) {
	before, err := s.loadStart(ctx, tx, account, o)
	if err != nil {
		return Started{}, err
	}
	r, price, err := decideStart(s.Ledger.Rules(), before, o, s.now())
	if err != nil {
		return Started{}, err
	}
	started, state, err := s.begin(ctx, tx, before, r, price)
	if err != nil {
		return Started{}, err
	}
	if o.First != nil {
		return s.throwFirst(ctx, tx, started, *o.First, state)
	}
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

// loadStart loads what a start is decided by, with the token that it burns.
func (s *Service) loadStart(
	ctx context.Context, tx *store.Tx, account chain.Address, o StartOptions,
) (before startRows, err error) {
	tx.Prefetch(q.GetCommitment, account[:])
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
	if o.Entry == chain.EntryBurn {
		before.token, err = s.loadToken(ctx, tx, account, o.TokenID)
	}
	return before, err
}

// loadToken returns the token with an id, or an account's cheapest one if id is nil.
func (s *Service) loadToken(ctx context.Context, tx *store.Tx, account chain.Address, id *int64) (b burnable, err error) {
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

// begin stores the start of a run: a new id, the account's next commitment, and the run.start
// transaction. It returns the account's state after that transaction.
func (s *Service) begin(
	ctx context.Context, tx *store.Tx, before startRows, r *Run, price []chain.Transfer,
) (Started, *ledger.ActorState, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Started{}, nil, fmt.Errorf("run: id: %w", err)
	}
	r.ID = id.String()
	next, err := s.newCommitment(ctx, tx, r.Account)
	if err != nil {
		return Started{}, nil, err
	}
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{
		Actor: r.Account, State: &before.actor, Transfers: price, Time: r.StartedAt,
		Data: &chain.RunStart{
			Bound: r.Bound, ClientSeedHash: chain.HashText(r.ClientSeed), Commitment: r.Commitment, Entry: r.Entry,
			FirstTier: r.FirstTier, NextCommitment: next, RunID: r.ID,
		},
	})
	if err != nil {
		return Started{}, nil, err
	}
	r.StartTx = posted.Hash
	return Started{Run: r, Posted: posted, NextCommitment: next}, &posted.State, nil
}

// newCommitment stores a new seed chain for the account's next run and returns its
// commitment.
func (s *Service) newCommitment(ctx context.Context, tx *store.Tx, account chain.Address) (chain.Hash, error) {
	c, err := s.Seeds.next()
	if err != nil {
		return chain.Hash{}, err
	}
	if err := putCommitment(ctx, tx, account, c); err != nil {
		return chain.Hash{}, fmt.Errorf("run: next commitment of %v: %w", account, err)
	}
	return c.commitment, nil
}

// throwFirst plays the first throw of a run in the transaction that starts it: both are
// stored, or neither. The run's row is written once, as it is after the throw. State is the
// account's after the run.start transaction.
func (s *Service) throwFirst(
	ctx context.Context, tx *store.Tx, started Started, play Play, state *ledger.ActorState,
) (Started, error) {
	live, thrown := &liveRun{run: *started.Run}, &Thrown{}
	if err := s.play(live, started.Run.StartedAt, play, thrown); err != nil {
		return Started{}, err
	}
	var err error
	if live.run.Status.Over() {
		thrown.Posted, err = s.end(ctx, tx, &live.run, insert, state)
	} else {
		err = insert(ctx, tx, &live.run)
	}
	if err != nil {
		return Started{}, err
	}
	tx.AfterCommit(func() { s.cache.put(live) })
	thrown.Run = &live.run
	started.Run, started.First = thrown.Run, thrown
	return started, nil
}

// warmCache caches a run that has just begun, with its first seeds, which it decrypts and hashes
// outside of any transaction.
func (s *Service) warmCache(r *Run) {
	live := &liveRun{run: *r}
	if _, err := live.seedOf(s.Seeds, 1); err == nil { // on an error the first throw reports it
		s.cache.put(live)
	}
}
