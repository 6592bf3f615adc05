package account

import (
	"context"
	"fmt"
	"slices"

	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// Scopes is the set of permissions of an API key, as stored: a sum of the constants below.
type Scopes int64

// The scopes of keys.
const (
	// ScopeRead permits reading the account.
	ScopeRead Scopes = 1 << iota
	// ScopePlay permits playing: runs, duels without a stake, teams, the faucet.
	ScopePlay
	// ScopeTrade permits giving value away: listing, buying, selling to the house, staking, resigning
	// a staked duel and burning a token.
	ScopeTrade

	// AllScopes is the set of a key that was created without a choice. Sessions and bots have
	// it, too.
	AllScopes = ScopeRead | ScopePlay | ScopeTrade
)

// scopeNames are the names of the scopes, the lowest bit first.
var scopeNames = []string{"read", "play", "trade"}

// Has reports whether s contains all of needed.
func (s Scopes) Has(needed Scopes) bool { return s&needed == needed }

// Names returns the names of the scopes in s, in a fixed order.
func (s Scopes) Names() []string {
	names := []string{}
	for i, name := range scopeNames {
		if s.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// ParseScopes returns the set of the named scopes. An unknown name permits nothing.
func ParseScopes(names []string) (s Scopes) {
	for i, name := range scopeNames {
		if slices.Contains(names, name) {
			s |= 1 << i
		}
	}
	return s
}

// endGuestKeys revokes the keys of a guest that is being secured, except those with the ids
// in keep, and returns the revoked ones, the newest first. A former user of the browser may
// have made a key, and an account that is worth securing must not have keys that its owner
// does not know. Errors: ErrNotFound if keep has an id that is no active key of the account.
func (s *Service) endGuestKeys(ctx context.Context, tx *store.Tx, a Account, keep []int64) (ended []Key, err error) {
	if err := s.lockKeysOf(ctx, tx, a.Address); err != nil {
		return nil, err
	}
	queries := q.New(tx)
	rows, err := queries.ActiveKeys(ctx, a.Address[:])
	if err != nil {
		return nil, fmt.Errorf("account: keys of %v: %w", a.Address, err)
	}
	for _, id := range keep {
		if !slices.ContainsFunc(rows, func(r q.ActiveKeysRow) bool { return r.KeyID == id }) {
			return nil, ErrNotFound
		}
	}
	now := tx.Now().UnixMilli()
	for _, r := range rows { // at most MaxKeys
		if slices.Contains(keep, r.KeyID) {
			continue
		}
		n, err := queries.RevokeKey(ctx, q.RevokeKeyParams{Now: &now, KeyID: r.KeyID, Address: a.Address[:]})
		if err != nil {
			return nil, fmt.Errorf("account: end key %d: %w", r.KeyID, err)
		}
		if n == 1 {
			ended = append(ended, Key{ID: r.KeyID, Label: r.Label, Prefix: r.Prefix, Scopes: Scopes(r.Scopes),
				CreatedAt: column.Time(r.CreatedAt), UsedAt: column.OptionalTime(r.UsedAt),
				RevokedAt: column.OptionalTime(&now)})
		}
	}
	return ended, nil
}
