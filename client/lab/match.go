package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"roshambo/game"
)

// Match is the outcome of all duels between two entrants.
type Match struct {
	A Side `json:"a"`
	B Side `json:"b"`
	// Drawn counts the duels without a winner.
	Drawn int `json:"drawn"`
	// Rounds counts the rounds of all duels, including ties.
	Rounds int `json:"rounds"`
}

// Side holds the wins of one entrant in a match.
type Side struct {
	Name   string `json:"name"`
	Duels  int    `json:"duels"`
	Rounds int    `json:"rounds"`
	// Interval is the confidence interval of the share of duels that it won.
	Interval Interval `json:"interval"`
	// Failed counts the duels in which the program failed, and Failure is its first reason.
	Failed  int    `json:"failed,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// of returns the match from an entrant's perspective; ok is false if it was not in it.
func (m Match) of(name string) (mine, theirs Side, ok bool) {
	switch name {
	case m.A.Name:
		return m.A, m.B, true
	case m.B.Name:
		return m.B, m.A, true
	}
	return Side{}, Side{}, false
}

// Replay is one duel, a line of Options.Replays.
type Replay struct {
	A string `json:"a"`
	B string `json:"b"`
	// Duel is the number in the match, from 1.
	Duel   int           `json:"duel"`
	Rounds []ReplayRound `json:"rounds"`
	// Winner is a or b; null for a draw.
	Winner *string `json:"winner"`
	// Failures are the reasons for which programs forfeited rounds, by side.
	Failures map[string]string `json:"failures,omitempty"`
}

// ReplayRound is one round of a duel, with the member names of the service's API.
type ReplayRound struct {
	Round int `json:"round"`
	// MoveA and MoveB are absent for a side that forfeited the round.
	MoveA string `json:"move_a,omitempty"`
	MoveB string `json:"move_b,omitempty"`
	// Outcome is a, b, tie, or void if both sides forfeited the round.
	Outcome string `json:"outcome"`
	// ForfeitedBy is a, b or both.
	ForfeitedBy string `json:"forfeited_by,omitempty"`
}

// played is a match with its replays.
type played struct {
	match Match
	// replays is empty unless Options.Replays is set.
	replays bytes.Buffer
	// err is the error that ended the match early.
	err error
}

// writeTo writes the replays to w, if it is not nil, and returns the error of the match.
func (p *played) writeTo(w io.Writer) error {
	if p.err != nil || w == nil {
		return p.err
	}
	_, err := p.replays.WriteTo(w)
	return err
}

// playMatch plays all duels between two entrants. It derives the seeds from their names,
// so that a match is the same in every tournament with the same seed.
func playMatch(ctx context.Context, a, b Entrant, o Options) played {
	p := played{match: Match{A: Side{Name: a.Name}, B: Side{Name: b.Name}}}
	// A strategy must not share a seed with its opponent, nor with another match: equal
	// seeds would correlate their moves.
	seed := o.Seed.Derive("match " + a.Name + " " + b.Name)
	t := pairing{a: newSeat(a, b.Name, seed.Derive("a")), b: newSeat(b, a.Name, seed.Derive("b"))}
	defer t.a.close()
	defer t.b.close()
	lines := json.NewEncoder(&p.replays)
	for n := range o.Duels {
		if p.err = ctx.Err(); p.err != nil {
			return p
		}
		replay := Replay{A: a.Name, B: b.Name, Duel: n + 1}
		p.match.add(t.duel(&replay), &replay)
		p.match.A.fail(t.a.failure)
		p.match.B.fail(t.b.failure)
		if o.Replays == nil {
			continue
		}
		if p.err = lines.Encode(replay); p.err != nil {
			return p
		}
	}
	p.match.measure(o.Duels)
	return p
}

// measure sets the intervals of a match of so many duels.
func (m *Match) measure(duels int) {
	m.A.Interval = wilson(2*m.A.Duels+m.Drawn, duels)
	m.B.Interval = wilson(2*m.B.Duels+m.Drawn, duels)
}

// fail counts a duel in which the program failed, if it did.
func (s *Side) fail(failure error) {
	if failure == nil {
		return
	}
	s.Failed++
	if s.Failure == "" {
		s.Failure = failure.Error()
	}
}

// add counts a duel and sets its winner in the replay.
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
