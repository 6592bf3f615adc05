package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
)

// headPath is the path of the long polls: the newest block.
const headPath = "/api/chain/head"

func preferring(path, preference string) request {
	return request{method: "GET", path: path, header: map[string]string{"Prefer": preference}}
}

// heights are the heights in the answers of long polls, one of each caller.
type heights chan int64

// held starts n long polls for the next block, and returns once all of them wait.
func (s *stack) held(t *testing.T, n int) heights {
	t.Helper()
	got := make(heights, n)
	for range n {
		p := s.anonymous(t)
		go func() {
			a, err := p.try(t, preferring(headPath, "wait=30"))
			if err != nil || a.status != http.StatusOK {
				t.Errorf("a held call: %v, %d %s", err, a.status, a.body)
				got <- -1
				return
			}
			got <- decode[api.HeadOut](t, a).Head.Height
		}()
	}
	s.watchers(t, event.Blocks, n)
	return got
}

// watchers waits until a topic has so many watchers.
func (s *stack) watchers(t *testing.T, topic string, want int) {
	t.Helper()
	for s.hub.Watchers(topic) != want {
		<-time.After(time.Millisecond)
	}
}

func TestHoldPreference(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.guest(t)
	s.seal(t) // so that height 0 is not the newest
	for preference, want := range map[string]string{
		"":                                  "",
		"wait=20":                           "wait=20",
		"Wait = \"5\"":                      "wait=5",
		"respond-async, wait=7; strange=1":  "wait=7",
		"wait=100000":                       "wait=30",
		"wait=3, wait=9":                    "wait=3",
		"wait=0":                            "",
		"wait":                              "",
		"wait=-1":                           "",
		"wait=soon":                         "",
		"wait=99999999999999999999":         "",
		"waiting=4":                         "",
		"handling=lenient;wait=4":           "",
		"return=minimal,handling=strict, ,": "",
	} {
		a := s.anonymous(t).send(t, preferring(headPath+"?height=0", preference)).ok(t)
		if got := a.header.Get("Preference-Applied"); got != want || !slices.Contains(a.header.Values("Vary"), "Prefer") {
			t.Errorf("Prefer: %s: Preference-Applied %q, Vary %q, want %q and Prefer", preference, got,
				a.header.Values("Vary"), want)
		}
		if h := decode[api.HeadOut](t, a).Head.Height; h != 1 {
			t.Errorf("Prefer: %s: height %d, want 1", preference, h)
		}
	}
	// Without a change the wait ends with the current state.
	a := s.anonymous(t).send(t, preferring(headPath+"?height=1", "wait=1")).ok(t)
	if h := decode[api.HeadOut](t, a).Head.Height; h != 1 || a.header.Get("Preference-Applied") != "wait=1" {
		t.Errorf("after the wait: height %d, %v", h, a.header)
	}
	// An error is answered at once.
	s.anonymous(t).send(t, preferring(headPath+"?height=x", "wait=20")).invalid(t, "query.height int_parsing")
}

// TestLongPollsHoldNoConnection has more callers wait than the database has connections: other requests are
// served, and each waiting caller gets the next block.
func TestLongPollsHoldNoConnection(t *testing.T) {
	t.Parallel()
	const n = 40
	s := start(t)
	got := s.held(t, n)
	s.guest(t) // reads and writes
	s.seal(t)
	for range n {
		if h := <-got; h != 1 {
			t.Errorf("a held answer has height %d, want 1", h)
		}
	}
	s.watchers(t, event.Blocks, 0)
}

func TestHoldEndsWithTheDrain(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.held(t, 3)
	s.edge.API.Streams.Drain()
	s.edge.API.Streams.Drain()
	for range 3 {
		if h := <-got; h != 0 {
			t.Errorf("a held answer has height %d, want 0, which was seen last", h)
		}
	}
	s.anonymous(t).send(t, preferring(headPath, "wait=30")).ok(t) // answered at once after a drain
}

func TestHoldEndsWithTheConnection(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+headPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Prefer", "wait=30")
	left := make(chan error, 1)
	go func() {
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			left <- err
			return
		}
		left <- a.Body.Close()
	}()
	s.watchers(t, event.Blocks, 1)
	leave()
	if err := <-left; err == nil {
		t.Error("a call that was given up was answered")
	}
	s.watchers(t, event.Blocks, 0)
}

// TestLongPollsAreNotReplayed: a long poll ignores its Idempotency-Key, because it would store that
// nothing has happened yet; a call that does not wait uses it.
func TestLongPollsAreNotReplayed(t *testing.T) {
	t.Parallel()
	s := start(t)
	bot := s.guest(t).newBot(t, newName())
	for prefer, replayed := range map[string]string{"wait=1": "", "": "true"} {
		header := map[string]string{"Authorization": "Bearer " + bot.Secret, "Idempotency-Key": "key " + prefer,
			"Prefer": prefer}
		q := request{method: "POST", path: "/api/arena/queue", header: header}
		s.anonymous(t).send(t, q).ok(t)
		if got := s.anonymous(t).send(t, q).ok(t).header.Get("Idempotent-Replayed"); got != replayed {
			t.Errorf("Prefer: %s: the second call has Idempotent-Replayed %q, want %q", prefer, got, replayed)
		}
	}
}

// TestHoldEndsWithTheCaller: a held call whose session or key ends is answered 401 at its next poll, and with
// nothing of what has happened since.
func TestHoldEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, other := s.guest(t), s.guest(t)
	owner.register(t, newName())
	bot, key := owner.newBot(t, newName()), owner.newKey(t)
	held := func(topic string, q request, secret string) <-chan answer {
		got, p := make(chan answer, 1), owner
		if secret != "" {
			p, q = s.anonymous(t), q.with(map[string]string{"Authorization": "Bearer " + secret})
		}
		go func() {
			a, err := p.try(t, q.with(map[string]string{"Prefer": "wait=30"}))
			if err != nil {
				t.Error(err)
			}
			got <- a
		}()
		s.watchers(t, topic, 1)
		return got
	}
	address, err := chain.ParseAddress(bot.Bot.Address)
	if err != nil {
		t.Fatal(err)
	}
	ranked := held(event.Account(address), request{method: "POST", path: "/api/arena/queue"}, bot.Secret)
	for s.count(t, "SELECT count(*) FROM arena_bot WHERE since IS NOT NULL") == 0 { // its first poll enters
		<-time.After(time.Millisecond)
	}
	owner.post(t, "/api/bots/"+bot.Bot.Address+"/rotate", "").ok(t)
	s.hub.Wake(event.Account(address)) // as the timer would
	(<-ranked).fails(t, 401, "unauthenticated")
	for _, c := range []struct{ secret, end string }{{key.Secret, key.revokePath()}, {"", "/api/auth/logout"}} {
		g := s.joined(t, 0, owner, other)
		got := held(event.Duel(strings.TrimPrefix(g.path, "/api/duels/")), request{method: "GET", path: g.path}, c.secret)
		for polled := false; !polled; { // its first poll makes it present
			seen := decode[api.GetDuelOut](t, other.get(t, g.path).ok(t)).Duel
			polled = seen.Presence.A.Watching
		}
		owner.post(t, c.end, "").ok(t)
		g.sides[1](t, g.post("/resign", "")).ok(t)
		(<-got).fails(t, 401, "unauthenticated")
	}
}
