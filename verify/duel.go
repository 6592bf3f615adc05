package verify

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roshambo/chain"
	"roshambo/game"
)

// parsedDuel is the proof of a duel with its parsed transcript.
type parsedDuel struct {
	proof      DuelProof
	transcript chain.DuelTranscript
	stakes     [2]*proofTx // of a and b; nil when absent
	settle     *proofTx    // nil when absent
	crossed    *crossing   // nil when the proof names no recovery
}

// readTranscript parses the transcript and checks that its rounds are numbered 1, 2, 3, … and that
// it names the duel and sides of the proof. It is part of the format check.
func (d *parsedDuel) readTranscript() error {
	statement, err := chain.ParseDuelTranscript([]byte(d.proof.Transcript.Raw))
	if err != nil {
		return errTranscript
	}
	for i, r := range statement.Rounds {
		if r.N != i+1 {
			return errNumbers
		}
	}
	for _, same := range []struct{ name, a, b string }{
		{name: "a", a: statement.A.String(), b: d.proof.A}, {name: "b", a: statement.B.String(), b: d.proof.B},
		{name: "duel_id", a: statement.DuelID, b: d.proof.DuelID},
	} {
		if same.a != same.b {
			return fmt.Errorf("the transcript states another %s", same.name)
		}
	}
	if d.proof.A == d.proof.B {
		return errors.New("both sides have the same address")
	}
	d.transcript = statement
	return nil
}

// steps returns the checks of a duel in order.
func (d *parsedDuel) steps() []step {
	return []step{
		{"commitments", d.commitments},
		{"outcomes", d.outcomes},
		{"score", d.score},
		{"winner", d.winner},
		{"end", d.settlement},
		{"payout", d.payout},
	}
}

// commitments is the check of the same name: each revealed move and salt hash to the side's
// commitment, and a side reveals only after both committed, and only when the commitments differ. A
// copied commitment would let a side copy the reveal too; that it occurred is a note.
func (d *parsedDuel) commitments() finding {
	var equal []string
	for _, r := range d.transcript.Rounds {
		a, b := r.Hands[0], r.Hands[1]
		// Neither side reveals before both are bound to their moves.
		both := a.Committed && b.Committed
		// One side may have copied the commitment of the other, so the round is void before any reveal.
		if r.Equal() {
			equal = append(equal, strconv.Itoa(r.N))
			if a.HasMove || a.HasSalt || b.HasMove || b.HasSalt {
				return fail("round %d: both sides have one commitment, so neither reveals", r.N)
			}
		}
		for i, h := range r.Hands {
			side := game.A + game.Side(i)
			switch {
			case h.HasMove != h.HasSalt:
				return fail("round %d: %v has a move or a salt without the other", r.N, side)
			case len(h.Salt) > chain.MaxSalt:
				return fail("round %d: %v has a salt of more than %d bytes", r.N, side, chain.MaxSalt)
			case h.HasMove && !both:
				return fail("round %d: %v revealed before both had committed", r.N, side)
			case h.HasMove && chain.HashHand(h.Move, h.Salt) != h.Commitment:
				return fail("round %d: %v revealed another move than it committed to", r.N, side)
			}
		}
	}
	// The round is decided either way, so this is no fault; a player should know of it nevertheless, as
	// random salts never give equal commitments.
	if len(equal) > 0 {
		return note("each move and salt hash to their commitment; both sides have one commitment in round %s: "+
			"with random salts, one was copied", strings.Join(equal, ", "))
	}
	return pass("each move and salt hash to their commitment")
}

// outcomes is the check of the same name: forfeited_by and outcome of each round follow from the
// hands, and after a resignation the same side forfeits every round. A forfeit is a note: the proof
// shows that an action is missing, not that time ran out or that the side resigned.
func (d *parsedDuel) outcomes() finding {
	forfeits := 0           // rounds with a forfeit
	resigned := game.NoSide // the side that resigned in an earlier round
	for _, r := range d.transcript.Rounds {
		if resigned != game.NoSide && r.Resigned() != resigned {
			return fail("round %d: %v had resigned", r.N, resigned)
		}
		resigned = r.Resigned()
		outcome, forfeit := r.Judge()
		if r.Forfeit != forfeit {
			return fail("round %d: forfeited_by does not fit what is missing", r.N)
		}
		if r.Outcome != outcome {
			return fail("round %d: the outcome is %v, not %v", r.N, outcome, r.Outcome)
		}
		if r.Forfeit != game.NoSide {
			forfeits++
		}
	}
	if forfeits > 0 {
		return note(
			"each outcome follows; %d by forfeit, and that a deadline was missed or a side resigned rests on the service's word",
			forfeits)
	}
	return pass("each outcome follows from the two moves")
}

// played returns the score after all rounds, and an error when a round follows the end. The checks score
// and winner both fail then: no score and no winner follow from such rounds.
func (d *parsedDuel) played() (duel game.BestOfFive, err error) {
	for _, r := range d.transcript.Rounds {
		if duel.Decided() {
			return duel, fmt.Errorf("round %d comes after the duel was decided", r.N)
		}
		duel.Add(r.Outcome, r.Forfeit)
	}
	return duel, nil
}

// score is the check of the same name: wins follow from the rounds.
func (d *parsedDuel) score() finding {
	duel, err := d.played()
	if err != nil {
		return fail("%v", err)
	}
	if d.proof.Wins != (Score{A: int64(duel.WinsA), B: int64(duel.WinsB)}) {
		return fail("the rounds give %d to %d", duel.WinsA, duel.WinsB)
	}
	return pass("the rounds give %d to %d", duel.WinsA, duel.WinsB)
}

// winner is the check of the same name: the status is finished exactly when the rounds decide the
// duel, otherwise active, or void after a recovery, and proof and transcript both name the side with
// three wins, or null.
func (d *parsedDuel) winner() finding {
	duel, err := d.played()
	if err != nil {
		return fail("%v", err)
	}
	switch decided := duel.Decided(); {
	case decided && d.proof.Status != "finished":
		return fail("the rounds leave the duel finished")
	case !decided && d.proof.Status == "finished":
		return fail("the rounds leave the duel active or void")
	}
	first := duel.Winner()
	if d.proof.won() != first || d.transcript.Winner != first {
		return fail("the winner is %v", first)
	}
	return pass("the winner is %v", first)
}

// won returns the winner in the proof, which conform has limited to a, b and null.
func (p *DuelProof) won() game.Side {
	switch {
	case p.Winner == nil:
		return game.NoSide
	case *p.Winner == game.A.String():
		return game.A
	}
	return game.B
}

// settlement is the check end: the duel.settle, which must exist for a finished duel and must not
// while the duel goes on, names the duel, the sides, the winner and the transcript.
func (d *parsedDuel) settlement() finding {
	if d.settle == nil {
		if d.proof.Status != "active" {
			return fail("a duel that is %s has a settlement", d.proof.Status)
		}
		return note("no settlement: the duel goes on")
	}
	if d.proof.Status == "active" {
		return fail("a duel that goes on has no settlement")
	}
	// The first difference is reported, in the order of the other verifiers.
	data := d.settle.tx.Data.(*chain.DuelSettle)
	mismatch := ""
	switch {
	case data.A != d.transcript.A:
		mismatch = "a"
	case data.B != d.transcript.B:
		mismatch = "b"
	case data.DuelID != d.proof.DuelID:
		mismatch = "duel_id"
	case data.TranscriptHash != chain.HashTranscript([]byte(d.proof.Transcript.Raw)):
		mismatch = "transcript_hash"
	case (d.proof.Winner == nil) != (data.Winner == "") || d.proof.Winner != nil && *d.proof.Winner != data.Winner:
		mismatch = "winner"
	case data.Void != (d.proof.Status == statusVoid):
		mismatch = "status"
	}
	if mismatch != "" {
		return fail("settle states another %s", mismatch)
	}
	if d.settle.tx.Actor != (chain.Address{}) || d.settle.tx.Nonce != 0 {
		return fail("settle has an actor or a nonce")
	}
	return pass("settle pins the transcript, the sides and the winner")
}

// payout is the check of the same name: with a stake, each side moved exactly it into the duel's
// escrow, and the settlement moves both to the winner, or each back, a's first. Without a stake
// nothing moves.
func (d *parsedDuel) payout() finding {
	stake, escrow := d.transcript.Stake, chain.Escrow(d.proof.DuelID)
	sides := [2]chain.Address{d.transcript.A, d.transcript.B}
	// Both stakes are there exactly when the transcript states a stake.
	for i, p := range d.stakes {
		if (p != nil) != (stake > 0) {
			return fail("stake_%v does not fit the stake of %d", game.A+game.Side(i), stake)
		}
		if p == nil {
			continue
		}
		// The stake itself: exactly one transfer from the side to this duel's escrow.
		data, in := p.tx.Data.(*chain.DuelStake), chain.Transfer{From: sides[i], To: escrow, Amount: stake}
		if p.tx.Actor != sides[i] || data.DuelID != d.proof.DuelID || !slices.Equal(p.tx.Transfers, []chain.Transfer{in}) {
			return fail("%s does not pay in the stake", p.name)
		}
	}
	if d.settle == nil {
		return note("nothing is paid out")
	}
	// due are the transfers that the result implies, in the order of the protocol.
	var due []chain.Transfer
	switch won := d.proof.won(); {
	case stake == 0:
	case won == game.NoSide:
		due = []chain.Transfer{{From: escrow, To: sides[0], Amount: stake}, {From: escrow, To: sides[1], Amount: stake}}
	default:
		due = []chain.Transfer{{From: escrow, To: sides[won.Index()], Amount: 2 * stake}}
	}
	if !slices.Equal(d.settle.tx.Transfers, due) {
		return fail("settle does not pay what the duel decides")
	}
	return pass("settle pays what the duel decides")
}
