package app

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"roshambo/internal/store"
)

// safeBuffer is a log for concurrent reading and writing.
type safeBuffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// call sends a request without a body, and returns the status and the body.
func call(t *testing.T, method, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// TestServesThroughFullDisk: a service with a full disk refuses writes with a definite error, is
// not ready at once, logs one line, and recovers by itself.
func TestServesThroughFullDisk(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	log := new(safeBuffer)
	c := config(t.TempDir())
	c.Log = log
	c.Overrides.Faults = &store.Faults{Commit: func() store.Fault {
		if full.Load() {
			return store.Full
		}
		return store.NoFault
	}}
	r := begin(t, c)
	r.awaitReadiness(t, http.StatusOK)
	full.Store(true)
	for range 50 {
		if status, body := call(t, "POST", r.url+"/api/guest"); status != http.StatusServiceUnavailable ||
			!strings.Contains(body, `"storage_full"`) {
			t.Fatalf("without room a guest was answered %d %s", status, body)
		}
	}
	if status, body := call(t, "GET", r.admin+"/readyz"); status != 503 || !strings.Contains(body, "disk is full") {
		t.Errorf("without room: %d %s", status, body)
	}
	text := log.String()
	slow := strings.Count(text, "a slow update blocks the queue") // on a busy machine
	if n := strings.Count(text, "level=ERROR") + strings.Count(text, "level=WARN") - slow; n != 1 {
		t.Errorf("%d log lines report the fault, want 1:\n%s", n, text)
	}
	full.Store(false)
	r.awaitReadiness(t, http.StatusOK)
	if status, body := call(t, "POST", r.url+"/api/guest"); status != 200 {
		t.Errorf("with room again: %d %s", status, body)
	}
	r.stop()
	if err := <-r.ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
}
