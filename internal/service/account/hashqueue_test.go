package account

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
)

// newCall returns a call of the i-th client of a network.
func newCall(network, client int) *hashCall {
	return &hashCall{hashOrigin{network: netip.PrefixFrom(clientAt(network<<8), 24),
		client: netip.PrefixFrom(clientAt(network<<8|client), 32)}, make(chan error, 1)}
}

// decided returns whether a call was decided, and how.
func (c *hashCall) decided() (err error, ok bool) { //nolint:revive // the error is a value here
	select {
	case err := <-c.done:
		return err, true
	default:
		return nil, false
	}
}

// TestHashTurns queues many calls of one network, from one client and from many, and then one
// call of another network: it waits for one hash, however many are before it.
func TestHashTurns(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func(i int) int{
		"one client": func(int) int { return 1 }, "many clients": func(i int) int { return i },
	} {
		q := &hashQueue{}
		for i := range maxClientQueue {
			if err := q.join(newCall(1, client(i))); err != nil {
				t.Fatal(err)
			}
		}
		late := newCall(2, 1)
		if err := q.join(late); err != nil {
			t.Fatal(err)
		}
		q.release()
		if _, ok := late.decided(); ok {
			t.Errorf("%s: the last call has the first turn", name)
		}
		q.release()
		if err, ok := late.decided(); !ok || err != nil {
			t.Errorf("%s: the second turn is not the other network's: %v", name, err)
		}
	}
}

// TestHashTurnsWithinANetwork: the clients of one network take turns, too, each in the order of
// its calls.
func TestHashTurnsWithinANetwork(t *testing.T) {
	t.Parallel()
	q := &hashQueue{}
	calls := []*hashCall{newCall(1, 1), newCall(1, 1), newCall(1, 1), newCall(1, 2), newCall(2, 1)}
	for _, c := range calls {
		if err := q.join(c); err != nil {
			t.Fatal(err)
		}
	}
	var order []int
	for range calls {
		q.release()
		for i, c := range calls {
			if _, ok := c.decided(); ok {
				order = append(order, i)
			}
		}
	}
	if want := []int{0, 4, 3, 1, 2}; !slices.Equal(order, want) {
		t.Errorf("the calls get their turns in the order %v, want %v", order, want)
	}
	if q.release(); q.free != 1 || q.waiting != 0 || len(q.networks) != 0 {
		t.Errorf("afterwards: %+v", q)
	}
}

// knownCall returns a call of the first client of a network that the owner has signed in from.
func knownCall(network int) *hashCall {
	c := newCall(network, 1)
	c.known = true
	return c
}

// TestHashKnown: a known call waits for one hash of strangers, from however many networks they call,
// and displaces one of them when they fill the queue; known calls leave strangers every second slot.
func TestHashKnown(t *testing.T) {
	t.Parallel()
	q := &hashQueue{}
	for i := range maxQueue { // one call each, so that none has more than a new network would
		if err := q.join(newCall(i+1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.join(newCall(maxQueue+1, 1)); !errors.Is(err, ErrBusy) {
		t.Errorf("one more stranger: error %v", err)
	}
	known := []*hashCall{knownCall(2000), knownCall(2000), knownCall(2001)}
	for _, c := range known {
		if err := q.join(c); err != nil {
			t.Fatalf("a known call: %v", err)
		}
	}
	var order []int
	for slot := range 6 {
		q.release()
		for i, c := range known {
			if err, ok := c.decided(); ok && err == nil {
				order = append(order, 10*slot+i)
			}
		}
	}
	if want := []int{10, 32, 51}; !slices.Equal(order, want) { // slots 1, 3 and 5
		t.Errorf("the known calls get slots and turns %v, want %v", order, want)
	}
	if q.waiting != maxQueue-6 {
		t.Errorf("%d calls wait, want %d", q.waiting, maxQueue-6)
	}
}

// TestHashShares: a client has a share of the queue, and a full queue makes room for a network
// with fewer calls at the cost of the one with the most.
func TestHashShares(t *testing.T) {
	t.Parallel()
	q := &hashQueue{}
	var large []*hashCall
	for i := range maxQueue {
		c := newCall(1+i/(8*maxClientQueue), i/maxClientQueue)
		if i < 8*maxClientQueue {
			large = append(large, c)
		}
		if err := q.join(c); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if err := q.join(newCall(1, 0)); !errors.Is(err, ErrBusy) {
		t.Errorf("beyond the share of a client: error %v", err)
	}
	if err := q.join(newCall(1, 200)); !errors.Is(err, ErrBusy) {
		t.Errorf("another client of a network that has as many as any: error %v", err)
	}
	if err := q.join(newCall(9, 1)); err != nil {
		t.Errorf("a new network: error %v", err)
	}
	refused := 0
	for _, c := range large {
		if err, ok := c.decided(); ok && errors.Is(err, ErrBusy) {
			refused++
		}
	}
	if refused != 1 || q.waiting != maxQueue {
		t.Errorf("%d calls of the largest network refused, %d wait; want 1 and %d", refused, q.waiting, maxQueue)
	}
}

// TestHashQueueGivesUp: a call whose context ends leaves no trace, also when it got a slot at the
// same time.
func TestHashQueueGivesUp(t *testing.T) {
	t.Parallel()
	q := &hashQueue{}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	p := netip.PrefixFrom(clientAt(1), 32)
	if err := q.acquire(ended, hashOrigin{network: p, client: p}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if q.waiting != 0 || len(q.held) != 0 || q.free != 0 {
		t.Errorf("afterwards: %+v", q)
	}
	q.free = 1
	for range 50 { // the slot and the end of the context are ready at once: either may win
		if err := q.acquire(ended, hashOrigin{network: p, client: p}); err == nil {
			q.end(p)
			q.release()
		}
	}
	if q.waiting != 0 || len(q.held) != 0 || q.free != 1 {
		t.Errorf("afterwards: %+v", q)
	}
}

// TestHashDisplaces: a new network displaces a call of one that has two, and none of one that would then
// have fewer than it.
func TestHashDisplaces(t *testing.T) {
	t.Parallel()
	q := &hashQueue{}
	calls := []*hashCall{newCall(1, 1), newCall(1, 2)}
	for i := len(calls); i < maxQueue; i++ {
		calls = append(calls, newCall(i, 1))
	}
	for _, c := range calls {
		if err := q.join(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.join(newCall(maxQueue, 1)); err != nil {
		t.Errorf("a new network: error %v", err)
	}
	for i, c := range calls {
		if err, ok := c.decided(); ok != (i == 1) || ok && !errors.Is(err, ErrBusy) {
			t.Errorf("call %d is decided: %v, error %v", i, ok, err)
		}
	}
	if err := q.join(newCall(maxQueue+1, 1)); !errors.Is(err, ErrBusy) || q.waiting != maxQueue {
		t.Errorf("when all have one: error %v, %d wait", err, q.waiting)
	}
}

// TestHashHeld: a client's count holds its calls until each of them ends, also one that was displaced while
// it waited.
func TestHashHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &hashQueue{}
		first, from := newCall(1, 1), newCall(1, 2).hashOrigin
		if err := q.join(first); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { ended <- q.acquire(t.Context(), from) }()
		synctest.Wait() // until it waits
		second := &hashCall{from, make(chan error, 1)}
		if err := q.join(second); err != nil || q.held[from.client] != 2 {
			t.Errorf("error %v, %d calls held, want 2", err, q.held[from.client])
		}
		q.remove(second)
		if q.leave(second); q.held[from.client] != 1 {
			t.Errorf("one of two has ended: %d calls held, want 1", q.held[from.client])
		}
		for i := 2; i < maxQueue; i++ {
			if err := q.join(newCall(i, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.join(newCall(maxQueue, 1)); err != nil { // displaces the one that waits
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, ErrBusy) {
			t.Errorf("displaced: error %v", err)
		}
		if n, ok := q.held[from.client]; ok {
			t.Errorf("displaced: %d calls held, want none", n)
		}
	})
}

// TestOnlyVerifyIsKnown: a password that is set waits as a stranger, so that a caller's own account does not let it
// pass the queue; one that is verified waits as its caller says.
func TestOnlyVerifyIsKnown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, err := NewHasher(Cost{KiB: 8, Passes: 1, Lanes: 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := h.queue.acquire(ctx, newCall(1, 1).hashOrigin); err != nil {
			t.Fatal(err)
		}
		client := clientAt(2 << 8)
		calls := []func() error{
			func() error { _, err := h.Hash(ctx, client, "a password"); return err },
			func() error { _, err := h.Verify(ctx, client, true, "a password", ""); return err },
			func() error { _, err := h.Verify(ctx, client, false, "a password", ""); return err },
		}
		ended := make(chan error, len(calls))
		for _, call := range calls {
			go func() { ended <- call() }()
			synctest.Wait()
		}
		waiting := map[bool]int{}
		for _, n := range h.queue.networks {
			waiting[n.known] += n.waiting
		}
		if waiting[true] != 1 || waiting[false] != 2 {
			t.Errorf("%d known calls wait and %d of strangers, want 1 and 2", waiting[true], waiting[false])
		}
		cancel()
		for range calls {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("a call that was given up: %v", err)
			}
		}
	})
}
