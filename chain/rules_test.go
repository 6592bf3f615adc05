package chain

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"roshambo/canon"
)

func TestRulesCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what   string
		change func(r *Rules)
		want   string // part of the error, "" when they are valid
	}{
		{"unchanged", func(*Rules) {}, ""},
		{"the most tiers", func(r *Rules) { r.Tiers = make([]Tier, 62); fill(r.Tiers) }, ""},
		{"every number at its upper bound", func(r *Rules) {
			*r = Rules{BuybackBPS: 10000, EntryFee: 1 << 40, FaucetAmount: 1 << 40, MarketFeeBPS: 10000,
				StartingBalance: 1 << 40,
				Tiers:           []Tier{{strings.Repeat("a", 64), 1 << 40}}}
		}, ""},
		{"every number at its lower bound", func(r *Rules) {
			*r = Rules{EntryFee: 1, FaucetAmount: 1, Tiers: []Tier{{"a", 1}}}
		}, ""},
		{"no tier", func(r *Rules) { r.Tiers = nil }, "1 to 62 tiers"},
		{"too many tiers", func(r *Rules) { r.Tiers = make([]Tier, 63); fill(r.Tiers) }, "1 to 62 tiers"},
		{"no material", func(r *Rules) { r.Tiers[1].Material = "" }, "tier 2 needs a material"},
		{"a long material", func(r *Rules) { r.Tiers[1].Material = strings.Repeat("a", 65) }, "tier 2 needs a material"},
		{"a material that is no text", func(r *Rules) { r.Tiers[1].Material = "\xff" }, "tier 2 needs a material"},
		{"no value", func(r *Rules) { r.Tiers[2].Value = 0 }, "tier 3 needs a value"},
		{"too high a value", func(r *Rules) { r.Tiers[2].Value = 1<<40 + 1 }, "tier 3 needs a value"},
		{"no entry fee", func(r *Rules) { r.EntryFee = 0 }, "entry fee and faucet"},
		{"too high an entry fee", func(r *Rules) { r.EntryFee = 1<<40 + 1 }, "entry fee and faucet"},
		{"no faucet", func(r *Rules) { r.FaucetAmount = 0 }, "entry fee and faucet"},
		{"too much from the faucet", func(r *Rules) { r.FaucetAmount = 1<<40 + 1 }, "entry fee and faucet"},
		{"a negative starting balance", func(r *Rules) { r.StartingBalance = -1 }, "starting balance"},
		{"too high a starting balance", func(r *Rules) { r.StartingBalance = 1<<40 + 1 }, "starting balance"},
		{"a negative buyback", func(r *Rules) { r.BuybackBPS = -1 }, "basis points"},
		{"more than the value back", func(r *Rules) { r.BuybackBPS = 10001 }, "basis points"},
		{"a negative market fee", func(r *Rules) { r.MarketFeeBPS = -1 }, "basis points"},
		{"more than the price as fee", func(r *Rules) { r.MarketFeeBPS = 10001 }, "basis points"},
	} {
		rules := testRules()
		tt.change(&rules)
		err := rules.Check()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", tt.what, err, tt.want)
		}
	}
}

func fill(tiers []Tier) {
	for i := range tiers {
		tiers[i] = Tier{"a", 1}
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	rules := testRules()
	for k, want := range map[int64]int64{1: 76, 2: 153, 3: 307} {
		if got := rules.BuybackPrice(k); got != want {
			t.Errorf("buyback of tier %d: got %d, want %d", k, got, want)
		}
	}
	for price, want := range map[int64]int64{1: 0, 39: 0, 40: 1, 100: 2, MaxID: 53687091} {
		if got := rules.MarketFee(price); got != want {
			t.Errorf("fee of %d: got %d, want %d", price, got, want)
		}
	}
	if got := rules.Tier(2); got != (Tier{"Wood", 192}) || rules.Top() != 3 {
		t.Errorf("tier 2 of %d: got %v", rules.Top(), got)
	}
}

// TestEffectsUseGivenRules checks that every amount follows from the given rules and none is a
// constant.
func TestEffectsUseGivenRules(t *testing.T) {
	t.Parallel()
	other := Rules{BuybackBPS: 10000, EntryFee: 7, FaucetAmount: 8, MarketFeeBPS: 10000, StartingBalance: 0,
		Tiers: []Tier{{"Clay", 96}, {"Wood", 192}}}
	for what, tx := range map[string]*Tx{
		"account without coins": {Actor: alice, Data: &AccountCreate{Commitment: hashOf(1), AccountKind: Full}},
		"faucet":                {Actor: alice, Data: &Faucet{}, Transfers: []Transfer{coins(Address{}, alice, 8)}},
		"start": {Actor: alice, Transfers: []Transfer{coins(alice, Address{}, 7)},
			Data: &RunStart{Commitment: hashOf(1), Entry: EntryFee, NextCommitment: hashOf(2), RunID: "r"}},
		"sale that is all fee": {Actor: bob, Data: &MarketSale{},
			Transfers: []Transfer{coins(bob, Address{}, 100), move(1, 0, alice, bob)}},
		"buyback": {Actor: alice, Data: &Buyback{},
			Transfers: []Transfer{move(1, 0, alice, Address{}), coins(Address{}, alice, 192)}},
	} {
		if _, err := other.Effects(tx); err != nil {
			t.Errorf("%s under its own rules: %v", what, err)
		}
		usual := testRules()
		if _, err := usual.Effects(tx); err == nil {
			t.Errorf("%s under other rules: accepted", what)
		}
	}
	for what, top := range map[string]*Tx{"end claimed": shapes["end claimed"].fresh(),
		"burn":     shapes["start by burning"].fresh(),
		"end lost": {Actor: alice, Data: &RunEnd{Cleared: 3, RunID: "r", Status: RunLost, Throws: 4}}} {
		if _, err := other.Effects(top); err != nil {
			t.Errorf("%s at a tier that is gone: %v", what, err)
		}
	}
	free := Rules{EntryFee: 1, FaucetAmount: 1, Tiers: []Tier{{"Clay", 96}, {"Wood", 192}}}
	worthless := &Tx{Actor: alice, Data: &Buyback{}, Transfers: []Transfer{move(1, 0, alice, Address{})}}
	effects, err := free.Effects(worthless)
	if err != nil || effects.Tokens[0].Tiers != 1<<1|1<<2 {
		t.Errorf("buyback of any tier for nothing: got %+v, %v", effects, err)
	}
}

// TestEffectsImplyParseTx checks that ParseTx reads every transaction that Effects accepts. The
// server checks the transactions it posts with Effects alone; one that ParseTx refuses would
// make the server's chain impossible to verify.
func TestEffectsImplyParseTx(t *testing.T) {
	t.Parallel()
	rules := testRules()
	names := slices.Sorted(maps.Keys(shapes))
	numbers := []int64{-1 << 63, -canon.MaxInt - 1, -1, 0, 1, 2, 3, 4, 63, 64, MaxThrows, MaxID, MaxID + 1, canon.MaxInt,
		canon.MaxInt + 1, 1<<63 - 1}
	texts := []string{"", "a", "b", "\xff", "\x00", strings.Repeat("é", 32), strings.Repeat("é", 64), "fee", "burn",
		"guest", "lost"}
	addresses := []Address{{}, alice, bob, escrow}
	rapid.Check(t, func(t *rapid.T) {
		tx := shapes[rapid.SampledFrom(names).Draw(t, "shape")].fresh()
		number := func() int64 { return rapid.SampledFrom(numbers).Draw(t, "number") }
		text := func() string { return rapid.SampledFrom(texts).Draw(t, "text") }
		address := func() Address { return rapid.SampledFrom(addresses).Draw(t, "address") }
		changes := rapid.IntRange(0, 3).Draw(t, "changes")
		for range changes {
			corrupt(t, tx, number, text, address)
		}
		if _, err := rules.Effects(tx); err != nil {
			if changes == 0 {
				t.Fatalf("%s, unchanged: %v", tx.Raw(), err)
			}
			return
		}
		raw := tx.Raw()
		back, err := ParseTx(raw)
		if err != nil {
			t.Fatalf("has effects, but %s: %v", raw, err)
		}
		if diff := cmp.Diff(*tx, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s: parsed differently (-want +got):\n%s", raw, diff)
		}
	})
}

// corrupt replaces one field of tx with an arbitrary value.
func corrupt(t *rapid.T, tx *Tx, number func() int64, text func() string, address func() Address) {
	fields := []func(){
		func() { tx.Actor = address() }, func() { tx.Nonce = number() }, func() { tx.Time = number() },
		func() { tx.Transfers = append(tx.Transfers, coins(address(), address(), number())) },
	}
	for i := range tx.Transfers {
		transfer := &tx.Transfers[i]
		fields = append(fields,
			func() { transfer.Amount = number() }, func() { transfer.TokenID = number() }, func() { transfer.Tier = number() },
			func() { transfer.Token = !transfer.Token }, func() { transfer.From = address() }, func() {
				transfer.To = address()
			})
	}
	switch d := tx.Data.(type) {
	case *Genesis:
		fields = append(fields, func() { d.Name = text() }, func() { d.Rules.EntryFee = number() },
			func() { d.Rules.Tiers[0].Material = text() },
			func() { d.Rules.Tiers[0].Value = number() }, func() { d.Rules.BuybackBPS = number() })
	case *RulesChange:
		fields = append(fields, func() { d.Number = number() }, func() { d.Rules.StartingBalance = number() },
			func() { d.Rules.FaucetAmount = number() }, func() { d.Rules.MarketFeeBPS = number() })
	case *RulesBegin:
		fields = append(fields, func() { d.Number = number() })
	case *AccountCreate:
		fields = append(fields, func() { d.AccountKind = AccountKind(text()) }, func() { d.Commitment = Hash{} })
	case *RunStart:
		fields = append(fields, func() { d.ClientSeedHash = HashText(text()) }, func() { d.Entry = Entry(text()) },
			func() { d.FirstTier = number() },
			func() { d.RunID = text() })
	case *RunEnd:
		fields = append(fields, func() { d.Cleared = number() }, func() { d.RunID = text() },
			func() { d.Status = RunStatus(text()) },
			func() { d.Throws = number() })
	case *DuelStake:
		fields = append(fields, func() { d.DuelID = text() })
	case *DuelSettle:
		fields = append(fields, func() { d.A = address() }, func() { d.B = address() }, func() { d.DuelID = text() },
			func() { d.Winner = text() }, func() { d.Rated = !d.Rated })
	case *MarketSale:
		fields = append(fields, func() { d.ListingID = number() })
	case *Buyback:
		fields = append(fields, func() { d.OfferID = number() })
	case *CupClose:
		fields = append(fields, func() { d.Cup = number() })
	case *SeasonClose:
		fields = append(fields, func() { d.Season = number() })
	case *ResultVoid:
		fields = append(fields, func() { d.Game = text() })
	case *ResultRestore:
		fields = append(fields, func() { d.Game = text() })
	}
	rapid.SampledFrom(fields).Draw(t, "field")()
}
