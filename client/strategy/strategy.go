// Package strategy implements strategies for repeated Rock-Paper-Scissors, from constant
// moves to Iocaine Powder. They are written for readers; each names its source.
//
//	s, err := strategy.New("iocaine", seed)
//	move := s.Next(history) // the move for the round after history
//
// A strategy is a pure function of its seed and the history: the same call returns the
// same move, and a restarted bot continues unchanged. Random moves are derived from the
// seed, so the seed must be secret in a game with stakes: draw it from crypto/rand. In a
// reproducible tournament it is chosen.
//
// Most of the simple ones were opponents in the First International RoShamBo Programming
// Competition (D. Billings, "Thoughts on RoShamBo", ICGA Journal 23(1), 2000), which
// called them dummies: each has a weakness to exploit.
package strategy

import (
	"fmt"
	"slices"

	"roshambo/game"
)

// Round is a finished round from one side's perspective.
type Round struct {
	Mine, Theirs game.Move
}

// Strategy chooses moves. Implementations need not be safe for concurrent use.
type Strategy interface {
	// Name returns the strategy's name in the catalogue.
	Name() string
	// Next returns the move for the round after history: all rounds against this opponent
	// so far, oldest first, over any number of duels. It keeps intermediate results, so a
	// call with the previous history and one more round is cheap. Another history is
	// valid, and makes it start over.
	Next(history []Round) game.Move
}

// Entry is a strategy of the catalogue.
type Entry struct {
	Name  string
	About string // one sentence for people
	new   func() algorithm
}

// catalogue lists all strategies, the simplest first.
var catalogue = slices.Concat(oblivious, reactive, predicting, mixing)

// Catalogue returns a copy of the list of strategies, the simplest first.
func Catalogue() []Entry { return slices.Clone(catalogue) }

// New returns a strategy by its name, with randomness from seed. It returns an error for
// an unknown name.
func New(name string, seed Seed) (Strategy, error) {
	for _, e := range catalogue {
		if e.Name == name {
			return &instance{entry: e, seed: seed, algorithm: e.new()}, nil
		}
	}
	return nil, fmt.Errorf("strategy: unknown strategy %q", name)
}

// algorithm is the implementation of a strategy. Its state must follow from the rounds it
// has learned.
type algorithm interface {
	// learn is called once for each round: the last one of h.
	learn(h []Round)
	// choose returns the move for the round after h.
	choose(h []Round, c *rng) game.Move
}

// instance adapts an algorithm to Strategy: it passes the rounds that the algorithm has
// not learned yet, and replaces the algorithm when the history is not a continuation.
type instance struct {
	entry     Entry
	seed      Seed
	algorithm algorithm
	seen      []Round
}

// Name implements Strategy.
func (p *instance) Name() string { return p.entry.Name }

// Next implements Strategy.
func (p *instance) Next(history []Round) game.Move {
	if len(history) < len(p.seen) || !slices.Equal(p.seen, history[:len(p.seen)]) {
		p.algorithm, p.seen = p.entry.new(), nil
	}
	for n := len(p.seen); n < len(history); n++ {
		p.algorithm.learn(history[:n+1])
	}
	p.seen = append(p.seen, history[len(p.seen):]...)
	return p.algorithm.choose(history, p.seed.rng(len(history)))
}

// reaction is an algorithm without state: a function of the history.
type reaction func(h []Round, c *rng) game.Move

// learn does nothing.
func (reaction) learn([]Round) {}

// choose calls the function.
func (r reaction) choose(h []Round, c *rng) game.Move { return r(h, c) }

// react returns the constructor of a reaction.
func react(r reaction) func() algorithm { return func() algorithm { return r } }

// shift returns the move k steps along the cycle in which each move beats the previous
// one: 1 is the move that beats m, 2 the move that m beats.
func shift(m game.Move, k int) game.Move { return game.Move((int(m) + k) % 3) }

// last returns the last round; ok is false if there is none.
func last(h []Round) (r Round, ok bool) {
	if len(h) == 0 {
		return Round{}, false
	}
	return h[len(h)-1], true
}
