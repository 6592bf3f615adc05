package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/verify"
)

// duel is the script of a duel. A duel with rounds alone is honest, without a stake and not rated.
type duel struct {
	// rounds has two letters for each round, the actions of a and of b: r, p and s committed to
	// that move and revealed it, x committed and did not reveal, - did not commit, q resigned. When a
	// side has resigned, the other letter is -. == are equal commitments.
	rounds string
	// stake is in coins, 0 for none.
	stake int64
	rated bool
	// recovery is what the recovery that makes the duel void states, and crossed what one states after which the duel
	// goes on; nil for none.
	recovery, crossed *chain.Recovery
	// place overrides the heights of stake_a, stake_b and settle; -1 is no block.
	place map[string]int

	// The rest tampers with the duel, as in run. editRounds changes the rounds before the score is
	// computed, outcome the transcript after the winner is.
	tx            map[string]func(*chain.Tx)
	raw           map[string]func(string) string
	editRounds    func([]chain.DuelRound)
	outcome       func(d *chain.DuelTranscript)
	transcriptRaw func(string) string
	note          func(h *house) string
	proof         func(p object)
	text          func(string) string
}

const duelID = "K7M2Q9XA"

// make plays the duel and returns its proof as a file.
func (d *duel) make(name string) []byte {
	h := newHouse()
	doc := chain.DuelTranscript{A: addressOf("player"), B: addressOf("rival"), DuelID: duelID, Stake: d.stake}
	for i := 0; i+1 < len(d.rounds); i += 2 {
		doc.Rounds = append(doc.Rounds, round(name, i/2+1, d.rounds[i:i+2]))
	}
	if d.editRounds != nil {
		d.editRounds(doc.Rounds)
	}
	wins, decided := count(doc.Rounds)
	if wins.A == 3 {
		doc.Winner = game.A
	} else if wins.B == 3 {
		doc.Winner = game.B
	}
	if d.outcome != nil {
		d.outcome(&doc)
	}
	transcriptRaw := string(doc.Raw())
	if d.transcriptRaw != nil {
		transcriptRaw = d.transcriptRaw(transcriptRaw)
	}

	status := map[bool]string{true: "finished", false: "active"}[decided]
	if d.recovery != nil {
		status = "void"
	}
	posts := d.post(h, d.txs(&doc, transcriptRaw, decided))
	h.seal()
	p := object{
		"format": "roshambo/duel-proof/v1", "duel_id": duelID, "a": doc.A.String(), "b": doc.B.String(),
		"status": status, "wins": object{"a": wins.A, "b": wins.B},
		"winner": orNull(strings.TrimPrefix(doc.Winner.String(), "none")), "transcript": object{"raw": transcriptRaw},
		"stake_a": nil, "stake_b": nil, "settle": nil, "recovery": nil, "kept": nil,
		"verifier_key": verifierKey(h.name, h.key), "checkpoint": sign(h.head(), h.name, h.key),
	}
	for name, tx := range posts {
		p[name] = h.anchored(tx)
	}
	p["kept"] = h.keptBefore(posts["recovery"])
	if d.note != nil {
		p["checkpoint"] = orNull(d.note(h))
	}
	if d.proof != nil {
		d.proof(p)
	}
	return encode(p, d.text)
}

// round plays one round. The salts are digests of vector, round and side.
func round(name string, n int, actions string) chain.DuelRound {
	r := chain.DuelRound{N: n}
	for i := range r.Hands {
		if actions[i] == '-' || actions[i] == 'q' {
			continue
		}
		hand := &r.Hands[i]
		move := map[byte]game.Move{'p': game.Paper, 's': game.Scissors}[actions[i]] // x and = committed to rock
		salt := fmt.Sprintf("%x", digest(fmt.Sprintf("salt/%s/%d/%d", name, n, i)))[:16]
		hand.Committed, hand.Commitment = true, sha256.Sum256([]byte(move.String()+":"+salt))
		// A side reveals only when both committed.
		if actions[i] != 'x' && actions[1-i] != '-' {
			hand.HasMove, hand.Move, hand.HasSalt, hand.Salt = true, move, true, salt
		}
	}
	if r.Forfeit, r.Outcome = judge(actions); actions == "==" {
		for i := range r.Hands {
			r.Hands[i] = chain.DuelHand{Committed: true, Commitment: r.Hands[0].Commitment}
		}
	}
	return r
}

// judge returns the forfeiter and the outcome of a round, by a table independent of the verifiers.
func judge(actions string) (forfeit, outcome game.Side) {
	switch actions {
	case "rs", "pr", "sp":
		return game.NoSide, game.A
	case "sr", "rp", "ps":
		return game.NoSide, game.B
	case "rr", "pp", "ss":
		return game.NoSide, game.Tied
	case "--", "xx":
		return game.Both, game.Void
	case "==":
		return game.NoSide, game.Void
	}
	switch {
	case actions[0] == 'q':
		return game.A, game.B
	case actions[1] == 'q':
		return game.B, game.A
	}
	if actions[0] == '-' || actions[0] == 'x' && actions[1] != '-' {
		return game.A, game.B
	}
	return game.B, game.A
}

// count returns the rounds won by each side and reports whether the duel is over, independently of
// game.BestOfFive.
func count(rounds []chain.DuelRound) (wins verify.Score, over bool) {
	void := 0
	for _, r := range rounds {
		switch r.Outcome {
		case game.A:
			wins.A++
		case game.B:
			wins.B++
		}
		if void++; r.Forfeit != game.Both {
			void = 0
		}
		over = over || wins.A >= 3 || wins.B >= 3 || void == 2 || r.N == 60
	}
	return wins, over
}

// txs returns the transactions of the duel by name: two stakes, and the settlement of a decided or void
// duel.
func (d *duel) txs(doc *chain.DuelTranscript, transcriptRaw string, decided bool) map[string]*chain.Tx {
	txs, escrow := map[string]*chain.Tx{}, chain.Escrow(duelID)
	if d.stake > 0 {
		for name, side := range map[string]chain.Address{"stake_a": doc.A, "stake_b": doc.B} {
			txs[name] = &chain.Tx{
				Actor: side, Nonce: 4, Time: firstTime + 1500, Data: &chain.DuelStake{DuelID: duelID},
				Transfers: []chain.Transfer{{From: side, To: escrow, Amount: d.stake}},
			}
		}
	}
	if recovery := cmp.Or(d.recovery, d.crossed); recovery != nil {
		data := *recovery
		txs["recovery"] = &chain.Tx{Time: firstTime + 6400, Data: &data}
	}
	if d.recovery == nil && !decided {
		return txs
	}
	settle := &chain.Tx{Time: firstTime + 6500, Data: &chain.DuelSettle{
		A:              doc.A,
		B:              doc.B,
		DuelID:         duelID,
		Rated:          d.rated,
		Void:           d.recovery != nil,
		TranscriptHash: chain.HashTranscript([]byte(transcriptRaw)),
		Winner:         strings.TrimPrefix(doc.Winner.String(), "none"),
	}}
	switch {
	case d.stake == 0:
	case doc.Winner == game.A:
		settle.Transfers = []chain.Transfer{{From: escrow, To: doc.A, Amount: 2 * d.stake}}
	case doc.Winner == game.B:
		settle.Transfers = []chain.Transfer{{From: escrow, To: doc.B, Amount: 2 * d.stake}}
	default:
		settle.Transfers = []chain.Transfer{{From: escrow, To: doc.A, Amount: d.stake},
			{From: escrow, To: doc.B, Amount: d.stake}}
	}
	txs["settle"] = settle
	return txs
}

// post tampers with the transactions and posts them into their blocks.
func (d *duel) post(h *house, txs map[string]*chain.Tx) map[string]*postedTx {
	p := txPlacer{
		names:    []string{"stake_a", "stake_b", "recovery", "settle"},
		defaults: map[string]int{"stake_a": 1, "stake_b": 3, "recovery": 6, "settle": 6},
		place:    d.place, tx: d.tx, raw: d.raw,
	}
	return p.post(h, txs)
}
