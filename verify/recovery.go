package verify

import (
	"fmt"

	"roshambo/chain"
)

// A recovery ends all games in play but duels without a stake, which go on (docs/protocol.md, section 2). A proof of a
// game that crosses one names it, with the header of the block before its own: the time between the two is what the
// house says that it lost, and a receipt from before or after convicts a house that says so of a game that it did not
// like.

// crossing is the recovery that a game crosses: it lies between the start and the end, and has ended the game, unless
// that is a duel without a stake.
type crossing struct {
	*proofTx
	kept *string // raw of the header of the block before the recovery's block; nil for none
}

// statusVoid is the status of a run or a duel that a recovery has made void.
const statusVoid = "void"

// addRecovery adds the recovery of the proof, if there is one.
func (r *parsedProof) addRecovery(a *Anchored, kept *string) {
	if p := r.add("recovery", a, chain.KindRecovery); p != nil || kept != nil {
		r.crossed = &crossing{p, kept}
	}
}

// status returns the status in the proof.
func (r *parsedProof) status() string {
	if r.run != nil {
		return r.run.proof.Status
	}
	return r.duel.proof.Status
}

// goesOn reports whether the game goes on after a recovery: a duel without a stake does.
func (r *parsedProof) goesOn() bool { return r.duel != nil && r.duel.transcript.Stake == 0 }

// recovery is the check of the same name, which is made when the proof names a recovery or the game is
// void: the recovery can have left the game as it is, and kept is the block before its own. It is a note, because the
// reader should know what the house has lost.
func (r *parsedProof) recovery() finding {
	c := r.crossed
	if c == nil || c.proofTx == nil {
		return fail("a game that is void names the recovery, and kept belongs to one")
	}
	status, effect := r.status(), "ended the game"
	switch {
	case status == statusVoid, r.run != nil && status == "claimed":
	case r.goesOn():
		effect = "came during the duel"
	default:
		return fail("a recovery does not leave a game %s", status)
	}
	tx := &c.tx
	if tx.Actor != (chain.Address{}) || tx.Nonce != 0 || len(tx.Transfers) > 0 {
		return fail("recovery has an actor, a nonce or a transfer")
	}
	if err := c.checkKept(r.parts); err != nil {
		return fail("%v", err)
	}
	data := tx.Data.(*chain.Recovery)
	if data.Lost != (chain.LostTree{}) && c.Height != nil && data.Lost.Size < *c.Height {
		return fail("recovery names a lost tree of %d blocks, and keeps %d", data.Lost.Size, *c.Height)
	}
	lost := "names no lost tree"
	if data.Lost != (chain.LostTree{}) {
		lost = fmt.Sprintf("has lost a tree of %d blocks", data.Lost.Size)
	}
	return note("recovery %d %s; it %s; the SHA-256 of its reason is %v", data.Number, effect, lost, data.ReasonHash)
}

// checkKept checks that kept is the header of the block before the recovery's block, and fits the blocks of the other
// transactions. A kept with an early time would excuse statements from long before the loss.
func (c *crossing) checkKept(others []*proofTx) error {
	if (c.Height == nil) != (c.kept == nil) {
		return fmt.Errorf("kept is there exactly when recovery is in a block")
	}
	if c.kept == nil {
		return nil
	}
	kept, err := chain.ParseHeader([]byte(*c.kept))
	if err != nil {
		return fmt.Errorf("kept is not a block header in canonical JSON")
	}
	// The inclusion check has read the header of a transaction in a block, or has failed.
	if c.Header == nil {
		return nil
	}
	header, err := chain.ParseHeader([]byte(*c.Header))
	if err != nil || kept.Height != header.Height-1 || chain.HashBlock([]byte(*c.kept)) != header.Prev {
		return fmt.Errorf("kept is not the block before that of recovery")
	}
	if kept.Time > header.Time {
		return fmt.Errorf("kept is later than the block of recovery")
	}
	if c.tx.Time < kept.Time-maxBackdated {
		return fmt.Errorf("recovery is earlier than kept by more than a minute")
	}
	for _, p := range others {
		below, ok := p.readHeader()
		switch {
		case !ok || below.Height > kept.Height: // the inclusion check compares it with the recovery's
		case below.Time > kept.Time:
			return fmt.Errorf("kept is earlier than the block of %s", p.name)
		case below.Height == kept.Height-1 && chain.HashBlock([]byte(*p.Header)) != kept.Prev:
			return fmt.Errorf("kept does not name the block of %s", p.name)
		}
	}
	return nil
}

// readHeader returns the header of the block of a transaction, if there is one that can be read.
func (p *proofTx) readHeader() (h chain.Header, ok bool) {
	if p.Header == nil {
		return h, false
	}
	h, err := chain.ParseHeader([]byte(*p.Header))
	return h, err == nil
}

// lostApart is how much earlier than the newest block that a recovery kept, and how much later than the block of
// the recovery, a statement can be for the recovery to have lost it, in milliseconds.
const lostApart = 60_000

// Both limits are generous. An honest house stores a statement before it sends it, and a standby or an archived
// log is seldom a minute behind. It states nothing about a game that a recovery has ended, and its clocks are seldom
// a minute apart; without the second limit it could void a game that it did not like by any later win.

// lost reports whether the recovery excuses that the chain lacks what the house stated at a time, in Unix
// milliseconds: it names a lost tree, and the statement may have been in it alone. It is false for nil.
func (c *crossing) lost(time int64) bool {
	if !c.there() || c.tx.Data.(*chain.Recovery).Lost == (chain.LostTree{}) {
		return false
	}
	// A recovery in no block has no time yet: the receipt is not held against the house, whose proof is
	// pending anyway. A header that cannot be read fails other checks.
	if at, ok := headerTime(c.kept); ok && time < at-lostApart {
		return false
	}
	at, ok := headerTime(c.Header)
	return !ok || time <= at+lostApart
}

// headerTime returns the time of a header's raw, if there is one that can be read.
func headerTime(raw *string) (time int64, ok bool) {
	if raw == nil {
		return 0, false
	}
	h, err := chain.ParseHeader([]byte(*raw))
	return h.Time, err == nil
}

// there reports whether the proof has a recovery, and not only a block before one. It is false for nil.
func (c *crossing) there() bool { return c != nil && c.proofTx != nil }

// number returns the number of the recovery.
func (c *crossing) number() int64 { return c.tx.Data.(*chain.Recovery).Number }
