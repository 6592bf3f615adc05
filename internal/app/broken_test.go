package app

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"roshambo/internal/store"
)

// TestEndsWhenNothingCanBeStored: a service whose disk fails to sync exits with an error, so that
// its supervisor starts it again. It acknowledges no change after the fault.
func TestEndsWhenNothingCanBeStored(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	c := config(t.TempDir())
	c.Overrides.Faults = &store.Faults{Commit: func() store.Fault {
		if broken.Load() {
			return store.Unsynced
		}
		return store.NoFault
	}}
	ready, ended := make(chan string, 1), make(chan error, 1)
	c.Ready = func(address string) { ready <- address }
	go func() { ended <- Serve(t.Context(), c) }()
	url := "http://" + <-ready
	broken.Store(true)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/guest", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if response, err := http.DefaultClient.Do(r); err == nil { // an error means that it has ended before
		_ = response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("the guest was answered %s", response.Status)
		}
	}
	if err := <-ended; !errors.Is(err, errBroken) {
		t.Errorf("the service ended with %v", err)
	}
}
