package lab_test

import (
	"context"
	"fmt"

	"roshambo/client/lab"
	"roshambo/client/strategy"
	"roshambo/game"
)

// stubborn is a strategy of one's own: it keeps what it shows until it loses.
type stubborn struct{}

func (stubborn) Name() string { return "stubborn" }

func (stubborn) Next(history []strategy.Round) game.Move {
	move := game.Rock
	for _, r := range history {
		if move.Against(r.Theirs) == game.Loss {
			move = (move + 1) % 3
		}
	}
	return move
}

// A strategy of one's own, against one of the catalogue.
func Example() {
	markov, err := lab.Named("markov-1")
	if err != nil {
		panic(err)
	}
	mine := lab.Entrant{Name: "stubborn", New: func(strategy.Seed) strategy.Strategy { return stubborn{} }}
	result, err := lab.Run(context.Background(), lab.Options{
		Entrants: []lab.Entrant{mine, markov}, Duels: 50, Exploit: 200, Seed: strategy.Seed{1},
	})
	if err != nil {
		panic(err)
	}
	for _, s := range result.Standings {
		fmt.Printf("%s %.2f, exploitable %.2f\n", s.Name, s.Score, s.Exploitability)
	}
	// Output:
	// markov-1 1.00, exploitable 1.00
	// stubborn 0.00, exploitable 1.00
}
