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
	// minPause is the pause between two passes while bots wait. Meanwhile windows grow and
	// houseDelay passes, which makes new pairs possible.
	minPause = 50 * time.Millisecond
	// pauseFactor is the minimum pause as a multiple of the duration of the last pass, so
	// that the matcher works for at most a tenth of the time.
	pauseFactor = 10
	// idlePause is the pause while no outside bot waits. A bot that enters the queue, on
	// any node, ends it.
	idlePause = 2 * time.Second

	passSize  = 5_000 // maximum number of bots in a pass, longest waiting first
	matchSize = 16    // maximum number of pairs in a transaction
)

// MatchLoop matches waiting bots until ctx ends. One node should run it for all: two would
// only conflict with each other.
func (s *Service) MatchLoop(ctx context.Context) {
	for ctx.Err() == nil {
		began := s.Now()
		left, err := s.MatchOnce(ctx)
		if err != nil && ctx.Err() == nil {
			s.Logger.Error("matching bots failed", "error", err)
		}
		pause := idlePause
		if left > 0 {
			pause = max(minPause, pauseFactor*s.Now().Sub(began))
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

// wakeMatcher makes MatchLoop start a pass at once. It never blocks.
func (s *Service) wakeMatcher() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// MatchOnce matches the waiting bots once and returns the number of outside bots that still
// wait. Each pair is matched in a transaction that checks again that both wait: after a crash,
// or with another node at work, both bots are in the duel or neither.
func (s *Service) MatchOnce(ctx context.Context) (left int, err error) {
	var waiting waitingBots
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		waiting, err = s.loadWaiting(ctx, tx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("arena: load waiting bots: %w", err)
	}
	for _, w := range waiting.list {
		if w.owner != nil {
			left++
		}
	}
	if waiting.expired {
		err = s.expireWaiting(ctx)
	}
	for chunk := range slices.Chunk(pairs(waiting.list, waiting.at, waiting.housePairing), matchSize) {
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

// waitingBots is the state of the queue at the start of a pass.
type waitingBots struct {
	at           time.Time // when it was read
	list         []*waiter
	expired      bool // there are rows of bots that have stopped asking
	housePairing bool // houseInterval has passed since the last duel between house bots
}

// loadWaiting reads the state of the queue.
func (s *Service) loadWaiting(ctx context.Context, tx *store.Tx) (waiting waitingBots, err error) {
	queries := q.New(tx)
	rows, err := queries.ListWaiting(ctx, passSize)
	if err != nil {
		return waiting, err
	}
	if len(rows) == 0 {
		return waiting, nil
	}
	now := tx.Now()
	waiting.at = now
	for _, r := range rows {
		if r.ExpiresAt <= now.UnixMilli() {
			waiting.expired = true
			continue
		}
		waiting.list = append(waiting.list, newWaiter(r))
	}
	last, err := queries.HousePaired(ctx)
	waiting.housePairing = last.PairedAt <= now.Add(-houseInterval(last.Pairings)).UnixMilli()
	return waiting, err
}

// expireWaiting removes the bots from the queue that have not asked for QueueTimeout.
func (s *Service) expireWaiting(ctx context.Context) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := q.New(tx).ExpireWaiting(ctx, tx.Now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("arena: expire waiting bots: %w", err)
	}
	return nil
}

// matchAll begins the duels of pairs in one transaction. If that fails, it uses a separate
// transaction for each pair, so that an error affects only the pair that causes it.
func (s *Service) matchAll(ctx context.Context, list []pair) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, p := range list {
			if err := s.matchNow(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if len(list) == 1 && errors.Is(err, errNotWaiting) {
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

// matchNow begins the duel of a pair if both bots still wait. A pair of house bots also needs
// that houseInterval has passed, which it claims for all nodes.
func (s *Service) matchNow(ctx context.Context, tx *store.Tx, p pair) error {
	if p.a.owner == nil && p.b.owner == nil {
		now, queries := tx.Now(), q.New(tx)
		last, err := queries.HousePaired(ctx)
		if err != nil {
			return err
		}
		n, err := queries.ClaimHousePairing(ctx, q.ClaimHousePairingParams{
			Now: now.UnixMilli(), Before: now.Add(-houseInterval(last.Pairings)).UnixMilli()})
		if err != nil {
			return err
		}
		if n == 0 { // another node has paired house bots meanwhile
			return nil
		}
	}
	_, err := s.match(ctx, tx, p)
	return err
}
