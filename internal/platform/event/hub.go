package event

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// Hub wakes who waits on this node, and with a Relay on all. It carries nothing: who is woken looks for himself
// what there is. The zero value is ready; its methods are safe for concurrent use.
//
// No wake-up is lost: whoever watches first and looks then, and looks again whenever C
// gives something, misses no change whose author changed first and woke then.
type Hub struct {
	// Relay, when set before use, is told of each topic that is woken here, to wake it on
	// other nodes. It must be quick.
	Relay func(topic string)

	mu      sync.RWMutex              // guards watches and each Watch's place in it
	watches map[string]map[*Watch]int // by topic; which of the Watch's topics it is
}

// Watch waits for some topics of a Hub.
type Watch struct {
	hub    *Hub
	topics []string
	call   func()        // instead of all that follows
	woken  atomic.Uint64 // a bit for each topic that was woken and not yet asked for
	c      chan struct{} // holds one token while there was a wake-up that nobody has taken
}

// MaxTopics is how many topics a Watch can have.
const MaxTopics = 64

// Watch begins to watch topics, MaxTopics at most. The caller closes the Watch.
func (h *Hub) Watch(topics ...string) *Watch {
	return h.add(&Watch{hub: h, topics: topics, c: make(chan struct{}, 1)})
}

// Rewatch begins to watch topics in place of old, which it closes, without a gap: a wake-up
// of old that was not taken yet is one of the new Watch, if that has its topic. Old may be
// nil.
func (h *Hub) Rewatch(old *Watch, topics ...string) *Watch {
	w := h.Watch(topics...)
	if old == nil {
		return w
	}
	old.Close() // and not before the new one watches
	for _, topic := range old.Woken() {
		if i := slices.Index(topics, topic); i >= 0 {
			w.wake(i)
		}
	}
	return w
}

// Call is Watch for who needs no goroutine: fn is called by each Wake of the topics. It
// must be quick, and not use this Hub. It may be called by several at the same time, and
// once more while the Watch is closed.
func (h *Hub) Call(fn func(), topics ...string) *Watch {
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

// Wake wakes everybody who watches a topic. It is cheap when nobody does and never
// waits for those who do. Call it when the change can be seen: from tx.AfterCommit.
func (h *Hub) Wake(topic string) {
	h.WakeHere(topic)
	if h.Relay != nil {
		h.Relay(topic)
	}
}

// WakeHere is Wake for those on this node alone.
func (h *Hub) WakeHere(topic string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for w, i := range h.watches[topic] {
		w.wake(i)
	}
}

// WakeAll wakes everybody on this node, whatever they watch: a wake-up from elsewhere may
// have been missed.
func (h *Hub) WakeAll() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, watches := range h.watches {
		for w, i := range watches {
			w.wake(i)
		}
	}
}

// wake wakes for the i-th topic.
func (w *Watch) wake(i int) {
	if w.call != nil {
		w.call()
		return
	}
	w.woken.Or(1 << i) // before the token: who takes that finds this
	select {
	case w.c <- struct{}{}:
	default: // not yet taken: it will look later than now
	}
}

// C gives one token after one wake-up or several.
func (w *Watch) C() <-chan struct{} { return w.c }

// Woken returns the topics that were woken since it was last asked, for who watches
// several and wants to know; there may be none.
func (w *Watch) Woken() []string {
	var topics []string
	for mask := w.woken.Swap(0); mask != 0; mask &= mask - 1 {
		topics = append(topics, w.topics[bits.TrailingZeros64(mask)])
	}
	return topics
}

// Close ends the Watch. Closing again does nothing.
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

// Watchers returns how many watch a topic, for tests that wait until somebody does.
func (h *Hub) Watchers(topic string) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.watches[topic])
}
