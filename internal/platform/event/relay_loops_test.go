package event

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// pass lets time pass on the bubble's clock.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// runRelay runs a relay in a synctest bubble, until stop is called, which returns when Run has.
func runRelay(t *testing.T, r *Relay) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx) }()
	synctest.Wait()
	return func() { cancel(); <-ended }
}

// TestRun checks that a node sends topics, and that one which owns its database is up and misses nothing.
func TestRun(t *testing.T) {
	t.Parallel()
	place := storetest.At(storetest.NewSQLite(t), store.Config{})
	synctest.Test(t, func(t *testing.T) {
		var missed atomic.Int64
		w := &wire{}
		r := NewRelay(RelayConfig{DB: storetest.OpenSQLite(t, place), Hub: &Hub{},
			Logger: slog.New(slog.DiscardHandler), Missed: func() { missed.Add(1) }})
		r.notifier = func(context.Context, string) (store.Notifier, error) { return w, nil }
		stop := runRelay(t, r)
		r.Publish("a")
		pass(time.Minute)
		if sent := w.take(); !slices.Equal(sent, []string{r.node + "\na"}) {
			t.Errorf("sent %q, want one topic", sent)
		}
		if n := missed.Load(); n != 1 || !r.Up() {
			t.Errorf("missed %d times, up %v; want once, and up", n, r.Up())
		}
		stop()
	})
}

// wire is a connection to send on, which a test makes fail.
type wire struct {
	mu     sync.Mutex // guards the fields below
	fail   error
	hang   bool // until the context ends
	sent   []string
	closed int
}

func (w *wire) Send(ctx context.Context, messages []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hang {
		w.mu.Unlock()
		<-ctx.Done()
		w.mu.Lock()
		return ctx.Err()
	}
	if w.fail == nil {
		w.sent = append(w.sent, messages...)
	}
	return w.fail
}

func (w *wire) Close() error {
	w.set(func() { w.closed++ })
	return errClosed
}

// set changes the fields of w.
func (w *wire) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// take returns the messages sent since the last call.
func (w *wire) take() (sent []string) {
	w.set(func() { sent, w.sent = w.sent, nil })
	return sent
}

var errClosed = errors.New("closed twice")

// TestSendLoop checks that a node which cannot send closes the connection, pauses for longer and longer,
// and then makes the others wake everything; and that a success shortens the pause again.
func TestSendLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRelay(RelayConfig{Hub: &Hub{}, Logger: slog.New(slog.DiscardHandler)})
		w, connects, refuse := &wire{}, 0, true // guarded by w
		r.notifier = func(_ context.Context, channel string) (n store.Notifier, err error) {
			w.set(func() {
				connects++
				if n = w; channel != relayChannel || refuse {
					n, err = nil, errLost
				}
			})
			return n, err
		}
		want := func(what string, attempts, closed int, topics ...string) {
			t.Helper()
			var sent []string
			for _, message := range w.take() {
				_, list, _ := strings.Cut(message, "\n")
				sent = append(sent, strings.Split(list, "\n")...)
			}
			var begun, ended int
			w.set(func() { begun, ended = connects, w.closed })
			if begun != attempts || ended != closed || !slices.Equal(sent, topics) {
				t.Errorf("%s: %d connections, %d closed, sent %q; want %d, %d and %q", what, begun, ended, sent,
					attempts, closed, topics)
			}
		}
		r.Publish("first")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); r.sendLoop(ctx) }()
		pass(firstRetry - 1)
		want("refused", 1, 0)
		pass(1)
		want("refused again", 2, 0)
		pass(2*firstRetry - 1)
		want("the second pause", 2, 0)
		w.set(func() { refuse = false })
		pass(1)
		want("connected", 3, 0, everything)
		r.Publish("a")
		r.Publish("b")
		synctest.Wait()
		want("sent", 3, 0, "a", "b")
		w.set(func() { w.fail = errLost })
		r.Publish("c")
		synctest.Wait()
		want("failed", 3, 1)
		w.set(func() { w.fail = nil })
		pass(firstRetry)
		want("connected again", 4, 1, everything)
		w.set(func() { w.hang = true })
		r.Publish("d")
		pass(sendTimeout - 1)
		want("under way", 4, 1)
		pass(1)
		want("given up", 4, 2)
		w.set(func() { w.hang = false })
		pass(firstRetry)
		want("connected a third time", 5, 2, everything)
		stop()
		<-ended
		want("ended", 5, 3)
	})
}

// TestSendsAtTheEnd checks that a node which stops sends the topics that were woken before, and gives up a
// connection that does not take them.
func TestSendsAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, hang := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, w := NewRelay(RelayConfig{Hub: &Hub{}}), &wire{hang: hang}
			r.notifier = func(context.Context, string) (store.Notifier, error) { return w, nil }
			r.Publish("a")
			ctx, stop := context.WithCancel(t.Context())
			stop()
			began, took, want := time.Now(), time.Duration(0), []string{r.node + "\na"}
			if hang {
				took, want = sendTimeout, nil
			}
			<-r.woken // the end comes first
			if err := r.sendOn(ctx, func() {}); !errors.Is(err, errClosed) {
				t.Errorf("hang %v: error %v, want %v", hang, err, errClosed)
			}
			if sent, d := w.take(), time.Since(began); !slices.Equal(sent, want) || d != took || w.closed != 1 {
				t.Errorf("hang %v: sent %q after %v, closed %d times; want %q after %v", hang, sent, d, w.closed, want, took)
			}
		})
	}
}

// TestCloseFails checks that the error of closing a connection is reported with the one that ended it.
func TestCloseFails(t *testing.T) {
	t.Parallel()
	r := NewRelay(RelayConfig{Hub: &Hub{}})
	r.notifier = func(context.Context, string) (store.Notifier, error) { return &wire{fail: errLost}, nil }
	r.Publish("a")
	err := r.sendOn(t.Context(), func() { t.Error("a failed batch counts as sent") })
	if !errors.Is(err, errLost) || !errors.Is(err, errClosed) {
		t.Errorf("error %v, want %v and %v", err, errLost, errClosed)
	}
	r.notifier = func(context.Context, string) (store.Notifier, error) { return nil, errLost }
	if err := r.sendOn(t.Context(), func() {}); !errors.Is(err, errLost) {
		t.Errorf("without a connection: error %v, want %v", err, errLost)
	}
}

// TestNodeNames checks that no two nodes have the same name: each ignores the messages of its own name.
func TestNodeNames(t *testing.T) {
	t.Parallel()
	a, b := NewRelay(RelayConfig{}), NewRelay(RelayConfig{})
	if a.node == b.node {
		t.Errorf("two nodes are called %s", a.node)
	}
}

// TestMissedWakesAll checks that all watchers are woken when messages may be lost, with and without a
// function that is called as well.
func TestMissedWakesAll(t *testing.T) {
	t.Parallel()
	calls := 0
	for n, missed := range []func(){nil, func() { calls++ }} {
		r := NewRelay(RelayConfig{Hub: &Hub{}, Missed: missed})
		a, b := r.Hub.Watch("a"), r.Hub.Watch("b", "c")
		r.receive("other\n" + everything)
		if len(a.C()) != 1 || len(b.C()) != 1 || len(b.Woken()) != 2 || calls != n {
			t.Errorf("%d and %d watchers are woken, %d calls, want %d", len(a.C()), len(b.C()), calls, n)
		}
	}
}
