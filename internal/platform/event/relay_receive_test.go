package event

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// listener is a Relay whose messages the test delivers.
type listener struct {
	*Relay
	missed atomic.Int64
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{}
	l.Relay = NewRelay(
		RelayConfig{Hub: &Hub{}, Logger: slog.New(slog.DiscardHandler), Missed: func() { l.missed.Add(1) }},
	)
	return l
}

func (l *listener) want(t *testing.T, what string, up bool, missed int) {
	t.Helper()
	if n := l.missed.Load(); l.Up() != up || n != int64(missed) {
		t.Errorf("%s: up %v, missed %d times, want %v and %d", what, l.Up(), n, up, missed)
	}
}

// TestConnectionLost checks that a node without a connection is not up, that watchers are told when a
// connection begins and when it is lost, once each, and that attempts to connect pause for longer and
// longer.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		connect, cut := make(chan bool), make(chan struct{})
		var attempts atomic.Int64
		l.listen = func(ctx context.Context, _ string, ready func(), _ func(string)) error {
			attempts.Add(1)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case works := <-connect:
				if !works {
					return errLost
				}
			}
			ready()
			select {
			case <-ctx.Done():
			case <-cut:
			}
			return errLost
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); l.receiveLoop(ctx) }()
		for n := range 2 {
			connect <- true
			synctest.Wait()
			l.want(t, "connected", true, 1+2*n)
			cut <- struct{}{}
			synctest.Wait()
			l.want(t, "cut", false, 2+2*n)
			<-time.After(firstRetry)
			synctest.Wait()
			if got := attempts.Load(); got != int64(2+4*n) {
				t.Errorf("%d attempts to connect, want %d", got, 2+4*n)
			}
			for i := range 3 { // no call of missed for an attempt that fails
				connect <- false
				synctest.Wait()
				pass(2<<i*firstRetry - 1)
				if got := attempts.Load(); got != int64(2+4*n+i) {
					t.Errorf("%d attempts to connect before the pause is over, want %d", got, 2+4*n+i)
				}
				pass(1)
				l.want(t, "not connected", false, 2+2*n)
			}
			if got := attempts.Load(); got != int64(5+4*n) {
				t.Errorf("%d attempts to connect, want %d", got, 5+4*n)
			}
		}
		connect <- true
		synctest.Wait()
		stop()
		<-ended
		l.want(t, "ended", false, 5)
	})
}

var errLost = errors.New("the connection is lost")

// TestOwnMessages checks that a node ignores its own messages and malformed ones, and handles the
// messages of others.
func TestOwnMessages(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	var got []string
	l.Handlers = map[string]func(string){"word": func(rest string) { got = append(got, rest) }}
	for _, message := range []string{l.node + "\nword:own", "other\nword:theirs", "word:malformed", l.node, "other"} {
		l.receive(message)
	}
	if len(got) != 1 || got[0] != "theirs" {
		t.Errorf("handled %q, want theirs alone", got)
	}
	w := l.Hub.Watch("theirs", "own", "second")
	l.receive(l.node + "\nown")
	l.receive("other\ntheirs\nsecond")
	if woken := w.Woken(); !slices.Equal(woken, []string{"theirs", "second"}) || l.missed.Load() != 0 {
		t.Errorf("woken %q, missed %d times, want the topics of another node", woken, l.missed.Load())
	}
	l.receive("other\n" + everything)
	l.want(t, "everything", false, 1)
}
