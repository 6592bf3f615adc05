package event

import (
	"context"
	"log/slog"
	"testing"
	"time"
)

// TestStartReadsAll checks that a node that starts reads the whole log, also when it is longer than
// one read, before it runs.
func TestStartReadsAll(t *testing.T) {
	t.Parallel()
	for _, n := range []int{loadSize - 1, loadSize, loadSize + 1} {
		b := open(t)
		b.fill(t, n, "topic")
		if last := b.tail(t, false).Last(); last.Seq != int64(n) {
			t.Errorf("of %d events the last one read is %d", n, last.Seq)
		}
	}
}

// TestStartNumbers checks that events that were posted while no node ran are numbered at the start
// of one, without a tick or another event.
func TestStartNumbers(t *testing.T) {
	t.Parallel()
	b := open(t)
	if err := b.post(t.Context(), nil, Event{"topic", "test", 1}); err != nil {
		t.Fatal(err)
	}
	tail, err := NewTail(t.Context(), b.Log, time.Hour, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); tail.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	until(t, "the event is numbered", func() bool { return tail.Last().Seq == 1 })
}

// TestReadingWakesBothHubs checks that a node that reads events that another one has numbered wakes
// the readers of its log and those of its hub.
func TestReadingWakesBothHubs(t *testing.T) {
	t.Parallel()
	b := open(t)
	other := &Log{DB: b.DB, Hub: &Hub{}, Now: b.Now}
	tail, err := NewTail(t.Context(), other, time.Hour, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	readers := map[string]*Watch{"log": tail.Watch("topic"), "hub": other.Hub.Watch("topic")}
	b.fill(t, 1, "topic")
	if err := tail.round(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	for name, w := range readers {
		select {
		case <-w.C():
		default:
			t.Errorf("the readers of the %s were not woken", name)
		}
		w.Close()
	}
}
