package event

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// TestHubLosesNoWakeUp runs readers that follow counters which writers raise, in random
// interleavings. Each reader watches, then reads, and reads again when woken, so all of them must
// see the last value. With a lost wake-up a reader would wait forever, which synctest reports as a
// deadlock.
func TestHubLosesNoWakeUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		topics := []string{"a", "b", "c"}
		raises := rapid.SliceOfN(rapid.SampledFrom(topics), 1, 60).Draw(rt, "raises")
		follows := rapid.SliceOfN(
			rapid.SliceOfNDistinct(rapid.SampledFrom(topics), 1, 3, rapid.ID), 1, 20,
		).Draw(
			rt,
			"follows",
		)
		synctest.Test(t, func(t *testing.T) { race(t, raises, follows) })
	})
}

// race raises the counters, each in a goroutine of its own, while the readers wait until they have
// seen all raises of their counters.
func race(t *testing.T, raises []string, follows [][]string) {
	var hub Hub
	var c counters
	want := map[string]int64{}
	for _, topic := range raises {
		want[topic]++
	}
	for _, topics := range follows {
		go func() {
			w := hub.Watch(topics...)
			defer w.Close()
			for _, topic := range topics {
				for c.of(topic).Load() < want[topic] {
					<-w.C()
				}
			}
		}()
	}
	for _, topic := range raises {
		go func() {
			c.of(topic).Add(1)
			hub.Wake(topic)
		}()
	}
	synctest.Wait()
	for _, topic := range raises {
		if got := c.of(topic).Load(); got != want[topic] {
			t.Errorf("counter %s is %d, want %d", topic, got, want[topic])
		}
	}
}

// TestHubForgets checks that closed watches leave nothing behind.
func TestHubForgets(t *testing.T) {
	t.Parallel()
	var hub Hub
	a, b := hub.Watch("x", "y"), hub.Watch("y")
	hub.Wake("y")
	hub.Wake("y")
	for name, w := range map[string]*Watch{"a": a, "b": b} {
		if got := len(w.C()); got != 1 {
			t.Errorf("%s: %d tokens after two wake-ups, want 1", name, got)
		}
	}
	a.Close()
	a.Close()
	hub.Wake("x")
	<-b.C()
	b.Close()
	hub.Wake("y")
	if len(b.C()) != 0 {
		t.Error("woken after Close")
	}
	if n := len(hub.watches); n != 0 {
		t.Errorf("%d topics left behind", n)
	}
}

// TestRewatchLosesNoWakeUp checks that a wake-up which was not taken before the topics change is
// delivered afterwards, except for topics that are no longer watched.
func TestRewatchLosesNoWakeUp(t *testing.T) {
	t.Parallel()
	var hub Hub
	w := hub.Rewatch(nil, "old", "kept")
	hub.Wake("old")
	hub.Wake("kept")
	w = hub.Rewatch(w, "new", "kept")
	if got := w.Woken(); len(w.C()) != 1 || len(got) != 1 || got[0] != "kept" {
		t.Fatalf("%d tokens for %v, want 1 for kept", len(w.C()), got)
	}
	<-w.C()
	hub.Wake("kept")
	w = hub.Rewatch(w, "kept", "more") // at another place
	if got := w.Woken(); len(w.C()) != 1 || len(got) != 1 || got[0] != "kept" {
		t.Fatalf("then %d tokens for %v, want 1 for kept", len(w.C()), got)
	}
	<-w.C()
	w = hub.Rewatch(w, "other")
	if len(w.C()) != 0 || hub.Watchers("kept") != 0 {
		t.Error("woken for what was taken, or still watching it")
	}
	w.Close()
}

// counters are what the writers raise.
type counters [3]atomic.Int64

func (c *counters) of(topic string) *atomic.Int64 { return &c[topic[0]-'a'] }

// TestHubCalls checks that OnWake calls its function instead of filling C, for several topics,
// until it is closed.
func TestHubCalls(t *testing.T) {
	t.Parallel()
	var hub Hub
	n := 0
	w := hub.OnWake(func() { n++ }, "x", "y")
	for _, topic := range []string{"x", "y", "z", "x"} {
		hub.Wake(topic)
	}
	if n != 3 || len(w.C()) != 0 {
		t.Errorf("%d calls and %d tokens, want 3 and 0", n, len(w.C()))
	}
	w.Close()
	if hub.Wake("x"); n != 3 {
		t.Error("called after Close")
	}
}

// TestHubRelays checks that a topic woken on this node reaches the others, and one that came from them
// does not return.
func TestHubRelays(t *testing.T) {
	t.Parallel()
	var relayed []string
	hub := Hub{Relay: func(topic string) { relayed = append(relayed, topic) }}
	hub.Wake("a")
	hub.WakeLocal("b")
	hub.WakeAll()
	if len(relayed) != 1 || relayed[0] != "a" {
		t.Errorf("relayed %q, want a", relayed)
	}
}

// TestHubManyTopics checks that a Watch takes MaxTopics topics, knows each of them, and takes no more.
func TestHubManyTopics(t *testing.T) {
	t.Parallel()
	var hub Hub
	var topics []string
	for i := range MaxTopics {
		topics = append(topics, fmt.Sprint("topic:", i))
	}
	w := hub.Watch(topics...)
	hub.WakeAll()
	if got := w.Woken(); !slices.Equal(got, topics) {
		t.Errorf("woken are %q, want all", got)
	}
	w.Close()
	defer func() {
		if recover() == nil {
			t.Error("a Watch of one topic more")
		}
	}()
	hub.Watch(append(topics, "more")...)
}
