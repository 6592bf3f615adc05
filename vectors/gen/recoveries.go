package main

import (
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/chain/games"
)

// recoveredRuns are honest runs around a recovery: void ones, and one with a rotated commitment.
func recoveredRuns() []vector {
	return []vector{
		{file: "run/rotated", about: "a commitment that a recovery has rotated",
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "after", rotated: true}},
		{file: "run/void", about: "void after a win, the fee given back", make: void(run{entry: chain.EntryFee})},
		{file: "run/void-burn", about: "void, with another token of the burnt one's tier",
			make: void(run{entry: chain.EntryBurn, firstTier: 3})},
		{file: "run/void-free", about: "void, with nothing to give back", make: void(run{})},
	}
}

// void is a run that a recovery has made void.
func void(r run) *run {
	r.plan, r.end, r.clientSeed = "tw", chain.RunVoid, "honest player"
	return &r
}

// tamperedRecoveries are runs that lie about a recovery.
func tamperedRecoveries() []vector {
	end := func(change func(tx *chain.Tx)) map[string]func(*chain.Tx) {
		return map[string]func(*chain.Tx){"end": change}
	}
	lost := void(run{})
	lost.plan = "twl"
	return []vector{
		{file: "run/void-after-a-loss", about: "a run that was lost, called void", fails: "status", make: lost},
		{file: "run/void-keeps-the-fee", about: "void, and the fee is not given back", fails: "end",
			make: void(run{entry: chain.EntryFee, tx: end(func(tx *chain.Tx) { tx.Transfers = nil })})},
		{file: "run/void-gives-less", about: "void, with less than the fee given back", fails: "end",
			make: void(run{entry: chain.EntryFee, tx: end(func(tx *chain.Tx) { tx.Transfers[0].Amount-- })})},
		{file: "run/void-gives-to-another", about: "void, with the fee given to another account", fails: "end",
			make: void(run{entry: chain.EntryFee, tx: end(func(tx *chain.Tx) { tx.Transfers[0].To = addressOf("rival") })})},
		{file: "run/void-burn-other-tier", about: "void, with a token of another tier than the burnt one", fails: "end",
			make: void(run{entry: chain.EntryBurn, firstTier: 3, tx: end(func(tx *chain.Tx) { tx.Transfers[0].Tier = 4 })})},
		{file: "run/void-claimed", about: "void, and the tier that it had reached as a token", fails: "end",
			make: void(run{tx: end(func(tx *chain.Tx) {
				tx.Transfers = []chain.Transfer{{Token: true, TokenID: 12, Tier: 1, To: tx.Actor}}
			})})},
		{file: "run/rotated-to-another", about: "a rotation that publishes another commitment than the run uses",
			fails: "commitment", make: &run{plan: "wl", end: chain.RunLost, clientSeed: "after", rotated: true,
				tx: map[string]func(*chain.Tx){
					"commit": func(tx *chain.Tx) { tx.Data.(*chain.Rotate).NextCommitment = digest("another commitment") },
				}}},
		{file: "run/rotated-to-itself", about: "a rotation from the commitment that it publishes",
			fails: "commitment", make: &run{plan: "wl", end: chain.RunLost, clientSeed: "after", rotated: true,
				tx: map[string]func(*chain.Tx){
					"commit": func(tx *chain.Tx) {
						d := tx.Data.(*chain.Rotate)
						d.Commitment = d.NextCommitment
					},
				}}},
	}
}

// recoveredChains are an honest chain with a recovery and announced rules, chains that lie about them, and
// a chain with a resignation.
func recoveredChains() []chainVector {
	last := func(lie func(w *gameWriter)) func(s *gameScript) {
		return func(s *gameScript) {
			s.after = func(w *gameWriter, record *games.Record) {
				w.recover(record)
				lie(w)
			}
		}
	}
	lies := []chainVector{
		{File: "chain/rotated-twice.jsonl",
			About: "a commitment rotated twice in one recovery: a choice once the client seed is known",
			lie:   last(func(w *gameWriter) { w.rotate("ann") })},
		{File: "chain/rotated-alone.jsonl", About: "a rotation after the recovery's end",
			lie: last(func(w *gameWriter) { w.begin("ann", chain.EntryFree, 0); w.rotate("bob") })},
		{File: "chain/void-alone.jsonl", About: "a run void without a recovery",
			lie: last(func(w *gameWriter) { w.void("ann", w.begin("ann", chain.EntryFee, 50), 50) })},
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
		{File: "chain/known-commitment.jsonl", About: "a run with a commitment from before a recovery",
			lie: last(func(w *gameWriter) { w.declare(2); w.begin("ann", chain.EntryFree, 0) })},
		{File: "chain/recovery-left-out.jsonl", About: "recovery 3 after recovery 1", lie: last(func(w *gameWriter) {
			w.declare(3)
		})},
		{File: "chain/rules-at-once.jsonl", About: "a fee by rules that were announced and are not in force",
			lie: last(func(w *gameWriter) { w.announce(1, 60); w.begin("ann", chain.EntryFee, 60) })},
		{File: "chain/rules-over.jsonl", About: "a fee by rules that are not in force any more",
			lie: last(func(w *gameWriter) { w.announce(1, 60); w.wait(); w.begin("ann", chain.EntryFee, 50) })},
		{File: "chain/rules-while-others-wait.jsonl", About: "rules announced while others wait",
			lie: last(func(w *gameWriter) { w.announce(1, 60); w.announce(2, 50) })},
	}
	honest := []chainVector{
		{File: "chain/recovered.jsonl", About: "a recovery with three void runs, then rules that were announced a day before",
			Valid: true,
			lie: last(func(w *gameWriter) {
				w.announce(1, 60)
				w.begin("bob", chain.EntryFee, 50)
				w.wait()
				w.begin("ann", chain.EntryFee, 60)
			})},
		{File: "chain/resigned.jsonl", About: "a duel in which b resigns after two rounds", Valid: true,
			lie: func(s *gameScript) { s.duels[1].rounds = "rssr-q-q" }},
		{File: "chain/resigned-by-the-winner.jsonl", About: "a resignation of the side that wins by it",
			lie: func(s *gameScript) {
				s.duels[1].rounds = "rssr-q-q"
				s.duels[1].outcome = func(d *chain.DuelTranscript) { d.Winner = d.Winner.Other() }
			}},
	}
	for i := range lies {
		lies[i].Rules = true
	}
	return slices.Concat(honest, lies)
}

// recover posts a recovery after which all is as before three runs: one for bound coins, one for a token
// and a free one.
func (w *gameWriter) recover(record *games.Record) {
	w.post(&chain.Tx{Actor: addressOf("bob"), Data: &chain.Faucet{},
		Transfers: []chain.Transfer{{To: addressOf("bob"), Amount: 200}}}, "")
	paid, burnt, free := w.begin("bob", chain.EntryFee, 50), w.begin("ann", chain.EntryBurn, 0), w.begin("cy",
		chain.EntryFree, 0)
	w.seal(nil)
	w.declare(1)
	w.void("bob", paid, 50)
	w.void("ann", burnt, 0)
	w.void("cy", free, 0)
	for _, player := range []string{"ann", "bob", "cy"} {
		w.rotate(player)
	}
	w.seal(nil)
	record.Recoveries, record.Voided = 1, 3
}

// declare posts a recovery.
func (w *gameWriter) declare(number int64) {
	w.post(&chain.Tx{Data: &chain.Recovery{Number: number}}, "")
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

// void ends a run without throws as void. paid are the coins to give back; ann's run without any gives a
// token back.
func (w *gameWriter) void(player, id string, paid int64) {
	tier := int64(0)
	if player == "ann" && paid == 0 {
		tier = 4
	}
	back := []chain.Transfer{{To: addressOf(player), Amount: paid}}
	switch {
	case tier > 0:
		w.tokens++
		back[0] = chain.Transfer{Token: true, TokenID: w.tokens, Tier: tier, To: addressOf(player)}
	case paid == 0:
		back = nil
	}
	w.end(player, id, chain.RunVoid, tier, back...)
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

// announceRules posts rules, more than an hour after genesis.
func (w *gameWriter) announceRules(number int64, rules chain.Rules) {
	if w.later < 2*chain.RulesTrial {
		w.later += 2 * chain.RulesTrial
		w.seal(nil)
	}
	w.post(&chain.Tx{Data: &chain.RulesChange{Number: number, Rules: rules}}, "")
}

// wait lets a day pass.
func (w *gameWriter) wait() {
	w.seal(nil)
	w.later += chain.RulesNotice
}
