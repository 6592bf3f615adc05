package app

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAttention follows the work through a first use, its end ten minutes after the last one, a
// use on another node, and a failure.
func TestAttention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var published, runs atomic.Int64
		var working atomic.Bool
		broken, fail := errors.New("broken"), make(chan struct{})
		a := newAttention(time.Now, func() { published.Add(1) })
		ended := make(chan error, 1)
		go func() {
			ended <- a.during(t.Context(), func(ctx context.Context) error {
				working.Store(true)
				runs.Add(1)
				defer working.Store(false)
				select {
				case <-ctx.Done():
					return nil
				case <-fail:
					return broken
				}
			})
		}()
		check := func(what string, wantWorking bool, wantRuns, wantPublished int64) {
			t.Helper()
			synctest.Wait()
			if working.Load() != wantWorking || runs.Load() != wantRuns || published.Load() != wantPublished {
				t.Errorf("%s: working %v in run %d after %d messages, want %v, %d, %d", what, working.Load(), runs.Load(),
					published.Load(), wantWorking, wantRuns, wantPublished)
			}
		}
		check("before the first request", false, 0, 0)
		a.look()
		check("after it", true, 1, 1)
		a.look()
		check("after one at once", true, 1, 1)
		time.Sleep(9 * time.Minute) //nolint:forbidigo // the clock of synctest
		a.look()
		time.Sleep(attentionSpan - time.Millisecond) //nolint:forbidigo // the clock of synctest
		check("before the end", true, 1, 2)
		time.Sleep(time.Millisecond) //nolint:forbidigo // the clock of synctest
		check("at the end", false, 1, 2)
		a.mark()
		check("after a use of another node", true, 2, 2)
		close(fail)
		if err := <-ended; !errors.Is(err, broken) {
			t.Errorf("ended with %v, want %v", err, broken)
		}
	})
}
