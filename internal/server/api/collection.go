package api

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/server/tokenart"
	"roshambo/internal/store"
)

// CollectedTier is one material of a collection.
type CollectedTier struct {
	Tier     int64            `json:"tier"`
	Material string           `json:"material"`
	Count    int64            `json:"count" doc:"The player's tokens of the tier; 0 for a missing one."`
	Shapes   []CollectedShape `json:"shapes" doc:"The shapes that the player has, of three; empty for a missing tier."`
}

// CollectedShape is a shape of the pictures of tokens, which their numbers decide.
type CollectedShape struct {
	Shape   string `json:"shape" enum:"narrow,medium,wide" doc:"How wide the table of the stone is, its flat top."`
	TokenID int64  `json:"token_id" doc:"The player's oldest token of this tier and shape."`
}

// maxCollected bounds the tokens that a collection counts, the oldest of an account: each caller of getPlayer, also
// without an account, makes the service read them.
const maxCollected = 1000

// collection returns all tiers of the ladder, with what an account has of each.
func (a *API) collection(ctx context.Context, tx *store.Tx, account chain.Address) ([]CollectedTier, error) {
	tokens, err := a.Ledger.TokensOf(ctx, tx, account, -1, maxCollected)
	if err != nil {
		return nil, err
	}
	list := make([]CollectedTier, a.Ledger.Rules().Top())
	found := make([][len(tokenart.Shapes)]*CollectedShape, len(list))
	for i := range list {
		list[i] = CollectedTier{Tier: int64(i) + 1, Material: a.material(int64(i) + 1), Shapes: []CollectedShape{}}
	}
	for _, t := range tokens {
		if t.Tier < 1 || t.Tier > int64(len(list)) {
			continue // of a longer ladder before
		}
		list[t.Tier-1].Count++
		n := tokenart.Shape(t.ID)
		if shape := &found[t.Tier-1][n]; *shape == nil {
			*shape = &CollectedShape{Shape: tokenart.Shapes[n], TokenID: t.ID}
		}
	}
	for i := range list {
		for _, shape := range found[i] {
			if shape != nil {
				list[i].Shapes = append(list[i].Shapes, *shape)
			}
		}
	}
	return list, nil
}
