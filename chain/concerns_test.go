package chain

import (
	"bytes"
	"slices"
	"testing"
)

// TestConcerns checks that Addresses and TokenIDs list exactly the addresses and tokens with
// effects, each once, and that balances change by the coins created less those destroyed.
func TestConcerns(t *testing.T) {
	t.Parallel()
	rules := testRules()
	byBytes := func(a, b Address) int { return bytes.Compare(a[:], b[:]) }
	for what, s := range shapes {
		tx := s.fresh()
		effects, err := rules.Effects(tx)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var addresses []Address
		var tokens []int64
		var delta int64
		for _, e := range effects.Accounts {
			addresses = append(addresses, e.Address)
			delta += e.Delta
		}
		for _, e := range effects.Tokens {
			tokens = append(tokens, e.ID)
		}
		got := slices.SortedFunc(slices.Values(tx.Addresses()), byBytes)
		want := slices.SortedFunc(slices.Values(addresses), byBytes)
		if !slices.Equal(got, want) || len(slices.Compact(want)) != len(addresses) {
			t.Errorf("%s: concerns %v, has effects on %v", what, got, addresses)
		}
		if got := tx.TokenIDs(); !slices.Equal(got, tokens) {
			t.Errorf("%s: concerns tokens %v, has effects on %v", what, got, tokens)
		}
		for _, transfer := range tx.Transfers {
			if transfer.From == (Address{}) {
				delta -= transfer.Amount
			}
			if transfer.To == (Address{}) {
				delta += transfer.Amount
			}
		}
		if delta != 0 {
			t.Errorf("%s: balances change by %d more than coins are created and destroyed", what, delta)
		}
	}
}
