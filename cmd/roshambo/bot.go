package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
)

// botCommand plays the arena.
type botCommand struct {
	URL      string `name:"url" help:"Where the service is." default:"http://127.0.0.1:8080" env:"ROSHAMBO_URL"`
	Key      string `help:"The key of the bot, rsb_…; better in the environment, where other users do not see it." env:"ROSHAMBO_KEY"`
	Strategy string `help:"What it plays; roshambo lab --list names what there is." default:"iocaine"`
	Duels    int    `help:"How many ranked duels to play; 0 is any number." default:"0"`
	State    string `help:"File for the hand that it has committed to, so that a restart loses nothing." type:"path" placeholder:"FILE"`
	Verbose  bool   `short:"v" help:"Log what goes on."`
}

// linger is how long a duel under way may take after a signal to stop. Most take less than
// a second; the longest wait is for an opponent that is gone.
const linger = time.Minute

// Run plays until it has played enough, or is told to stop: then it leaves the queue and
// finishes the duel under way. Exit status 2 is for what cannot be played at all.
func (c *botCommand) Run(ctx context.Context, code *int) error {
	var seed strategy.Seed
	if _, err := rand.Read(seed[:]); err != nil {
		return err
	}
	pick := func(opponent string) (strategy.Strategy, error) {
		return strategy.New(c.Strategy, seed.Derive(opponent))
	}
	_, err := pick("")
	if c.Key == "" {
		err = errors.Join(err, errors.New("the bot's key is missing: --key, or ROSHAMBO_KEY"))
	}
	if c.Duels < 0 {
		err = errors.Join(err, fmt.Errorf("%d duels, want 0 or more", c.Duels))
	}
	// It waits for a service that restarts as long as it takes.
	caller, errClient := client.New(client.Options{URL: c.URL, Key: c.Key, RetryBudget: -1})
	if err = errors.Join(err, errClient); err != nil {
		*code = 2
		return err
	}
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelInfo
	}
	won, played := 0, 0
	bot, err := client.NewBot(client.BotOptions{
		Client: caller, Strategy: pick, State: c.State, Linger: linger,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
		OnFinished: func(d *api.Duel) {
			played++
			result := client.Result(d)
			if result == "won" {
				won++
			}
			fmt.Printf("%s against %s, %d of %d won: %s/d/%s\n", result, opponent(d), won, played, c.URL, d.ID)
		},
	})
	if err != nil {
		return err
	}
	return bot.Run(ctx, c.Duels)
}

// opponent is the name of who played the other side.
func opponent(d *api.Duel) string {
	if d.You != nil && *d.You == api.DuelYouB {
		return d.A.Username
	}
	return d.B.Username
}
