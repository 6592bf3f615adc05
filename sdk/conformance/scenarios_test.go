package conformance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/vectors"
	"roshambo/verify"
)

// scenario is a command with the requests that it has to send, and its outcome.
type scenario struct {
	name    string
	command []string
	budget  float64 // seconds; 0 is a minute
	// notGo is set for calls without a key: package client has no sessions.
	notGo  bool
	script []exchange
	result string // JSON; "" for an error
	err    string // the error as JSON
}

const (
	someBot  = `{"bot":{"username":"some-bot"},"secret":"rsb_made"}`
	someHead = `{"head":{"height":8}}`
	someMe   = `{"account":{"username":"ada"},"csrf_token":null}`
	named    = `{"name":"some-bot"}`
)

// again is a scenario in which a call is repeated after an answer, as the same call.
func again(name string, first answer) scenario {
	return scenario{name: name, command: []string{"bot", "some-bot"}, script: []exchange{
		{want: "POST /api/bots", sent: named, answer: first},
		{want: "POST /api/bots", same: true, answer: answer{body: someBot}},
	}, result: `"rsb_made"`}
}

// refused returns an answer with the body of an error.
func refused(status int, code string) answer {
	return answer{status: status, body: `{"code":"` + code + `","message":"A sentence.","request_id":"request-1"}`}
}

// after returns an answer with a delay in seconds, as a number or as a date.
func (a answer) after(seconds int, date bool) answer {
	a.retryAfter, a.date = seconds, date
	return a
}

// repeated are the scenarios in which a call is repeated until it succeeds.
var repeated = []scenario{
	again("408", refused(408, "request_timeout")),
	again("409 in flight", refused(409, "idempotency_in_flight")),
	again("429 in seconds", refused(429, "rate_limited").after(1, false)),
	again("429 with a date", refused(429, "rate_limited").after(2, true)),
	again("429 of a proxy", answer{status: 429, body: "<html>"}.after(1, false)),
	again("429 in milliseconds", answer{status: 429, pause: 300 * time.Millisecond,
		body: `{"code":"too_fast","message":"Wait.","request_id":"request-1","retry_after_ms":300}`}),
	again("500", refused(500, "internal")),
	again("502", answer{status: 502, body: "<html>bad gateway</html>"}),
	again("503", refused(503, "not_stored").after(1, false)),
	again("503 with an unknown outcome", refused(503, "unavailable").after(1, false)),
	again("504", answer{status: 504}),
	again("a connection that closes", answer{broken: "closed"}),
	again("half an answer", answer{broken: "truncated", body: someBot[:10]}),
	{name: "a read", command: []string{"me"}, script: []exchange{
		{want: "GET /api/me", check: authorized, answer: answer{broken: "closed"}},
		{want: "GET /api/me", check: authorized, answer: answer{body: someMe}},
	}, result: `"ada"`},
	{name: "no Idempotency-Key, refused before it began", command: []string{"guest"}, notGo: true, script: []exchange{
		{want: "POST /api/guest", check: keyless, answer: refused(429, "rate_limited").after(1, false)},
		{want: "POST /api/guest", check: keyless, answer: refused(503, "not_stored").after(1, false)},
		{want: "POST /api/guest", answer: answer{body: `{"account":{"username":"ada"},"balance":1,"csrf_token":"t"}`}},
	}, result: `"ada"`},
}

// final are the scenarios in which a call fails, or succeeds at once.
var final = []scenario{
	{name: "no Idempotency-Key, a lost answer", command: []string{"guest"}, notGo: true,
		script: []exchange{{want: "POST /api/guest", answer: answer{broken: "closed"}}}, err: `{"type":"connection"}`},
	{name: "no Idempotency-Key, an unknown outcome", command: []string{"guest"}, notGo: true,
		script: []exchange{{want: "POST /api/guest", answer: refused(503, "unavailable")}},
		err:    `{"type":"service","status":503,"code":"unavailable","request_id":"request-1"}`},
	{name: "409", command: []string{"bot", "some-bot"},
		script: []exchange{{want: "POST /api/bots", answer: refused(409, "limit_reached")}},
		err:    `{"type":"service","status":409,"code":"limit_reached","request_id":"request-1"}`},
	{name: "401", command: []string{"me"},
		script: []exchange{{want: "GET /api/me", answer: refused(401, "unauthenticated")}},
		err:    `{"type":"service","status":401,"code":"unauthenticated","request_id":"request-1"}`},
	{name: "422", command: []string{"bot", "some-bot"},
		script: []exchange{{want: "POST /api/bots", answer: answer{status: 422,
			body: `{"detail":[{"type":"string_too_long","loc":["body","name"],"msg":"Too long","input":"some-bot"}]}`}}},
		err: `{"type":"service","status":422,"code":"invalid","request_id":"request-1"}`},
	{name: "a code that is not known", command: []string{"me"},
		script: []exchange{{want: "GET /api/me", answer: refused(418, "new_code")}},
		err:    `{"type":"service","status":418,"code":"new_code","request_id":"request-1"}`},
	{name: "404 of a proxy", command: []string{"me"},
		script: []exchange{{want: "GET /api/me", answer: answer{status: 404, body: "<html>"}}},
		err:    `{"type":"service","status":404,"code":"unknown","request_id":"request-1"}`},
	{name: "a delay that the budget has no room for", command: []string{"me"}, budget: 2,
		script: []exchange{{want: "GET /api/me", answer: refused(429, "rate_limited").after(3600, false)}},
		err:    `{"type":"service","status":429,"code":"rate_limited","request_id":"request-1","retry_after":3600}`},
	{name: "a long poll", command: []string{"head", "7"},
		script: []exchange{{want: "GET /api/chain/head?height=7", answer: answer{body: someHead},
			check: func(r *http.Request) string {
				if prefer := r.Header.Get("Prefer"); prefer != "wait=20" {
					return "Prefer is " + prefer
				}
				return ""
			}}}, result: `8`},
}

// metas are the scenarios of what an answer states besides its body.
var metas = []scenario{
	{name: "all facts", command: []string{"meta", "7"}, script: []exchange{{want: "GET /api/chain/head?height=7",
		answer: answer{body: someHead, header: map[string]string{"RateLimit": `"ip";r=7;t=3`,
			"RateLimit-Policy": `"ip";q=240;w=60`, "Preference-Applied": "wait=20", "Idempotent-Replayed": "true"}}}},
		result: `{"request_id":"request-1","rate_limit":{"left":7,"limit":240,"reset":3,"window":60},"held":true,` +
			`"replayed":true}`},
	{name: "no facts", command: []string{"meta", "7"}, script: []exchange{{want: "GET /api/chain/head?height=7",
		answer: answer{body: someHead}}},
		result: `{"request_id":"request-1","rate_limit":null,"held":false,"replayed":false}`},
}

// authorized requires the key of the caller.
func authorized(r *http.Request) string {
	if got := r.Header.Get("Authorization"); got != "Bearer rsb_caller" {
		return "Authorization is " + got
	}
	return ""
}

// keyless requires that there is no Idempotency-Key, which the operation does not take.
func keyless(r *http.Request) string {
	if got := r.Header.Get("Idempotency-Key"); got != "" {
		return "it has the Idempotency-Key " + got
	}
	return ""
}

// scarce says that nothing is left of 240 requests in a minute, for a second.
var scarce = map[string]string{"RateLimit": `"ip";r=0;t=1`, "RateLimit-Policy": `"ip";q=240;w=60`}

// lists are the scenarios of lists and streams.
var lists = []scenario{
	{name: "pages", command: []string{"runs"}, script: []exchange{
		{want: "GET /api/runs?limit=2", answer: answer{body: `{"runs":[{"id":"r1"},{"id":"r2"}],"next":"c 1&x"}`}},
		{want: "GET /api/runs?limit=2&cursor=c+1%26x", answer: answer{broken: "closed"}},
		{want: "GET /api/runs?limit=2&cursor=c+1%26x", answer: answer{body: `{"runs":[],"next":"c2"}`}},
		{want: "GET /api/runs?limit=2&cursor=c2", answer: answer{body: `{"runs":[{"id":"r3"}],"next":null}`}},
	}, result: `["r1","r2","r3"]`},
	{name: "the pace of a small budget", command: []string{"runs"}, script: []exchange{
		{want: "GET /api/runs", answer: answer{body: `{"runs":[],"next":"c1"}`, header: scarce,
			pause: 1020 * time.Millisecond}},
		{want: "GET /api/runs", answer: answer{body: `{"runs":[],"next":null}`}},
	}, result: `[]`},
	{name: "lines that break off", command: []string{"data"}, script: []exchange{
		{want: "GET /api/data/duels", answer: answer{broken: "cut", header: lines,
			body: `{"cursor":"a","duel":{}}` + "\n" + `{"cursor":"b","duel":{}}` + "\n" + `{"cursor":"c","du`}},
		{want: "GET /api/data/duels?after=b", answer: refused(429, "rate_limited").after(1, false)},
		{want: "GET /api/data/duels?after=b", answer: answer{header: lines,
			body: `{"cursor":"c","duel":{}}` + "\n" + `{"cursor":"d","duel":{}}` + "\n"}},
		// Where a budget ends, an answer ends after a complete line: one without a line is the end.
		{want: "GET /api/data/duels?after=d", answer: answer{header: lines}},
	}, result: `["a","b","c","d"]`},
	{name: "lines that break before the first", command: []string{"data"}, script: []exchange{
		{want: "GET /api/data/duels", answer: answer{broken: "cut", header: lines, pause: 100 * time.Millisecond}},
		{want: "GET /api/data/duels", answer: answer{broken: "cut", header: lines, body: `{"cur`,
			pause: 200 * time.Millisecond}},
		{want: "GET /api/data/duels", answer: answer{broken: "cut", header: lines, body: `{"cursor":"a","duel":{}}` + "\n"}},
		{want: "GET /api/data/duels?after=a", answer: answer{broken: "cut", header: lines, pause: 200 * time.Millisecond}},
		{want: "GET /api/data/duels?after=a", answer: answer{header: lines, body: `{"cursor":"b","duel":{}}` + "\n"}},
		{want: "GET /api/data/duels?after=b", answer: answer{header: lines}},
	}, result: `["a","b"]`},
	{name: "lines that break again and again", command: []string{"data"}, budget: 0.25, script: []exchange{
		{want: "GET /api/data/duels", answer: answer{broken: "cut", header: lines, pause: 100 * time.Millisecond}},
		{want: "GET /api/data/duels", answer: answer{broken: "cut", header: lines}}, // 0.2 s more exceed the budget
	}, err: `{"type":"connection"}`},
	{name: "lines that do not move on", command: []string{"data"}, script: []exchange{
		{want: "GET /api/data/duels", answer: answer{header: lines, body: `{"cursor":"a","duel":{}}` + "\n"}},
		{want: "GET /api/data/duels?after=a", answer: answer{header: lines, body: `{"cursor":"a","duel":{}}` + "\n"}},
	}, err: `{"type":"answer"}`},
	// It goes on for longer than the budget of a call, after delays that an event makes short again.
	{name: "a stream that ends at once", command: []string{"events", "2"}, budget: 0.5, script: []exchange{
		{want: "GET /api/events", answer: answer{header: eventStream, body: "retry: 200\n\n",
			pause: 200 * time.Millisecond}},
		{want: "GET /api/events", answer: answer{header: eventStream, pause: 400 * time.Millisecond}},
		{want: "GET /api/events", answer: answer{header: eventStream, pause: 800 * time.Millisecond}},
		{want: "GET /api/events", answer: answer{header: eventStream, body: "id: 7\nevent: feed\ndata: {\"id\":7}\n\n",
			pause: 200 * time.Millisecond}},
		{want: "GET /api/events", check: behind("7"), answer: answer{header: eventStream,
			body: "id: 8\nevent: feed\ndata: {\"id\":8}\n\n"}},
	}, result: `[["feed",7],["feed",8]]`},
	{name: "a stream that breaks off", command: []string{"events", "4"}, script: []exchange{
		{want: "GET /api/events", check: behind(""), answer: answer{broken: "cut", header: eventStream,
			body: "retry: 200\n\nid: 10\nevent: ready\ndata: {\"topics\":[\"feed\"]}\n\n: alive\n\n" +
				"id: 12\nevent: feed\ndata: {\"id\":12}\n\nid: 13\nevent: feed\nda"}},
		{want: "GET /api/events", check: behind("12"), answer: answer{header: eventStream,
			body: "id: 14\n: alive\n\n"}},
		{want: "GET /api/events", check: behind("14"), answer: answer{header: eventStream,
			body: "event: ready\ndata: {\"topics\":[\"feed\"]}\n\nid: 15\nevent: feed\ndata: {\"id\":15}\n\n"}},
	}, result: `[["ready",10],["feed",12],["ready",null],["feed",15]]`},
	{name: "a stream that ends", command: []string{"events", "9"}, script: []exchange{
		{want: "GET /api/events", answer: answer{header: eventStream, body: "event: end\ndata: {}\n\n"}},
	}, result: `[["end",null]]`},
}

// lines and eventStream are the types of answers that are read piece by piece.
var (
	lines       = map[string]string{"Content-Type": "application/x-ndjson"}
	eventStream = map[string]string{"Content-Type": "text/event-stream"}
)

// behind requires that a stream goes on behind an event, in the query or the header; "" for from now on.
func behind(id string) func(*http.Request) string {
	return func(r *http.Request) string {
		query, header := r.URL.Query().Get("after"), r.Header.Get("Last-Event-ID")
		if topics := r.URL.Query()["topics"]; len(topics) != 1 || topics[0] != "feed" {
			return "the topics are " + strings.Join(topics, " ")
		}
		if query != id && header != id || query != "" && query != id || header != "" && header != id {
			return "it goes on behind " + query + header + ", want " + id
		}
		return ""
	}
}

// TestConformance plays all scenarios with each driver.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, d)
			for _, table := range [][]scenario{repeated, final, metas, lists, proofs(t)} {
				for _, s := range table {
					if s.notGo && d.name == golang {
						continue
					}
					t.Run(s.name, func(t *testing.T) {
						t.Parallel()
						s.play(t, p)
					})
				}
			}
			for _, s := range slices.Concat(duels, answered(t)) {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					s.play(t, p)
				})
			}
			for _, s := range runs {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					s.play(t, p)
				})
			}
		})
	}
}

// play lets a driver play the scenario.
func (s *scenario) play(t *testing.T, p *process) {
	t.Helper()
	stub := &scripted{t: t, script: s.script}
	budget := s.budget
	if budget == 0 {
		budget = 60
	}
	got := p.do(t, task{URL: serve(t, stub), Key: keyFor(s.command[0]), Folder: t.TempDir(), Budget: budget,
		Command: s.command[0], Arguments: s.command[1:]})
	stub.done()
	s.compare(t, got)
}

// keyFor returns the key of a command's caller: a guest is opened without one.
func keyFor(command string) string {
	if command == "guest" {
		return ""
	}
	return "rsb_caller"
}

// compare compares an outcome with the scenario's.
func (s *scenario) compare(t *testing.T, got outcome) {
	t.Helper()
	want := failure{}
	if s.err == "" {
		if got.Error != nil || !sameJSON([]byte(s.result), got.Result) {
			t.Errorf("the result is %s, the error %v, want %s", got.Result, got.Error, s.result)
		}
		return
	}
	if err := json.Unmarshal([]byte(s.err), &want); err != nil {
		t.Fatal(err)
	}
	if got.Error == nil || got.Error.String() != want.String() {
		t.Errorf("the result is %s, the error %v, want %v", got.Result, got.Error, &want)
	}
}

// proofs are the scenarios of verification: an honest proof, one that was tampered with, and a key that did not sign.
func proofs(t *testing.T) []scenario {
	t.Helper()
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	var list []scenario
	for _, v := range all {
		if !slices.Contains([]string{"duel/staked.json", "duel/move-changed.json", "duel/key-is-not-the-pinned-one.json"},
			v.File) {
			continue
		}
		command := []string{"verify", "ABCDEFGH"}
		if v.Key != nil {
			command = append(command, *v.Key)
		}
		report, err := json.Marshal(verify.Proof(v.Proof, verify.Options{Key: v.Key}))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, scenario{name: "the proof " + v.File, command: command, result: string(report),
			script: []exchange{{want: "GET /api/duels/ABCDEFGH/proof", answer: answer{body: string(v.Proof)}}}})
	}
	if len(list) != 3 {
		t.Fatalf("%d proofs of the table are vectors, want 3", len(list))
	}
	return list
}
