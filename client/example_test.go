package client_test

import (
	"context"
	"crypto/rand"
	"fmt"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
)

// A bot that plays ten ranked duels with the strategy Iocaine Powder.
func ExampleBot() {
	ctx := context.Background()
	var seed strategy.Seed
	if _, err := rand.Read(seed[:]); err != nil {
		panic(err)
	}
	c, err := client.New(client.Options{URL: "http://127.0.0.1:8080", Key: "rsb_…", RetryBudget: -1})
	if err != nil {
		panic(err)
	}
	b, err := client.NewBot(client.BotOptions{
		Client: c, State: "bot.json",
		Strategy: func(opponent string) (strategy.Strategy, error) {
			return strategy.New("iocaine", seed.Derive(opponent))
		},
		Ended: func(d *api.Duel) { fmt.Println(client.Result(d)) },
	})
	if err != nil {
		panic(err)
	}
	if err := b.Run(ctx, 10); err != nil {
		panic(err)
	}
}

// Any operation of the API: here, the arena's leaderboard.
func ExampleRead() {
	c, err := client.New(client.Options{URL: "http://127.0.0.1:8080"})
	if err != nil {
		panic(err)
	}
	board, err := client.Read(c.API.ArenaLeaderboard(context.Background(), nil))
	if client.Code(err) == "rate_limited" {
		fmt.Println("too many at once")
	} else if err != nil {
		panic(err)
	}
	for _, row := range board.Rows {
		fmt.Println(row.Rank, row.Username, row.Rating)
	}
}
