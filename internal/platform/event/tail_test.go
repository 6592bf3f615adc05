package event

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
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

// TestCatchesUp checks that a node reads all events that others have stored since, also when they are more than one
// read has.
func TestCatchesUp(t *testing.T) {
	t.Parallel()
	for _, n := range []int{loadSize - 1, loadSize, loadSize + 1} {
		b := open(t)
		tail := b.tail(t, false)
		b.fill(t, n, "topic")
		if err := tail.round(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if last := tail.Last(); last.Seq != int64(n) {
			t.Errorf("of %d events the last one read is %d", n, last.Seq)
		}
	}
}

// TestStartNumbers checks that events that were posted while no node ran are numbered at the start
// of one, without a tick or another event.
func TestStartNumbers(t *testing.T) {
	t.Parallel()
	b := open(t)
	if err := b.post(t.Context(), nil, Event{"topic", FeedItem, 1}); err != nil {
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
// the readers of its log and the readers of its hub.
func TestReadingWakesBothHubs(t *testing.T) {
	t.Parallel()
	b := open(t)
	other := &Log{DB: b.DB, Hub: &Hub{}}
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

// TestPollNumbers checks that a node numbers its own events at once, reads those that another one has
// numbered without numbering any, and numbers the events of a node that has died at the next poll.
func TestPollNumbers(t *testing.T) {
	t.Parallel()
	place := storetest.At(storetest.NewSQLite(t), store.Config{})
	synctest.Test(t, func(t *testing.T) {
		d := storetest.OpenSQLite(t, place)
		b := &book{Log: &Log{DB: d, Hub: &Hub{}}}
		dead := &book{Log: &Log{DB: d, Hub: &Hub{}}}
		tail, err := NewTail(t.Context(), b.Log, time.Second, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); tail.Run(ctx) }()
		step := func(what string, from *book, wake string, after time.Duration, want int64) {
			t.Helper()
			if from != nil {
				if err := from.post(t.Context(), nil, Event{"a", FeedItem, 1}); err != nil {
					t.Fatal(err)
				}
			}
			if wake != "" {
				b.Hub.WakeLocal(wake)
			}
			if pass(after); tail.Last().Seq != want {
				t.Errorf("%s: read up to %d, want %d", what, tail.Last().Seq, want)
			}
		}
		pass(100 * time.Millisecond)
		step("its own", b, "", minPause, 1)
		step("another node has numbered", dead, numbered, minPause, 1)
		step("before the poll", nil, "", 600*time.Millisecond, 1)
		step("after the poll", nil, "", 300*time.Millisecond, 2)
		step("woken after the poll", dead, numbered, minPause, 2)
		step("at the next one", nil, "", time.Second, 3)
		stop()
		<-done
		if n := b.Hub.Watchers(inbox) + b.Hub.Watchers(numbered); n != 0 {
			t.Errorf("%d watches are left", n)
		}
	})
}
