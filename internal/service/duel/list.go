package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/duelq"
)

// Filter says which duels to list.
type Filter struct {
	Of     chain.Address // one account's; the zero Address is everybody's
	Status Status        // Open, Active or Finished; "" is any
	Before int64         // those that are older than this one; see Duel.Seq
	Count  int64         // at most
}

// Seq says where the duel stands in lists: a newer one has a higher number.
func (d *Duel) Seq() int64 { return d.seq }

// List returns duels, the newest first, as they stand by now.
func (s *Service) List(ctx context.Context, tx *store.Tx, f Filter) ([]*Duel, error) {
	rows, err := s.rows(ctx, tx, f)
	if err != nil {
		return nil, fmt.Errorf("duel: list: %w", err)
	}
	list := make([]*Duel, len(rows))
	for i, row := range rows {
		if list[i], err = s.fromRow(row); err != nil {
			return nil, err
		}
		list[i].elapse(s.now())
	}
	return list, nil
}

func (s *Service) rows(ctx context.Context, tx *store.Tx, f Filter) ([]q.Duel, error) {
	queries, everybody := q.New(tx), f.Of == chain.Address{}
	switch {
	case everybody && f.Status == "":
		return queries.ListDuels(ctx, q.ListDuelsParams{Before: f.Before, Count: f.Count})
	case everybody:
		return queries.ListByStatus(ctx, q.ListByStatusParams{Status: string(f.Status), Before: f.Before, Count: f.Count})
	case f.Status == "":
		return queries.ListOf(ctx, q.ListOfParams{Account: f.Of[:], Before: f.Before, Count: f.Count})
	case f.Status == Finished:
		return queries.FinishedOf(ctx, q.FinishedOfParams{Account: f.Of[:], Before: f.Before, Count: f.Count})
	}
	return queries.UnfinishedOf(ctx, q.UnfinishedOfParams{
		Account: f.Of[:], Status: string(f.Status), Before: f.Before, Count: f.Count,
	})
}

// InPlay returns how many coins of an account are staked in duels that are not over.
func (s *Service) InPlay(ctx context.Context, tx *store.Tx, account chain.Address) (int64, error) {
	coins, err := q.New(tx).SumStakes(ctx, account[:])
	if err != nil {
		return 0, fmt.Errorf("duel: stakes of %v: %w", account, err)
	}
	return coins, nil
}

// UnfinishedRanked returns the arena's duel that an account has not finished, or nil. A
// duel whose last deadline has passed ends here, so tx must be that of an Update.
func (s *Service) UnfinishedRanked(ctx context.Context, tx *store.Tx, account chain.Address) (*Duel, error) {
	row, err := q.New(tx).UnfinishedRanked(ctx, account[:])
	if err != nil {
		return nil, fmt.Errorf("duel: of %v: %w", account, err)
	}
	for _, r := range row {
		d, err := s.fromRow(r)
		if err != nil {
			return nil, err
		}
		if was := d.Status; d.elapse(s.now()) {
			if err := s.save(ctx, tx, d, was); err != nil {
				return nil, err
			}
		}
		if !d.Status.Over() {
			return d, nil
		}
	}
	return nil, nil
}

// sweepSize bounds how many duels one sweep looks at.
const sweepSize = 100

// Sweep applies the deadlines that have passed, and returns when the next one does; the
// zero time when none is to come. Each duel has a transaction of its own: a crash in
// between leaves the rest for the next sweep.
func (s *Service) Sweep(ctx context.Context) (next time.Time, err error) {
	var codes []string
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		codes, err = q.New(tx).DueDuels(ctx, q.DueDuelsParams{Now: s.now().UnixMilli(), Count: sweepSize})
		return err
	})
	if err != nil {
		return next, fmt.Errorf("duel: sweep: %w", err)
	}
	var failed []error // one duel that cannot be swept leaves the others to be
	for _, code := range codes {
		err := s.DB.UpdateAt(ctx, Isolation, func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Apply(ctx, tx, code)
			return err
		})
		if err != nil && !errors.Is(err, ledger.ErrConflict) { // somebody was faster
			failed = append(failed, fmt.Errorf("duel: sweep: %w", err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if err := s.dropPairs(ctx); err != nil {
		failed = append(failed, err)
	}
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		ms, err := q.New(tx).NextDeadline(ctx)
		if ms != 0 {
			next = column.Time(ms)
		}
		return err
	})
	return next, errors.Join(append(failed, err)...)
}

// dropPairs forgets, once a day, how many rated duels two people had on days that are over.
// Yesterday is kept, as nodes' clocks differ.
func (s *Service) dropPairs(ctx context.Context) error {
	today := dayOf(s.now())
	if s.dropped.Load() == today {
		return nil
	}
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error { return q.New(tx).DropPairs(ctx, today-1) })
	if err != nil {
		return fmt.Errorf("duel: rated duels of days that are over: %w", err)
	}
	s.dropped.Store(today)
	return nil
}
