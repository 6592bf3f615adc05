package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/bench/probe"
)

// nodeRows are measured with a second node on the same database, which only PostgreSQL allows.
var nodeRows = []row{
	{name: "a step of a duel, until a long poll on another node has it", value: "%.1f ms", ours: true, do: longPolls,
		figures: []string{"p99 %.1f ms"}},
}

// longPolls measures answers that another node holds until a duel changes on the first one.
func longPolls(ctx context.Context, b *bench, r *rival) (m result, err error) {
	other, err := r.node(ctx)
	if err != nil {
		return m, err
	}
	defer other.Stop()
	here, err := dial(r.address)
	if err != nil {
		return m, err
	}
	defer here.close()
	there, err := dial(other.Address())
	if err != nil {
		return m, err
	}
	defer there.close()
	var waits []time.Duration
	for began := time.Now(); time.Since(began) < b.Duration; {
		elapsed, err := r.longPoll(here, there)
		if err != nil {
			return m, err
		}
		waits = append(waits, elapsed)
	}
	p50, p99 := probe.Millis(probe.Quantile(waits, 0.5)), probe.Millis(probe.Quantile(waits, 0.99))
	return result{Value: p50, Figures: []float64{p99}}, nil
}

// longPoll opens a duel here, waits for its change there, and joins it here. It returns the time from
// the request to the end of the long poll.
func (r *rival) longPoll(here, there *wire) (time.Duration, error) {
	a, errA := r.guest(here)
	c, errC := r.guest(here)
	if err := errors.Join(errA, errC); err != nil {
		return 0, err
	}
	var out duelResponse
	if err := here.ask(a, "POST", "/api/duels", []byte(`{"stake":0}`), &out); err != nil {
		return 0, err
	}
	path, known := "/api/duels/"+out.Duel.ID, out.Duel.Version
	type wakeup struct {
		at  time.Time
		err error
	}
	woken := make(chan wakeup, 1)
	go func() {
		var now duelResponse
		err := there.ask(stranger.with("Prefer: wait=20"), "GET", fmt.Sprintf("%s?version=%d", path, known), nil, &now)
		if err == nil && now.Duel.Version == known {
			err = errors.New("the long poll ended without the step")
		}
		woken <- wakeup{time.Now(), err}
	}()
	<-time.After(20 * time.Millisecond) // until the server holds it
	sent := time.Now()
	err := here.ask(c, "POST", path+"/join", nil, nil)
	w := <-woken
	return w.at.Sub(sent), errors.Join(err, w.err)
}
