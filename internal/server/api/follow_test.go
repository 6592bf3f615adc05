package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/store"
)

// sent is an event as a stream sends it.
type sent struct{ id, kind, data string }

func (e sent) String() string { return strings.TrimSpace(e.id + " " + e.kind + " " + e.data) }

// eventStream is a client of GET /api/events. It parses by the standard: an event without its empty
// line is dropped.
type eventStream struct {
	cancel context.CancelFunc
	body   io.Closer
	lines  *bufio.Scanner
	last   string // id
}

// listen opens a stream; it returns the answer when it was refused.
func (p *player) listen(t rapid.TB, query string, header map[string]string) (*eventStream, answer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.s.url+"/api/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	response, err := p.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		defer cancel()
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return nil, answer{request{method: "GET", path: "/api/events" + query}, response.StatusCode, response.Header,
			string(body)}
	}
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type %q", got)
	}
	return &eventStream{cancel, response.Body, bufio.NewScanner(response.Body), header["Last-Event-ID"]}, answer{}
}

// follow opens a stream that must be accepted, and returns it after its first event.
func (p *player) follow(t rapid.TB, query string, header map[string]string) *eventStream {
	t.Helper()
	e, refused := p.listen(t, query, header)
	if e == nil {
		t.Fatalf("%v: got %d %s", refused.request, refused.status, refused.body)
	}
	if first, ok := e.next(t); !ok || first.kind != "ready" {
		t.Fatalf("the first event is %v, want ready", first)
	}
	return e
}

// resume reopens a stream after its last event.
func (p *player) resume(t rapid.TB, query string, e *eventStream) *eventStream {
	t.Helper()
	return p.follow(t, query, map[string]string{"Last-Event-ID": e.last})
}

// next returns the next event; false when the stream has ended.
func (e *eventStream) next(t rapid.TB) (sent, bool) {
	t.Helper()
	var got sent
	id := e.last
	for e.lines.Scan() {
		field, value, _ := strings.Cut(e.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			id, got.id = value, value
		case "event":
			got.kind = value
		case "data":
			got.data += value
		case "": // a comment, or the end of an event
			if e.lines.Text() == "" {
				e.last = id
				if got.data != "" {
					got.described(t)
					return got, true
				}
			}
		case "retry":
		default:
			t.Errorf("a line that means nothing: %q", e.lines.Text())
		}
	}
	return sent{}, false
}

// described checks that the API document describes an event's kind and all members of its data. Tests post
// numbers as data.
func (e sent) described(t rapid.TB) {
	t.Helper()
	if !strings.HasPrefix(e.data, "{") {
		return
	}
	d := json.NewDecoder(strings.NewReader(fmt.Sprintf("{%q:%s}", e.kind, e.data)))
	d.DisallowUnknownFields()
	if err := d.Decode(new(api.Events)); err != nil {
		t.Errorf("the event %v is not as api.Events describes it: %v", e, err)
	}
}

// TestEventKinds checks that the API document describes each kind that can be stored, and no other.
func TestEventKinds(t *testing.T) {
	t.Parallel()
	// The kinds of the stream itself, which no service posts.
	kinds := map[string]bool{"ready": true, "reset": true, "end": true, "duel": true, "presence": true}
	for _, k := range event.Kinds() {
		kinds[string(k)] = true
	}
	for field := range reflect.TypeFor[api.Events]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !kinds[name] {
			t.Errorf("%s is described and cannot be stored", name)
		}
		delete(kinds, name)
	}
	if len(kinds) > 0 {
		t.Errorf("not described: %v", kinds)
	}
}

// take reads n events and returns their texts.
func (e *eventStream) take(t rapid.TB, n int) []string {
	t.Helper()
	var list []string
	for range n {
		got, ok := e.next(t)
		if !ok {
			t.Fatalf("the stream ended after %q", list)
		}
		list = append(list, got.kind+" "+got.data)
	}
	return list
}

// seqOf returns the number of the event with an id.
func seqOf(t rapid.TB, id string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return event.ParseID(n).Seq
}

// close hangs up.
func (e *eventStream) close() {
	e.cancel()
	_ = e.body.Close() // returns the error of the cancellation
}

// post posts events with numbers as bodies.
func (s *stack) post(t rapid.TB, topic string, bodies ...int) {
	t.Helper()
	err := s.db.Update(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		for _, body := range bodies {
			if err := s.events.Post(ctx, tx, event.Event{Topic: topic, Kind: event.FeedItem, Body: body}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// numbered waits until all posted events are numbered and can be sent.
func (s *stack) numbered(t rapid.TB) {
	t.Helper()
	last := s.tail.Watch("last")
	defer last.Close()
	s.post(t, "last", 0) // a later one has a higher number
	<-last.C()
}

func TestFollowBlocks(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	p := s.guest(t)
	e := p.follow(t, "?topics=blocks", nil)
	s.seal(t)
	var block api.BlockEvent
	got, _ := e.next(t)
	if err := json.Unmarshal([]byte(got.data), &struct {
		*api.BlockEvent
		Time *string `json:"time"`
	}{BlockEvent: &block}); err != nil {
		t.Fatal(err)
	}
	head := decode[api.HeadOut](t, p.get(t, "/api/chain/head").ok(t)).Head
	if got.kind != "block" || seqOf(t, got.id) != 1 || block.Height != 1 || block.Hash != head.Hash || block.TxCount != 1 {
		t.Errorf("got %v, want block 1, %s, with one transaction", got, head.Hash)
	}
	e.close()
	first := e.last
	// Events posted meanwhile are sent later, once.
	for range 2 {
		p.post(t, "/api/runs", "").ok(t)
		p.post(t, "/api/runs/"+decode[api.ActiveRunOut](t, p.get(t, "/api/runs/active").ok(t)).Run.ID+"/abandon",
			"").ok(t)
		s.seal(t)
	}
	e = p.resume(t, "?topics=blocks", e)
	for height := range 2 {
		if got, _ := e.next(t); got.kind != "block" || seqOf(t, got.id) != int64(height+2) ||
			!strings.Contains(got.data, fmt.Sprintf(`"height":%d,`, height+2)) {
			t.Errorf("after the interruption: %v, want block %d", got, height+2)
		}
	}
	e.close()
	// A caller that asks for stored events only gets them, and the stream ends.
	once := p.get(t, "/api/events?topics=blocks&follow=false&after="+first).ok(t)
	if n := strings.Count(once.body, "event: block\n"); n != 2 || !strings.Contains(once.body, "event: ready\n") {
		t.Errorf("%d blocks after the first one, want 2:\n%s", n, once.body)
	}
}

// TestHeartbeat: a silent stream sends comments, and its position although no event was sent.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.Heartbeat = 5 * time.Millisecond })
	s.follow(t)
	e := s.anonymous(t).follow(t, "?topics=feed", nil)
	for beating := false; !beating && e.lines.Scan(); {
		beating = e.lines.Text() == ":"
	}
	s.post(t, event.Feed, 1)
	if got := e.take(t, 1)[0]; got != "feed 1" || seqOf(t, e.last) != 1 {
		t.Errorf("got %s with id %s", got, e.last)
	}
	e.close()
}

// TestFollowFromUnknownPosition starts streams at positions that do not exist.
func TestFollowFromUnknownPosition(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	p := s.anonymous(t)
	e := p.follow(t, "?topics=feed", map[string]string{"Last-Event-ID": "77"})
	if got := e.take(t, 1)[0]; got != `reset {"last_event_id":77}` || e.last != "0" {
		t.Errorf("got %s with id %s, want a reset to 0", got, e.last)
	}
	s.post(t, event.Feed, 5)
	if got := e.take(t, 1)[0]; got != "feed 5" {
		t.Errorf("after the reset: %s", got)
	}
	e.close()
	for path, want := range map[string]string{
		"/api/events?topics=all": "query.topics.0 enum", "/api/events?after=-1": "query.after greater_than_equal",
		"/api/events?follow=perhaps": "query.follow bool_parsing",
		"/api/events?topics=feed&topics=feed&topics=feed&topics=feed&topics=feed&topics=feed&topics=feed": "query.topics too_long",
	} {
		p.get(t, path).invalid(t, want)
	}
	p.get(t, "/api/events?duel=AAAAAAAA").fails(t, 404, "not_found")
	p.get(t, "/api/events?duel=nonsense!").fails(t, 404, "not_found")
}

// TestFollowThroughFailover loses the last events of the log, as a failover to a standby that was
// behind does, and posts others in their place: streams that have sent the lost events, and clients
// that resume after them, are reset and continue with the log.
func TestFollowThroughFailover(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	p := s.anonymous(t)
	e, gone := p.follow(t, "?topics=feed", nil), p.follow(t, "?topics=feed", nil)
	s.post(t, event.Feed, 1, 2, 3)
	e.take(t, 3)
	gone.take(t, 2)
	gone.close()
	last := e.last
	err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, errEvents := tx.ExecContext(ctx, "DELETE FROM event WHERE seq > 1")
		_, errHead := tx.ExecContext(ctx, "UPDATE event_head SET seq = 1")
		return errors.Join(errEvents, errHead, s.events.Post(ctx, tx, event.Event{Topic: event.Feed, Kind: event.FeedItem,
			Body: 102}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.take(t, 1)[0]; got != `reset {"last_event_id":`+last+`}` || seqOf(t, e.last) > 2 {
		t.Errorf("got %s with id %s, want a reset", got, e.last)
	}
	if e.last == gone.last { // an id keeps 12 random bits: one time in 4096 the two events share it
		e.close()
		return
	}
	back := p.resume(t, "?topics=feed", gone)
	if got := back.take(t, 1)[0]; got != `reset {"last_event_id":`+gone.last+`}` {
		t.Errorf("a resumed stream gets %s, want a reset", got)
	}
	s.post(t, event.Feed, 103)
	for _, e := range []*eventStream{e, back} {
		got := e.take(t, 1)[0]
		if got == "feed 102" { // was numbered after the reset
			got = e.take(t, 1)[0]
		}
		if got != "feed 103" {
			t.Errorf("after the reset: %s", got)
		}
		e.close()
	}
}

// TestSlowReader: a client that reads late receives everything, and delays no other client.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	slow, quick := s.anonymous(t).follow(t, "?topics=feed", nil), s.anonymous(t).follow(t, "?topics=feed", nil)
	const n = 400
	err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for i := range n { // more than connections buffer
			body := []string{strings.Repeat("x", 4000), fmt.Sprint(i)}
			if err := s.events.Post(ctx, tx, event.Event{Topic: event.Feed, Kind: event.FeedItem, Body: body}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*eventStream{quick, slow} {
		for i := range n {
			if got, _ := e.next(t); seqOf(t, got.id) != int64(i+1) {
				t.Fatalf("event %d has id %s", i+1, got.id)
			}
		}
		e.close()
	}
}

// TestFollowDuels plays a duel before both sides and a spectator.
func TestFollowDuels(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	a, b := s.guest(t), s.guest(t)
	onA, onB := a.follow(t, "?topics=account", nil), b.follow(t, "?topics=account", nil)
	d := a.open(t, 0)
	expect := func(who string, e *eventStream, want ...string) {
		t.Helper()
		for _, w := range want {
			got := e.take(t, 1)[0]
			kind, data, _ := strings.Cut(got, " ")
			var duel api.DuelEvent
			if err := json.Unmarshal([]byte(data), &duel); err != nil {
				t.Fatal(err)
			}
			if got = fmt.Sprintf("%s %d", kind, duel.Version); got != w || duel.Code != d.ID {
				t.Errorf("%s gets %s of %s, want %s", who, got, duel.Code, w)
			}
		}
	}
	expect("a", onA, "duel_created 0", "duel 0")
	watching := s.anonymous(t).follow(t, "?topics=blocks&duel="+strings.ToLower(d.ID), nil)
	expect("the spectator", watching, "duel 0")
	b.post(t, "/api/duels/"+d.ID+"/join", "").ok(t)
	expect("the spectator", watching, "duel 1")
	expect("b", onB, "duel_joined 1", "duel 1")
	a.post(t, "/api/duels/"+d.ID+"/commit", committing(game.Rock, "a")).ok(t)
	expect("b", onB, "duel 2")
	expect("the spectator", watching, "duel 2")
	onB.close()
	b.post(t, "/api/duels/"+d.ID+"/commit", committing(game.Paper, "b")).ok(t)
	expect("the spectator", watching, "duel 3")
	// A client that resumes receives the states of its duels, and no event that it knows.
	onB = b.resume(t, "?topics=account", onB)
	expect("b", onB, "duel 3")
	a.post(t, "/api/duels/"+d.ID+"/reveal", revealing(game.Rock, "a")).ok(t)
	expect("b", onB, "duel 4")
	for _, e := range []*eventStream{onA, onB, watching} {
		e.close()
	}
}

// TestDuelEventsShowRounds: the event of a duel's step has its newest two rounds as spectators see them, without salts.
func TestDuelEventsShowRounds(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	g := s.joined(t, 0)
	watching := s.anonymous(t).follow(t, "?topics=blocks&duel="+strings.TrimPrefix(g.path, "/api/duels/"), nil)
	next := func(rounds int) (e api.DuelEvent) {
		t.Helper()
		got := watching.take(t, 1)[0]
		kind, data, _ := strings.Cut(got, " ")
		if err := json.Unmarshal([]byte(data), &e); err != nil || kind != "duel" || len(e.Rounds) != rounds || e.Wins == nil {
			t.Fatalf("%s, error %v; want a duel with %d rounds", got, err, rounds)
		}
		return e
	}
	next(1)
	g.n++
	g.sides[0](t, g.commit(0, 'r')).ok(t)
	if r := next(1).Rounds[0]; !r.Committed.A || r.CommitmentA != nil {
		t.Errorf("one side has committed: %+v", r)
	}
	g.sides[1](t, g.commit(1, 's')).ok(t)
	next(1)
	g.sides[0](t, g.reveal(0, 'r')).ok(t)
	if r := next(1).Rounds[0]; !r.Revealed.A || r.CommitmentB == nil || r.MoveA != nil {
		t.Errorf("one side has revealed: %+v", r)
	}
	g.sides[1](t, g.reveal(1, 's')).ok(t)
	e := next(2)
	if r := e.Rounds[0]; r.Outcome != "a" || r.MoveA == nil || r.SaltA != nil || e.Rounds[1].Round != 2 || e.Wins.A != 1 {
		t.Errorf("the round is decided: %+v", e)
	}
	watching.close()
}
