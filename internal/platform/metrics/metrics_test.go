package metrics

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// shown returns the metrics in the format of Prometheus.
func shown(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	text, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s, %v", w.Code, text, err)
	}
	return string(text)
}

func expect(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
}

// TestRequests checks that concurrent requests are counted once each, and that held requests are
// in no duration.
func TestRequests(t *testing.T) {
	t.Parallel()
	m := New("1.2.3")
	ends := []Request{
		{Operation: "throw", Status: 200, Took: 3 * time.Millisecond},
		{Operation: "throw", Status: 409, Code: "run_state", Took: 2 * time.Millisecond},
		{Operation: "throw", Status: 503, Code: "unavailable", Took: time.Second, Reruns: 2},
		{Operation: "throw", Took: time.Minute}, // gone
		{Operation: "getHead", Status: 200, Took: time.Minute, Waited: true},
		{Operation: "getHead", Status: 600},
	}
	var wait sync.WaitGroup
	for range 10 {
		for _, e := range ends {
			wait.Go(func() { m.Requests.Begin(); m.Requests.End(e) })
		}
	}
	wait.Wait()
	m.Requests.Begin()
	expect(t, shown(t, m),
		`roshambo_http_requests_total{class="2xx",operation="throw"} 10`,
		`roshambo_http_requests_total{class="4xx",operation="throw"} 10`,
		`roshambo_http_requests_total{class="5xx",operation="throw"} 10`,
		`roshambo_http_requests_total{class="gone",operation="throw"} 10`,
		`roshambo_http_requests_total{class="2xx",operation="getHead"} 10`,
		`roshambo_http_requests_total{class="5xx",operation="getHead"} 10`,
		`roshambo_http_request_duration_seconds_count{operation="throw"} 30`,
		`roshambo_http_request_duration_seconds_bucket{operation="throw",le="0.0025"} 10`,
		`roshambo_http_request_duration_seconds_bucket{operation="throw",le="0.005"} 20`,
		`roshambo_http_request_duration_seconds_count{operation="getHead"} 10`,
		`roshambo_http_reruns_total{operation="throw"} 20`,
		`roshambo_http_reruns_total{operation="getHead"} 0`,
		`roshambo_http_errors_total{code="run_state"} 10`,
		`roshambo_http_errors_total{code="unavailable"} 10`,
		`roshambo_http_requests_in_flight 1`,
		`roshambo_build_info{version="1.2.3"} 1`)
}

func TestLoopsAndLeases(t *testing.T) {
	t.Parallel()
	m := New("")
	l := m.Loop("mails", time.Minute)
	l.Round(nil)
	l.Round(errors.New("no server"))
	lost := m.HoldLease("sealing")
	m.HoldLease("boards")()
	text := shown(t, m)
	expect(
		t, text, `roshambo_loop_rounds_total{loop="mails",result="ok"} 1`,
		`roshambo_loop_rounds_total{loop="mails",result="error"} 1`,
		`roshambo_loop_period_seconds{loop="mails"} 60`, `roshambo_lease_held{lease="sealing"} 1`,
		`roshambo_lease_held{lease="boards"} 0`,
	)
	lost()
	expect(t, shown(t, m), `roshambo_lease_held{lease="sealing"} 0`)
}

// TestRead checks values that are read at a scrape, including a histogram.
func TestRead(t *testing.T) {
	t.Parallel()
	m := New("")
	m.Read(func(_ context.Context, s *Sample) {
		s.Counter("views_total", "help", 7)
		s.Gauge("queue", "help", 3)
		s.Histogram("commit_seconds", "help", []float64{.5, 1}, []int64{2, 0, 1}, 4.5)
	})
	expect(
		t, shown(t, m), `roshambo_views_total 7`, `roshambo_queue 3`,
		`roshambo_commit_seconds_bucket{le="0.5"} 2`, `roshambo_commit_seconds_bucket{le="1"} 2`,
		`roshambo_commit_seconds_bucket{le="+Inf"} 3`, `roshambo_commit_seconds_count 3`,
		`roshambo_commit_seconds_sum 4.5`,
	)
}

// BenchmarkRequest measures what counting adds to a request.
func BenchmarkRequest(b *testing.B) {
	m := New("")
	e := Request{Operation: "throw", Status: 200, Took: 3 * time.Millisecond}
	b.ReportAllocs()
	for b.Loop() {
		m.Requests.Begin()
		m.Requests.End(e)
	}
}
