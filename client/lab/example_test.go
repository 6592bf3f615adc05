package lab_test

import (
	"context"
	"fmt"

	"roshambo/client/lab"
	"roshambo/client/strategy"
	"roshambo/game"
)

// keeper is a custom strategy: it keeps its move until it loses.
type keeper struct{}

func (keeper) Name() string { return "keeper" }

func (keeper) Next(history []strategy.Round) game.Move {
	move := game.Rock
	for _, r := range history {
		if move.Against(r.Theirs) == game.Loss {
			move = (move + 1) % 3
		}
	}
	return move
}

// A custom strategy against one of the catalogue.
func Example() {
	markov, err := lab.Named("markov-1")
	if err != nil {
		panic(err)
	}
	mine := lab.Entrant{Name: "keeper", New: func(strategy.Seed) strategy.Strategy { return keeper{} }}
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
	// keeper 0.00, exploitable 1.00
}
