package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"roshambo/client/strategy"
	"roshambo/game"
)

// Match is what came of all duels between two entrants.
type Match struct {
	A      Side `json:"a"`
	B      Side `json:"b"`
	Drawn  int  `json:"drawn"`  // duels that nobody won
	Rounds int  `json:"rounds"` // of all duels, tied ones too
}

// Side is what one of the two won.
type Side struct {
	Name   string `json:"name"`
	Duels  int    `json:"duels"`
	Rounds int    `json:"rounds"`
}

// of returns the match as an entrant saw it; not ok when it was not in it.
func (m Match) of(name string) (mine, theirs Side, ok bool) {
	switch name {
	case m.A.Name:
		return m.A, m.B, true
	case m.B.Name:
		return m.B, m.A, true
	}
	return Side{}, Side{}, false
}

// Replay is a duel, one line of what Options.Replays takes.
type Replay struct {
	A      string        `json:"a"`
	B      string        `json:"b"`
	Duel   int           `json:"duel"` // the number in the match, from 1
	Rounds []ReplayRound `json:"rounds"`
	Winner *string       `json:"winner"` // a or b, null for a draw
}

// ReplayRound is one round of a duel, named as in the service's duels.
type ReplayRound struct {
	Round   int    `json:"round"`
	MoveA   string `json:"move_a"`
	MoveB   string `json:"move_b"`
	Outcome string `json:"outcome"` // a, b or tie
}

// played is a match with its replays.
type played struct {
	match   Match
	replays bytes.Buffer
	err     error
}

func (p *played) writeTo(w io.Writer) error {
	if p.err != nil || w == nil {
		return p.err
	}
	_, err := p.replays.WriteTo(w)
	return err
}

// playMatch plays all duels between two entrants. The seeds come from their names, so
// that a match does not depend on who else takes part.
func playMatch(ctx context.Context, a, b Entrant, o Options) played {
	p := played{match: Match{A: Side{Name: a.Name}, B: Side{Name: b.Name}}}
	seed := o.Seed.Derive("match " + a.Name + " " + b.Name)
	t := table{a: a.New(seed.Derive("a")), b: b.New(seed.Derive("b"))}
	lines := json.NewEncoder(&p.replays)
	for n := range o.Duels {
		if p.err = ctx.Err(); p.err != nil {
			return p
		}
		replay := Replay{A: a.Name, B: b.Name, Duel: n + 1}
		p.match.add(t.duel(&replay), &replay)
		if o.Replays == nil {
			continue
		}
		if p.err = lines.Encode(replay); p.err != nil {
			return p
		}
	}
	return p
}

// add counts a duel, and names its winner in the replay.
func (m *Match) add(d game.BestOfFive, replay *Replay) {
	m.A.Rounds += d.WinsA
	m.B.Rounds += d.WinsB
	m.Rounds += d.Rounds
	winner := d.Winner()
	switch winner {
	case game.A:
		m.A.Duels++
	case game.B:
		m.B.Duels++
	default:
		m.Drawn++
		return
	}
	name := winner.String()
	replay.Winner = &name
}

// table is where two strategies sit, with what each has seen of the other.
type table struct {
	a, b strategy.Strategy
	sawA []strategy.Round
	sawB []strategy.Round
}

// round plays one round.
func (t *table) round() (a, b game.Move) {
	a, b = t.a.Next(t.sawA), t.b.Next(t.sawB)
	t.sawA = append(t.sawA, strategy.Round{Mine: a, Theirs: b})
	t.sawB = append(t.sawB, strategy.Round{Mine: b, Theirs: a})
	return a, b
}

// duel plays rounds until the duel is decided.
func (t *table) duel(replay *Replay) game.BestOfFive {
	var d game.BestOfFive
	for !d.Decided() {
		a, b := t.round()
		who := outcome(a, b)
		d.Add(who)
		replay.Rounds = append(replay.Rounds, ReplayRound{d.Rounds, a.String(), b.String(), who.String()})
	}
	return d
}
