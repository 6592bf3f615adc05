package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"roshambo/bench/probe"
)

// callFigures are the figures of a row about calls: the 99th percentile of the latency, and the processor
// time of the server and of the database for each, until everything is settled.
var callFigures = []string{"p99 %.1f ms", "%.0f µs", "+ %.0f µs of the database"}

// span is how long a measurement took, and the processor time of the server and the database.
type span struct{ elapsed, server, database time.Duration }

// calls returns the result of a row about calls: units a second.
func (s span) calls(units int, latencies []time.Duration) result {
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(max(units, 1)) }
	return result{
		Value:   float64(units) / s.elapsed.Seconds(),
		Figures: []float64{probe.Millis(probe.Quantile(latencies, 0.99)), each(s.server), each(s.database)},
	}
}

// used returns the processor time that a server and the database have used so far.
func (b *bench) used(r *rival) (s span, err error) {
	var errDatabase error
	s.server, err = r.server.CPU()
	s.database, errDatabase = b.cluster.CPU()
	return s, errors.Join(err, errDatabase)
}

// fleet is a number of connections to a server.
type fleet struct {
	b     *bench
	r     *rival
	wires []*wire
}

// dialAll opens n connections.
func (b *bench) dialAll(r *rival, n int) (*fleet, error) {
	f := &fleet{b: b, r: r}
	for range n {
		w, err := dial(r.address)
		if err != nil {
			f.close()
			return nil, fmt.Errorf("%w (each connection takes a file on both sides: see ulimit -n)", err)
		}
		f.wires = append(f.wires, w)
	}
	return f, nil
}

// close closes the connections.
func (f *fleet) close() {
	for _, w := range f.wires {
		w.close()
	}
}

// latencies returns the latencies of all calls since the last time.
func (f *fleet) latencies() (all []time.Duration) {
	for _, w := range f.wires {
		all, w.latencies = append(all, w.latencies...), nil
	}
	return all
}

// together calls do once on each connection, at the same time.
func (f *fleet) together(do func(w *wire, i int) error) (span, error) {
	before, err := f.b.used(f.r)
	if err != nil {
		return span{}, err
	}
	errs := make([]error, len(f.wires))
	began := time.Now()
	var wait sync.WaitGroup
	for i, w := range f.wires {
		wait.Go(func() { errs[i] = do(w, i) })
	}
	wait.Wait()
	elapsed := time.Since(began)
	if err := errors.Join(append(errs, f.r.settle(f.wires[0]))...); err != nil {
		return span{}, err
	}
	after, err := f.b.used(f.r)
	return span{elapsed, after.server - before.server, after.database - before.database}, err
}

// drive repeats do on n connections until Duration has passed. do returns how many units it has
// completed; the latencies are measured at its calls.
func (b *bench) drive(ctx context.Context, r *rival, n int, do func(w *wire, i int) (units int, err error)) (result, error) {
	f, err := b.dialAll(r, n)
	if err != nil {
		return result{}, err
	}
	defer f.close()
	profiled := b.beginProfile(ctx, r)
	units := make([]int, n)
	s, err := f.together(func(w *wire, i int) error {
		for began := time.Now(); time.Since(began) < b.Duration; {
			some, err := do(w, i)
			if err != nil {
				return err
			}
			units[i] += some
		}
		return nil
	})
	sum := 0
	for _, some := range units {
		sum += some
	}
	return s.calls(sum, f.latencies()), errors.Join(err, <-profiled)
}

// beginProfile profiles a server for the time of a measurement into profileTo, and sends the error.
func (b *bench) beginProfile(ctx context.Context, r *rival) <-chan error {
	done := make(chan error, 1)
	if b.profileTo == "" {
		close(done)
		return done
	}
	file, seconds := b.profileTo, fmt.Sprintf("profile?seconds=%d", max(1, int(b.Duration.Seconds())))
	go func() { done <- r.server.Profile(ctx, seconds, file) }()
	return done
}

// crew returns accounts for each of n connections to play in turn, Accounts together. They are opened
// before the first measurement with as many connections.
func (b *bench) crew(r *rival, n int) ([][]*caller, error) {
	if crew := r.crews[n]; crew != nil {
		return crew, nil
	}
	f, err := b.dialAll(r, n)
	if err != nil {
		return nil, err
	}
	defer f.close()
	crew := make([][]*caller, n)
	if _, err = f.together(func(w *wire, i int) error {
		for range max(b.Accounts/n, 1) {
			by, err := r.guest(w)
			if err != nil {
				return err
			}
			crew[i] = append(crew[i], by)
		}
		return nil
	}); err == nil {
		r.crews[n] = crew
	}
	return crew, err
}

// inTurn lets the accounts of each connection make calls in turn. Accounts that can pay no more
// games are replaced.
func (b *bench) inTurn(ctx context.Context, r *rival, n int, do func(*wire, *caller) (int, error)) (result, error) {
	crew, err := b.crew(r, n)
	if err != nil {
		return result{}, err
	}
	turn := make([]int, n)
	return b.drive(ctx, r, n, func(w *wire, i int) (int, error) {
		turn[i]++
		by := crew[i][turn[i]%len(crew[i])]
		units, err := do(w, by)
		if refused(err, 409) {
			return 0, r.replace(w, by)
		}
		return units, err
	})
}

// replace makes a caller another, new account.
func (r *rival) replace(w *wire, by *caller) error {
	fresh, err := r.guest(w)
	if err == nil {
		*by = *fresh
	}
	return err
}
