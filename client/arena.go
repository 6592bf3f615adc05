package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"roshambo/client/api"
)

// pollEvery is the interval of requests if the service does not hold responses.
const pollEvery = time.Second

// Run plays n ranked duels; 0 means until ctx is done. The first one is a duel that an earlier instance of the bot has
// left unfinished; only then, and with enough of the request limit left, Run names the Version and reads the past duels
// from which the strategies know their opponents. When ctx ends, it leaves the queue and returns nil; a duel in
// progress has Linger to finish. With Challenges it plays those, too, meanwhile.
func (b *Bot) Run(ctx context.Context, n int) error {
	err := b.run(ctx, n)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// run is Run without the translation of ctx's error.
func (b *Bot) run(ctx context.Context, n int) error {
	b.looked, b.prepared, b.recalls = false, false, len(b.memory.opponents) == 0
	if b.Challenges {
		end, err := b.beginChallenges(ctx)
		if err != nil {
			return fmt.Errorf("challenges: %w", err)
		}
		defer end()
	}
	during, stop := extend(ctx, b.Linger)
	defer stop()
	for played := 0; n == 0 || played < n; played++ {
		d, err := b.queue(ctx)
		if err != nil {
			return fmt.Errorf("queue: %w", err)
		}
		b.Client.calls.log.Info("matched", "duel", d.ID)
		if d, err = b.Play(during, d); err != nil {
			return fmt.Errorf("duel %s: %w", d.ID, err)
		}
	}
	return nil
}

// extend returns a context that ends d after ctx.
func extend(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, cancel) })
	return late, func() { stop(); cancel() }
}

// queue waits in the queue until the service has matched the bot.
func (b *Bot) queue(ctx context.Context) (*api.Duel, error) {
	ctx = withAttempts(ctx, usual.attempt)
	for {
		if !b.looked || !b.Client.calls.pace.covered() {
			d, err := b.begun(ctx)
			b.looked = true
			if err == nil && d == nil && !b.Client.calls.pace.covered() {
				err = sleep(ctx, usual.hold)
			}
			if ctx.Err() != nil && d == nil {
				d = b.leave(ctx)
			}
			if d != nil {
				return d, nil
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := b.prepare(ctx); err != nil {
			return nil, err
		}
		response, err := b.Client.API.Queue(ctx, Wait(b.hold(usual)))
		held := err == nil && response.Header.Get("Preference-Applied") != ""
		place, err := Read(response, err)
		// The service may have queued or matched the bot before the request was cancelled.
		if ctx.Err() != nil {
			if d := b.leave(ctx); d != nil {
				return d, nil
			}
		}
		// A conflict must not end the bot: another request of the same bot may have been first.
		refused, _ := errors.AsType[*Error](err)
		switch {
		case refused != nil && refused.Status == http.StatusConflict:
			b.Client.calls.log.Debug("refused", "code", clip(refused.Code)) // without effect: ask again
		case err != nil:
			return nil, err
		case place.Duel != nil:
			return place.Duel, nil
		case held:
			continue
		}
		if err := sleep(ctx, pollEvery); err != nil {
			if d := b.leave(ctx); d != nil {
				return d, nil
			}
			return nil, err
		}
	}
}

// begun returns a duel of the arena that the bot plays already, such as one of a cup, which begins without its
// asking, or one of a bot that was killed; nil for none. Its deadlines go on meanwhile, so the reads are steps.
func (b *Bot) begun(ctx context.Context) (*api.Duel, error) {
	ctx = asSteps(ctx, usual)
	mine, active := true, api.ListDuelsParamsStatusActive
	list, err := Read(b.Client.API.ListDuels(ctx, &api.ListDuelsParams{Mine: &mine, Status: &active}))
	if err != nil {
		return nil, err
	}
	for _, listed := range list.Duels {
		if listed.Kind == "ranked" || listed.Kind == "cup" {
			whole, err := Read(b.Client.API.GetDuel(asSteps(ctx, boundsOf(&listed)), listed.ID, nil))
			if err != nil {
				return nil, err
			}
			return &whole.Duel, nil
		}
	}
	return nil, nil
}

// leave removes the bot from the queue before it stops, so that it is not matched, and returns the duel
// for which it was matched before; nil for none. Errors are only logged: the service drops a silent
// entry after ten seconds.
func (b *Bot) leave(ctx context.Context) *api.Duel {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	response, err := b.Client.API.LeaveQueue(ctx)
	out, err := Read(response, err)
	if err != nil {
		b.Client.calls.log.Debug("leave the queue", "error", clip(err.Error()))
		return nil
	}
	return out.Duel
}

// prepare does once in a Run what can wait for a duel in play: it names the version and reads the past duels. A delay
// of its calls would cost that duel its rounds.
func (b *Bot) prepare(ctx context.Context) error {
	if b.prepared {
		return nil
	}
	if err := b.nameVersion(ctx); err != nil {
		return fmt.Errorf("name the version: %w", err)
	}
	if b.recalls {
		if err := b.loadHistory(ctx); err != nil {
			return fmt.Errorf("load past duels: %w", err)
		}
	}
	b.prepared = true
	return nil
}

// recalled is how many past duels loadHistory reads. Each is one request of the limit.
const recalled = 20

// loadHistory fills the memory from the latest finished duels, so that a restarted bot knows its opponents. A duel that
// it has played since its start is among them.
func (b *Bot) loadHistory(ctx context.Context) error {
	mine, limit, finished := true, int64(recalled), api.ListDuelsParamsStatusFinished
	list, err := Read(b.Client.API.ListDuels(ctx,
		&api.ListDuelsParams{Mine: &mine, Limit: &limit, Status: &finished}))
	if err != nil {
		return err
	}
	b.memory.forget()
	// The list omits the rounds, so each duel is read on its own.
	for _, listed := range slices.Backward(list.Duels) { // the list starts with the newest
		whole, err := Read(b.Client.API.GetDuel(ctx, listed.ID, nil))
		if err != nil {
			return err
		}
		me, them, err := sides(&whole.Duel)
		if err != nil {
			return err
		}
		p, err := b.memory.opponent(them.Address, b.Strategy)
		if err != nil {
			return err
		}
		p.record(&whole.Duel, me)
	}
	return nil
}
