package account

import (
	"context"
	"net/netip"
	"slices"
	"sync"
)

const (
	// maxQueue is the maximum number of calls that hash or wait for a slot, which bounds the
	// waiting time.
	maxQueue = 1024
	// maxClientQueue is the share of one client: its next call gets ErrBusy at once.
	maxClientQueue = 32
)

// hashQueue hands out slots for hashing in turns, first by networks and within a network by
// clients: a client that queues many calls, or a network that queues from many addresses,
// waits for its own calls and delays every other network by one hash. When the queue is
// full, the network with the most waiting calls loses its newest one to a network with fewer.
//
// Known calls, from a browser or an address from which the owner has signed in before, alternate with
// all others: an owner who logs in waits for one hash of strangers, from however many networks they
// call, and is not refused when they fill the queue. Strangers get every second slot in any case.
type hashQueue struct {
	mu       sync.Mutex // guards the fields below
	free     int        // slots that no call holds
	waiting  int
	networks []*hashNetwork // with waiting calls, the next in turn first
	known    bool           // the next slot is for a known call, if one waits
	held     map[netip.Prefix]int
}

// hashNetwork holds the waiting calls of a network, the known ones apart from the others.
type hashNetwork struct {
	prefix  netip.Prefix
	known   bool
	waiting int
	clients []*hashClient // with waiting calls, the next in turn first
}

// hashClient holds the waiting calls of a client, the oldest first.
type hashClient struct {
	prefix netip.Prefix
	calls  []*hashCall
}

// hashCall is a call that waits.
type hashCall struct {
	hashOrigin

	done chan error // receives nil with a slot, or ErrBusy
}

// hashOrigin is where a call comes from.
type hashOrigin struct {
	network, client netip.Prefix
	known           bool // the owner has signed in from there before
}

// acquire waits for a slot until ctx ends; the caller calls release once. Errors: ErrBusy,
// and the error of ctx.
func (q *hashQueue) acquire(ctx context.Context, from hashOrigin) error {
	c := &hashCall{from, make(chan error, 1)}
	if err := q.join(c); err != nil {
		return err
	}
	select {
	case err := <-c.done:
		if err != nil {
			q.leave(c)
		}
		return err
	case <-ctx.Done():
	}
	if q.remove(c) {
		q.leave(c)
		return ctx.Err()
	}
	err := <-c.done // decided at the same time
	q.leave(c)
	if err == nil {
		q.release()
	}
	return ctx.Err()
}

// join counts a call, and gives it a slot or queues it. Errors: ErrBusy.
func (q *hashQueue) join(c *hashCall) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held[c.client] >= maxClientQueue || q.waiting >= maxQueue && !q.displace(c) {
		return ErrBusy
	}
	if q.held == nil {
		q.held = map[netip.Prefix]int{}
	}
	q.held[c.client]++
	if q.free > 0 {
		q.free--
		c.done <- nil
		return nil
	}
	q.push(c)
	return nil
}

// leave ends the count of a call that join counted.
func (q *hashQueue) leave(c *hashCall) { q.end(c.client) }

// end ends the count of one call of a client: it has been hashed, or has given up.
func (q *hashQueue) end(client netip.Prefix) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held[client]--; q.held[client] <= 0 {
		delete(q.held, client)
	}
}

// push queues a call. The caller holds mu.
func (q *hashQueue) push(c *hashCall) {
	i := slices.IndexFunc(q.networks, func(n *hashNetwork) bool { return n.prefix == c.network && n.known == c.known })
	if i < 0 {
		i = len(q.networks)
		q.networks = append(q.networks, &hashNetwork{prefix: c.network, known: c.known})
	}
	n := q.networks[i]
	j := slices.IndexFunc(n.clients, func(h *hashClient) bool { return h.prefix == c.client })
	if j < 0 {
		j = len(n.clients)
		n.clients = append(n.clients, &hashClient{prefix: c.client})
	}
	n.clients[j].calls = append(n.clients[j].calls, c)
	n.waiting++
	q.waiting++
}

// displace refuses the newest call of the network with the most waiting calls, if the network of a
// new call would still have fewer. A known call displaces one that is not known in any case. It
// reports whether there is room now. The caller holds mu.
func (q *hashQueue) displace(by *hashCall) bool {
	var largest, stranger *hashNetwork
	own := 0
	for _, n := range q.networks {
		if largest == nil || n.waiting > largest.waiting {
			largest = n
		}
		if !n.known && (stranger == nil || n.waiting > stranger.waiting) {
			stranger = n
		}
		if n.prefix == by.network {
			own += n.waiting
		}
	}
	switch {
	case by.known && stranger != nil:
		largest = stranger
	case largest == nil || largest.waiting <= own+1:
		return false
	}
	h := largest.clients[len(largest.clients)-1]
	c := h.calls[len(h.calls)-1]
	q.take(c)
	c.done <- ErrBusy
	return true
}

// remove takes a call out of the queue; false if it was decided before.
func (q *hashQueue) remove(c *hashCall) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.take(c)
}

// take takes a waiting call out of the queue. It reports whether the call was there. The
// caller holds mu.
func (q *hashQueue) take(c *hashCall) bool {
	for i, n := range q.networks {
		for j, h := range n.clients {
			k := slices.Index(h.calls, c)
			if k < 0 {
				continue
			}
			h.calls = slices.Delete(h.calls, k, k+1)
			if len(h.calls) == 0 {
				n.clients = slices.Delete(n.clients, j, j+1)
			}
			if n.waiting--; n.waiting == 0 {
				q.networks = slices.Delete(q.networks, i, i+1)
			}
			q.waiting--
			return true
		}
	}
	return false
}

// release returns a slot, which goes to the oldest call of the client and network whose turn
// it is; both then wait behind all others. Known calls and others alternate.
func (q *hashQueue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.networks) == 0 {
		q.free++
		return
	}
	i := max(0, slices.IndexFunc(q.networks, func(n *hashNetwork) bool { return n.known == q.known }))
	n := q.networks[i]
	h := n.clients[0]
	q.known = !n.known
	q.networks = append(slices.Delete(q.networks, i, i+1), n)
	n.clients = append(n.clients[1:], h)
	c := h.calls[0]
	q.take(c)
	c.done <- nil
}
