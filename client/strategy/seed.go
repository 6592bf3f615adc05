package strategy

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"roshambo/game"
)

// Seed is what a strategy's chance comes from.
type Seed [32]byte

// Derive returns the seed of something that has a name below s: a match, a side.
func (s Seed) Derive(name string) Seed {
	return sha256.Sum256(append(s[:], name...))
}

// coins returns the coins of the round with that number. Each round has its own,
// so that they do not depend on what was asked before; ChaCha8 is the generator
// because nobody who sees some of its coins can tell the others.
func (s Seed) coins(round int) *coins {
	binary.LittleEndian.PutUint64(s[24:], binary.LittleEndian.Uint64(s[24:])^uint64(round))
	return &coins{source: rand.NewChaCha8(s)}
}

// coins is chance. It makes do with Uint64, whose values are specified, so that a
// tournament is the same with every release of Go.
type coins struct{ source *rand.ChaCha8 }

// move is any move, each as likely as the others.
func (c *coins) move() game.Move { return game.Move(c.source.Uint64() % 3) }

// fraction is a number from 0 to less than 1.
func (c *coins) fraction() float64 { return float64(c.source.Uint64()>>11) / (1 << 53) }
