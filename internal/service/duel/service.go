package duel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// Config holds the dependencies of Service.
type Config struct {
	DB     *store.DB
	Ledger *ledger.Ledger
	Events *event.Log
	Now    func() time.Time
	Rand   io.Reader // of cryptographic quality
	// Secret is the key material of the sparring bot's hands. After a change of it,
	// sparring duels in play cannot be finished.
	Secret []byte
	// HoldOpponent keeps the account of the other side of a rematch or challenge from being deleted or
	// frozen before that is stored. Of a deleted or frozen account it returns ErrNoRematch. Nil for
	// accounts that last.
	HoldOpponent func(ctx context.Context, tx *store.Tx, opponent chain.Address) error
	// Practice reports whether others play a bot for practice: its ranked duels are not rated. Nil for no bot.
	Practice func(bot Player) bool
	// Rating receives each finished duel before its settlement is posted, so SettleTx is
	// still nil. It thereby locks the rows of both players' ratings before the settlement
	// gets its position on the chain: two duels of one player that end concurrently change
	// the rating in the order of the chain. Nil for none.
	Rating Listener
	// Listeners receive each finished duel after its settlement is posted. Like Rating they
	// are set before the first use case.
	Listeners []Listener
}

// Isolation is the isolation level of the use cases of duels. A snapshot suffices, because
// each use case writes the rows that it decides by. All but Create and StartSparring decide
// by the duel's row and write it; effects of its end are written where they are read.
// Create, Join and StartSparring also count the account's other duels; only they are bound
// by that count, and each of them writes the account's row of the ledger. A challenge is also decided by what its
// opponent blocks and by the opponent's waiting and latest challenges: it writes the opponent's account by
// HoldOpponent, and the caller of Block must write it, too. The caller of SetSetting need not: a challenge that read
// the former setting is one that came before.
const Isolation = store.Snapshot

// Service implements the use cases of duels.
type Service struct {
	Config
	drawHand handSource
	dropped  atomic.Int64 // the day of this node's last DropPairs
}

// New returns a Service with the dependencies c.
func New(c Config) (*Service, error) {
	drawHand, err := newHandSource(c.Secret, c.Ledger.Recovery)
	if err != nil {
		return nil, err
	}
	return &Service{Config: c, drawHand: drawHand}, nil
}

// dayOf returns the number of t's UTC day, counted from 1970-01-01.
func dayOf(t time.Time) int64 { return t.Unix() / int64((24*time.Hour)/time.Second) }

// Terms are the terms of a new duel.
type Terms struct {
	Stake    int64  // of each side, in coins; 0 for none
	Unlisted bool   // in no public list
	Day      bool   // open for DayTimeout; only without a stake, which an absent creator would lose, and unlisted
	Invited  Player // the only player that may join, whose Kind decides by default; the zero Player for any. Unlisted only
	// Step is the time for each step, MinStep to MaxStep, or 0 for the usual one. Unlisted only and without a stake: a
	// player who joins from a list need not expect a short one.
	Step time.Duration
}

// Create opens a duel that a player can join by its code. It moves the creator's stake into escrow, unless the
// duel is unlisted: the stake's transaction would publish the code, so both stakes of an unlisted duel move when
// it is joined. A duel for one player alone is a challenge, of which the player gets an event. Errors:
// ErrUnfinished, *chain.InsufficientFundsError, ErrNoChallenge, ErrQuiet, ErrChallenges.
func (s *Service) Create(ctx context.Context, tx *store.Tx, a Player, terms Terms) (*Duel, error) {
	chosen := terms.Day || terms.Step != 0
	if (chosen || terms.Invited.Address != chain.Address{}) && !terms.Unlisted || chosen && terms.Stake > 0 {
		panic("duel: an invitation with chosen times or for one player is unlisted, and one with chosen times has no stake")
	}
	if terms.Step != 0 && (terms.Step < MinStep || terms.Step > MaxStep) {
		panic("duel: the time for a step is out of its bounds")
	}
	before, err := s.loadCreator(ctx, tx, a.Address, terms)
	if err != nil {
		return nil, err
	}
	if err := before.mayCreate(terms, tx.Now()); err != nil {
		return nil, err
	}
	// The order of rows is the same as at the end of a duel: accounts, accounts of the ledger, past opponents.
	if before.challenge != nil {
		if err := s.holdInvited(ctx, tx, terms.Invited.Address); err != nil {
			return nil, err
		}
	}
	if terms.Unlisted || terms.Stake == 0 { // no stake moves, see countUnfinished
		if err := s.Ledger.TouchAccount(ctx, tx, a.Address); err != nil {
			return nil, err
		}
	}
	if before.challenge != nil {
		if err := noteChallenge(ctx, tx, a.Address, terms.Invited.Address); err != nil {
			return nil, err
		}
	}
	now := tx.Now()
	return s.add(ctx, tx, func(code string) *Duel { return open(code, a, terms, now) })
}

// loadCreator loads what Create is decided by.
func (s *Service) loadCreator(
	ctx context.Context, tx *store.Tx, account chain.Address, terms Terms,
) (c creator, err error) {
	if terms.Unlisted && terms.Stake > 0 {
		if c.account, _, err = s.Ledger.Account(ctx, tx, account); err != nil {
			return c, fmt.Errorf("duel: balance of %v: %w", account, err)
		}
	}
	if terms.Invited.Address != (chain.Address{}) {
		if c.challenge, err = s.loadChallenge(ctx, tx, account, terms.Invited); err != nil {
			return c, err
		}
	}
	c.unfinished, err = s.countUnfinished(ctx, tx, account)
	return c, err
}

// StartSparring begins a practice duel against the sparring bot. Errors: ErrUnfinished.
func (s *Service) StartSparring(ctx context.Context, tx *store.Tx, a Player) (*Duel, error) {
	unfinished, err := s.countUnfinished(ctx, tx, a.Address)
	if err != nil {
		return nil, err
	}
	if unfinished >= MaxUnfinished {
		return nil, ErrUnfinished
	}
	if err := s.Ledger.TouchAccount(ctx, tx, a.Address); err != nil {
		return nil, err
	}
	return s.start(ctx, tx, Duel{Kind: Sparring, A: a, Listed: true}, sparringBot)
}

// StartRanked begins a duel of the arena. It is rated if it is one of the first MaxRated of the two
// on this UTC day, and neither is there for practice.
func (s *Service) StartRanked(ctx context.Context, tx *store.Tx, a, b Player) (*Duel, error) {
	if s.Practice != nil && (s.Practice(a) || s.Practice(b)) {
		return s.start(ctx, tx, Duel{Kind: Ranked, A: a, Listed: true}, b)
	}
	rated, err := s.countRated(ctx, tx, a, b)
	if err != nil {
		return nil, err
	}
	return s.start(ctx, tx, Duel{Kind: Ranked, Rated: rated, A: a, Listed: true}, b)
}

// start begins the duel d, with its kind, rating and side a set, against b.
func (s *Service) start(ctx context.Context, tx *store.Tx, d Duel, b Player) (*Duel, error) {
	now := tx.Now()
	return s.add(ctx, tx, func(code string) *Duel {
		next := d
		next.Code, next.CreatedAt, next.drawHand = code, now, s.drawHand
		next.start(b, d.Rated, now)
		return &next
	})
}

// countUnfinished returns the number of an account's unfinished duels, which MaxUnfinished limits.
// A transaction that begins a duel by it must write the account's row, so that two concurrent ones
// cannot both begin the last allowed duel: a stake that moves writes it, and otherwise TouchAccount.
func (s *Service) countUnfinished(ctx context.Context, tx *store.Tx, account chain.Address) (int64, error) {
	n, err := q.New(tx).CountUnfinished(ctx, account[:])
	if err != nil {
		return 0, fmt.Errorf("duel: of %v: %w", account, err)
	}
	return n, nil
}

// codeAttempts is how many random codes add tries. There are 2^40 codes.
const codeAttempts = 8

// add stores a new duel under an unused code, pays its stakes and publishes its event. create
// returns the duel with a code: the sparring bot's first hand depends on it.
func (s *Service) add(ctx context.Context, tx *store.Tx, create func(code string) *Duel) (*Duel, error) {
	for range codeAttempts {
		code, err := newCode(s.Rand)
		if err != nil {
			return nil, fmt.Errorf("duel: code: %w", err)
		}
		d := create(code)
		if d.Listed || d.Invited.Address != (chain.Address{}) {
			d.Network = fairshare.From(ctx, fairshare.Days(tx.Now()))
		}
		s.prefetchStakes(tx, d)
		d.seq, err = insert(ctx, tx, d)
		if errors.Is(err, sql.ErrNoRows) { // the code is taken
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("duel: new: %w", err)
		}
		if d.Kind == Ranked {
			if err := hideResults(ctx, tx, d.Network); err != nil {
				return nil, err
			}
		}
		return d, s.added(ctx, tx, d)
	}
	return nil, errors.New("duel: no free code found")
}

// hideResults takes from the lists what a network has there beyond its shares, when it begins a ranked duel: it begins
// as many as it can play, and a list would read all that it leaves out.
func hideResults(ctx context.Context, tx *store.Tx, network fairshare.Tag) error {
	var levels [2][]byte
	for i, level := range network.Levels() {
		levels[i] = []byte(level[0])
	}
	if levels[0] == nil {
		return nil
	}
	if err := q.New(tx).HideResults(ctx, q.HideResultsParams{Narrow: levels[0], Wide: levels[1]}); err != nil {
		return fmt.Errorf("duel: hide results: %w", err)
	}
	return nil
}

// added pays the stakes of a new duel and publishes its event.
func (s *Service) added(ctx context.Context, tx *store.Tx, d *Duel) error {
	if len(d.due()) > 0 {
		if err := s.payStakes(ctx, tx, d, d.payer); err != nil {
			return err
		}
		if err := setStakes(ctx, tx, d); err != nil {
			return fmt.Errorf("duel: %s: %w", d.Code, err)
		}
	}
	switch {
	case d.Kind == Sparring:
		return nil
	case d.Status == Open && d.Listed:
		return s.publish(ctx, tx, d, event.DuelCreated, event.Duels, event.Account(d.A.Address))
	case d.Status == Open:
		if d.Invited.Address != (chain.Address{}) {
			if err := s.publish(ctx, tx, d, event.DuelChallenge, event.Account(d.Invited.Address)); err != nil {
				return err
			}
		}
		return s.publish(ctx, tx, d, event.DuelCreated, event.Account(d.A.Address))
	default:
		return s.publish(ctx, tx, d, event.DuelStarted, event.Account(d.A.Address), event.Account(d.B.Address))
	}
}

// Join makes p the opponent in an open duel and moves p's stake into escrow, and the
// creator's stake if the duel is unlisted. The duel is casual. Errors: ErrNotFound, ErrOwn,
// ErrFull, ErrClosed, ErrForbidden, ErrUnfinished, ErrOpponentFunds,
// *chain.InsufficientFundsError.
func (s *Service) Join(ctx context.Context, tx *store.Tx, p Player, code string) (*Duel, error) {
	tx.Prefetch(q.CountUnfinished, p.Address[:])
	d, _, err := s.Get(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	unfinished, err := s.countUnfinished(ctx, tx, p.Address)
	if err != nil {
		return nil, err
	}
	if err := d.join(p, unfinished, tx.Now()); err != nil {
		return nil, err
	}
	if d.Stake == 0 { // no stake moves, see countUnfinished
		if err := s.Ledger.TouchAccount(ctx, tx, p.Address); err != nil {
			return nil, err
		}
	}
	if err := s.payStakes(ctx, tx, d, p.Address); err != nil {
		return nil, err
	}
	return d, s.save(ctx, tx, d, Open)
}

// Cancel cancels an open duel of the caller and returns the stake, or declines one that is for the caller. Errors:
// ErrNotFound, ErrForbidden, ErrFull, ErrClosed.
func (s *Service) Cancel(ctx context.Context, tx *store.Tx, caller chain.Address, code string) (*Duel, error) {
	return s.change(ctx, tx, code, func(d *Duel, now time.Time) error { return d.cancel(caller, now) })
}

// Step identifies a step of a duel: the caller, the duel and the round.
type Step struct {
	Caller chain.Address
	Code   string
	Round  int // 0 is the current round
}

// Commit stores the caller's commitment c for the current round. Errors: ErrNotFound,
// ErrForbidden, ErrMovedOn, ErrNotYet.
func (s *Service) Commit(ctx context.Context, tx *store.Tx, step Step, c chain.Hash) (*Duel, error) {
	return s.change(ctx, tx, step.Code, func(d *Duel, now time.Time) error {
		return d.commit(d.Side(step.Caller), step.Round, c, now)
	})
}

// Reveal stores the caller's hand for the current round; the second reveal decides the
// round. Errors: ErrNotFound, ErrForbidden, ErrMovedOn, ErrNotYet, ErrMismatch.
func (s *Service) Reveal(ctx context.Context, tx *store.Tx, step Step, h Hand) (*Duel, error) {
	return s.change(ctx, tx, step.Code, func(d *Duel, now time.Time) error {
		return d.reveal(d.Side(step.Caller), step.Round, h, now)
	})
}

// Resign gives the duel up for the caller: the other side wins. Errors: ErrNotFound,
// ErrForbidden, ErrMovedOn, ErrNotYet.
func (s *Service) Resign(ctx context.Context, tx *store.Tx, caller chain.Address, code string) (*Duel, error) {
	return s.change(ctx, tx, code, func(d *Duel, now time.Time) error { return d.resign(d.Side(caller), now) })
}

// change applies passed deadlines and an action to a duel and stores the result. It takes
// one read of the row and one write, more only if the duel ends.
func (s *Service) change(
	ctx context.Context, tx *store.Tx, code string, action func(*Duel, time.Time) error,
) (*Duel, error) {
	d, err := s.load(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	before, now := d.Status, tx.Now()
	d.elapse(now)
	if err := action(d, now); err != nil {
		return nil, err // the deadlines are not stored; the next call applies them again
	}
	return d, s.save(ctx, tx, d, before)
}

// Get returns the current state of a duel. If due is true, the state includes passed
// deadlines that are not stored yet; ApplyDeadlines stores them. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, tx *store.Tx, code string) (d *Duel, due bool, err error) {
	if d, err = s.load(ctx, tx, code); err != nil {
		return nil, false, err
	}
	due = d.elapse(tx.Now())
	return d, due, nil
}

// ApplyDeadlines applies and stores the deadlines of a duel that have passed, and returns
// the duel. Errors: ErrNotFound.
func (s *Service) ApplyDeadlines(ctx context.Context, tx *store.Tx, code string) (*Duel, error) {
	d, err := s.load(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	before := d.Status
	if !d.elapse(tx.Now()) {
		return d, nil
	}
	return d, s.save(ctx, tx, d, before)
}

// load reads a duel without applying deadlines. Errors: ErrNotFound.
func (s *Service) load(ctx context.Context, tx *store.Tx, code string) (*Duel, error) {
	code, ok := ParseCode(code)
	if !ok {
		return nil, ErrNotFound
	}
	row, err := q.New(tx).GetDuel(ctx, code)
	if err != nil {
		return nil, store.Absent(err, ErrNotFound, "duel: %s", code)
	}
	return s.fromRow(row)
}

// save stores a changed duel; before is its status before the change. If the duel has ended,
// save also posts the settlement and calls the listeners. All of it takes effect with the
// caller's commit: a crash before the commit leaves nothing, one after it everything.
func (s *Service) save(ctx context.Context, tx *store.Tx, d *Duel, before Status) (err error) {
	switch {
	case d.Status.Over():
		err = s.end(ctx, tx, d)
	case before == Open:
		err = updateJoin(ctx, tx, d)
	default:
		err = updateStep(ctx, tx, d)
	}
	if err != nil {
		return fmt.Errorf("duel: %s: %w", d.Code, err)
	}
	d.Version++
	tx.AfterCommit(func() { s.Events.Hub.Wake(event.Duel(d.Code)) })
	if d.Status != before {
		return s.publishStatus(ctx, tx, d, before)
	}
	return nil
}

// end stores the end of a duel: the ratings of a finished one, the settlement, the row and
// the effects of the listeners, in this order.
func (s *Service) end(ctx context.Context, tx *store.Tx, d *Duel) error {
	if d.Status == Finished && s.Rating != nil {
		if err := s.Rating.DuelFinished(ctx, tx, d); err != nil {
			return err
		}
	}
	if err := s.settle(ctx, tx, d); err != nil {
		return err
	}
	if err := updateEnd(ctx, tx, d); err != nil {
		return err
	}
	if d.Status != Finished {
		return nil
	}
	if err := addMeeting(ctx, tx, d); err != nil {
		return err
	}
	for _, l := range s.Listeners {
		if err := l.DuelFinished(ctx, tx, d); err != nil {
			return err
		}
	}
	return nil
}

// publishStatus publishes the event of a duel whose status has changed from before.
func (s *Service) publishStatus(ctx context.Context, tx *store.Tx, d *Duel, before Status) error {
	if d.Kind == Sparring {
		return nil // only its player is concerned, and follows the duel itself
	}
	topics := []string{event.Account(d.A.Address)}
	if other := d.B.Address; other != (chain.Address{}) {
		topics = append(topics, event.Account(other))
	} else if d.Invited.Address != (chain.Address{}) {
		topics = append(topics, event.Account(d.Invited.Address))
	}
	if before == Open && d.Listed {
		topics = append(topics, event.Duels)
	}
	kind := map[Status]event.Kind{
		Active: event.DuelJoined, Finished: event.DuelFinished, Expired: event.DuelExpired,
		Cancelled: event.DuelCancelled, Declined: event.DuelCancelled, Void: event.DuelCancelled,
	}[d.Status]
	return s.publish(ctx, tx, d, kind, topics...)
}

// eventBody is the body of a duel's events. Readers get the duel itself by its code.
type eventBody struct {
	Code    string `json:"code"`
	Kind    Kind   `json:"kind"`
	Status  Status `json:"status"`
	Version int64  `json:"version"`
	Stake   int64  `json:"stake"`
}

// publish posts an event of a duel to each topic.
func (s *Service) publish(ctx context.Context, tx *store.Tx, d *Duel, kind event.Kind, topics ...string) error {
	body := eventBody{Code: d.Code, Kind: d.Kind, Status: d.Status, Version: d.Version, Stake: d.Stake}
	for _, topic := range topics {
		if err := s.Events.Post(ctx, tx, event.Event{Topic: topic, Kind: kind, Body: body}); err != nil {
			return err
		}
	}
	return nil
}
