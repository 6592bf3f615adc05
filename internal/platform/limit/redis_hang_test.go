package limit

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

// hanging returns a node's Redis that accepts connections, reads requests and never answers, and
// the number of accepted connections. Everything else is as in production.
func hanging(t *testing.T, log io.Writer) (r *Redis, accepted *atomic.Int32) {
	t.Helper()
	r, err := NewRedis("redis://127.0.0.1:1", slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	options := *r.client.Options()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	accepted = new(atomic.Int32)
	options.Dialer = func(context.Context, string, string) (net.Conn, error) {
		accepted.Add(1)
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }() // ends when the client closes its side
		return near, nil
	}
	r.client = redis.NewClient(&options)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, accepted
}

// TestRedisHangs checks that, while Redis accepts connections and never answers, every request is
// answered within redisTime and the node counts by itself. After one request has waited, later
// ones do not: only a probe calls Redis.
func TestRedisHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r, accepted := hanging(t, &log)
		l := shared(t, r, "x", 12)
		var requests sync.WaitGroup
		var allowed atomic.Int32
		for range 20 { // more than a pool has connections
			requests.Go(func() {
				began := time.Now()
				if d := take(t, l, "k"); d.OK {
					allowed.Add(1)
				}
				if took := time.Since(began); took > redisTime {
					t.Errorf("a request waited %v for Redis, want %v at most", took, redisTime)
				}
			})
		}
		requests.Wait()
		if n := allowed.Load(); n != 12 {
			t.Errorf("%d of 20 were allowed by this node, want 12", n)
		}
		began, connections := time.Now(), accepted.Load()
		if connections == 0 {
			t.Error("Redis was not asked")
		}
		for range 50 {
			take(t, l, "other")
		}
		if took := time.Since(began); took != 0 || accepted.Load() != connections {
			t.Errorf(
				"while Redis rests requests waited %v and opened %d connections, want none",
				took,
				accepted.Load()-connections,
			)
		}
		if n := strings.Count(log.String(), "Redis is unreachable"); n != 1 {
			t.Errorf("it was logged %d times, want once:\n%s", n, &log)
		}
		// After redisRest only a probe calls Redis; no request waits for it.
		time.Sleep(redisRest + 2*redisTime) //nolint:forbidigo // the clock of synctest
		synctest.Wait()
		began = time.Now()
		if d := take(t, l, "after"); !d.OK {
			t.Errorf("after the rest: %+v, want it allowed", d)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("after the rest a request waited %v, want none", took)
		}
		if accepted.Load() == connections {
			t.Error("after the rest Redis was not probed")
		}
	})
}
