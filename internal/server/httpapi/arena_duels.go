package httpapi

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// RankedDuels lets the arena begin and find duels: it answers arena.Duels.
type RankedDuels struct {
	Duels    *duel.Service
	Accounts *account.Service
}

// StartRanked begins a ranked duel.
func (r RankedDuels) StartRanked(ctx context.Context, tx *store.Tx, a, b chain.Address) (string, error) {
	var sides [2]duel.Player
	for i, address := range []chain.Address{a, b} {
		found, err := r.Accounts.Get(ctx, tx, address)
		if err != nil {
			return "", err
		}
		sides[i] = duel.Player{Address: address, Username: found.Username, Kind: found.Kind}
	}
	d, err := r.Duels.StartRanked(ctx, tx, sides[0], sides[1])
	if err != nil {
		return "", err
	}
	return d.Code, nil
}

// UnfinishedRanked finds a bot's ranked duel that goes on.
func (r RankedDuels) UnfinishedRanked(ctx context.Context, tx *store.Tx, bot chain.Address) (string, error) {
	d, err := r.Duels.UnfinishedRanked(ctx, tx, bot)
	if err != nil || d == nil {
		return "", err
	}
	return d.Code, nil
}

// DuelResults tells the arena of duels that end: it answers duel.Listener.
type DuelResults struct{ Arena *arena.Service }

// DuelFinished changes the ratings, and frees the bots.
func (r DuelResults) DuelFinished(ctx context.Context, tx *store.Tx, d *duel.Duel) error {
	return r.Arena.RecordDuel(ctx, tx, arena.Result{
		Duel: d.Code, Pool: arena.Pool(d.Pool()), Rated: d.Rated, A: d.A.Address, B: d.B.Address,
		Winner: d.Winner.String(), At: *d.EndedAt,
	})
}
