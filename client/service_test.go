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

// service is the whole service, as shipped, in this process.
type service struct {
	t      *testing.T
	config app.Config
	url    string
	jumped atomic.Int64 // offset of its clock in nanoseconds
	stop   func()
}

// startService starts a service in a folder of its own.
func startService(t *testing.T) *service {
	t.Helper()
	return startAt(t, 1)
}

// startSlow starts a service with a slow clock, so that no deadline passes because the machine is
// busy.
func startSlow(t *testing.T) *service {
	t.Helper()
	return startAt(t, 20)
}

func startAt(t *testing.T, slow time.Duration) *service {
	t.Helper()
	s, began := &service{t: t}, time.Now()
	s.config = app.Config{
		Listen: ownAddress(), Data: filepath.Join(t.TempDir(),
			"data"), LogFormat: "text", Drain: app.DefaultDrain, Log: io.Discard,
		Now: func() time.Time { return began.Add(time.Since(began)/slow + time.Duration(s.jumped.Load())) },
	}
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

// ownAddress returns a loopback address that only this process uses, with port 0, so that a
// restarted service can bind the same port again. Systems other than Linux have one loopback
// address.
func ownAddress() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1:0"
	}
	return fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
}

// start starts the service, at its previous address after a restart.
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

// jump sets the service's clock forward.
func (s *service) jump(d time.Duration) { s.jumped.Add(int64(d)) }

// hurries advances the clock whenever all these bots are queued, until stop is called: their
// search windows grow with time, so they are matched then.
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

// newBot creates a bot, owned by a guest of its own, and returns its key.
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

// plays returns options for a bot with that key and strategy.
func (s *service) plays(key, name string) client.BotOptions {
	return client.BotOptions{
		Client: newClient(s.t, client.Options{URL: s.url, Key: key}),
		Strategy: func(opponent string) (strategy.Strategy, error) {
			return strategy.New(name, strategy.Seed{1}.Derive(opponent))
		},
	}
}
