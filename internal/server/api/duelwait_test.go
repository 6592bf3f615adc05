package api_test

import (
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
)

// waiting returns a step that waits for the other side.
func waiting(q request, key string) request {
	return q.with(map[string]string{"Prefer": "receipt, wait=30", "Idempotency-Key": key})
}

// held sends a step that waits, and returns once it waits; its answer follows in the channel.
func (g *duelGame) held(t *testing.T, side int, q request) <-chan answer {
	t.Helper()
	got := make(chan answer, 1)
	go func() { got <- g.sides[side](t, q) }()
	g.s.watchers(t, event.Duel(strings.TrimPrefix(g.path, "/api/duels/")), 1)
	return got
}

// stepped decodes the answer to a step that has waited, or not.
func stepped(t *testing.T, a answer, waited bool) (api.DuelOut, *api.DuelRound) {
	t.Helper()
	if applied := a.ok(t).header.Get("Preference-Applied") != ""; applied != waited {
		t.Errorf("Preference-Applied %t, want %t", applied, waited)
	}
	out := decode[api.DuelOut](t, a)
	return out, &out.Duel.Rounds[len(out.Duel.Rounds)-1]
}

// TestStepsWait plays a round in two calls a side: each step waits for the other side's.
func TestStepsWait(t *testing.T) {
	t.Parallel()
	s := start(t)
	g := s.joined(t, 0)
	g.n++
	commit, reveal := waiting(g.commit(0, 'r'), "commit"), waiting(g.reveal(0, 'r'), "reveal")
	got := g.held(t, 0, commit)
	// The step is stored before it waits.
	if r := g.read(t).Rounds[0]; !r.Committed.A || r.Committed.B {
		t.Errorf("while the commit waits: %+v", r)
	}
	_, r := stepped(t, g.sides[1](t, waiting(g.commit(1, 'p'), "theirs")), false)
	if !r.Committed.A || !r.Committed.B {
		t.Errorf("the second commit: %+v", r)
	}
	out, r := stepped(t, <-got, true)
	if !r.Committed.B || r.CommitmentB == nil || r.MoveB != nil || len(out.Receipts) == 0 || out.SaltMaxBytes == 0 {
		t.Errorf("the commit that waited: %+v with %d receipts", r, len(out.Receipts))
	}
	got = g.held(t, 0, reveal)
	_, r = stepped(t, g.sides[1](t, waiting(g.reveal(1, 'p'), "their reveal")), false)
	if r.Round != 2 {
		t.Errorf("after the second reveal: %+v", r)
	}
	if out, r = stepped(t, <-got, true); r.Round != 2 || out.Duel.Wins.B != 1 || out.Duel.Rounds[0].MoveB == nil {
		t.Errorf("the reveal that waited: %+v", out.Duel)
	}
}

// TestRepeatedStepsWait: a repetition of a step waits anew, and answers with the duel as it is then.
func TestRepeatedStepsWait(t *testing.T) {
	t.Parallel()
	s := start(t)
	g := s.joined(t, 0)
	g.n++
	commit := waiting(g.commit(0, 'r'), "commit")
	plain := commit.with(map[string]string{"Prefer": "receipt"})
	stored := g.sides[0](t, plain).ok(t)
	got := g.held(t, 0, commit)
	if again := g.sides[0](t, plain).ok(t); again.body != stored.body {
		t.Errorf("without Prefer: %s, want %s", again.body, stored.body)
	}
	g.sides[1](t, g.commit(1, 'p')).ok(t)
	for _, a := range []answer{<-got, g.sides[0](t, commit)} {
		if out := decode[api.DuelOut](t, a.ok(t)); !out.Duel.Rounds[0].Committed.B ||
			a.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("repeated: %+v, Idempotent-Replayed %q", out.Duel, a.header.Get("Idempotent-Replayed"))
		}
	}
}

// TestWaitsEndBeforeOwnSteps: a wait of the side that has to act ends 3 s before its deadline, after which none begins;
// the wait of a side that has acted goes on.
func TestWaitsEndBeforeOwnSteps(t *testing.T) {
	t.Parallel()
	s := start(t)
	g := s.joined(t, 0)
	g.n++
	next := request{method: "GET", path: g.path, header: map[string]string{"Prefer": "wait=30"}}
	margin := func() { s.clock.forward(g.read(t).Rounds[0].Deadline.Sub(s.clock.Now()) - 3*time.Second) }
	ended := func(a answer, waited bool) {
		t.Helper()
		if applied := a.ok(t).header.Get("Preference-Applied") != ""; applied != waited {
			t.Errorf("Preference-Applied %t, want %t", applied, waited)
		}
	}
	got := g.held(t, 0, next)
	margin()
	s.hub.Wake(event.Duel(strings.TrimPrefix(g.path, "/api/duels/"))) // as the timer would
	ended(<-got, true)
	ended(g.sides[0](t, next), false)
	g.sides[1](t, g.commit(1, 'p')).ok(t)
	got = g.held(t, 1, next) // has committed
	g.sides[0](t, g.commit(0, 'r')).ok(t)
	ended(<-got, true)
	margin()
	ended(g.sides[1](t, next), false) // has to reveal
	g.sides[1](t, g.reveal(1, 'p')).ok(t)
	got = g.held(t, 1, next)
	g.sides[0](t, g.reveal(0, 'r')).ok(t)
	ended(<-got, true)
	if d := g.read(t); d.Wins.B != 1 || d.Rounds[0].ForfeitedBy != nil {
		t.Errorf("the round: %+v", d.Rounds[0])
	}
}

// TestStepsStopWaiting: a wait ends with the other side's deadline, with the caller, which then learns
// nothing more, and when too many calls wait; the step is stored in each case.
func TestStepsStopWaiting(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.guest(t), s.guest(t)
	g := s.joined(t, 0, a, b)
	g.n++
	got := g.held(t, 0, waiting(g.commit(0, 'r'), "deadline"))
	s.clock.forward(g.read(t).Rounds[0].Deadline.Sub(s.clock.Now()))
	g.read(t) // applies the deadline
	if out, r := stepped(t, <-got, true); r.Round != 2 || out.Duel.Wins.A != 1 {
		t.Errorf("after the other side's deadline: %+v", out.Duel)
	}
	// Streams and steps share one budget.
	for range 20 {
		defer a.follow(t, "?topics=blocks", nil).close()
	}
	g.n++
	if _, r := stepped(t, g.sides[0](t, waiting(g.commit(0, 'r'), "full")), false); !r.Committed.A || r.Committed.B {
		t.Errorf("without room to wait: %+v", r)
	}

	c := s.guest(t)
	c.register(t, newName())
	g = s.joined(t, 0, c, s.guest(t))
	g.n++
	got = g.held(t, 0, waiting(g.commit(0, 'r'), "ended"))
	c.post(t, "/api/auth/logout", "").ok(t)
	g.sides[1](t, g.commit(1, 'p')).ok(t)
	(<-got).fails(t, 401, "unauthenticated")
	if r := g.read(t).Rounds[0]; !r.Committed.A {
		t.Errorf("after the end of the session: %+v", r)
	}
}

// TestOtherWaitsEndBeforeOwnSteps: a wait in the queue or for the feed ends 3 s before the deadline of a step that the
// caller owes in a duel, after which none begins.
func TestOtherWaitsEndBeforeOwnSteps(t *testing.T) {
	t.Parallel()
	s := start(t)
	wait := map[string]string{"Prefer": "wait=30"}
	b, reader := s.bot(t), s.guest(t)
	for _, c := range []struct {
		p     *player
		q     request
		topic string
	}{
		{b.player, request{method: "POST", path: "/api/arena/queue", header: wait}, accountTopic(t, b.player)},
		{reader, request{method: "GET", path: "/api/feed", header: wait}, event.Feed},
	} {
		waits := func(a answer) {
			t.Helper()
			if a.ok(t); c.q.method == "POST" {
				if out := decode[api.QueueOut](t, a); out.Status != "waiting" {
					t.Errorf("%v: %s, want waiting", c.q, out.Status)
				}
			}
		}
		g := s.joined(t, 0, c.p, s.guest(t))
		s.clock.forward(g.read(t).Rounds[0].Deadline.Sub(s.clock.Now()) - 10*time.Second)
		c.p.get(t, "/api/me").ok(t)
		got := make(chan answer, 1)
		go func() { got <- c.p.sender()(t, c.q) }()
		s.watchers(t, c.topic, 1)
		s.clock.forward(7 * time.Second)
		s.hub.Wake(c.topic) // as the timer would
		waits(<-got)
		next := c.p.sender()(t, c.q)
		if waits(next); next.header.Get("Preference-Applied") != "" {
			t.Errorf("%v: a wait begins 3 s before the deadline", c.q)
		}
		g.n++
		g.sides[0](t, g.commit(0, 'r')).ok(t) // in time
		if r := g.read(t).Rounds[0]; !r.Committed.A || r.ForfeitedBy != nil {
			t.Errorf("%v: the round is %+v", c.q, r)
		}
	}
}

// accountTopic returns the topic of a player's own events.
func accountTopic(t *testing.T, p *player) string {
	t.Helper()
	address, err := chain.ParseAddress(p.address)
	if err != nil {
		t.Fatal(err)
	}
	return event.Account(address)
}
