package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestAttention follows the work through a first use, its end ten minutes after the last one, a
// use on another node, and a failure.
func TestAttention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		published, working, runs := 0, false, 0
		broken, fail := errors.New("broken"), make(chan struct{})
		a := newAttention(time.Now, func() { published++ })
		ended := make(chan error, 1)
		go func() {
			ended <- a.during(t.Context(), func(ctx context.Context) error {
				working, runs = true, runs+1
				defer func() { working = false }()
				select {
				case <-ctx.Done():
					return nil
				case <-fail:
					return broken
				}
			})
		}()
		check := func(what string, wantWorking bool, wantRuns, wantPublished int) {
			t.Helper()
			synctest.Wait()
			if working != wantWorking || runs != wantRuns || published != wantPublished {
				t.Errorf("%s: working %v in run %d after %d messages, want %v, %d, %d", what, working, runs, published,
					wantWorking, wantRuns, wantPublished)
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
