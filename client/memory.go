package client

import (
	"slices"

	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/game"
)

// memory holds the opponents of a bot, the most recent one last.
type memory struct{ opponents []*opponent }

// opponent is one opponent: the strategy against it and the rounds so far.
type opponent struct {
	address  string
	strategy strategy.Strategy
	// past are the rounds of finished duels, oldest first, at most maxPast.
	past []strategy.Round
}

// Limits of a bot's memory: opponents, and rounds per opponent. Half of the rounds are
// dropped at once, because a strategy that sees a shortened history starts over.
const (
	maxOpponents = 64
	maxPast      = 2000
)

// opponent returns the opponent with that address, and creates it with a strategy from
// pick if it is unknown. When the memory is full, the opponent not met for the longest
// time is dropped.
func (m *memory) opponent(address string, pick func(string) (strategy.Strategy, error)) (*opponent, error) {
	i := slices.IndexFunc(m.opponents, func(p *opponent) bool { return p.address == address })
	if i >= 0 {
		p := m.opponents[i]
		m.opponents = append(slices.Delete(m.opponents, i, i+1), p)
		return p, nil
	}
	s, err := pick(address)
	if err != nil {
		return nil, err
	}
	// The slice is ordered by the last duel, so the first one is dropped.
	p := &opponent{address: address, strategy: s}
	if len(m.opponents) == maxOpponents {
		m.opponents = slices.Delete(m.opponents, 0, 1)
	}
	m.opponents = append(m.opponents, p)
	return p, nil
}

// forget removes the rounds of all opponents, and keeps their strategies.
func (m *memory) forget() {
	for _, p := range m.opponents {
		p.past = nil
	}
}

// next returns the move for the current round of a duel.
func (p *opponent) next(d *api.Duel, me string) game.Move {
	return p.strategy.Next(slices.Concat(p.past, rounds(d, me)))
}

// record adds the rounds of a finished duel to the history.
func (p *opponent) record(d *api.Duel, me string) {
	p.past = append(p.past, rounds(d, me)...)
	if len(p.past) > maxPast {
		p.past = slices.Clone(p.past[len(p.past)-maxPast/2:])
	}
}
