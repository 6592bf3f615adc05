// Package housebot plays the service's own bots, so that every bot in the arena finds an opponent:
// a dozen strategies of package client/strategy, from a constant rock to Iocaine Powder. The house
// bots are ordinary callers: they use the public API with keys and have no more information than
// other bots.
//
// Waiting bots cost little: each keeps one long poll open, renewed twice a minute, and the arena
// pairs them with one another slowly. Package app stops them while the service is not used.
package housebot

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"roshambo/client"
	"roshambo/client/strategy"
)

// lineup lists the strategies that play.
var lineup = []string{
	"rock", "rotate", "de-bruijn", "random", "beat-last", "win-stay",
	"frequency", "anti-rotation", "markov-2", "history", "iocaine", "hedge",
}

// Bot is one of the house's bots.
type Bot struct {
	Name     string // its username
	Strategy string // its name in package strategy's catalogue
}

// Bots returns all house bots, named prefix + strategy.
func Bots(prefix string) []Bot {
	var bots []Bot
	for _, name := range lineup {
		bots = append(bots, Bot{Name: prefix + name, Strategy: name})
	}
	return bots
}

// Config configures the bots.
type Config struct {
	URL       string
	Transport http.RoundTripper
	Key       func(name string) string // returns the API key of a bot
	// Salt returns a bot's salt for a round of a duel. It is derived from a secret of the service,
	// so that a node that takes over after a crash can reveal the commitments of the failed one.
	Salt func(name, duel string, round int64) string
	Rand io.Reader
	Log  *slog.Logger
	// Linger is how long a duel may continue after Play's context is done.
	Linger time.Duration
}

// retry is the pause of a bot after an error.
const retry = 10 * time.Second

// Play runs the bots until ctx ends. It logs their errors, and returns an error only when a bot
// cannot be created.
func Play(ctx context.Context, c Config, bots []Bot) error {
	var playing sync.WaitGroup
	defer playing.Wait()
	for _, b := range bots {
		player, err := c.player(b)
		if err != nil {
			return fmt.Errorf("house: %s: %w", b.Name, err)
		}
		playing.Go(func() {
			for ctx.Err() == nil {
				if err := player.Run(ctx, 0); err != nil && ctx.Err() == nil {
					c.Log.Error("house bot", "name", b.Name, "error", err)
				}
				select {
				case <-ctx.Done():
				case <-time.After(retry):
				}
			}
		})
	}
	return nil
}

// player returns a bot that is ready to play.
func (c *Config) player(b Bot) (*client.Bot, error) {
	caller, err := client.New(client.Options{
		URL: c.URL, Key: c.Key(b.Name), Transport: c.Transport, RetryBudget: -1, Rand: c.Rand,
	})
	if err != nil {
		return nil, err
	}
	// A new seed at each start: callers cannot learn a strategy's coin flips over time.
	var seed strategy.Seed
	if _, err := io.ReadFull(c.Rand, seed[:]); err != nil {
		return nil, err
	}
	return client.NewBot(client.BotOptions{
		Client: caller, Rand: c.Rand, Linger: c.Linger, WithoutReceipts: true,
		Salt: func(duel string, round int64) string { return c.Salt(b.Name, duel, round) },
		Strategy: func(opponent string) (strategy.Strategy, error) {
			return strategy.New(b.Strategy, seed.Derive(opponent))
		},
	})
}
