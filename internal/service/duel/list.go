package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/duelq"
)

// Filter selects the duels of a list.
type Filter struct {
	Of     chain.Address // only duels of this account; the zero Address selects all accounts
	For    chain.Address // only open duels that are for this account alone; without Of and Status
	Status Status        // Open, Active or Finished; "" selects all
	Before int64         // only duels with a lower Duel.Seq
	Count  int64         // maximum number of duels
}

// Seq returns the duel's position in lists: newer duels have higher numbers.
func (d *Duel) Seq() int64 { return d.seq }

// List returns the current state of the selected duels, newest first.
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
		list[i].elapse(tx.Now())
	}
	return list, nil
}

// Steps say when an account has to act in its duels.
type Steps struct {
	Playing bool      // it has a duel in progress
	Next    time.Time // the earliest of OwnDeadline; zero while all its duels wait for their other sides
}

// StepsOf returns when an account has to act in its duels.
func (s *Service) StepsOf(ctx context.Context, tx *store.Tx, account chain.Address) (steps Steps, err error) {
	list, err := s.List(ctx, tx, Filter{Of: account, Status: Active, Before: chain.MaxID, Count: MaxUnfinished + 1})
	for _, d := range list {
		steps.Playing = steps.Playing || d.Status == Active // a passed deadline may have ended it
		if own := d.OwnDeadline(d.Side(account)); !own.IsZero() && (steps.Next.IsZero() || own.Before(steps.Next)) {
			steps.Next = own
		}
	}
	return steps, err
}

// CupDuel is a duel of a game of a cup.
type CupDuel struct {
	*Duel
	CupSeat
}

// CupSeat is the place of a game in a cup.
type CupSeat struct{ Round, Board int64 }

// OfCup returns the first duels of a cup's games that are over, after a place, in their order.
func (s *Service) OfCup(ctx context.Context, tx *store.Tx, cup int64, after CupSeat, count int64) ([]CupDuel, error) {
	rows, err := q.New(tx).CupDuels(ctx, q.CupDuelsParams{Cup: cup, Round: after.Round, Board: after.Board, Count: count})
	if err != nil {
		return nil, fmt.Errorf("duel: of cup %d: %w", cup, err)
	}
	list := make([]CupDuel, len(rows))
	for i, row := range rows {
		list[i] = CupDuel{CupSeat: CupSeat{row.CupRound, row.Board}}
		if list[i].Duel, err = s.fromRow(row.Duel); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// rows reads the rows of the selected duels. Each combination of filters has its own query,
// as each uses another index.
func (s *Service) rows(ctx context.Context, tx *store.Tx, f Filter) ([]q.Duel, error) {
	queries, all := q.New(tx), f.Of == chain.Address{}
	switch {
	case f.For != chain.Address{}:
		return queries.ListChallenges(ctx, q.ListChallengesParams{Account: f.For[:], Before: f.Before, Count: f.Count})
	case all && f.Status == "":
		return queries.ListDuels(ctx, q.ListDuelsParams{Before: f.Before, Count: f.Count})
	case all:
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

// StakedCoins returns the coins that an account has staked in unfinished duels.
func (s *Service) StakedCoins(ctx context.Context, tx *store.Tx, account chain.Address) (int64, error) {
	coins, err := q.New(tx).SumStakes(ctx, account[:])
	if err != nil {
		return 0, fmt.Errorf("duel: stakes of %v: %w", account, err)
	}
	return coins, nil
}

// UnfinishedRanked returns the account's unfinished ranked duel, or nil. It ends a duel whose
// last deadline has passed, so tx must belong to an Update.
func (s *Service) UnfinishedRanked(ctx context.Context, tx *store.Tx, account chain.Address) (*Duel, error) {
	rows, err := q.New(tx).UnfinishedRanked(ctx, account[:])
	if err != nil {
		return nil, fmt.Errorf("duel: of %v: %w", account, err)
	}
	for _, r := range rows {
		d, err := s.fromRow(r)
		if err != nil {
			return nil, err
		}
		if before := d.Status; d.elapse(tx.Now()) {
			if err := s.save(ctx, tx, d, before); err != nil {
				return nil, err
			}
		}
		if !d.Status.Over() {
			return d, nil
		}
	}
	return nil, nil
}

// Sweep applies the deadlines that have passed and returns the next one, the zero time if
// there is none.
func (s *Service) Sweep(ctx context.Context) (next time.Time, err error) {
	failed := s.ApplyDue(ctx)
	if err := s.dropPairs(ctx); err != nil {
		failed = errors.Join(failed, err)
	}
	next, err = s.nextDeadline(ctx)
	return next, errors.Join(failed, err)
}

// ApplyDue applies all deadlines that have passed, each in a transaction of its own: a crash leaves the remaining
// ones to the next sweep.
func (s *Service) ApplyDue(ctx context.Context) error {
	var codes []string
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		codes, err = q.New(tx).DueDuels(ctx, tx.Now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("duel: due: %w", err)
	}
	return store.Each(ctx, codes, func(ctx context.Context, code string) error {
		err := s.DB.UpdateAt(ctx, Isolation, func(ctx context.Context, tx *store.Tx) error {
			_, err := s.ApplyDeadlines(ctx, tx, code)
			return err
		})
		if err != nil && !errors.Is(err, ledger.ErrConflict) { // on a conflict another call has applied them
			return fmt.Errorf("duel: sweep: %w", err)
		}
		return nil
	})
}

// nextDeadline returns the earliest deadline of all unfinished duels, the zero time if there
// is none.
func (s *Service) nextDeadline(ctx context.Context) (next time.Time, err error) {
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		ms, err := q.New(tx).NextDeadline(ctx)
		if err != nil {
			return err
		}
		if ms != 0 {
			next = column.Time(ms)
		}
		return nil
	})
	return next, err
}

// dropPairs deletes, once a day, the counts of rated duels, the tags of networks and the last challenges of past days,
// and past opponents that are left of deleted accounts. It keeps yesterday's, as the clocks of nodes differ.
// What a network has in the lists beyond its shares as its tags go is in none from then on.
func (s *Service) dropPairs(ctx context.Context) error {
	today := dayOf(s.Now())
	if s.dropped.Load() == today {
		return nil
	}
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		before := fairshare.Kept(tx.Now()).UnixMilli()
		if err := q.New(tx).HideBeyondShares(ctx, before); err != nil {
			return err
		}
		if err := q.New(tx).DropNetworks(ctx, before); err != nil {
			return err
		}
		if err := q.New(tx).DropLeftOpponents(ctx); err != nil {
			return err
		}
		if err := q.New(tx).DropChallenges(ctx, before); err != nil {
			return err
		}
		return q.New(tx).DropPairs(ctx, dayOf(tx.Now())-1)
	})
	if err != nil {
		return fmt.Errorf("duel: delete counts and tags of past days: %w", err)
	}
	s.dropped.Store(today)
	return nil
}
