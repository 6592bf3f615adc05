package score

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

const (
	// reactPace is the least time between two turns: reports that come within it share one.
	reactPace = 100 * time.Millisecond
	// reactPoll is how often it is looked whether there are reports that nobody told of.
	reactPoll = time.Second
	// tellPace is the least time between two Tells. It is less than reactPace, so that who
	// was told and looks once more after that finds what came meanwhile.
	tellPace = reactPace / 2
	// turnSize is how many reports one turn reacts to at most.
	turnSize = 500
)

// Wake says that there may be reports to react to.
func (s *Service) Wake() {
	select {
	case s.waiting <- struct{}{}:
	default: // it will look later than now
	}
}

// reported is called when a report has been committed.
func (s *Service) reported() {
	if s.reacting.Load() {
		s.Wake()
		return
	}
	if s.Tell == nil {
		return
	}
	now, told := s.now().UnixMilli(), s.told.Load()
	if since := now - told; (since < 0 || since >= tellPace.Milliseconds()) && s.told.CompareAndSwap(told, now) {
		s.Tell()
	}
}

// React reacts to reports as they come, until ctx ends; what waits then waits for the next
// one to begin. Of two at the same time one takes its work back, so one should do it for
// all. failed is told of errors.
func (s *Service) React(ctx context.Context, failed func(error)) {
	s.reacting.Store(true)
	defer s.reacting.Store(false)
	tell := func(err error) {
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
	tell(s.readmit(ctx))
	poll := time.NewTicker(reactPoll)
	defer poll.Stop()
	for {
		n, err := s.react(ctx)
		tell(err)
		var woken <-chan struct{}
		if err == nil {
			woken = s.waiting
		}
		if n == 0 {
			select {
			case <-ctx.Done():
				return
			case <-woken:
			case <-poll.C:
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(reactPace):
		}
	}
}

// Settle reacts to all reports that wait. Its error is of those that were refused, or why it
// cannot be done now.
func (s *Service) Settle(ctx context.Context) error { return s.settle(ctx, math.MaxInt64) }

// settle is Settle for so many reports, and what shares their turns.
func (s *Service) settle(ctx context.Context, count int64) error {
	var refused error
	for count > 0 {
		n, err := s.react(ctx)
		if n == 0 {
			return errors.Join(refused, err)
		}
		count -= int64(n)
		refused = errors.Join(refused, err)
	}
	return refused
}

// errTurn says that somebody else has reacted, or closed a season, meanwhile.
var errTurn = errors.New("score: another was reacting")

// react reacts to the next reports and returns how many they were; 0 when none waits, or
// nothing can be done now. A report that cannot be reacted to is found by trying fewer at a
// time, and refused: then it returns 1 and why. It is not refused for what a database that is
// not well says of itself: then it waits where it is, with all behind it.
func (s *Service) react(ctx context.Context) (int, error) {
	for size := int64(turnSize); ; {
		t, err := s.work(ctx, size)
		if err == nil && len(t.reports) > 0 {
			err = s.DB.UpdateAt(ctx, store.Snapshot, t.store)
		}
		switch {
		case errors.Is(err, errTurn): // it has gone on: look again
			continue
		case err == nil:
			return len(t.reports), nil
		case ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrClosed) || len(t.reports) == 0:
			return 0, fmt.Errorf("score: react: %w", err)
		case len(t.reports) > 1: // fewer may also be what a server can do that is short of something
			size = int64(len(t.reports)+7) / 8
			continue
		case store.IsTransient(err):
			return 0, fmt.Errorf("score: react: %w", err)
		}
		n, err := s.refuse(ctx, t, err)
		if !errors.Is(err, errTurn) {
			return n, err
		}
	}
}

// refuse puts the one report of a turn aside that cannot be reacted to, so that the others go
// on. It takes the turn, as what was wrong with the report is true of what the turn has seen
// alone, and its number may be another one's by now. It stays where operators are told of it,
// and is tried again when a node begins to react. It returns what react does.
//
// A crash before the commit: it is refused by the next turn. After it: it waits to be
// readmitted.
func (s *Service) refuse(ctx context.Context, t *turn, why error) (int, error) {
	r := &t.reports[0]
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		n, err := queries.SwapTurn(ctx, t.seen)
		if err == nil && n != 1 {
			err = errTurn
		}
		if err != nil {
			return err
		}
		err = queries.Refuse(ctx, q.RefuseParams{ID: r.ID, Error: why.Error(), RefusedAt: s.now().UnixMilli()})
		if err != nil {
			return err
		}
		return ledger.OneRow(queries.DeleteReport(ctx, r.ID))
	})
	why = fmt.Errorf("score: report of %s refused: %w", r.Kind, why)
	if err != nil {
		return 0, errors.Join(why, fmt.Errorf("score: refuse: %w", err))
	}
	return 1, why
}

// readmit puts refused reports back into the inbox: this may be a program that takes them.
func (s *Service) readmit(ctx context.Context) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		n, err := queries.Readmit(ctx)
		if err != nil || n == 0 {
			return err
		}
		gone, err := queries.ClearRefused(ctx)
		if err == nil && gone != n {
			err = errTurn // one more was refused meanwhile: the next one to begin takes it
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("score: readmit: %w", err)
	}
	return nil
}

// Backlog is what waits to be reacted to.
type Backlog struct {
	Reports int64
	Oldest  time.Time // when the oldest was posted; zero for none
	Refused int64     // could not be reacted to
}

// Backlog returns what waits to be reacted to, for operators.
func (*Service) Backlog(ctx context.Context, tx *store.Tx) (b Backlog, err error) {
	queries := q.New(tx)
	if b.Reports, err = queries.CountReports(ctx); err == nil {
		b.Refused, err = queries.CountRefused(ctx)
	}
	var oldest int64
	if err == nil && b.Reports > 0 {
		oldest, err = queries.OldestReport(ctx)
		b.Oldest = time.UnixMilli(oldest).UTC()
	}
	if err != nil {
		return b, fmt.Errorf("score: backlog: %w", err)
	}
	return b, nil
}
