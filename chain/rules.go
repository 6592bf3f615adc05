package chain

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"roshambo/canon"
)

// Rules are the numbers of the game, recorded on the chain so that they cannot
// be bent for anyone: genesis holds the first ones, a rules transaction others.
type Rules struct {
	BuybackBPS      int64 // what the house pays for a token, in basis points of its value
	EntryFee        int64 // coins for a run with entry fee
	FaucetAmount    int64 // coins from the faucet
	MarketFeeBPS    int64 // what of a price is destroyed, in basis points
	StartingBalance int64 // coins of a new account; may be 0
	Tiers           []Tier
}

// Tier is one rung of the ladder. Tier k is the k-th of Rules.Tiers and is
// reached by k wins.
type Tier struct {
	Material string
	Value    int64 // coins
}

// Bounds of the rules. No number that follows from them leaves 2^53.
const (
	maxTiers = 62 // a set of tiers is kept in the bits of a word
	maxCoins = 1 << 40
	fullBPS  = 10_000
)

// Top returns the number of the highest tier.
func (r *Rules) Top() int64 { return int64(len(r.Tiers)) }

// Tier returns tier k, 1 <= k <= Top.
func (r *Rules) Tier(k int64) Tier { return r.Tiers[k-1] }

// BuybackPrice returns what the house pays for a token of tier k, rounded down.
func (r *Rules) BuybackPrice(k int64) int64 {
	return r.Tier(k).Value * r.BuybackBPS / fullBPS
}

// MarketFee returns how much of a sale's price is destroyed, rounded down.
// price is at most MaxID, so that the product stays far below 2^63.
func (r *Rules) MarketFee(price int64) int64 { return price * r.MarketFeeBPS / fullBPS }

// Check refuses rules that make no game.
func (r *Rules) Check() error {
	if n := len(r.Tiers); n < 1 || n > maxTiers {
		return fmt.Errorf("chain: rules have 1 to %d tiers, not %d", maxTiers, n)
	}
	for i, t := range r.Tiers {
		if t.Material == "" || len(t.Material) > maxText || !utf8.ValidString(t.Material) {
			return fmt.Errorf("chain: tier %d needs a material of 1 to %d bytes of UTF-8", i+1, maxText)
		}
		if t.Value < 1 || t.Value > maxCoins {
			return fmt.Errorf("chain: tier %d needs a value of 1 to %d", i+1, maxCoins)
		}
	}
	for _, n := range []int64{r.EntryFee, r.FaucetAmount} {
		if n < 1 || n > maxCoins {
			return fmt.Errorf("chain: entry fee and faucet are 1 to %d coins", maxCoins)
		}
	}
	if r.StartingBalance < 0 || r.StartingBalance > maxCoins {
		return fmt.Errorf("chain: the starting balance is 0 to %d coins", maxCoins)
	}
	if r.BuybackBPS < 0 || r.BuybackBPS > fullBPS || r.MarketFeeBPS < 0 || r.MarketFeeBPS > fullBPS {
		return errors.New("chain: buyback and market fee are 0 to 10000 basis points")
	}
	return nil
}

func (r *Rules) appendRaw(b []byte) []byte {
	b = canon.AppendInt(append(b, `{"buyback_bps":`...), r.BuybackBPS)
	b = canon.AppendInt(append(b, `,"entry_fee":`...), r.EntryFee)
	b = canon.AppendInt(append(b, `,"faucet_amount":`...), r.FaucetAmount)
	b = canon.AppendInt(append(b, `,"market_fee_bps":`...), r.MarketFeeBPS)
	b = canon.AppendInt(append(b, `,"starting_balance":`...), r.StartingBalance)
	b = append(b, `,"tiers":[`...)
	for i, t := range r.Tiers {
		if i > 0 {
			b = append(b, ',')
		}
		b = canon.AppendString(append(b, `{"material":`...), t.Material)
		b = canon.AppendInt(append(b, `,"tier":`...), int64(i+1))
		b = canon.AppendInt(append(b, `,"value":`...), t.Value)
		b = append(b, '}')
	}
	return append(b, `]}`...)
}

func readRules(r *canon.Reader) Rules {
	var rules Rules
	r.Literal(`{"buyback_bps":`)
	rules.BuybackBPS = readCount(r)
	r.Literal(`,"entry_fee":`)
	rules.EntryFee = readCount(r)
	r.Literal(`,"faucet_amount":`)
	rules.FaucetAmount = readCount(r)
	r.Literal(`,"market_fee_bps":`)
	rules.MarketFeeBPS = readCount(r)
	r.Literal(`,"starting_balance":`)
	rules.StartingBalance = readCount(r)
	r.Literal(`,"tiers":[`)
	for more := !r.Try(`]}`); more && r.Err() == nil; more = !r.Try(`]}`) {
		if len(rules.Tiers) > 0 {
			r.Literal(`,`)
		}
		r.Literal(`{"material":`)
		t := Tier{Material: r.String()}
		r.Literal(`,"tier":`)
		if readCount(r) != int64(len(rules.Tiers)+1) {
			r.Fail("tiers are numbered 1, 2, 3, …")
		}
		r.Literal(`,"value":`)
		t.Value = readCount(r)
		r.Literal(`}`)
		rules.Tiers = append(rules.Tiers, t)
	}
	return rules
}

func (d *Genesis) appendRaw(b []byte) []byte {
	b = canon.AppendString(append(b, `{"name":`...), d.Name)
	b = d.Rules.appendRaw(append(b, `,"rules":`...))
	return append(b, '}')
}

func readGenesis(r *canon.Reader) Data {
	d := &Genesis{Name: r.String()}
	r.Literal(`,"rules":`)
	d.Rules = readRules(r)
	r.Literal(`}`)
	return d
}

func (d *RulesChange) appendRaw(b []byte) []byte {
	b = canon.AppendInt(append(b, `{"number":`...), d.Number)
	b = d.Rules.appendRaw(append(b, `,"rules":`...))
	return append(b, '}')
}

func readRulesChange(r *canon.Reader) Data {
	d := &RulesChange{Number: readCount(r)}
	r.Literal(`,"rules":`)
	d.Rules = readRules(r)
	r.Literal(`}`)
	return d
}
