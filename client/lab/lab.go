// Package lab plays tournaments between strategies offline, by the rules of the service.
// The result is a table of standings, the matches, each duel as a line of JSON, and the
// exploitability of each strategy.
//
//	result, err := lab.Run(ctx, lab.Options{Entrants: lab.All(), Duels: 100, Exploit: lab.ExploitRounds, Seed: seed})
//
// A tournament of strategies is a function of its options: the same seed produces the same
// moves, whatever the number of workers. A match also does not depend on the other entrants.
// Programs that answer in time and derive their moves from the lines that they get keep both.
package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"roshambo/client/program"
	"roshambo/client/strategy"
)

// Entrant is a participant of a tournament: a strategy of the catalogue (Named), a custom
// one, or a program (Program).
type Entrant struct {
	// Name is unique in a tournament. The seeds of its matches are derived from it.
	Name string
	// New returns an independent strategy at each call, since matches run concurrently.
	New func(seed strategy.Seed) strategy.Strategy
	// program plays in place of New; nil for strategies.
	program *program.Program
}

// Program returns a program as an entrant. Its name is the command.
func Program(p *program.Program) Entrant { return Entrant{Name: p.String(), program: p} }

// All returns the strategies of the catalogue as entrants, in its order.
func All() []Entrant {
	var all []Entrant
	for _, e := range strategy.Catalogue() {
		entrant, err := Named(e.Name)
		if err != nil {
			panic(err) // the catalogue lists it
		}
		all = append(all, entrant)
	}
	return all
}

// Named returns a strategy of the catalogue as an entrant, or an error for an unknown
// name.
func Named(name string) (Entrant, error) {
	if _, err := strategy.New(name, strategy.Seed{}); err != nil {
		return Entrant{}, err
	}
	return Entrant{Name: name, New: func(seed strategy.Seed) strategy.Strategy {
		s, err := strategy.New(name, seed)
		if err != nil {
			panic(err) // New has accepted the name above
		}
		return s
	}}, nil
}

// Options configure a tournament. All fields but Workers and Replays are required.
type Options struct {
	// Entrants are at least two, with unique names.
	Entrants []Entrant
	// Duels is the number of duels in each match, best of five as in the service.
	// Strategies remember the rounds of all duels of their match.
	Duels int
	// Exploit is the number of rounds over which exploitability is measured, for
	// example ExploitRounds.
	Exploit int
	// Seed determines all random moves of the tournament.
	Seed strategy.Seed
	// Workers is the number of matches played concurrently; 0 means GOMAXPROCS.
	Workers int
	// Replays receives each duel as a line of JSON (Replay), in the order of
	// Result.Matches; nil discards them.
	Replays io.Writer
}

// Check returns an error if the options do not describe a tournament.
func (o *Options) Check() error {
	if len(o.Entrants) < 2 {
		return errors.New("a tournament needs at least two strategies")
	}
	if o.Duels < 1 {
		return fmt.Errorf("%d duels, want at least 1", o.Duels)
	}
	if o.Exploit < 1 {
		return fmt.Errorf("%d rounds to measure exploitability, want at least 1", o.Exploit)
	}
	if o.Workers < 0 {
		return fmt.Errorf("%d workers, want 0 or more", o.Workers)
	}
	names := map[string]bool{}
	for _, e := range o.Entrants {
		if names[e.Name] {
			return fmt.Errorf("%q is entered twice", e.Name)
		}
		names[e.Name] = true
	}
	return nil
}

// Result is the outcome of a tournament.
type Result struct {
	// Duels is the number of duels per match.
	Duels int `json:"duels"`
	// Standings are sorted by score, then by points, best first.
	Standings []Standing `json:"standings"`
	// Matches are all pairs in the order of the entrants.
	Matches []Match `json:"matches"`
}

// Standing is the result of one entrant over all its matches.
type Standing struct {
	// Name is the entrant's name.
	Name string `json:"name"`
	// Score is the share of its duels that it won; a draw counts half. It is 0 to 1.
	Score float64 `json:"score"`
	// Interval is the confidence interval of Score.
	Interval Interval `json:"interval"`
	// Points is rounds won minus rounds lost, per round: -1 to 1.
	Points float64 `json:"points"`
	// WorstOpponent is the entrant that scored most against it, and Worst its points per
	// round in that match.
	WorstOpponent string  `json:"worst_opponent"`
	Worst         float64 `json:"worst"`
	// Exploitability is the result of Exploit for it: 0 to 1.
	Exploitability float64 `json:"exploitability"`
	// Failed counts the duels in which the program failed, and Failure is its first reason.
	Failed  int    `json:"failed,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// Run plays a tournament: first all matches, then the measurements of exploitability. It
// returns an error for invalid options, when ctx ends, and when Replays fails.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	result := &Result{Duels: o.Duels}
	var pairs [][2]Entrant
	for i, a := range o.Entrants {
		for _, b := range o.Entrants[i+1:] {
			pairs = append(pairs, [2]Entrant{a, b})
		}
	}
	// Each task is a match or a measurement: both take milliseconds at least, so the cost
	// of passing results on does not matter.
	workers := cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	err := inOrder(ctx, workers, pairs, func(pair [2]Entrant) played {
		return playMatch(ctx, pair[0], pair[1], o)
	}, func(p played) error {
		result.Matches = append(result.Matches, p.match)
		return p.writeTo(o.Replays)
	})
	if err != nil {
		return nil, err
	}
	// Exploitability does not depend on the matches; the name is part of its seed.
	err = inOrder(ctx, workers, o.Entrants, func(e Entrant) Standing {
		s := result.standing(e.Name)
		s.Exploitability = Exploit(ctx, e, o.Exploit, o.Seed.Derive("exploit "+e.Name))
		return s
	}, func(s Standing) error {
		result.Standings = append(result.Standings, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(result.Standings, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Points, a.Points))
	})
	return result, nil
}

// standing returns the sums over the matches of one entrant.
func (r *Result) standing(name string) Standing {
	// Points per round are at most 1, so the first match replaces Worst.
	s := Standing{Name: name, Worst: 2}
	var sum Side
	duels, rounds := 0, 0
	for _, m := range r.Matches {
		mine, theirs, ok := m.of(name)
		if !ok {
			continue
		}
		s.Failed, s.Failure = s.Failed+mine.Failed, cmp.Or(s.Failure, mine.Failure)
		sum.Duels += 2*mine.Duels + m.Drawn
		sum.Rounds += mine.Rounds - theirs.Rounds
		duels += r.Duels
		rounds += m.Rounds
		if points := ratio(mine.Rounds-theirs.Rounds, m.Rounds); points < s.Worst {
			s.Worst, s.WorstOpponent = points, theirs.Name
		}
	}
	s.Score, s.Points = ratio(sum.Duels, 2*duels), ratio(sum.Rounds, rounds)
	s.Interval = wilson(sum.Duels, duels)
	return s
}

// ratio returns n/of, rounded to four decimal places: finer differences are noise.
func ratio(n, of int) float64 {
	return float64((10000*n+sign(n)*of/2)/of) / 10000
}

// sign returns -1, 0 or 1, so that ratio rounds away from zero.
func sign(n int) int { return cmp.Compare(n, 0) }
