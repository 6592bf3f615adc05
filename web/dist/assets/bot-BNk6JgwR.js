var e=`// Command sdk is a bot for the arena, on package client.
//
//	ROSHAMBO_KEY=rsb_… go run ./starter/sdk http://127.0.0.1:8080 3
//
// plays three ranked duels with the key of a bot, and prints the result of each. Change Next. Ctrl-C ends the duel in
// play, within a minute, and leaves the queue.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/game"
)

// frequent beats the most frequent of the opponent's last ten moves, and plays at random one time in five.
type frequent struct{}

func (frequent) Name() string { return "frequent" }

func (frequent) Next(history []strategy.Round) game.Move {
	if len(history) == 0 || rand.IntN(5) == 0 {
		return game.Move(rand.IntN(3))
	}
	var count [3]int
	most := game.Rock
	for _, played := range history[max(0, len(history)-10):] {
		if count[played.Theirs]++; count[played.Theirs] > count[most] {
			most = played.Theirs
		}
	}
	return (most + 1) % 3 // each move beats the one before it
}

func main() {
	url, duels := "", 1
	if n, _ := fmt.Sscan(strings.Join(os.Args[1:], " "), &url, &duels); n == 0 {
		log.Fatal("usage: ROSHAMBO_KEY=rsb_… go run ./starter/sdk URL [DUELS]")
	}
	if err := play(url, duels); err != nil {
		log.Fatal(err)
	}
}

func play(url string, duels int) error {
	c, err := client.New(client.Options{URL: url, Key: os.Getenv("ROSHAMBO_KEY"), RetryBudget: -1})
	if err != nil {
		return err
	}
	bot, err := client.NewBot(client.BotOptions{
		Client: c, State: "bot.json", Receipts: "receipts.jsonl", Linger: time.Minute,
		Strategy: func(string) (strategy.Strategy, error) { return frequent{}, nil },
		Ended:    func(d *api.Duel) { fmt.Printf("%s, %s/d/%s\\n", client.Result(d), url, d.ID) },
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return bot.Run(ctx, duels)
}
`;export{e as default};