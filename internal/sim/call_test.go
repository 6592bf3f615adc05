package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"
)

// player is an account of the service and the means to sign in to it.
type player struct {
	label                      string // its name in the schedule
	username, address, kind    string
	cookie, csrf, bearer, pass string
	gone                       bool     // its session or key has ended
	names, passes              []string // the possible ones
	keys                       []int64
	// From the last reads without faults:
	run     *runView
	runs    []string // all its runs
	dailies []string // of them, the daily ones
	tokens  []int64
	balance int64
}

// request is a request to send.
type request struct {
	method, path, body string
	key                string // Idempotency-Key, "" for none
}

// call is one delivery of a request, and its result.
type call struct {
	request
	id, step int
	what     string  // the kind of its action
	by       *player // nil for a spectator
	node     int
	// Logical times of its start and of its last possible effect, from a counter, so that the order
	// of calls is exact. back is never until settle sets it.
	at, back int64
	clock    int64 // the node's time in milliseconds
	latest   int64 // the latest time of all nodes so far
	status   int   // 0 when no answer arrived
	code     string
	answer   []byte
	replayed bool
	cut      bool // the client closed the connection early
	took     time.Duration
	lost     bool   // the answer was dropped after the node had finished
	session  string // of the caller
	cookie   string // of the session that the answer opens
	action   *action
}

// never is later than all logical times.
const never = math.MaxInt64

// ok reports whether an answer arrived and the call succeeded.
func (c *call) ok() bool { return c.status == http.StatusOK }

// unknown reports whether it is unknown if the call had an effect.
func (c *call) unknown() bool { return c.status == 0 || c.status == http.StatusServiceUnavailable }

func (c *call) String() string {
	caller, key, heard := "anonymous", "", fmt.Sprint(c.status)
	if c.by != nil {
		caller = c.by.label
	}
	if c.key != "" {
		key = " key=" + c.key
	}
	switch {
	case c.cut:
		heard = "cut"
	case c.lost:
		heard = "lost"
	case c.replayed:
		heard += " again"
	}
	back := "never"
	if c.back != never {
		back = fmt.Sprint(c.back)
	}
	return fmt.Sprintf("#%d step %d [%d,%s] node %d clock %s %s: %s %s %s%s -> %s %s", c.id, c.step, c.at, back, c.node,
		time.UnixMilli(c.clock).UTC().Format("02T15:04:05.000"), caller, c.method, c.path, c.body, key, heard, c.answer)
}

// decode decodes the answer of a successful call.
func decode[Out any](s *sim, c *call) (out Out) {
	if err := json.Unmarshal(c.answer, &out); err != nil {
		s.fail("%v: %v", c, err)
	}
	return out
}

// delivery is the way in which a request is sent once.
type delivery struct {
	node int
	wait bool          // for the previous delivery to end
	cut  time.Duration // close the connection after this time; 0 for not
	lose bool          // drop the answer
}

// send delivers a request and records the result.
func (s *sim) send(ctx context.Context, d delivery, q request, by *player, of *action) *call {
	n := s.nodes[d.node]
	c := &call{request: q, by: by, node: d.node, step: s.step, clock: n.now.Load(), latest: s.latest, back: never,
		action: of}
	if of != nil {
		c.what = of.kind
	}
	if by != nil {
		c.session = by.cookie
	}
	l := n.current()
	if l == nil || l.over() {
		return nil // the node is down
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-l.dead:
			cancel()
		case <-ctx.Done():
		}
	}()
	if d.cut > 0 {
		timer := time.AfterFunc(d.cut, cancel)
		defer timer.Stop()
	}
	s.begin(c)
	began := time.Now()
	status, header, answer, err := s.roundTrip(ctx, l, c)
	c.took = time.Since(began)
	back := s.seq.Add(1)
	switch {
	case l.over() || err != nil:
		c.cut = true // the node may still work on it; settle waits for that
	case d.lose:
		c.lost, c.back = true, back
		s.inspect(c, status, header, answer)
	default:
		c.status, c.answer, c.back = status, answer, back
		c.replayed = header.Get("Idempotent-Replayed") == "true"
		s.inspect(c, status, header, answer)
		s.checkAnswer(c, header)
	}
	return c
}

// begin records a call before it is sent.
func (s *sim) begin(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.id = len(s.calls)
	s.calls = append(s.calls, c)
	if d := c.action; d != nil {
		if d.run.commitment != "" {
			s.book.throwing(d.run.commitment)
		}
		if h := d.duel.hand; h != nil {
			h.committing, h.revealing = true, h.revealing || d.kind == "reveal"
		}
		if m := d.duel.match; m != nil {
			m.try(c)
		}
	}
	c.at = s.seq.Add(1)
}

// roundTrip sends the request of a call and reads the answer.
func (s *sim) roundTrip(ctx context.Context, l *process, c *call) (status int, header http.Header, answer []byte,
	err error) {
	var conn net.Conn
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { conn = i.Conn }})
	r, err := http.NewRequestWithContext(ctx, c.method, l.url+c.path, strings.NewReader(c.body))
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() {
		if t, ok := conn.(*halfClosing); ok && (err != nil || l.over()) {
			s.broken.Go(t.wait)
		}
	}()
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header["idempotency-key"] = []string{c.key} // Go's client would retry a request with the canonical header
	}
	if p := c.by; p != nil {
		switch {
		case p.bearer != "":
			r.Header.Set("Authorization", "Bearer "+p.bearer)
		case p.cookie != "":
			r.Header.Set("Cookie", sessionCookie+"="+p.cookie)
			r.Header.Set("X-CSRF-Token", p.csrf)
		}
	}
	a, err := l.client.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer a.Body.Close()
	answer, err = io.ReadAll(a.Body)
	return a.StatusCode, a.Header, answer, err
}

const sessionCookie = "roshambo_session"

// shortestDeadline is below every deadline of the service: three seconds for a connection to the
// database, ten for an update that conflicts. A slow machine may exceed those; an earlier 503 has
// another cause.
const shortestDeadline = 2 * time.Second

// checkAnswer requires of an answer what holds for all answers.
func (s *sim) checkAnswer(c *call, header http.Header) {
	if c.status != http.StatusOK {
		var e struct {
			Code   string
			Detail []struct{ Type string } // of a 422
		}
		if err := json.Unmarshal(c.answer, &e); err == nil {
			if c.code = e.Code; len(e.Detail) > 0 {
				c.code = e.Detail[0].Type
			}
		}
	}
	if c.ok() {
		s.mu.Lock()
		for _, found := range hashAnswered.FindAllSubmatch(c.answer, -1) {
			s.heardHash[string(found[1])] = c
		}
		for _, found := range noteAnswered.FindAllSubmatch(c.answer, -1) {
			if text, err := strconv.Unquote(`"` + string(found[1]) + `"`); err == nil {
				s.notes[text] = c
			}
		}
		if c.path == "/log/checkpoint" {
			s.notes[string(c.answer)] = c
		}
		s.mu.Unlock()
	}
	switch {
	case header.Get("X-Request-Id") == "":
		s.fail("%v: no X-Request-Id", c)
	case c.status == http.StatusServiceUnavailable && !s.faulty && c.took < shortestDeadline:
		s.fail("%v: unavailable after %v, where nothing was broken", c, c.took)
	case c.status >= 500 && c.status != http.StatusServiceUnavailable, c.status == http.StatusUnprocessableEntity &&
		c.code == "":
		s.fail("%v", c)
	}
}

// inspect searches an answer for secrets.
func (s *sim) inspect(c *call, status int, header http.Header, answer []byte) {
	seen := *c
	seen.status, seen.answer = status, answer
	s.search(fmt.Sprintf("the answer to %s %s (#%d)", c.method, c.path, c.id), answer, &seen)
	for name, values := range header {
		if name != "Set-Cookie" {
			s.search("the header "+name+" of "+c.path, []byte(strings.Join(values, "\n")), &seen)
		}
	}
	for _, cookie := range header.Values("Set-Cookie") {
		named, found := strings.CutPrefix(cookie, sessionCookie+"=") // not the cookie of the device
		if value, _, _ := strings.Cut(named, ";"); found && value != "" && status == http.StatusOK {
			s.vault.plant(value, "a session's token", nil)
			c.cookie = value
		}
	}
}

// The members of answers that the simulation reads.
type (
	runView struct {
		ID, Account, Status, Entry, Commitment string
		SeedHash                               string `json:"client_seed_hash"`
		FirstTier                              int    `json:"first_tier"`
		Cleared                                int
		Throws                                 []throwView
		NextThrowAt                            *time.Time `json:"next_throw_at"`
		StartedAt                              time.Time  `json:"started_at"`
		TokenID                                *int64     `json:"token_id"`
	}
	throwView struct {
		N                          int
		Move, House, Outcome, Seed string
		EntropyHash                string `json:"entropy_hash"`
	}
	sideView struct{ Username, Address, Kind string }
	duelView struct {
		ID, Status, Kind string
		You              *string
		A                sideView
		B                *sideView
		Stake, Version   int64
		Rounds           []roundView
		Wins             struct{ A, B int }
		Winner           *string
		CreatedAt        time.Time  `json:"created_at"`
		StartedAt        *time.Time `json:"started_at"`
		ExpiresAt        *time.Time `json:"expires_at"`
	}
	roundView struct {
		Round               int
		Committed, Revealed struct{ A, B bool }
		YouRevealed         bool `json:"you_revealed"`
		Outcome             string
		Deadline            *time.Time
		CommitmentA         *string `json:"commitment_a"`
		CommitmentB         *string `json:"commitment_b"`
		MoveA               *string `json:"move_a"`
		MoveB               *string `json:"move_b"`
		SaltA               *string `json:"salt_a"`
		SaltB               *string `json:"salt_b"`
		ForfeitedBy         *string `json:"forfeited_by"`
	}
)

// read decodes an answer, and reports whether it could.
func (c *call) read(out any) bool { return json.Unmarshal(c.answer, out) == nil }
