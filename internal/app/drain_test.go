package app

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"testing"
)

// TestDrainEndsTheWaiting stops the service with open streams and long polls: the drain ends them.
// Otherwise the service would end with an error after the drain timeout.
func TestDrainEndsTheWaiting(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	ready := make(chan string, 1)
	c.Ready = func(address string) { ready <- address }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, c) }()
	url := "http://" + <-ready

	const each = 5
	stands, streams, holds := make(chan struct{}, each), make(chan error, each), make(chan error, each)
	for range each {
		go func() { streams <- readAll(t.Context(), url+"/api/events?topics=feed", stands) }()
		go func() { holds <- readAll(t.Context(), url+"/api/chain/head?height=0", nil) }()
	}
	for range each {
		<-stands
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
	for range each {
		if err := <-streams; err != nil {
			t.Errorf("a stream that stood was broken off: %v", err)
		}
		if err := <-holds; err != nil {
			t.Logf("a request that came too late: %v", err)
		}
	}
}

// readAll reads an answer to its end, with a long poll if possible, and reports when a stream has
// started.
func readAll(ctx context.Context, url string, stands chan<- struct{}) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Prefer", "wait=30")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if lines.Text() == "event: ready" {
			stands <- struct{}{}
		}
	}
	return lines.Err()
}
