//go:build ignore

// Counts the moves of all finished duels, from the data in bulk.
//
//	go run client/examples/data.go http://127.0.0.1:8080
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"roshambo/client"
	"roshambo/client/api"
)

func main() {
	c, err := client.New(client.Options{URL: os.Args[1]})
	if err != nil {
		log.Fatal(err)
	}
	counts := map[string]int{"rock": 0, "paper": 0, "scissors": 0}
	for line, err := range client.Lines(context.Background(),
		func(ctx context.Context, after *string) (*api.Answer[[]byte], error) {
			return c.API.DataDuels(ctx, &api.DataDuelsParams{After: after})
		},
		func(line *api.DuelLine) string { return line.Cursor },
	) {
		if err != nil {
			log.Fatal(err)
		}
		for _, round := range line.Duel.Rounds {
			if round.MoveA != nil {
				counts[string(*round.MoveA)]++
			}
			if round.MoveB != nil {
				counts[string(*round.MoveB)]++
			}
		}
	}
	fmt.Println(counts)
}
