// Package strategy holds ways to play Rock-Paper-Scissors against somebody
// whose past moves are known: from one move for ever to an Iocaine Powder. They
// are written to be read; each names where its idea comes from.
//
//	s, err := strategy.New("iocaine", seed)
//	move := s.Next(history) // what to show in the round after history
//
// A strategy is a function of its seed and the history, and of nothing else:
// who asks twice gets the same move, and a bot that was restarted plays on as if
// nothing had happened. Where a strategy uses chance, its coins come from the
// seed, so the seed is a secret of whoever plays for something: draw it from
// crypto/rand. In a tournament that is to be repeated it is chosen.
//
// Most of the simple ones were opponents in the First International RoShamBo
// Programming Competition (D. Billings, "Thoughts on RoShamBo", ICGA Journal
// 23(1), 2000), which called them dummies: each is there to be exploited.
package strategy

import (
	"fmt"
	"slices"

	"roshambo/game"
)

// Round is a round that is over, as one side saw it.
type Round struct {
	Mine, Theirs game.Move
}

// Strategy decides what to show next.
type Strategy interface {
	// Name is the strategy's name in the catalogue.
	Name() string
	// Next returns the move for the round that follows history: all rounds
	// against this opponent so far, oldest first, over as many duels as it took.
	// It remembers what it has worked out, so a history that grew is cheap. One
	// strategy serves one caller at a time.
	Next(history []Round) game.Move
}

// Entry is a strategy of the catalogue.
type Entry struct {
	Name  string
	About string // a sentence for people
	new   func() algorithm
}

// catalogue is every strategy, the simplest first.
var catalogue = slices.Concat(oblivious, reactive, predicting, mixing)

// Catalogue returns every strategy there is, the simplest first.
func Catalogue() []Entry { return slices.Clone(catalogue) }

// New returns a strategy by its name, which plays with coins from seed.
func New(name string, seed Seed) (Strategy, error) {
	for _, e := range catalogue {
		if e.Name == name {
			return &player{entry: e, seed: seed, algorithm: e.new()}, nil
		}
	}
	return nil, fmt.Errorf("strategy: there is no %q", name)
}

// algorithm is what a strategy does. Its state may hold what follows from the
// rounds it was told of, and nothing else.
type algorithm interface {
	// learn is told each round once: the last one of h.
	learn(h []Round)
	// choose decides what to show after h.
	choose(h []Round, c *coins) game.Move
}

// player plays an algorithm. It tells it the rounds that it has not seen, and
// lets it begin anew when the history is not the one that it has seen.
type player struct {
	entry     Entry
	seed      Seed
	algorithm algorithm
	seen      []Round
}

func (p *player) Name() string { return p.entry.Name }

func (p *player) Next(history []Round) game.Move {
	if len(history) < len(p.seen) || !slices.Equal(p.seen, history[:len(p.seen)]) {
		p.algorithm, p.seen = p.entry.new(), nil
	}
	for n := len(p.seen); n < len(history); n++ {
		p.algorithm.learn(history[:n+1])
	}
	p.seen = append(p.seen, history[len(p.seen):]...)
	return p.algorithm.choose(history, p.seed.coins(len(history)))
}

// reaction is an algorithm that remembers nothing: it looks at the history.
type reaction func(h []Round, c *coins) game.Move

func (reaction) learn([]Round) {}

func (r reaction) choose(h []Round, c *coins) game.Move { return r(h, c) }

// react makes an entry's constructor of a reaction.
func react(r reaction) func() algorithm { return func() algorithm { return r } }

// shift turns a move k steps along the cycle in which each move beats the one
// before: 1 is what beats it, 2 what it beats.
func shift(m game.Move, k int) game.Move { return game.Move((int(m) + k) % 3) }

// last returns the last round; ok is false when there was none.
func last(h []Round) (r Round, ok bool) {
	if len(h) == 0 {
		return Round{}, false
	}
	return h[len(h)-1], true
}
