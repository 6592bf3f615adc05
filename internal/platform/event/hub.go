package event

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// Hub wakes the watchers of a topic on this node, and with a Relay on all nodes. A wake-up carries
// no data: the watcher reads the state itself. The zero value is ready; its methods are safe for
// concurrent use.
//
// No wake-up is lost. A watcher that first watches and then reads, and reads again after every
// receive from C, misses no change whose writer wakes after storing it.
type Hub struct {
	// Relay, when set before use, is called with each topic woken here, to wake it on other nodes.
	// It must not block.
	Relay func(topic string)

	mu      sync.RWMutex              // guards watches
	watches map[string]map[*Watch]int // by topic; the value is the topic's index in Watch.topics
}

// Watch waits for topics of a Hub.
type Watch struct {
	hub    *Hub
	topics []string
	call   func()        // of OnWake; replaces the fields below
	woken  atomic.Uint64 // one bit for each topic woken since the last call of Woken
	c      chan struct{} // capacity 1; filled by wake-ups
}

// MaxTopics is the most topics of a Watch.
const MaxTopics = 64

// Watch watches topics, at most MaxTopics. The caller closes the Watch.
func (h *Hub) Watch(topics ...string) *Watch {
	return h.add(&Watch{hub: h, topics: topics, c: make(chan struct{}, 1)})
}

// Rewatch replaces old, which may be nil, by a Watch of other topics without a gap: a wake-up that
// old received and did not deliver is delivered to the new Watch, if that has its topic.
func (h *Hub) Rewatch(old *Watch, topics ...string) *Watch {
	w := h.Watch(topics...)
	if old == nil {
		return w
	}
	old.Close() // after the new one watches
	for _, topic := range old.Woken() {
		if i := slices.Index(topics, topic); i >= 0 {
			w.wake(i)
		}
	}
	return w
}

// OnWake watches topics without a goroutine: each Wake calls fn. fn must not block and must not
// use this Hub. Concurrent calls are possible, and one more while the Watch is being closed.
func (h *Hub) OnWake(fn func(), topics ...string) *Watch {
	return h.add(&Watch{hub: h, topics: topics, call: fn})
}

func (h *Hub) add(w *Watch) *Watch {
	if len(w.topics) > MaxTopics {
		panic("event: a Watch of too many topics")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watches == nil {
		h.watches = map[string]map[*Watch]int{}
	}
	for i, topic := range w.topics {
		if h.watches[topic] == nil {
			h.watches[topic] = map[*Watch]int{}
		}
		h.watches[topic][w] = i
	}
	return w
}

// Wake wakes the watchers of a topic. It is cheap without watchers, and never waits for them. Call
// it when readers can see the change: from tx.AfterCommit.
func (h *Hub) Wake(topic string) {
	h.WakeLocal(topic)
	if h.Relay != nil {
		h.Relay(topic)
	}
}

// WakeLocal wakes the watchers on this node alone.
func (h *Hub) WakeLocal(topic string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for w, i := range h.watches[topic] {
		w.wake(i)
	}
}

// WakeAll wakes all watchers on this node, because wake-ups from other nodes may have been lost.
func (h *Hub) WakeAll() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, watches := range h.watches {
		for w, i := range watches {
			w.wake(i)
		}
	}
}

// wake wakes the Watch for its i-th topic.
func (w *Watch) wake(i int) {
	if w.call != nil {
		w.call()
		return
	}
	w.woken.Or(1 << i) // before C, so that its receiver finds the topic in Woken
	select {
	case w.c <- struct{}{}:
	default: // already filled: the watcher has yet to read
	}
}

// C delivers one value after one or several wake-ups.
func (w *Watch) C() <-chan struct{} { return w.c }

// Woken returns the topics woken since its last call; there may be none.
func (w *Watch) Woken() []string {
	var topics []string
	for mask := w.woken.Swap(0); mask != 0; mask &= mask - 1 {
		topics = append(topics, w.topics[bits.TrailingZeros64(mask)])
	}
	return topics
}

// Close ends the Watch. Further calls do nothing.
func (w *Watch) Close() {
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, topic := range w.topics {
		delete(h.watches[topic], w)
		if len(h.watches[topic]) == 0 {
			delete(h.watches, topic)
		}
	}
}

// Watchers returns the number of watchers of a topic, for tests that wait for one.
func (h *Hub) Watchers(topic string) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.watches[topic])
}
