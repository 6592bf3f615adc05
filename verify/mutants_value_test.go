package verify_test

import "roshambo/chain"

// invalidValue are the invalid transactions about bound value and the limits of an account. In the
// valid chain alice has bound coins, no free entry left and has just used the faucet; carol, a bot,
// plays run r5. dave joins with a bound start.
func invalidValue() map[string]func(w *writer) {
	var none chain.Address
	alice, bob, dave := chain.Address{1}, chain.Address{2}, chain.Address{4}
	join := func(w *writer) {
		w.post(dave, &chain.AccountCreate{Bound: true, Commitment: w.renew(dave), AccountKind: chain.Guest},
			coinsOf(none, dave, 1000))
	}
	return map[string]func(w *writer){
		"a stake of bound coins": func(w *writer) {
			join(w)
			w.post(dave, &chain.DuelStake{DuelID: "d4"}, coinsOf(dave, chain.Escrow("d4"), 1))
		},
		"a free run for a fee of bound coins": func(w *writer) {
			join(w)
			begin(w, dave, chain.RunStart{Entry: chain.EntryFee}, fee(dave))
		},
		"a bound run for a fee of free coins": func(w *writer) {
			begin(w, bob, chain.RunStart{Bound: true, Entry: chain.EntryFee}, fee(bob))
		},
		"a free win with a bound start": func(w *writer) {
			join(w)
			begin(w, dave, chain.RunStart{Entry: chain.EntryFree})
		},
		"a free win with a bound start, just secured": func(w *writer) {
			join(w)
			w.post(dave, &chain.AccountSecure{})
			begin(w, dave, chain.RunStart{Entry: chain.EntryDaily})
		},
		"a bound run that ends with a free token": func(w *writer) {
			begin(w, alice, chain.RunStart{Bound: true, Entry: chain.EntryDaily})
			w.post(alice, &chain.RunEnd{Cleared: 1, RunID: "r8", Status: chain.RunClaimed, Throws: 1,
				TranscriptHash: chain.Hash{7}}, tokenOf(9, 1, none, alice))
		},
		"a bound token sold": func(w *writer) {
			boundToken(w)
			w.post(bob, &chain.MarketSale{ListingID: 2}, coinsOf(bob, alice, 98), coinsOf(bob, none, 2),
				tokenOf(9, 0, alice, bob))
		},
		"free coins for a bound token": func(w *writer) {
			boundToken(w)
			w.post(alice, &chain.Buyback{OfferID: 3}, tokenOf(9, 0, alice, none), coinsOf(none, alice, 76))
		},
		"a free run for a bound token": func(w *writer) {
			boundToken(w)
			w.post(alice, &chain.RunStart{Commitment: w.next[alice], Entry: chain.EntryBurn, FirstTier: 1,
				NextCommitment: chain.Hash{99}, RunID: "r11"}, tokenOf(9, 0, alice, none))
		},
	}
}

// invalidLimits are the invalid transactions about commitments, seasons, times and the limits of an
// account.
func invalidLimits() map[string]func(w *writer) {
	var none chain.Address
	alice, bob, carol, dave := chain.Address{1}, chain.Address{2}, chain.Address{3}, chain.Address{4}
	join := func(w *writer) {
		w.post(dave, &chain.AccountCreate{Commitment: w.renew(dave), AccountKind: chain.Guest}, coinsOf(none, dave, 1000))
	}
	return map[string]func(w *writer){
		"a commitment that bob has published": func(w *writer) {
			w.post(alice, &chain.RunStart{Commitment: w.next[alice], Entry: chain.EntryDaily, NextCommitment: w.next[bob],
				RunID: "r8"})
		},
		"a commitment that alice has used": func(w *writer) {
			w.post(dave, &chain.AccountCreate{Commitment: chain.Hash{1}, AccountKind: chain.Bot}, coinsOf(none, dave, 1000))
		},
		"a season closed early": func(w *writer) {
			w.post(none, &chain.SeasonClose{Season: 2, TableHash: chain.Hash{8}})
		},
		"a season left out": func(w *writer) {
			w.time = chain.SeasonEnd(firstTime, 3)
			w.post(none, &chain.SeasonClose{Season: 3, TableHash: chain.Hash{8}})
		},
		"a transaction that is dated back": func(w *writer) {
			w.time -= 120_000
			join(w)
		},
		"a transaction that is later than its block": func(w *writer) {
			w.time += 120_000
			join(w)
		},
		"a third free entry": func(w *writer) {
			begin(w, alice, chain.RunStart{Entry: chain.EntryFree})
		},
		"a second daily entry": func(w *writer) { begin(w, bob, chain.RunStart{Entry: chain.EntryDaily}) },
		"a second open run": func(w *writer) {
			begin(w, carol, chain.RunStart{Entry: chain.EntryFee}, fee(carol))
		},
		"the faucet before its pause is over": func(w *writer) { w.post(alice, &chain.Faucet{}, coinsOf(none, alice, 200)) },
		"an account secured twice":            func(w *writer) { w.post(alice, &chain.AccountSecure{}) },
		"a bot secured":                       func(w *writer) { w.post(carol, &chain.AccountSecure{}) },
		"an account secured that was opened so": func(w *writer) {
			w.post(bob, &chain.AccountSecure{})
		},
	}
}

// boundToken gives alice a bound token 9 of tier 1.
func boundToken(w *writer) {
	var none chain.Address
	alice := chain.Address{1}
	begin(w, alice, chain.RunStart{Bound: true, Entry: chain.EntryDaily})
	w.post(alice, &chain.RunEnd{Bound: true, Cleared: 1, RunID: "r8", Status: chain.RunClaimed, Throws: 1,
		TranscriptHash: chain.Hash{7}}, tokenOf(9, 1, none, alice))
}

// begin starts run r8 with the outstanding commitment.
func begin(w *writer, who chain.Address, d chain.RunStart, paid ...chain.Transfer) {
	d.Commitment, d.RunID = w.next[who], "r8"
	d.NextCommitment = w.renew(who)
	w.post(who, &d, paid...)
}

// fee is the transfer of the entry fee by the rules in force at the end of the valid chain.
func fee(who chain.Address) chain.Transfer { return coinsOf(who, chain.Address{}, 60) }
