package main

import (
	"strings"

	"roshambo/chain"
	"roshambo/chain/games"
)

// boundedKinds are chains whose last block has data at its bounds, or one step beyond them, or of another shape
// than its kind has.
func boundedKinds() []chainVector {
	lies := append(boundedRules(), boundedData()...)
	lies = append(lies, shapes()...)
	for i := range lies {
		lies[i].Rules = !lies[i].Valid
	}
	return lies
}

// lastly is a chain that ends with what lie posts.
func lastly(file, about string, lie func(w *gameWriter)) chainVector {
	return chainVector{File: "chain/" + file + ".jsonl", About: about,
		lie: after(func(w *gameWriter, _ *games.Record) { lie(w) })}
}

// boundedRules announce rules.
func boundedRules() []chainVector {
	const most = 1 << 40
	announced := func(file, about string, change func(r *chain.Rules)) chainVector {
		return lastly(file, about, func(w *gameWriter) {
			rules := w.rules
			rules.Tiers = append([]chain.Tier(nil), rules.Tiers...)
			change(&rules)
			w.announceRules(1, rules)
		})
	}
	ladder := func(n int) (tiers []chain.Tier) {
		for range n {
			tiers = append(tiers, chain.Tier{Material: strings.Repeat("é", 32), Value: most})
		}
		return tiers
	}
	highest := announced("rules-highest", "rules with the highest values", func(r *chain.Rules) {
		*r = chain.Rules{BuybackBPS: 10_000, EntryFee: most, FaucetAmount: most, FaucetPause: most, FreePerDay: 1000,
			MarketFeeBPS: 10_000, StartingBalance: most, Tiers: ladder(62)}
	})
	lowest := announced("rules-lowest", "rules with the lowest values", func(r *chain.Rules) {
		*r = chain.Rules{EntryFee: 1, FaucetAmount: 1, Tiers: []chain.Tier{{Material: "m", Value: 1}}}
	})
	highest.Valid, lowest.Valid = true, true
	return []chainVector{
		highest, lowest,
		announced("rules-63-tiers", "rules with 63 tiers", func(r *chain.Rules) { r.Tiers = ladder(63) }),
		announced("rules-no-tier", "rules without a tier", func(r *chain.Rules) { r.Tiers = nil }),
		announced("rules-long-material", "a material of 65 bytes in 33 characters", func(r *chain.Rules) {
			r.Tiers[0].Material = strings.Repeat("é", 32) + "m"
		}),
		announced("rules-no-material", "an empty material", func(r *chain.Rules) { r.Tiers[0].Material = "" }),
		announced("rules-no-value", "a tier without a value", func(r *chain.Rules) { r.Tiers[0].Value = 0 }),
		announced("rules-high-value", "a value above 2^40", func(r *chain.Rules) { r.Tiers[0].Value = most + 1 }),
		announced("rules-no-fee", "an entry fee of 0", func(r *chain.Rules) { r.EntryFee = 0 }),
		announced("rules-no-faucet", "a faucet of 0", func(r *chain.Rules) { r.FaucetAmount = 0 }),
		announced("rules-long-pause", "a pause above 2^40", func(r *chain.Rules) { r.FaucetPause = most + 1 }),
		announced("rules-many-free", "1,001 free entries a day", func(r *chain.Rules) { r.FreePerDay = 1001 }),
		announced("rules-high-balance", "a starting balance above 2^40", func(r *chain.Rules) {
			r.StartingBalance = most + 1
		}),
		announced("rules-high-buyback", "a buyback of 10,001 basis points", func(r *chain.Rules) { r.BuybackBPS = 10_001 }),
		announced("rules-high-market-fee", "a market fee of 10,001 basis points", func(r *chain.Rules) {
			r.MarketFeeBPS = 10_001
		}),
		lastly("rules-number-2", "rules number 2 after those of genesis", func(w *gameWriter) {
			w.announceRules(2, w.rules)
		}),
	}
}

// boundedData post ids, numbers and times.
func boundedData() []chainVector {
	const beyond = 1 << 31
	ann := addressOf("ann")
	closed := lastly("season-closed", "a season closed after 28 days", func(w *gameWriter) { w.closeSeason(28, 1) })
	returned := chainVector{File: "chain/stake-returned.jsonl", About: "a stake that goes back, as no opponent joined",
		lie: after(func(w *gameWriter, record *games.Record) { w.alone(false); record.Duels++ })}
	last := lastly("ids-highest", "the highest ids of a listing and an offer, and the highest number of a cup",
		func(w *gameWriter) {
			w.sell(beyond-1, "ann", "cy")
			w.sell(0, "cy", "ann")
			w.buyBackAs(beyond - 1)
			w.closeCup(1<<53-1, "CUP")
		})
	closed.Valid, returned.Valid, last.Valid = true, true, true
	return []chainVector{
		closed, returned, last,
		lastly("season-early", "a season closed after 27 days", func(w *gameWriter) { w.closeSeason(27, 1) }),
		lastly("season-0", "season 0 closed", func(w *gameWriter) { w.closeSeason(28, 0) }),
		lastly("season-2", "season 2 closed first", func(w *gameWriter) { w.closeSeason(56, 2) }),
		lastly("rated-alone", "a rated settlement without an opponent", func(w *gameWriter) { w.alone(true) }),
		lastly("listing-beyond", "a listing with the id 2^31", func(w *gameWriter) { w.sell(beyond, "ann", "cy") }),
		lastly("offer-beyond", "an offer with the id 2^31", func(w *gameWriter) { w.buyBackAs(beyond) }),
		lastly("faucet-early", "two faucets without the pause", func(w *gameWriter) {
			for range 2 {
				w.post(&chain.Tx{Actor: ann, Data: &chain.Faucet{}, Transfers: []chain.Transfer{{To: ann, Amount: 200}}}, "")
			}
		}),
		lastly("secured-twice", "an account that was secured when it was opened, secured again", func(w *gameWriter) {
			w.secure("ann")
		}),
		lastly("secured-bot", "a bot secured", func(w *gameWriter) {
			w.enroll(addressOf("gus"), chain.Bot)
			w.secure("gus")
		}),
	}
}

// alone settles a duel of ann without an opponent.
func (w *gameWriter) alone(rated bool) {
	const id = "ALONE001"
	ann, escrow := addressOf("ann"), chain.Escrow(id)
	raw := string((&chain.DuelTranscript{A: ann, DuelID: id, Stake: 9}).Raw())
	w.post(&chain.Tx{Actor: ann, Data: &chain.DuelStake{DuelID: id},
		Transfers: []chain.Transfer{{From: ann, To: escrow, Amount: 9}}}, "")
	w.post(&chain.Tx{Data: &chain.DuelSettle{A: ann, DuelID: id, Rated: rated,
		TranscriptHash: chain.HashTranscript([]byte(raw))},
		Transfers: []chain.Transfer{{From: escrow, To: ann, Amount: 9}}}, raw)
}

// shapes post data of another shape than its kind has, in canonical JSON.
func shapes() []chainVector {
	shaped := func(file, about string, data chain.Data, old, now string) chainVector {
		return lastly(file, about, func(w *gameWriter) {
			tx := &chain.Tx{Data: data}
			if _, acts := data.(*chain.AccountSecure); acts {
				w.enroll(addressOf("gus"), chain.Guest)
				tx.Actor = addressOf("gus")
			}
			w.change = sub(old, now)
			w.post(tx, "")
		})
	}
	cup, void := &chain.CupClose{Cup: 7}, &chain.ResultVoid{Game: "run:run-bob-0"}
	return []chainVector{
		shaped("shape-secured-false", "an account.secure that says false", &chain.AccountSecure{},
			`{"secured":true}`, `{"secured":false}`),
		shaped("shape-secured-empty", "an account.secure without a member", &chain.AccountSecure{},
			`{"secured":true}`, `{}`),
		shaped("shape-cup-text", "the number of a cup as text", cup, `"cup":7`, `"cup":"7"`),
		shaped("shape-cup-negative", "a cup below 0", cup, `"cup":7`, `"cup":-7`),
		shaped("shape-cup-huge", "cup 2^53", cup, `"cup":7`, `"cup":9007199254740992`),
		shaped("shape-void-null", "a void result of null", void, `"game":"run:run-bob-0"`, `"game":null`),
		shaped("shape-void-reason", "the hash of a reason in upper case", void, `"reason_hash":"00`, `"reason_hash":"AA`),
		shaped("shape-restore-false", "a restored result that says false", &chain.ResultRestore{Game: "run:run-bob-0"},
			`"restored":true`, `"restored":false`),
		shaped("shape-recovery-more", "a recovery with a member too many", &chain.Recovery{Number: 1},
			`"recovery":1}`, `"recovery":1,"z":0}`),
		shaped("shape-season-missing", "a season.close without the hash", &chain.SeasonClose{Season: 1},
			`,"table_hash":"`+chain.Hash{}.String()+`"`, ``),
	}
}
