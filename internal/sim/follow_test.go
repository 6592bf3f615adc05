package sim

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// sentEvent is an event of the stored log as a stream sends it.
type sentEvent struct {
	seq        int64
	kind, data string
}

// follower follows events and reconnects, to any node, when the stream ends or at random: it must
// receive every event once, in order.
type follower struct {
	sim    *sim
	by     *player // nil for a spectator
	rng    *rand.Rand
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex // guards the fields below
	cookie string
	began  int64 // the number after which it must have every event
	seq    int64 // received up to here
	events []sentEvent
	resets int
	seen   chan struct{} // closed and replaced with each event
}

// follow starts a follower for a player, nil for a spectator.
func (s *sim) follow(p *player) {
	ctx, cancel := context.WithCancel(s.ctx)
	f := &follower{
		sim: s, by: p, rng: rand.New(rand.NewPCG(s.seed, uint64(1000+len(s.followers)))), cancel: cancel,
		done: make(chan struct{}), began: -1, seq: -1, seen: make(chan struct{}),
	}
	s.followers = append(s.followers, f)
	go func() { defer close(f.done); f.run(ctx) }()
}

// renewSession gives a new session to the player's follower.
func (s *sim) renewSession(p *player) {
	for _, f := range s.followers {
		if f.by == p {
			f.mu.Lock()
			f.cookie = p.cookie
			f.mu.Unlock()
		}
	}
}

func (f *follower) stop() {
	f.cancel()
	<-f.done
}

func (f *follower) topics() string {
	if f.by == nil {
		return "topics=blocks&topics=feed&topics=duels&topics=market"
	}
	return "topics=account"
}

// run follows until ctx ends.
func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		n := f.sim.nodes[f.rng.IntN(len(f.sim.nodes))]
		if l := n.current(); l != nil && !l.over() {
			f.connect(ctx, l, 1+f.rng.IntN(20))
		}
		select { // pauses while the node is down
		case <-ctx.Done():
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// connect reads one stream, for at most that many events.
func (f *follower) connect(ctx context.Context, l *process, events int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+"/api/events?"+f.topics(), nil)
	if err != nil {
		return
	}
	f.mu.Lock()
	if f.cookie != "" {
		r.Header.Set("Cookie", sessionCookie+"="+f.cookie)
	}
	if f.seq >= 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatInt(f.seq, 10))
	}
	f.mu.Unlock()
	a, err := l.streams.Do(r)
	if err != nil {
		return
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return // signed out, or the node stops
	}
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	f.read(lines, l, events)
}

// read receives events until the stream ends.
func (f *follower) read(lines *bufio.Scanner, l *process, events int) {
	id, kind, data := int64(-1), "", ""
	for events > 0 && lines.Scan() {
		if l.over() {
			return // output of a dead process is dropped
		}
		line := lines.Text()
		f.sim.search("a stream", []byte(line), &call{by: f.by, latest: never, action: &action{}})
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case name == "id":
			id, _ = strconv.ParseInt(value, 10, 64)
		case name == "event":
			kind = value
		case name == "data":
			data = value
		case line == "":
			f.take(id, kind, data)
			if kind != "" {
				events--
			}
			id, kind, data = -1, "", ""
		}
	}
}

// take receives one event.
func (f *follower) take(id int64, kind, data string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { close(f.seen); f.seen = make(chan struct{}) }()
	switch {
	case id < 0 || kind == "end": // a step of a duel, or an event about the stream
		return
	case kind == "ready" && f.began < 0:
		f.began, f.seq = id, id
	case kind == "reset":
		f.resets++
		f.events, f.began, f.seq = nil, id, id
	case kind == "ready" || kind == "":
		if id < f.seq {
			f.sim.fail("a stream starts at %d after receiving up to %d", id, f.seq)
		}
		f.seq = max(f.seq, id)
	case id <= f.seq:
		f.sim.fail("event %d %s %s reached a follower that had received up to %d", id, kind, data, f.seq)
	default:
		f.events = append(f.events, sentEvent{id, kind, data})
		f.seq = id
	}
}

// ready waits until the first stream has started: the follower receives everything after that.
func (f *follower) ready() bool {
	return f.await(func() bool { return f.began >= 0 })
}

// awaitDuel waits until the follower has received an event of a duel.
func (f *follower) awaitDuel(code string) bool {
	return f.await(func() bool {
		return slices.ContainsFunc(f.events, func(e sentEvent) bool { return strings.Contains(e.data, code) })
	})
}

// await waits until a condition on the received events holds.
func (f *follower) await(holds func() bool) bool {
	timeout := time.After(waitTimeout)
	for {
		f.mu.Lock()
		ok, seen := holds(), f.seen
		f.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-seen:
		case <-timeout:
			return false
		}
	}
}

// finishFollowing requires that every follower has received exactly the events of the log.
func (s *sim) finishFollowing() {
	var last string
	for _, f := range s.followers {
		if f.by == nil && !f.ready() {
			s.fail("a spectator follows, and no stream begins")
			return
		}
	}
	for _, f := range s.followers {
		p := f.by
		if p == nil {
			continue
		}
		if !s.ensureSignedIn(p) {
			f.stop()
			continue
		}
		if !f.ready() {
			s.fail("%s follows, and no stream begins", p.label)
			continue
		}
		c := s.ask(post(p, "read", "/api/duels", `{"stake":0}`))
		if c.ok() {
			last = decode[struct{ Duel duelView }](s, c).Duel.ID
			if !f.awaitDuel(last) {
				s.fail("%s has not received its own duel %s", p.label, last)
			}
		}
		f.compare()
	}
	for _, f := range s.followers {
		if f.by != nil || last == "" {
			continue
		}
		if !f.awaitDuel(last) {
			s.fail("a spectator has not received duel %s", last)
		}
		f.compare()
	}
}

// compare compares the received events with the log.
func (f *follower) compare() {
	f.stop()
	s := f.sim
	if f.resets > 0 && s.latest-startOfTime < (24*time.Hour).Milliseconds() {
		s.fail("a stream was reset, and nothing is a day old")
	}
	stored, from := f.stored()
	f.events = f.events[from:]
	if n := len(f.events); n > len(stored) || !slices.Equal(f.events, stored[:n]) || f.seq < lastSeq(stored[:n]) {
		s.fail("a follower received\n%v\nand the log has\n%v", f.events, stored)
		return
	}
	if rest := stored[len(f.events):]; len(rest) > 0 && rest[0].seq <= f.seq {
		s.fail("a follower received up to %d, and not %v", f.seq, rest[0])
	}
	f.contiguous()
}

// stored returns the log's events for the follower's topics, and the index of the first received
// event to compare with: events older than a day may be deleted.
func (f *follower) stored() (list []sentEvent, from int) {
	after := f.began
	for deadline := time.Now().Add(waitTimeout); time.Now().Before(deadline); {
		c := f.sim.ask(get(f.by, "read", fmt.Sprintf("/api/events?%s&follow=false&after=%d", f.topics(), after)))
		if !c.ok() {
			f.sim.fail("%v", c)
			break
		}
		list, reset := parseStream(string(c.answer))
		switch {
		case reset && from < len(f.events):
			from += (len(f.events) - from + 1) / 2
			after = f.events[from-1].seq
		case reset || lastSeq(list) >= lastSeq(f.events[from:]): // which may be empty
			return list, from
		default: // a node that has not read the newest events yet
			<-time.After(10 * time.Millisecond)
		}
	}
	f.sim.fail("no node knows of event %d", lastSeq(f.events))
	return f.events[from:], from
}

func lastSeq(list []sentEvent) int64 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].seq
}

// contiguous requires that every block was received exactly once.
func (f *follower) contiguous() {
	next := int64(-1)
	for _, e := range f.events {
		if e.kind != "block" {
			continue
		}
		var b struct{ Height int64 }
		if err := json.Unmarshal([]byte(e.data), &b); err != nil || next >= 0 && b.Height != next {
			f.sim.fail("after block %d comes %s", next-1, e.data)
		}
		next = b.Height + 1
	}
}

// parseStream parses the events of a finished stream.
func parseStream(text string) (list []sentEvent, reset bool) {
	lines := bufio.NewReader(strings.NewReader(text))
	e := sentEvent{seq: -1}
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return list, reset
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			e.seq, _ = strconv.ParseInt(value, 10, 64)
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			if e.kind == "reset" {
				reset = true
			}
			if e.seq >= 0 && e.kind != "" && e.kind != "ready" && e.kind != "reset" {
				list = append(list, e)
			}
			e = sentEvent{seq: -1}
		}
	}
}

// finish ends the simulation: every acknowledged change exists, all histories are linearizable, and
// every follower has received everything.
func (s *sim) finish() {
	if !testing.Short() {
		s.endCups()
	}
	s.discover()
	s.auditChain()
	s.findStarts()
	s.checkAchievements()
	s.doctor()
	s.checkSessions()
	s.finishFollowing()
	s.settle()
	s.checkHistories()
}

// checkNewlyEnded requires that the nodes that ended sessions in this step refuse them at once: no
// clock has moved since.
func (s *sim) checkNewlyEnded() {
	for _, over := range s.ended[s.refused:] {
		c := s.askNode(over.node, get(&over.player, "read", "/api/me"))
		if c.status != http.StatusUnauthorized {
			s.fail("a session that is over: %v", c)
		}
	}
	s.refused = len(s.ended)
}

// checkSessions requires that every node refuses every ended session, also nodes that learn of the
// end from others.
func (s *sim) checkSessions() {
	for _, n := range s.nodes {
		s.latest = max(s.latest, n.now.Add(2000)) // a node without messages may remember a session for a second
	}
	for _, over := range s.ended {
		d := get(&over.player, "read", "/api/me")
		for node := range s.nodes {
			began := time.Now()
			for c := s.askNode(node, d); c.status != http.StatusUnauthorized; c = s.askNode(node, d) {
				if time.Since(began) > waitTimeout {
					s.fail("a session that is over: %v", c)
					break
				}
			}
		}
	}
}
