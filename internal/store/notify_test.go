package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestNotify checks that messages are delivered in their order where other processes can listen, and
// discarded elsewhere, and that a listener ends with its context.
func TestNotify(t *testing.T) {
	t.Parallel()
	d := storetest.Open(t, store.Config{})
	const channel = "news"
	ctx, cancel := context.WithCancel(t.Context())
	ready, heard, done := make(chan struct{}), make(chan string, 16), make(chan error, 1)
	go func() { done <- d.Listen(ctx, channel, func() { close(ready) }, func(m string) { heard <- m }) }()
	<-ready
	n, err := d.Notifier(ctx, channel)
	if err == nil {
		err = errors.Join(n.Send(ctx, []string{"one", "two"}), n.Send(ctx, []string{"three"}), n.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if !d.Exclusive() {
		if got := []string{<-heard, <-heard, <-heard}; !slices.Equal(got, []string{"one", "two", "three"}) {
			t.Errorf("received %v, want one, two and three", got)
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || len(heard) > 0 {
		t.Errorf("ended with %v, %d messages more", err, len(heard))
	}
}
