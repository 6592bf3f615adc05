// Package lab lets strategies play one another offline, by the rules that the service
// plays by: a tournament in which each meets each, what came of it as a table, every
// duel as a line of JSON, and how exploitable each strategy is.
//
//	result, err := lab.Run(ctx, lab.Options{Entrants: lab.All(), Duels: 100, Exploit: lab.ExploitRounds, Seed: seed})
//
// A tournament is a function of its options: the same seed gives the same moves,
// however many workers share the work and whoever else takes part.
package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"roshambo/client/strategy"
	"roshambo/game"
)

// Entrant is who takes part. One's own strategy takes part like those of the
// catalogue, by a constructor.
type Entrant struct {
	Name string
	New  func(seed strategy.Seed) strategy.Strategy
}

// All returns the strategies of the catalogue as entrants.
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

// Named returns a strategy of the catalogue as an entrant.
func Named(name string) (Entrant, error) {
	if _, err := strategy.New(name, strategy.Seed{}); err != nil {
		return Entrant{}, err
	}
	return Entrant{name, func(seed strategy.Seed) strategy.Strategy {
		s, err := strategy.New(name, seed)
		if err != nil {
			panic(err) // it was there a moment ago
		}
		return s
	}}, nil
}

// Options say what is played.
type Options struct {
	Entrants []Entrant // at least two, each name once
	// Duels is how many each plays against each, best of five like the service's.
	// Whoever they are, they remember the rounds of all duels of their match.
	Duels int
	// Exploit is over how many rounds it is measured how exploitable each is.
	Exploit int
	Seed    strategy.Seed
	// Workers is how many matches are played at the same time; 0 is one for each
	// processor.
	Workers int
	// Replays takes each duel as a line of JSON (Replay); nil for nobody.
	Replays io.Writer
}

// Check refuses what cannot be played.
func (o *Options) Check() error {
	if len(o.Entrants) < 2 {
		return errors.New("a tournament takes two strategies at least")
	}
	if o.Duels < 1 {
		return fmt.Errorf("%d duels are none", o.Duels)
	}
	if o.Exploit < 1 {
		return fmt.Errorf("%d rounds are none to measure by", o.Exploit)
	}
	if o.Workers < 0 {
		return fmt.Errorf("%d workers are less than none", o.Workers)
	}
	names := map[string]bool{}
	for _, e := range o.Entrants {
		if names[e.Name] {
			return fmt.Errorf("%q takes part twice", e.Name)
		}
		names[e.Name] = true
	}
	return nil
}

// Result is what came of a tournament.
type Result struct {
	Duels     int        `json:"duels"`     // of each match
	Standings []Standing `json:"standings"` // the best first
	Matches   []Match    `json:"matches"`   // in the order of the entrants
}

// Standing is how one entrant did.
type Standing struct {
	Name string `json:"name"`
	// Score is the share of all its duels that it won, a draw counting half.
	Score float64 `json:"score"`
	// Points is rounds won less rounds lost, for each round.
	Points float64 `json:"points"`
	// WorstOpponent is who took the most points off it, and Worst how many a round.
	WorstOpponent string  `json:"worst_opponent"`
	Worst         float64 `json:"worst"`
	// Exploitability is what who knows its code takes off it, see Exploit.
	Exploitability float64 `json:"exploitability"`
}

// Run plays a tournament. It ends early, with an error, when ctx does.
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

// standing adds up the matches of one entrant.
func (r *Result) standing(name string) Standing {
	s := Standing{Name: name, Worst: 2}
	var sum Side
	duels, rounds := 0, 0
	for _, m := range r.Matches {
		mine, theirs, ok := m.of(name)
		if !ok {
			continue
		}
		sum.Duels += 2*mine.Duels + m.Drawn
		sum.Rounds += mine.Rounds - theirs.Rounds
		duels += r.Duels
		rounds += m.Rounds
		if points := ratio(mine.Rounds-theirs.Rounds, m.Rounds); points < s.Worst {
			s.Worst, s.WorstOpponent = points, theirs.Name
		}
	}
	s.Score, s.Points = ratio(sum.Duels, 2*duels), ratio(sum.Rounds, rounds)
	return s
}

// ratio is n/of to four places, which is more than chance leaves of it.
func ratio(n, of int) float64 {
	return float64((10000*n+sign(n)*of/2)/of) / 10000
}

func sign(n int) int { return cmp.Compare(n, 0) }

// outcome is the outcome of a round for side A.
func outcome(a, b game.Move) game.Side {
	side, _ := game.Judge(game.Hand{Committed: true, Revealed: true, Move: a}, game.Hand{Committed: true, Revealed: true, Move: b})
	return side
}
