package chain

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Rules are the parameters of the game. The chain records them, so that the same rules apply
// to every account: genesis holds the first ones, rules transactions replace them (InForce).
//
//	{"buyback_bps":n,"entry_fee":n,"faucet_amount":n,"faucet_pause":ms,"free_per_day":n,
//	 "market_fee_bps":n,"starting_balance":n,"tiers":[{"material":text,"tier":k,"value":n}…]}
type Rules struct {
	BuybackBPS      int64  // what the house pays for a token, in basis points of its base value, 0 to 10,000
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
	Value    int64  // the base value in coins, 1 to 2^40; the house pays BuybackPrice
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

// members refuses tiers that are not numbered 1, 2, 3, …; their number is not limited here, Check does that.
func (r *Rules) members(f *form) {
	f.count(`{"buyback_bps":`, &r.BuybackBPS)
	f.count(`,"entry_fee":`, &r.EntryFee)
	f.count(`,"faucet_amount":`, &r.FaucetAmount)
	f.count(`,"faucet_pause":`, &r.FaucetPause)
	f.count(`,"free_per_day":`, &r.FreePerDay)
	f.count(`,"market_fee_bps":`, &r.MarketFeeBPS)
	f.count(`,"starting_balance":`, &r.StartingBalance)
	list(f, `,"tiers":[`, &r.Tiers, func(t *Tier, f *form, i int) {
		f.text(`{"material":`, &t.Material)
		tier := i + 1
		if f.number(`,"tier":`, &tier); tier != i+1 {
			f.fail("tiers are numbered 1, 2, 3, …")
		}
		f.count(`,"value":`, &t.Value)
		f.literal(`}`)
	})
	f.literal(`}`)
}

func (d *Genesis) members(f *form) {
	f.text(`{"name":`, &d.Name)
	f.literal(`,"rules":`)
	d.Rules.members(f)
	f.literal(`}`)
}

func (d *RulesBegin) members(f *form) {
	f.count(`{"number":`, &d.Number)
	f.literal(`}`)
}

func (d *RulesChange) members(f *form) {
	f.count(`{"number":`, &d.Number)
	f.literal(`,"rules":`)
	d.Rules.members(f)
	f.literal(`}`)
}
