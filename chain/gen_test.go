package chain

import (
	"pgregory.net/rapid"

	"roshambo/canon"
)

// Generators of everything that has a raw, whether or not the rules allow it.

func genHash(t *rapid.T, label string) (h Hash) {
	copy(h[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, label))
	h[0] |= 1 // never all zeros
	return h
}

func genAddress(t *rapid.T, label string) (a Address) {
	copy(a[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, label))
	a[0] |= 1 // never the zero Address
	return a
}

// genNoneOrAddress generates the zero Address half of the time.
func genNoneOrAddress(t *rapid.T, label string) Address {
	if rapid.Bool().Draw(t, label+" is none") {
		return Address{}
	}
	return genAddress(t, label)
}

// genCount generates any number from 0 to 2^53-1.
func genCount(t *rapid.T, label string) int64 {
	return rapid.Int64Range(0, canon.MaxInt).Draw(t, label)
}

func genRules(t *rapid.T) Rules {
	rules := Rules{
		BuybackBPS: genCount(t, "buyback"), EntryFee: genCount(t, "entry fee"), FaucetAmount: genCount(t, "faucet"),
		FaucetPause: genCount(t, "pause"), FreePerDay: genCount(t, "free"),
		MarketFeeBPS: genCount(t, "market fee"), StartingBalance: genCount(t, "starting balance"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "tiers") {
		rules.Tiers = append(rules.Tiers, Tier{Material: rapid.String().Draw(t, "material"), Value: genCount(t, "value")})
	}
	return rules
}

func genTransfer(t *rapid.T) Transfer {
	transfer := Transfer{From: genNoneOrAddress(t, "from"), To: genNoneOrAddress(t, "to")}
	if rapid.Bool().Draw(t, "coins") {
		transfer.Amount = genCount(t, "amount")
		return transfer
	}
	transfer.Token, transfer.TokenID = true, genCount(t, "token")
	if rapid.Bool().Draw(t, "with tier") {
		transfer.Tier = rapid.Int64Range(1, canon.MaxInt).Draw(t, "tier")
	}
	return transfer
}

// genData generates data of every kind.
func genData(t *rapid.T) Data {
	kinds := []func() Data{
		func() Data { return &Genesis{Name: rapid.String().Draw(t, "name"), Rules: genRules(t)} },
		func() Data { return &RulesBegin{Number: genCount(t, "number")} },
		func() Data { return &RulesChange{Number: genCount(t, "number"), Rules: genRules(t)} },
		func() Data {
			kind := rapid.SampledFrom([]AccountKind{Guest, Full, Bot}).Draw(t, "account kind")
			return &AccountCreate{Bound: rapid.Bool().Draw(t, "bound"), Commitment: genHash(t, "commitment"), AccountKind: kind}
		},
		func() Data { return &AccountSecure{} },
		func() Data { return &Faucet{} },
		func() Data {
			return &RunStart{
				Bound:          rapid.Bool().Draw(t, "bound"),
				ClientSeedHash: genHash(t, "client seed"), Commitment: genHash(t, "commitment"),
				Entry:     rapid.SampledFrom([]Entry{EntryFee, EntryFree, EntryBurn, EntryDaily}).Draw(t, "entry"),
				FirstTier: genCount(t, "first tier"), NextCommitment: genHash(t, "next"), RunID: rapid.String().Draw(t, "run"),
			}
		},
		func() Data {
			return &RunEnd{
				Bound:   rapid.Bool().Draw(t, "bound"),
				Cleared: genCount(t, "cleared"), RunID: rapid.String().Draw(t, "run"),
				Status: rapid.SampledFrom([]RunStatus{RunClaimed, RunLost, RunAbandoned}).Draw(t, "status"),
				Throws: genCount(t, "throws"), TranscriptHash: genHash(t, "transcript"),
			}
		},
		func() Data { return &DuelStake{DuelID: rapid.String().Draw(t, "duel")} },
		func() Data {
			return &DuelSettle{
				A: genAddress(t, "a"), B: genNoneOrAddress(t, "b"), DuelID: rapid.String().Draw(t, "duel"),
				Rated: rapid.Bool().Draw(t, "rated"), TranscriptHash: genHash(t, "transcript"),
				Winner: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "winner"),
			}
		},
		func() Data { return &MarketSale{ListingID: genCount(t, "listing")} },
		func() Data { return &Buyback{Bound: rapid.Bool().Draw(t, "bound"), OfferID: genCount(t, "offer")} },
		func() Data { return &CupClose{Cup: genCount(t, "cup"), TableHash: genHash(t, "table")} },
		func() Data {
			return &ResultVoid{Game: rapid.String().Draw(t, "game"), ReasonHash: genHash(t, "reason")}
		},
		func() Data {
			return &ResultRestore{Game: rapid.String().Draw(t, "game"), ReasonHash: genHash(t, "reason")}
		},
		func() Data { return &SeasonClose{Season: genCount(t, "season"), TableHash: genHash(t, "table")} },
	}
	return rapid.SampledFrom(kinds).Draw(t, "kind")()
}

func genTx(t *rapid.T) Tx {
	tx := Tx{Actor: genNoneOrAddress(t, "actor"), Nonce: genCount(t, "nonce"), Time: genCount(t, "time"), Data: genData(t)}
	for range rapid.IntRange(0, maxTransfers).Draw(t, "transfers") {
		tx.Transfers = append(tx.Transfers, genTransfer(t))
	}
	return tx
}
