package main

import (
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/chain/games"
	"roshambo/game"
)

// recoveredRuns are honest proofs around a recovery: void ones, a run that was claimed by it, and one with
// a rotated commitment.
func recoveredRuns() []vector {
	continued := &run{plan: "tw", end: chain.RunClaimed, clientSeed: "honest player", recovery: losing()}
	return []vector{
		{file: "run/rotated", about: "a commitment that a recovery has rotated",
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "after", rotated: true}},
		{
			file:  "run/void",
			about: "void after a tie, the fee given back",
			notes: "recovery",
			make:  void(run{entry: chain.EntryFee}),
		},
		{file: "run/void-burn", about: "void, with another token of the burnt one's tier", notes: "recovery",
			make: void(run{entry: chain.EntryBurn, firstTier: 3})},
		{file: "run/void-free", about: "void, with nothing to give back, by a recovery that names no lost tree",
			notes: "recovery",
			make:  void(run{recovery: &chain.Recovery{ReasonHash: chain.HashText("moved"), Number: 2}})},
		{
			file:  "run/void-after-two",
			about: "void by the first of two recoveries",
			notes: "recovery",
			make:  void(run{again: true, place: map[string]int{"recovery": 5}}),
		},
		{file: "run/void-pending", about: "void by a recovery in no block yet", unpinned: true, pending: true,
			notes: "inclusion checkpoint order recovery", make: void(run{place: map[string]int{"recovery": -1, "end": -1}})},
		{file: "run/claimed-by-recovery", about: "claimed by a recovery, as the last throw that was kept won",
			notes: "recovery", make: continued},
		{file: "duel/void-by-recovery", about: "void with a stake after two rounds, both stakes back",
			notes: "recovery", make: &duel{rounds: "rsrr", stake: 30, recovery: losing()}},
	}
}

// losing is a recovery that names a lost tree.
func losing() *chain.Recovery {
	return &chain.Recovery{Lost: chain.LostTree{Root: digest("lost tree"), Size: 9},
		ReasonHash: chain.HashText("a disk failed"), Number: 1}
}

// void is a run that a recovery has made void.
func void(r run) *run {
	r.plan, r.end, r.clientSeed = "wt", chain.RunVoid, "honest player"
	if r.recovery == nil {
		r.recovery = losing()
	}
	return &r
}

// tamperedRecoveries are runs and duels that lie about a recovery.
func tamperedRecoveries() []vector {
	end := func(change func(tx *chain.Tx)) map[string]func(*chain.Tx) {
		return map[string]func(*chain.Tx){"end": change}
	}
	planned := func(plan string) *run {
		r := void(run{})
		r.plan = plan
		return r
	}
	return slices.Concat(falseRecoveries(), tamperedCrossings(), tamperedRotations(), []vector{
		{file: "run/void-after-a-loss", about: "a run that was lost, called void", fails: "status", notes: "recovery",
			make: planned("twl")},
		{file: "run/void-after-a-win", about: "a run whose last throw won, called void", fails: "status", notes: "recovery",
			make: planned("tw")},
		{file: "run/void-keeps-the-fee", about: "void, and the fee is not given back", fails: "end", notes: "recovery",
			make: void(run{entry: chain.EntryFee, tx: end(func(tx *chain.Tx) { tx.Transfers = nil })})},
		{file: "run/void-gives-less", about: "void, with less than the fee given back", fails: "end", notes: "recovery",
			make: void(run{entry: chain.EntryFee, tx: end(func(tx *chain.Tx) { tx.Transfers[0].Amount-- })})},
		{
			file:  "run/void-gives-to-another",
			about: "void, with the fee given to another account",
			fails: "end",
			notes: "recovery",
			make:  void(run{entry: chain.EntryFee, tx: end(func(tx *chain.Tx) { tx.Transfers[0].To = addressOf("rival") })}),
		},
		{
			file:  "run/void-burn-other-tier",
			about: "void, with a token of another tier than the burnt one",
			fails: "end",
			notes: "recovery",
			make:  void(run{entry: chain.EntryBurn, firstTier: 3, tx: end(func(tx *chain.Tx) { tx.Transfers[0].Tier = 4 })}),
		},
		{
			file:  "run/void-claimed",
			about: "void, and the tier that it had reached as a token",
			fails: "end",
			notes: "recovery",
			make: void(run{tx: end(func(tx *chain.Tx) {
				tx.Transfers = []chain.Transfer{{Token: true, TokenID: 12, Tier: 1, To: tx.Actor}}
			})}),
		},
		{file: "duel/void-decided", about: "a duel that is decided, called void", fails: "winner", notes: "recovery",
			make: &duel{rounds: "rsrsrs", stake: 30, recovery: losing(), outcome: func(d *chain.DuelTranscript) {
				d.Winner = game.NoSide
			}, proof: func(p object) { p["winner"] = nil }}},
		{
			file:  "duel/void-settled-as-finished",
			about: "a void duel whose settlement calls it finished",
			fails: "end",
			notes: "recovery",
			make: &duel{rounds: "rsrr", stake: 30, recovery: losing(), tx: map[string]func(*chain.Tx){
				"settle": func(tx *chain.Tx) { tx.Data.(*chain.DuelSettle).Void = false },
			}},
		},
	})
}

// falseRecoveries are void games whose recovery is not what it must be.
func falseRecoveries() []vector {
	without := func(members ...string) func(p object) {
		return func(p object) {
			for _, m := range members {
				p[m] = nil
			}
		}
	}
	recovered := func(change func(tx *chain.Tx)) map[string]func(*chain.Tx) {
		return map[string]func(*chain.Tx){"recovery": change}
	}
	return []vector{
		{file: "run/void-without-recovery", about: "a void run that names no recovery", fails: "recovery",
			make: void(run{proof: without("recovery", "kept")})},
		{file: "duel/void-without-recovery", about: "a void duel that names no recovery", fails: "recovery",
			make: &duel{rounds: "rsrr", stake: 30, recovery: losing(), proof: without("recovery", "kept")}},
		{file: "run/void-without-kept", about: "a recovery without the block before its own", fails: "recovery",
			make: void(run{proof: without("kept")})},
		{file: "run/kept-alone", about: "the block before a recovery, without the recovery", fails: "recovery",
			make: void(run{proof: without("recovery")})},
		{file: "run/kept-another", about: "another block as the one before the recovery", fails: "recovery",
			make: void(run{proof: func(p object) { p["kept"] = p["start"].(object)["header"] }})},
		{file: "run/kept-late", about: "a block before the recovery that is later than the recovery's own", fails: "recovery",
			make: void(run{header: at(5, func(h *chain.Header) { h.Time += 1001 })})},
		{file: "run/kept-late-cosigned", about: "a block before the recovery that is 16 minutes later than the cosignature",
			fails: "witnesses recovery", witnesses: []string{first.verifierKey()},
			make: void(run{header: at(5, func(h *chain.Header) { h.Time += 16 * 60 * 1000 }), note: func(h *house) string {
				return sign(h.head(), h.name, h.key) + first.cosign(h.head(), (firstTime+7999)/1000)
			}})},
		{file: "run/kept-early", about: "a block before the recovery that is earlier than that of the start",
			fails: "recovery", make: void(run{header: at(5, func(h *chain.Header) { h.Time -= 60 * 1000 })})},
		{file: "run/kept-apart", about: "a block before the recovery that does not name the block of the start",
			fails: "recovery", make: void(run{place: map[string]int{"start": 4},
				header: at(5, func(h *chain.Header) { h.Prev = chain.HashBlock(nil) })})},
		{file: "run/kept-malformed", about: "a text that is no header as the block before the recovery", fails: "recovery",
			make: void(run{proof: func(p object) { p["kept"] = "{}" }})},
		{file: "run/lost-tree-kept", about: "a lost tree of fewer blocks than the recovery keeps", fails: "recovery",
			make: void(run{recovery: &chain.Recovery{Lost: chain.LostTree{Root: digest("lost tree"), Size: 5},
				ReasonHash: chain.HashText("a disk failed"), Number: 1}})},
		{
			file:  "run/recovery-of-a-lost-run",
			about: "a recovery that is said to have left a run lost",
			fails: "recovery",
			notes: "client_seed",
			make:  &run{plan: "wl", end: chain.RunLost, recovery: losing()},
		},
		{file: "run/recovery-by-an-account", about: "a recovery by an account", fails: "recovery",
			make: void(run{tx: recovered(func(tx *chain.Tx) { tx.Actor = addressOf("rival") })})},
		{
			file:  "run/recovery-before-the-start",
			about: "a recovery before the start of the run",
			fails: "order",
			notes: "recovery",
			make:  void(run{place: map[string]int{"recovery": 2}}),
		},
		{file: "run/recovery-after-the-end", about: "a recovery after the end of the run", fails: "order", notes: "recovery",
			make: void(run{place: map[string]int{"recovery": 7}})},
		{
			file:  "duel/recovery-before-the-stake",
			about: "a recovery before a stake of the duel",
			fails: "order",
			notes: "recovery",
			make:  &duel{rounds: "rsrr", stake: 30, recovery: losing(), place: map[string]int{"recovery": 2}},
		},
	}
}

// recoveredChains are honest chains with recoveries and announced rules, chains that lie about them, and a
// chain with a resignation.
func recoveredChains() []chainVector {
	lies := slices.Concat(lyingRecoveries(), lyingRules())
	for i := range lies {
		lies[i].Rules = true
	}
	honest := []chainVector{
		{File: "chain/recovered.jsonl", About: "a recovery with two void runs, a claimed one and a void duel, then rules " +
			"that were announced a day before", Valid: true,
			lie: afterRecovery(func(w *gameWriter) {
				w.announce(1, 60)
				w.begin("bob", chain.EntryFee, 50)
				w.wait()
				w.begin("ann", chain.EntryFee, 60)
			})},
		{File: "chain/recovered-in-steps.jsonl", About: "a recovery whose consequences take several blocks, with another " +
			"recovery between them, a rotation an hour later, and a new account", Valid: true,
			lie: func(s *gameScript) { s.after = (*gameWriter).recoverInSteps }},
		{File: "chain/rules-in-the-hour.jsonl", About: "rules that begin at once, announced in a block an hour after genesis",
			Valid: true, lie: afterRecovery(func(w *gameWriter) { w.trial(0); w.begin("bob", chain.EntryFee, 60) })},
		{File: "chain/recovery-loses-as-much.jsonl", About: "a lost tree of as many blocks as the recovery keeps",
			Valid: true, lie: func(s *gameScript) {
				s.after = func(w *gameWriter, record *games.Record) {
					w.recover(record)
					w.declareLost(2, chain.LostTree{Root: digest("lost tree"), Size: w.kept().Size})
					record.Recoveries++
				}
			}},
		{File: "chain/resigned.jsonl", About: "a duel in which b resigns after two rounds", Valid: true,
			lie: func(s *gameScript) { s.duels[1].rounds = "rssr-q-q" }},
		{File: "chain/resigned-by-the-winner.jsonl", About: "a resignation of the side that wins by it",
			lie: func(s *gameScript) {
				s.duels[1].rounds = "rssr-q-q"
				s.duels[1].outcome = func(d *chain.DuelTranscript) { d.Winner = d.Winner.Other() }
			}},
		{File: "chain/void-after-a-win.jsonl", About: "a run void at a recovery, though its last throw won",
			lie: afterRecovery(func(w *gameWriter) {
				w.begin("ann", chain.EntryFree, 0)
				w.declare(2)
				w.play("ann", chain.RunVoid, "tw", 0)
			})},
		{File: "chain/claimed-after-a-tie.jsonl", About: "a run claimed by a recovery, though its last throw was a tie",
			lie: afterRecovery(func(w *gameWriter) {
				w.begin("ann", chain.EntryFree, 0)
				w.declare(2)
				w.play("ann", chain.RunClaimed, "wt", 0)
			})},
		{File: "chain/void-decided.jsonl", About: "a duel void at a recovery, though its rounds decide it",
			lie: afterRecovery(func(w *gameWriter) {
				w.stake("ann", "DUEL0003")
				w.stake("bob", "DUEL0003")
				w.declare(2)
				w.voidDuel("DUEL0003", "rsrsrs")
			})},
	}
	return slices.Concat(honest, lies)
}

// afterRecovery continues the script with a recovery, and then with a part that may lie.
func afterRecovery(part func(w *gameWriter)) func(s *gameScript) {
	return func(s *gameScript) {
		s.after = func(w *gameWriter, record *games.Record) {
			w.recover(record)
			part(w)
		}
	}
}

// lyingRecoveries are chains in which a recovery breaks the rules.
func lyingRecoveries() []chainVector {
	last := afterRecovery
	return []chainVector{
		{File: "chain/rotated-twice.jsonl",
			About: "a commitment rotated twice in one recovery: a choice once the client seed is known",
			lie:   last(func(w *gameWriter) { w.rotate("ann") })},
		{File: "chain/rotated-and-started.jsonl", About: "a commitment rotated in the block of the start that uses it",
			lie: last(func(w *gameWriter) { w.declare(2); w.rotate("ann"); w.begin("ann", chain.EntryFree, 0) })},
		{File: "chain/rotated-too-early.jsonl", About: "a rotation while a game in play at the recovery has not ended",
			lie: last(func(w *gameWriter) { w.begin("ann", chain.EntryFree, 0); w.declare(2); w.rotate("bob") })},
		{File: "chain/void-alone.jsonl", About: "a run void without a recovery",
			lie: last(func(w *gameWriter) { w.void("ann", w.begin("ann", chain.EntryFee, 50), 50) })},
		{File: "chain/void-one-of-two.jsonl", About: "a run void at a recovery, and another one that goes on",
			lie: last(func(w *gameWriter) {
				id := w.begin("ann", chain.EntryFee, 50)
				w.begin("cy", chain.EntryFree, 0)
				w.declare(2)
				w.void("ann", id, 50)
				w.seal(nil)
				w.post(&chain.Tx{Actor: addressOf("ann"), Data: &chain.Faucet{},
					Transfers: []chain.Transfer{{To: addressOf("ann"), Amount: 200}}}, "")
			})},
		{File: "chain/void-for-more.jsonl", About: "a void run that gives more back than its entry",
			lie: last(func(w *gameWriter) { id := w.begin("ann", chain.EntryFee, 50); w.declare(2); w.void("ann", id, 51) })},
		{File: "chain/void-frees-coins.jsonl", About: "a stake of coins that were bound before a void run gave them back",
			lie: last(func(w *gameWriter) {
				escrow, free := chain.Escrow("DUEL0002"), int64(1000-50) // but for the faucet's, which paid the void run
				w.post(&chain.Tx{Actor: addressOf("bob"), Data: &chain.DuelStake{DuelID: "DUEL0002"},
					Transfers: []chain.Transfer{{From: addressOf("bob"), To: escrow, Amount: free + 1}}}, "")
			})},
		{File: "chain/void-left-out.jsonl", About: "a run that goes on after a recovery, with seeds that are known",
			lie: last(func(w *gameWriter) {
				id := w.begin("ann", chain.EntryFee, 50)
				w.declare(2)
				w.end("ann", id, chain.RunAbandoned, 0)
			})},
		{File: "chain/duel-void-alone.jsonl", About: "a duel void without a recovery", lie: last(func(w *gameWriter) {
			w.stake("ann", "DUEL0003")
			w.stake("bob", "DUEL0003")
			w.voidDuel("DUEL0003", "rs")
		})},
		{File: "chain/duel-void-left-out.jsonl", About: "a staked duel that goes on after a recovery",
			lie: last(func(w *gameWriter) {
				w.stake("ann", "DUEL0003")
				w.stake("bob", "DUEL0003")
				w.declare(2)
				w.begin("cy", chain.EntryFree, 0)
			})},
		{File: "chain/duel-void-unstaked.jsonl", About: "a duel without a stake void at a recovery",
			lie: last(func(w *gameWriter) {
				w.begin("ann", chain.EntryFree, 0)
				w.declare(2)
				raw := string((&chain.DuelTranscript{A: addressOf("ann"), B: addressOf("bob"), DuelID: "DUEL0003"}).Raw())
				w.post(&chain.Tx{Data: &chain.DuelSettle{A: addressOf("ann"), B: addressOf("bob"), DuelID: "DUEL0003",
					Void: true, TranscriptHash: chain.HashTranscript([]byte(raw))}}, raw)
			})},
		{File: "chain/known-commitment.jsonl", About: "a run with a commitment from before a recovery",
			lie: last(func(w *gameWriter) { w.declare(2); w.begin("ann", chain.EntryFree, 0) })},
		{File: "chain/recovery-left-out.jsonl", About: "recovery 3 after recovery 1", lie: last(func(w *gameWriter) {
			w.declare(3)
		})},
		{File: "chain/recovery-loses-nothing.jsonl", About: "a recovery that names the tree before it as lost",
			lie: last(func(w *gameWriter) { w.declareLost(2, w.kept()) })},
		{File: "chain/recovery-loses-less.jsonl", About: "a lost tree of fewer blocks than the recovery keeps",
			lie: last(func(w *gameWriter) {
				w.declareLost(2, chain.LostTree{Root: digest("lost tree"), Size: w.kept().Size - 1})
			})},
	}
}

// lyingRules are chains in which announced rules break the rules.
func lyingRules() []chainVector {
	last := afterRecovery
	return []chainVector{
		{File: "chain/rules-at-once.jsonl", About: "a fee by rules that were announced and are not in force",
			lie: last(func(w *gameWriter) { w.announce(1, 60); w.begin("ann", chain.EntryFee, 60) })},
		{File: "chain/rules-not-begun.jsonl", About: "a fee by rules that were announced a day before and have not begun",
			lie: last(func(w *gameWriter) {
				w.announce(1, 60)
				w.seal(nil)
				w.later += chain.RulesNotice
				w.begin("ann", chain.EntryFee, 60)
			})},
		{File: "chain/rules-begun-early.jsonl", About: "rules that begin a day after their announcement, and less than a " +
			"day after its block",
			lie: last(func(w *gameWriter) {
				w.announce(1, 60)
				w.seal(nil)
				w.later += chain.RulesNotice - 2 // the block is 999 ms later than its transactions
				w.beginRules(1)
			})},
		{File: "chain/rules-begun-twice.jsonl", About: "rules that begin twice", lie: last(func(w *gameWriter) {
			w.announce(1, 60)
			w.wait()
			w.beginRules(1)
		})},
		{File: "chain/rules-begun-unannounced.jsonl", About: "the beginning of rules that were not announced",
			lie: last(func(w *gameWriter) { w.beginRules(1) })},
		{File: "chain/rules-behind-the-hour.jsonl", About: "rules that begin at once, announced in a block a millisecond " +
			"later than an hour after genesis, within the hour by their own time",
			lie: last(func(w *gameWriter) { w.trial(1) })},
		{File: "chain/rules-hour-dated-back.jsonl", About: "rules that begin at once, announced three days after the " +
			"block before, and dated back behind it, into the first hour",
			lie: last(func(w *gameWriter) {
				w.seal(nil)
				w.later += 3 * chain.RulesNotice
				w.back = 3 * chain.RulesNotice
				w.announceDearer()
				w.beginRules(1)
			})},
		{File: "chain/rules-over.jsonl", About: "a fee by rules that are not in force any more",
			lie: last(func(w *gameWriter) { w.announce(1, 60); w.wait(); w.begin("ann", chain.EntryFee, 50) })},
		{File: "chain/rules-while-others-wait.jsonl", About: "rules announced while others wait",
			lie: last(func(w *gameWriter) { w.announce(1, 60); w.announce(2, 50) })},
	}
}

// recover posts a recovery after which all is as before three runs and a duel: a run for bound coins and
// one for a token are void, a free one is claimed, and the duel's stakes go back.
func (w *gameWriter) recover(record *games.Record) {
	w.startAll()
	w.declare(1)
	w.void("bob", "begun-bob"+strings.Repeat("i", w.started["bob"]-1), 50)
	w.play("ann", chain.RunVoid, "wt", 4)
	w.play("cy", chain.RunClaimed, "tw", 0)
	w.voidDuel("DUEL0009", "rsrr")
	for _, player := range []string{"ann", "bob", "cy"} {
		w.rotate(player)
	}
	w.seal(nil)
	w.countRecovery(record)
}

// startAll starts the games that recover ends.
func (w *gameWriter) startAll() {
	w.post(&chain.Tx{Actor: addressOf("bob"), Data: &chain.Faucet{},
		Transfers: []chain.Transfer{{To: addressOf("bob"), Amount: 200}}}, "")
	w.begin("bob", chain.EntryFee, 50)
	w.begin("ann", chain.EntryBurn, 0)
	w.begin("cy", chain.EntryFree, 0)
	w.stake("ann", "DUEL0009")
	w.stake("bob", "DUEL0009")
	w.stake("cy", "DUEL0010") // waits for an opponent, and goes on
	w.seal(nil)
}

// countRecovery counts the games of startAll after a recovery.
func (w *gameWriter) countRecovery(record *games.Record) {
	record.Recoveries, record.Voided, record.VoidTiers = 1, 2, []int64{1, 0, 0, 0, 0, 1}
	record.Duels++
	claimed := &scriptRun{run: run{plan: "tw", end: chain.RunClaimed}}
	claimed.count(claimed.play(w.seeds("cy", w.started["cy"]-2)), record)
}

// recoverInSteps is recover in several blocks.
func (w *gameWriter) recoverInSteps(record *games.Record) {
	w.startAll()
	w.declare(1)
	w.void("bob", "begun-bob"+strings.Repeat("i", w.started["bob"]-1), 50)
	w.seal(nil)
	w.later += chain.RulesTrial
	w.seal(nil) // an empty block
	w.declare(2)
	w.voidDuel("DUEL0009", "rsrr")
	w.seal(nil)
	w.play("ann", chain.RunVoid, "wt", 4)
	w.play("cy", chain.RunClaimed, "tw", 0)
	w.post(&chain.Tx{Actor: addressOf("dee"), Data: &chain.AccountCreate{
		Commitment: w.commitment("dee", 0), AccountKind: chain.Full},
		Transfers: []chain.Transfer{{To: addressOf("dee"), Amount: 1000}}}, "")
	w.begin("dee", chain.EntryFree, 0)
	w.rotate("cy")
	w.seal(nil)
	w.countRecovery(record)
	record.Recoveries = 2
	w.later += chain.RulesTrial
	w.rotate("bob")
	w.seal(nil)
	w.begin("bob", chain.EntryFree, 0)
	w.begin("cy", chain.EntryFree, 0)
}

// duelStake is the stake of each side of the duels that recoveries end.
const duelStake = 30

// stake posts a player's stake in a duel.
func (w *gameWriter) stake(player, id string) {
	account := addressOf(player)
	w.post(&chain.Tx{Actor: account, Data: &chain.DuelStake{DuelID: id},
		Transfers: []chain.Transfer{{From: account, To: chain.Escrow(id), Amount: duelStake}}}, "")
}

// voidDuel posts the void settlement of a staked duel between Ann and Bob.
func (w *gameWriter) voidDuel(id, rounds string) {
	doc := chain.DuelTranscript{A: addressOf("ann"), B: addressOf("bob"), DuelID: id, Stake: duelStake}
	for i := 0; i+1 < len(rounds); i += 2 {
		doc.Rounds = append(doc.Rounds, round("chain/"+id, i/2+1, rounds[i:i+2]))
	}
	raw, escrow := string(doc.Raw()), chain.Escrow(id)
	w.post(&chain.Tx{Data: &chain.DuelSettle{A: doc.A, B: doc.B, DuelID: id, Void: true,
		TranscriptHash: chain.HashTranscript([]byte(raw))}, Transfers: []chain.Transfer{
		{From: escrow, To: doc.A, Amount: duelStake}, {From: escrow, To: doc.B, Amount: duelStake}}}, raw)
}

// play ends the run that a player began last, with the throws of a plan. first is its first tier.
func (w *gameWriter) play(player string, status chain.RunStatus, plan string, first int64) {
	n, account := w.started[player]-1, addressOf(player)
	r := &run{plan: plan, firstTier: first}
	throws := r.play(w.seeds(player, n))
	raw := transcript(throws)
	d := &chain.RunEnd{Cleared: r.tier(throws), RunID: "begun-" + player + strings.Repeat("i", n), Status: status,
		Throws: int64(len(throws)), TranscriptHash: chain.HashTranscript([]byte(raw))}
	tx := &chain.Tx{Actor: account, Data: d}
	if status == chain.RunClaimed || first > 0 {
		w.tokens++
		token := chain.Transfer{Token: true, TokenID: w.tokens, Tier: first, To: account}
		if status == chain.RunClaimed {
			token.Tier = d.Cleared
		}
		tx.Transfers = []chain.Transfer{token}
	}
	w.post(tx, raw)
}

// declare posts a recovery.
func (w *gameWriter) declare(number int64) {
	lost := chain.LostTree{}
	if number == 1 {
		lost = chain.LostTree{Root: digest("lost tree"), Size: 20}
	}
	w.declareLost(number, lost)
}

// declareLost posts a recovery that names a lost tree.
func (w *gameWriter) declareLost(number int64, lost chain.LostTree) {
	w.post(&chain.Tx{Data: &chain.Recovery{Lost: lost, ReasonHash: chain.HashText("a disk failed"), Number: number}}, "")
}

// kept returns the tree of the blocks before the open one.
func (w *gameWriter) kept() chain.LostTree {
	n := len(w.blocks) - 1
	return chain.LostTree{Root: treeHash(w.log()[:n]), Size: int64(n)}
}

// commitment returns the commitment of a player's run n.
func (w *gameWriter) commitment(player string, n int) chain.Hash {
	return chain.Hash(w.seeds(player, n).Commitment())
}

// rotate replaces a player's commitment.
func (w *gameWriter) rotate(player string) {
	n := w.started[player]
	w.started[player]++
	w.post(&chain.Tx{Actor: addressOf(player), Data: &chain.Rotate{
		Commitment: w.commitment(player, n), NextCommitment: w.commitment(player, n+1)}}, "")
}

// begin starts a run of a player and returns its id. A burnt token is the last one, of tier 4.
func (w *gameWriter) begin(player string, entry chain.Entry, fee int64) string {
	n, account := w.started[player], addressOf(player)
	w.started[player]++
	d := &chain.RunStart{Bound: entry == chain.EntryFee && player == "bob", ClientSeedHash: textHash(""), Entry: entry,
		Commitment: w.commitment(player, n), NextCommitment: w.commitment(player, n+1), RunID: "begun-" + player +
			strings.Repeat("i", n)}
	tx := &chain.Tx{Actor: account, Data: d}
	switch entry {
	case chain.EntryFee:
		tx.Transfers = []chain.Transfer{{From: account, Amount: fee}}
	case chain.EntryBurn:
		d.FirstTier = 4
		tx.Transfers = []chain.Transfer{{Token: true, TokenID: w.tokens, From: account}}
	}
	w.post(tx, "")
	return d.RunID
}

// void ends a run without throws as void. paid are the coins to give back.
func (w *gameWriter) void(player, id string, paid int64) {
	w.end(player, id, chain.RunVoid, 0, chain.Transfer{To: addressOf(player), Amount: paid})
}

// end ends a run without throws.
func (w *gameWriter) end(player, id string, status chain.RunStatus, tier int64, transfers ...chain.Transfer) {
	w.post(&chain.Tx{Actor: addressOf(player), Transfers: transfers,
		Data: &chain.RunEnd{Bound: player == "bob", Cleared: tier,
			RunID: id, Status: status, TranscriptHash: chain.HashTranscript([]byte(chain.EmptyTranscript))}},
		chain.EmptyTranscript)
}

// announce posts rules with another fee, more than an hour after genesis.
func (w *gameWriter) announce(number, fee int64) {
	rules := w.rules
	rules.EntryFee = fee
	w.announceRules(number, rules)
}

// trial posts the first rules, with a fee of 60, and their beginning in one block, whose time is past an hour after
// genesis by some milliseconds.
func (w *gameWriter) trial(past int64) {
	w.seal(nil)
	w.later = chain.RulesTrial + past - 1000*int64(len(w.blocks)-1) - 999
	w.announceDearer()
	w.beginRules(1)
}

// announceDearer announces the first rules, with a fee of 60.
func (w *gameWriter) announceDearer() {
	rules := w.rules
	rules.EntryFee = 60
	w.post(&chain.Tx{Data: &chain.RulesChange{Number: 1, Rules: rules}}, "")
}

// announceRules posts rules, more than an hour after genesis.
func (w *gameWriter) announceRules(number int64, rules chain.Rules) {
	if w.later < 2*chain.RulesTrial {
		w.later += 2 * chain.RulesTrial
		w.seal(nil)
	}
	w.post(&chain.Tx{Data: &chain.RulesChange{Number: number, Rules: rules}}, "")
	w.announced = number
}

// wait lets a day pass, and begins the announced rules.
func (w *gameWriter) wait() {
	w.seal(nil)
	w.later += chain.RulesNotice
	w.beginRules(w.announced)
}

// beginRules posts the beginning of rules.
func (w *gameWriter) beginRules(number int64) {
	w.post(&chain.Tx{Data: &chain.RulesBegin{Number: number}}, "")
}
