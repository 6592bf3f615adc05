package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestNotify checks that a message of an Update is delivered after its commit, and not after a
// rollback.
func TestNotify(t *testing.T) {
	t.Parallel()
	d := storetest.Open(t, store.Config{})
	const channel = "news"
	if d.Exclusive() {
		err := d.Update(t.Context(), func(_ context.Context, tx *store.Tx) error { return tx.Notify(channel, "no listener") })
		if err != nil {
			t.Error(err)
		}
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, heard, done := make(chan struct{}), make(chan string, 16), make(chan error, 1)
	go func() { done <- d.Listen(ctx, channel, func() { close(ready) }, func(m string) { heard <- m }) }()
	<-ready
	refused := errors.New("refused")
	for _, c := range []struct {
		message string
		err     error
	}{{"one", nil}, {"two", refused}, {"three", nil}} {
		err := d.Update(t.Context(), func(_ context.Context, tx *store.Tx) error {
			return errors.Join(tx.Notify(channel, c.message), c.err)
		})
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.message, err, c.err)
		}
	}
	if got := []string{<-heard, <-heard}; !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("received %v, want one and three", got)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
