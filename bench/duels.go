package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"
)

// rankedDuels measures bots that play ranked duels in sequence, each on its own connection:
// queue, best of five, queue again. They use long polls and never poll.
func (b *bench) rankedDuels(ctx context.Context) error {
	bots := make([]*duelist, b.Connections+b.Connections%2)
	if _, err := b.each(len(bots), func(w *worker, i int) (err error) {
		bots[i], err = w.duelist(ctx, b.server, i)
		return err
	}); err != nil {
		return err
	}
	before, err := b.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	errs := make([]error, len(bots))
	var wait sync.WaitGroup
	for i, d := range bots {
		wait.Go(func() { errs[i] = d.playOn(ctx, b.server, began.Add(b.Duration)) })
	}
	profiled := b.profile(ctx, "1")
	wait.Wait()
	elapsed := time.Since(began)
	after, err := b.cpu()
	if err := errors.Join(err, <-profiled, errors.Join(errs...)); err != nil {
		return err
	}
	var steps, pairings measurement
	duels := 0
	for _, d := range bots {
		steps.merge(d.steps)
		pairings.merge(d.pairings)
		duels += d.won
	}
	steps.elapsed = elapsed
	b.report.row(fmt.Sprintf("ranked duels of %d bots, best of five", len(bots)),
		"%.0f/s; %.0f µs of the server's processors for each",
		float64(duels)/elapsed.Seconds(), float64((after-before)/time.Microsecond)/float64(max(duels, 1)))
	b.report.row("their steps, a commit or a reveal", "%.0f/s; p50 %s, p99 %s, max %s",
		steps.rate(), millis(steps.quantile(0.5)), millis(steps.quantile(0.99)), millis(steps.quantile(1)))
	b.report.row("from the queue to a duel", "p50 %s, p99 %s, max %s",
		millis(pairings.quantile(0.5)), millis(pairings.quantile(0.99)), millis(pairings.quantile(1)))
	return nil
}

// duelist is a bot that plays ranked duels.
type duelist struct {
	*worker
	bot *player
	// steps are the latencies of commits and reveals, pairings the times in the queue.
	steps, pairings []time.Duration
	// won counts the duels that it won: adding up wins counts each duel once. Draws are not
	// counted.
	won int
}

// duelist creates an account and a bot that it owns.
func (w *worker) duelist(ctx context.Context, to *child, i int) (*duelist, error) {
	owner, err := w.guest(ctx, to)
	if err != nil {
		return nil, err
	}
	var out struct {
		Secret string `json:"secret"`
	}
	name := fmt.Sprintf("bench-%d-%d", i, time.Now().UnixNano()%1e9)
	err = w.call(ctx, request{to: to, method: "POST", path: "/api/bots", by: owner, in: map[string]string{"name": name}},
		&out)
	return &duelist{worker: newWorker(), bot: &player{key: out.Secret}}, err
}

// duelView has the members of a duel that a duelist reads.
type duelView struct {
	ID      string  `json:"id"`
	Status  string  `json:"status"`
	You     string  `json:"you"`
	Winner  *string `json:"winner"`
	Version int64   `json:"version"`
	Rounds  []struct {
		Round       int64 `json:"round"`
		Committed   flags `json:"committed"`
		YouRevealed bool  `json:"you_revealed"`
	} `json:"rounds"`
}

// flags has one value for each side.
type flags struct {
	A bool `json:"a"`
	B bool `json:"b"`
}

// duelResponse is a response that contains a duel.
type duelResponse struct {
	Status string    `json:"status"` // of the queue
	Duel   *duelView `json:"duel"`
}

// playOn plays until the deadline and finishes the duel in progress.
func (d *duelist) playOn(ctx context.Context, to *child, deadline time.Time) error {
	defer d.client.CloseIdleConnections()
	for time.Now().Before(deadline) {
		began := time.Now()
		var out duelResponse
		err := d.call(ctx, request{to: to, method: "POST", path: "/api/arena/queue", by: d.bot, in: struct{}{},
			prefer: "wait=2"}, &out)
		if err != nil {
			return err
		}
		if out.Duel == nil {
			continue
		}
		d.pairings = append(d.pairings, time.Since(began))
		for out.Duel.Status == "active" {
			if err := d.step(ctx, to, &out); err != nil {
				return err
			}
		}
		if w := out.Duel.Winner; w != nil && *w == out.Duel.You {
			d.won++
		}
	}
	var left struct{}
	return d.call(ctx, request{to: to, method: "POST", path: "/api/arena/leave", by: d.bot, in: struct{}{}}, &left)
}

// step commits or reveals, or waits for the other side. Waiting is not recorded as a step.
func (d *duelist) step(ctx context.Context, to *child, out *duelResponse) error {
	duel := out.Duel
	round := duel.Rounds[len(duel.Rounds)-1]
	salt := fmt.Sprintf("%s %d %s", d.bot.key[:12], round.Round, duel.ID)
	sum := sha256.Sum256([]byte(salt))
	move := []string{"rock", "paper", "scissors"}[sum[0]%3]
	q := request{to: to, method: "POST", path: "/api/duels/" + duel.ID, by: d.bot}
	mine := round.Committed.A
	if duel.You == "b" {
		mine = round.Committed.B
	}
	switch {
	case !mine:
		q.path += "/commit"
		q.in = map[string]any{"commitment": fmt.Sprintf("%x", sha256.Sum256([]byte(move+":"+salt))), "round": round.Round}
	case round.Committed.A && round.Committed.B && !round.YouRevealed:
		q.path += "/reveal"
		q.in = map[string]any{"move": move, "salt": salt, "round": round.Round}
	default:
		q.method, q.prefer = "GET", "wait=20"
		q.path += fmt.Sprintf("?version=%d", duel.Version)
		return d.call(ctx, q, out)
	}
	began := time.Now()
	err := d.call(ctx, q, out)
	d.steps = append(d.steps, time.Since(began))
	return err
}
