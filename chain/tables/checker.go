package tables

import (
	"fmt"

	"roshambo/chain"
)

// Checker checks the tables of a chain, block by block from genesis. A cup closes within Span blocks of its
// seed, so a Checker holds the last two spans alone: its memory grows with their casual duels, not with the chain.
type Checker struct {
	height int64 // of the block, from 0
	began  int64 // time of genesis
	spans  [2]span
}

// Span is the largest number of blocks from the block of a cup's seed to the block of its close.
const Span = 1 << 18

// span is what happened in Span blocks.
//
// A busy chain has one block a second, so a span is three days of it, and 8 MB of hashes. Each casual duel of two
// accounts takes some 200 bytes: any of them may turn out to be one of a cup.
type span struct {
	hashes []chain.Hash     // of the blocks, the first one of the span first
	duels  map[string]ended // those that a cup may have and none has had, by id
}

// ended is a duel that is over, with what a cup takes from it: the transcript itself is not kept.
type ended struct {
	a, b   chain.Address
	height int64
	points [2]int64
	absent [2]bool
}

// New returns a Checker that waits for genesis.
func New() *Checker { return &Checker{height: -1, spans: [2]span{{duels: map[string]ended{}}}} }

// Begin begins the next block, or the pending transactions behind the last one.
func (c *Checker) Begin(header *chain.Header) {
	c.height++
	// What happened before the last whole span is forgotten.
	if c.height%Span == 0 {
		c.spans[1], c.spans[0] = c.spans[0], span{duels: map[string]ended{}}
	}
	c.spans[0].hashes = append(c.spans[0].hashes, chain.HashBlock(header.Raw()))
}

// Genesis takes note of the time of genesis.
func (c *Checker) Genesis(at int64) { c.began = at }

// Duel takes note of a settled duel and its transcript, nil when that is missing. A cup has duels of
// two accounts without a stake and rating.
func (c *Checker) Duel(d *chain.DuelSettle, stake int64, transcript []byte) {
	// A duel that is rated or has a stake counts elsewhere; the sparring bot has no account.
	if d.Rated || stake != 0 || d.B == (chain.Address{}) || d.B == chain.SparringBot() {
		return
	}
	t, err := chain.ParseDuelTranscript(transcript)
	if err != nil { // a fault of the game
		return
	}
	e := ended{a: d.A, b: d.B, height: c.height, absent: chain.Absent(t.Rounds)}
	e.points = Points(d.Winner, e.absent)
	c.spans[0].duels[d.DuelID] = e
}

// Points returns what a game is worth in a cup. The service and verifiers share it.
//
// It returns the points of both sides of a game: by its winner, a or b, and none for a side that did not show
// up.
func Points(winner string, absent [2]bool) [2]int64 {
	points := [2]int64{Draw, Draw}
	switch winner {
	case "a":
		points = [2]int64{Win, Loss}
	case "b":
		points = [2]int64{Loss, Win}
	}
	for i := range points {
		if absent[i] {
			points[i] = Loss
		}
	}
	return points
}

// Cup returns an error unless the table of a cup that closes follows from the chain. It uses up the duels of the cup.
func (c *Checker) Cup(d *chain.CupClose, raw []byte) error {
	cup, err := ParseCup(raw)
	if err != nil {
		return err
	}
	if cup.Number != d.Cup {
		return fmt.Errorf("it is of cup %d", cup.Number)
	}
	if hash, ok := c.hash(cup.SeedHeight); !ok || hash != cup.Seed {
		return fmt.Errorf("the seed is not the hash of block %d, or that is not one of the %d before", cup.SeedHeight, Span)
	}
	// A cup that fails has used up some duels as well: the chain is not valid any more.
	return cup.Check(func(g *Game) ([2]bool, error) {
		for i := range c.spans {
			e, ok := c.spans[i].duels[g.Duel]
			if !ok {
				continue
			}
			delete(c.spans[i].duels, g.Duel)
			if e.a != g.A || e.b != g.B || e.points != [2]int64{g.APoints, g.BPoints} || e.height <= cup.SeedHeight {
				return e.absent, fmt.Errorf("the sides, points or time of duel %q are not those on the chain", g.Duel)
			}
			return e.absent, nil
		}
		return [2]bool{}, fmt.Errorf("the chain has no such duel as %q for a cup", g.Duel)
	})
}

// hash returns the hash of one of the Span blocks before this one.
func (c *Checker) hash(height int64) (h chain.Hash, ok bool) {
	if height < 0 || height >= c.height || height < c.height-Span {
		return h, false
	}
	// Both blocks are in one span or in neighbours, as they are at most Span apart.
	s := &c.spans[c.height/Span-height/Span]
	return s.hashes[height%Span], true
}

// Claimed returns what a run gives its account that was claimed at a time: see ClaimPoints.
func (c *Checker) Claimed(at, first, cleared int64) Earning {
	return newEarning(c.began, at, ClaimPoints(first, cleared))
}

// Won returns what a duel that was settled at a time gives its winner: points only if it is rated, and by its
// transcript the winner has earned them.
func (c *Checker) Won(at int64, d *chain.DuelSettle, transcript []byte) (none Earning) {
	if !d.Rated || d.Winner == "" {
		return none
	}
	t, err := chain.ParseDuelTranscript(transcript)
	if err != nil || !chain.Earned(t.Rounds, t.Winner) { // one that cannot be read is a fault of the game
		return none
	}
	e := newEarning(c.began, at, DuelPoints)
	e.Duel = true
	return e
}

// Season returns the rows of the table of a season that closes, and an error unless they may be that.
func (c *Checker) Season(d *chain.SeasonClose, raw []byte) ([]Standing, error) {
	s, err := ParseSeason(raw)
	if err != nil {
		return nil, err
	}
	return s.Rows, s.Check(d.Season, c.began)
}
