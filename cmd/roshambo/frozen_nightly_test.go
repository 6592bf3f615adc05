//go:build nightly

package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/internal/store/pgtest"
)

const (
	// frozenAnswer bounds the answers of a node whose database is frozen: 5 s for a round trip, as many for
	// those that waited for it, and room for a busy machine. Without a bound they take minutes.
	frozenAnswer = 25 * time.Second
	// frozenStop bounds a stop then: the drain, 20 s, and room.
	frozenStop = 60 * time.Second
)

// TestFrozen freezes the database below a node under load: its connections stay open and say nothing. Every
// read and write is answered 503 in time, also those that arrive while others wait, the node goes on once the
// database does, and everything that was acknowledged is there. Then it stops in time with the database frozen.
func TestFrozen(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Fast)
	w := pgtest.NewProxy(t, server.Path(""), func(_ bool, message []byte) ([]byte, bool) { return message, true }, nil)
	folder := t.TempDir()
	node, err := serve(t.Context(), folder, "--database", w.URL("postgres"), "--drain", "5s")
	if err != nil {
		t.Fatal(err)
	}
	var guests []*visitor
	for range 80 { // more than there are connections
		v, err := newVisitor(t.Context(), node.url)
		if err != nil {
			t.Fatal(err)
		}
		guests = append(guests, v)
	}
	w.Freeze()
	for round := range 2 { // the second one meets a node that knows
		t.Logf("round %d: the slowest answer took %v", round, askFrozen(t, guests))
	}
	w.Thaw()
	awaitThawed(t, guests[0])
	for i, v := range guests {
		var me struct{ Username string }
		if err := v.call(t.Context(), "GET", "/api/me", "", &me); err != nil {
			t.Errorf("guest %d, after the database went on: %v", i, err)
		}
	}
	w.Freeze()
	began := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- node.stop() }()
	select {
	case err := <-stopped:
		t.Logf("the node stopped after %v: %v", time.Since(began), err)
	case <-time.After(frozenStop):
		_ = node.kill() // the test has failed
		t.Fatalf("the node still runs %v after SIGTERM:\n%s", frozenStop, node.logged())
	}
	w.Thaw()
	if node, err = serve(t.Context(), folder, "--database", w.URL("postgres")); err != nil {
		t.Fatal(err)
	}
	for i, v := range guests {
		v.url = node.url
		var me struct{ Username string }
		if err := v.call(t.Context(), "GET", "/api/me", "", &me); err != nil {
			t.Errorf("guest %d, after a restart: %v", i, err)
		}
	}
	if err := node.stop(); err != nil {
		t.Errorf("the node ended with %v:\n%s", err, node.logged())
	}
}

// askFrozen reads and writes as each guest, all at once, and returns the time of the slowest answer.
func askFrozen(t *testing.T, guests []*visitor) (slowest time.Duration) {
	t.Helper()
	var mu sync.Mutex // guards slowest
	var all sync.WaitGroup
	ask := func(v visitor, method, path string) {
		ctx, cancel := context.WithTimeout(t.Context(), frozenAnswer)
		defer cancel()
		began := time.Now()
		err := checkFrozen(ctx, &v, method, path)
		took := time.Since(began)
		mu.Lock()
		slowest = max(slowest, took)
		mu.Unlock()
		if err != nil {
			t.Errorf("%s %s, after %v: %v", method, path, took, err)
		}
	}
	for _, v := range guests {
		all.Go(func() { ask(*v, "GET", "/api/me") })
		all.Go(func() { ask(visitor{url: v.url, client: v.client}, "POST", "/api/guest") })
	}
	all.Wait()
	return slowest
}

// checkFrozen makes a call and returns an error unless its answer is 503 with Retry-After.
func checkFrozen(ctx context.Context, v *visitor, method, path string) error {
	r, err := http.NewRequestWithContext(ctx, method, v.url+path, http.NoBody)
	if err != nil {
		return err
	}
	if v.cookie != "" {
		r.Header.Set("Cookie", v.cookie)
	}
	answer, err := v.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" {
		return errors.New(answer.Status + ", Retry-After " + strings.Join(answer.Header["Retry-After"], ""))
	}
	return nil
}

// awaitThawed waits until a write succeeds.
func awaitThawed(t *testing.T, v *visitor) {
	t.Helper()
	var refused *statusError
	for began := time.Now(); time.Since(began) < answerTime; <-time.After(10 * time.Millisecond) {
		_, err := newVisitor(t.Context(), v.url)
		if err == nil {
			return
		}
		if !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable {
			t.Fatal(err)
		}
	}
	t.Fatalf("no write succeeds within %v after the database went on", answerTime)
}
