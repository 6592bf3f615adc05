package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// pairing measures the time that bots wait for an opponent when a number of them enters the
// queue, at once or within some seconds. Bots are used once, since a paired one is in a
// duel.
func (b *bench) pairing(ctx context.Context) error {
	for _, c := range []struct {
		bots, times int
		within      time.Duration
	}{{2, 100, 0}, {200, 5, 0}, {2000, 1, 0}, {2000, 1, 5 * time.Second}} {
		var m measurement
		for range c.times {
			waited, err := b.enter(ctx, c.bots, c.within)
			if err != nil {
				return err
			}
			m.merge(waited)
		}
		when := "at once"
		if c.within > 0 {
			when = fmt.Sprintf("within %v", c.within)
		}
		b.report.row(fmt.Sprintf("from the queue to a duel, %d bots that enter it %s", c.bots, when),
			"p50 %s, p99 %s, max %s",
			millis(m.quantile(0.5)), millis(m.quantile(0.99)), millis(m.quantile(1)))
	}
	return nil
}

// enter lets n bots enter the queue and returns the time that each of them was in it.
func (b *bench) enter(ctx context.Context, n int, within time.Duration) ([]time.Duration, error) {
	bots := make([]*duelist, n)
	if _, err := b.each(n, func(w *worker, i int) (err error) {
		if bots[i], err = w.duelist(ctx, b.server, i); err != nil {
			return err
		}
		// Open the connection first, as a bot that has played before has one.
		return bots[i].call(ctx, request{to: b.server, method: "GET", path: "/api/me", by: bots[i].bot}, &struct{}{})
	}); err != nil {
		return nil, err
	}
	waited, errs := make([]time.Duration, n), make([]error, n)
	var wait sync.WaitGroup
	for i, d := range bots {
		due := time.NewTimer(within * time.Duration(i) / time.Duration(n))
		wait.Go(func() {
			defer d.client.CloseIdleConnections()
			<-due.C
			began := time.Now()
			var out duelResponse
			errs[i] = d.call(ctx, request{to: b.server, method: "POST", path: "/api/arena/queue", by: d.bot, in: struct{}{},
				prefer: "wait=30"}, &out)
			waited[i] = time.Since(began)
			if errs[i] == nil && out.Duel == nil {
				errs[i] = fmt.Errorf("a bot without an opponent: %s", out.Status)
			}
		})
	}
	wait.Wait()
	return waited, errors.Join(errs...)
}
