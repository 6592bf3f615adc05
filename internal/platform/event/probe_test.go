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

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
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
	l.probe.connected()
	l.up.Store(true)
	return l
}

// send begins a probe and returns its number and message.
func (l *listener) send() (n int64, message string) {
	n = l.probe.now()
	return n, l.node + echo + "\n" + l.probe.message(n)
}

func (l *listener) want(t *testing.T, what string, hears bool, missed int) {
	t.Helper()
	if n := l.missed.Load(); l.Receives() != hears || n != int64(missed) {
		t.Errorf("%s: receives %v, missed %d times, want %v and %d", what, l.Receives(), n, hears, missed)
	}
}

// TestLateProbe checks that a probe counts by the time at which it was sent: a late one proves
// nothing about later messages, and causes no call of Missed.
func TestLateProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		l.want(t, "before any probe", false, 0)
		_, first := l.send()
		<-time.After(2 * time.Second)
		_, second := l.send()
		l.Relay.receive(first)
		l.want(t, "two seconds late", true, 0)
		<-time.After(time.Second)
		l.want(t, "three seconds after it was sent", false, 0)
		l.Relay.receive(second)
		l.want(t, "the next one", true, 0)
		l.Relay.receive(first)
		l.want(t, "the first one once more", true, 0)
		<-time.After(2*time.Second - time.Nanosecond)
		l.want(t, "just before three seconds after the next was sent", true, 0)
		<-time.After(time.Nanosecond)
		l.want(t, "then", false, 0)
		_, third := l.send()
		<-time.After(4 * time.Second)
		l.Relay.receive(third)
		l.want(t, "four seconds late", false, 0)
		if l.checkSilence(); !l.Up() {
			t.Error("lost, four seconds after a received probe")
		}
		<-time.After(lostAfter - 4*time.Second)
		for range 2 {
			if l.checkSilence(); l.Up() {
				t.Error("up, ten seconds after the last received probe")
			}
			l.want(t, "lost", false, 1)
		}
		other := newListener(t)
		_, foreign := other.send()
		l.Relay.receive(foreign)
		l.want(t, "another node's", false, 1)
		_, fourth := l.send()
		l.Relay.receive(fourth)
		if l.checkSilence(); !l.Up() {
			t.Error("lost, although a probe was received again")
		}
		<-time.After(lostAfter)
		other.checkSilence()
		if other.want(t, "a node that has received nothing", false, 1); other.Up() {
			t.Error("up, although nothing was received")
		}
	})
}

// TestLostProbe checks that a probe which was stored and not received implies lost messages; one
// that is under way, or was sent before this node listened, implies nothing.
func TestLostProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		step := func() { <-time.After(100 * time.Millisecond) }
		step()
		n, _ := l.send()
		step()
		_, overtaken := l.send() // while the one before is still on its way
		l.Relay.receive(overtaken)
		l.want(t, "the second of two concurrent probes", true, 0)
		l.probe.committed(n)
		step()
		lost, _ := l.send()
		l.probe.committed(lost)
		l.probe.committed(n)
		step()
		_, after := l.send()
		l.Relay.receive(after)
		l.want(t, "after a lost probe", true, 1)
		step()
		before, _ := l.send()
		l.probe.committed(before)
		l.probe.disconnected()
		l.want(t, "without a connection", false, 1)
		step()
		l.probe.connected()
		_, again := l.send()
		l.Relay.receive(again)
		l.want(t, "of a new connection", true, 1)
		l.Relay.receive(l.node + echo + "\n" + probeMark + "rain")
		l.want(t, "a malformed probe", true, 2)
	})
}

// TestConnectionLost checks that a node without a connection neither receives nor is up, that
// watchers are told when a connection begins and when it is lost, once each, and that attempts to
// connect pause for longer and longer.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		l.up.Store(false)
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
			l.want(t, "connected", false, 1+2*n)
			_, message := l.send()
			l.Relay.receive(message)
			if l.want(t, "with a probe", true, 1+2*n); !l.Up() {
				t.Error("not up with a connection")
			}
			cut <- struct{}{}
			synctest.Wait()
			if l.want(t, "cut", false, 2+2*n); l.Up() || l.probe.latest.Load() != 0 {
				t.Error("up, or a probe counts, without a connection")
			}
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

// TestProbeIsStored checks that a probe counts as stored only after its commit.
func TestProbeIsStored(t *testing.T) {
	t.Parallel()
	var fault atomic.Int64 // the store looks for space by itself
	fault.Store(int64(store.Full))
	place := storetest.At(storetest.NewSQLite(t), store.Config{Faults: &store.Faults{Commit: func() store.Fault {
		return store.Fault(fault.Load())
	}}})
	l := newListener(t)
	l.DB = storetest.OpenSQLite(t, place)
	l.sendProbe(t.Context())
	if n := l.probe.stored.Load(); n != 0 {
		t.Errorf("probe %d counts as stored although its commit has failed", n)
	}
	fault.Store(int64(store.NoFault))
	l.sendProbe(t.Context())
	if l.probe.stored.Load() == 0 {
		t.Error("no probe counts as stored after its commit")
	}
}

// TestOwnMessages checks that a node ignores its own messages and malformed ones, and handles those
// of others.
func TestOwnMessages(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	var got []string
	l.Handlers = map[string]func(string){"word": func(rest string) { got = append(got, rest) }}
	for _, message := range []string{l.node + "\nword:own", "other\nword:theirs", "word:malformed", l.node, "other"} {
		l.Relay.receive(message)
	}
	if len(got) != 1 || got[0] != "theirs" {
		t.Errorf("handled %q, want theirs alone", got)
	}
	w := l.Hub.Watch("theirs", "own", "second")
	l.Relay.receive(l.node + "\nown")
	l.Relay.receive("other\ntheirs\nsecond")
	if woken := w.Woken(); !slices.Equal(woken, []string{"theirs", "second"}) || l.missed.Load() != 0 {
		t.Errorf("woken %q, missed %d times, want the topics of another node", woken, l.missed.Load())
	}
	l.Relay.receive("other\n" + everything)
	l.want(t, "everything", false, 1)
}

// TestProbeFollowsProbe checks that nothing is missed while each probe arrives that is known to be stored,
// nor by one that was stored when the connection began.
func TestProbeFollowsProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		l.probe.committed(l.probe.since.Load())
		for range 3 {
			<-time.After(probeInterval)
			n, message := l.send()
			l.Relay.receive(message)
			l.probe.committed(n)
			l.want(t, "one after the other", true, 0)
		}
	})
}

// TestPublishFails checks that a transaction whose message cannot be sent is rolled back.
func TestPublishFails(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	l := newListener(t)
	l.DB = storetest.Open(t, place)
	each.Use(t, l.DB, place)
	each.Update(t, "publish", func(_ context.Context, tx *store.Tx) error { return l.PublishWith(tx, "word:x") })
}
