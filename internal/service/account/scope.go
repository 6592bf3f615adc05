package account

import "slices"

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
