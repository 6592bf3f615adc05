package api

import (
	"time"

	"roshambo/chain"
	"roshambo/internal/service/account"
)

// Time is a time on the wire: RFC 3339, UTC, milliseconds.
type Time struct{ time.Time }

// timeFormat is the layout of a time on the wire.
const timeFormat = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the time.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(make([]byte, 0, len(timeFormat)+2), `"`+timeFormat+`"`), nil
}

// OpenAPI returns the schema of a time in the contract.
func (Time) OpenAPI() map[string]any {
	return map[string]any{"type": "string", "format": "date-time", "examples": []any{"2026-11-20T12:00:00.000Z"}}
}

// dateFormat is the layout of the date of a UTC day.
const dateFormat = "2006-01-02"

// body is the input of an operation that has a body alone.
type body[T any] struct{ Body T }

// mapped returns what wire makes of each value of a list; an empty list is no null on the wire.
func mapped[T, Wire any](list []T, wire func(T) Wire) []Wire {
	out := make([]Wire, len(list))
	for i, v := range list {
		out[i] = wire(v)
	}
	return out
}

// optional returns what wire makes of *p; nil for nil.
func optional[T, Wire any](p *T, wire func(T) Wire) *Wire {
	if p == nil {
		return nil
	}
	return new(wire(*p))
}

// deref returns *p, or the zero value if p is nil.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Account is a player, guest or bot.
type Account struct {
	Username     string `json:"username" doc:"At most 32 characters."`
	ShortAddress string `json:"short_address" doc:"The shortened address."`
	Address      string `json:"address" doc:"On the chain: bech32m with prefix rps."`
	Kind         string `json:"kind" known:"guest,account,bot"`
	CreatedAt    Time   `json:"created_at"`
}

// wireAccount returns the wire form of an account.
func wireAccount(a account.Account) Account {
	return Account{Username: a.Username, ShortAddress: a.Address.Short(), Address: a.Address.String(),
		Kind: string(a.Kind), CreatedAt: Time{a.CreatedAt}}
}

// Tier is one rung of the ladder.
type Tier struct {
	Tier     int64  `json:"tier" doc:"Number of wins it takes, from 1."`
	Material string `json:"material"`
	Value    int64  `json:"value" doc:"Base value in coins, which the rules fix. The house pays buyback_bps of it (GET /api/tiers)."`
}

// wireTier returns the wire form of tier k.
func wireTier(rules *chain.Rules, k int64) Tier {
	t := rules.Tier(k)
	return Tier{Tier: k, Material: t.Material, Value: t.Value}
}

// Token is a token in a wallet.
type Token struct {
	TokenID  int64  `json:"token_id"`
	Tier     int64  `json:"tier"`
	Material string `json:"material"`
	Value    int64  `json:"value" doc:"Base value in coins, which the rules fix. The house pays buyback_bps of it (GET /api/tiers)."`
	Bound    bool   `json:"bound" doc:"It can be kept, burnt as an entry or sold to the house for bound coins, and not be sold to others."`
}

// wireToken returns the wire form of a token.
func wireToken(rules *chain.Rules, id, tier int64, bound bool) Token {
	t := rules.Tier(tier)
	return Token{TokenID: id, Tier: tier, Material: t.Material, Value: t.Value, Bound: bound}
}

// WitnessPolicy says which witnesses have to cosign a checkpoint that a reader believes, and how many.
type WitnessPolicy struct {
	Keys   []string `json:"keys" doc:"Their verifier keys (c2sp.org/tlog-cosignature); empty without witnesses."`
	Quorum int64    `json:"quorum" doc:"How many of them; 0 without witnesses."`
}

// optionalAddress returns the text of an address; nil for the zero address.
func optionalAddress(address chain.Address) *string {
	return optional(given(address), chain.Address.String)
}

// Commitment is a published commitment to a run's seeds.
type Commitment struct {
	Commitment string `json:"commitment"`
	TxHash     string `json:"tx_hash" doc:"The transaction that published it."`
	Height     *int64 `json:"height" doc:"Height of its block; null while pending."`
}

// DoneOut reports success.
type DoneOut struct {
	Done bool `json:"done"`
}

// PlayerName identifies a player.
type PlayerName struct {
	Username     string `json:"username"`
	ShortAddress string `json:"short_address"`
	Address      string `json:"address"`
}

// wireName returns the wire form of the name of a player in a list.
func wireName(address chain.Address, username string) PlayerName {
	return PlayerName{Username: username, ShortAddress: address.Short(), Address: address.String()}
}

// given returns a pointer to v, nil for the zero value.
func given[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
