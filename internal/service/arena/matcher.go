package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/arenaq"
)

const (
	// tick is how often who waits is looked through: what may match them now and could
	// not before is that their windows have grown, or a moment has passed.
	tick = 50 * time.Millisecond
	// share is the part of its time that the matcher spends looking, at most.
	share = 10
	// rest is how long the matcher rests when nobody from outside waits. Who enters, on
	// any node, wakes it.
	rest = 2 * time.Second

	passSize  = 5_000 // bots that are looked through at a time, those who wait longest
	matchSize = 16    // pairs that share a transaction
)

// Match matches those who wait until ctx ends. One node should do it for all: of two, one
// finds that the other was faster.
func (s *Service) Match(ctx context.Context) {
	for ctx.Err() == nil {
		began := s.Now()
		left, err := s.Pass(ctx)
		if err != nil && ctx.Err() == nil {
			s.Logger.Error("matching bots", "error", err)
		}
		pause := rest
		if left > 0 {
			pause = max(tick, share*s.Now().Sub(began))
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-s.wake:
		}
		timer.Stop()
	}
}

// wakeMatcher has Match look at once.
func (s *Service) wakeMatcher() {
	select {
	case s.wake <- struct{}{}:
	default: // it will look later than now
	}
}

// Pass matches those who wait, once, and returns how many outside bots are left waiting.
// Each pair is matched in a transaction that looks again whether both still wait: a crash
// in between, or another node at the same, leaves nobody half matched.
func (s *Service) Pass(ctx context.Context) (left int, err error) {
	var list []*waiter
	var lapsed, mayPlayItself bool
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		list, lapsed, mayPlayItself, err = s.look(ctx, tx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("arena: pass: %w", err)
	}
	for _, w := range list {
		if w.owner != nil {
			left++
		}
	}
	if lapsed {
		err = s.lapse(ctx)
	}
	for chunk := range slices.Chunk(pairs(list, s.now(), mayPlayItself), matchSize) {
		for _, p := range chunk {
			for _, w := range []*waiter{p.a, p.b} {
				if w.owner != nil {
					left--
				}
			}
		}
		err = errors.Join(err, s.matchAll(ctx, chunk))
	}
	return left, err
}

// look reads who waits, whether somebody has ceased to without leaving, and whether the
// house may play itself.
func (s *Service) look(ctx context.Context, tx *store.Tx) (list []*waiter, lapsed, mayPlayItself bool, err error) {
	queries, now := q.New(tx), s.now()
	rows, err := queries.ListWaiting(ctx, passSize)
	if err != nil || len(rows) == 0 {
		return nil, false, false, err
	}
	for _, r := range rows {
		if r.ExpiresAt <= now.UnixMilli() {
			lapsed = true
			continue
		}
		list = append(list, newWaiter(r))
	}
	paired, err := queries.HousePaired(ctx)
	return list, lapsed, paired <= now.Add(-HousePace).UnixMilli(), err
}

// lapse takes those out of the queue who have not asked for long.
func (s *Service) lapse(ctx context.Context) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := q.New(tx).Lapse(ctx, s.now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("arena: lapse: %w", err)
	}
	return nil
}

// matchAll begins the duels of some pairs in one transaction; when that fails, each in
// one of its own, so that one pair's trouble is not the others'.
func (s *Service) matchAll(ctx context.Context, list []pair) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, p := range list {
			if err := s.matchNow(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if len(list) == 1 && errors.Is(err, errTaken) {
		return nil
	}
	if err == nil || len(list) == 1 || ctx.Err() != nil {
		return err
	}
	err = nil
	for _, p := range list {
		err = errors.Join(err, s.matchAll(ctx, []pair{p}))
	}
	return err
}

// matchNow begins the duel of a pair that was found by a look, if both still wait.
func (s *Service) matchNow(ctx context.Context, tx *store.Tx, p pair) error {
	if p.a.owner == nil && p.b.owner == nil {
		now := s.now()
		n, err := q.New(tx).PaceHouse(ctx, q.PaceHouseParams{Now: now.UnixMilli(), Before: now.Add(-HousePace).UnixMilli()})
		if err != nil || n == 0 {
			return err // another node was faster
		}
	}
	_, err := s.match(ctx, tx, p)
	return err
}
