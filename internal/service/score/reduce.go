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
	// stepPace is the least time between two steps: reports that arrive within it share one.
	stepPace = 100 * time.Millisecond
	// pollInterval is how often the reducer looks for reports without a notification.
	pollInterval = time.Second
	// notifyPace is the least time between two calls of Notify. It is shorter than stepPace:
	// a node that was notified and reads the inbox once more after stepPace also finds the
	// reports whose notification was suppressed.
	notifyPace = stepPace / 2
	// stepSize is the largest number of reports in one step.
	stepSize = 500
)

// Wake makes RunReducer look for reports now.
func (s *Service) Wake() {
	select {
	case s.inboxWake <- struct{}{}:
	default: // a token is there: the reducer has yet to look
	}
}

// reported wakes the reducer of this node or notifies the others, after a report's commit.
func (s *Service) reported() {
	if s.reducing.Load() {
		s.Wake()
		return
	}
	if s.Notify == nil {
		return
	}
	now, last := s.Now().UnixMilli(), s.notifiedAt.Load()
	due := now < last || now-last >= notifyPace.Milliseconds() // now < last: the clock was set back
	if due && s.notifiedAt.CompareAndSwap(last, now) {
		s.Notify()
	}
}

// RunReducer reduces reports as they arrive, until ctx ends; reports that are still pending
// then are left to the next run. Two reducers at the same time conflict and discard steps,
// so one node should run it for all, under a lease. onError receives the errors.
func (s *Service) RunReducer(ctx context.Context, onError func(error)) {
	s.reducing.Store(true)
	defer s.reducing.Store(false)
	report := func(err error) {
		if err != nil && ctx.Err() == nil {
			onError(err)
		}
	}
	report(s.requeueRefused(ctx))
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		n, err := s.reduceNext(ctx)
		report(err)
		var wake <-chan struct{}
		if err == nil { // after an error only the poll retries
			wake = s.inboxWake
		}
		if n == 0 {
			select {
			case <-ctx.Done():
				return
			case <-wake:
			case <-poll.C:
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(stepPace):
		}
	}
}

// Drain reduces all pending reports. Its error joins the refusals with the error that
// stopped the step.
func (s *Service) Drain(ctx context.Context) error { return s.drain(ctx, math.MaxInt64) }

// drain reduces at least count reports, if so many are pending, in whole steps.
func (s *Service) drain(ctx context.Context, count int64) error {
	var refused error
	for count > 0 {
		n, err := s.reduceNext(ctx)
		if n == 0 {
			return errors.Join(refused, err)
		}
		count -= int64(n)
		refused = errors.Join(refused, err)
	}
	return refused
}

// errStale reports that another step, or the closing of a season, was stored since the
// inputs were read.
var errStale = errors.New("score: the step is stale")

// reduceNext runs the next step and returns how many reports it reduced: 0 when none is
// pending or none can be reduced now. A report that makes the step fail is isolated by
// retrying with an eighth of the reports, and then refused: reduceNext returns 1 and the
// reason. Errors of the database itself (store.ErrUnavailable, store.IsTransient) refuse
// nothing: the report stays in the inbox, and all later ones behind it.
func (s *Service) reduceNext(ctx context.Context) (int, error) {
	for size := int64(stepSize); ; {
		t, err := s.reduce(ctx, size)
		if err == nil && len(t.reports) > 0 {
			err = s.DB.UpdateAt(ctx, store.Snapshot, t.store)
		}
		switch {
		case errors.Is(err, errStale): // another step was stored: read again
			continue
		case err == nil:
			return len(t.reports), nil
		case ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrClosed) ||
			len(t.reports) == 0:
			return 0, fmt.Errorf("score: reduce: %w", err)
		case len(t.reports) > 1: // a smaller step may also fit a server that is short of memory or disk
			size = int64(len(t.reports)+7) / 8
			continue
		case store.IsTransient(err):
			return 0, fmt.Errorf("score: reduce: %w", err)
		}
		n, err := s.refuse(ctx, t, err)
		if !errors.Is(err, errStale) {
			return n, err
		}
	}
}

// refuse moves the single report of a failed step from the inbox to score_refused, the
// dead-letter table, so that later reports are reduced. It swaps the step number: the reason
// holds for the snapshot of this step only, and the inbox may have reused the report's id
// since. Operators see refused reports in Backlog; requeueRefused retries them. It returns
// the same results as reduceNext.
//
// A crash before the commit: the next step refuses the report. After it: the report is
// stored as refused until it is requeued.
func (s *Service) refuse(ctx context.Context, t *reduceStep, reason error) (int, error) {
	r := &t.reports[0]
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		swapped, err := queries.SwapStep(ctx, t.number)
		if err != nil {
			return err
		}
		if swapped != 1 {
			return errStale
		}
		err = queries.RefuseReport(ctx, q.RefuseReportParams{
			ID: r.ID, Error: reason.Error(), RefusedAt: tx.Now().UnixMilli(),
		})
		if err != nil {
			return err
		}
		return ledger.OneRow(queries.DeleteReport(ctx, r.ID))
	})
	reason = fmt.Errorf("score: report of %s refused: %w", r.Kind, reason)
	if err != nil {
		return 0, errors.Join(reason, fmt.Errorf("score: refuse: %w", err))
	}
	return 1, reason
}

// requeueRefused moves all refused reports back to the inbox: this release may be able to
// reduce them.
func (s *Service) requeueRefused(ctx context.Context) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		n, err := queries.RequeueRefused(ctx)
		if err != nil || n == 0 {
			return err
		}
		deleted, err := queries.DeleteRefused(ctx)
		if err != nil {
			return err
		}
		if deleted != n {
			return errStale // one more was refused meanwhile: the next start requeues it
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("score: requeue refused reports: %w", err)
	}
	return nil
}

// Backlog is the state of the inbox.
type Backlog struct {
	Reports int64
	Oldest  time.Time // when the oldest pending report was posted; zero for none
	Refused int64     // reports that could not be reduced
}

// Backlog returns the state of the inbox, for operators.
func (*Service) Backlog(ctx context.Context, tx *store.Tx) (Backlog, error) {
	fail := func(err error) (Backlog, error) { return Backlog{}, fmt.Errorf("score: backlog: %w", err) }
	queries := q.New(tx)
	var b Backlog
	var err error
	if b.Reports, err = queries.CountReports(ctx); err != nil {
		return fail(err)
	}
	if b.Refused, err = queries.CountRefused(ctx); err != nil {
		return fail(err)
	}
	if b.Reports == 0 {
		return b, nil
	}
	oldest, err := queries.OldestReport(ctx)
	if err != nil {
		return fail(err)
	}
	b.Oldest = time.UnixMilli(oldest).UTC()
	return b, nil
}
