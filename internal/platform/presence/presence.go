// Package presence reports whether a player is at a duel at this moment, on any node, by the requests
// that wait there. Each node tracks those that it serves, in memory, and sends the other nodes short
// messages; nothing is stored, and a node that dies is forgotten when its messages stop.
//
// A key names a watcher and the watched thing. It is present while a request of it waits on any
// node, and for Grace after its last request, so that the next request of a polling client finds it
// present.
package presence

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"
)

// Timing of presence.
const (
	// Grace is how long a key stays present after its last request.
	Grace = 5 * time.Second
	// repeat is how often a node repeats that a key is present, and forget after which silence of a
	// node the others drop it.
	repeat = 10 * time.Second
	forget = 25 * time.Second
	// keep is how long a key that has gone is remembered.
	keep = 10 * time.Minute
)

// State is the presence of a key.
type State struct {
	Present bool
	Since   time.Time // when it went; zero while it is present, and if it is unknown
}

// Tracker tracks keys. Its fields are set before use; methods are safe for concurrent use.
type Tracker struct {
	Now func() time.Time
	// Changed is called after the state of a key has changed on this node. It must not block.
	Changed func(key string)
	// Publish sends a message to the other nodes, which pass it to Receive. It must not block. Nil
	// on a single node.
	Publish func(message string)

	node string
	mu   sync.Mutex // guards keys
	keys map[string]*entry
}

// entry is a known key.
type entry struct {
	requests int                  // that wait on this node
	until    time.Time            // end of Grace after the last request on this node
	nodes    map[string]time.Time // other nodes where the key is present, until their messages expire
	sent     time.Time            // when this node last published that it is present; zero if it did not
	present  bool                 // as last reported to Changed
	since    time.Time            // when it went
}

// New returns a tracker with the fields of t.
func New(t *Tracker) *Tracker {
	return &Tracker{Now: t.Now, Changed: t.Changed, Publish: t.Publish, node: rand.Text(), keys: map[string]*entry{}}
}

// Enter begins a request of a key, and returns the function that ends it.
func (t *Tracker) Enter(key string) (leave func()) {
	t.mu.Lock()
	e := t.keys[key]
	if e == nil {
		e = &entry{nodes: map[string]time.Time{}}
		t.keys[key] = e
	}
	e.requests++
	changed := t.update(key, e)
	t.mu.Unlock()
	t.report(changed, key)
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		e.requests--
		e.until = t.Now().Add(Grace)
	})
}

// State returns the state of a key. It reports a key that has just gone, as Beat does: otherwise its return before the
// next Beat would be no change, and the caller would not hear of it.
func (t *Tracker) State(key string) State {
	t.mu.Lock()
	e := t.keys[key]
	if e == nil {
		t.mu.Unlock()
		return State{}
	}
	changed := t.update(key, e)
	state := State{Present: e.present, Since: e.since}
	if e.present {
		state.Since = time.Time{}
	}
	t.mu.Unlock()
	t.report(changed, key)
	return state
}

// Receive handles a message of another node.
func (t *Tracker) Receive(message string) {
	node, key, ok := strings.Cut(message, " ")
	sign, node := node[:min(1, len(node))], node[min(1, len(node)):]
	if !ok || node == "" || sign != "+" && sign != "-" {
		return
	}
	t.mu.Lock()
	e := t.keys[key]
	if e == nil {
		e = &entry{nodes: map[string]time.Time{}}
		t.keys[key] = e
	}
	if sign == "+" {
		e.nodes[node] = t.Now().Add(forget)
	} else {
		delete(e.nodes, node)
	}
	changed := t.update(key, e)
	t.mu.Unlock()
	t.report(changed, key)
}

// Beat repeats this node's messages, and reports the keys that have gone. Call it every second.
func (t *Tracker) Beat() {
	t.mu.Lock()
	var changed []string
	for key, e := range t.keys {
		if t.update(key, e) {
			changed = append(changed, key)
		}
		if !e.present && t.Now().Sub(e.since) > keep {
			delete(t.keys, key)
		}
	}
	t.mu.Unlock()
	for _, key := range changed {
		t.report(true, key)
	}
}

func (t *Tracker) here(e *entry) bool { return e.requests > 0 || t.Now().Before(e.until) }

// elsewhere reports whether a key is present on another node, and drops those that have expired.
func (t *Tracker) elsewhere(e *entry) bool {
	for node, until := range e.nodes {
		if !t.Now().Before(until) {
			delete(e.nodes, node)
		}
	}
	return len(e.nodes) > 0
}

// update publishes what other nodes have to know of a key, and reports whether its state has
// changed. The caller holds mu.
func (t *Tracker) update(key string, e *entry) (changed bool) {
	now, here := t.Now(), t.here(e)
	if t.Publish != nil {
		switch {
		case here && (e.sent.IsZero() || now.Sub(e.sent) >= repeat):
			t.Publish("+" + t.node + " " + key)
			e.sent = now
		case !here && !e.sent.IsZero():
			t.Publish("-" + t.node + " " + key)
			e.sent = time.Time{}
		}
	}
	present := here || t.elsewhere(e)
	if present == e.present {
		return false
	}
	if e.present = present; !present {
		e.since = now
		if e.until.After(now.Add(-forget)) { // it went on this node
			e.since = e.until.Add(-Grace)
		}
	}
	return true
}

func (t *Tracker) report(changed bool, key string) {
	if changed && t.Changed != nil {
		t.Changed(key)
	}
}
