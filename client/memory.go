package client

import (
	"slices"

	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/game"
)

// memory is whom a bot has played, whoever it met last at the end.
type memory struct{ players []*player }

// player is one opponent: the strategy against it, and what it has played so far.
type player struct {
	address  string
	strategy strategy.Strategy
	past     []strategy.Round // of the duels that are over
}

// How much a bot remembers: opponents, and rounds of each. Half of the rounds are
// forgotten at a time, so that a strategy has to begin anew rarely.
const (
	maxPlayers = 64
	maxPast    = 2000
)

// player returns an opponent, with a new strategy when it is not known.
func (m *memory) player(address string, pick func(string) (strategy.Strategy, error)) (*player, error) {
	i := slices.IndexFunc(m.players, func(p *player) bool { return p.address == address })
	if i >= 0 {
		p := m.players[i]
		m.players = append(slices.Delete(m.players, i, i+1), p)
		return p, nil
	}
	s, err := pick(address)
	if err != nil {
		return nil, err
	}
	p := &player{address: address, strategy: s}
	if len(m.players) == maxPlayers {
		m.players = slices.Delete(m.players, 0, 1)
	}
	m.players = append(m.players, p)
	return p, nil
}

// next decides what to show in the current round of a duel.
func (p *player) next(d *api.Duel, me string) game.Move {
	return p.strategy.Next(slices.Concat(p.past, rounds(d, me)))
}

// keep remembers a duel that is over.
func (p *player) keep(d *api.Duel, me string) {
	p.past = append(p.past, rounds(d, me)...)
	if len(p.past) > maxPast {
		p.past = slices.Clone(p.past[len(p.past)-maxPast/2:])
	}
}
