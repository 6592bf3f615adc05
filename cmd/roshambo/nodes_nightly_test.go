//go:build nightly

package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/store/pgtest"
)

// fleet is a number of nodes on one PostgreSQL database. The first one creates its keys in a
// file, the others receive them in the environment.
type fleet struct {
	url   string
	args  []string
	keys  string
	nodes []*process
}

// newFleet starts n nodes on an empty database.
func newFleet(t *testing.T, url string, n int, args ...string) *fleet {
	t.Helper()
	f := &fleet{url: url, args: append([]string{"--database", url}, args...)}
	folder := t.TempDir()
	first, err := serve(t.Context(), folder, f.args...)
	if err != nil {
		t.Fatal(err)
	}
	f.nodes = append(f.nodes, first)
	text, err := os.ReadFile(filepath.Join(folder, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	f.keys = app.KeysEnv + "=" + string(text)
	for len(f.nodes) < n {
		f.nodes = append(f.nodes, nil)
		f.start(t, len(f.nodes)-1)
	}
	return f
}

// start starts the i-th node in an empty folder, with the keys in its environment.
func (f *fleet) start(t *testing.T, i int) {
	t.Helper()
	node, err := serveWith(t.Context(), []string{f.keys}, t.TempDir(), f.args...)
	if err != nil {
		t.Fatalf("node %d: %v", i, err)
	}
	f.nodes[i] = node
}

func (f *fleet) urls() []string {
	var urls []string
	for _, n := range f.nodes {
		urls = append(urls, n.url)
	}
	return urls
}

// sealer returns the node that seals blocks.
func (f *fleet) sealer(t *testing.T) int {
	t.Helper()
	return f.holder(t, "sealing")
}

// holder waits until a node has acquired a lease and returns that node.
func (f *fleet) holder(t *testing.T, lease string) int {
	t.Helper()
	for began := time.Now(); time.Since(began) < answerTime; <-time.After(10 * time.Millisecond) {
		if holder, ok := f.newest(lease); ok {
			return holder
		}
	}
	t.Fatalf("no node has acquired the lease %s within %v", lease, answerTime)
	return 0
}

// newest returns the node that has acquired a lease with the highest fence, by the logs.
func (f *fleet) newest(lease string) (holder int, ok bool) {
	highest := 0
	for i, n := range f.nodes {
		for line := range strings.Lines(n.logged()) {
			fence := 0
			if _, after, ok := strings.Cut(line, "lease="+lease+" fence="); ok {
				_, _ = fmt.Sscan(after, &fence) // a malformed number leaves fence at 0
			}
			if fence > highest {
				holder, highest = i, fence
			}
		}
	}
	return holder, highest > 0
}

// stop ends all nodes with SIGTERM.
func (f *fleet) stop(t *testing.T) {
	t.Helper()
	for i, n := range f.nodes {
		if err := n.stop(); err != nil {
			t.Errorf("node %d ended with %v:\n%s", i, err, n.logged())
		}
	}
}

// TestNodes checks that two nodes on one database act as one service. Each test has its own
// database on a shared cluster.
func TestNodes(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, map[string]string{"fsync": "off"})
	for name, try := range map[string]func(*testing.T, string){
		"together": nodesTogether, "limits": nodesShareLimits, "crashes": nodeCrashes, "house": houseMoves,
		"mixed": nodesMixed,
	} {
		cluster.Exec(t, "postgres", "CREATE DATABASE "+name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try(t, pgtest.URL(name, cluster))
		})
	}
}

func nodesTogether(t *testing.T, url string) {
	f := newFleet(t, url, 2)
	t.Run("", func(t *testing.T) { // returns when all parallel subtests have ended
		for name, use := range map[string]func(*testing.T, *fleet){
			"a run": runAcross, "signing out": signOutAcross, "a duel": duelAcross,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				use(t, f)
			})
		}
	})
	f.stop(t)
}

// runAcross plays a run with a session of the other node, throwing on both nodes alternately.
func runAcross(t *testing.T, f *fleet) {
	v, err := newVisitor(t.Context(), f.nodes[0].url)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Run runView }
	v.url = f.nodes[1].url
	if err := v.call(t.Context(), "POST", "/api/runs", `{"entry":"free"}`, &out); err != nil {
		t.Fatal(err)
	}
	id := out.Run.ID
	for throws := 0; out.Run.Status == "active" || out.Run.Status == "deciding"; throws++ {
		v.url = f.nodes[throws%2].url
		path, body := "/throw", `{"move":"rock"}`
		switch {
		case out.Run.Status == "deciding" && throws > 4:
			path, body = "/claim", ""
		case out.Run.Status == "deciding":
			path, body = "/continue", ""
		}
		err := v.call(t.Context(), "POST", "/api/runs/"+id+path, body, &out)
		var refused *statusError
		if errors.As(err, &refused) && refused.code == "too_fast" {
			<-time.After(250 * time.Millisecond)
			continue
		}
		if err != nil {
			t.Fatalf("throw %d: %v", throws, err)
		}
	}
	for i, n := range f.nodes {
		v.url = n.url
		var now struct{ Run runView }
		if err := v.call(t.Context(), "GET", "/api/runs/"+id, "", &now); err != nil {
			t.Fatal(err)
		}
		if now.Run.Status != out.Run.Status || !slices.Equal(now.Run.Throws, out.Run.Throws) {
			t.Errorf("node %d has the run %+v, node %d has %+v", i, now.Run, 1-i, out.Run)
		}
	}
}

// signOutAcross ends a session on one node and uses it on the other, which has just cached it.
func signOutAcross(t *testing.T, f *fleet) {
	v, err := newVisitor(t.Context(), f.nodes[0].url)
	if err != nil {
		t.Fatal(err)
	}
	other := visitor{url: f.nodes[1].url, client: v.client, cookie: v.cookie, csrf: v.csrf}
	var me struct{ Balance int64 }
	if err := other.call(t.Context(), "GET", "/api/me", "", &me); err != nil {
		t.Fatal(err)
	}
	stream := follow(t, &other, "/api/events?topics=account")
	stream.await(t, "ready")
	if err := v.call(t.Context(), "POST", "/api/auth/logout", "", &struct{}{}); err != nil {
		t.Fatal(err)
	}
	stream.await(t, "end") // the cause is the event from the other node: heartbeats are 15 seconds apart
	var refused *statusError
	err = other.call(t.Context(), "GET", "/api/me", "", &me)
	if !errors.As(err, &refused) || refused.status != http.StatusUnauthorized {
		t.Errorf("the session that was ended on the other node gets %v", err)
	}
}

// events is an open stream of server-sent events.
type events struct{ names chan string }

// follow opens a stream that ends with the test.
func follow(t *testing.T, v *visitor, path string) *events {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", v.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", v.cookie)
	response, err := http.DefaultClient.Do(r) //nolint:bodyclose // it is closed where it is read
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v, %v", path, response, err)
	}
	e := &events{make(chan string, 1000)}
	go func() {
		defer close(e.names)
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				e.names <- name
			}
		}
	}()
	return e
}

// await waits for events with these names in any order: steps of a duel arrive before events that
// are numbered.
func (e *events) await(t *testing.T, names ...string) {
	t.Helper()
	missing := map[string]bool{}
	for _, name := range names {
		missing[name] = true
	}
	for len(missing) > 0 {
		select {
		case got, ok := <-e.names:
			if !ok {
				t.Errorf("the stream ended without the events %v", missing)
				return
			}
			delete(missing, got)
		case <-time.After(eventTime):
			t.Errorf("missing events in the stream: %v", missing)
			return
		}
	}
}

// eventTime bounds the latency of an event: much more than it takes, and less than the interval
// of polling, so that only notification between nodes can pass.
const eventTime = 10 * time.Second

// duelAcross plays a duel whose sides use one node each: both wait for the other's steps by long
// polls and receive them in a stream.
func duelAcross(t *testing.T, f *fleet) {
	var sides [2]*visitor
	for i := range sides {
		var err error
		if sides[i], err = newVisitor(t.Context(), f.nodes[i].url); err != nil {
			t.Fatal(err)
		}
	}
	var out struct{ Duel duelView }
	if err := sides[0].call(t.Context(), "POST", "/api/duels", `{"stake":5}`, &out); err != nil {
		t.Fatal(err)
	}
	code := out.Duel.ID
	streams := [2]*events{}
	for i, v := range sides {
		streams[i] = follow(t, v, "/api/events?topics=account&duel="+code)
		streams[i].await(t, "ready")
	}
	var both sync.WaitGroup
	for i, v := range sides {
		both.Go(func() {
			if err := playAcross(t.Context(), v, i, code); err != nil {
				t.Errorf("side %d: %v", i, err)
			}
		})
	}
	both.Wait()
	for _, s := range streams {
		s.await(t, "duel_joined", "duel", "duel_finished")
	}
}

// playAcross plays one side of a duel to its end.
func playAcross(ctx context.Context, v *visitor, side int, code string) error {
	version := int64(-1)
	for {
		d, err := v.awaitDuel(ctx, code, version)
		if err != nil {
			return err
		}
		if d.Status == "finished" {
			return nil
		}
		version = d.Version
		action, body := "", ""
		if d.Status == "open" && side == 1 {
			action = "/join"
		} else if d.Status == "active" {
			action, body = step(d, side)
		}
		if action == "" {
			continue
		}
		var out struct{ Duel duelView }
		err = v.call(ctx, "POST", "/api/duels/"+code+action, body, &out)
		var refused *statusError
		if errors.As(err, &refused) && refused.code == "duel_moved_on" {
			continue // a conflict with a step of the other side
		}
		if err != nil {
			return err
		}
	}
}

// step returns the next request of a side, or nothing.
func step(d *duelView, side int) (action, body string) {
	r := &d.Rounds[len(d.Rounds)-1]
	committed, revealed := []bool{r.Committed.A, r.Committed.B}, []bool{r.Revealed.A, r.Revealed.B}
	salt := fmt.Sprintf("%s %d %d", d.ID, r.Round, side)
	sum := sha256.Sum256([]byte(salt))
	move := []string{"rock", "paper", "scissors"}[sum[0]%3]
	switch {
	case !committed[side]:
		return "/commit", fmt.Sprintf(`{"commitment":"%x"}`, sha256.Sum256([]byte(move+":"+salt)))
	case committed[1-side] && !revealed[side]:
		return "/reveal", fmt.Sprintf(`{"move":%q,"salt":%q}`, move, salt)
	}
	return "", ""
}

// held is the long poll in seconds: longer than any step of the other side, and less than a human
// player's deadline.
const held = 30

// awaitDuel waits until a duel has another version. A long poll that ends without a new version
// is an error.
func (v *visitor) awaitDuel(ctx context.Context, code string, version int64) (*duelView, error) {
	path := "/api/duels/" + code
	if version >= 0 {
		path += fmt.Sprint("?version=", version)
	}
	r, err := http.NewRequestWithContext(ctx, "GET", v.url+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Cookie", v.cookie)
	if version >= 0 {
		r.Header.Set("Prefer", fmt.Sprint("wait=", held))
	}
	var out struct{ Duel duelView }
	if err := v.do(r, &out); err != nil {
		return nil, err
	}
	if out.Duel.Version == version {
		return nil, fmt.Errorf("a long poll of duel %s ended without a change: %+v", code, out.Duel)
	}
	return &out.Duel, nil
}
