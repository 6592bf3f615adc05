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
	"time"
)

// told is an event of the stored log, as a follower is told of it.
type told struct {
	seq        int64
	kind, data string
}

// follower follows events and comes back, to this node or another, whenever the stream
// ends or it feels like it: it must be told everything once, in order.
type follower struct {
	sim    *sim
	by     *player // nil for a spectator
	rng    *rand.Rand
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex // guards what follows
	cookie string
	began  int64 // the number after which it was told everything
	seq    int64 // told up to here
	events []told
	resets int
	seen   chan struct{} // closed and made anew with each event
}

// follow has somebody follow events.
func (s *sim) follow(p *player) {
	ctx, cancel := context.WithCancel(s.ctx)
	f := &follower{
		sim: s, by: p, rng: rand.New(rand.NewPCG(s.seed, uint64(1000+len(s.followers)))), cancel: cancel,
		done: make(chan struct{}), began: -1, seq: -1, seen: make(chan struct{}),
	}
	s.followers = append(s.followers, f)
	go func() { defer close(f.done); f.run(ctx) }()
}

// signedIn hands a new session to who follows for a player.
func (s *sim) signedIn(p *player) {
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
		select { // not all the time, when nobody is there
		case <-ctx.Done():
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// connect follows one stream, for so many events at most.
func (f *follower) connect(ctx context.Context, l *life, events int) {
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
		return // signed out, or a node that goes down
	}
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	f.read(lines, l, events)
}

// read takes in events until the stream ends.
func (f *follower) read(lines *bufio.Scanner, l *life, events int) {
	id, kind, data := int64(-1), "", ""
	for events > 0 && lines.Scan() {
		if l.over() {
			return // what a dead process says is not heard
		}
		line := lines.Text()
		f.sim.search("a stream", []byte(line), &call{by: f.by, latest: never, deed: &deed{}})
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

// take takes in one event.
func (f *follower) take(id int64, kind, data string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { close(f.seen); f.seen = make(chan struct{}) }()
	switch {
	case id < 0 || kind == "end": // of a duel's step, or of the stream
		return
	case kind == "ready" && f.began < 0:
		f.began, f.seq = id, id
	case kind == "reset":
		f.resets++
		f.events, f.began, f.seq = nil, id, id
	case kind == "ready" || kind == "":
		if id < f.seq {
			f.sim.fail("a stream begins at %d after it was told up to %d", id, f.seq)
		}
		f.seq = max(f.seq, id)
	case id <= f.seq:
		f.sim.fail("event %d %s %s was told to somebody who was told up to %d", id, kind, data, f.seq)
	default:
		f.events = append(f.events, told{id, kind, data})
		f.seq = id
	}
}

// ready waits until the first stream has begun: the follower is sent all that comes after.
func (f *follower) ready() bool {
	return f.await(func() bool { return f.began >= 0 })
}

// heardOf waits until the follower was told of a duel.
func (f *follower) heardOf(code string) bool {
	return f.await(func() bool {
		return slices.ContainsFunc(f.events, func(e told) bool { return strings.Contains(e.data, code) })
	})
}

// await waits until something holds of what the follower was told.
func (f *follower) await(holds func() bool) bool {
	timeout := time.After(patience)
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

// finishFollowing demands of every follower that it was told what the log holds, all of it
// and once.
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
		if !s.present(p) {
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
			if !f.heardOf(last) {
				s.fail("%s was not told of its own duel %s", p.label, last)
			}
		}
		f.compare()
	}
	for _, f := range s.followers {
		if f.by != nil || last == "" {
			continue
		}
		if !f.heardOf(last) {
			s.fail("a spectator was not told of duel %s", last)
		}
		f.compare()
	}
}

// compare compares what the follower was told with what the log holds.
func (f *follower) compare() {
	f.stop()
	s := f.sim
	if f.resets > 0 && s.latest-startOfTime < (24*time.Hour).Milliseconds() {
		s.fail("a stream was reset, and nothing is a day old")
	}
	stored, from := f.stored()
	f.events = f.events[from:]
	if n := len(f.events); n > len(stored) || !slices.Equal(f.events, stored[:n]) || f.seq < lastSeq(stored[:n]) {
		s.fail("a follower was told\n%v\nand the log holds\n%v", f.events, stored)
		return
	}
	if rest := stored[len(f.events):]; len(rest) > 0 && rest[0].seq <= f.seq {
		s.fail("a follower was told up to %d, and not of %v", f.seq, rest[0])
	}
	f.contiguous()
}

// stored returns what the log holds of what the follower was told, and from which of its
// events on: what is older than a day may not be kept any more.
func (f *follower) stored() (list []told, from int) {
	after := f.began
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
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
		case reset || lastSeq(list) >= lastSeq(f.events[from:]): // which may be none any more
			return list, from
		default: // a node that has not read the last of it yet
			<-time.After(10 * time.Millisecond)
		}
	}
	f.sim.fail("no node knows of event %d", lastSeq(f.events))
	return f.events[from:], from
}

func lastSeq(list []told) int64 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].seq
}

// contiguous demands that every block was told of, each once.
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

// parseStream reads the events of a stream that has ended.
func parseStream(text string) (list []told, reset bool) {
	lines := bufio.NewReader(strings.NewReader(text))
	e := told{seq: -1}
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
			e = told{seq: -1}
		}
	}
}

// finish ends the simulation: what was answered is there, all histories can be explained,
// and whoever followed was told everything.
func (s *sim) finish() {
	s.discover()
	s.auditChain()
	s.findStarts()
	s.checkDone()
	s.doctor()
	s.checkSessions()
	s.finishFollowing()
	s.settle()
	s.checkHistories()
}

// checkNewlyEnded demands that the sessions that ended in this step are refused, at once, by the
// nodes that ended them: no clock has moved since.
func (s *sim) checkNewlyEnded() {
	for _, over := range s.ended[s.refused:] {
		c := s.askNode(over.node, get(&over.player, "read", "/api/me"))
		if c.status != http.StatusUnauthorized {
			s.fail("a session that is over: %v", c)
		}
	}
	s.refused = len(s.ended)
}

// checkSessions demands that every node refuses every session that is over, also the nodes that
// others have to tell of its end.
func (s *sim) checkSessions() {
	for _, n := range s.nodes {
		s.latest = max(s.latest, n.now.Add(2000)) // a node that hears nothing may remember a session for a second
	}
	for _, over := range s.ended {
		d := get(&over.player, "read", "/api/me")
		for node := range s.nodes {
			began := time.Now()
			for c := s.askNode(node, d); c.status != http.StatusUnauthorized; c = s.askNode(node, d) {
				if time.Since(began) > patience {
					s.fail("a session that is over: %v", c)
					break
				}
			}
		}
	}
}
