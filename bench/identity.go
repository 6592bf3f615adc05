package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
)

// me measures the cheapest authenticated request: each connection reads the account of its
// own guest.
func (b *bench) me(ctx context.Context) error {
	var guests sync.Map // guest of each worker
	profiled := b.profile(ctx, "reads")
	m, err := b.measure(ctx, func(ctx context.Context, w *worker) error {
		p, ok := guests.Load(w)
		if !ok {
			fresh, err := w.guest(ctx, b.server)
			guests.Store(w, fresh)
			return err
		}
		var out struct {
			Balance int64 `json:"balance"`
		}
		return w.call(ctx, request{to: b.server, method: "GET", path: "/api/me", by: p.(*player)}, &out)
	})
	b.report.rate("authenticated GET /api/me", m)
	return errors.Join(err, <-profiled)
}

// queuedLogins is the number of concurrent logins, most of which wait for the hashing
// queue.
const queuedLogins = 1000

// throwsBesideLogins measures throws while the hashing of passwords is saturated, as in an
// attack that guesses passwords from many addresses.
func (b *bench) throwsBesideLogins(ctx context.Context) error {
	logins, stop := context.WithCancel(ctx)
	var done atomic.Int64
	var wait sync.WaitGroup
	errs := make([]error, queuedLogins)
	for i := range queuedLogins {
		wait.Go(func() { errs[i] = b.signIn(logins, i, &done) })
	}
	m, err := b.throwing(ctx)
	stop()
	wait.Wait()
	b.report.rate(fmt.Sprintf("durable throws beside %d queued logins", queuedLogins), m)
	b.report.row("their rate against that without logins", "%.2f", m.rate()/b.thrown.rate())
	b.report.row("logins answered meanwhile", "%d", done.Load())
	return errors.Join(err, errors.Join(errs...))
}

// signIn sends logins with a wrong password, from an address of its own, until ctx is done.
func (b *bench) signIn(ctx context.Context, i int, done *atomic.Int64) error {
	w := newWorker()
	defer w.client.CloseIdleConnections()
	w.from = fmt.Sprintf("10.0.%d.%d", i/250, i%250+1)
	q := request{to: b.server, method: "POST", path: "/api/auth/login",
		in: map[string]string{"username": fmt.Sprint("unknown-", i), "password": "a password to try"}}
	for ctx.Err() == nil {
		var out struct{}
		err := w.call(ctx, q, &out)
		refused, ok := errors.AsType[*statusError](err)
		switch {
		case ok && refused.status == http.StatusUnauthorized:
			done.Add(1)
		case ctx.Err() == nil:
			return fmt.Errorf("a login with a wrong password: %w", err)
		}
	}
	return nil
}
