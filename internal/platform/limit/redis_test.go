package limit

import (
	"bytes"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server is a real Redis. Where it is not installed the tests fail: tools/install-deps
// installs it.
type server struct {
	socket string
	cmd    *exec.Cmd
}

func startRedis(t *testing.T, socket string) *server {
	t.Helper()
	cmd := exec.Command(
		"redis-server",
		"--port",
		"0",
		"--unixsocket",
		socket,
		"--save",
		"",
		"--dir",
		filepath.Dir(socket),
	)
	if err := cmd.Start(); err != nil {
		t.Fatalf("redis-server: %v; tools/install-deps installs it", err)
	}
	s := &server{socket, cmd}
	t.Cleanup(s.stop)
	return s
}

// stop ends the process, once or again.
func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // killed, or ended before
}

// startTimeout bounds how long tests wait for Redis, which may be slow on a busy machine.
const startTimeout = 2 * time.Minute

// node is a node's view of a Redis, with its log.
func node(t *testing.T, s *server) (*Redis, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	r, err := newRedis("unix://"+s.socket, slog.New(slog.NewTextHandler(&log, nil)), startTimeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, &log
}

// up waits until Redis answers a node.
func (r *Redis) up(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(startTimeout)
	for r.client.Ping(t.Context()).Err() != nil || r.away.Load() {
		if time.Now().After(deadline) {
			t.Fatal("Redis does not come up")
		}
		<-time.After(5 * time.Millisecond)
	}
}

func shared(t *testing.T, r *Redis, name string, n int) *Limiter {
	t.Helper()
	l, err := r.New(name, n, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestRedis checks that two nodes share a limit of one name, and nothing of another.
func TestRedis(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	one, _ := node(t, s)
	two, _ := node(t, s)
	one.up(t)
	a, b := shared(t, one, "x", 4), shared(t, two, "x", 4)
	for i, l := range []*Limiter{a, b, b, a} {
		if d := take(t, l, "k"); !d.OK || d.Remaining != 3-i {
			t.Fatalf("take %d: got %+v, want it allowed with %d remaining", i, d, 3-i)
		}
	}
	for _, l := range []*Limiter{a, b} {
		if d := take(t, l, "k"); d.OK || d.Wait <= 0 || d.Wait > 15*time.Minute || d.Reset <= 0 {
			t.Errorf("the fifth: got %+v, want a wait of up to 15 min", d)
		}
	}
	if d := take(t, shared(t, two, "y", 4), "k"); !d.OK || d.Remaining != 3 {
		t.Errorf("another limit: got %+v, want it whole", d)
	}
	if err := b.Refund(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	if d := take(t, a, "k"); !d.OK {
		t.Errorf("after a refund by the other node: got %+v, want it allowed", d)
	}
}

// TestRedisManyAtOnce checks that nodes which count one key concurrently lose no count.
func TestRedisManyAtOnce(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	one, _ := node(t, s)
	two, _ := node(t, s)
	one.up(t)
	limiters := []*Limiter{shared(t, one, "x", 20), shared(t, two, "x", 20)}
	var mu sync.Mutex
	var wait sync.WaitGroup
	allowed := 0
	for i := range 40 {
		wait.Go(func() {
			d, err := limiters[i%2].Take(t.Context(), "k")
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if d.OK {
				allowed++
			}
		})
	}
	wait.Wait()
	if allowed != 20 {
		t.Errorf("%d of 40 at once were allowed, want 20", allowed)
	}
}

// TestRedisAway checks that a node counts by itself while Redis is unavailable, logs that once,
// and shares again afterwards.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	r, log := node(t, s)
	r.up(t)
	var rested func()
	r.rest = func(back func()) { rested = back }
	l := shared(t, r, "x", 2)
	take(t, l, "k")
	take(t, l, "k")
	s.stop()
	for i, want := range []bool{true, true, false, false} {
		if d := take(t, l, "k"); d.OK != want {
			t.Errorf("take %d while Redis is unreachable: got %+v, want OK to be %v", i, d, want)
		}
	}
	if strings.Contains(log.String(), "ParseInt") {
		t.Errorf("the log does not say why Redis is unreachable: %s", log.String())
	}
	if n := strings.Count(log.String(), "Redis is unreachable"); n != 1 || strings.Contains(log.String(), "k=") {
		t.Errorf("it was said %d times, want once:\n%s", n, log)
	}
	startRedis(t, s.socket)
	if rested == nil {
		t.Fatal("Redis was not taken for unavailable")
	}
	r.probed(t, &rested)
	other, _ := node(t, s)
	take(t, l, "k")
	if d := take(t, shared(t, other, "x", 2), "k"); !d.OK || d.Remaining != 0 {
		t.Errorf("when Redis is back: got %+v, want the second of two", d)
	}
}

// TestRedisStopped checks that a Redis which accepts requests and never answers counts as
// unavailable. A node waits for it once, within the bound, counts by itself, and shares again when
// Redis answers.
func TestRedisStopped(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	var log bytes.Buffer
	// The client itself would wait for an hour: only the node's own bound ends that.
	r, err := newRedis("unix://"+s.socket, slog.New(slog.NewTextHandler(&log, nil)), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() }) // its connection may be broken
	r.up(t)
	var rested func()
	r.rest = func(back func()) { rested = back }
	l := shared(t, r, "x", 2)
	take(t, l, "k")
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r.within = 10 * time.Millisecond
	for i, want := range []bool{true, true, false} {
		if d := take(t, l, "k"); d.OK != want {
			t.Errorf("take %d while Redis hangs: got %+v, want OK to be %v", i, d, want)
		}
	}
	if n := strings.Count(log.String(), "Redis is unreachable"); n != 1 {
		t.Errorf("it was said %d times, want once:\n%s", n, &log)
	}
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if rested == nil {
		t.Fatal("Redis was not taken for unavailable")
	}
	r.within = time.Hour
	rested()
	r.up(t)
	// Requests that hung may have been counted when Redis continued, later ones not.
	other, _ := node(t, s)
	if d := take(t, shared(t, other, "x", 2), "k"); d.Remaining > 0 {
		t.Errorf("when Redis is back: got %+v, want what was counted before", d)
	}
	if d := take(t, l, "k"); d.OK {
		t.Errorf("after both: got %+v, want it refused", d)
	}
}

func TestNewRedisRefuses(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "localhost:6379", "http://localhost", "redis://user:secret@host:port", "redis://user:secret@host/zz",
	} {
		if _, err := NewRedis(url, slog.Default()); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want an error that does not show the password", url, err)
		}
	}
}
