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

// Service is the use cases of runs. Its fields are set once, before use.
type Service struct {
	DB       *store.DB
	Ledger   *ledger.Ledger
	Seeds    *Seeds
	Now      func() time.Time
	Listener Listener // nil for none

	inPlay inPlay
}

// Isolation is that of the use cases of runs. A start decides by its account's runs and
// commitment, and writes the account's row of the ledger, as all starts of that account do;
// every other action writes the row of its run, and its end that of the account.
const Isolation = store.Snapshot

// Listener is told of each end of a run within the transaction that ends it: what it
// writes is stored with it, and its error takes all of it back.
type Listener interface {
	RunEnded(ctx context.Context, tx *store.Tx, r *Run) error
}

// First gives a new account its first commitment.
func (s *Service) First(ctx context.Context, tx *store.Tx, account chain.Address) (chain.Hash, error) {
	return s.next(ctx, tx, account)
}

// next makes a new seed chain the account's next one.
func (s *Service) next(ctx context.Context, tx *store.Tx, account chain.Address) (chain.Hash, error) {
	f, err := s.Seeds.take()
	if err != nil {
		return chain.Hash{}, err
	}
	commitment := f.commitment
	err = q.New(tx.Later()).PutCommitment(ctx, q.PutCommitmentParams{Account: account[:], Commitment: commitment[:], Seed: f.sealed})
	if err != nil {
		return chain.Hash{}, fmt.Errorf("run: next commitment of %v: %w", account, err)
	}
	return commitment, nil
}

// Started is a run that has begun.
type Started struct {
	Run            *Run
	Posted         ledger.Posted
	NextCommitment chain.Hash // of the run after it
	First          *Thrown    // of a start with a throw
}

// StartOptions say how a run is to start.
type StartOptions struct {
	Entry      chain.Entry // "" picks free, then fee
	ClientSeed string      // at most 64 characters
	TokenID    *int64      // to burn; nil is the cheapest
	First      *Play       // the first throw; nil leaves it to the next call
}

// Start begins a run with the account's outstanding commitment. Errors:
// ErrRunActive, ErrEntryUsed, ErrNoToken, chain.ErrNotOwner, ledger.ErrLocked,
// *chain.InsufficientFundsError.
func (s *Service) Start(ctx context.Context, tx *store.Tx, account chain.Address, o StartOptions) (Started, error) {
	queries, now := q.New(tx), s.now()
	announceStart(tx, account, now)
	used, err := queries.GetUse(ctx, useOf(account, now))
	if err != nil {
		return Started{}, fmt.Errorf("run: start: %w", err)
	}
	if used.Unfinished != 0 {
		return Started{}, ErrRunActive
	}
	e, err := s.choose(ctx, tx, account, o, used)
	if err != nil {
		return Started{}, err
	}
	seen, err := s.Ledger.See(ctx, tx, account)
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
		ID: id.String(), Account: account, Status: Active, Entry: e.entry, ClientSeed: o.ClientSeed,
		FirstTier: e.tier, Cleared: e.tier, Transcript: []byte(chain.EmptyTranscript),
		CommitTx: seen.CommitmentTx, StartedAt: now, ActedAt: now, sealed: row.Seed,
	}
	copy(r.Commitment[:], row.Commitment) // the ledger refuses any but the outstanding one
	next, err := s.next(ctx, tx, account)
	if err != nil {
		return Started{}, err
	}
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{Actor: account, Seen: &seen, Transfers: e.transfers, Data: &chain.RunStart{
		ClientSeed: o.ClientSeed, Commitment: r.Commitment, Entry: e.entry, FirstTier: e.tier,
		NextCommitment: next, RunID: r.ID,
	}})
	if err != nil {
		return Started{}, err
	}
	r.StartTx = posted.Hash
	err = insert(ctx, q.New(tx.Later()), r)
	if store.IsUnique(err) { // started by somebody who was not to be seen yet
		return Started{}, ErrRunActive
	}
	if err != nil {
		return Started{}, fmt.Errorf("run: start: %w", err)
	}
	started := Started{Run: r, Posted: posted, NextCommitment: next}
	if o.First == nil {
		tx.AfterCommit(func() { s.deal(r) })
		return started, nil
	}
	started.First, err = s.throwFirst(ctx, tx, r, *o.First)
	if err != nil {
		return Started{}, err
	}
	started.Run = started.First.Run
	return started, nil
}

// throwFirst plays the first throw of a run in the transaction that starts it: all of it
// happens, or nothing.
func (s *Service) throwFirst(ctx context.Context, tx *store.Tx, r *Run, play Play) (*Thrown, error) {
	h, thrown := &hand{run: *r}, &Thrown{}
	if err := s.play(h, s.now(), play, thrown); err != nil {
		return nil, err
	}
	var err error
	if thrown.Posted, err = s.save(ctx, tx, &h.run); err != nil {
		return nil, err
	}
	thrown.Run = s.keep(tx, h)
	return thrown, nil
}

// announceStart says what the start of a run is going to read.
func announceStart(tx *store.Tx, account chain.Address, now time.Time) {
	use := useOf(account, now)
	tx.Ahead(q.GetUse, use.Account, use.Free, use.Since, use.Daily)
	tx.Ahead(q.GetCommitment, account[:])
	ledger.Announce(tx, account)
}

// deal takes up the play of a run that has just begun. Working out its seeds takes a
// while, so it is done here, while the database serves others.
func (s *Service) deal(r *Run) {
	h := &hand{run: *r}
	if _, err := h.seed(s.Seeds, 1); err == nil { // otherwise the first throw says what is wrong
		s.inPlay.put(h)
	}
}

// now returns the time as it is stored, in whole milliseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Thrown is what became of a throw.
type Thrown struct {
	Run    *Run
	Throw  chain.Throw
	Posted *ledger.Posted // when the throw ended the run
}

// Play is what a player throws.
type Play struct {
	Move    game.Move
	Entropy string // text of the player's own, at most 64 characters
	Then    Then   // what the player decides when the throw wins
}

// Then is a decision made ahead of a throw. A throw that does not win leaves nothing to decide.
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
	thrown.Run, thrown.Posted, err = s.change(ctx, tx, caller, id, func(h *hand, now time.Time) error {
		return s.play(h, now, play, &thrown)
	})
	return thrown, err
}

// play throws, and decides at once what the player has decided ahead.
func (s *Service) play(h *hand, now time.Time, play Play, thrown *Thrown) (err error) {
	thrown.Throw, err = h.run.throw(now, play, func(n int) (fair.Seed, error) { return h.seed(s.Seeds, n) }, s.Ledger.Rules().Top())
	if err != nil || h.run.Status != Deciding {
		return err
	}
	switch play.Then {
	case ThenClaim:
		return h.run.claim(now)
	case ThenContinue:
		return h.run.proceed(now)
	}
	return nil
}

// Continue risks the tier reached. Errors: ErrNotFound, ErrForbidden, *StateError.
func (s *Service) Continue(ctx context.Context, tx *store.Tx, caller chain.Address, id string) (*Run, error) {
	r, _, err := s.change(ctx, tx, caller, id, (*hand).proceed)
	return r, err
}

// Claim banks the tier reached: the token is in the caller's wallet. Errors:
// ErrNotFound, ErrForbidden, ErrClaimed, *StateError.
func (s *Service) Claim(ctx context.Context, tx *store.Tx, caller chain.Address, id string) (*Run, *ledger.Posted, error) {
	return s.change(ctx, tx, caller, id, (*hand).claim)
}

// Abandon gives a run up. Errors: ErrNotFound, ErrForbidden, *StateError.
func (s *Service) Abandon(ctx context.Context, tx *store.Tx, caller chain.Address, id string) (*Run, *ledger.Posted, error) {
	return s.change(ctx, tx, caller, id, (*hand).abandon)
}

func (h *hand) proceed(now time.Time) error { return h.run.proceed(now) }
func (h *hand) claim(now time.Time) error   { return h.run.claim(now) }
func (h *hand) abandon(now time.Time) error { return h.run.abandon(now) }

// action is what a player does with a run.
type action func(h *hand, now time.Time) error

// change applies an action to the caller's run and stores what became of it.
func (s *Service) change(ctx context.Context, tx *store.Tx, caller chain.Address, id string, act action) (*Run, *ledger.Posted, error) {
	if h := s.inPlay.get(id); h != nil && h.run.Account == caller {
		posted, done, err := s.playRemembered(ctx, tx, h, act)
		if err != nil {
			return nil, nil, err
		}
		if done {
			return s.keep(tx, h), posted, nil
		}
	}
	r, err := s.Get(ctx, tx, id)
	if err != nil {
		return nil, nil, err
	}
	if r.Account != caller {
		return nil, nil, ErrForbidden
	}
	h := &hand{run: *r}
	if err := act(h, s.now()); err != nil {
		return nil, nil, err
	}
	posted, err := s.save(ctx, tx, &h.run)
	if err != nil {
		return nil, nil, err
	}
	return s.keep(tx, h), posted, nil
}

// playRemembered applies an action to a run as this process remembers it. When that
// may be out of date it has written nothing, and done is false.
func (s *Service) playRemembered(ctx context.Context, tx *store.Tx, h *hand, act action) (posted *ledger.Posted, done bool, err error) {
	if refused := act(h, s.now()); refused != nil {
		return nil, false, nil //nolint:nilerr // the reason may be no more: the caller asks the database
	}
	over := h.run.Status.Over()
	if over {
		// The transaction that ends it is posted before the row is changed: of one that
		// is out of date there would be no way back.
		tx.Ahead(q.GetRunVersion, h.run.ID)
		ledger.Announce(tx, h.run.Account, chain.RunGameID(h.run.ID))
		version, err := q.New(tx).GetRunVersion(ctx, h.run.ID)
		if errors.Is(err, sql.ErrNoRows) || err == nil && version != h.run.version {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("run: %s: %w", h.run.ID, err)
		}
	}
	posted, err = s.save(ctx, tx, &h.run)
	if !over && errors.Is(err, ledger.ErrConflict) {
		return nil, false, nil
	}
	return posted, err == nil, err
}

// Forget drops what is remembered of the runs in play: their next actions read them.
func (s *Service) Forget() { s.inPlay.clear() }

// keep remembers a run as it was stored, once it is, and returns it.
func (s *Service) keep(tx *store.Tx, h *hand) *Run {
	h.run.version++
	tx.AfterCommit(func() { s.inPlay.put(h) })
	return &h.run
}

// save stores a run that changed; when it has just ended, with the transaction that
// ends it. Nothing of it is there before the caller's commit, and all of it after.
func (s *Service) save(ctx context.Context, tx *store.Tx, r *Run) (*ledger.Posted, error) {
	if !r.Status.Over() {
		return nil, update(ctx, q.New(tx.Later()), r)
	}
	data := &chain.RunEnd{
		Cleared: r.Cleared, RunID: r.ID, Status: chain.RunStatus(r.Status), Throws: r.Throws,
		TranscriptHash: chain.HashTranscript(r.Transcript),
	}
	draft := ledger.Draft{Actor: r.Account, Data: data}
	ledger.Announce(tx, r.Account, chain.RunGameID(r.ID))
	if r.Status == Claimed {
		id, err := s.Ledger.NewTokenID(ctx, tx)
		if err != nil {
			return nil, err
		}
		r.TokenID = &id
		draft.Transfers = []chain.Transfer{{Token: true, TokenID: id, Tier: r.Cleared, To: r.Account}}
	}
	posted, err := s.Ledger.Post(ctx, tx, draft)
	if err != nil {
		return nil, err
	}
	r.EndTx = &posted.Hash
	if err := finish(ctx, q.New(tx.Later()), r); err != nil || s.Listener == nil {
		return &posted, err
	}
	return &posted, s.Listener.RunEnded(ctx, tx, r)
}

// Get returns a run. Anybody may look at one.
func (s *Service) Get(ctx context.Context, tx *store.Tx, id string) (*Run, error) {
	row, err := q.New(tx).GetRun(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("run: %s: %w", id, err)
	}
	return fromRow(row), nil
}

// Unfinished returns the account's run that is not over, or nil.
func (s *Service) Unfinished(ctx context.Context, tx *store.Tx, account chain.Address) (*Run, error) {
	row, err := q.New(tx).GetUnfinishedRun(ctx, account[:])
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run: of %v: %w", account, err)
	}
	return fromRow(row), nil
}

// Last returns the account's last run of an entry that started at a time or later, or
// nil.
func (s *Service) Last(ctx context.Context, tx *store.Tx, account chain.Address, e chain.Entry, since time.Time) (*Run, error) {
	row, err := q.New(tx).GetLastRun(ctx, q.GetLastRunParams{Account: account[:], Entry: string(e), Since: since.UnixMilli()})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run: last of %v: %w", account, err)
	}
	return fromRow(row), nil
}

// Place is where a run stands in the list of its account's runs.
type Place struct {
	StartedAt time.Time
	ID        string // tells apart those of one millisecond
}

// List returns up to count runs of an account that come before a place, the newest
// first.
func (s *Service) List(ctx context.Context, tx *store.Tx, account chain.Address, before Place, count int64) ([]*Run, error) {
	rows, err := q.New(tx).ListRuns(ctx, q.ListRunsParams{
		Account: account[:], Before: before.StartedAt.UnixMilli(), BeforeID: before.ID, Count: count})
	if err != nil {
		return nil, fmt.Errorf("run: of %v: %w", account, err)
	}
	list := make([]*Run, len(rows))
	for i, row := range rows {
		list[i] = fromRow(row)
	}
	return list, nil
}

// sweepSize bounds how many runs one sweep ends.
const sweepSize = 100

// Sweep ends runs that were left alone, and returns how many. Each is ended in a
// transaction of its own: a crash in between leaves the rest for the next sweep.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	var ids []string
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		since := s.now().Add(-LeftAlone).UnixMilli() + 1
		ids, err = q.New(tx).LeftAlone(ctx, q.LeftAloneParams{Since: since, Count: sweepSize})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("run: sweep: %w", err)
	}
	ended := 0
	var failed []error // one run that cannot be ended leaves the others to be
	for _, id := range ids {
		err := s.DB.UpdateAt(ctx, Isolation, func(ctx context.Context, tx *store.Tx) error {
			r, err := s.Get(ctx, tx, id)
			if err != nil || !r.expire(s.now()) {
				return err // its player was faster
			}
			tx.AfterCommit(func() { ended++ })
			_, err = s.save(ctx, tx, r)
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
