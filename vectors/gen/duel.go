package main

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/verify"
)

// duel is the script of a duel. The zero value but for rounds is an honest duel
// without a stake, not rated.
type duel struct {
	// rounds are two letters for each round, what a and what b did: r, p, s
	// showed that move, x committed and never showed, - never committed.
	rounds  string
	stake   int64
	rated   bool
	place   map[string]int // blocks of stake_a, stake_b and settle; -1 for none
	tx      map[string]func(*chain.Tx)
	raw     map[string]func(string) string
	retell  func([]chain.DuelRound)       // changes the rounds
	outcome func(d *chain.DuelTranscript) // changes the transcript, after the winner is known
	spoken  func(string) string           // changes the transcript's raw
	note    func(h *house) string
	proof   func(p object)
	text    func(string) string
}

const duelID = "K7M2Q9XA"

// make plays the duel and returns its proof as a file.
func (d *duel) make(name string) []byte {
	h := newHouse()
	said := chain.DuelTranscript{A: addressOf("player"), B: addressOf("rival"), DuelID: duelID, Stake: d.stake}
	for i := 0; i+1 < len(d.rounds); i += 2 {
		said.Rounds = append(said.Rounds, round(name, i/2+1, d.rounds[i:i+2]))
	}
	if d.retell != nil {
		d.retell(said.Rounds)
	}
	wins, decided := count(said.Rounds)
	if wins.A == 3 {
		said.Winner = game.A
	} else if wins.B == 3 {
		said.Winner = game.B
	}
	if d.outcome != nil {
		d.outcome(&said)
	}
	spoken := string(said.Raw())
	if d.spoken != nil {
		spoken = d.spoken(spoken)
	}

	posts := d.post(h, d.txs(&said, spoken, decided))
	h.seal()
	p := object{
		"format": "roshambo/duel-proof/v1", "duel_id": duelID, "a": said.A.String(), "b": said.B.String(),
		"status": map[bool]string{true: "finished", false: "active"}[decided], "wins": object{"a": wins.A, "b": wins.B},
		"winner": orNull(strings.TrimPrefix(said.Winner.String(), "none")), "transcript": object{"raw": spoken},
		"stake_a": nil, "stake_b": nil, "settle": nil,
		"verifier_key": verifierKey(h.name, h.key), "checkpoint": sign(h.head(), h.name, h.key),
	}
	for name, tx := range posts {
		p[name] = h.anchored(tx)
	}
	if d.note != nil {
		p["checkpoint"] = orNull(d.note(h))
	}
	if d.proof != nil {
		d.proof(p)
	}
	return finish(p, d.text)
}

// round plays one round. Salts are made from the names of things.
func round(name string, n int, did string) chain.DuelRound {
	r := chain.DuelRound{N: n}
	for i := range r.Hands {
		if did[i] == '-' {
			continue
		}
		hand := &r.Hands[i]
		move := map[byte]game.Move{'r': game.Rock, 'p': game.Paper, 's': game.Scissors, 'x': game.Rock}[did[i]]
		salt := fmt.Sprintf("%x", digest(fmt.Sprintf("salt/%s/%d/%d", name, n, i)))[:16]
		hand.Committed, hand.Commitment = true, sha256.Sum256([]byte(move.String()+":"+salt))
		if did[i] != 'x' && did[1-i] != '-' {
			hand.HasMove, hand.Move, hand.HasSalt, hand.Salt = true, move, true, salt
		}
	}
	r.Forfeit, r.Outcome = judge(did)
	return r
}

// judge says who forfeited a round and what its outcome is, from a table that is
// no verifier's.
func judge(did string) (forfeit, outcome game.Side) {
	switch did {
	case "rs", "pr", "sp":
		return game.NoSide, game.A
	case "sr", "rp", "ps":
		return game.NoSide, game.B
	case "rr", "pp", "ss":
		return game.NoSide, game.Tied
	case "--", "xx":
		return game.Both, game.Void
	}
	if did[0] == '-' || did[0] == 'x' && did[1] != '-' {
		return game.A, game.B
	}
	return game.B, game.A
}

// count counts the rounds won, and says whether the duel is over.
func count(rounds []chain.DuelRound) (wins verify.Score, over bool) {
	void := 0
	for _, r := range rounds {
		switch r.Outcome {
		case game.A:
			wins.A++
		case game.B:
			wins.B++
		case game.Void:
			void++
		}
		if r.Outcome != game.Void {
			void = 0
		}
		over = over || wins.A >= 3 || wins.B >= 3 || void == 2 || r.N == 60
	}
	return wins, over
}

// txs are the transactions of the duel, by name.
func (d *duel) txs(said *chain.DuelTranscript, spoken string, decided bool) map[string]*chain.Tx {
	txs, escrow := map[string]*chain.Tx{}, chain.Escrow(duelID)
	if d.stake > 0 {
		for name, side := range map[string]chain.Address{"stake_a": said.A, "stake_b": said.B} {
			txs[name] = &chain.Tx{
				Actor: side, Nonce: 4, Time: firstTime + 1500, Data: &chain.DuelStake{DuelID: duelID},
				Transfers: []chain.Transfer{{From: side, To: escrow, Amount: d.stake}},
			}
		}
	}
	if !decided || d.stake == 0 && !d.rated {
		return txs
	}
	settle := &chain.Tx{Time: firstTime + 6500, Data: &chain.DuelSettle{
		A: said.A, B: said.B, DuelID: duelID, Rated: d.rated, TranscriptHash: chain.HashTranscript([]byte(spoken)),
		Winner: strings.TrimPrefix(said.Winner.String(), "none"),
	}}
	switch {
	case d.stake == 0:
	case said.Winner == game.A:
		settle.Transfers = []chain.Transfer{{From: escrow, To: said.A, Amount: 2 * d.stake}}
	case said.Winner == game.B:
		settle.Transfers = []chain.Transfer{{From: escrow, To: said.B, Amount: 2 * d.stake}}
	default:
		settle.Transfers = []chain.Transfer{{From: escrow, To: said.A, Amount: d.stake}, {From: escrow, To: said.B, Amount: d.stake}}
	}
	txs["settle"] = settle
	return txs
}

// post changes the transactions as the script says, and puts them in their
// blocks.
func (d *duel) post(h *house, txs map[string]*chain.Tx) map[string]*posted {
	p := poster{
		names: []string{"stake_a", "stake_b", "settle"}, usual: map[string]int{"stake_a": 1, "stake_b": 3, "settle": 6},
		place: d.place, tx: d.tx, raw: d.raw,
	}
	return p.post(h, txs)
}
