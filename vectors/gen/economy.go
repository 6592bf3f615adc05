package main

import (
	"strings"

	"roshambo/chain"
	"roshambo/chain/games"
)

// after is a chain that goes on after the games of its script.
func after(next func(w *gameWriter, record *games.Record)) func(s *gameScript) {
	return func(s *gameScript) { s.after = next }
}

// olderStates are chains whose rules change while tokens and runs of the rules before are there.
func olderStates() []chainVector {
	list := []chainVector{
		{File: "chain/fewer-tiers.jsonl", Valid: true,
			About: "tokens and runs above the highest tier of later rules are burnt, claimed, lost, abandoned and sold",
			lie:   after(fewerTiers)},
		{File: "chain/fewer-tiers-passed.jsonl", About: "a second win of a run that began above the highest tier",
			lie: after(func(w *gameWriter, record *games.Record) {
				w.ladder(1, 2)
				w.run(w.burning("ww", chain.RunClaimed), record)
			})},
		{File: "chain/fewer-tiers-abandoned.jsonl", About: "a run that its win above the highest tier ends, abandoned",
			lie: after(func(w *gameWriter, record *games.Record) {
				w.ladder(1, 2)
				w.run(w.burning("w", chain.RunAbandoned), record)
			})},
		{File: "chain/fewer-tiers-fee.jsonl", About: "a run that began without a token, claimed above the highest tier",
			lie: after(func(w *gameWriter, record *games.Record) {
				w.ladder(1, 2)
				w.run(&scriptRun{player: "cy", run: run{plan: "www", end: chain.RunClaimed, entry: chain.EntryFee}}, record)
			})},
		{File: "chain/fewer-tiers-bought-back.jsonl", About: "a token bought back whose tier the rules lack", Rules: true,
			lie: after(func(w *gameWriter, _ *games.Record) {
				w.ladder(1, 2)
				w.buyBack()
			})},
	}
	return list
}

// fewerTiers takes the ladder from 16 tiers to 2, and back. Ann has a token of tier 4, and cy plays on.
func fewerTiers(w *gameWriter, record *games.Record) {
	end := w.open(&scriptRun{player: "cy", run: run{plan: "wwtww", end: chain.RunClaimed, entry: chain.EntryFee}})
	w.seal(nil)
	w.ladder(1, 2)
	end(record)
	won := w.tokens // of tier 4
	lifted := w.burning("w", chain.RunClaimed)
	lifted.burnt = won - 1
	w.run(lifted, record)
	w.seal(nil)
	w.post(&chain.Tx{Actor: addressOf("ann"), Data: &chain.MarketSale{}, Transfers: []chain.Transfer{
		{From: addressOf("ann"), To: addressOf("cy"), Amount: 39},
		{Token: true, TokenID: won, From: addressOf("cy"), To: addressOf("ann")}}}, "")
	lost := w.burning("l", chain.RunLost)
	lost.burnt = won
	w.run(lost, record)
	w.seal(nil)
	w.seal(nil) // an empty block
	w.ladder(2, 16)
	given := w.burning("t", chain.RunAbandoned)
	given.firstTier = 5 // the token that the first one won
	w.run(given, record)
}

// ladder puts rules with the first tiers of genesis into force.
func (w *gameWriter) ladder(number int64, tiers int) {
	rules := w.rules
	rules.Tiers = rules.Tiers[:tiers]
	w.announceRules(number, rules)
	w.wait()
}

// burning is a run of ann for the last token, of tier 4.
func (w *gameWriter) burning(plan string, end chain.RunStatus) *scriptRun {
	return &scriptRun{player: "ann", run: run{plan: plan, end: end, entry: chain.EntryBurn, firstTier: 4}}
}

// buyBack accepts offer 1 of the house, for ann's last token, of tier 4.
func (w *gameWriter) buyBack() { w.buyBackAs(1) }

// buyBackAs accepts another offer.
func (w *gameWriter) buyBackAs(offer int64) {
	ann := addressOf("ann")
	w.post(&chain.Tx{Actor: ann, Data: &chain.Buyback{OfferID: offer}, Transfers: []chain.Transfer{
		{Token: true, TokenID: w.tokens, From: ann}, {To: ann, Amount: (48 << 4) * 8 / 10}}}, "")
}

// sell sells the last token under a listing, between ann and cy, for 39 coins.
func (w *gameWriter) sell(listing int64, seller, buyer string) {
	w.post(&chain.Tx{Actor: addressOf(buyer), Data: &chain.MarketSale{ListingID: listing}, Transfers: []chain.Transfer{
		{From: addressOf(buyer), To: addressOf(seller), Amount: 39},
		{Token: true, TokenID: w.tokens, From: addressOf(seller), To: addressOf(buyer)}}}, "")
}

// voidResult declares the result of a game void.
func (w *gameWriter) voidResult(game string) {
	w.post(&chain.Tx{Data: &chain.ResultVoid{Game: game, ReasonHash: textHash("a reason")}}, "")
}

// restoreResult takes the declaration back.
func (w *gameWriter) restoreResult(game string) {
	w.post(&chain.Tx{Data: &chain.ResultRestore{Game: game, ReasonHash: textHash("another reason")}}, "")
}

// restored are chains about results that were void and count again.
func restored() []chainVector {
	const game, other = "run:run-bob-0", "duel:DUEL0000"
	chainOf := func(file, about string, valid bool, lie func(w *gameWriter)) chainVector {
		return chainVector{File: "chain/" + file + ".jsonl", About: about, Valid: valid, Rules: !valid,
			lie: after(func(w *gameWriter, _ *games.Record) { lie(w) })}
	}
	return []chainVector{
		chainOf("restore", "two void results that are restored, one of them after a cup has closed", true, func(w *gameWriter) {
			w.voidResult(game)
			w.voidResult(other)
			w.restoreResult(other)
			w.closeCup(0, "CUP")
			w.restoreResult(game)
		}),
		chainOf("restore-of-no-void", "a restored result that was not void", false, func(w *gameWriter) {
			w.voidResult(game)
			w.restoreResult(other)
		}),
		chainOf("restore-of-no-run", "a restored result of a run that the chain does not have", false, func(w *gameWriter) {
			w.restoreResult("run:run-bob-1")
		}),
		chainOf("restore-of-a-season", "a restored result of a season", false, func(w *gameWriter) {
			w.restoreResult("season:1")
		}),
		chainOf("restore-twice", "a result restored twice", false, func(w *gameWriter) {
			w.voidResult(game)
			w.restoreResult(game)
			w.restoreResult(game)
		}),
		chainOf("void-after-restore", "a result declared void again after it was restored", false, func(w *gameWriter) {
			w.voidResult(game)
			w.restoreResult(game)
			w.voidResult(game)
		}),
		chainOf("restore-after-close", "a result restored after the season in which it was declared void has closed", false,
			func(w *gameWriter) {
				w.voidResult(game)
				w.closeSeason(28, 1)
				w.restoreResult(game)
			}),
		chainOf("restore-after-earlier-close", "a result declared void and restored after a season has closed", true,
			func(w *gameWriter) {
				w.closeSeason(28, 1)
				w.voidResult(game)
				w.restoreResult(game)
			}),
	}
}

// usedOnce are chains about ids that are used once, and about results that are void.
func usedOnce() []chainVector {
	again := func(about, file string, lie func(w *gameWriter)) chainVector {
		return chainVector{File: "chain/" + file + ".jsonl", About: about, Rules: true,
			lie: after(func(w *gameWriter, _ *games.Record) { lie(w) })}
	}
	return []chainVector{
		{File: "chain/used-once.jsonl", Valid: true,
			About: "two listings, an offer with the id of one, void results of games with the longest ids, and cup 0",
			lie: after(func(w *gameWriter, record *games.Record) {
				w.sell(0, "ann", "cy")
				w.sell(1, "cy", "ann")
				w.buyBack()
				long := strings.Repeat("r", 64)
				end := w.open(&scriptRun{player: "cy", id: long, run: run{plan: "l", end: chain.RunLost,
					entry: chain.EntryFee}})
				w.voidResult("run:" + long) // while it goes on
				end(record)
				w.voidResult("run:run-bob-0")
				w.voidResult("duel:DUEL0000")
				w.closeCup(0, "CUP")
			})},
		again("a listing sold twice", "listing-twice", func(w *gameWriter) {
			w.sell(1, "ann", "cy")
			w.sell(1, "cy", "ann")
		}),
		again("an offer accepted twice", "offer-twice", func(w *gameWriter) {
			w.run(&scriptRun{player: "ann", run: run{plan: "wwww", end: chain.RunClaimed, entry: chain.EntryFee}},
				new(games.Record))
			w.buyBack()
			w.tokens-- // her other token of tier 4
			w.buyBack()
		}),
		again("a void result of a run that the chain does not have", "void-of-no-run", func(w *gameWriter) {
			w.voidResult("run:run-bob-1")
		}),
		again("a void result of a duel that the chain does not have", "void-of-no-duel", func(w *gameWriter) {
			w.voidResult("duel:run-bob-0")
		}),
		again("a void result of an unrated duel, as those of cups are", "void-of-unrated-duel", func(w *gameWriter) {
			w.voidResult("duel:DUEL0001")
		}),
		again("a void result of a duel that is not settled", "void-of-open-duel", func(w *gameWriter) {
			w.stake("ann", "DUEL0009")
			w.voidResult("duel:DUEL0009")
		}),
		again("a void result of a season", "void-of-a-season", func(w *gameWriter) { w.voidResult("season:1") }),
		again("a void result without a kind of game", "void-of-an-id", func(w *gameWriter) { w.voidResult("DUEL0000") }),
		again("a void result declared twice", "void-result-twice", func(w *gameWriter) {
			w.voidResult("duel:DUEL0000")
			w.voidResult("duel:DUEL0000")
		}),
		again("cup 0 closed twice", "cup-twice", func(w *gameWriter) {
			w.closeCup(0, "CUP")
			w.closeCup(0, "CUP2")
		}),
	}
}

// closedAddresses are chains about addresses that are no accounts, stakes, and the days and times of an account.
func closedAddresses() []chainVector {
	stake := func(w *gameWriter, id string) {
		w.post(&chain.Tx{Actor: addressOf("ann"), Data: &chain.DuelStake{DuelID: id}, Transfers: []chain.Transfer{
			{From: addressOf("ann"), To: chain.Escrow(id), Amount: 9}}}, "")
	}
	lies := []chainVector{
		{File: "chain/account-of-the-sparring-bot.jsonl", About: "an account at the address of the sparring bot",
			lie: after(func(w *gameWriter, _ *games.Record) { w.enroll(chain.SparringBot(), chain.Full) })},
		{File: "chain/account-at-an-escrow.jsonl", About: "an account at an address that holds a stake",
			lie: after(func(w *gameWriter, _ *games.Record) {
				stake(w, "DUEL0009")
				w.enroll(chain.Escrow("DUEL0009"), chain.Full)
			})},
		{File: "chain/stake-at-an-account.jsonl", About: "a stake at an escrow's address that has an account",
			lie: after(func(w *gameWriter, _ *games.Record) {
				w.enroll(chain.Escrow("DUEL0009"), chain.Full)
				stake(w, "DUEL0009")
			})},
		{File: "chain/daily-dated-back.jsonl", About: "a second daily run, dated back to the day before the first",
			lie: after(func(w *gameWriter, record *games.Record) {
				w.midnight()
				w.run(daily(), record)
				w.back = 2000
				w.run(daily(), record)
			})},
		{File: "chain/secured-at-time-0.jsonl", About: "a guest secured at time 0",
			lie: func(s *gameScript) {
				s.epoch = true
				s.after = func(w *gameWriter, _ *games.Record) {
					w.enroll(addressOf("gus"), chain.Guest)
					w.back = 1000 * int64(len(w.blocks)-1)
					w.secure("gus")
				}
			}},
	}
	for i := range lies {
		lies[i].Rules = true
	}
	return append(lies,
		chainVector{File: "chain/b-staked-first.jsonl", About: "a duel for 25 coins, in which b stakes first", Valid: true,
			lie: func(s *gameScript) { s.duels[1].stake = 25 }},
		chainVector{File: "chain/own-days.jsonl", Valid: true,
			About: "a daily run, dated back to the day before a free one, and another on the day of the free one",
			lie: after(func(w *gameWriter, record *games.Record) {
				w.midnight()
				w.run(&scriptRun{player: "cy", run: run{plan: "l", end: chain.RunLost, entry: chain.EntryFree}}, record)
				w.back = 2000
				w.run(daily(), record)
				w.back = 0
				w.run(daily(), record)
			})},
		chainVector{File: "chain/secured-later.jsonl", About: "an account opened at time 0 is not secured yet", Valid: true,
			lie: func(s *gameScript) {
				s.epoch = true
				s.after = func(w *gameWriter, _ *games.Record) {
					w.back = 1000 * int64(len(w.blocks)-1)
					w.enroll(addressOf("gus"), chain.Full)
					w.back = 0
					w.secure("gus")
				}
			}})
}

// daily is a daily run of cy.
func daily() *scriptRun {
	return &scriptRun{player: "cy", run: run{plan: "l", end: chain.RunLost, entry: chain.EntryDaily}}
}

// enroll opens an account.
func (w *gameWriter) enroll(account chain.Address, kind chain.AccountKind) {
	w.post(&chain.Tx{Actor: account, Data: &chain.AccountCreate{Commitment: digest("enroll/" + account.String()),
		AccountKind: kind}, Transfers: []chain.Transfer{{To: account, Amount: 1000}}}, "")
}

// secure secures a player's account.
func (w *gameWriter) secure(player string) {
	w.post(&chain.Tx{Actor: addressOf(player), Data: &chain.AccountSecure{}}, "")
}

// midnight lets time pass until a second after the next midnight.
func (w *gameWriter) midnight() {
	const day = 86_400_000
	now := firstTime + 1000*int64(len(w.blocks)-1) + w.later
	w.later += day - now%day + 1000
}
