package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// keyed sends a request with an Idempotency-Key, as the page does.
func (p *player) keyed(t *testing.T, key string, q request) answer {
	t.Helper()
	return p.send(t, q.with(map[string]string{"X-CSRF-Token": p.csrf, "Idempotency-Key": key}))
}

// sameAs requires a replay of first, byte for byte.
func (a answer) sameAs(t *testing.T, first answer) {
	t.Helper()
	if a.ok(t).header.Get("Idempotent-Replayed") != "true" || a.body != first.body {
		t.Errorf("%v: got %s (replayed: %q), want once more %s", a.request, a.body, a.header.Get("Idempotent-Replayed"),
			first.body)
	}
}

func (a answer) isNew(t *testing.T) answer {
	t.Helper()
	if got := a.header.Get("Idempotent-Replayed"); got != "" {
		t.Errorf("%v: Idempotent-Replayed: %q on an answer that is new", a.request, got)
	}
	return a
}

// unrepeatable are the POSTs that open or end a session.
var unrepeatable = map[string]bool{
	"createGuest": true, "register": true, "login": true, "redeemMagicLink": true, "logout": true, "endSession": true,
	"changePassword": true, "redeemPasswordReset": true, "endOtherSessions": true, "deleteAccount": true,
}

// TestRepeat repeats every POST of a signed-in caller.
func TestRepeat(t *testing.T) {
	t.Parallel()
	s := start(t)
	each(t, s, func(t *testing.T, o operation, p *player, q request) {
		if o.method != http.MethodPost || unrepeatable[o.id] {
			return
		}
		first := p.keyed(t, "my-key", q).ok(t).isNew(t)
		p.keyed(t, `"my-key"`, q).sameAs(t, first) // as structured fields write strings
		again := p.keyed(t, "my-key", q)
		again.sameAs(t, first)
		if again.header.Get("X-Request-Id") == first.header.Get("X-Request-Id") ||
			again.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v: the headers of the answer given again are %v", q, again.header)
		}
	})
}

// TestNoRepeat: operations that open or end a session ignore the key.
func TestNoRepeat(t *testing.T) {
	t.Parallel()
	s := start(t)
	each(t, s, func(t *testing.T, o operation, p *player, q request) {
		if unrepeatable[o.id] {
			p.keyed(t, "my-key", q).ok(t).isNew(t)
			p.keyed(t, "my-key", q).isNew(t)
		}
	})
}

func TestRepeatHappensOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p, other := s.guest(t), s.guest(t)
	fee := sending("/api/runs", `{"entry":"fee"}`)
	q := fee(t, p)
	first := p.keyed(t, "k", q).ok(t)
	p.keyed(t, "k", q).sameAs(t, first)
	p.keyed(t, "K", q).fails(t, 409, "run_active") // another key
	if got := p.me(t).Balance; got != 950 {
		t.Errorf("balance %d after one start and its repetition, want 950", got)
	}
	// The same key for another request.
	p.keyed(t, "k", request{method: "POST", path: "/api/runs", body: `{"entry": "fee"}`}).invalid(t,
		"header.idempotency-key idempotency_key_reused")
	p.keyed(t, "k", request{method: "POST", path: "/api/keys", body: `{"entry":"fee"}`}).invalid(t,
		"header.idempotency-key idempotency_key_reused")
	p.keyed(t, "k", request{method: "POST", path: "/api/faucet"}).invalid(t,
		"header.idempotency-key idempotency_key_reused")
	// Another account's key of the same name is another key, and API keys do not matter.
	other.keyed(t, "k", q).ok(t).isNew(t)
	program := p.newKey(t)
	header := map[string]string{"Authorization": "Bearer " + program.Secret, "Idempotency-Key": "k"}
	s.anonymous(t).send(t, q.with(header)).sameAs(t, first)
	// A repetition is refused like any call without its CSRF token.
	p.send(t, q.with(map[string]string{"Idempotency-Key": "k"})).fails(t, 403, "csrf_failed")
	// A GET has no effect to repeat.
	p.keyed(t, "k", me).ok(t).isNew(t)
}

func TestRepeatKeys(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	q := sending("/api/keys", "")(t, p)
	for _, key := range []string{`"`, `"open`, `""`, strings.Repeat("k", 256), `"` + strings.Repeat("k", 256) + `"`,
		"\xff"} {
		p.keyed(t, key, q).fails(t, 400, "bad_request")
	}
	for _, key := range []string{strings.Repeat("k", 255), `"` + strings.Repeat("l", 255) + `"`, strings.Repeat("ä", 255),
		"a key; with=signs"} {
		first := p.keyed(t, key, q).ok(t).isNew(t)
		p.keyed(t, key, q).sameAs(t, first)
	}
	if got := len(p.keys(t)); got != 4 {
		t.Errorf("%d keys were made, want 4", got)
	}
}

// TestRepeatLater: an answer is kept for 24 hours.
func TestRepeatLater(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	q := sending("/api/keys", "")(t, p)
	first := p.keyed(t, "k", q).ok(t)
	s.clock.forward(24 * time.Hour)
	p.keyed(t, "k", q).sameAs(t, first)
	s.clock.forward(time.Millisecond)
	second := p.keyed(t, "k", q).ok(t).isNew(t)
	if second.body == first.body {
		t.Error("after 24 hours nothing new happened")
	}
	p.keyed(t, "k", q).sameAs(t, second)
}

// TestErrorsAreNotKept: a refused call had no effect, and may succeed later.
func TestErrorsAreNotKept(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	r := p.start(t, "")
	q := sending("/api/runs", "")(t, p)
	p.keyed(t, "k", q).fails(t, 409, "run_active")
	p.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)
	p.keyed(t, "k", q).ok(t).isNew(t)
	// An invalid request does not use up the key either.
	p.keyed(t, "l", request{method: "POST", path: "/api/bots", body: `{}`}).invalid(t, "body.name missing")
	p.keyed(t, "l", request{method: "POST", path: "/api/bots", body: `{"name":"` + newName() + `"}`}).ok(t).isNew(t)
}

// TestRepeatsAtOnce sends one call many times concurrently: it takes effect once, and the others
// get the answer or idempotency_in_flight.
func TestRepeatsAtOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	header := map[string]string{"X-CSRF-Token": p.csrf, "Idempotency-Key": "k"}
	got := outcomes(t, s, 16, func(int) (answer, error) {
		return p.try(t, request{"POST", "/api/keys", "", header})
	})
	if got[fine] < 1 || got[fine]+got["idempotency_in_flight"] != 16 {
		t.Errorf("16 repetitions at once: %v", got)
	}
	if n := len(p.keys(t)); n != 1 {
		t.Errorf("%d keys were made, want 1", n)
	}
}

// TestRepeatAfterFaults breaks the commit, stored or not. The caller cannot see which, repeats the
// call, and it has taken effect once.
func TestRepeatAfterFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]store.Fault{"stored": store.Stored, "not stored": store.NotStored} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			p := s.guest(t)
			q := sending("/api/runs", `{"entry":"fee"}`)(t, p)
			s.faults.plan(fault, fault) // the store retries once by itself
			p.keyed(t, "k", q).unavailable(t)
			s.faults.plan()
			again := p.keyed(t, "k", q).ok(t)
			if replayed := again.header.Get("Idempotent-Replayed") == "true"; replayed != (fault == store.Stored) {
				t.Errorf("the answer was given before: %v", replayed)
			}
			p.keyed(t, "k", q).sameAs(t, again)
			if got := p.me(t); got.Balance != 950 || got.ActiveRun.ID != decode[api.StartRunOut](t, again).Run.ID {
				t.Errorf("after the fault and two repetitions: %+v", got)
			}
			s.seal(t)
			p.chainIsValid(t)
		})
	}
}

// TestStoredAnswersAreShort: an answer with a duel is stored without its decided rounds, and is given again byte for
// byte, whatever has become of the duel.
func TestStoredAnswersAreShort(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, two := s.bot(t), s.bot(t)
	one.queue(t)
	g := s.game(two.queue(t).Duel.ID, nil, nil)
	type call struct {
		send  sender
		q     request
		first answer
	}
	var calls []call
	kept := func(send sender) sender {
		return func(t *testing.T, q request) answer {
			t.Helper()
			q = q.with(map[string]string{"Idempotency-Key": fmt.Sprint("call ", len(calls))})
			calls = append(calls, call{send, q, send(t, q).ok(t)})
			return calls[len(calls)-1].first
		}
	}
	g.sides = [2]sender{kept(one.sender()), kept(two.sender())}
	g.ties(t, 6)
	g.sides[0](t, request{method: "POST", path: "/api/arena/queue"})
	g.sides[1](t, request{method: "POST", path: "/api/arena/leave"})
	g.play(t, "rp", "pr")
	g.sides[0](t, g.post("/resign", ""))
	for i, c := range calls {
		if again := c.send(t, c.q); again.body != c.first.body || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d: %s, want %s", i, again.body, c.first.body)
		}
	}
	const most = 8 << 10 // the longest salt of the current round has 3 KiB in JSON
	if longest := s.count(t, "SELECT max(length(answer)) FROM idempotency"); longest > most {
		t.Errorf("a stored answer has %d bytes, want at most %d", longest, most)
	}
}
