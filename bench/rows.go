package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"roshambo/bench/probe"
)

// usual is the number of connections, unless a row names another.
const usual = 32

// freshRows are measured on databases that grow during the run.
var freshRows = []row{
	calls("accounts of guests opened, 32 connections", guests(usual)),
	calls("the signed-in account read", reads),
	calls("one durable ledger call", writes),
	calls("whole games, 32 connections", games(usual)),
	calls("leaderboard, top 20 of the first 64 players and more", boards),
	calls("accounts of guests opened, 128 connections", guests(128)),
	calls("whole games, 128 connections", games(128)),
	calls("accounts of guests opened, 512 connections", guests(512)),
	calls("whole games, 512 connections", games(512)),
	ours(calls("durable throws", throws)),
	ours(calls("durable throws beside 1,000 queued logins", throwsBesideLogins)),
	{name: "ranked duels of 32 bots, best of five", value: "%.0f/s", ours: true, do: duels,
		figures: []string{"%.0f µs", "a step p99 %.1f ms", "from the queue to a duel p99 %.1f ms"}},
}

// idleRows are measured before any load, loadedRows after it.
var (
	idleRows   = []row{{name: "resident memory after start", value: "%.0f MB", once: true, do: memory(0)}}
	loadedRows = []row{
		{name: "resident memory after this load", value: "%.0f MB", once: true, do: memory(0)},
		{name: "memory of each open event stream", value: "%.1f kB", once: true, ours: true, do: streams,
			figures: []string{"a block until all have it p50 %.1f ms", "p99 %.1f ms"}},
		{name: "resident memory 6 s later", value: "%.0f MB", once: true, do: memory(6 * time.Second),
			figures: []string{"peak %.0f MB"}},
	}
)

// crowdedRows are measured with a crowd on the leaderboard and a full market.
var crowdedRows = []row{
	calls("leaderboard, top 20 of a crowd", boards),
	ours(calls("market, first page", page("/api/market"))),
	ours(calls("market, newest of a tier", page("/api/market?tier=7&sort=newest"))),
	ours(calls("portfolio of 90 days and many ledger entries", portfolio)),
}

// calls returns a row about calls.
func calls(name string, do func(context.Context, *bench, *rival) (result, error)) row {
	return row{name: name, value: "%.0f/s", figures: callFigures, do: do}
}

// ours returns a row that Nakama has not.
func ours(w row) row {
	w.ours = true
	return w
}

// memory reads the resident memory after a rest, in which the service returns memory to the system.
func memory(rest time.Duration) func(context.Context, *bench, *rival) (result, error) {
	return func(_ context.Context, _ *bench, r *rival) (result, error) {
		<-time.After(rest)
		now, peak, err := r.server.Memory()
		return result{Value: float64(now) / 1e6, Figures: []float64{float64(peak) / 1e6}}, err
	}
}

// guests measures the opening of accounts.
func guests(n int) func(context.Context, *bench, *rival) (result, error) {
	return func(ctx context.Context, b *bench, r *rival) (result, error) {
		return b.drive(ctx, r, n, func(w *wire, _ int) (int, error) {
			_, err := r.guest(w)
			return 1, err
		})
	}
}

// reads measures the read of the caller's account.
func reads(ctx context.Context, b *bench, r *rival) (result, error) {
	return b.inTurn(ctx, r, usual, func(w *wire, by *caller) (int, error) { return 1, r.read(w, by) })
}

// writes measures calls that only write to the ledger.
func writes(ctx context.Context, b *bench, r *rival) (result, error) {
	return b.inTurn(ctx, r, usual, func(w *wire, by *caller) (int, error) { return 1, r.write(w, by) })
}

// games measures whole games, which end with a loss or a prize.
func games(n int) func(context.Context, *bench, *rival) (result, error) {
	return func(ctx context.Context, b *bench, r *rival) (result, error) {
		return b.inTurn(ctx, r, n, func(w *wire, by *caller) (int, error) {
			over, _, err := r.throw(w, by)
			if over {
				return 1, err
			}
			return 0, err
		})
	}
}

// fans is how many accounts are on the smaller leaderboard.
const fans = 64

// gather puts accounts onto the leaderboard of every server: each plays until it has won.
func (b *bench) gather(context.Context) error {
	for _, r := range b.rivals {
		w, err := dial(r.address)
		if err != nil {
			return err
		}
		defer w.close()
		for r.fans = nil; len(r.fans) < fans; {
			by, err := r.guest(w)
			for won := false; err == nil && !won; {
				_, won, err = r.throw(w, by)
			}
			if err != nil {
				return err
			}
			r.fans = append(r.fans, by)
		}
		for out := (boardResponse{}); len(out.Rows)+len(out.Records) < 20; { // the board follows the games
			if err := r.board(w, r.fans[0], &out); err != nil {
				return err
			}
		}
	}
	return nil
}

// boards measures the leaderboard, as accounts on it see it.
func boards(ctx context.Context, b *bench, r *rival) (result, error) {
	return b.drive(ctx, r, usual, func(w *wire, i int) (int, error) { return 1, r.board(w, r.fans[i%len(r.fans)], nil) })
}

// page measures a read without credentials.
func page(path string) func(context.Context, *bench, *rival) (result, error) {
	return func(ctx context.Context, b *bench, r *rival) (result, error) {
		return b.drive(ctx, r, usual, func(w *wire, _ int) (int, error) { return 1, w.ask(stranger, "GET", path, nil, nil) })
	}
}

// throwPause is the least time between two throws of an account.
const throwPause = 250 * time.Millisecond

// throws measures durable throws. Throws of one account must be apart, so many alternate: all of them
// throw once, which is measured; then runs that won continue and lost ones start again, which is not.
func throws(ctx context.Context, b *bench, r *rival) (result, error) {
	crew, err := b.crew(r, usual)
	if err != nil {
		return result{}, err
	}
	f, err := b.dialAll(r, usual)
	if err != nil {
		return result{}, err
	}
	defer f.close()
	all := func(do func(*wire, *caller) error) func(w *wire, i int) error {
		return func(w *wire, i int) error {
			for _, by := range crew[i] {
				if err := do(w, by); err != nil {
					return err
				}
			}
			return nil
		}
	}
	profiled := b.beginProfile(ctx, r)
	var sum span
	var latencies []time.Duration
	for sum.elapsed < b.Duration {
		if _, err := f.together(all(r.ready)); err != nil {
			return result{}, err
		}
		f.latencies() // of calls that are not measured
		one, err := f.together(all(throwOnce))
		if err != nil {
			return result{}, err
		}
		sum.elapsed, sum.server, sum.database = sum.elapsed+one.elapsed, sum.server+one.server, sum.database+one.database
		latencies = append(latencies, f.latencies()...)
	}
	return sum.calls(len(latencies), latencies), <-profiled
}

// ready brings a run to the state in which a throw is due. An account that cannot pay the entry is
// replaced.
func (r *rival) ready(w *wire, by *caller) error {
	var out runResponse
	switch {
	case by.run != "" && by.status == "deciding":
		by.status = "active"
		return w.ask(by, "POST", "/api/runs/"+by.run+"/continue", nil, nil)
	case by.run != "" && (by.status == "active" || by.status == ""):
		return nil
	}
	err := w.ask(by, "POST", "/api/runs", []byte(`{}`), &out)
	if refused(err, 409) {
		if err := r.replace(w, by); err != nil {
			return err
		}
		err = w.ask(by, "POST", "/api/runs", []byte(`{}`), &out)
	}
	by.run, by.status = out.Run.ID, "active"
	return err
}

// throwOnce throws in the run of an account.
func throwOnce(w *wire, by *caller) error {
	<-time.After(time.Until(by.throwAt))
	var out runResponse
	err := w.ask(by, "POST", "/api/runs/"+by.run+"/throw", []byte(`{"move":"rock"}`), &out)
	if by.status = out.Run.Status; by.status != "active" && by.status != "deciding" {
		by.run, by.status = "", ""
	}
	by.throwAt = time.Now().Add(throwPause)
	return err
}

// queuedLogins is the number of concurrent logins, most of which wait for the hashing queue.
const queuedLogins = 1000

// throwsBesideLogins measures throws while the hashing of passwords is saturated, as in an attack that
// guesses passwords from many addresses.
func throwsBesideLogins(ctx context.Context, b *bench, r *rival) (result, error) {
	f, err := b.dialAll(r, queuedLogins)
	if err != nil {
		return result{}, err
	}
	defer f.close()
	logins, stop := context.WithCancel(ctx)
	errs := make([]error, queuedLogins)
	var wait sync.WaitGroup
	for i, w := range f.wires {
		from := stranger.with(fmt.Sprintf("X-Forwarded-For: 10.0.%d.%d", i/250, i%250+1))
		login := fmt.Appendf(nil, `{"username":"unknown-%d","password":"a password to try"}`, i)
		wait.Go(func() {
			for logins.Err() == nil && errs[i] == nil {
				if err := w.ask(from, "POST", "/api/auth/login", login, nil); !refused(err, 401) {
					errs[i] = fmt.Errorf("a login with a wrong password: %w", err)
				}
			}
		})
	}
	m, err := throws(ctx, b, r)
	stop()
	wait.Wait()
	return m, errors.Join(err, errors.Join(errs...))
}

// portfolio measures the portfolio of an account with Entries ledger entries: staked duels that it
// opens and cancels, which are two entries each.
func portfolio(ctx context.Context, b *bench, r *rival) (result, error) {
	w, err := dial(r.address)
	if err != nil {
		return result{}, err
	}
	defer w.close()
	if r.investor == nil {
		by, err := r.guest(w)
		for n := 0; n < b.Entries && err == nil; n += 2 {
			var out duelResponse
			if err = w.ask(by, "POST", "/api/duels", []byte(`{"stake":5}`), &out); err == nil {
				err = w.ask(by, "POST", "/api/duels/"+out.Duel.ID+"/cancel", nil, nil)
			}
		}
		if err != nil {
			return result{}, err
		}
		r.investor = by
	}
	return b.drive(ctx, r, usual, func(w *wire, _ int) (int, error) {
		return 1, w.ask(r.investor, "GET", "/api/portfolio?days=90", nil, nil)
	})
}

// streams measures the memory of an open event stream, and the time from the sealing of a block, which is
// in the event, until a stream has received it.
func streams(ctx context.Context, b *bench, r *rival) (result, error) {
	before, _, err := r.server.Memory()
	if err != nil {
		return result{}, err
	}
	list, err := listenAll(ctx, r.address, "/api/events?topics=blocks", b.Streams)
	defer hangUp(list)
	if err != nil {
		return result{}, err
	}
	after, _, err := r.server.Memory()
	if err != nil {
		return result{}, err
	}
	w, err := dial(r.address)
	if err != nil {
		return result{}, err
	}
	defer w.close()
	end := time.Now().Add(max(b.Duration, 2*time.Second))
	var wait sync.WaitGroup
	for _, s := range list {
		wait.Go(func() { s.err = s.receive(end) })
	}
	for time.Now().Before(end.Add(-time.Second)) && err == nil { // each account leads to a block
		_, err = r.guest(w)
		<-time.After(500 * time.Millisecond)
	}
	wait.Wait()
	var all []time.Duration
	for _, s := range list {
		err = errors.Join(err, s.err)
		all = append(all, s.latencies...)
	}
	return result{Value: float64(after-before) / 1e3 / float64(b.Streams), Figures: []float64{
		probe.Millis(probe.Quantile(all, 0.5)), probe.Millis(probe.Quantile(all, 0.99))}}, err
}
