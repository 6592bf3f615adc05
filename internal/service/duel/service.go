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
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/duelq"
)

// Config is what duels are played with.
type Config struct {
	DB     *store.DB
	Ledger *ledger.Ledger
	Events *event.Log
	Now    func() time.Time
	Rand   io.Reader // of cryptographic quality
	// Secret is what the sparring bot's hands follow from. With another one, sparring
	// duels that go on cannot be played to their end.
	Secret []byte
	// Rating receives finished duels before the settlement is posted (so there is no SettleTx
	// yet): it locks the rows of both players' ratings before the settlement draws its position
	// on the chain, so that two duels of one player that end at the same time change the rating
	// in the order of the chain. Nil for none.
	Rating Listener
	// Listeners receive finished duels after the settlement is posted.
	Listeners []Listener
}

// Isolation is that of the use cases of duels. All but Create and Spar decide by the duel's
// row, and write it; what goes with its end is written where it is read. Create, Join and
// Spar also count the other duels of an account, to which only they add (a ranked one begins
// whatever the count is), and each of them writes the account's row of the ledger.
const Isolation = store.Snapshot

// Service is the use cases of duels.
type Service struct {
	Config
	deal    dealer
	dropped atomic.Int64 // the day of the last DropPairs of this node
}

// New returns the use cases over c.
func New(c Config) (*Service, error) {
	deal, err := newDealer(c.Secret)
	if err != nil {
		return nil, err
	}
	return &Service{Config: c, deal: deal}, nil
}

// dayOf counts UTC days from 1970-01-01.
func dayOf(t time.Time) int64 { return t.Unix() / int64((24*time.Hour)/time.Second) }

// now returns the time as it is stored, in whole milliseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Create opens a duel for whoever knows its code, and takes the creator's stake, 0 for
// none. Errors: ErrUnfinished, *chain.InsufficientFundsError.
func (s *Service) Create(ctx context.Context, tx *store.Tx, a Player, stake int64) (*Duel, error) {
	if err := s.bound(ctx, tx, a, stake); err != nil {
		return nil, err
	}
	now := s.now()
	d := &Duel{Kind: ByCode, Status: Open, A: a, Stake: stake, CreatedAt: now, Deadline: now.Add(OpenFor)}
	return d, s.add(ctx, tx, d, func() {})
}

// Spar begins a duel for practice against the sparring bot. Errors: ErrUnfinished.
func (s *Service) Spar(ctx context.Context, tx *store.Tx, a Player) (*Duel, error) {
	if err := s.bound(ctx, tx, a, 0); err != nil {
		return nil, err
	}
	return s.against(ctx, tx, Sparring, a, sparringBot)
}

// StartRanked begins a rated duel of the arena.
func (s *Service) StartRanked(ctx context.Context, tx *store.Tx, a, b Player) (*Duel, error) {
	return s.against(ctx, tx, Ranked, a, b)
}

// against begins a duel whose sides are both known.
func (s *Service) against(ctx context.Context, tx *store.Tx, kind Kind, a, b Player) (*Duel, error) {
	now := s.now()
	d := &Duel{Kind: kind, A: a, CreatedAt: now, deal: s.deal}
	return d, s.add(ctx, tx, d, func() { d.start(b, kind == Ranked, now) })
}

// bound returns ErrUnfinished when an account has as many duels as it may. Whoever goes on
// writes the account's row, so that two at the same time do not both take the last place: to
// pay the stake, or here, where there is none.
func (s *Service) bound(ctx context.Context, tx *store.Tx, p Player, stake int64) error {
	n, err := q.New(tx).CountUnfinished(ctx, p.Address[:])
	if err != nil {
		return fmt.Errorf("duel: of %v: %w", p.Address, err)
	}
	if n >= MaxUnfinished {
		return ErrUnfinished
	}
	if stake > 0 {
		return nil
	}
	return s.Ledger.HoldAccount(ctx, tx, p.Address)
}

// codeTries is how often a code may be taken before that is an error. There are 2^40.
const codeTries = 8

// add stores a new duel, under a code that no other has. start brings it to where it
// begins, once it has its code: the sparring bot's first hand follows from that.
func (s *Service) add(ctx context.Context, tx *store.Tx, d *Duel, start func()) error {
	queries := q.New(tx)
	for range codeTries {
		var err error
		if d.Code, err = newCode(s.Rand); err != nil {
			return fmt.Errorf("duel: code: %w", err)
		}
		start()
		if d.Stake > 0 {
			s.Ledger.Announce(tx, d.staking(d.A))
		}
		d.seq, err = insert(ctx, queries, d)
		if errors.Is(err, sql.ErrNoRows) { // the code is taken
			continue
		}
		if err != nil {
			return fmt.Errorf("duel: new: %w", err)
		}
		return s.began(ctx, tx, d)
	}
	return errors.New("duel: no free code found")
}

// began does what goes with a new duel: the stake, and telling who is interested.
func (s *Service) began(ctx context.Context, tx *store.Tx, d *Duel) error {
	if d.Stake > 0 {
		if err := s.stake(ctx, tx, d, game.A); err != nil {
			return err
		}
		if err := q.New(tx.Later()).SetStake(ctx, q.SetStakeParams{Seq: d.seq, StakeATx: column.Hash(d.StakeTx[0])}); err != nil {
			return fmt.Errorf("duel: %s: %w", d.Code, err)
		}
	}
	switch d.Kind {
	case ByCode:
		return s.tell(ctx, tx, d, "duel_created", event.Duels, event.Account(d.A.Address))
	case Ranked:
		return s.tell(ctx, tx, d, "duel_started", event.Account(d.A.Address), event.Account(d.B.Address))
	}
	return nil
}

// Join makes p the opponent in an open duel, and takes the stake. Errors: ErrNotFound,
// ErrOwn, ErrFull, ErrClosed, ErrUnfinished, *chain.InsufficientFundsError.
func (s *Service) Join(ctx context.Context, tx *store.Tx, p Player, code string) (*Duel, error) {
	tx.Ahead(q.CountUnfinished, p.Address[:])
	d, _, err := s.Get(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	if err := d.joinable(p); err != nil {
		return nil, err
	}
	if err := s.bound(ctx, tx, p, d.Stake); err != nil {
		return nil, err
	}
	now := s.now()
	if d.Stake > 0 {
		s.Ledger.Announce(tx, d.staking(p))
	}
	rated, err := s.rated(ctx, tx, d.A, p, now)
	if err != nil {
		return nil, err
	}
	d.start(p, rated, now)
	if d.Stake > 0 {
		if err := s.stake(ctx, tx, d, game.B); err != nil {
			return nil, err
		}
	}
	return d, s.save(ctx, tx, d, Open)
}

// rated says whether a duel between two counts, and if so takes one of the rated duels
// that they may have today.
func (s *Service) rated(ctx context.Context, tx *store.Tx, a, b Player, now time.Time) (bool, error) {
	if a.Kind != chain.Full || b.Kind != chain.Full {
		return false, nil
	}
	low, high := a.Address, b.Address
	if string(low[:]) > string(high[:]) {
		low, high = high, low
	}
	n, err := q.New(tx).CountRated(ctx, q.CountRatedParams{Low: low[:], High: high[:], Day: dayOf(now), Most: MaxRated})
	if err != nil {
		return false, fmt.Errorf("duel: rated duels of %v and %v: %w", low, high, err)
	}
	return n == 1, nil
}

// Cancel takes back an open duel of the caller's, and returns the stake. Errors:
// ErrNotFound, ErrForbidden, ErrFull, ErrClosed.
func (s *Service) Cancel(ctx context.Context, tx *store.Tx, caller chain.Address, code string) (*Duel, error) {
	return s.change(ctx, tx, code, func(d *Duel, now time.Time) error { return d.cancel(d.Side(caller), now) })
}

// Step says whose step it is, and in which duel.
type Step struct {
	Caller chain.Address
	Code   string
	Round  int // that the caller means; 0 is whichever is played
}

// Commit binds the caller to a hand in the round that is played. Errors: ErrNotFound,
// ErrForbidden, ErrMovedOn, ErrNotYet, ErrCopied.
func (s *Service) Commit(ctx context.Context, tx *store.Tx, step Step, c chain.Hash) (*Duel, error) {
	return s.change(ctx, tx, step.Code, func(d *Duel, now time.Time) error {
		return d.commit(d.Side(step.Caller), step.Round, c, now)
	})
}

// Reveal shows the caller's hand in the round that is played. Errors: ErrNotFound,
// ErrForbidden, ErrMovedOn, ErrNotYet, ErrMismatch.
func (s *Service) Reveal(ctx context.Context, tx *store.Tx, step Step, h Hand) (*Duel, error) {
	return s.change(ctx, tx, step.Code, func(d *Duel, now time.Time) error {
		return d.reveal(d.Side(step.Caller), step.Round, h, now)
	})
}

// change applies an action to a duel and stores what became of it: one read of its row
// and, unless that ends the duel, one write.
func (s *Service) change(ctx context.Context, tx *store.Tx, code string, action func(*Duel, time.Time) error) (*Duel, error) {
	d, err := s.load(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	was, now := d.Status, s.now()
	d.elapse(now)
	if err := action(d, now); err != nil {
		return nil, err // what elapsed will elapse again
	}
	return d, s.save(ctx, tx, d, was)
}

// Get returns a duel as it stands by now. When deadlines have passed that nobody has
// stored yet, due is true: Apply stores them. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, tx *store.Tx, code string) (d *Duel, due bool, err error) {
	if d, err = s.load(ctx, tx, code); err != nil {
		return nil, false, err
	}
	due = d.elapse(s.now())
	return d, due, nil
}

// Apply stores the deadlines that have passed, and returns the duel. Errors:
// ErrNotFound.
func (s *Service) Apply(ctx context.Context, tx *store.Tx, code string) (*Duel, error) {
	d, err := s.load(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	if was := d.Status; d.elapse(s.now()) {
		err = s.save(ctx, tx, d, was)
	}
	return d, err
}

// load returns a duel as it is stored.
func (s *Service) load(ctx context.Context, tx *store.Tx, code string) (*Duel, error) {
	code, ok := ParseCode(code)
	if !ok {
		return nil, ErrNotFound
	}
	row, err := q.New(tx).GetDuel(ctx, code)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("duel: %s: %w", code, err)
	}
	return s.fromRow(row)
}

// save stores a duel that changed, from the status that it had. When it has ended, so
// does all that goes with it, in the same transaction: the settlement on the chain, what
// listeners make of it. Nothing of that is there before the caller's commit, and all of
// it after.
func (s *Service) save(ctx context.Context, tx *store.Tx, d *Duel, was Status) (err error) {
	queries := q.New(tx.Later())
	switch {
	case d.Status.Over():
		err = s.end(ctx, tx, d)
	case was == Open:
		err = updateJoin(ctx, queries, d)
	default:
		err = updateStep(ctx, queries, d)
	}
	if err != nil {
		return fmt.Errorf("duel: %s: %w", d.Code, err)
	}
	d.Version++
	tx.AfterCommit(func() { s.Events.Hub.Wake(event.Duel(d.Code)) })
	if d.Status != was {
		return s.moved(ctx, tx, d, was)
	}
	return nil
}

// end stores that a duel is over, with all that goes with it.
func (s *Service) end(ctx context.Context, tx *store.Tx, d *Duel) error {
	if d.Status == Finished && s.Rating != nil {
		if err := s.Rating.DuelFinished(ctx, tx, d); err != nil {
			return err
		}
	}
	if err := s.settle(ctx, tx, d); err != nil {
		return err
	}
	if err := updateEnd(ctx, q.New(tx.Later()), d); err != nil || d.Status != Finished {
		return err
	}
	for _, l := range s.Listeners {
		if err := l.DuelFinished(ctx, tx, d); err != nil {
			return err
		}
	}
	return nil
}

// moved tells of a duel that has another status than before.
func (s *Service) moved(ctx context.Context, tx *store.Tx, d *Duel, was Status) error {
	if d.Kind == Sparring {
		return nil // who practises looks at nothing else
	}
	topics := []string{event.Account(d.A.Address)}
	if d.B.Address != (chain.Address{}) {
		topics = append(topics, event.Account(d.B.Address))
	}
	if was == Open {
		topics = append(topics, event.Duels)
	}
	kind := map[Status]string{Active: "duel_joined", Finished: "duel_finished", Expired: "duel_expired", Cancelled: "duel_cancelled"}
	return s.tell(ctx, tx, d, kind[d.Status], topics...)
}

// happened is the body of the events of a duel: all that one has to know to look.
type happened struct {
	Code    string `json:"code"`
	Kind    Kind   `json:"kind"`
	Status  Status `json:"status"`
	Version int64  `json:"version"`
	Stake   int64  `json:"stake"`
}

func (s *Service) tell(ctx context.Context, tx *store.Tx, d *Duel, kind string, topics ...string) error {
	for _, topic := range topics {
		err := s.Events.Post(ctx, tx, event.Event{Topic: topic, Kind: kind, Body: happened{d.Code, d.Kind, d.Status, d.Version, d.Stake}})
		if err != nil {
			return err
		}
	}
	return nil
}
