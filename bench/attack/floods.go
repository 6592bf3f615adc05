package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/bench/probe"
)

// Floods: attacks on availability, against the shipped binary. Every address is one of the loopback
// network 127.0.0.0/8, of which the kernel lets each connection choose one. --limit-private applies
// the limits to them. The honest clients have addresses of their own.
//
// A flood comes from a process of its own at the lowest priority (--flood): from another machine it would
// take none of the processor time that the service, and the honest clients here, have.

// flooded is a server under attack.
type flooded struct {
	s      *attacks
	server *probe.Server
}

// peer is an HTTP client at one network address. It keeps the cookies of one browser.
type peer struct {
	f       *flooded
	client  http.Client
	cookies map[string]string
	csrf    string
}

// dialer returns the dialer of a loopback address: of group, a number from 0 to 255, and n below 250.
func dialer(group, n int) *net.Dialer {
	return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 1, byte(group), byte(n+1))}}
}

// peer returns a client at an address.
func (f *flooded) peer(group, n int) *peer {
	return &peer{f: f, cookies: map[string]string{}, client: http.Client{Timeout: 30 * time.Second,
		Transport: &http.Transport{DialContext: dialer(group, n).DialContext, MaxConnsPerHost: 1}}}
}

// call sends a request and returns its status; 0 without a response.
func (p *peer) call(ctx context.Context, method, path, body string) int {
	r, err := http.NewRequestWithContext(ctx, method, p.f.server.URL+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("X-CSRF-Token", p.csrf)
	for name, value := range p.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value}) // the client's copy of a cookie has no attributes
	}
	response, err := p.client.Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0
	}
	for _, c := range response.Cookies() {
		p.cookies[c.Name] = c.Value
	}
	var opened struct {
		CSRFToken string `json:"csrf_token"`
	}
	if json.Unmarshal(text, &opened) == nil && opened.CSRFToken != "" {
		p.csrf = opened.CSRFToken
	}
	return response.StatusCode
}

// account is the body that registers the honest player and signs it in.
const honestAccount = `{"username":"honest-player","password":"a long password"}`

// floods measures honest logins and reads beside each flood.
func (s *attacks) floods(ctx context.Context) (err error) {
	folder, err := os.MkdirTemp("", "roshambo-floods-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	f := &flooded{s: s}
	f.server, err = probe.Start(ctx, s.Binary, "serve", "--house-bots=false", "--log", "json", "--listen", "127.0.0.1:0",
		"--data", folder, "--limit-private")
	if err != nil {
		return err
	}
	defer f.server.Stop()
	owner := f.peer(0, 0)
	if status := owner.call(ctx, "POST", "/api/auth/register", honestAccount); status != http.StatusOK {
		return fmt.Errorf("registering the honest player: status %d", status)
	}
	for _, x := range []flood{
		{"no flood", 0, ""},
		{"hash queue: %d addresses log in under unknown names", 6, "hash-queue"},
		{"hash queue: %d addresses log in under unknown names", 60, "hash-queue"},
		{"name throttle: %d addresses guess the honest player's password", 6, "name-throttle"},
		{"verification: %d signed-in addresses ask for fresh ones", 6, "verification"},
		{"requests: %d addresses send them without a pause", 6, "requests"},
		{"idle connections: %d addresses open as many as they can", 60, "idle-connections"},
	} {
		if err := f.beside(ctx, owner, x); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return nil
}

// tally counts what a flood achieves.
type tally struct{ done, refused atomic.Int64 }

// count counts a response: one with the status done has cost the service what the flood is about.
func (t *tally) count(status, done int) {
	if status == done {
		t.done.Add(1)
	} else if status != 0 { // not cut off by the end of the flood
		t.refused.Add(1)
	}
}

// flood is one flood, from a number of addresses.
type flood struct {
	name      string
	addresses int
	kind      string // of floodKinds; "" for none
}

// floodKinds returns what one client of each kind of flood does: from the address n of a group.
func (f *flooded) floodKinds() map[string]func(ctx context.Context, group, n int, made *tally) {
	return map[string]func(ctx context.Context, group, n int, made *tally){
		"hash-queue":       f.guess("unknown-player"),
		"name-throttle":    f.guess("honest-player"),
		"verification":     f.verify,
		"requests":         f.hammer,
		"idle-connections": f.hold,
	}
}

// floodOrder is the argument of --flood: what a process of floods does.
type floodOrder struct {
	Kind      string
	URL       string
	Group     int
	Addresses int
	Duration  time.Duration
}

// send starts a process that carries out an order, and returns a function that waits for its tally.
func (o floodOrder) send(ctx context.Context) (wait func() (done, refused int64, err error), err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "nice", "-n", "19", program, "--flood", string(text))
	c.Stderr = os.Stderr
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Start(); err != nil {
		return nil, err
	}
	return func() (done, refused int64, err error) {
		if err := c.Wait(); err != nil {
			return 0, 0, fmt.Errorf("the process of the flood: %w", err)
		}
		_, err = fmt.Sscan(out.String(), &done, &refused)
		return done, refused, err
	}, nil
}

// Flood carries out an order, and writes its tally: how many calls did what the flood is about, and how
// many were refused.
func Flood(ctx context.Context, order string, w io.Writer) error {
	var o floodOrder
	if err := json.Unmarshal([]byte(order), &o); err != nil {
		return err
	}
	f := &flooded{server: &probe.Server{URL: o.URL}}
	do, known := f.floodKinds()[o.Kind]
	if !known {
		return fmt.Errorf("no such flood: %q", o.Kind)
	}
	ctx, stop := context.WithTimeout(ctx, o.Duration)
	defer stop()
	var wait sync.WaitGroup
	var made tally
	for i := range floodClients {
		wait.Go(func() { do(ctx, o.Group, i%o.Addresses, &made) })
	}
	wait.Wait()
	_, err := fmt.Fprintln(w, made.done.Load(), made.refused.Load())
	return err
}

// millis formats a duration in milliseconds.
func millis(d time.Duration) string { return fmt.Sprintf("%.1f ms", probe.Millis(d)) }

// floodClients is how many clients a flood has, over all its addresses.
const floodClients = 120

// floodGroup numbers the addresses of each flood, so that none begins with used up budgets.
var floodGroup = 9

// beside runs a flood, and measures the honest clients meanwhile.
func (f *flooded) beside(ctx context.Context, owner *peer, x flood) error {
	during, stop := context.WithTimeout(ctx, f.s.Duration)
	defer stop()
	floodGroup++
	group := floodGroup
	name, tallied := x.name, func() (done, refused int64, err error) { return 0, 0, nil }
	if x.kind != "" {
		name = fmt.Sprintf(x.name, x.addresses)
		var err error
		tallied, err = floodOrder{x.kind, f.server.URL, group, x.addresses, f.s.Duration}.send(ctx)
		if err != nil {
			return err
		}
	}
	var wait sync.WaitGroup
	var logins, reads []time.Duration
	var failed atomic.Int64
	wait.Go(func() { logins = f.signsIn(during, owner, &failed) })
	parts := make([][]time.Duration, 10)
	for i := range parts {
		wait.Go(func() { parts[i] = f.reads(during, f.peer(1, i), &failed) })
	}
	wait.Wait()
	for _, p := range parts {
		reads = append(reads, p...)
	}
	done, refused, err := tallied()
	if err != nil {
		return err
	}
	verdict := "p99 within 1 s and 50 ms"
	if len(logins) == 0 || len(reads) == 0 {
		verdict = fmt.Sprintf("honest requests wait for longer than %v", f.s.Duration)
	} else if probe.Quantile(logins, 0.99) > time.Second || probe.Quantile(reads, 0.99) > 50*time.Millisecond {
		verdict = "p99 above 1 s or 50 ms in this run"
	}
	if n := failed.Load(); n > 0 {
		verdict += fmt.Sprintf("; **%d honest requests failed**", n)
	}
	f.s.add(finding{attack: name, gain: fmt.Sprintf("%d done, %d refused", done, refused),
		honest: fmt.Sprintf("%d logins p50 %s, p99 %s; %d reads p50 %s, p99 %s", len(logins),
			millis(probe.Quantile(logins, 0.5)), millis(probe.Quantile(logins, 0.99)), len(reads),
			millis(probe.Quantile(reads, 0.5)), millis(probe.Quantile(reads, 0.99))),
		verdict: verdict, exceeded: failed.Load() > 0})
	return nil
}

// timed calls do every so often until ctx is done, and returns how long each call took that ended
// with status 200. It counts the others, except those that the end of ctx cut off.
func timed(ctx context.Context, every time.Duration, failed *atomic.Int64, do func(n int) int) (list []time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		began := time.Now()
		status := do(n)
		switch {
		case status == http.StatusOK:
			list = append(list, time.Since(began))
		case ctx.Err() == nil:
			failed.Add(1)
		}
		select {
		case <-ctx.Done():
			return list
		case <-tick.C:
		}
	}
}

// signsIn signs the honest player in, in its own browser.
func (f *flooded) signsIn(ctx context.Context, owner *peer, failed *atomic.Int64) []time.Duration {
	return timed(ctx, 300*time.Millisecond, failed, func(int) int {
		return owner.call(ctx, "POST", "/api/auth/login", honestAccount)
	})
}

// reads reads public pages, within the request limit of one address.
func (f *flooded) reads(ctx context.Context, p *peer, failed *atomic.Int64) []time.Duration {
	paths := []string{"/api/leaderboard", "/api/market", "/api/tiers", "/api/feed"}
	return timed(ctx, 300*time.Millisecond, failed, func(n int) int {
		return p.call(ctx, "GET", paths[n%len(paths)], "")
	})
}

// guess sends logins with a wrong password for a name.
func (f *flooded) guess(name string) func(ctx context.Context, group, n int, made *tally) {
	return func(ctx context.Context, group, n int, made *tally) {
		p := f.peer(group, n)
		for i := 0; ctx.Err() == nil; i++ {
			user := name
			if name != "honest-player" {
				user = fmt.Sprint(name, "-", n, "-", i)
			}
			status := p.call(ctx, "POST", "/api/auth/login", `{"username":"`+user+`","password":"a guessed password"}`)
			made.count(status, http.StatusUnauthorized) // a hash was computed
		}
	}
}

// verify asks for fresh verifications of the chain.
func (f *flooded) verify(ctx context.Context, group, n int, made *tally) {
	p := f.peer(group, n)
	p.call(ctx, "POST", "/api/guest", "")
	for ctx.Err() == nil {
		made.count(p.call(ctx, "GET", "/api/chain/verify?fresh=true", ""), http.StatusOK)
	}
}

// hammer reads boards without a pause.
func (f *flooded) hammer(ctx context.Context, group, n int, made *tally) {
	p := f.peer(group, n)
	for ctx.Err() == nil {
		made.count(p.call(ctx, "GET", "/api/leaderboard", ""), http.StatusOK)
	}
}

// hold opens connections that send nothing, and keeps those that the service leaves open.
func (f *flooded) hold(ctx context.Context, group, n int, made *tally) {
	target := strings.TrimPrefix(f.server.URL, "http://")
	var wait sync.WaitGroup
	defer wait.Wait()
	for range 150 { // two clients share an address, which may hold 200
		c, err := dialer(group, n).DialContext(ctx, "tcp", target)
		if err != nil {
			continue
		}
		wait.Go(func() {
			defer func() { _ = c.Close() }() // the flood is over
			until, _ := ctx.Deadline()
			_ = c.SetReadDeadline(until) // an error shows in the read
			_, err := c.Read(make([]byte, 1))
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				made.done.Add(1)
			} else {
				made.refused.Add(1)
			}
		})
	}
}
