package strategy

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"roshambo/game"
)

// Seed is the source of a strategy's randomness.
type Seed [32]byte

// Derive returns an independent seed for a named part of s: a match, a side.
func (s Seed) Derive(name string) Seed {
	return sha256.Sum256(append(s[:], name...))
}

// rng returns the generator of one round. Each round has its own, so that moves do not
// depend on the calls before. ChaCha8 is used because its output does not reveal further
// output: an opponent sees the moves.
func (s Seed) rng(round int) *rng {
	binary.LittleEndian.PutUint64(s[24:], binary.LittleEndian.Uint64(s[24:])^uint64(round))
	return &rng{source: rand.NewChaCha8(s)}
}

// rng generates random moves. It uses only Uint64, whose values are specified, so that
// tournaments are reproducible with every release of Go.
type rng struct{ source *rand.ChaCha8 }

// move returns a uniformly random move.
func (c *rng) move() game.Move { return game.Move(c.source.Uint64() % 3) }

// fraction returns a number from 0 to less than 1.
func (c *rng) fraction() float64 { return float64(c.source.Uint64()>>11) / (1 << 53) }
