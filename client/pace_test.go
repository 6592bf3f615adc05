package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/internal/platform/limit"
)

// TestPace sends requests as fast as the client allows, from one goroutine and from several: the
// service rejects none, and nearly the whole limit is used.
func TestPace(t *testing.T) {
	t.Parallel()
	for _, goroutines := range []int{1, 5} {
		synctest.Test(t, func(t *testing.T) {
			l, err := limit.NewLog(240, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			var answered, refused atomic.Int64
			c := newClient(t, client.Options{URL: "http://host",
				Transport: connection(func(r *http.Request) (*http.Response, error) {
					<-time.After(3 * time.Millisecond)
					d := l.Take(r.Context(), netip.MustParseAddr("192.0.2.1"))
					answer, err := respond("application/json", io.NopCloser(strings.NewReader(run)))
					answer.Header.Set("RateLimit-Policy", `"ip";q=240;w=60`)
					answer.Header.Set("RateLimit", fmt.Sprintf(`"ip";r=%d;t=%.0f`, d.Remaining,
						(d.Reset+time.Second-1).Truncate(time.Second).Seconds()))
					answered.Add(1)
					if !d.OK {
						refused.Add(1)
						answer.StatusCode = http.StatusTooManyRequests
					}
					return answer, err
				})})
			begin := time.Now()
			var wait sync.WaitGroup
			for range goroutines {
				wait.Go(func() {
					for time.Since(begin) < 10*time.Minute {
						if _, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			wait.Wait()
			if refused.Load() > 0 || answered.Load() < 2000 {
				t.Errorf("%d goroutines: %d requests in ten minutes, %d of them rejected; want nearly 2400 and none rejected",
					goroutines, answered.Load(), refused.Load())
			}
		})
	}
}
