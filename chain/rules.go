package chain

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"roshambo/canon"
)

// Rules are the parameters of the game. The chain records them, so that the same rules apply
// to every account: genesis holds the first ones, rules transactions replace them (InForce).
//
//	{"buyback_bps":n,"entry_fee":n,"faucet_amount":n,"faucet_pause":ms,"free_per_day":n,
//	 "market_fee_bps":n,"starting_balance":n,"tiers":[{"material":text,"tier":k,"value":n}…]}
type Rules struct {
	BuybackBPS      int64  // buyback price of a token in basis points of its value, 0 to 10,000
	EntryFee        int64  // coins for a run with entry "fee", 1 to 2^40
	FaucetAmount    int64  // coins per faucet transaction, 1 to 2^40
	FaucetPause     int64  // least milliseconds between two faucet transactions of an account, 0 to 2^40
	FreePerDay      int64  // free entries of an account in a UTC day, 0 to 1,000
	MarketFeeBPS    int64  // part of a sale's price that is destroyed, in basis points, 0 to 10,000
	StartingBalance int64  // coins of a new account, 0 to 2^40
	Tiers           []Tier // 1 to 62, tier 1 first
}

// Tier is one level of the ladder of tokens. Tier k is Rules.Tiers[k-1]; a run that starts at
// 0 reaches it with k wins.
type Tier struct {
	Material string // 1 to 64 bytes of UTF-8
	Value    int64  // coins, 1 to 2^40
}

// Bounds of the rules. Every number that follows from rules within them fits in 53 bits.
const (
	maxTiers = 62      // of the ladder
	maxTier  = 63      // one above it: TokenEffect.Tiers holds a set of tiers in the bits of a word
	maxCoins = 1 << 40 // per fee, amount, balance or value
	maxPause = 1 << 40 // of the faucet, in milliseconds
	maxFree  = 1_000   // free entries a day
	fullBPS  = 10_000  // basis points of the whole
)

// Top returns the highest tier.
func (r *Rules) Top() int64 { return int64(len(r.Tiers)) }

// Tier returns tier k. It panics unless 1 <= k <= Top.
func (r *Rules) Tier(k int64) Tier { return r.Tiers[k-1] }

// BuybackPrice returns the price in coins that the house pays for a token of tier k, rounded
// down. k is in 1 .. Top.
func (r *Rules) BuybackPrice(k int64) int64 {
	return r.Tier(k).Value * r.BuybackBPS / fullBPS
}

// MarketFee returns the part of a sale's price that is destroyed, in coins, rounded down.
// price is 0 to MaxID, which keeps the product below 2^63.
func (r *Rules) MarketFee(price int64) int64 { return price * r.MarketFeeBPS / fullBPS }

// Check returns an error unless every number and text of the rules is within its bounds.
func (r *Rules) Check() error {
	if n := len(r.Tiers); n < 1 || n > maxTiers {
		return fmt.Errorf("chain: rules have 1 to %d tiers, got %d", maxTiers, n)
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
	if r.FaucetPause < 0 || r.FaucetPause > maxPause || r.FreePerDay < 0 || r.FreePerDay > maxFree {
		return fmt.Errorf("chain: the faucet's pause is 0 to %d ms, free entries are 0 to %d a day", maxPause, maxFree)
	}
	if r.StartingBalance < 0 || r.StartingBalance > maxCoins {
		return fmt.Errorf("chain: the starting balance is 0 to %d coins", maxCoins)
	}
	if r.BuybackBPS < 0 || r.BuybackBPS > fullBPS || r.MarketFeeBPS < 0 || r.MarketFeeBPS > fullBPS {
		return errors.New("chain: buyback and market fee are 0 to 10000 basis points")
	}
	return nil
}

// appendRaw appends the rules as the value of the member rules.
func (r *Rules) appendRaw(b []byte) []byte {
	b = canon.AppendInt(append(b, `{"buyback_bps":`...), r.BuybackBPS)
	b = canon.AppendInt(append(b, `,"entry_fee":`...), r.EntryFee)
	b = canon.AppendInt(append(b, `,"faucet_amount":`...), r.FaucetAmount)
	b = canon.AppendInt(append(b, `,"faucet_pause":`...), r.FaucetPause)
	b = canon.AppendInt(append(b, `,"free_per_day":`...), r.FreePerDay)
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

// readRules reads the value of the member rules. Tiers must be numbered 1, 2, 3, …; their
// number is not limited here, Check does that.
func readRules(r *canon.Reader) Rules {
	var rules Rules
	r.Literal(`{"buyback_bps":`)
	rules.BuybackBPS = readCount(r)
	r.Literal(`,"entry_fee":`)
	rules.EntryFee = readCount(r)
	r.Literal(`,"faucet_amount":`)
	rules.FaucetAmount = readCount(r)
	r.Literal(`,"faucet_pause":`)
	rules.FaucetPause = readCount(r)
	r.Literal(`,"free_per_day":`)
	rules.FreePerDay = readCount(r)
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

// readGenesis reads the data of a genesis after the name of its first member, as the other
// read functions of data do.
func readGenesis(r *canon.Reader) Data {
	d := &Genesis{Name: r.String()}
	r.Literal(`,"rules":`)
	d.Rules = readRules(r)
	r.Literal(`}`)
	return d
}

func (d *RulesBegin) appendRaw(b []byte) []byte {
	return append(canon.AppendInt(append(b, `{"number":`...), d.Number), '}')
}

func (d *RulesChange) appendRaw(b []byte) []byte {
	b = canon.AppendInt(append(b, `{"number":`...), d.Number)
	b = d.Rules.appendRaw(append(b, `,"rules":`...))
	return append(b, '}')
}

// readRulesChange reads the rest of data whose first member is number: rules, or their beginning.
func readRulesChange(r *canon.Reader) Data {
	d := &RulesChange{Number: readCount(r)}
	if r.Try(`}`) {
		return &RulesBegin{Number: d.Number}
	}
	r.Literal(`,"rules":`)
	d.Rules = readRules(r)
	r.Literal(`}`)
	return d
}
