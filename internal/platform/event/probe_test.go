package event

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// listener is a Relay whose messages a test delivers as it likes.
type listener struct {
	*Relay
	missed int
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{}
	var err error
	l.Relay, err = NewRelay(RelayConfig{Hub: &Hub{}, Logger: slog.New(slog.DiscardHandler), Missed: func() { l.missed++ }})
	if err != nil {
		t.Fatal(err)
	}
	l.probe.connected()
	l.up.Store(true)
	return l
}

// tell begins a beat, whose message is heard when the test has it so.
func (l *listener) send() (n int64, message string) {
	n = l.probe.now()
	return n, l.node + echo + "\n" + l.probe.message(n)
}

func (l *listener) want(t *testing.T, what string, hears bool, missed int) {
	t.Helper()
	if l.Receives() != hears || l.missed != missed {
		t.Errorf("%s: hears %v, has missed something %d times, want %v and %d", what, l.Receives(), l.missed, hears, missed)
	}
}

// TestLateBeat: a beat counts for when it was told. One that is late proves nothing of what
// came since, and nothing is forgotten for it.
func TestLateBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		l.want(t, "before any beat", false, 0)
		_, first := l.send()
		<-time.After(2 * time.Second)
		_, second := l.send()
		l.Relay.receive(first)
		l.want(t, "two seconds late", true, 0)
		<-time.After(time.Second)
		l.want(t, "three seconds after it was told", false, 0)
		l.Relay.receive(second)
		l.want(t, "the next one", true, 0)
		l.Relay.receive(first)
		l.want(t, "the first one once more", true, 0)
		<-time.After(2*time.Second - time.Nanosecond)
		l.want(t, "just before three seconds after the next was told", true, 0)
		<-time.After(time.Nanosecond)
		l.want(t, "then", false, 0)
		_, third := l.send()
		<-time.After(4 * time.Second)
		l.Relay.receive(third)
		l.want(t, "four seconds late", false, 0)
		if l.checkSilence(); !l.Up() {
			t.Error("lost, four seconds after a beat that was heard")
		}
		<-time.After(lostAfter - 4*time.Second)
		for range 2 {
			if l.checkSilence(); l.Up() {
				t.Error("up, ten seconds after the last beat that was heard")
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
			t.Error("lost, and heard again")
		}
		<-time.After(lostAfter)
		other.checkSilence()
		if other.want(t, "who has never heard anything", false, 1); other.Up() {
			t.Error("up, and has never heard anything")
		}
	})
}

// TestLostBeat: a beat that was stored and not heard says that others may have told something
// that was not heard, either; one that is on its way, or was told before this node listened,
// says nothing.
func TestLostBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t)
		step := func() { <-time.After(100 * time.Millisecond) }
		step()
		n, _ := l.send()
		step()
		_, overtaken := l.send() // while the one before is still on its way
		l.Relay.receive(overtaken)
		l.want(t, "of two at the same time the second alone", true, 0)
		l.probe.committed(n)
		step()
		lost, _ := l.send()
		l.probe.committed(lost)
		l.probe.committed(n)
		step()
		_, after := l.send()
		l.Relay.receive(after)
		l.want(t, "behind one that was lost", true, 1)
		step()
		before, _ := l.send()
		l.probe.committed(before)
		l.probe.disconnected()
		l.want(t, "while the connection is away", false, 1)
		step()
		l.probe.connected()
		_, again := l.send()
		l.Relay.receive(again)
		l.want(t, "of a new connection", true, 1)
		l.Relay.receive(l.node + echo + "\n" + probeMark + "rain")
		l.want(t, "what is no beat", true, 2)
	})
}
