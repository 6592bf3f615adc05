package main

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// guests measures the creation of guest accounts.
func (b *bench) guests(ctx context.Context) error {
	m, err := b.measure(ctx, func(ctx context.Context, w *worker) error {
		_, err := w.guest(ctx, b.server)
		return err
	})
	b.report.rate("guests opened", m)
	return err
}

// runResponse has the members of responses about runs that the bench reads.
type runResponse struct {
	Run struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"run"`
}

// throws measures durable throws. Throws of one run must be 250 ms apart, so a few thousand
// runs alternate: all active runs throw once, which is measured; then runs that won
// continue and lost ones start again, which is not.
func (b *bench) throws(ctx context.Context) (err error) {
	b.thrown, err = b.throwing(ctx)
	b.report.rate("durable throws", b.thrown)
	return err
}

// throwing lets all accounts throw until Duration of measured time has passed.
func (b *bench) throwing(ctx context.Context) (total measurement, err error) {
	players := make([]*player, b.Accounts)
	if _, err := b.each(b.Accounts, func(w *worker, i int) (err error) {
		players[i], err = w.guest(ctx, b.server)
		return err
	}); err != nil {
		return total, err
	}
	status := make([]string, b.Accounts)
	for round := 1; total.elapsed < b.Duration; round++ {
		_, err := b.each(b.Accounts, func(w *worker, i int) (err error) {
			status[i], err = w.ready(ctx, b.server, players[i], status[i])
			return err
		})
		if err != nil {
			return total, err
		}
		profiled := b.profile(ctx, strconv.Itoa(round))
		m, err := b.each(b.Accounts, func(w *worker, i int) (err error) {
			status[i], err = w.throw(ctx, b.server, players[i])
			return err
		})
		if err := errors.Join(err, <-profiled); err != nil {
			return total, err
		}
		total.elapsed += m.elapsed
		total.cpu += m.cpu
		total.database += m.database
		total.merge(m.latencies)
	}
	return total, nil
}

// ready brings a player's run to the state in which a throw is due. A player who cannot pay
// the entry is replaced by a new one.
func (w *worker) ready(ctx context.Context, to *child, p *player, status string) (string, error) {
	switch status {
	case "active":
		return status, nil
	case "deciding":
		var out runResponse
		return "active", w.call(ctx, request{to: to, method: "POST", path: "/api/runs/" + p.run + "/continue", by: p}, &out)
	}
	err := w.start(ctx, to, p)
	var refused *statusError
	if errors.As(err, &refused) && refused.status == 409 {
		fresh, err := w.guest(ctx, to)
		if err != nil {
			return "", err
		}
		*p = *fresh
		return "active", w.start(ctx, to, p)
	}
	return "active", err
}

// start starts a run.
func (w *worker) start(ctx context.Context, to *child, p *player) error {
	var out runResponse
	err := w.call(ctx, request{to: to, method: "POST", path: "/api/runs", by: p,
		in: map[string]string{"client_seed": "bench"}}, &out)
	p.run = out.Run.ID
	return err
}

// throw throws once and returns the status of the run.
func (w *worker) throw(ctx context.Context, to *child, p *player) (string, error) {
	var out runResponse
	err := w.call(ctx, request{to: to, method: "POST", path: "/api/runs/" + p.run + "/throw", by: p,
		in: map[string]string{"move": "rock"}}, &out)
	return out.Run.Status, err
}

// queues creates accounts for each connection to use in turn.
func (b *bench) queues(ctx context.Context) ([][]*player, error) {
	queues := make([][]*player, b.Connections)
	perWorker := max(b.Accounts/b.Connections, 1)
	_, err := b.each(b.Connections, func(w *worker, i int) error {
		for range perWorker {
			p, err := w.guest(ctx, b.server)
			if err != nil {
				return err
			}
			queues[i] = append(queues[i], p)
		}
		return nil
	})
	return queues, err
}

// ledgerCalls measures calls that only write to the ledger: the start of a run, and its
// abandonment. The chain grows meanwhile.
func (b *bench) ledgerCalls(ctx context.Context) error {
	queues, err := b.queues(ctx)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(b.Duration)
	m, err := b.each(b.Connections, func(w *worker, i int) error {
		for n := 0; time.Now().Before(deadline); n++ {
			p := queues[i][n%len(queues[i])]
			if _, err := w.ready(ctx, b.server, p, ""); err != nil {
				return err
			}
			var out runResponse
			err := w.call(ctx, request{to: b.server, method: "POST", path: "/api/runs/" + p.run + "/abandon", by: p}, &out)
			if err != nil {
				return err
			}
		}
		return nil
	})
	b.report.rate("calls that write to the ledger: the start of a run, giving it up", m)
	return err
}

// wholeRuns measures runs from their start to a token on the chain: start, throws until one
// wins, claim, and finally the wait until no transaction is pending.
func (b *bench) wholeRuns(ctx context.Context) error {
	queues, err := b.queues(ctx)
	if err != nil {
		return err
	}
	claimed, posted := make([]int, b.Connections), make([][]time.Duration, b.Connections)
	began := time.Now()
	m, err := b.each(b.Connections, func(w *worker, i int) (err error) {
		claimed[i], err = w.playOn(ctx, b.server, queues[i], began.Add(b.Duration))
		posted[i] = w.posted
		return err
	})
	if err != nil {
		return err
	}
	if err := b.untilSealed(ctx); err != nil {
		return err
	}
	sum, writing := 0, measurement{elapsed: m.elapsed}
	for i, n := range claimed {
		sum += n
		writing.merge(posted[i])
	}
	b.report.row("whole runs with their token on the chain", "%.0f/s", float64(sum)/time.Since(began).Seconds())
	b.report.rate("all calls of those runs and of those that were lost", m)
	b.report.row("of these, calls that post to the ledger: a start, a claim, the throw that loses",
		"%.0f/s; p50 %s, p99 %s",
		writing.rate(), millis(writing.quantile(0.5)), millis(writing.quantile(0.99)))
	return nil
}

// playOn plays the players of one connection in turn until the deadline and returns the
// number of claimed tokens.
func (w *worker) playOn(ctx context.Context, to *child, players []*player, deadline time.Time) (claimed int,
	err error) {
	for i := 0; time.Now().Before(deadline); i++ {
		p := players[i%len(players)]
		if wait := time.Until(p.nextThrow); wait > 0 {
			timer := time.NewTimer(wait)
			<-timer.C
		}
		if p.run == "" {
			if _, err := w.ready(ctx, to, p, ""); err != nil {
				return claimed, err
			}
			w.post()
		}
		status, err := w.throw(ctx, to, p)
		if err != nil {
			return claimed, err
		}
		p.nextThrow = time.Now().Add(250 * time.Millisecond)
		switch status {
		case "deciding":
			var out runResponse
			if err := w.call(ctx, request{to: to, method: "POST", path: "/api/runs/" + p.run + "/claim", by: p},
				&out); err != nil {
				return claimed, err
			}
			w.post()
			claimed++
			p.run = ""
		case "lost":
			w.post()
			p.run = ""
		}
	}
	return claimed, nil
}
