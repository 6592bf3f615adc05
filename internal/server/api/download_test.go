package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/edge"
)

// TestDownloads: a large file counts by its bytes, of which a part has fewer, and an address receives two at once. HEAD
// is free.
func TestDownloads(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan bool, 2), make(chan bool)
	c := newCrowd(t, func(c *edge.Config) {
		var err error
		if c.LogLimit, err = limit.New(300, time.Hour); err != nil {
			t.Fatal(err)
		}
		c.Download = func(path string) bool { return path == "/large" }
		c.Page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.Header.Get("Slow") != "" {
				begun <- true
				<-goOn
			}
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Repeat("x", 100<<10)))
		})
	})
	const other = "203.0.113.9"
	steps := func(list []struct {
		from, method, part string
		want               int
	}) {
		t.Helper()
		for i, tt := range list {
			w := c.ask(t, tt.from, tt.method, "/large", "Range", tt.part)
			if w.Code != tt.want || (w.Header().Get("Retry-After") != "") != (tt.want == 429) {
				t.Errorf("step %d: %s from %s is %d with %v, want %d", i, tt.method, tt.from, w.Code, w.Header(), tt.want)
			}
		}
	}
	type list = []struct {
		from, method, part string
		want               int
	}
	steps(list{{carrier, "GET", "", 200}, {carrier, "HEAD", "", 200}, {carrier, "GET", "", 200},
		{carrier, "GET", "bytes=0-51199", 206}, {carrier, "GET", "", 429}, {carrier, "GET", "bytes=0-1023", 206},
		{carrier, "HEAD", "", 200}})
	received := make(chan *httptest.ResponseRecorder, 2)
	for range 2 {
		go func() { received <- c.ask(t, other, "GET", "/large", "Slow", "1") }()
	}
	for range 2 {
		select {
		case <-begun:
		case w := <-received:
			t.Fatalf("one of two slow downloads: %d", w.Code)
		}
	}
	steps(list{{other, "GET", "bytes=0-9", 429}, {other, "HEAD", "", 200}, {carrier, "GET", "bytes=0-9", 206}})
	close(goOn)
	for range 2 {
		if w := <-received; w.Code != http.StatusOK || w.Body.Len() != 100<<10 {
			t.Errorf("a slow download: %d, %d bytes", w.Code, w.Body.Len())
		}
	}
	steps(list{{other, "GET", "bytes=0-9", 206}})
}
