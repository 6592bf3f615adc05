package httpapi

import (
	"context"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/account"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// Facts tells package score, which knows no other noun, what the nouns report. It is what
// listens to them: package app says so to each.
type Facts struct {
	Score *score.Service
}

// RunEnded implements run.Listener.
func (f Facts) RunEnded(ctx context.Context, tx *store.Tx, r *run.Run) error {
	return f.Score.RunEnded(ctx, tx, score.Run{
		ID: r.ID, Account: r.Account, Entry: r.Entry, Status: chain.RunStatus(r.Status), First: r.FirstTier, Cleared: r.Cleared,
		Throws: r.Throws, StartedAt: r.StartedAt, EndedAt: *r.EndedAt, TokenID: r.TokenID, EndTx: *r.EndTx,
	})
}

// DuelFinished implements duel.Listener. Duels of two bots are the arena's alone.
func (f Facts) DuelFinished(ctx context.Context, tx *store.Tx, d *duel.Duel) error {
	if d.A.Kind == chain.Bot && d.B.Kind == chain.Bot {
		return nil
	}
	fact := score.Duel{
		Code: d.Code, A: d.A.Address, B: d.B.Address, Stake: d.Stake, Practice: d.Kind == duel.Sparring, At: *d.EndedAt, SettleTx: d.SettleTx,
	}
	switch d.Winner {
	case game.A:
		fact.Winner = "a"
	case game.B:
		fact.Winner = "b"
	case game.NoSide:
	}
	return f.Score.DuelFinished(ctx, tx, fact)
}

// Sold implements market.Listener.
func (f Facts) Sold(ctx context.Context, tx *store.Tx, s *market.Sale) error {
	return f.Score.Sold(ctx, tx, score.Sale{
		ListingID: s.ListingID, Seller: s.Seller, Buyer: s.Buyer, TokenID: s.TokenID, Tier: s.Tier, Price: s.Price, At: s.At, Tx: s.Tx,
	})
}

// BoughtBack implements market.Listener.
func (f Facts) BoughtBack(ctx context.Context, tx *store.Tx, b *market.Buyback) error {
	return f.Score.BoughtBack(ctx, tx, score.Buyback{
		OfferID: b.OfferID, Seller: b.Seller, TokenID: b.TokenID, Tier: b.Tier, Price: b.Price, At: b.At, Tx: b.Tx,
	})
}

// Renamed implements account.Listener.
func (f Facts) Renamed(ctx context.Context, tx *store.Tx, a account.Account) error {
	return f.Score.Renamed(ctx, tx, a.Address[:])
}

// TeamJoined implements team.Listener.
func (f Facts) TeamJoined(ctx context.Context, tx *store.Tx, j team.Joined) error {
	return f.Score.TeamJoined(ctx, tx, score.Joined(j))
}

// TeamClosed implements team.Listener.
func (f Facts) TeamClosed(ctx context.Context, tx *store.Tx, id int64) error {
	return f.Score.TeamClosed(ctx, tx, id)
}
