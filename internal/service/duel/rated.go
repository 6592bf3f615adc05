package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// Rated duels are those that the service pairs, at most MaxRated of two players on a UTC day. A
// row counts them, and the transaction that begins a duel draws its number there, so that
// concurrent ones cannot exceed the limit.

// ErrPaired reports that two people have had their rated duels of the day.
var ErrPaired = errors.New("duel: the two have had their rated duels of the day")

// StartQuick begins a duel between two people that the service paired. It is rated if both are
// registered. Errors: ErrPaired.
func (s *Service) StartQuick(ctx context.Context, tx *store.Tx, a, b Player) (*Duel, error) {
	if a.Kind != chain.Full || b.Kind != chain.Full {
		return s.start(ctx, tx, Duel{Kind: Quick, A: a, Listed: true}, b)
	}
	rated, err := s.countRated(ctx, tx, a, b)
	if err != nil {
		return nil, err
	}
	if !rated {
		return nil, ErrPaired
	}
	return s.start(ctx, tx, Duel{Kind: Quick, Rated: true, A: a, Listed: true}, b)
}

// StartCup begins a game of a cup between two sides. It is casual: the players chose the cup. step is the time for
// each step, 0 for the default; public lists show a listed one.
func (s *Service) StartCup(
	ctx context.Context, tx *store.Tx, sides [2]Player, step time.Duration, listed bool,
) (*Duel, error) {
	return s.start(ctx, tx, Duel{Kind: Cup, A: sides[0], Step: step, Listed: listed}, sides[1])
}

// MayPair reports whether two people may be paired: they have not had their rated duels of the
// day. StartQuick decides.
func (s *Service) MayPair(ctx context.Context, tx *store.Tx, a, b chain.Address) (bool, error) {
	low, high := ordered(a, b)
	n, err := q.New(tx).GetRated(ctx, q.GetRatedParams{Low: low[:], High: high[:], Day: dayOf(tx.Now())})
	if err != nil {
		return false, fmt.Errorf("duel: rated duels of %v and %v: %w", low, high, err)
	}
	return n < MaxRated, nil
}

// countRated counts a rated duel of two players, and reports false if they have had MaxRated on
// this day.
func (s *Service) countRated(ctx context.Context, tx *store.Tx, a, b Player) (bool, error) {
	low, high := ordered(a.Address, b.Address)
	n, err := q.New(tx).CountRated(ctx, q.CountRatedParams{
		Low: low[:], High: high[:], Day: dayOf(tx.Now()), Most: MaxRated})
	if err != nil {
		return false, fmt.Errorf("duel: rated duels of %v and %v: %w", low, high, err)
	}
	return n == 1, nil
}

// ordered returns two addresses, the lower first.
func ordered(a, b chain.Address) (low, high chain.Address) {
	if string(a[:]) > string(b[:]) {
		return b, a
	}
	return a, b
}

// InPlay applies and stores the passed deadlines of a duel, and reports whether it goes on.
// Errors: ErrNotFound.
func (s *Service) InPlay(ctx context.Context, tx *store.Tx, code string) (bool, error) {
	d, err := s.ApplyDeadlines(ctx, tx, code)
	return err == nil && !d.Status.Over(), err
}
