package run

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
)

// Service implements the use cases of runs. Its fields are set once, before use.
type Service struct {
	DB       *store.DB
	Ledger   *ledger.Ledger
	Seeds    *Seeds
	Now      func() time.Time
	Listener Listener // nil for none

	cache runCache
}

// Isolation is the isolation level of the use cases of runs. A snapshot suffices, because
// each use case writes the rows that it decides by: a start reads its account's runs and
// commitment and writes the account's row of the ledger, as every start of that account
// does; every other action writes the row of its run, and the account's row if the run ends.
const Isolation = store.Snapshot

// Listener receives the end of each run within the transaction that ends it: its writes are
// stored together with the end, and its error rolls back both.
type Listener interface {
	RunEnded(ctx context.Context, tx *store.Tx, r *Run) error
}

// FirstCommitment creates the first commitment of a new account.
func (s *Service) FirstCommitment(ctx context.Context, tx *store.Tx, account chain.Address) (chain.Hash, error) {
	return s.newCommitment(ctx, tx, account)
}

// newCommitment stores a new seed chain for the account's next run and returns its
// commitment.
func (s *Service) newCommitment(ctx context.Context, tx *store.Tx, account chain.Address) (chain.Hash, error) {
	c, err := s.Seeds.next()
	if err != nil {
		return chain.Hash{}, err
	}
	commitment := c.commitment
	err = q.New(tx.Deferred()).PutCommitment(ctx, q.PutCommitmentParams{
		Account: account[:], Commitment: commitment[:], Seed: c.sealed})
	if err != nil {
		return chain.Hash{}, fmt.Errorf("run: next commitment of %v: %w", account, err)
	}
	return commitment, nil
}

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
	queries, now := q.New(tx), s.now()
	prefetchStart(tx, account)
	actor, err := s.Ledger.LoadActor(ctx, tx, account)
	if err != nil {
		return Started{}, err
	}
	if actor.Account.Playing != "" {
		return Started{}, ErrRunActive
	}
	e, err := s.chooseEntry(ctx, tx, entrant{account, &actor.Account, now}, o)
	if err != nil {
		return Started{}, err
	}
	row, err := queries.GetCommitment(ctx, account[:])
	if err != nil {
		return Started{}, fmt.Errorf("run: commitment of %v: %w", account, err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Started{}, fmt.Errorf("run: id: %w", err)
	}
	r := &Run{
		ID: id.String(), Account: account, Status: Active, Entry: e.entry, ClientSeed: o.ClientSeed, Bound: e.bound,
		FirstTier: e.tier, Cleared: e.tier, Transcript: []byte(chain.EmptyTranscript),
		CommitTx: actor.CommitmentTx, StartedAt: now, ActedAt: now, sealed: row.Seed,
	}
	copy(r.Commitment[:], row.Commitment) // the ledger refuses any other than the outstanding one
	next, err := s.newCommitment(ctx, tx, account)
	if err != nil {
		return Started{}, err
	}
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{
		Actor: account, State: &actor, Transfers: e.transfers, Time: now,
		Data: &chain.RunStart{
			Bound: e.bound, ClientSeedHash: chain.HashText(o.ClientSeed), Commitment: r.Commitment, Entry: e.entry,
			FirstTier:      e.tier,
			NextCommitment: next, RunID: r.ID,
		},
	})
	if err != nil {
		return Started{}, err
	}
	r.StartTx = posted.Hash
	started := Started{Run: r, Posted: posted, NextCommitment: next}
	if o.First != nil {
		if started.First, err = s.throwFirst(ctx, tx, r, *o.First, posted.State); err != nil {
			return Started{}, err
		}
		started.Run = started.First.Run
		return started, nil
	}
	if err := insert(ctx, q.New(tx.Deferred()), r); err != nil {
		return Started{}, fmt.Errorf("run: start: %w", err)
	}
	tx.AfterCommit(func() { s.warmCache(r) })
	return started, nil
}

// throwFirst plays the first throw of a run in the transaction that starts it: both are
// stored, or neither. The run's row is written once, as it is after the throw. State is the
// account's after the run.start transaction.
func (s *Service) throwFirst(
	ctx context.Context, tx *store.Tx, r *Run, play Play, state ledger.ActorState,
) (*Thrown, error) {
	live, thrown := &liveRun{run: *r}, &Thrown{}
	if err := s.play(live, s.now(), play, thrown); err != nil {
		return nil, err
	}
	var err error
	if thrown.Posted, err = s.save(ctx, tx, &live.run, insert, &state); err != nil {
		return nil, err
	}
	tx.AfterCommit(func() { s.cache.put(live) })
	thrown.Run = &live.run
	return thrown, nil
}

// prefetchStart prefetches the rows that Start reads.
func prefetchStart(tx *store.Tx, account chain.Address) {
	tx.Prefetch(q.GetCommitment, account[:])
	ledger.PrefetchAccount(tx, account)
}

// warmCache caches a run that has just begun, with its first seeds, which it decrypts and hashes
// outside of any transaction.
func (s *Service) warmCache(r *Run) {
	live := &liveRun{run: *r}
	if _, err := live.seedOf(s.Seeds, 1); err == nil { // on an error the first throw reports it
		s.cache.put(live)
	}
}

// now returns the current time with the precision of the database, whole milliseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Thrown is the result of a throw.
type Thrown struct {
	Run    *Run
	Throw  chain.Throw
	Posted *ledger.Posted // the run.end transaction; nil if the run goes on
}

// Play is a throw by a player.
type Play struct {
	Move    game.Move
	Entropy string // the player's contribution, at most 64 characters
	Then    Then   // the decision to take if the throw wins
}

// Then is a decision that a player takes in advance, for the case that the throw wins.
type Then string

// The decisions; "" leaves it to a later call.
const (
	ThenClaim    Then = "claim"
	ThenContinue Then = "continue"
)

// Throw plays the next throw of the caller's run. Errors: ErrNotFound,
// ErrForbidden, *StateError, *TooFastError.
func (s *Service) Throw(ctx context.Context, tx *store.Tx, caller chain.Address, id string, play Play) (Thrown, error) {
	var thrown Thrown
	var err error
	thrown.Run, thrown.Posted, err = s.change(ctx, tx, caller, id, func(live *liveRun, now time.Time) error {
		return s.play(live, now, play, &thrown)
	})
	return thrown, err
}

// play applies a throw and, if it wins, the decision play.Then. It stores the throw in
// thrown.Throw.
func (s *Service) play(live *liveRun, now time.Time, play Play, thrown *Thrown) (err error) {
	seed := func(n int) (fair.Seed, error) { return live.seedOf(s.Seeds, n) }
	if thrown.Throw, err = live.run.throw(now, play, seed, s.Ledger.Rules().Top()); err != nil {
		return err
	}
	if live.run.Status != Deciding {
		return nil
	}
	switch play.Then {
	case ThenClaim:
		return live.run.claim(now)
	case ThenContinue:
		return live.run.proceed(now)
	}
	return nil
}

// Continue risks the reached tier for the next one. Errors: ErrNotFound, ErrForbidden,
// *StateError.
func (s *Service) Continue(ctx context.Context, tx *store.Tx, caller chain.Address, id string) (*Run, error) {
	r, _, err := s.change(ctx, tx, caller, id, (*liveRun).proceed)
	return r, err
}

// Claim ends a run and mints the token of the reached tier for the caller. Errors:
// ErrNotFound, ErrForbidden, ErrClaimed, *StateError.
func (s *Service) Claim(
	ctx context.Context, tx *store.Tx, caller chain.Address, id string,
) (*Run, *ledger.Posted, error) {
	return s.change(ctx, tx, caller, id, (*liveRun).claim)
}

// Abandon ends a run without a prize. Errors: ErrNotFound, ErrForbidden, *StateError.
func (s *Service) Abandon(
	ctx context.Context, tx *store.Tx, caller chain.Address, id string,
) (*Run, *ledger.Posted, error) {
	return s.change(ctx, tx, caller, id, (*liveRun).abandon)
}

func (live *liveRun) proceed(now time.Time) error { return live.run.proceed(now) }
func (live *liveRun) claim(now time.Time) error   { return live.run.claim(now) }
func (live *liveRun) abandon(now time.Time) error { return live.run.abandon(now) }

// action is a player's action on a run. It changes live or returns an error.
type action func(live *liveRun, now time.Time) error

// change applies an action to the caller's run and stores the result. It uses the cached
// run if that is current, and reads the database otherwise. Posted is the transaction that
// ended the run, nil if the run goes on.
func (s *Service) change(
	ctx context.Context, tx *store.Tx, caller chain.Address, id string, act action,
) (*Run, *ledger.Posted, error) {
	if live := s.cache.get(id); live != nil && live.run.Account == caller {
		posted, done, err := s.changeCached(ctx, tx, live, act)
		if err != nil {
			return nil, nil, err
		}
		if done {
			return s.cacheSaved(tx, live), posted, nil
		}
	}
	r, err := s.Get(ctx, tx, id)
	if err != nil {
		return nil, nil, err
	}
	if r.Account != caller {
		return nil, nil, ErrForbidden
	}
	live := &liveRun{run: *r}
	if err := act(live, s.now()); err != nil {
		return nil, nil, err
	}
	posted, err := s.save(ctx, tx, &live.run, replace, nil)
	if err != nil {
		return nil, nil, err
	}
	return s.cacheSaved(tx, live), posted, nil
}

// changeCached applies an action to a cached run and stores the result. If the cached run
// may be outdated it writes nothing and returns done == false: the caller then decides on
// the stored run.
func (s *Service) changeCached(
	ctx context.Context, tx *store.Tx, live *liveRun, act action,
) (posted *ledger.Posted, done bool, err error) {
	if refused := act(live, s.now()); refused != nil {
		return nil, false, nil //nolint:nilerr // the stored run may allow the action: the caller reads it
	}
	over := live.run.Status.Over()
	if over {
		// save posts the run.end transaction before it swaps the row, and a posted
		// transaction cannot be withdrawn here. So check the version first.
		tx.Prefetch(q.GetRunVersion, live.run.ID)
		ledger.PrefetchAccount(tx, live.run.Account, chain.RunGameID(live.run.ID))
		version, err := q.New(tx).GetRunVersion(ctx, live.run.ID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("run: %s: %w", live.run.ID, err)
		}
		if version != live.run.version {
			return nil, false, nil
		}
	}
	posted, err = s.save(ctx, tx, &live.run, replace, nil)
	if !over && errors.Is(err, ledger.ErrConflict) {
		return nil, false, nil
	}
	return posted, err == nil, err
}

// ClearCache drops all cached runs: the next action on each run reads the database.
func (s *Service) ClearCache() { s.cache.clear() }

// cacheSaved caches a saved run when tx commits, and returns it.
func (s *Service) cacheSaved(tx *store.Tx, live *liveRun) *Run {
	live.run.version++
	tx.AfterCommit(func() { s.cache.put(live) })
	return &live.run
}

// save stores a new or changed run with write, which is insert or replace. If the run has just
// ended, save also posts the transaction that ends it and calls the listener. State is the
// account's if the caller knows it, else nil. All of it takes effect with the caller's commit: a
// crash before the commit leaves nothing, one after it leaves everything.
func (s *Service) save(
	ctx context.Context, tx *store.Tx, r *Run, write func(context.Context, *q.Queries, *Run) error, state *ledger.ActorState,
) (*ledger.Posted, error) {
	if !r.Status.Over() {
		return nil, write(ctx, q.New(tx.Deferred()), r)
	}
	data := &chain.RunEnd{
		Bound: r.Bound, Cleared: r.Cleared, RunID: r.ID, Status: chain.RunStatus(r.Status), Throws: r.Throws,
		TranscriptHash: chain.HashTranscript(r.Transcript),
	}
	draft := ledger.Draft{Actor: r.Account, Data: data, Transcript: r.Transcript, State: state}
	if state == nil {
		ledger.PrefetchAccount(tx, r.Account, chain.RunGameID(r.ID))
	}
	if r.Status == Claimed {
		id, err := s.Ledger.NewTokenID(ctx, tx)
		if err != nil {
			return nil, err
		}
		r.TokenID = &id
		draft.Transfers = []chain.Transfer{{Token: true, TokenID: id, Tier: r.Cleared, To: r.Account}}
	}
	if r.Status == Void {
		var err error
		if draft.Transfers, err = s.giveBack(ctx, tx, r); err != nil {
			return nil, err
		}
	}
	posted, err := s.Ledger.Post(ctx, tx, draft)
	if err != nil {
		return nil, err
	}
	r.EndTx = &posted.Hash
	if err := write(ctx, q.New(tx.Deferred()), r); err != nil {
		return &posted, err
	}
	if s.Listener == nil || r.Status == Void { // which counts nowhere
		return &posted, nil
	}
	return &posted, s.Listener.RunEnded(ctx, tx, r)
}

// Get returns a run by its id. Every caller may read every run. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, tx *store.Tx, id string) (*Run, error) {
	row, err := q.New(tx).GetRun(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("run: %s: %w", id, err)
	}
	return fromRow(row)
}

// Unfinished returns the account's run that has not ended, or nil.
func (s *Service) Unfinished(ctx context.Context, tx *store.Tx, account chain.Address) (*Run, error) {
	row, err := q.New(tx).GetUnfinishedRun(ctx, account[:])
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run: of %v: %w", account, err)
	}
	return fromRow(row)
}

// LastRun returns the account's most recent run with an entry that started at since or
// later, or nil.
func (s *Service) LastRun(
	ctx context.Context, tx *store.Tx, account chain.Address, e chain.Entry, since time.Time,
) (*Run, error) {
	row, err := q.New(tx).GetLastRun(ctx, q.GetLastRunParams{Account: account[:], Entry: string(e),
		Since: since.UnixMilli()})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run: last of %v: %w", account, err)
	}
	return fromRow(row)
}

// Cursor is a position in the list of an account's runs.
type Cursor struct {
	StartedAt time.Time
	ID        string // orders the runs of one millisecond
}

// List returns up to count runs of an account that started before a cursor, newest first.
func (s *Service) List(
	ctx context.Context, tx *store.Tx, account chain.Address, before Cursor, count int64,
) ([]*Run, error) {
	rows, err := q.New(tx).ListRuns(ctx, q.ListRunsParams{
		Account: account[:], Before: before.StartedAt.UnixMilli(), BeforeID: before.ID, Count: count})
	if err != nil {
		return nil, fmt.Errorf("run: of %v: %w", account, err)
	}
	list := make([]*Run, len(rows))
	for i, row := range rows {
		if list[i], err = fromRow(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// sweepSize is the maximum number of runs that one sweep ends.
const sweepSize = 100

// Sweep ends the runs that have been idle for IdleTimeout, and returns their number. It ends
// each run in a separate transaction: a crash leaves the remaining ones to the next sweep.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	var ids []string
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		since := s.now().Add(-IdleTimeout).UnixMilli() + 1
		ids, err = q.New(tx).IdleRuns(ctx, q.IdleRunsParams{Since: since, Count: sweepSize})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("run: sweep: %w", err)
	}
	ended := 0
	var failed []error // a run that cannot be ended does not stop the sweep
	for _, id := range ids {
		err := s.DB.UpdateAt(ctx, Isolation, func(ctx context.Context, tx *store.Tx) error {
			r, err := s.Get(ctx, tx, id)
			if err != nil {
				return err
			}
			if !r.expire(s.now()) { // the player has acted since the query
				return nil
			}
			tx.AfterCommit(func() { ended++ })
			_, err = s.save(ctx, tx, r, replace, nil)
			return err
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("run: sweep %s: %w", id, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return ended, errors.Join(failed...)
}
