// Package housebot plays the service's own bots, so that whoever comes to the arena finds an
// opponent: a dozen strategies of package client/strategy, from a rock to an Iocaine
// Powder. They are callers like any others: they play through the public API, with keys,
// and know nothing that other bots cannot know.
//
// They cost next to nothing while nobody plays them. Waiting is one held call each,
// renewed twice a minute, and the arena pairs them with one another rarely.
package housebot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"roshambo/client"
	"roshambo/client/strategy"
)

// lineup is which strategies play.
var lineup = []string{
	"rock", "rotate", "de-bruijn", "random", "beat-last", "win-stay",
	"frequency", "anti-rotation", "markov-2", "history", "iocaine", "hedge",
}

// Bot is one of the house's bots.
type Bot struct {
	Name     string // its username
	Strategy string // what it plays, by its name in the catalogue
}

// Bots returns all of them, named after what they play.
func Bots(prefix string) []Bot {
	var bots []Bot
	for _, name := range lineup {
		bots = append(bots, Bot{prefix + name, name})
	}
	return bots
}

// Config says where the bots play.
type Config struct {
	URL       string
	Transport http.RoundTripper
	Key       func(name string) string // of a bot
	// Salt returns the salt of a bot for a round of a duel. It follows from a secret of the
	// service, so that another node, which takes over when this one has died, can reveal
	// what was committed to here.
	Salt func(name, duel string, round int64) string
	Rand io.Reader
	Log  *slog.Logger
}

// retry is how long a bot that could not go on waits before it begins again.
const retry = 10 * time.Second

// Play lets the bots play until ctx ends.
func Play(ctx context.Context, c Config, bots []Bot) error {
	var g errgroup.Group
	for _, b := range bots {
		player, err := c.player(b)
		if err != nil {
			return errors.Join(fmt.Errorf("house: %s: %w", b.Name, err), g.Wait())
		}
		g.Go(func() error {
			for ctx.Err() == nil {
				if err := player.Run(ctx, 0); err != nil {
					c.Log.Error("a bot of the house", "name", b.Name, "error", err)
				}
				select {
				case <-ctx.Done():
				case <-time.After(retry):
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// player returns a bot that is ready to play.
func (c *Config) player(b Bot) (*client.Bot, error) {
	caller, err := client.New(client.Options{
		URL: c.URL, Key: c.Key(b.Name), Transport: c.Transport, RetryBudget: -1, Rand: c.Rand,
	})
	if err != nil {
		return nil, err
	}
	// Of its own each time that the service starts: nobody learns the coins by waiting.
	var seed strategy.Seed
	if _, err := io.ReadFull(c.Rand, seed[:]); err != nil {
		return nil, err
	}
	return client.NewBot(client.BotOptions{
		Client: caller, Rand: c.Rand,
		Salt: func(duel string, round int64) string { return c.Salt(b.Name, duel, round) },
		Strategy: func(opponent string) (strategy.Strategy, error) {
			return strategy.New(b.Strategy, seed.Derive(opponent))
		},
	})
}
