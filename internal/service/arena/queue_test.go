package arena_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
)

// TestQueue follows bots through the queue, one step at a time.
func TestQueue(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann, bob := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102)
	first := h.poll(t, ann)
	if !h.Woken() {
		t.Error("a bot entered the queue without waking the matcher")
	}
	if !first.Waiting || first.Duel != "" || first.Others != 0 || first.Window != 100 ||
		first.ExpiresAt.Sub(h.now()) != arena.QueueTimeout {
		t.Fatalf("alone: %+v", first)
	}
	h.forward(3 * time.Second)
	if p := h.poll(t, ann); p.Waited != 3*time.Second || p.Window != 400 {
		t.Errorf("after 3 s: %+v", p)
	}
	matched := h.poll(t, bob)
	if matched.Duel == "" || matched.Waiting {
		t.Fatalf("bob arrives: %+v", matched)
	}
	for name, bot := range map[string]chain.Address{"ann": ann, "bob": bob} {
		if p := h.poll(t, bot); p.Duel != matched.Duel {
			t.Errorf("%s is matched with %+v, want %s", name, p, matched.Duel)
		}
		if h.leave(t, bot) {
			t.Errorf("%s left a queue that it is not in", name)
		}
	}
	if n := h.number(t, "SELECT count(*) FROM event_inbox WHERE kind = 'matched'"); n != 2 {
		t.Errorf("%d events, want 2", n)
	}
	h.finish(t, matched.Duel, "a")
	// Last opponents are not matched at once.
	for _, bot := range []chain.Address{ann, bob} {
		if p := h.poll(t, bot); !p.Waiting {
			t.Errorf("after the duel: %+v", p)
		}
	}
	if left := h.matchOnce(t); left != 2 {
		t.Errorf("%d left, want 2", left)
	}
	h.forward(time.Second) // their ratings are about 320 points apart now
	h.matchOnce(t)
	h.forward(2 * time.Second)
	if left := h.matchOnce(t); left != 0 {
		t.Errorf("%d left after 3 s, want 0", left)
	}
	if p := h.poll(t, ann); p.Duel == "" || p.Duel == matched.Duel {
		t.Errorf("the second duel: %+v", p)
	}
}

// TestQueueTimeout checks that a bot that has not asked for ten seconds is not matched, and
// enters the queue anew with its next request.
func TestQueueTimeout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		silent time.Duration
		pass   bool
		match  bool
	}{
		"in time":            {arena.QueueTimeout - time.Millisecond, false, true},
		"late":               {arena.QueueTimeout, false, false},
		"late, after a pass": {arena.QueueTimeout, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, store.Config{})
			ann, bob := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102)
			h.poll(t, ann)
			h.forward(time.Second)
			h.poll(t, ann)
			h.forward(c.silent)
			if c.pass {
				h.matchOnce(t)
				if n := h.number(t, "SELECT count(*) FROM arena_bot WHERE since IS NOT NULL"); n != 0 {
					t.Errorf("%d still wait", n)
				}
			}
			if p := h.poll(t, bob); (p.Duel != "") != c.match {
				t.Errorf("%v after ann's last request: %+v", c.silent, p)
			}
			if !c.match {
				h.leave(t, bob)
				if p := h.poll(t, ann); !p.Waiting || p.Waited != 0 {
					t.Errorf("ann asks again: %+v", p)
				}
			}
		})
	}
}

// TestStayInQueue checks that StayInQueue puts no bot into the queue.
func TestStayInQueue(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann := h.player(t, 1, chain.Bot, 101)
	stay := func() (p arena.QueueStatus) {
		h.update(t, func(ctx context.Context, tx *store.Tx) (err error) {
			p, err = h.StayInQueue(ctx, tx, ann)
			return err
		})
		return p
	}
	if p := stay(); p != (arena.QueueStatus{}) {
		t.Errorf("before entering: %+v", p)
	}
	h.poll(t, ann)
	if p := stay(); !p.Waiting {
		t.Errorf("in the queue: %+v", p)
	}
	if !h.leave(t, ann) {
		t.Error("ann was not in the queue")
	}
	if p := stay(); p != (arena.QueueStatus{}) {
		t.Errorf("after leaving: %+v", p)
	}
}

// TestBotsOnly checks that only bots can enter the queue.
func TestBotsOnly(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	for i, kind := range []chain.AccountKind{chain.Guest, chain.Full} {
		person := h.player(t, i+1, kind, 0)
		err := h.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := h.JoinQueue(ctx, tx, person, nil)
			return err
		})
		if !errors.Is(err, arena.ErrNoBot) {
			t.Errorf("%s: error %v, want %v", kind, err, arena.ErrNoBot)
		}
	}
}

// TestHouse checks that a house bot is available to every outside bot, and that house bots
// play one another rarely.
func TestHouse(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	for i := range 4 {
		h.poll(t, h.player(t, i+1, chain.Bot, 0))
	}
	ann := h.player(t, 10, chain.Bot, 101)
	duels := func() int64 { return h.number(t, "SELECT count(*) FROM test_duel") }
	// For ten minutes only house bots ask; they finish their duels at once.
	for range 10 * 60 / 5 {
		h.forward(5 * time.Second)
		for i := range 4 {
			if p := h.poll(t, addressOf(i+1)); p.Duel != "" {
				h.finish(t, p.Duel, "a")
			}
		}
		h.matchOnce(t)
	}
	// First one with each pass, then one in 15 s.
	if n, want := duels(), int64(arena.HouseStart+(10*60-5*arena.HouseStart)/15); n < want-1 || n > want+1 {
		t.Errorf("%d duels of house bots in ten minutes, want %d", n, want)
	}
	for i := range 4 { // all house bots wait again
		if p := h.poll(t, addressOf(i+1)); p.Duel != "" {
			h.finish(t, p.Duel, "")
			h.poll(t, addressOf(i+1))
		}
	}
	before := duels()
	if p := h.poll(t, ann); !p.Waiting {
		t.Fatalf("ann arrives: %+v", p)
	}
	h.matchOnce(t)
	p := h.poll(t, ann)
	if p.Duel == "" {
		t.Fatalf("ann's first duel: %+v", p)
	}
	h.finish(t, p.Duel, "a")
	for i := range 4 {
		h.poll(t, addressOf(i+1))
	}
	if p := h.poll(t, ann); !p.Waiting {
		t.Fatalf("ann comes back: %+v", p)
	}
	h.forward(4990 * time.Millisecond)
	h.matchOnce(t)
	if p := h.poll(t, ann); p.Duel != "" {
		t.Errorf("ann after 4.99 s: %+v", p)
	}
	h.forward(10 * time.Millisecond)
	h.matchOnce(t)
	if p := h.poll(t, ann); p.Duel == "" || duels() > before+3 {
		t.Errorf("ann after 5 s: %+v, %d duels", p, duels()-before)
	}
}

// TestMatchLoop checks that MatchLoop matches a bot that enters the queue.
func TestMatchLoop(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann := h.player(t, 1, chain.Bot, 101)
	h.poll(t, h.player(t, 2, chain.Bot, 0))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { h.MatchLoop(ctx); close(done) }()
	watch := h.Events.Hub.Watch(event.Account(ann))
	defer watch.Close()
	h.poll(t, ann)
	h.forward(5 * time.Second)
	h.Events.Hub.Wake(event.Queue) // the loop may have begun before and read the time after
	<-watch.C()
	if p := h.poll(t, ann); p.Duel == "" {
		t.Errorf("after ann's event: %+v", p)
	}
	stop()
	<-done
}

// TestFreed checks that a bot whose row names a finished duel can enter the queue.
func TestFreed(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann := h.player(t, 1, chain.Bot, 101)
	h.poll(t, ann)
	h.exec(t, "UPDATE arena_bot SET since = NULL, duel = 'LOST0000'")
	if p := h.poll(t, ann); !p.Waiting {
		t.Errorf("got %+v, want a waiting bot", p)
	}
}
