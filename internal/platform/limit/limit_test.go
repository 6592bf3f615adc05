package limit

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func take(t *testing.T, l *Limiter, key string) Decision {
	t.Helper()
	d, err := l.Take(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, err := New(4, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if d := take(t, l, "a"); !d.OK || d.Remaining != 3-i || d.Wait != 0 {
				t.Fatalf("take %d: got %+v, want it allowed with %d remaining", i, d, 3-i)
			}
		}
		d := take(t, l, "a")
		if d.OK || d.Wait <= 0 || d.Wait > 15*time.Second {
			t.Fatalf("the fifth: got %+v, want a wait of up to 15 s", d)
		}
		if d := take(t, l, "b"); !d.OK {
			t.Fatalf("another key: got %+v, want it allowed", d)
		}
		time.Sleep(d.Wait) //nolint:forbidigo // the clock of synctest
		if d := take(t, l, "a"); !d.OK {
			t.Fatalf("after the wait: got %+v, want it allowed", d)
		}
		if d := take(t, l, "a"); d.OK {
			t.Fatalf("and the next: got %+v, want it refused", d)
		}
	})
}

func TestRefund(t *testing.T) {
	t.Parallel()
	l, err := New(1, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if d := take(t, l, "a"); !d.OK {
			t.Fatalf("take %d: got %+v, want it allowed, as each was refunded", i, d)
		}
		if err := l.Refund(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	// Refunds do not pile up.
	if d := take(t, l, "a"); !d.OK {
		t.Fatal("refused")
	}
	if d := take(t, l, "a"); d.OK {
		t.Fatalf("got %+v, want the second refused", d)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	l, err := New(100, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var allowed atomic.Int64
	var wait sync.WaitGroup
	for range 300 {
		wait.Go(func() {
			d, err := l.Take(t.Context(), "a")
			if err != nil {
				t.Error(err)
			}
			if d.OK {
				allowed.Add(1)
			}
		})
	}
	wait.Wait()
	if n := allowed.Load(); n != 100 {
		t.Errorf("%d of 300 at once were allowed, want 100", n)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		max    int
		window time.Duration
	}{{0, time.Minute}, {-1, time.Minute}, {1, 0}} {
		if _, err := New(tt.max, tt.window); err == nil {
			t.Errorf("New(%d, %v): no error", tt.max, tt.window)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	l, err := New(1<<30, time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprint("key ", i)
	}
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, err := l.Take(b.Context(), keys[i%len(keys)]); err != nil {
				b.Error(err)
			}
		}
	})
}
