package app

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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
	c.AdminListen, c.Log = "127.0.0.1:0", log
	c.Overrides.Faults = &store.Faults{Commit: func() store.Fault {
		if full.Load() {
			return store.Full
		}
		return store.NoFault
	}}
	ready, admin, ended := make(chan string, 1), make(chan string, 1), make(chan error, 1)
	c.Ready, c.ReadyAdmin = func(address string) { ready <- address }, func(address string) { admin <- address }
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- Serve(ctx, c) }()
	operators, url := "http://"+<-admin, "http://"+<-ready
	if status, body := call(t, "GET", operators+"/readyz"); status != 200 {
		t.Fatalf("before: %d %s", status, body)
	}
	full.Store(true)
	for range 50 {
		if status, body := call(t, "POST", url+"/api/guest"); status != http.StatusServiceUnavailable ||
			!strings.Contains(body, `"storage_full"`) {
			t.Fatalf("without room a guest was answered %d %s", status, body)
		}
	}
	if status, body := call(t, "GET", operators+"/readyz"); status != 503 || !strings.Contains(body, "disk is full") {
		t.Errorf("without room: %d %s", status, body)
	}
	if n := strings.Count(log.String(), "level=ERROR") + strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d log lines report the fault, want 1:\n%s", n, log)
	}
	full.Store(false)
	for {
		if status, _ := call(t, "GET", operators+"/readyz"); status == 200 {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	if status, body := call(t, "POST", url+"/api/guest"); status != 200 {
		t.Errorf("with room again: %d %s", status, body)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
}
