package duel

import (
	"context"
	"fmt"
	"math"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// Recover settles the staked duels in play void, and deals the house's hands in the others anew, in the
// transaction of a recovery, which has its number already (ledger.Recover): players may have seen the
// hands that an older state of the database still hides. Deadlines that have passed are not applied: the
// players may have met them in the lost state. Where not both sides have committed, the sparring bot
// commits to its new hand, and the commitment of another player is forgotten if house reports true for
// it: that player commits again. Where both have committed, both are bound, and what a player has seen
// is of no use. A crash before the commit leaves the mark of the recovery, and the next start does it
// all.
func (s *Service) Recover(ctx context.Context, tx *store.Tx, house func(Player) bool) error {
	codes, err := q.New(tx).DueDuels(ctx, math.MaxInt64)
	if err != nil {
		return fmt.Errorf("duel: recover: %w", err)
	}
	for _, code := range codes {
		d, err := s.load(ctx, tx, code)
		if err != nil {
			return fmt.Errorf("duel: recover %s: %w", code, err)
		}
		before := d.Status
		if !d.void(tx.Now()) && !d.dealAnew(house) {
			continue
		}
		if err := s.save(ctx, tx, d, before); err != nil {
			return fmt.Errorf("duel: recover %s: %w", code, err)
		}
	}
	return nil
}

// void ends a staked duel in play, and reports whether it is one. It has no winner and is not rated.
func (d *Duel) void(now time.Time) bool {
	if d.Status != Active || d.Stake == 0 {
		return false
	}
	d.Rated = false
	d.end(Void, now)
	return true
}

// dealAnew replaces the hands of the house that are not bound, and reports whether there are any.
func (d *Duel) dealAnew(house func(Player) bool) (dealt bool) {
	if d.Status != Active || d.bothCommitted() {
		return false
	}
	if d.Kind == Sparring {
		d.dealSparring()
		return true
	}
	for i, p := range []Player{d.A, d.B} {
		if d.Hands[i].Committed && house(p) {
			d.Hands[i], dealt = chain.DuelHand{}, true
		}
	}
	return dealt
}
