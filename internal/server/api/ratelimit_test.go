package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/edge"
)

// bare is the interface without a database, for what all answers have in common; ask makes a
// request from an address and returns its answer.
func bare(t *testing.T, n int, proxies ...string) (ask func(from string) *httptest.ResponseRecorder) {
	t.Helper()
	l, err := limit.NewLog(n, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := edge.New(bareConfig(l, proxies...))
	if err != nil {
		t.Fatal(err)
	}
	return func(from string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/limits", nil)
		r.RemoteAddr = "[" + from + "]:1234"
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
}

// bareConfig is the configuration of bare.
func bareConfig(l *limit.Log, proxies ...string) edge.Config {
	c := edge.Config{TrustedProxies: proxies}
	c.RateLimit, c.Now, c.Logger = l, time.Now, slog.New(slog.DiscardHandler)
	return c
}

// quotaOf reads r and t of RateLimit.
func quotaOf(t *testing.T, w *httptest.ResponseRecorder) (r, after int) {
	t.Helper()
	header := w.Header()["RateLimit"] //nolint:staticcheck // as the draft spells it, which is not Go's canonical form
	if _, err := fmt.Sscanf(fmt.Sprint(header), `["ip";r=%d;t=%d]`, &r, &after); err != nil {
		t.Fatalf("%v: %v", w.Header(), err)
	}
	return r, after
}

// TestRateLimitIsTrue sends as many requests as possible for four minutes, and then paces them by
// the headers: at most 240 are answered in any 60 s, r requests are always answered at once, and a
// client that waits for retry_after_ms is answered.
func TestRateLimitIsTrue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := bare(t, 240)
		var answered []time.Time
		send := func() *httptest.ResponseRecorder {
			w := ask("192.0.2.1")
			if w.Code == http.StatusOK {
				answered = append(answered, time.Now())
			}
			return w
		}
		for begin := time.Now(); time.Since(begin) < 4*time.Minute; time.Sleep(70 * time.Millisecond) { //nolint:forbidigo // the clock of synctest
			send()
		}
		for round := range 20 {
			left, _ := quotaOf(t, send())
			for range left { // the whole rest at once
				if w := send(); w.Code != http.StatusOK {
					t.Fatalf("round %d: %d with %d left", round, w.Code, left)
				}
			}
			w := send()
			r, after := quotaOf(t, w)
			wait, err := strconv.Atoi(w.Header().Get("Retry-After"))
			var body struct {
				RetryAfter int64 `json:"retry_after_ms"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			ms := time.Duration(body.RetryAfter) * time.Millisecond
			if w.Code != http.StatusTooManyRequests || r != 0 || err != nil || wait != after ||
				ms > time.Duration(after)*time.Second {
				t.Fatalf("round %d: %d %v %s", round, w.Code, w.Header(), w.Body)
			}
			time.Sleep(ms - time.Millisecond) //nolint:forbidigo // the clock of synctest
			if w := send(); w.Code != http.StatusTooManyRequests {
				t.Fatalf("round %d: answered %d before its time", round, w.Code)
			}
			time.Sleep(time.Millisecond) //nolint:forbidigo // the clock of synctest
			if w := send(); w.Code != http.StatusOK {
				t.Fatalf("round %d: %d after waiting for retry_after_ms", round, w.Code)
			}
		}
		for i := 240; i < len(answered); i++ {
			if took := answered[i].Sub(answered[i-240]); took < time.Minute {
				t.Fatalf("241 requests were answered in %v", took)
			}
		}
	})
}

// TestRateLimitPaced: a client that spreads r requests over t seconds is never refused, and
// makes 240 a minute.
func TestRateLimitPaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := bare(t, 240)
		for range 100 { // a burst before
			ask("192.0.2.1")
		}
		begin, n := time.Now(), 0
		for ; time.Since(begin) < 10*time.Minute; n++ {
			w := ask("192.0.2.1")
			if w.Code != http.StatusOK {
				t.Fatalf("after %v: %d %v", time.Since(begin), w.Code, w.Header())
			}
			r, after := quotaOf(t, w)
			time.Sleep(time.Duration(after) * time.Second / time.Duration(r+1)) //nolint:forbidigo // the clock of synctest
		}
		if n < 2200 {
			t.Errorf("%d requests in ten minutes, want nearly 2400", n)
		}
	})
}

// TestRateLimitByNetwork: addresses of IPv6 count together by /64 at the limit, by /56 at four
// times and by /48 at sixteen times the limit.
func TestRateLimitByNetwork(t *testing.T) {
	t.Parallel()
	const n = 3
	for name, tt := range map[string]struct {
		address func(i int) string
		want    int // answered of many requests
	}{
		"one /64":            {func(i int) string { return fmt.Sprintf("2001:db8:0:1::%x", i+1) }, n},
		"many /64 of a /56":  {func(i int) string { return fmt.Sprintf("2001:db8:0:1%02x::1", i%256) }, 4 * n},
		"many /56 of a /48":  {func(i int) string { return fmt.Sprintf("2001:db8:0:%x00::1", 1+i%255) }, 16 * n},
		"many /64 of a /48":  {func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", 1+i*37%65536) }, 16 * n},
		"many /48":           {func(i int) string { return fmt.Sprintf("2001:db8:%x::1", i) }, 300},
		"one IPv4, as IPv6":  {func(int) string { return "::ffff:192.0.2.1" }, n},
		"many IPv4, as IPv6": {func(i int) string { return fmt.Sprintf("::ffff:10.0.%d.%d", i/256, i%256) }, 300},
		"no address":         {func(i int) string { return fmt.Sprintf("unknown%d", i) }, n},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask, answered := bare(t, n), 0
			for i := range 300 {
				if ask(tt.address(i)).Code == http.StatusOK {
					answered++
				}
			}
			if answered != tt.want {
				t.Errorf("%d of 300 requests were answered, want %d", answered, tt.want)
			}
		})
	}
}

func BenchmarkCountRequest(b *testing.B) {
	l, err := limit.NewLog(1<<20, time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	for name, l := range map[string]*limit.Log{"limited": l, "unlimited": nil} {
		handler, err := edge.New(bareConfig(l))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/api/limits", nil)
				r.RemoteAddr = "192.0.2.1:1234"
				for pb.Next() {
					handler.ServeHTTP(httptest.NewRecorder(), r)
				}
			})
		})
	}
}
