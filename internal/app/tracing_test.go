package app

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver receives traces as a collector does.
type receiver struct {
	mu      sync.Mutex // guards the fields below
	service string
	spans   []*tracepb.Span
}

// ServeHTTP implements the part of OTLP/HTTP that exporters use.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	text, err := io.ReadAll(q.Body)
	var sent collector.ExportTraceServiceRequest
	if err != nil || q.URL.Path != "/v1/traces" || proto.Unmarshal(text, &sent) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range sent.GetResourceSpans() {
		for _, a := range resource.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				r.service = a.GetValue().GetStringValue()
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			r.spans = append(r.spans, scope.GetSpans()...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// in returns the spans of a trace by name.
func (r *receiver) in(trace string) map[string]*tracepb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]*tracepb.Span{}
	for _, s := range r.spans {
		if hex.EncodeToString(s.GetTraceId()) == trace {
			found[s.GetName()] = s
		}
	}
	return found
}

// attribute returns an attribute of a span as text.
func attribute(s *tracepb.Span, key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			return strings.TrimSpace(strings.Trim(a.GetValue().String(), `"`))
		}
	}
	return ""
}

// askInTrace sends a service one request within a trace and stops the service. It returns the trace
// and the request's id. The last traces may miss their deadline on a busy machine: then it repeats
// this with another service.
func askInTrace(t *testing.T, collector, parent string) (trace, id string) {
	t.Helper()
	for n := 1; ; n++ {
		trace = fmt.Sprintf("4bf92f3577b34da6a3ce929d%08x", n)
		c := config(t.TempDir())
		c.OTLPEndpoint = collector
		s := begin(t, c)
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/guest?secret=in-a-query",
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Traceparent", "00-"+trace+"-"+parent+"-01")
		response, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("got %s, %v", response.Status, err)
		}
		stopped := time.Now()
		s.stop()
		if err := <-s.ended; err != nil { // the last traces have been sent
			t.Fatal(err)
		}
		if time.Since(stopped) < closeTraceTimeout {
			return trace, response.Header.Get("X-Request-Id")
		}
	}
}

// TestTraces: a request and its transaction reach a collector in the caller's trace, without any
// content of the request.
func TestTraces(t *testing.T) {
	t.Parallel()
	r := &receiver{}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	const parent = "00f067aa0ba902b7"
	trace, id := askInTrace(t, server.URL, parent)
	spans := r.in(trace)
	request, update := spans["createGuest"], spans["db.update"]
	if request == nil || update == nil {
		t.Fatalf("the trace has the spans %v", spans)
	}
	if got := hex.EncodeToString(request.GetParentSpanId()); got != parent {
		t.Errorf("the parent of the request is %s, want the caller's, %s", got, parent)
	}
	if string(update.GetParentSpanId()) != string(request.GetSpanId()) {
		t.Errorf("the update is not part of the request: %v", update)
	}
	if got := attribute(request, "roshambo.request_id"); !strings.Contains(got, id) {
		t.Errorf("the request's id is %s, want %s", got, id)
	}
	if got := attribute(request, "http.response.status_code"); !strings.Contains(got, "200") {
		t.Errorf("the status is %s", got)
	}
	if r.service != "roshambo" {
		t.Errorf("the service is called %q", r.service)
	}
	for _, s := range r.spans {
		if len(s.GetParentSpanId()) == 0 && strings.HasPrefix(s.GetName(), "db.") {
			t.Errorf("a transaction of no request was traced: %v", s)
		}
		if strings.Contains(s.String(), "secret") {
			t.Errorf("a span contains content of the request: %v", s)
		}
	}
}
