package event

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestNextPause checks the pauses between attempts to connect.
func TestNextPause(t *testing.T) {
	t.Parallel()
	var got []time.Duration
	for pause := firstRetry; len(got) < 8; pause = nextPause(pause) {
		got = append(got, pause/time.Millisecond)
	}
	if want := []time.Duration{50, 100, 200, 400, 800, 1600, 2000, 2000}; !slices.Equal(got, want) {
		t.Errorf("pauses of %v ms, want %v", got, want)
	}
}

// TestNewBatch checks that the numbers of batches are positive and differ.
func TestNewBatch(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	for range 100 {
		n := newBatch()
		if n < 1<<62 || seen[n] {
			t.Fatalf("batch %d, seen %v", n, seen[n])
		}
		seen[n] = true
	}
}

// TestSendOn checks that each batch is reported as sent, once: the next attempt to connect then
// pauses for the first time again.
func TestSendOn(t *testing.T) {
	t.Parallel()
	place := storetest.At(storetest.NewSQLite(t), store.Config{})
	d := storetest.OpenSQLite(t, place)
	synctest.Test(t, func(t *testing.T) {
		r := NewRelay(RelayConfig{DB: d, Hub: &Hub{}})
		ctx, stop := context.WithCancel(t.Context())
		sent, ended := 0, make(chan error, 1)
		go func() { ended <- r.sendOn(ctx, func() { sent++ }) }()
		for want := range 3 {
			synctest.Wait()
			if sent != want || len(r.takeBatch()) != 0 {
				t.Errorf("%d batches are sent, want %d and an empty queue", sent, want)
			}
			r.Publish("a")
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	})
}

// TestPlain checks the first and the last characters that names may have, and their neighbours.
func TestPlain(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "0": true, "9": true, "a:b": true, "": false,
		"`": false, "{": false, "@": false, "[": false, "/": false, ";": false, "a b": false, "a|b": false, "é": false,
	} {
		if plain(name, ":") != want {
			t.Errorf("%q is plain: %v, want %v", name, !want, want)
		}
	}
}
