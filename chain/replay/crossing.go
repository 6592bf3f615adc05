package replay

import "roshambo/chain"

// This file holds the rule of recoveries, which concerns all games of the chain together. It follows from the
// order of the transactions, which one goroutine applies, and from the ids of the games in play, of which
// there are few beside those that are over.

// crossing knows the games that a recovery ends: the open runs, and the duels with both stakes. After a
// recovery nothing but their ends may come until none is left, so that the house cannot let one run go
// on with seeds that a player has seen and void another. No clock is part of the rule: a service that
// crashed midway continues.
type crossing struct {
	runs   map[key]struct{} // open
	stakes map[key]int      // of duels that are not settled: 1 or 2
	active int              // duels with two stakes; those with one wait, and go on after a recovery
	begun  bool             // a recovery has begun, and games are left
}

func newCrossing() crossing {
	return crossing{runs: map[key]struct{}{}, stakes: map[key]int{}}
}

// begin begins the consequences of a recovery, if there are any. A second recovery may come before the
// consequences of the first are complete, as the database may be lost again meanwhile: the games left are
// the same, and nothing else could begin a game.
func (c *crossing) begin() { c.begun = c.left() }

// left reports whether a game is left.
func (c *crossing) left() bool { return len(c.runs) > 0 || c.active > 0 }

// follow takes note of the effect of a transaction on a game.
func (c *crossing) follow(k key, e *chain.GameEffect) {
	// A part that refuses the effect reports it; the chain is not valid then, whatever is counted here.
	switch e.Step {
	case chain.StepStart:
		c.runs[k] = struct{}{}
	case chain.StepEnd, chain.StepVoid:
		delete(c.runs, k)
	case chain.StepStake:
		if c.stakes[k]++; c.stakes[k] == activeStakes {
			c.active++
		}
	case chain.StepSettle, chain.StepRated:
		if c.stakes[k] >= activeStakes {
			c.active--
		}
		delete(c.stakes, k)
	}
	c.begun = c.begun && c.left()
}

// activeStakes is the number of stakes of an active duel.
const activeStakes = 2

// expectedInstead returns "" when a transaction may come here, otherwise the expected ones. Whether the
// transcript of a run that ends now allows its status is a check of package games.
func (c *crossing) expectedInstead(d chain.Data, recovery int64) string {
	// Rotations wait for the last end, too: the account could start another run before its game has ended.
	ends, consequence := false, false // whether d ends a game as a recovery does, and whether it is due
	switch d := d.(type) {
	case *chain.Recovery:
		return ""
	case *chain.RunEnd:
		_, open := c.runs[gameKey(chain.RunGameID(d.RunID))]
		ends = d.Status == chain.RunVoid
		consequence = open && (ends || d.Status == chain.RunClaimed)
	case *chain.DuelSettle:
		ends = d.Void
		consequence = ends && c.stakes[gameKey(chain.DuelGameID(d.DuelID))] >= activeStakes
	}
	switch {
	case c.begun && !consequence:
		return "the end of a run or duel that was in play at recovery " + decimal(recovery)
	case !c.begun && ends:
		return "a run or duel to be void only at a recovery"
	}
	return ""
}
