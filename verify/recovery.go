package verify

import (
	"fmt"

	"roshambo/chain"
)

// A recovery ends all games in play (docs/protocol.md, section 2). A proof of such a game names it, with
// the header of the block before its own: the difference between their times is what the house says that
// it lost, and a receipt from before convicts a house that says so of a game that it did not like.

// crossing is the recovery that a game crosses: it lies between the start and the end, and has ended the
// game.
type crossing struct {
	*proofTx
	kept *string // raw of the header of the block before that of the recovery; nil for none
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

// recovery is the check of the same name, which is made when the proof names a recovery or the game is
// void: the recovery has ended the game, and kept is the block before its own. It is a note, because the
// reader should know what the house has lost.
func (r *parsedProof) recovery() finding {
	c := r.crossed
	if c == nil || c.proofTx == nil {
		return fail("a game that is void names the recovery, and kept belongs to one")
	}
	status := r.status()
	if status != statusVoid && (r.run == nil || status != "claimed") {
		return fail("a recovery does not leave a game %s", status)
	}
	tx := &c.tx
	if tx.Actor != (chain.Address{}) || tx.Nonce != 0 || len(tx.Transfers) > 0 {
		return fail("recovery has an actor, a nonce or a transfer")
	}
	if err := c.checkKept(); err != nil {
		return fail("%v", err)
	}
	data := tx.Data.(*chain.Recovery)
	lost := "names no lost tree"
	if data.Lost != (chain.LostTree{}) {
		lost = fmt.Sprintf("has lost a tree of %d blocks", data.Lost.Size)
	}
	return note("recovery %d ended the game; it %s; the SHA-256 of its reason is %v", data.Number, lost, data.ReasonHash)
}

// checkKept checks that kept is the header of the block before that of the recovery.
func (c *crossing) checkKept() error {
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
	return nil
}

// lostAhead is how much older than the newest block that a recovery kept a statement must be, in
// milliseconds, for the house to have had the time to store it.
const lostAhead = 60_000

// The limit is generous: an honest house stores a statement before it sends it, and a standby or an archived
// log is seldom a minute behind. A house that loses more than that names it by a receipt that convicts it.

// lost reports whether the recovery excuses that the chain lacks what the house stated at a time, in Unix
// milliseconds: it names a lost tree, and the statement may have been in it alone. It is false for nil.
func (c *crossing) lost(time int64) bool {
	if c == nil || c.proofTx == nil || c.tx.Data.(*chain.Recovery).Lost == (chain.LostTree{}) {
		return false
	}
	// A recovery in no block has no time yet: the receipt is not held against the house, whose proof is
	// pending anyway.
	if c.kept == nil {
		return true
	}
	kept, err := chain.ParseHeader([]byte(*c.kept))
	return err != nil || time >= kept.Time-lostAhead
}

// number returns the number of the recovery.
func (c *crossing) number() int64 { return c.tx.Data.(*chain.Recovery).Number }
