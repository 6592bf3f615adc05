package app

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// rankedDuels implements arena.Duels with packages duel and account.
type rankedDuels struct{ s *Service }

// StartRanked begins a ranked duel between two bots, and returns its code.
func (r rankedDuels) StartRanked(ctx context.Context, tx *store.Tx, a, b chain.Address) (string, error) {
	var sides [2]duel.Player
	for i, address := range []chain.Address{a, b} {
		found, err := r.s.Accounts.Get(ctx, tx, address)
		if err != nil {
			return "", err
		}
		sides[i] = duel.Player{Address: address, Username: found.Username, Kind: found.Kind}
	}
	d, err := r.s.Duels.StartRanked(ctx, tx, sides[0], sides[1])
	if err != nil {
		return "", err
	}
	return d.Code, nil
}

// UnfinishedRanked returns the code of the bot's ranked duel in progress, "" when there is none.
func (r rankedDuels) UnfinishedRanked(ctx context.Context, tx *store.Tx, bot chain.Address) (string, error) {
	d, err := r.s.Duels.UnfinishedRanked(ctx, tx, bot)
	if err != nil || d == nil {
		return "", err
	}
	return d.Code, nil
}

// quickDuels implements arena.QuickDuels with packages duel and account.
type quickDuels struct {
	*duel.Service

	accounts *account.Service
}

// MayPair reports whether two people have used no network in common, and have rated duels left on this day.
func (q quickDuels) MayPair(ctx context.Context, tx *store.Tx, a, b chain.Address) (bool, error) {
	if shared, err := q.accounts.ShareNetwork(ctx, tx, a, b); err != nil || shared {
		return false, err
	}
	return q.Service.MayPair(ctx, tx, a, b)
}

// StartQuick begins a duel between two people, and returns its code.
func (q quickDuels) StartQuick(ctx context.Context, tx *store.Tx, a, b arena.QuickPlayer) (string, error) {
	side := func(p arena.QuickPlayer) duel.Player {
		return duel.Player{Address: p.Address, Username: p.Username, Kind: p.Kind}
	}
	d, err := q.Service.StartQuick(ctx, tx, side(a), side(b))
	if err != nil {
		return "", err
	}
	return d.Code, nil
}

// ratingUpdater implements duel.Listener: it reports finished duels to the arena.
type ratingUpdater struct{ s *Service }

// DuelFinished updates both ratings, releases bots for the next match, and sets d.Above.
func (r ratingUpdater) DuelFinished(ctx context.Context, tx *store.Tx, d *duel.Duel) error {
	pool := arena.Pool(d.Pool())
	if d.Kind == duel.Ranked { // also when it is not rated, as the bots are free again
		pool = arena.Bots
	}
	above, err := r.s.Arena.RecordDuel(ctx, tx, arena.Result{
		Duel: d.Code, Pool: pool, Rated: d.Rated, A: d.A.Address, B: d.B.Address,
		Winner: d.Winner, Rounds: d.Rounds, At: *d.EndedAt,
	})
	d.Above = above
	return err
}

// holdOpponent keeps the account of the other side of a rematch or challenge: its deletion or freezing comes before the
// duel, which is then refused, or after it.
func (s *Service) holdOpponent(ctx context.Context, tx *store.Tx, opponent chain.Address) error {
	held, err := s.Accounts.HoldPlayer(ctx, tx, opponent)
	if err == nil && !held {
		return duel.ErrNoRematch
	}
	return err
}
