package client

import (
	"context"
	"errors"

	"roshambo/client/api"
)

// JoinCup makes the bot a player of a cup that has not started, with the code of a private one. Run then plays the
// duels of the cup as they begin. A bot that plays in the cup already stays in it, so that a program that joins at
// each of its starts can be restarted in the middle of its cup. An error of the service has the code of its reason:
// not_found, forbidden for a cup of people and for a player whom the host has removed, cup_private for a missing or
// wrong code, cup_started, cup_full, in_cup for a bot that is in another cup or whose owner has another bot in this
// one, and limit_reached for a network that has its share of the seats (docs/errors.md).
func (b *Bot) JoinCup(ctx context.Context, number int64, code string) error {
	in := api.JoinCupIn{}
	if code != "" {
		in.Code = &code
	}
	_, err := Read(b.Client.API.JoinCup(ctx, number, in))
	if _, refused := errors.AsType[*Error](err); !refused {
		return err
	}
	// The service names the first reason that it finds, for a player of the cup also that it is full or has started.
	cup, errRead := Read(b.Client.API.GetCup(ctx, number))
	if errRead == nil && cup.You != nil && *cup.You == api.CupOutYouIn && unfinished(&cup.Cup) {
		return nil
	}
	return err
}

// unfinished reports whether a cup has duels to come. A player of a finished cup is in it for ever.
func unfinished(c *api.Cup) bool {
	return c.Status == api.CupStatusOpen || c.Status == api.CupStatusRunning
}
