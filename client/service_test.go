package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/internal/app"
)

// service is the whole service, as it is shipped, in this process.
type service struct {
	t      *testing.T
	config app.Config
	url    string
	jumped atomic.Int64 // how far its clock is ahead, in nanoseconds
	stop   func()
}

// startService starts one in a folder of its own.
func startService(t *testing.T) *service {
	t.Helper()
	return startAt(t, 1)
}

// startSlow starts one whose clock goes slowly, so that nobody misses a deadline because
// the machine is busy.
func startSlow(t *testing.T) *service {
	t.Helper()
	return startAt(t, 20)
}

func startAt(t *testing.T, slow time.Duration) *service {
	t.Helper()
	s, began := &service{t: t}, time.Now()
	s.config = app.Config{
		Listen: ownAddress(), Data: filepath.Join(t.TempDir(), "data"), LogFormat: "text", Drain: app.DefaultDrain, Log: io.Discard,
		Now: func() time.Time { return began.Add(time.Since(began)/slow + time.Duration(s.jumped.Load())) },
	}
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

// ownAddress is an address that is nobody else's, with a free port: one that restarts, and
// comes back to its port, finds it free though others have looked for one meanwhile. Elsewhere
// than on Linux the machine has a single address of its own.
func ownAddress() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1:0"
	}
	return fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
}

// start starts it, at the address it had before if it had one.
func (s *service) start() {
	s.t.Helper()
	ready := make(chan string, 1)
	s.config.Ready = func(address string) { ready <- address }
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ctx, s.config) }()
	select {
	case s.config.Listen = <-ready:
	case err := <-ended:
		cancel()
		s.t.Fatalf("the service ended before it was ready: %v", err)
	}
	s.url = "http://" + s.config.Listen
	s.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("the service ended with %v", err)
		}
	}
}

// jump sets its clock forward.
func (s *service) jump(d time.Duration) { s.jumped.Add(int64(d)) }

// hurries turns the clock on whenever all these bots wait in the queue, until stop is called:
// bots that are not matched at once are so some seconds later, as their windows have grown.
func (s *service) hurries(names ...string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	waits := func(name string) bool {
		out, err := client.Read[api.ArenaBotOut](newClient(s.t, client.Options{URL: s.url}).API.GetArenaBot(ctx, name))
		return err == nil && out.Bot.State == api.ArenaBotStateWaiting
	}
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if !slices.ContainsFunc(names, func(name string) bool { return !waits(name) }) {
				s.jump(time.Second)
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() { cancel(); <-done }
}

// newBot opens an account for a bot, by a guest of its own, and returns its key.
func (s *service) newBot(name string) string {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	guest := &http.Client{Jar: jar}
	var out struct {
		CSRF   string `json:"csrf_token"`
		Secret string `json:"secret"`
	}
	s.post(guest, "/api/guest", "", "", &out)
	s.post(guest, "/api/bots", fmt.Sprintf(`{"name":%q}`, name), out.CSRF, &out)
	return out.Secret
}

func (s *service) post(c *http.Client, path, body, csrf string, out any) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-CSRF-Token", csrf)
	response, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		s.t.Fatalf("POST %s: %s: %s", path, response.Status, text)
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		s.t.Fatal(err)
	}
}

// plays returns options for a bot with a key that plays a strategy.
func (s *service) plays(key, name string) client.BotOptions {
	return client.BotOptions{
		Client: newClient(s.t, client.Options{URL: s.url, Key: key}),
		Strategy: func(opponent string) (strategy.Strategy, error) {
			return strategy.New(name, strategy.Seed{1}.Derive(opponent))
		},
	}
}
