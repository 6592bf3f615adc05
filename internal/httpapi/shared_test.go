package httpapi

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSharedReads has a hundred readers come while a read is under way: they wait for
// the next one, which is one for all, and see what has changed since they came.
func TestSharedReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s shared[int64]
		var value, reads atomic.Int64
		failed := errors.New("failed on purpose")
		read := func() (int64, error) {
			seen := value.Load()
			reads.Add(1)
			time.Sleep(time.Second) //nolint:forbidigo // in synctest's time
			if seen == 3 {
				return 0, failed
			}
			return seen, nil
		}
		var wait sync.WaitGroup
		for want := range int64(4) {
			value.Store(want)
			for range 100 {
				wait.Go(func() {
					got, err := s.get("a", read)
					if want == 3 && !errors.Is(err, failed) || want < 3 && (err == nil && got < want) {
						t.Errorf("asked when it was %d, got %d, %v", want, got, err)
					}
				})
			}
			synctest.Wait()
		}
		// Another key does not wait for this one.
		if got, err := s.get("b", func() (int64, error) { return 7, nil }); got != 7 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
		wait.Wait()
		if n := reads.Load(); n != 2 {
			t.Errorf("%d reads, want 2: the one that was under way, and one for all others", n)
		}
		if len(s.keys) != 0 {
			t.Errorf("%d keys left behind", len(s.keys))
		}
	})
}
