package client_test

import (
	"fmt"
	"io"
	"math/rand/v2"
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

// TestPace sends requests as fast as the client allows, from one goroutine over a network with jitter and from
// several: the service rejects none, and nearly the whole limit is used.
func TestPace(t *testing.T) {
	t.Parallel()
	for _, goroutines := range []int{1, 5} {
		synctest.Test(t, func(t *testing.T) {
			l, err := limit.NewLog(240, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			network := rand.New(rand.NewPCG(1, 1)) // the same in each run
			travel := func() {
				d := 1500 * time.Microsecond
				if goroutines == 1 {
					d += time.Duration(network.Int64N(int64(80 * time.Millisecond)))
				}
				<-time.After(d)
			}
			var answered, refused atomic.Int64
			c := newClient(t, client.Options{URL: "http://host",
				Transport: connection(func(r *http.Request) (*http.Response, error) {
					travel()
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
					travel()
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
			if refused.Load() > 0 || answered.Load() < 2300 || answered.Load() > 2400 {
				t.Errorf("%d goroutines: %d requests in ten minutes, %d of them rejected; want nearly 2400 and none rejected",
					goroutines, answered.Load(), refused.Load())
			}
		})
	}
}

// TestSteadyPace checks the delay between a response and the next request while less than a quarter of the limit is
// left: 235 requests in the time of 240, neither more nor much fewer.
func TestSteadyPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		var delays []time.Duration
		c := newClient(t, client.Options{URL: "http://host",
			Transport: connection(func(*http.Request) (*http.Response, error) {
				if !ended.IsZero() {
					delays = append(delays, time.Since(ended))
				}
				answer, err := respond("application/json", io.NopCloser(strings.NewReader(run)))
				answer.Header.Set("RateLimit-Policy", `"ip";q=240;w=60`)
				answer.Header.Set("RateLimit", `"ip";r=39;t=10`) // one each 250 ms
				ended = time.Now()
				return answer, err
			})})
		for range 10 {
			if _, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		for i, d := range delays {
			if want := 60 * time.Second / 235; d < want-time.Millisecond || d > want+time.Millisecond {
				t.Errorf("request %d came after %v, want %v", i+1, d, want)
			}
		}
	})
}

// TestPaceOfSteps checks the delay between two steps of a duel: while less than half of the limit is left, the rest is
// spread over a whole window, and no step waits for more than three seconds.
func TestPaceOfSteps(t *testing.T) {
	t.Parallel()
	const next = `{"duel":{"id":"ABCD2345","status":"active","you":"a","b":{"address":"other"},"rounds":[` +
		`{"round":2,"outcome":"pending","committed":{"a":false,"b":false}}]}}`
	const usual, other = `"ip";q=240;w=60`, `"ip";q=100;w=30`
	for _, tt := range []struct {
		policy    string
		remaining int
		want      time.Duration
	}{
		{usual, 120, 0}, {usual, 119, 500 * time.Millisecond}, {usual, 29, 2 * time.Second}, {usual, 19, 3 * time.Second},
		{usual, 0, 3 * time.Second}, {other, 50, 0}, {other, 49, 600 * time.Millisecond},
	} {
		reply := func(body string) (*http.Response, error) {
			answer, err := left(http.StatusOK, tt.remaining, 1, body)
			answer.Header.Set("RateLimit-Policy", tt.policy)
			return answer, err
		}
		synctest.Test(t, func(t *testing.T) {
			var steps []time.Time
			b, d := playsAlone(t, func(*http.Request) (*http.Response, error) {
				if steps = append(steps, time.Now()); len(steps) == 1 {
					return reply(next)
				}
				return reply(strings.Replace(next, "active", "finished", 1))
			})
			if _, err := b.Play(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if got := steps[1].Sub(steps[0]); got != tt.want {
				t.Errorf("%+v: a step comes after %v", tt, got)
			}
		})
	}
}
