package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/event"
	"roshambo/internal/platform/presence"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// quick asks for a stranger.
func (p *player) quick(t *testing.T) api.QueueOut {
	t.Helper()
	return decode[api.QueueOut](t, p.post(t, "/api/duels/quick", "").ok(t))
}

// paired starts a quick duel between two players.
func (s *stack) paired(t *testing.T, a, b *player) *duelGame {
	t.Helper()
	if got := a.quick(t); got.Status != "waiting" {
		t.Fatalf("the first player is %s", got.Status)
	}
	got := b.quick(t)
	if got.Status != "matched" || *got.Duel.You != "b" {
		t.Fatalf("the second player is %+v", got)
	}
	return s.game(got.Duel.ID, a.sender(), b.sender())
}

// TestQuick checks that two people in the queue are paired, that both get the same duel until it
// is over, that a player can leave, and that people of one public network address are not paired.
func TestQuick(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) {
		c.TrustedProxies, c.NetworkKey, c.PairPrivate = []string{"127.0.0.1"}, []byte("of the test"), true
	})
	ann, bob := s.guest(t), s.guest(t)
	g := s.paired(t, ann, bob)
	if got := ann.quick(t); got.Status != "matched" || got.Duel.ID != strings.TrimPrefix(g.path, "/api/duels/") ||
		*got.Duel.You != "a" || got.Duel.Rated {
		t.Errorf("the player who waited gets %+v", got)
	}
	if got := decode[api.LeaveOut](t, ann.post(t, "/api/duels/quick/leave", "").ok(t)); got.Left || got.Duel == nil ||
		"/api/duels/"+got.Duel.ID != g.path {
		t.Errorf("leaving the queue in a duel: %+v, want %s", got, g.path)
	}
	g.sides[0](t, g.post("/resign", "")).ok(t)
	if got := ann.quick(t); got.Status != "waiting" {
		t.Errorf("after the duel: %+v", got)
	}
	if left := decode[api.LeaveOut](t, ann.post(t, "/api/duels/quick/leave", "").ok(t)); !left.Left {
		t.Error("a waiting player cannot leave")
	}
	from := func(p *player, address string) api.QueueOut {
		q := request{method: http.MethodPost, path: "/api/duels/quick"}
		return decode[api.QueueOut](t, p.send(t, q.with(map[string]string{
			"X-Forwarded-For": address, "X-CSRF-Token": p.csrf})).ok(t))
	}
	cyd, dan, eve := s.guest(t), s.guest(t), s.guest(t)
	if from(cyd, "2001:db8:1:2::3").Status != "waiting" || from(dan, "2001:db8:1:9999::4").Status != "waiting" {
		t.Error("two people of one network were paired")
	}
	if from(eve, "2001:db8:2::1").Status != "matched" {
		t.Error("people of two networks are not paired")
	}
}

// TestQuickRoaming checks that two people with a network in common are not paired within 24 hours, wherever they are
// now.
func TestQuickRoaming(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) {
		c.TrustedProxies, c.NetworkKey, c.PairPrivate = []string{"127.0.0.1"}, []byte("of the test"), true
	})
	ann, bob := s.guest(t), s.guest(t)
	ask := func(p *player, address string) string {
		return decode[api.QueueOut](t, p.postFrom(t, address, "/api/duels/quick", "").ok(t)).Status
	}
	ask(ann, "192.0.2.1")
	for _, ago := range []time.Duration{0, 23 * time.Hour} {
		s.clock.forward(ago)
		if a, b := ask(ann, "192.0.2.2"), ask(bob, "192.0.2.1"); a != "waiting" || b != "waiting" {
			t.Errorf("%v after using one network: %s and %s, want both waiting", ago, a, b)
		}
	}
	s.clock.forward(2 * time.Hour)
	ask(bob, "192.0.2.3")
	if got := ask(ann, "192.0.2.2"); got != "matched" {
		t.Errorf("25 hours later: %s, want matched", got)
	}
}

// TestPrivateDuel checks that an unlisted duel is in no list, event or feed of others, that resigning
// pays the other side, and that a rematch begins for both.
func TestPrivateDuel(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	d := decode[api.DuelOut](t, ann.post(t, "/api/duels", `{"stake":30,"listed":false}`).ok(t)).Duel
	if d.Listed || d.StakeTxA != nil {
		t.Errorf("the invitation: %+v", d)
	}
	g := s.game(d.ID, ann.sender(), bob.sender())
	bob.post(t, g.path+"/join", "").ok(t)
	out := decode[api.DuelOut](t, bob.post(t, g.path+"/resign", "").ok(t))
	if *out.Duel.Winner != "a" || *out.Duel.ResignedBy != "b" || out.TxHash == nil {
		t.Errorf("resigned: %+v", out)
	}
	for _, path := range []string{"/api/duels", "/api/duels?status=finished", "/api/feed",
		"/api/events?follow=false&after=0&topics=duels&topics=feed"} {
		if body := s.guest(t).get(t, path).ok(t).body; strings.Contains(body, d.ID) {
			t.Errorf("%s names an unlisted duel: %s", path, body)
		}
	}
	bob.post(t, g.path+"/rematch", "").ok(t)
	if seen := g.read(t); seen.Rematch != nil {
		t.Errorf("a spectator sees the offer: %+v", seen.Rematch)
	}
	out = decode[api.DuelOut](t, ann.post(t, g.path+"/rematch", "").ok(t))
	if out.Duel.Rematch == nil || out.Duel.Rematch.DuelID == nil || out.TxHash == nil {
		t.Fatalf("accepted: %+v", out)
	}
	next := decode[api.GetDuelOut](t, bob.get(t, "/api/duels/"+*out.Duel.Rematch.DuelID).ok(t)).Duel
	if *next.You != "a" || next.Status != "active" || next.Stake != 30 || next.RematchOf != d.ID {
		t.Errorf("the rematch: %+v", next)
	}
	bob.post(t, "/api/duels/"+next.ID+"/rematch", "").fails(t, 409, "no_rematch")
}

// TestPresence checks that a side sees the other come and go, at once and without a step, and that a
// spectator sees neither.
func TestPresence(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	g := s.joined(t, 0, ann, bob)
	read := func(p *player, query string) api.Duel {
		return decode[api.GetDuelOut](t, p.get(t, g.path+query).ok(t)).Duel
	}
	seen := read(ann, "")
	if seen.Presence == nil || !seen.Presence.A.Watching || seen.Presence.B.Watching {
		t.Fatalf("ann alone watches: %+v", seen.Presence)
	}
	if spectator := g.read(t); spectator.Presence != nil {
		t.Errorf("a spectator sees %+v", spectator.Presence)
	}
	waiting := make(chan answer, 1)
	path := fmt.Sprintf("%s?version=%d&watching=a", g.path, seen.Version)
	go func() {
		waiting <- ann.send(t, request{method: "GET", path: path}.with(map[string]string{"Prefer": "wait=30"}))
	}()
	s.watchers(t, event.Presence(seen.ID), 1)
	read(bob, "")
	if seen = decode[api.GetDuelOut](t, (<-waiting).ok(t)).Duel; !seen.Presence.B.Watching {
		t.Errorf("bob has come: %+v", seen.Presence)
	}
	left := s.clock.Now()
	s.clock.forward(presence.Grace)
	if seen = read(ann, ""); seen.Presence.B.Watching || !seen.Presence.B.GoneSince.Equal(left) {
		t.Errorf("bob has left at %v: %+v", left, seen.Presence.B)
	}
}

// TestPresenceEndsNoWait checks that a side which names a version and no watching sides waits for the next
// version: the other side's coming is no answer.
func TestPresenceEndsNoWait(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	g := s.joined(t, 0, ann, bob)
	known := decode[api.GetDuelOut](t, ann.get(t, g.path).ok(t)).Duel
	waiting := make(chan answer, 1)
	go func() {
		waiting <- ann.send(t, preferring(fmt.Sprintf("%s?version=%d", g.path, known.Version), "wait=30"))
	}()
	s.watchers(t, event.Duel(known.ID), 1)
	if n := s.hub.Watchers(event.Presence(known.ID)); n != 0 {
		t.Errorf("bob's coming wakes %d waiting calls, want 0", n)
	}
	bob.get(t, g.path).ok(t)
	g.n++
	g.sides[1](t, g.commit(1, 'r')).ok(t)
	if now := decode[api.GetDuelOut](t, (<-waiting).ok(t)).Duel; now.Version != known.Version+1 {
		t.Errorf("the answer has version %d, want %d", now.Version, known.Version+1)
	}
}

// TestPresenceByStream checks that a side is there while its stream names the duel, which the stream of the
// other side says at once, and that neither a spectator nor a stream without the duel's name hears of it.
func TestPresenceByStream(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	ann, bob := s.guest(t), s.guest(t)
	g := s.joined(t, 0, ann, bob)
	code := strings.TrimPrefix(g.path, "/api/duels/")
	there := func(e *eventStream, want ...string) {
		t.Helper()
		for len(want) > 0 {
			text := e.take(t, 1)[0]
			kind, data, _ := strings.Cut(text, " ")
			if strings.HasPrefix(kind, "duel_") { // the log may number the beginning after the stream's
				continue
			}
			if kind == "presence" {
				p := decode[api.PresenceEvent](t, answer{status: 200, body: data})
				kind += fmt.Sprintf(" %t %t", p.Presence.A.Watching, p.Presence.B.Watching)
			}
			if kind != want[0] {
				t.Errorf("%s, want %s", text, want[0])
			}
			want = want[1:]
		}
	}
	onAnn := ann.follow(t, "?topics=account&duel="+code, nil)
	there(onAnn, "duel", "presence true false")
	unnamed := bob.follow(t, "?topics=account", nil)
	spectator := s.anonymous(t).follow(t, "?topics=blocks&duel="+code, nil)
	onBob := bob.follow(t, "?topics=account&duel="+code, nil)
	there(onBob, "duel", "presence true true")
	there(onAnn, "presence true true")
	g.n++
	g.sides[0](t, g.commit(0, 'r')).ok(t)
	there(onAnn, "duel")
	there(onBob, "duel")
	for _, e := range []*eventStream{unnamed, spectator} {
		there(e, "duel", "duel")
		e.close()
	}
	onAnn.close()
	onBob.close()
}
