package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
	"roshambo/internal/store/recent"
)

// Service implements the use cases of runs. Its fields are set once, before use.
type Service struct {
	DB       *store.DB
	Ledger   *ledger.Ledger
	Seeds    *Seeds
	Listener Listener // nil for none
	// Hands settles the staked duels in play and deals the hidden hands of the house anew, in the
	// transaction of a recovery. Nil without duels.
	Hands func(ctx context.Context, tx *store.Tx) error

	cache runCache
	// outstanding has the seed chains of outstanding commitments that this node stored. An entry may
	// be outdated: replaceCommitment compares.
	outstanding recent.Map[chain.Address, sealedChain]
}

// Isolation is the isolation level of the use cases of runs. A snapshot suffices, because
// each use case writes the rows that it decides by: a start is decided by its account's row of the
// ledger and its commitment, read or remembered, and swaps both, as every start of that account
// does; every other action writes the row of its run, and the account's row if the run ends.
const Isolation = store.Snapshot

// Listener receives the end of each run within the transaction that ends it: its writes are
// stored together with the end, and its error rolls back both.
type Listener interface {
	RunEnded(ctx context.Context, tx *store.Tx, r *Run) error
}

// FirstCommitment creates the first commitment of a new account.
func (s *Service) FirstCommitment(ctx context.Context, tx *store.Tx, account chain.Address) (chain.Hash, error) {
	c, err := s.Seeds.next()
	if err != nil {
		return chain.Hash{}, fmt.Errorf("run: first commitment of %v: %w", account, err)
	}
	if err := insertCommitment(ctx, tx, account, c); err != nil {
		return chain.Hash{}, fmt.Errorf("run: first commitment of %v: %w", account, err)
	}
	s.remember(tx, account, c)
	return c.commitment, nil
}

// remember keeps the seed chain of an account's next run when tx commits. On a database of this
// process alone a read is no round trip, and nothing is kept.
func (s *Service) remember(tx *store.Tx, account chain.Address, c sealedChain) {
	if !s.DB.Exclusive() {
		tx.AfterCommit(func() { s.outstanding.Put(account, c) })
	}
}

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

// change loads the caller's run, decides by the action and stores the result. A cached run decides
// if it is as stored, otherwise the stored run does. Posted is the transaction that ended the run,
// nil if the run goes on.
func (s *Service) change(
	ctx context.Context, tx *store.Tx, caller chain.Address, id string, act action,
) (*Run, *ledger.Posted, error) {
	if live := s.cache.get(id); live != nil && live.run.Account == caller && act(live, tx.Now()) == nil {
		posted, err := s.saveCached(ctx, tx, live)
		if err == nil {
			return s.cacheSaved(tx, live), posted, nil
		}
		if !errors.Is(err, errOutdated) {
			return nil, nil, err
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
	if err := act(live, tx.Now()); err != nil {
		return nil, nil, err
	}
	posted, err := s.save(ctx, tx, &live.run)
	if err != nil {
		return nil, nil, err
	}
	return s.cacheSaved(tx, live), posted, nil
}

// errOutdated reports that a cached run is not as stored.
var errOutdated = errors.New("run: the cached run is outdated")

// saveCached is save for a cached run. Errors: errOutdated, with nothing written.
func (s *Service) saveCached(ctx context.Context, tx *store.Tx, live *liveRun) (*ledger.Posted, error) {
	if !live.run.Status.Over() {
		err := update(ctx, tx, &live.run)
		if errors.Is(err, ledger.ErrConflict) {
			err = errOutdated
		}
		return nil, err
	}
	// save posts the run.end transaction before it swaps the row, and a posted transaction cannot be
	// withdrawn here. So check the version first.
	tx.Prefetch(q.GetRunVersion, live.run.ID)
	ledger.PrefetchAccount(tx, live.run.Account, chain.RunGameID(live.run.ID))
	version, err := q.New(tx).GetRunVersion(ctx, live.run.ID)
	if err != nil {
		return nil, store.Absent(err, errOutdated, "run: %s", live.run.ID)
	}
	if version != live.run.version {
		return nil, errOutdated
	}
	return s.save(ctx, tx, &live.run)
}

// ClearCache drops all cached runs and seeds: the next action on each run reads the database.
func (s *Service) ClearCache() {
	s.cache.runs.Clear()
	s.outstanding.Clear()
}

// cacheSaved caches a saved run when tx commits, and returns it.
func (s *Service) cacheSaved(tx *store.Tx, live *liveRun) *Run {
	live.run.version++
	tx.AfterCommit(func() { s.cache.put(live) })
	return &live.run
}

// save stores a changed run and, if it has just ended, its end. All of it takes effect with the
// caller's commit: a crash before the commit leaves nothing, one after it leaves everything.
func (s *Service) save(ctx context.Context, tx *store.Tx, r *Run) (*ledger.Posted, error) {
	if !r.Status.Over() {
		return nil, update(ctx, tx, r)
	}
	ledger.PrefetchAccount(tx, r.Account, chain.RunGameID(r.ID))
	end, err := s.ending(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	posted, err := s.Ledger.Post(ctx, tx, end)
	if err != nil {
		return nil, err
	}
	r.EndTx = &posted.Hash
	if err := finish(ctx, tx, r); err != nil {
		return nil, err
	}
	return &posted, s.announce(ctx, tx, r)
}

// ending returns the draft that ends a run, with the id of the token that the run has won, if it has.
func (s *Service) ending(ctx context.Context, tx *store.Tx, r *Run) (ledger.Draft, error) {
	if r.Status == Claimed {
		id, err := s.Ledger.NewTokenID(ctx, tx)
		if err != nil {
			return ledger.Draft{}, err
		}
		r.TokenID = &id
	}
	last := r.ThrownAt
	tx.AfterCommit(func() {
		if next, ok := s.outstanding.Get(r.Account); ok {
			next.thrownAt, next.thrownUnknown = last, false
			s.outstanding.Put(r.Account, next)
		}
	})
	end := r.ending()
	if r.Status == Void {
		var err error
		if end.Transfers, err = s.giveBack(ctx, tx, r); err != nil {
			return ledger.Draft{}, err
		}
	}
	return end, nil
}

// announce calls the listener if a stored run has ended. A void run counts nowhere.
func (s *Service) announce(ctx context.Context, tx *store.Tx, r *Run) error {
	if s.Listener == nil || !r.Status.Over() || r.Status == Void {
		return nil
	}
	return s.Listener.RunEnded(ctx, tx, r)
}

// Get returns a run by its id. Every caller may read every run. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, tx *store.Tx, id string) (*Run, error) {
	row, err := q.New(tx).GetRun(ctx, id)
	if err != nil {
		return nil, store.Absent(err, ErrNotFound, "run: %s", id)
	}
	return fromRow(row)
}

// Unfinished returns the account's run that has not ended, or nil.
func (s *Service) Unfinished(ctx context.Context, tx *store.Tx, account chain.Address) (*Run, error) {
	row, err := q.New(tx).GetUnfinishedRun(ctx, account[:])
	if err != nil {
		return nil, store.Absent(err, nil, "run: of %v", account)
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
	if err != nil {
		return nil, store.Absent(err, nil, "run: last of %v", account)
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
		since := tx.Now().Add(-IdleTimeout).UnixMilli() + 1
		ids, err = q.New(tx).IdleRuns(ctx, q.IdleRunsParams{Since: since, Count: sweepSize})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("run: sweep: %w", err)
	}
	ended := 0
	err = store.Each(ctx, ids, func(ctx context.Context, id string) error {
		err := s.DB.UpdateAt(ctx, Isolation, func(ctx context.Context, tx *store.Tx) error {
			r, err := s.Get(ctx, tx, id)
			if err != nil {
				return err
			}
			if !r.expire(tx.Now()) { // the player has acted since the query
				return nil
			}
			tx.AfterCommit(func() { ended++ })
			_, err = s.save(ctx, tx, r)
			return err
		})
		if err != nil {
			return fmt.Errorf("run: sweep %s: %w", id, err)
		}
		return nil
	})
	return ended, err
}
