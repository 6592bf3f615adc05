package api_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/internal/server/edge"
	"roshambo/internal/store"
)

// witnessed is an Observer that records outcomes.
type witnessed struct {
	mu  sync.Mutex // guards all
	all []edge.Outcome
}

type idOf struct{}

// Begin implements edge.Observer.
func (*witnessed) Begin(ctx context.Context, a *edge.Arrival) context.Context {
	return context.WithValue(ctx, idOf{}, a.RequestID)
}

// End implements edge.Observer.
func (w *witnessed) End(ctx context.Context, o edge.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Value(idOf{}) != o.RequestID {
		o.RequestID = "" // differs in the context that Begin returns
	}
	w.all = append(w.all, o)
}

// of waits until a request has ended, which may be after its answer was read.
func (w *witnessed) of(t *testing.T, id string) edge.Outcome {
	t.Helper()
	for deadline := time.Now().Add(testTimeout); time.Now().Before(deadline); <-time.After(time.Millisecond) {
		w.mu.Lock()
		for _, o := range w.all {
			if o.RequestID == id {
				w.mu.Unlock()
				return o
			}
		}
		w.mu.Unlock()
	}
	t.Fatalf("no request %s has ended", id)
	return edge.Outcome{}
}

// TestObserver: each outcome is reported once, under the name of its operation.
func TestObserver(t *testing.T) {
	t.Parallel()
	w := &witnessed{}
	s := start(t, func(c *edge.Config) { c.Observers = []edge.Observer{w} })
	p := s.guest(t)
	for _, tt := range []struct {
		method, path, prefer, operation, code string
		status                                int
		fault                                 store.Fault
		waited                                bool
		reruns                                int
	}{
		{method: "GET", path: "/api/tiers", operation: "getTiers", status: 200},
		{method: "HEAD", path: "/api/tiers", operation: "getTiers", status: 200},
		{method: "GET", path: "/api/runs/nobody-knows", operation: "getRun", status: 404, code: "not_found"},
		{method: "GET", path: "/api/runs?limit=x", operation: "listRuns", status: 422},
		{method: "PUT", path: "/api/tiers", operation: "none", status: 405, code: "method_not_allowed"},
		{method: "GET", path: "/api/no/such", operation: "none", status: 404, code: "not_found"},
		{method: "GET", path: "/log/checkpoint", operation: "log", status: 200},
		{method: "GET", path: "/api/docs", operation: "docs", status: 200},
		{method: "GET", path: "/anything", operation: "page", status: 200},
		{method: "GET", path: "/api/chain/head?height=0", prefer: "wait=1", operation: "getHead", status: 200, waited: true},
		{method: "GET", path: "/api/events?follow=false", operation: "followEvents", status: 200, waited: true},
		{method: "POST", path: "/api/runs", operation: "startRun", status: 503, code: "unavailable", fault: store.Stored},
		{method: "POST", path: "/api/duels", operation: "createDuel", status: 200, fault: store.NotStored, reruns: 1},
	} {
		if tt.fault != store.NoFault {
			s.faults.plan(tt.fault)
		}
		header := map[string]string{"X-CSRF-Token": p.csrf}
		if tt.prefer != "" {
			header["Prefer"] = tt.prefer
		}
		a := p.send(t, request{method: tt.method, path: tt.path, header: header})
		got := w.of(t, a.header.Get("X-Request-Id"))
		if got.Took <= 0 {
			t.Errorf("%s %s took %v", tt.method, tt.path, got.Took)
		}
		got.Took = 0
		want := edge.Outcome{Operation: tt.operation, Method: tt.method, RequestID: got.RequestID, Status: tt.status,
			Code: tt.code, Waited: tt.waited, Reruns: tt.reruns}
		if got != want || a.status != tt.status {
			t.Errorf("%s %s: got %+v, answered %d, want %+v", tt.method, tt.path, got, a.status, want)
		}
	}
	s.requestsAreLogged(t)
}

// requestsAreLogged: one line for each request, a fault of the service at level error with its
// cause.
func (s *stack) requestsAreLogged(t *testing.T) {
	t.Helper()
	var faults, requests int
	for line := range strings.Lines(s.log.String()) {
		if !strings.Contains(line, "msg=request ") {
			continue
		}
		requests++
		for _, field := range []string{"request_id=", "operation=", "method=", "status=", "took="} {
			if !strings.Contains(line, field) {
				t.Errorf("no %s in %s", field, line)
			}
		}
		if strings.Contains(line, "level=ERROR") {
			faults++
			if !strings.Contains(line, "status=503") || !strings.Contains(line, "operation=startRun") ||
				!strings.Contains(line, "injected fault") {
				t.Errorf("the line of the fault is %s", line)
			}
		}
	}
	if faults != 1 || requests < 12 {
		t.Errorf("%d lines of requests, %d of them errors", requests, faults)
	}
}

// TestGone: a client that disconnects is not a fault of the service.
func TestGone(t *testing.T) {
	t.Parallel()
	w := &witnessed{}
	s := start(t, func(c *edge.Config) { c.Observers = []edge.Observer{w} })
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/chain/head?height=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Prefer", "wait=30")
	left := make(chan error, 1)
	go func() {
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			left <- err
			return
		}
		left <- response.Body.Close()
	}()
	for s.edge.API.Streams.Waiting().LongPolls == 0 {
		<-time.After(time.Millisecond)
	}
	leave()
	if err := <-left; err == nil {
		t.Fatal("it was answered")
	}
	for deadline := time.Now().Add(testTimeout); ; <-time.After(time.Millisecond) {
		w.mu.Lock()
		for _, o := range w.all {
			if o.Status == edge.StatusGone && o.Operation == "getHead" && o.Waited {
				w.mu.Unlock()
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is not among %+v", w.all)
		}
		w.mu.Unlock()
	}
}
