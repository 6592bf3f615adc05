package duel

import (
	"cmp"
	"context"
	"math"
	"slices"

	"roshambo/chain"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
)

// featuredRounds is the most rounds of a duel that is preferred for a replay: more would have to
// be shown too fast.
const featuredRounds = 12

// featuredCount is how many duels Live and Replay choose from.
const featuredCount = 40

// Live returns the duel between people that spectators see, or nil: the one with code current
// while it is active, otherwise that with the highest stake, of several the newest. It leaves out duels of
// networks that have had their share.
func (s *Service) Live(ctx context.Context, tx *store.Tx, current string, had func(fairshare.Tag) bool) (*Duel, error) {
	list, err := s.List(ctx, tx, Filter{Status: Active, Before: math.MaxInt64, Count: featuredCount})
	list = slices.DeleteFunc(list, func(d *Duel) bool { return had(d.Network) })
	return pickLive(list, current), err
}

// pickLive chooses the duel of Live from a list with the newest first.
func pickLive(list []*Duel, current string) *Duel {
	var best *Duel
	for _, d := range list {
		people := d.A.Kind != chain.Bot && d.B.Kind != chain.Bot && d.Kind != Sparring
		switch {
		case d.Status != Active || !people: // a passed deadline may have ended it
		case d.Code == current:
			return d
		case best == nil || d.Stake > best.Stake:
			best = d
		}
	}
	return best
}

// Replay returns a recent ranked duel for spectators, or nil: the closest of the latest that is not among
// the codes shown before; if all are, the latest. Duels of networks that have had their share are only
// shown while there are no others.
func (s *Service) Replay(
	ctx context.Context, tx *store.Tx, shown []string, had func(fairshare.Tag) bool,
) (*Duel, error) {
	list, err := s.List(ctx, tx, Filter{Status: Finished, Before: math.MaxInt64, Count: featuredCount})
	others := slices.DeleteFunc(slices.Clone(list), func(d *Duel) bool { return had(d.Network) })
	return cmp.Or(pickReplay(others, shown), pickReplay(list, shown)), err
}

// replayChoice is how many ranked duels pickReplay compares.
const replayChoice = 8

// pickReplay chooses the duel of Replay from a list with the newest first.
func pickReplay(list []*Duel, shown []string) *Duel {
	list = slices.DeleteFunc(slices.Clone(list), func(d *Duel) bool { return d.Kind != Ranked || len(d.Rounds) == 0 })
	if len(list) == 0 {
		return nil
	}
	fresh := slices.DeleteFunc(slices.Clone(list[:min(len(list), replayChoice)]), func(d *Duel) bool {
		return slices.Contains(shown, d.Code)
	})
	if len(fresh) == 0 {
		return list[0]
	}
	return slices.MinFunc(fresh, func(a, b *Duel) int {
		return cmp.Or(cmp.Compare(length(a), length(b)), cmp.Compare(margin(a), margin(b)))
	})
}

// length returns by how many rounds a duel is too long for a replay.
func length(d *Duel) int { return max(0, len(d.Rounds)-featuredRounds) }

// margin returns the difference of the scores.
func margin(d *Duel) int {
	score := d.Score()
	return max(score.WinsA-score.WinsB, score.WinsB-score.WinsA)
}
