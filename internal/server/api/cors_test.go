package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

const elsewhere = "https://elsewhere.example"

// TestCORSPreflight: a preflight allows calls with a key from pages of other sites, and no others.
func TestCORSPreflight(t *testing.T) {
	t.Parallel()
	s := start(t)
	ask := func(path, method, headers string) answer {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, path, nil)
		r.Header.Set("Origin", elsewhere)
		r.Header.Set("Access-Control-Request-Method", method)
		r.Header.Set("Access-Control-Request-Headers", headers)
		w := httptest.NewRecorder()
		s.edge.ServeHTTP(w, r)
		return answer{status: w.Code, header: w.Header(), body: w.Body.String()}
	}
	for _, path := range []string{"/api/me", "/api/runs", "/api/runs/x/throw", "/api/nothing"} {
		a := ask(path, "POST", "authorization,content-type")
		allowed := a.header.Get("Access-Control-Allow-Headers")
		if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "*" ||
			a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
		for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key", "Prefer"} {
			if !strings.Contains(allowed, name) {
				t.Errorf("%s: %s is not among the headers that may be sent: %s", path, name, allowed)
			}
		}
		if strings.Contains(allowed, "CSRF") || strings.Contains(strings.ToLower(allowed), "cookie") {
			t.Errorf("%s: %s may be sent", path, allowed)
		}
	}
	for _, headers := range []string{"", "content-type", "x-csrf-token", "x-authorization"} {
		if a := ask("/api/me", "POST", headers); a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("without a key, asking for %q: %v", headers, a.header)
		}
	}
	for headers, want := range map[string]string{"": "*", "prefer": "*", "prefer, last-event-id": "*",
		"x-csrf-token": "", "prefer,content-type": "", "cookie": ""} {
		if a := ask("/api/duels", "GET", headers); a.header.Get("Access-Control-Allow-Origin") != want ||
			a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("a read, asking for %q: %v", headers, a.header)
		}
	}
	// Not a preflight: it names the methods and allows no other site anything.
	a := s.raw(t, "OPTIONS /api/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: "+elsewhere+"\r\n\r\n")
	if a.status != 204 || a.header.Get("Allow") != "GET, HEAD" || a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("OPTIONS that is no preflight: %d %v", a.status, a.header)
	}
}

// TestCORSReads calls every operation of the contract from a page of another site, without a key: it reads what every
// visitor may read, by GET alone, and nothing by cookie.
func TestCORSReads(t *testing.T) {
	t.Parallel()
	s := start(t)
	p, visitor := s.guest(t), s.anonymous(t)
	cross := map[string]string{"Origin": elsewhere, "Sec-Fetch-Site": "cross-site"}
	fill := strings.NewReplacer("{run_id}", "x", "{code}", "ABCDEFGH", "{offer_id}", "1")
	for _, o := range s.doc.operations {
		if o.id == "queue" || o.id == "leaveQueue" {
			continue // only for bots, whose keys TestCORSCalls covers
		}
		q := request{method: o.method, path: fill.Replace(o.path)}
		if o.method != "GET" {
			q.body = "{}"
		}
		if o.id == "followEvents" {
			q.path += "?follow=false"
		}
		want := ""
		if o.method == "GET" {
			want = "*"
		}
		for who, header := range map[string]http.Header{
			want:                       visitor.send(t, q.with(cross)).header,
			"never with the cookie of": p.send(t, request{method: "GET", path: q.path}.with(cross)).header,
		} {
			allowed := header.Get("Access-Control-Allow-Origin")
			if who != want && allowed != "" || who == want && allowed != want {
				t.Errorf("%s %s: it allows %q, want %q %s", o.method, o.path, allowed, want, who)
			}
			// An operation that knows its caller has another answer with a cookie, a public one has not.
			callers, _ := o.object["security"].([]any)
			if !slices.Contains(header.Values("Vary"), "Origin") {
				t.Errorf("%s %s: it varies by %v, not by Origin", o.method, o.path, header.Values("Vary"))
			}
			varies := strings.Contains(strings.ToLower(strings.Join(header.Values("Vary"), ",")), "cookie")
			if header.Get("Access-Control-Allow-Credentials") != "" || varies && len(callers) == 0 {
				t.Errorf("%s %s: %v", o.method, o.path, header)
			}
		}
	}
}

// TestCORSCalls: a page of another site can read the answers to calls with a key, refusals too; a
// cookie gives it nothing.
func TestCORSCalls(t *testing.T) {
	t.Parallel()
	s := limited(t, 1000, time.Hour)
	p := s.guest(t)
	key := p.newKey(t).Secret
	call := func(q request, secret string) answer {
		return s.anonymous(t).send(t, q.with(map[string]string{"Origin": elsewhere, "Sec-Fetch-Site": "cross-site",
			"Authorization": "Bearer " + secret}))
	}
	for path, status := range map[string]int{"/api/me": 200, "/api/nothing": 404, "/api/runs/x": 404,
		"/api/runs?limit=0": 422, "/api/keys": 403, "/api/tiers": 200} {
		a := call(request{method: "GET", path: path}, key)
		readable := a.header.Get("Access-Control-Expose-Headers")
		if a.status != status || a.header.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(readable, "RateLimit") || !strings.Contains(readable, "Retry-After") {
			t.Errorf("%s: %d %v, want %d that the page may read", path, a.status, a.header, status)
		}
		if a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", path)
		}
	}
	if a := call(request{method: "POST", path: "/api/runs", body: "{}"},
		key).ok(t); a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%v", a.header)
	}
	if a := call(me, "rsk_"+strings.Repeat("A", 43)); a.status != 401 ||
		a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("a wrong key: %d %v", a.status, a.header)
	}
	// With a cookie the page can neither read the answer nor change anything.
	cross := map[string]string{"Origin": elsewhere, "Sec-Fetch-Site": "cross-site", "X-CSRF-Token": p.csrf}
	for _, q := range []request{me, {method: "GET", path: "/api/tiers"}} {
		if a := p.send(t, q.with(cross)); a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v by cookie: %v", q, a.header)
		}
	}
	p.send(t, request{method: "POST", path: "/api/runs", body: "{}"}.with(cross)).fails(t, 403, "csrf_failed")
	for _, path := range []string{"/api/auth/login", "/api/guest"} { // sessions are not opened with a key either
		cross["Authorization"] = "Bearer " + key
		p.send(t, request{method: "POST", path: path, body: credentials("somebody")}.with(cross)).fails(t, 403, "csrf_failed")
	}
	cross["Authorization"] = "Bearer wrong" // beside a valid cookie
	p.send(t, me.with(cross)).fails(t, 401, "unauthenticated")
}

// TestExamples: every body of the contract has an example, and the operation takes it.
func TestExamples(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	for _, o := range s.doc.operations {
		if s.doc.body(o) == nil {
			continue
		}
		media := o.object["requestBody"].(object)["content"].(object)["application/json"].(object)
		examples, _ := media["examples"].(object)
		if len(examples) == 0 {
			t.Errorf("%s: its body has no example", o.id)
			continue
		}
		body, err := json.Marshal(examples["example"].(object)["value"])
		if err != nil {
			t.Fatal(err)
		}
		path := strings.NewReplacer("{run_id}", "x", "{code}", "ABCDEFGH", "{offer_id}", "1").Replace(o.path)
		if a := p.post(t, path, string(body)); a.status == 422 || a.status >= 500 {
			t.Errorf("%s: its example %s is answered %d %s", o.id, body, a.status, a.body)
		}
	}
}
