package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"roshambo/client/api"
	"roshambo/client/program"
	"roshambo/client/strategy"
	"roshambo/game"
)

// A challenge is played by a second Bot beside the first one, with the same key and options and a hand of its own: its
// other side may be a person, with a minute for each step, or may want to keep the bot from its ranked duels and cups.
// The first Bot never waits for it.
//
// The second Bot plays one challenge at a time: an attacker with many accounts can keep it from other challenges, and
// from nothing that counts. It accepts while a third of the request limit is left, as the first one asks for ranked
// duels, so that a duel in play always has the calls that it needs.

// challengeEvery is the interval of requests for challenges, each of which waits for ten minutes at least.
const challengeEvery = 10 * time.Second

// nameVersion names the version of the program on the bot's profile. The service keeps the same version as it is, so
// that a restart changes nothing.
func (b *Bot) nameVersion(ctx context.Context) error {
	if b.Version == "" {
		return nil
	}
	me, err := Read[api.MeOut](b.Client.API.GetMe(ctx))
	if err != nil {
		return err
	}
	_, err = Read[api.DescribeOut](b.Client.API.DescribeBot(ctx, me.Account.Address, api.DescribeIn{Version: &b.Version}))
	if Code(err) == "words_hidden" { // it plays all the same
		b.Client.calls.log.Warn("an operator has hidden the words of this bot", "version", b.Version)
		return nil
	}
	return err
}

// beginChallenges begins to accept and play challenges. end stops accepting them; one in progress has Linger to finish,
// and end waits for it.
func (b *Bot) beginChallenges(ctx context.Context) (end func(), err error) {
	// The second Bot shares the client, and so its pace, the functions, one at a time, and the file of receipts, of which
	// each line is appended at once. It has a hand of its own: two duels would overwrite one.
	o := b.BotOptions
	o.Challenges, o.Version = false, ""
	if o.State != "" {
		o.State += ".challenge"
	}
	second, err := NewBot(o)
	if err != nil {
		return nil, err
	}
	accepting, cancel := context.WithCancel(ctx)
	playing, stop := extend(accepting, b.Linger) // so a challenge that stalls holds Run up no longer
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := second.playChallenges(accepting, playing); accepting.Err() == nil {
			b.Client.calls.log.Error("no more challenges are accepted", "error", clip(err.Error()))
		}
	}()
	return func() { cancel(); <-done; stop() }, nil
}

// playChallenges accepts and plays challenges until accepting ends; playing ends the one in progress. It always returns
// an error. It goes on with a challenge that an earlier instance of the bot has accepted, since a round of it that is
// not played is forfeited. After an error it accepts no others: a challenge that cannot be played as it should be, such
// as one without receipts, is no reason to end the ranked duels, which find the same fault by themselves.
func (b *Bot) playChallenges(accepting, playing context.Context) error {
	d, err := b.acceptedBefore(accepting)
	for ; err == nil; d, err = b.accept(accepting) {
		if d == nil {
			// A challenge that comes meanwhile is accepted in time.
			if err := sleep(accepting, challengeEvery); err != nil {
				return err
			}
			continue
		}
		b.Client.calls.log.Info("accepted a challenge", "duel", d.ID)
		if d, err = b.Play(playing, d); err != nil {
			return fmt.Errorf("duel %s: %w", d.ID, err)
		}
	}
	return err
}

// acceptedBefore returns a duel that the bot has joined by its code and that goes on; nil for none. A duel that the
// bot has opened is another program's.
func (b *Bot) acceptedBefore(ctx context.Context) (*api.Duel, error) {
	ctx = asSteps(ctx, usual) // its deadlines go on
	mine, active := true, api.ListDuelsParamsStatusActive
	list, err := Read[api.DuelsOut](b.Client.API.ListDuels(ctx, &api.ListDuelsParams{Mine: &mine, Status: &active}))
	if err != nil {
		return nil, err
	}
	for _, listed := range list.Duels {
		if listed.Kind == "open" && !listed.Listed && listed.You != nil && *listed.You == api.DuelYouB {
			whole, err := Read[api.GetDuelOut](b.Client.API.GetDuel(asSteps(ctx, boundsOf(&listed)), listed.ID, nil))
			if err != nil {
				return nil, err
			}
			return &whole.Duel, nil
		}
	}
	return nil, nil
}

// accept joins the oldest challenge without a stake that waits for the bot, and returns the duel; nil for none, and
// while little of the request limit is left. It leaves challenges with a stake to the bot's owner, since the strategy
// does not weigh coins. They expire, or are declined by cancelDuel.
func (b *Bot) accept(ctx context.Context) (*api.Duel, error) {
	if !b.Client.calls.pace.covered() {
		return nil, nil
	}
	// A duel that the bot has joined begins at once, so an answer that is lost in silence is given up soon.
	ctx = withAttempts(ctx, usual.attempt)
	forMe := true
	list, err := Read[api.DuelsOut](b.Client.API.ListDuels(ctx, &api.ListDuelsParams{ForMe: &forMe}))
	if err != nil {
		return nil, err
	}
	for _, challenge := range slices.Backward(list.Duels) { // the list starts with the newest
		if challenge.Stake > 0 {
			continue
		}
		joined, err := Read[api.DuelOut](b.Client.API.JoinDuel(ctx, challenge.ID))
		if err == nil {
			return &joined.Duel, nil
		}
		refused, ok := errors.AsType[*Error](err)
		if !ok || refused.Status != http.StatusConflict {
			return nil, err
		}
		// Its creator has cancelled it, it has expired, or the bot has too many unfinished duels.
		b.Client.calls.log.Debug("refused", "duel", challenge.ID, "code", clip(refused.Code))
	}
	return nil, nil
}

// oneAtATime returns options whose functions are not called concurrently by the Bots that share them. Between them they
// take the time of a move at most, which a step of a ranked duel has left. The Client is safe for concurrent use, and
// Salt depends on its arguments alone.
func oneAtATime(o BotOptions) BotOptions {
	mu := &sync.Mutex{}
	pick, choose, ended := o.Strategy, o.Choose, o.Ended
	o.Strategy = func(opponent string) (strategy.Strategy, error) {
		mu.Lock()
		defer mu.Unlock()
		return pick(opponent)
	}
	if choose != nil {
		o.Choose = func(t program.Turn) (game.Move, error) {
			mu.Lock()
			defer mu.Unlock()
			return choose(t)
		}
	}
	if ended != nil {
		o.Ended = func(d *api.Duel) {
			mu.Lock()
			defer mu.Unlock()
			ended(d)
		}
	}
	o.Rand = &lockedReader{reader: o.Rand}
	return o
}

// lockedReader reads for one caller at a time.
type lockedReader struct {
	mu     sync.Mutex
	reader io.Reader
}

// Read implements io.Reader.
func (r *lockedReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reader.Read(p)
}
