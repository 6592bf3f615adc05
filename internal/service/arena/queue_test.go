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
		t.Error("somebody waits, and the matcher was not woken")
	}
	if !first.Waiting || first.Duel != "" || first.Others != 0 || first.Window != 100 || first.Lapses.Sub(h.now()) != arena.Lapse {
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
		t.Errorf("%d were told, want 2", n)
	}
	h.finish(t, matched.Duel, "a")
	// They have just played each other: not at once.
	for _, bot := range []chain.Address{ann, bob} {
		if p := h.poll(t, bot); !p.Waiting {
			t.Errorf("after the duel: %+v", p)
		}
	}
	if left := h.pass(t); left != 2 {
		t.Errorf("%d left, want 2", left)
	}
	h.forward(time.Second) // their ratings are some 320 points apart by now
	h.pass(t)
	h.forward(2 * time.Second)
	if left := h.pass(t); left != 0 {
		t.Errorf("%d left after 3 s, want 0", left)
	}
	if p := h.poll(t, ann); p.Duel == "" || p.Duel == matched.Duel {
		t.Errorf("the second duel: %+v", p)
	}
}

// TestLapse: who has not asked for ten seconds is matched with nobody, and begins anew.
func TestLapse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		silent time.Duration
		pass   bool
		match  bool
	}{
		"in time":           {arena.Lapse - time.Millisecond, false, true},
		"late":              {arena.Lapse, false, false},
		"late, and noticed": {arena.Lapse, true, false},
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
				h.pass(t)
				if n := h.number(t, "SELECT count(*) FROM arena_bot WHERE since IS NOT NULL"); n != 0 {
					t.Errorf("%d still wait", n)
				}
			}
			if p := h.poll(t, bob); (p.Duel != "") != c.match {
				t.Errorf("%v after ann was last heard of: %+v", c.silent, p)
			}
			if !c.match {
				h.leave(t, bob)
				if p := h.poll(t, ann); !p.Waiting || p.Waited != 0 {
					t.Errorf("ann comes back: %+v", p)
				}
			}
		})
	}
}

// TestStay does not enter the queue.
func TestStay(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann := h.player(t, 1, chain.Bot, 101)
	stay := func() (p arena.Place) {
		h.update(t, func(ctx context.Context, tx *store.Tx) (err error) {
			p, err = h.Stay(ctx, tx, ann)
			return err
		})
		return p
	}
	if p := stay(); p != (arena.Place{}) {
		t.Errorf("never there: %+v", p)
	}
	h.poll(t, ann)
	if p := stay(); !p.Waiting {
		t.Errorf("there: %+v", p)
	}
	if !h.leave(t, ann) {
		t.Error("ann was not in the queue")
	}
	if p := stay(); p != (arena.Place{}) {
		t.Errorf("after leaving: %+v", p)
	}
}

// TestBotsAlone: people do not enter the queue, whoever asks for them.
func TestBotsAlone(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	for i, kind := range []chain.AccountKind{chain.Guest, chain.Full} {
		person := h.player(t, i+1, kind, 0)
		err := h.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := h.Queue(ctx, tx, person)
			return err
		})
		if !errors.Is(err, arena.ErrNoBot) {
			t.Errorf("%s: error %v, want %v", kind, err, arena.ErrNoBot)
		}
	}
}

// TestHouse: the house plays whoever comes, at once, and itself only now and then.
func TestHouse(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	for i := range 4 {
		h.poll(t, h.player(t, i+1, chain.Bot, 0))
	}
	ann := h.player(t, 10, chain.Bot, 101)
	duels := func() int64 { return h.number(t, "SELECT count(*) FROM test_duel") }
	// Ten minutes of nothing: the house keeps asking, and finishes its duels at once.
	for range 10 * 60 / 5 {
		h.forward(5 * time.Second)
		for i := range 4 {
			if p := h.poll(t, addressOf(i+1)); p.Duel != "" {
				h.finish(t, p.Duel, "a")
			}
		}
		h.pass(t)
	}
	if n := duels(); n < 17 || n > 20 {
		t.Errorf("the house played itself %d times in ten minutes, want 2 a minute at most, and not much less", n)
	}
	for i := range 4 { // which asked last a moment ago
		if p := h.poll(t, addressOf(i+1)); p.Duel != "" {
			h.finish(t, p.Duel, "")
			h.poll(t, addressOf(i+1))
		}
	}
	before := duels()
	if p := h.poll(t, ann); !p.Waiting {
		t.Fatalf("ann arrives: %+v", p)
	}
	h.forward(100 * time.Millisecond)
	h.pass(t)
	if p := h.poll(t, ann); p.Duel == "" || duels() != before+1 {
		t.Errorf("ann after 100 ms: %+v, %d duels", p, duels()-before)
	}
}

// TestMatch runs the loop: who arrives is matched without anybody calling Pass.
func TestMatch(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann := h.player(t, 1, chain.Bot, 101)
	h.poll(t, h.player(t, 2, chain.Bot, 0))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { h.Match(ctx); close(done) }()
	watch := h.Events.Hub.Watch(event.Account(ann))
	defer watch.Close()
	h.poll(t, ann)
	h.forward(time.Second)
	<-watch.C()
	if p := h.poll(t, ann); p.Duel == "" {
		t.Errorf("ann was told that she is matched, and found %+v", p)
	}
	stop()
	<-done
}

// TestFreed: a bot whose row names a duel that is over is not kept out for ever.
func TestFreed(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann := h.player(t, 1, chain.Bot, 101)
	h.poll(t, ann)
	h.exec(t, "UPDATE arena_bot SET since = NULL, duel = 'LOST0000'")
	if p := h.poll(t, ann); !p.Waiting {
		t.Errorf("got %+v, want a place in the queue", p)
	}
}
