package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"roshambo/client/api"
)

// pollEvery is how often the bot asks when the service does not hold its answers.
const pollEvery = time.Second

// Run plays n ranked duels, 0 for any number. When ctx ends it leaves the queue and
// returns nil; a duel under way has Linger to come to its end.
func (b *Bot) Run(ctx context.Context, n int) error {
	err := b.run(ctx, n)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

func (b *Bot) run(ctx context.Context, n int) error {
	if err := b.recall(ctx); err != nil {
		return fmt.Errorf("recall past duels: %w", err)
	}
	during, stop := longer(ctx, b.Linger)
	defer stop()
	for played := 0; n == 0 || played < n; played++ {
		d, err := b.queue(ctx)
		if err != nil {
			return fmt.Errorf("queue: %w", err)
		}
		b.Log.Info("matched", "duel", d.ID)
		if d, err = b.Play(during, d); err != nil {
			return fmt.Errorf("duel %s: %w", d.ID, err)
		}
		b.Log.Info("finished", "duel", d.ID, "result", Result(d), "wins_a", d.Wins.A, "wins_b", d.Wins.B)
		if b.Finished != nil {
			b.Finished(d)
		}
	}
	return nil
}

// longer returns a context that ends d after ctx.
func longer(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, cancel) })
	return late, func() { stop(); cancel() }
}

// queue waits for a duel.
func (b *Bot) queue(ctx context.Context) (*api.Duel, error) {
	for {
		response, err := b.Client.API.Queue(ctx, Wait(hold))
		held := err == nil && response.Header.Get("Preference-Applied") != ""
		place, err := Read[api.QueueOut](response, err)
		if ctx.Err() != nil {
			b.leave(ctx)
		}
		switch {
		case err != nil:
			return nil, err
		case place.Duel != nil:
			return place.Duel, nil
		case held:
			continue
		}
		if err := sleep(ctx, pollEvery); err != nil {
			b.leave(ctx)
			return nil, err
		}
	}
}

// leave takes the bot out of the queue, if it can: it is about to stop, and nobody
// should be matched with it. Who is left in it is dropped after ten seconds.
func (b *Bot) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	response, err := b.Client.API.LeaveQueue(ctx)
	if _, err := Read[struct{}](response, err); err != nil {
		b.Log.Debug("leave the queue", "error", err)
	}
}

// recalled is how many duels a bot that was started looks back: with the limit on requests
// in mind, as each is a call.
const recalled = 20

// recall fills the memory from the latest duels that the service remembers, so that a bot
// that was restarted knows its opponents.
func (b *Bot) recall(ctx context.Context) error {
	if len(b.memory.players) > 0 {
		return nil
	}
	mine, limit, finished := true, int64(recalled), api.ListDuelsParamsStatusFinished
	list, err := Read[api.DuelsOut](b.Client.API.ListDuels(ctx, &api.ListDuelsParams{Mine: &mine, Limit: &limit, Status: &finished}))
	if err != nil {
		return err
	}
	for _, listed := range slices.Backward(list.Duels) { // the newest comes first
		whole, err := Read[api.GetDuelOut](b.Client.API.GetDuel(ctx, listed.ID, nil))
		if err != nil {
			return err
		}
		me, them, err := sides(&whole.Duel)
		if err != nil {
			return err
		}
		p, err := b.memory.player(them.Address, b.Strategy)
		if err != nil {
			return err
		}
		p.keep(&whole.Duel, me)
	}
	return nil
}
