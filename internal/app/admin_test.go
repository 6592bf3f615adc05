package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/ledger"
)

// testTimeout is the deadline of every wait, generous for a busy machine.
const testTimeout = 2 * time.Minute

// running is a service that a test has started, with an admin address.
type running struct {
	url, admin string
	stop       func()
	ended      <-chan error
}

// begin starts a service, and stops it when the test ends.
func begin(t *testing.T, c Config) *running {
	t.Helper()
	ready, admin, ended := make(chan string, 1), make(chan string, 1), make(chan error, 1)
	c.AdminListen = "127.0.0.1:0"
	c.Ready = func(address string) { ready <- "http://" + address }
	c.ReadyAdmin = func(address string) { admin <- "http://" + address }
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	left := make(chan struct{})
	go func() {
		defer close(left)
		ended <- Serve(ctx, c)
	}()
	t.Cleanup(func() { stop(); <-left })
	select {
	case url := <-ready:
		return &running{url: url, admin: <-admin, stop: stop, ended: ended}
	case err := <-ended:
		t.Fatalf("the service ended before it was ready: %v", err)
	}
	return nil
}

// ask gets a page of any status.
func ask(t *testing.T, method, url string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// sample matches the value of a metric.
func sample(series string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + ` (\S+)$`)
}

// await reads the metrics until a series has a value, which may appear after the answer that it
// counts.
func (r *running) await(t *testing.T, series, want string) {
	t.Helper()
	var text, got string
	for deadline := time.Now().Add(testTimeout); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		_, text = ask(t, "GET", r.admin+"/metrics")
		got = ""
		if found := sample(series).FindStringSubmatch(text); found != nil {
			got = found[1]
		}
		if got == want {
			return
		}
	}
	t.Errorf("%s is %q, want %q, in\n%s", series, got, want, text)
}

// TestAdminSites: a browser's request from a page of another site is refused on the admin address, also one
// that only reads.
func TestAdminSites(t *testing.T) {
	t.Parallel()
	r := begin(t, config(t.TempDir()))
	r.awaitReadiness(t, http.StatusOK)
	const browser = "Mozilla/5.0 (X11; Linux x86_64)"
	for _, c := range []struct {
		header, value string
		status        int
	}{
		{"Accept", "*/*", 200}, {"Sec-Fetch-Site", "none", 200}, {"Sec-Fetch-Site", "same-origin", 200},
		{"Origin", r.admin, 200}, {"Sec-Fetch-Site", "cross-site", 403}, {"Sec-Fetch-Site", "same-site", 403},
		{"Origin", "https://elsewhere.example", 403}, {"Origin", "null", 403}, {"User-Agent", browser, 200},
	} {
		for _, path := range []string{"/debug/pprof/", "/metrics", "/readyz"} {
			q, err := http.NewRequestWithContext(t.Context(), "GET", r.admin+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set(c.header, c.value)
			answer, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Error(err)
			}
			want := c.status
			if c.value == browser && path == "/debug/pprof/" { // a picture of another site would look the same
				want = 403
			}
			if answer.StatusCode != want {
				t.Errorf("%s with %s: %s: status %d, want %d", path, c.header, c.value, answer.StatusCode, want)
			}
		}
	}
}

// TestAdminNames: a host name of another site that resolves to this machine gets 421.
func TestAdminNames(t *testing.T) {
	t.Parallel()
	r := begin(t, config(t.TempDir()))
	_, port, err := net.SplitHostPort(strings.TrimPrefix(r.admin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"localhost": 200, "LocalHost:" + port: 200, "127.0.0.1:" + port: 200, "127.0.0.2": 200, "[::1]:" + port: 200,
		"rebound.example": 421, "rebound.example:" + port: 421, "localhost.rebound.example:" + port: 421,
		"127.0.0.1.rebound.example": 421, "192.0.2.1:" + port: 421, "a@localhost": 421, "localhost:x@y": 421,
	} {
		for _, path := range []string{"/metrics", "/healthz", "/debug/pprof/"} {
			q, err := http.NewRequestWithContext(t.Context(), "GET", r.admin+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			q.Host = host
			answer, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Errorf("%s as %s: %v", path, host, err)
				continue
			}
			if err := answer.Body.Close(); err != nil {
				t.Error(err)
			}
			if answer.StatusCode != want && (want == 200 || answer.StatusCode != 400) {
				t.Errorf("%s as %s: status %d, want %d", path, host, answer.StatusCode, want)
			}
		}
	}
}

// TestAdminNamesElsewhere: an address that other machines reach is named by an IP address or as it is configured.
func TestAdminNamesElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen, host string
		want         int
	}{
		{"0.0.0.0:9090", "192.0.2.7:9090", 200}, {":9090", "[2001:db8::7]:9090", 200}, {":9090", "203.0.113.9", 200},
		{":9090", "localhost:9090", 200}, {"node-1:9090", "Node-1:9090", 200}, {"node-1:9090", "node-1", 200},
		{":9090", "rebound.example:9090", 421}, {":9090", "node-1:9090", 421}, {":9090", "", 421}, {":9090", ":9090", 421},
		{"node-1:9090", "node-1.rebound.example", 421}, {"192.0.2.7:9090", "192.0.2.7.rebound.example", 421},
	} {
		h := localNames(c.listen, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		here := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 9090}
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, here), "GET", "/metrics",
			nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%q on %s: status %d, want %d", c.host, c.listen, w.Code, c.want)
		}
	}
}

// TestMetrics calls the service in several ways, and finds each in the metrics.
func TestMetrics(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	c.RateLimit = 7
	r := begin(t, c)
	for _, call := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/api/tiers", 200}, {"GET", "/api/tiers", 200}, {"POST", "/api/guest", 200}, {"GET", "/api/me", 401},
		{"GET", "/api/runs/secret-in-a-path", 404}, {"GET", "/nobody/knows/this/secret-in-a-path", 404},
	} {
		if status, body := ask(t, call.method, r.url+call.path); status != call.status {
			t.Fatalf("%s %s: %d %s, want %d", call.method, call.path, status, body, call.status)
		}
	}
	// Readings from the database are cached for some seconds, so the first one has to wait for the
	// block of the guest's transaction.
	r.awaitBlock(t)
	tiers := 2
	for status := http.StatusOK; status == http.StatusOK; { // the limit recovers over time
		if status, _ = ask(t, "GET", r.url+"/api/tiers"); status == http.StatusOK {
			tiers++
		} else if status != http.StatusTooManyRequests {
			t.Fatalf("asked too often: %d", status)
		}
	}
	for series, want := range map[string]string{
		`roshambo_http_requests_total{class="2xx",operation="getTiers"}`:            fmt.Sprint(tiers),
		`roshambo_http_requests_total{class="2xx",operation="createGuest"}`:         "1",
		`roshambo_http_requests_total{class="4xx",operation="getMe"}`:               "1",
		`roshambo_http_requests_total{class="4xx",operation="page"}`:                "1",
		`roshambo_http_requests_total{class="4xx",operation="none"}`:                "1",
		`roshambo_http_errors_total{code="rate_limited"}`:                           "1",
		`roshambo_http_errors_total{code="unauthenticated"}`:                        "1",
		`roshambo_http_request_duration_seconds_count{operation="getTiers"}`:        fmt.Sprint(tiers),
		`roshambo_http_request_duration_seconds_bucket{operation="none",le="+Inf"}`: "1",
		`roshambo_http_requests_in_flight`:                                          "0",
		`roshambo_event_streams_open`:                                               "0",
		`roshambo_db_up`:                                                            "1",
		`roshambo_draining`:                                                         "0",
		`roshambo_sessions`:                                                         "1",
		`roshambo_chain_sealing_lag_seconds`:                                        "0",
		`roshambo_loop_period_seconds{loop="duels"}`:                                "2",
	} {
		r.await(t, series, want)
	}
	if _, text := ask(t, "GET", r.admin+"/metrics"); strings.Contains(text, "secret-in-a-path") {
		t.Error("what a client wrote has become a label")
	}
	if status, _ := ask(t, "GET", r.url+"/metrics"); status == http.StatusOK {
		t.Error("the public address shows metrics")
	}
}

// awaitBlock waits until the first transaction is in a block.
func (r *running) awaitBlock(t *testing.T) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/api/chain/head?height=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Prefer", "wait=30")
	response, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || strings.Contains(string(text), `"height":0,`) {
		t.Fatalf("no block: %s, %v", text, err)
	}
}

// readiness returns the status and the body of /readyz.
func (r *running) readiness(t *testing.T) (int, health) {
	t.Helper()
	status, body := ask(t, "GET", r.admin+"/readyz")
	var h health
	if err := json.Unmarshal([]byte(body), &h); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return status, h
}

// awaitReadiness waits for a status of /readyz: on a busy machine the database may be slow for a
// moment.
func (r *running) awaitReadiness(t *testing.T, want int, reasons ...string) {
	t.Helper()
	for deadline := time.Now().Add(testTimeout); ; <-time.After(10 * time.Millisecond) {
		status, h := r.readiness(t)
		if status == want && h.OK == (want == http.StatusOK) && slices.EqualFunc(h.Reasons, reasons, strings.HasPrefix) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the node says %d %+v, want %d %q", status, h, want, reasons)
		}
	}
}

// TestReadyUntilItDrains: a node that received a signal to stop reports it while it finishes
// requests.
func TestReadyUntilItDrains(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	c.Drain = time.Minute
	r := begin(t, c)
	r.awaitReadiness(t, http.StatusOK)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // the service may have closed it
	answer := bufio.NewReader(conn)
	if _, err := io.WriteString(conn, "POST /api/guest HTTP/1.1\r\nHost: x\r\nExpect: "+
		"100-continue\r\nContent-Length: 2\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q, %v, want to be asked for the body", line, err)
	}
	r.stop()
	r.awaitReadiness(t, http.StatusServiceUnavailable, "draining: ")
	if status, body := ask(t, "GET", r.admin+"/healthz"); status != http.StatusOK ||
		body != `{"ok":true,"reasons":[]}`+"\n" {
		t.Errorf("draining, a node is alive: %d %s", status, body)
	}
	if _, err := io.WriteString(conn, "{}"); err != nil {
		t.Fatal(err)
	}
	if err := <-r.ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

// TestDrainDelay: connections are accepted until the delay has passed.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	s := &Service{config: Config{DrainDelay: time.Hour, Drain: time.Hour}, log: slog.New(slog.DiscardHandler)}
	var shut atomic.Bool
	server := &http.Server{ReadHeaderTimeout: time.Minute}
	server.RegisterOnShutdown(func() { shut.Store(true) })
	failed, ended := make(chan error), make(chan error, 1)
	go func() { ended <- s.drain(server, nil, failed) }()
	failed <- net.ErrClosed // received during the delay
	if err := <-ended; !errors.Is(err, net.ErrClosed) || !s.draining.Load() || shut.Load() {
		t.Errorf("got %v, draining %v, shut down %v", err, s.draining.Load(), shut.Load())
	}
}

// TestUnreadyWithoutDatabase: a node that cannot read the database is not ready.
func TestUnreadyWithoutDatabase(t *testing.T) {
	t.Parallel()
	s, err := Build(t.Context(), config(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(testTimeout); ; { // on a busy machine the database may be slow for a moment
		reasons := s.unready(t.Context())
		if len(reasons) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("with its database it is not ready: %v", reasons)
		}
	}
	if err := s.DB.Close(); err != nil {
		t.Fatal(err)
	}
	if reasons := s.unready(t.Context()); len(reasons) != 1 || !strings.HasPrefix(reasons[0], "database: ") {
		t.Errorf("without its database it is not ready because of %v", reasons)
	}
}

func TestStalled(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for _, tt := range []struct {
		name    string
		backlog ledger.Backlog
		want    string
	}{
		{"nothing waits", ledger.Backlog{}, ""},
		{"one waits for its second", ledger.Backlog{Pending: 1, Oldest: now.Add(-time.Second)}, ""},
		{"another node takes over", ledger.Backlog{Pending: 9, Oldest: now.Add(-30 * time.Second)}, ""},
		{"sealing has stopped", ledger.Backlog{Pending: 9, Oldest: now.Add(-31 * time.Second)},
			"sealing: 9 transactions are pending, the oldest for 31s"},
	} {
		if got := stalled(tt.backlog, now); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
