package app

import (
	"context"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/game"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/account"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// scoreReporter reports the facts of the other services to package score, which imports none of
// them. It implements the listener of each: account, cup, duel, market, run and team. Every method
// runs inside the transaction of the use case, so a fact is stored with its cause or not at all.
type scoreReporter struct{ s *Service }

// RunEnded implements run.Listener. A run that no call has ended is charged to its player's last network. Once the uses
// of networks may be forgotten, as after a pause of the service, none says that the player's address is not charged.
func (r scoreReporter) RunEnded(ctx context.Context, tx *store.Tx, ended *run.Run) error {
	if !fairshare.Known(ctx) {
		network, err := r.s.Accounts.LastNetwork(ctx, tx, ended.Account)
		if err != nil {
			return err
		}
		if network != nil || tx.Now().Sub(ended.ActedAt) < account.NetworkKnown {
			ctx = fairshare.WithTag(ctx, network)
		}
	}
	return r.s.Score.RunEnded(ctx, tx, score.Run{
		ID: ended.ID, Account: ended.Account, Entry: ended.Entry, Status: chain.RunStatus(ended.Status),
		Unranked: ended.Unranked, First: ended.FirstTier, Cleared: ended.Cleared, Throws: ended.Throws,
		StartedAt: ended.StartedAt,
		EndedAt:   *ended.EndedAt, TokenID: ended.TokenID, EndTx: *ended.EndTx,
	})
}

// DuelFinished implements duel.Listener. A duel counts for the time of its settlement, not for an earlier deadline that
// ended it, so points follow from the chain. It skips duels between two bots: they count in the arena alone.
func (r scoreReporter) DuelFinished(ctx context.Context, tx *store.Tx, d *duel.Duel) error {
	if d.A.Kind == chain.Bot && d.B.Kind == chain.Bot {
		return nil
	}
	fact := score.Duel{
		Code: d.Code, A: d.A.Address, B: d.B.Address, Stake: d.Stake, Practice: d.Kind == duel.Sparring, At: tx.Now(),
		SettleTx: d.SettleTx, Above: d.Above, Earned: d.Rated && chain.Earned(d.Rounds, d.Winner), Unlisted: !d.Listed,
		Unplayed: !d.Played(), Network: d.Network,
	}
	switch d.Winner {
	case game.A:
		fact.Winner = "a"
	case game.B:
		fact.Winner = "b"
	case game.NoSide:
	}
	return r.s.Score.DuelFinished(ctx, tx, fact)
}

// CupFinished implements cup.Listener. A cup that an account has opened is charged to that account's last network. If
// that is not known any more, although the cup was charged to one or may have been, the feed does not show it.
func (r scoreReporter) CupFinished(ctx context.Context, tx *store.Tx, c *cup.Cup, rows []tables.Row) error {
	if c.Creator != nil {
		network, err := r.s.Accounts.LastNetwork(ctx, tx, *c.Creator)
		if err != nil {
			return err
		}
		charged := fairshare.From(ctx, fairshare.Scope{}) != nil || c.CreatedAt.Before(fairshare.Kept(tx.Now()))
		if network == nil && charged {
			return nil
		}
		ctx = fairshare.WithTag(ctx, network)
	}
	closed := score.Cup{Number: c.Number, Kind: string(c.Kind), At: *c.EndedAt, Table: *c.Hash, Tx: *c.Tx}
	for _, row := range rows[:min(len(rows), score.Medals)] {
		if row.Rank <= score.Medals {
			closed.Top = append(closed.Top, score.Party{Account: row.Address[:], Place: row.Rank})
		}
	}
	return r.s.Score.CupFinished(ctx, tx, closed)
}

// Sold implements market.Listener.
func (r scoreReporter) Sold(ctx context.Context, tx *store.Tx, sale *market.Sale) error {
	return r.s.Score.Sold(ctx, tx, score.Sale{
		ListingID: sale.ListingID, Seller: sale.Seller, Buyer: sale.Buyer, TokenID: sale.TokenID, Tier: sale.Tier,
		Price: sale.Price, At: sale.At, Tx: sale.Tx,
	})
}

// BoughtBack implements market.Listener.
func (r scoreReporter) BoughtBack(ctx context.Context, tx *store.Tx, b *market.Buyback) error {
	return r.s.Score.BoughtBack(ctx, tx, score.Buyback{
		OfferID: b.OfferID, Seller: b.Seller, TokenID: b.TokenID, Tier: b.Tier, Price: b.Price, At: b.At, Tx: b.Tx,
	})
}

// Renamed implements account.Listener.
func (r scoreReporter) Renamed(ctx context.Context, tx *store.Tx, a account.Account) error {
	if err := r.s.Market.Renamed(ctx, tx, a.Address); err != nil {
		return err
	}
	return r.s.Score.Renamed(ctx, tx, a.Address[:])
}

// TeamJoined implements team.Listener.
func (r scoreReporter) TeamJoined(ctx context.Context, tx *store.Tx, j team.Joined) error {
	return r.s.Score.TeamJoined(ctx, tx, score.Joined(j))
}

// TeamRenamed implements team.Listener.
func (r scoreReporter) TeamRenamed(ctx context.Context, tx *store.Tx, id int64) error {
	return r.s.Score.TeamRenamed(ctx, tx, id)
}

// TeamClosed implements team.Listener.
func (r scoreReporter) TeamClosed(ctx context.Context, tx *store.Tx, id int64) error {
	return r.s.Score.TeamClosed(ctx, tx, id)
}
