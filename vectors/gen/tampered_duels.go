package main

import (
	"crypto/sha256"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/game"
)

// duels are honest duels of every shape.
func duels() []vector {
	offChain := "transactions checkpoint end payout"
	return []vector{
		// Outcomes of a duel with and without stake and rating.
		{file: "duel/staked", about: "three to one, with a tie, for 100 coins", make: staked(duel{})},
		{file: "duel/staked-lost", about: "b wins three to two, rated",
			make: &duel{rounds: "rspsrrrspssr", stake: 2_000_000_000, rated: true}},
		{file: "duel/rated", about: "rated, without a stake", make: &duel{rounds: "rsrsrs", rated: true}},
		{file: "duel/spar", about: "neither staked nor rated: the settlement alone is on the chain",
			make: &duel{rounds: "srrpps"}},
		// Duels that go on.
		{file: "duel/active", about: "two rounds played, without a stake", notes: offChain, unpinned: true, pending: true,
			make: &duel{rounds: "srrr"}},
		{file: "duel/active-staked", about: "one round played, the stakes in escrow", notes: "checkpoint end payout",
			unpinned: true, pending: true, make: &duel{rounds: "sr", stake: 7}},
		{file: "duel/no-round-yet", about: "joined, nothing played", notes: offChain, unpinned: true, pending: true,
			make: &duel{}},
		// Ends other than by an early third win.
		{file: "duel/draw", about: "60 rounds without three wins: the stakes go back",
			make: &duel{rounds: strings.Repeat("rr", 60), stake: 5}},
		{file: "duel/won-in-the-last-round", about: "decided in the sixtieth round",
			make: &duel{rounds: strings.Repeat("pp", 57) + "prprpr", stake: 5}},
		{file: "duel/forfeited", about: "rounds forfeited: no commitment, no reveal, and both missing once",
			notes: "outcomes",
			make:  &duel{rounds: "rsr--p--xsrrxxx-", stake: 50}},
		{file: "duel/void", about: "two rounds running that both missed: nobody wins, though a leads", notes: "outcomes",
			make: &duel{rounds: "rsrs--xx", stake: 50}},
		{file: "duel/commitments-equal", about: "two rounds running in which both sides have one commitment are void, and replayed",
			notes: "commitments", make: &duel{rounds: "rs====rsrs", stake: 50}},
		{file: "duel/commitments-equal-between", about: "a round with one commitment between two that both missed",
			notes: "commitments outcomes", make: &duel{rounds: "rs--==--rsrs", stake: 50}},
		{file: "duel/commitments-equal-sixty", about: "60 rounds in which both sides have one commitment: the stakes go back",
			notes: "commitments", make: &duel{rounds: strings.Repeat("==", 60), stake: 5}},
		{file: "duel/commitment-repeated", about: "a side commits to the same hash in two rounds",
			make: &duel{rounds: "rsrsrs", stake: 50, editRounds: func(r []chain.DuelRound) { r[1].Hands[0] = r[0].Hands[0] }}},
		{file: "duel/salt-longest", about: "a salt of 512 bytes, in 256 characters",
			make: &duel{rounds: "rsrsrs", stake: 50, editRounds: func(r []chain.DuelRound) {
				resalt(&r[0].Hands[0], strings.Repeat("ä", 256))
			}}},
		{file: "duel/resigned", about: "b resigns with two rounds lost and one won", notes: "outcomes",
			make: &duel{rounds: "rssrrs-q", stake: 50}},
		{file: "duel/resigned-at-once", about: "a resigns before the first round is played", notes: "outcomes",
			make: &duel{rounds: "q-q-q-", stake: 50}},
		// Positions in the chain, and texts at the edge of UTF-8.
		{file: "duel/unsealed", about: "nothing is in a block yet", notes: "inclusion checkpoint order",
			unpinned: true, pending: true,
			make: &duel{rounds: "rsrsrs", stake: 50, place: map[string]int{"stake_a": -1, "stake_b": -1, "settle": -1},
				note: noNote}},
		{file: "duel/b-staked-first", about: "the stakes the other way round",
			make: &duel{rounds: "rsrsrs", stake: 50, place: map[string]int{"stake_a": 4, "stake_b": 2}}},
		{file: "duel/unicode", about: "salts beyond ASCII, with colons",
			make: &duel{rounds: "rsrsrs", stake: 50, editRounds: func(rounds []chain.DuelRound) {
				for i, salt := range []string{"sält: 🧂", "\x00\u2028\"\\", ""} {
					resalt(&rounds[i].Hands[0], salt)
				}
			}}},
	}
}

// staked is a duel that a wins three to one, for 100 coins, the base of most tampered duels.
func staked(d duel) *duel {
	d.rounds, d.stake = "rsrrsrsppr", 100
	return &d
}

// resalt sets another salt and the commitment that it gives.
func resalt(h *chain.DuelHand, salt string) {
	h.Salt, h.Commitment = salt, sha256.Sum256([]byte(h.Move.String()+":"+salt))
}

// onSettle, onStake, onRounds and onDuel tamper with one part of the staked duel: the settlement, a's
// stake, the rounds or the proof.
func onSettle(change func(tx *chain.Tx, data *chain.DuelSettle)) *duel {
	return staked(
		duel{tx: map[string]func(*chain.Tx){"settle": func(tx *chain.Tx) { change(tx, tx.Data.(*chain.DuelSettle)) }}})
}

func onStake(change func(tx *chain.Tx)) *duel {
	return staked(duel{tx: map[string]func(*chain.Tx){"stake_a": change}})
}

func onRounds(change func(rounds []chain.DuelRound)) *duel { return staked(duel{editRounds: change}) }

func onDuel(change func(p object)) *duel { return staked(duel{proof: change}) }

// tamperedDuels are duels with one tampered value.
func tamperedDuels() []vector {
	return slices.Concat(inventedDuels(), tamperedRounds(), tamperedHands(), tamperedResignations(), tamperedSettles(),
		tamperedStakes(),
		brokenDuels())
}

// inventedDuels are consistent in themselves and have no settlement on the chain.
func inventedDuels() []vector {
	unsettled := func(p object) { p["settle"] = nil }
	return []vector{
		{file: "duel/invented", about: "a key is pinned, and a duel that goes on has no transaction", fails: "checkpoint",
			notes: "transactions end payout", pending: true, make: &duel{rounds: "srrr"}},
		{file: "duel/invented-without-a-checkpoint", fails: "checkpoint", notes: "transactions end payout", pending: true,
			about: "a key is pinned, and a duel that goes on has neither a transaction nor a checkpoint",
			make:  &duel{rounds: "srrr", note: noNote}},
		{file: "duel/invented-with-a-witness", about: "a witness is required, and a duel that goes on has no transaction",
			fails: "witnesses", notes: "transactions checkpoint end payout", unpinned: true, pending: true,
			witnesses: []string{first.verifierKey()}, make: &duel{rounds: "srrr",
				note: func(h *house) string { return sign(h.head(), h.name, h.key) + first.cosign(h.head(), cosignTime) }}},
		{file: "duel/invented-finished", about: "a finished duel without any transaction", fails: "end",
			notes: "transactions checkpoint payout", unpinned: true, pending: true,
			make: &duel{rounds: "srrpps", proof: unsettled}},
		{file: "duel/invented-finished-pinned", about: "a key is pinned, and a finished duel has no transaction",
			fails: "checkpoint end", notes: "transactions payout", pending: true,
			make: &duel{rounds: "srrpps", proof: unsettled}},
		{file: "duel/pinned-unsealed", about: "a key is pinned, and nothing is in a block yet", fails: "checkpoint",
			notes: "inclusion order", pending: true, make: &duel{rounds: "rsrsrs", stake: 50,
				place: map[string]int{"stake_a": -1, "stake_b": -1, "settle": -1}, note: noNote}},
		{file: "duel/pinned-active-staked", about: "a key is pinned, the stakes are in escrow, and the duel goes on",
			fails: "checkpoint", notes: "end payout", pending: true, make: &duel{rounds: "sr", stake: 7}},
	}
}

// tamperedResignations are duels with a resignation that is none.
func tamperedResignations() []vector {
	return []vector{
		{file: "duel/resigned-and-played-on", about: "a round is played after a side had resigned", fails: "outcomes",
			make: &duel{rounds: "q-rsrsrs", stake: 9}},
		{file: "duel/resigned-by-turns", about: "one side resigns, then the other", fails: "outcomes",
			make: &duel{rounds: "q--qq-q-", stake: 9}},
		{file: "duel/resigned-for-the-other", about: "the side that resigned is said to have won", fails: "outcomes",
			make: &duel{rounds: "rs-q-q-q", stake: 9,
				editRounds: func(r []chain.DuelRound) { r[1].Outcome = game.B }}},
		{file: "duel/resigned-with-a-commitment", about: "a side said to have resigned, which alone had committed",
			fails: "outcomes",
			make: &duel{rounds: "rsrsr-rs", stake: 9,
				editRounds: func(r []chain.DuelRound) { r[2].Forfeit, r[2].Outcome = game.A, game.B }}},
	}
}

// tamperedRounds change rounds, the score, the winner or the status.
func tamperedRounds() []vector {
	return []vector{
		// Reveals that do not match their commitments, and copied commitments.
		{file: "duel/move-changed", about: "a move that the salt does not fit", fails: "commitments outcomes",
			make: onRounds(func(r []chain.DuelRound) { r[0].Hands[1].Move = game.Paper })},
		{file: "duel/move-and-outcome-changed", about: "a move that the salt does not fit, with the outcome it would have",
			fails: "commitments", make: onRounds(func(r []chain.DuelRound) {
				r[1].Hands[1].Move, r[1].Outcome = game.Paper, game.B
			})},
		{file: "duel/salt-changed", about: "a salt that the commitment does not fit", fails: "commitments",
			make: onRounds(func(r []chain.DuelRound) { r[2].Hands[0].Salt += "x" })},
		{file: "duel/commitment-changed", about: "a commitment that nothing fits", fails: "commitments",
			make: onRounds(func(r []chain.DuelRound) { r[2].Hands[0].Commitment = digest("x") })},
		{file: "duel/commitment-copied", about: "b copied the commitment of a, and then the reveal",
			fails: "commitments outcomes", make: onRounds(func(r []chain.DuelRound) { r[1].Hands[1] = r[1].Hands[0] })},
		{file: "duel/move-without-salt", about: "a move without its salt", fails: "commitments",
			make: onRounds(func(r []chain.DuelRound) { r[1].Hands[0].HasSalt = false })},
		{file: "duel/salt-without-move", about: "a salt without its move", fails: "commitments outcomes",
			make: onRounds(func(r []chain.DuelRound) { r[1].Hands[0].HasMove = false })},
		{file: "duel/revealed-too-early", about: "b revealed though a had not committed", fails: "commitments",
			notes: "outcomes", make: onRounds(func(r []chain.DuelRound) {
				r[1].Hands[0], r[1].Forfeit, r[1].Outcome = chain.DuelHand{}, game.A, game.B
			})},
		// Outcomes and forfeits.
		{file: "duel/outcome-changed", about: "a tie that is said to be won", fails: "outcomes",
			make: onRounds(func(r []chain.DuelRound) { r[1].Outcome = game.B })},
		{file: "duel/outcome-void", about: "a round that was played, said to be void", fails: "outcomes",
			make: onRounds(func(r []chain.DuelRound) { r[1].Outcome = game.Void })},
		{file: "duel/forfeit-of-who-revealed", about: "said to have forfeited, yet everything is there", fails: "outcomes",
			make: onRounds(func(r []chain.DuelRound) { r[1].Forfeit, r[1].Outcome = game.A, game.B })},
		{file: "duel/forfeit-not-said", about: "nobody said to have forfeited, yet a commitment is missing",
			fails: "outcomes",
			make:  &duel{rounds: "r-rsrs", stake: 9, editRounds: func(r []chain.DuelRound) { r[0].Forfeit = game.NoSide }}},
		{file: "duel/forfeit-of-the-other", about: "the wrong side said to have forfeited", fails: "outcomes",
			make: &duel{rounds: "rxrsrsrs", stake: 9,
				editRounds: func(r []chain.DuelRound) { r[0].Forfeit, r[0].Outcome = game.A, game.B }}},
		{file: "duel/forfeit-of-both", about: "both said to have forfeited, where one did", fails: "outcomes",
			make: &duel{rounds: "rxrsrsrs", stake: 9,
				editRounds: func(r []chain.DuelRound) { r[0].Forfeit, r[0].Outcome = game.Both, game.Void }}},
		// Scores, and rounds after the end.
		{file: "duel/score-changed", about: "a score that the rounds do not give", fails: "score",
			make: onDuel(func(p object) { p["wins"] = object{"a": 3, "b": 0} })},
		{file: "duel/score-swapped", about: "the score of the other side", fails: "score",
			make: onDuel(func(p object) { p["wins"] = object{"a": 1, "b": 3} })},
		{file: "duel/on-after-three-wins", about: "a round after the third win", fails: "score winner",
			make: &duel{rounds: "rsrsrssr", stake: 9}},
		{file: "duel/on-after-two-voids", about: "a round after two void ones running", fails: "score winner",
			notes: "outcomes", make: &duel{rounds: "----rsrsrs", stake: 9}},
		{file: "duel/on-after-sixty", about: "a sixty-first round", fails: "score winner",
			make: &duel{rounds: strings.Repeat("rr", 61), stake: 9}},
		// Winners and statuses.
		{file: "duel/winner-changed", about: "the other side said to have won, on the chain as well", fails: "winner",
			make: staked(duel{outcome: func(d *chain.DuelTranscript) { d.Winner = game.B }})},
		{file: "duel/winner-nobody", about: "said to be a draw, on the chain as well", fails: "winner",
			make: staked(duel{outcome: func(d *chain.DuelTranscript) { d.Winner = game.NoSide }})},
		{file: "duel/winner-of-the-proof", about: "another winner in the proof than in the transcript",
			fails: "winner end payout", make: onDuel(func(p object) { p["winner"] = "b" })},
		{file: "duel/winner-too-early", about: "a winner after two wins", fails: "winner",
			notes: "transactions checkpoint end payout", unpinned: true, pending: true,
			make: &duel{rounds: "rsrs", outcome: func(d *chain.DuelTranscript) { d.Winner = game.A }}},
		{file: "duel/finished-too-early", about: "said to be finished after two wins", fails: "winner end",
			notes: "checkpoint payout", unpinned: true, pending: true,
			make: &duel{rounds: "rsrs", stake: 9, proof: func(p object) { p["status"] = "finished" }}},
		{file: "duel/active-after-the-end", about: "said to go on after the third win", fails: "winner end",
			make: onDuel(func(p object) { p["status"] = "active" })},
	}
}

// tamperedHands are rounds with equal commitments that are said to be something else, and a long salt.
func tamperedHands() []vector {
	return []vector{
		{file: "duel/salt-too-long", about: "a salt of 513 bytes, in fewer characters", fails: "commitments",
			make: onRounds(func(r []chain.DuelRound) { resalt(&r[0].Hands[0], strings.Repeat("ä", 256)+"s") })},
		{file: "duel/commitments-equal-missed", about: "one commitment of both sides, said to be missed by both",
			fails: "outcomes", notes: "commitments", make: &duel{rounds: "rs==rsrs", stake: 50,
				editRounds: func(r []chain.DuelRound) { r[1].Forfeit = game.Both }}},
		{file: "duel/commitments-equal-tied", about: "one commitment of both sides, said to be a tie", fails: "outcomes",
			notes: "commitments", make: &duel{rounds: "rs==rsrs", stake: 50,
				editRounds: func(r []chain.DuelRound) { r[1].Outcome = game.Tied }}},
		{file: "duel/commitments-equal-salted", about: "one commitment of both sides, and a salt without a move",
			fails: "commitments", make: &duel{rounds: "rs==rsrs", stake: 50,
				editRounds: func(r []chain.DuelRound) { r[1].Hands[1].HasSalt, r[1].Hands[1].Salt = true, "s" }}},
	}
}

// tamperedSettles change the settlement or the payout.
func tamperedSettles() []vector {
	return []vector{
		// The content of the settlement.
		{file: "duel/settle-missing", about: "finished with a stake, and no settlement", fails: "end",
			notes: "checkpoint payout", unpinned: true, pending: true,
			make: onDuel(func(p object) { p["settle"] = nil })},
		{file: "duel/settle-of-another-duel", about: "the settlement of another duel", fails: "end",
			make: onSettle(func(_ *chain.Tx, d *chain.DuelSettle) { d.DuelID = "AAAAAAAA" })},
		{file: "duel/settle-of-other-sides", about: "a settlement that names another side", fails: "end",
			make: onSettle(func(_ *chain.Tx, d *chain.DuelSettle) { d.B = addressOf("somebody else") })},
		{file: "duel/settle-for-nobody", about: "a settlement as if nobody had joined", fails: "end",
			make: onSettle(func(_ *chain.Tx, d *chain.DuelSettle) { d.B = chain.Address{} })},
		{file: "duel/settle-for-the-other", about: "another winner on the chain than in the transcript", fails: "end",
			make: onSettle(func(_ *chain.Tx, d *chain.DuelSettle) { d.Winner = "b" })},
		{file: "duel/settle-as-a-draw", about: "a draw on the chain", fails: "end",
			make: onSettle(func(_ *chain.Tx, d *chain.DuelSettle) { d.Winner = "" })},
		{file: "duel/settle-pins-another-transcript", about: "another transcript's hash on the chain", fails: "end",
			make: onSettle(func(_ *chain.Tx, d *chain.DuelSettle) { d.TranscriptHash = digest("x") })},
		{file: "duel/settle-by-a-side", about: "a settlement that a side acts in", fails: "end",
			make: onSettle(func(tx *chain.Tx, d *chain.DuelSettle) { tx.Actor, tx.Nonce = d.A, 5 })},
		{file: "duel/settle-with-a-nonce", about: "a settlement with a nonce", fails: "end",
			make: onSettle(func(tx *chain.Tx, _ *chain.DuelSettle) { tx.Nonce = 1 })},
		// The payout.
		{file: "duel/paid-to-the-loser", about: "the stakes paid to the other side", fails: "payout",
			make: onSettle(func(tx *chain.Tx, d *chain.DuelSettle) { tx.Transfers[0].To = d.B })},
		{file: "duel/paid-too-little", about: "the winner paid one stake only", fails: "payout",
			make: onSettle(func(tx *chain.Tx, _ *chain.DuelSettle) { tx.Transfers[0].Amount = 100 })},
		{file: "duel/paid-nothing", about: "nothing paid", fails: "payout",
			make: onSettle(func(tx *chain.Tx, _ *chain.DuelSettle) { tx.Transfers = nil })},
		{file: "duel/paid-from-elsewhere", about: "paid from another escrow", fails: "payout",
			make: onSettle(func(tx *chain.Tx, _ *chain.DuelSettle) { tx.Transfers[0].From = chain.Escrow("AAAAAAAA") })},
		{file: "duel/paid-without-a-stake", about: "a duel without a stake that pays", fails: "payout",
			make: &duel{rounds: "rsrsrs", rated: true, tx: map[string]func(*chain.Tx){"settle": func(tx *chain.Tx) {
				tx.Transfers = []chain.Transfer{{From: chain.Escrow(duelID), To: addressOf("player"), Amount: 200}}
			}}}},
		{file: "duel/draw-paid-to-one", about: "a draw whose stakes go to one side", fails: "payout",
			make: &duel{rounds: "----", stake: 100,
				tx: map[string]func(*chain.Tx){
					"settle": func(tx *chain.Tx) { tx.Transfers[1].To = tx.Transfers[0].To }}}, notes: "outcomes"},
	}
}

// tamperedStakes change the stakes, positions in the chain, an inclusion proof or the key.
func tamperedStakes() []vector {
	return []vector{
		// The stakes.
		{file: "duel/stake-missing", about: "no stake of one side", fails: "payout",
			make: onDuel(func(p object) { p["stake_b"] = nil })},
		{file: "duel/stake-without-a-stake", about: "a stake in a duel that has none", fails: "payout",
			make: staked(duel{outcome: func(d *chain.DuelTranscript) { d.Stake = 0 },
				tx: map[string]func(*chain.Tx){
					"settle": func(tx *chain.Tx) { tx.Transfers, tx.Data.(*chain.DuelSettle).Rated = nil, true }}})},
		{file: "duel/stake-of-another-duel", about: "a stake of another duel", fails: "payout",
			make: onStake(func(tx *chain.Tx) { tx.Data = &chain.DuelStake{DuelID: "AAAAAAAA"} })},
		{file: "duel/stake-of-another-side", about: "a stake by somebody else", fails: "payout",
			make: onStake(func(tx *chain.Tx) { tx.Actor = addressOf("somebody else") })},
		{file: "duel/stake-too-small", about: "a stake smaller than the transcript says", fails: "payout",
			make: onStake(func(tx *chain.Tx) { tx.Transfers[0].Amount = 99 })},
		{file: "duel/stake-elsewhere", about: "a stake that does not go into escrow", fails: "payout",
			make: onStake(func(tx *chain.Tx) { tx.Transfers[0].To = addressOf("somebody else") })},
		{file: "duel/stake-twice", about: "one side's stake for both", fails: "payout",
			make: onDuel(func(p object) { p["stake_b"] = p["stake_a"] })},
		// Positions, proofs and keys, as for runs.
		{file: "duel/stake-after-settle", about: "a stake paid in after the end", fails: "order",
			make: staked(duel{place: map[string]int{"stake_b": 7}})},
		{file: "duel/stake-still-waits", about: "a settlement in a block while a stake waits for one", fails: "order",
			notes: "inclusion checkpoint", unpinned: true, pending: true,
			make: staked(duel{place: map[string]int{"stake_a": -1}})},
		{file: "duel/settle-not-in-block", about: "a settlement that is not in its block", fails: "inclusion",
			make: onDuel(func(p object) { p["settle"].(object)["index"] = 0 })},
		{file: "duel/key-is-not-the-pinned-one", about: "signed by a key that is not the pinned one", fails: "checkpoint",
			key: verifierKey("roshambo-vectors-1", keyOf("other")), make: staked(duel{})},
		{file: "duel/stake-changed", about: "a stake changed after it was hashed", fails: "transactions",
			notes: "inclusion checkpoint order commitments outcomes score winner end payout", make: onDuel(func(p object) {
				tx := p["stake_a"].(object)
				tx["raw"] = sub(`"amount":100`, `"amount":10`)(tx["raw"].(string))
			})},
	}
}

// brokenDuels fail the format check.
func brokenDuels() []vector {
	list := []vector{
		// Transcripts that differ from the proof around them.
		{file: "duel/one-side-twice", about: "a duel against oneself",
			make: &duel{rounds: "rsrsrs", outcome: func(d *chain.DuelTranscript) { d.B = d.A }}},
		{file: "duel/transcript-of-another-duel", about: "the transcript of another duel",
			make: staked(duel{outcome: func(d *chain.DuelTranscript) { d.DuelID = "AAAAAAAA" }})},
		{file: "duel/transcript-of-other-sides", about: "a transcript that names another side",
			make: onDuel(func(p object) { p["b"] = addressOf("somebody else").String() })},
		{file: "duel/sides-swapped", about: "a and b exchanged in the proof",
			make: onDuel(func(p object) { p["a"], p["b"] = p["b"], p["a"] })},
		{file: "duel/numbers-skip", about: "rounds numbered 1, 3, …",
			make: onRounds(func(r []chain.DuelRound) { r[1].N = 3 })},
		// Transcripts that are not canonical.
		{file: "duel/transcript-with-space", about: "a space in the transcript",
			make: staked(duel{transcriptRaw: sub(`,"winner"`, `, "winner"`)})},
		{file: "duel/transcript-with-more", about: "a member too many in a round",
			make: staked(duel{transcriptRaw: sub(`"n":1`, `"n":1,"nn":1`)})},
		{file: "duel/transcript-without-salt", about: "a round without the member salt_b",
			make: staked(duel{transcriptRaw: func(s string) string {
				at := strings.Index(s, `,"salt_b":`)
				return s[:at] + s[at+strings.Index(s[at:], "}"):]
			}})},
		{file: "duel/transcript-with-negative-stake", about: "a negative stake",
			make: staked(duel{transcriptRaw: sub(`"stake":100`, `"stake":-100`)})},
		{file: "duel/transcript-with-unknown-winner", about: "a winner that is no side",
			make: staked(duel{transcriptRaw: sub(`"winner":"a"`, `"winner":"c"`)})},
		{file: "duel/transcript-a-list", about: "a list for the transcript",
			make: staked(duel{transcriptRaw: func(string) string { return "[]" }})},
		// Members of the proof of the wrong shape.
		{file: "duel/winner-unknown", about: "a winner that is no side, in the proof",
			make: onDuel(func(p object) { p["winner"] = "both" })},
		{file: "duel/wins-a-list", about: "a list for the score", make: onDuel(func(p object) { p["wins"] = []int{3, 1} })},
		{file: "duel/wins-negative", about: "a negative score",
			make: onDuel(func(p object) { p["wins"] = object{"a": 3, "b": -1} })},
		{file: "duel/settle-a-text", about: "a text for the settlement",
			make: onDuel(func(p object) { p["settle"] = "anchored" })},
		{file: "duel/without-stake-a", about: "the member stake_a missing",
			make: onDuel(func(p object) { delete(p, "stake_a") })},
		{file: "duel/format-of-a-run", about: "a duel that says it is a run",
			make: onDuel(func(p object) { p["format"] = "roshambo/run-proof/v1" })},
	}
	for i := range list {
		list[i].fails = "format"
	}
	return list
}
