package games

// The checks of one game. Each returns nil or the first mismatch, in the order of the protocol. They
// are pure functions of the game, so that any worker may run them.

import (
	"fmt"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

// mismatch is a fault of one game.
type mismatch struct{ expected, found string }

// expect returns a mismatch.
func expect(expected, found string) *mismatch { return &mismatch{expected, found} }

// verify verifies one game and counts it in the record when it has no fault.
func (r *result) verify(g *gameEnd) *mismatch {
	if g.raw == nil {
		return expect("the transcript that its end pins", "none")
	}
	if g.duel != nil {
		if f := g.duel.check(g.raw); f != nil {
			return f
		}
		r.record.Duels++
		return nil
	}
	throws, err := chain.ParseTranscript(g.raw)
	if err != nil {
		return expect("a canonical transcript", err.Error())
	}
	if f := g.run.check(throws); f != nil {
		return f
	}
	r.record.count(g, throws)
	return nil
}

// check verifies a run against its start, its end and the rules.
func (r *endedRun) check(throws []chain.Throw) *mismatch {
	// before is the hash that the next seed must have.
	tier, before := r.first, fair.Seed(r.commitment)
	for i := range throws {
		t := &throws[i]
		n := i + 1
		switch {
		case t.N != n:
			return expect(fmt.Sprintf("throw %d", n), fmt.Sprintf("throw %d", t.N))
		case fair.Previous(n, t.Seed) != before:
			return expect(fmt.Sprintf("a seed %d that hashes to the one before it", n), "another")
		}
		// The house had no choice: its move follows from the values that were fixed before the throw.
		if move := fair.HouseMove(t.Seed, n, r.clientSeed, t.EntropyHash); move != t.House {
			return expect(fmt.Sprintf("%v by the house in throw %d", move, n), t.House.String())
		}
		if outcome := t.Move.Against(t.House); outcome != t.Outcome {
			return expect(fmt.Sprintf("%v in throw %d", outcome, n), t.Outcome.String())
		}
		if t.Outcome == game.Win {
			tier++
		}
		// A loss ends the run, and so does the highest tier.
		if n < len(throws) && (t.Outcome == game.Loss || tier >= r.top && t.Outcome == game.Win) {
			return expect(fmt.Sprintf("no throw after throw %d, which ends the run", n), "one")
		}
		before = t.Seed
	}
	return r.checkEnd(throws, tier)
}

// checkEnd verifies the end of a run whose throws reach tier.
func (r *endedRun) checkEnd(throws []chain.Throw, tier int64) *mismatch {
	// A run that began at its highest tier or above has one win to claim. The loop above has refused
	// every throw behind it.
	if tier > r.top {
		return expect(fmt.Sprintf("at most %d cleared", r.top), fmt.Sprint(tier))
	}
	if r.end.Cleared != tier {
		return expect(fmt.Sprintf("%d cleared", tier), fmt.Sprint(r.end.Cleared))
	}
	if r.end.Throws != int64(len(throws)) {
		return expect(fmt.Sprintf("%d throws", len(throws)), fmt.Sprint(r.end.Throws))
	}
	// A recovery makes a run void that its last throw has neither won nor ended: a won tier stays won.
	if status := r.allowed(throws, tier); r.end.Status == chain.RunVoid &&
		len(throws) < fair.Length && status[0] == chain.RunAbandoned {
		return nil
	} else if r.end.Status != status[0] && r.end.Status != status[1] {
		return expect(fmt.Sprintf("status %s or %s", status[0], status[1]), string(r.end.Status))
	}
	return nil
}

// allowed returns the two statuses that the last throw allows, which may be the same.
func (r *endedRun) allowed(throws []chain.Throw, tier int64) [2]chain.RunStatus {
	// The status of a win is the player's decision. All others follow.
	last := game.Tie // a run without throws allows the same statuses as a tie
	if len(throws) > 0 {
		last = throws[len(throws)-1].Outcome
	}
	out := len(throws) == fair.Length // all seeds are used up
	switch {
	case last == game.Loss:
		return [2]chain.RunStatus{chain.RunLost, chain.RunLost}
	case out && tier > 0, last == game.Win && tier == r.top:
		return [2]chain.RunStatus{chain.RunClaimed, chain.RunClaimed}
	case last == game.Win:
		return [2]chain.RunStatus{chain.RunClaimed, chain.RunAbandoned}
	}
	return [2]chain.RunStatus{chain.RunAbandoned, chain.RunAbandoned}
}

// check verifies a duel against its settlement.
func (d *endedDuel) check(raw []byte) *mismatch {
	s := &d.settle
	if s.B == (chain.Address{}) {
		// No opponent joined: the transcript follows from the settlement.
		none := chain.DuelTranscript{A: s.A, DuelID: s.DuelID, Stake: d.stake}
		if string(none.Raw()) != string(raw) {
			return expect("the transcript of a duel without an opponent", "another")
		}
		return nil
	}
	t, err := chain.ParseDuelTranscript(raw)
	if err != nil {
		return expect("a canonical transcript", err.Error())
	}
	// The settlement, whose transfers a replay verifies, and the transcript are of one duel.
	if t.A != s.A || t.B != s.B || t.DuelID != s.DuelID || t.Stake != d.stake {
		return expect("a transcript of the duel, its sides and its stake", "another")
	}
	var score game.BestOfFive
	resigned := game.NoSide // the side that resigned in an earlier round
	for i := range t.Rounds {
		if score.Decided() {
			return expect(fmt.Sprintf("no round after round %d, which decides the duel", i), "one")
		}
		if f := checkRound(&t.Rounds[i], i+1); f != nil {
			return f
		}
		// A side that has resigned forfeits every later round.
		side := t.Rounds[i].Resigned()
		if resigned != game.NoSide && side != resigned {
			return expect(fmt.Sprintf("round %d forfeited by %v, which had resigned", i+1, resigned), "another")
		}
		resigned = side
		// Rounds that both sides forfeited end the duel; those with equal commitments are replayed.
		score.Add(t.Rounds[i].Outcome, t.Rounds[i].Forfeit)
	}
	// A duel that is not over has no winner to pay, and one that is over is not void.
	if s.Void && score.Decided() {
		return expect("rounds that leave a void duel undecided", fmt.Sprintf("%d to %d", score.WinsA, score.WinsB))
	}
	// Only a recovery ends a duel undecided; the replay checks that one has come before.
	if !s.Void && !score.Decided() {
		return expect("rounds that decide the duel", fmt.Sprintf("%d to %d", score.WinsA, score.WinsB))
	}
	if won := score.Winner(); t.Winner != won || s.Winner != sideName(won) {
		return expect("winner "+won.String(), "another")
	}
	return nil
}

// sideName returns the text of a winner in a settlement.
func sideName(s game.Side) string {
	if s == game.NoSide {
		return ""
	}
	return s.String()
}

// checkRound verifies round n: each reveal matches its commitment, and forfeit and outcome follow.
func checkRound(r *chain.DuelRound, n int) *mismatch {
	a, b := &r.Hands[0], &r.Hands[1]
	// Neither side reveals before both are bound to their moves.
	both := a.Committed && b.Committed
	switch {
	case r.N != n:
		return expect(fmt.Sprintf("round %d", n), fmt.Sprintf("round %d", r.N))
	case r.Equal() && (a.HasMove || a.HasSalt || b.HasMove || b.HasSalt):
		return expect(fmt.Sprintf("no reveal of the equal commitments in round %d", n), "one")
	}
	for _, h := range r.Hands {
		switch {
		case h.HasMove != h.HasSalt, h.HasMove && !both:
			return expect(fmt.Sprintf("reveals after both commitments in round %d", n), "half of one, or an earlier one")
		case len(h.Salt) > chain.MaxSalt:
			return expect(fmt.Sprintf("salts of at most %d bytes in round %d", chain.MaxSalt, n), "a longer one")
		case h.HasMove && chain.HashHand(h.Move, h.Salt) != h.Commitment:
			return expect(fmt.Sprintf("the moves of the commitments in round %d", n), "another")
		}
	}
	// Missing reveals decide the forfeit, the moves decide everything else. A round without hands is
	// void, unless one side resigned.
	outcome, forfeit := r.Judge()
	if r.Outcome != outcome || r.Forfeit != forfeit {
		return expect(fmt.Sprintf("round %d: %v, forfeited by %v", n, outcome, forfeit),
			fmt.Sprintf("%v, %v", r.Outcome, r.Forfeit))
	}
	return nil
}
