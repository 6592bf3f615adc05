package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// probe asks an address for a path, under any Host header, and returns the status and the body.
func probe(t *testing.T, address, host, path string) (status int, body string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // read only
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\n%s\r\n", path, host); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestProbes: an address of their own serves probes, whatever host they name, and nothing else of the operators'.
// Its answers name the fault without the text of an error.
func TestProbes(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	c.ProbeListen = "127.0.0.1:0"
	probes := make(chan string, 1)
	c.ReadyProbe = func(address string) { probes <- address }
	r := begin(t, c)
	address := <-probes
	r.awaitReadiness(t, http.StatusOK)
	for _, host := range []string{"Host: game.example.org\r\n", "Host: \r\n", "Host: 192.0.2.1:80\r\n"} {
		for _, path := range []string{"/livez", "/readyz"} {
			status, body := probe(t, address, host, path)
			if status != http.StatusOK || body != `{"ok":true,"reasons":[]}`+"\n" {
				t.Errorf("%s as %q: %d %s", path, host, status, body)
			}
		}
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/operator/log", "/healthz", "/"} {
		if status, _ := probe(t, address, "Host: x\r\n", path); status != http.StatusNotFound {
			t.Errorf("%s has the status %d", path, status)
		}
	}
	s, err := Build(t.Context(), config(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	s.draining.Store(true)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"draining", "database"}
	if got := short(s.unready(t.Context())); !slices.Equal(got, want) {
		t.Errorf("a probe of a node without a database reads %q, want %q", got, want)
	}
}

// TestProbesReadSeldom: within a second all probes get what one of them has read of the database.
func TestProbesReadSeldom(t *testing.T) {
	t.Parallel()
	s, err := Build(t.Context(), config(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	now := s.config.Now()
	s.config.Now = func() time.Time { return now }
	probes := s.probes()
	ready := func() int {
		w := httptest.NewRecorder()
		probes.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil))
		return w.Code
	}
	if got := ready(); got != http.StatusOK {
		t.Errorf("a probe gets %d", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now = now.Add(probeAge - time.Nanosecond)
	if got := ready(); got != http.StatusOK {
		t.Errorf("within a second the database was read again: %d", got)
	}
	s.draining.Store(true)
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("a node that drains is ready for a second more: %d", got)
	}
	s.draining.Store(false)
	now = now.Add(time.Nanosecond)
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("after a second the database was not read again: %d", got)
	}
}

// TestStopIsBounded: a stop that takes too long ends with an error, and without a wait for what it waits for.
func TestStopIsBounded(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	defer close(never)
	if err := endWithin(time.Nanosecond, func() error { <-never; return nil }); !errors.Is(err, errStuck) {
		t.Errorf("the stop ended with %v", err)
	}
	if err := endWithin(time.Hour, func() error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("the stop ended with %v", err)
	}
}
