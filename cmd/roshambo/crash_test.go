package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/platform/testseed"
)

const (
	gamblers = 8
	pairs    = 3 // of players of duels
	traders  = 2
)

// TestCrashes kills the service with SIGKILL under load, three times on one folder: before the
// first answer, during the first runs, and when there are answers of all durable kinds. After
// each restart every answer still holds, the chain is valid, and the log extends the last
// checkpoint that was published.
func TestCrashes(t *testing.T) {
	t.Parallel()
	survive(t, newWorld(t).withPairs().withTraders(), victim{kills: threeKills})
}

// threeKills is the number of answers before each kill in the gate.
var threeKills = []int{0, 60, 60}

// victim configures the service that survive kills.
type victim struct {
	args  []string // further flags of the service
	kills []int    // number of answers before each kill
	// beforeLoad, if not nil, is called before the load of a round.
	beforeLoad func(round int, server *process)
	// beforeKill and beforeStart, if not nil, are called before each kill and before the next
	// start.
	beforeKill, beforeStart func(round int)
}

// survive kills a service repeatedly and checks its answers after each restart. Before the last
// kill it waits for an answer of every durable kind.
func survive(t *testing.T, w *world, v victim) {
	t.Helper()
	for round, answers := range v.kills {
		server, err := serve(t.Context(), w.folder, v.args...)
		if err != nil {
			t.Fatalf("start %d: %v", round, err)
		}
		w.checkFacts(t, server.url, w.fresh())
		if v.beforeLoad != nil {
			v.beforeLoad(round, server)
		}
		last := round == len(v.kills)-1
		w.load(t, server, func() bool { return w.sinceKill() >= answers && (!last || len(w.missing(nil)) == 0) }, func() {
			if v.beforeKill != nil {
				v.beforeKill(round)
			}
		})
		if v.beforeStart != nil {
			v.beforeStart(round)
		}
	}
	server, err := serve(t.Context(), w.folder, v.args...)
	if err != nil {
		t.Fatal(err)
	}
	w.checkFacts(t, server.url, w.facts)
	for _, p := range w.pairs {
		p.finish(t, server.url)
	}
	if err := server.stop(); err != nil {
		t.Errorf("the last server ended with %v:\n%s", err, server.logged())
	}
	if missing := w.missing(nil); len(missing) > 0 {
		t.Errorf("no answers of the kinds %v", missing)
	}
	t.Logf("%d answers over %d crashes, %d blocks", len(w.facts), len(v.kills), w.tree.N)
}

// load runs all players until enough returns true, calls before, and kills the server while the
// players continue.
func (w *world) load(t *testing.T, server *process, enough func() bool, before func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wait sync.WaitGroup
	for _, g := range w.gamblers {
		wait.Go(func() { g.play(ctx, server.url) })
	}
	for _, p := range w.pairs {
		wait.Go(func() { p.play(ctx, server.url) })
	}
	for _, tr := range w.traders {
		wait.Go(func() { tr.play(ctx, server.url) })
	}
	wait.Go(func() { w.followLog(ctx, server.url) })
	w.until(t, server, enough)
	before()
	if err := server.kill(); err != nil {
		t.Fatal(err)
	}
	cancel() // ends the players that wait for their next throw
	wait.Wait()
	w.stopPlayers(t)
}

// until waits until a condition on the answers holds, or a player has failed. The test fails if
// the server ends first, unless it is nil.
func (w *world) until(t *testing.T, server *process, is func() bool) {
	t.Helper()
	if server == nil {
		server = &process{} // its done is nil and never ready
	}
	for !is() && !w.failed.Load() {
		select {
		case <-w.progress:
		case <-time.After(100 * time.Millisecond): // progress has other receivers
		case <-server.done:
			t.Fatalf("the server ended unexpectedly: %v:\n%s", server.err, server.logged())
		}
	}
}

// stopPlayers ends all players and reports their errors.
func (w *world) stopPlayers(t *testing.T) {
	t.Helper()
	for _, g := range w.gamblers {
		g.client.CloseIdleConnections()
		if g.err != nil {
			t.Errorf("a gambler failed: %v", g.err)
		}
	}
	for _, p := range w.pairs {
		p.sides[0].client.CloseIdleConnections()
		if p.err != nil {
			t.Errorf("duelists failed: %v", p.err)
		}
	}
	for _, tr := range w.traders {
		if tr.err != nil {
			t.Errorf("a trader failed: %v", tr.err)
		}
	}
	if w.failed.Load() {
		t.FailNow()
	}
}

// gambler plays runs with a growing number of accounts, one request at a time.
type gambler struct {
	world  *world
	random *rand.Rand
	client *http.Client
	seats  []*seat
	err    error // an unexpected response
}

// seat is an account of a gambler with its current run.
type seat struct {
	visitor
	run     *runView
	unknown bool      // a request has no response: its outcome is unknown
	next    time.Time // earliest time of the next throw
}

// play continues until the server has ended.
func (g *gambler) play(ctx context.Context, url string) {
	for _, s := range g.seats {
		s.url = url
	}
	for ctx.Err() == nil && g.err == nil && !g.world.stopping.Load() {
		s := g.pick(url)
		err := g.step(ctx, s)
		var refused *statusError
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.code == "too_fast":
			s.next = time.Now().Add(250 * time.Millisecond)
		case g.world.outcomeUnknown(ctx, err):
			s.unknown = s.cookie != ""
		case errors.As(err, &refused):
			g.err = err
			g.world.abort()
		default: // the server has ended
			s.unknown = true
			return
		}
	}
}

// pick returns a seat that can act now, or a new one.
func (g *gambler) pick(url string) *seat {
	now := time.Now()
	for _, i := range g.random.Perm(len(g.seats)) {
		if s := g.seats[i]; !s.next.After(now) && (s.run != nil || s.unknown) {
			return s
		}
	}
	s := &seat{visitor: visitor{url: url, client: g.client}}
	g.seats = append(g.seats, s)
	return s
}

// step makes the next request of a seat and records its response.
func (g *gambler) step(ctx context.Context, s *seat) error {
	switch {
	case s.cookie == "":
		return g.arrive(ctx, s)
	case s.unknown:
		return g.resync(ctx, s)
	case s.run == nil:
		return g.start(ctx, s)
	case s.run.Status == "active":
		return g.throw(ctx, s)
	case g.random.IntN(2) == 0:
		return g.claim(ctx, s)
	}
	var out struct{ Run runView }
	if err := s.call(ctx, "POST", "/api/runs/"+s.run.ID+"/continue", "", &out); err != nil {
		return err
	}
	s.run = &out.Run
	g.world.note(&fact{action: "continue", seat: s.visitor, run: out.Run})
	return nil
}

// arrive creates the guest of a new seat.
func (g *gambler) arrive(ctx context.Context, s *seat) error {
	if err := s.visitor.arrive(ctx); err != nil {
		return err
	}
	g.world.note(&fact{action: "arrive", seat: s.visitor})
	return g.start(ctx, s)
}

// resync reads the run when the outcome of a request is unknown.
func (g *gambler) resync(ctx context.Context, s *seat) error {
	var out struct{ Run *runView }
	if err := s.call(ctx, "GET", "/api/runs/active", "", &out); err != nil {
		return err
	}
	s.run, s.unknown = out.Run, false
	if s.run == nil {
		return g.start(ctx, s)
	}
	g.world.note(&fact{action: "look", seat: s.visitor, run: *s.run}) // later reads must agree with this one
	return nil
}

// start starts a run.
func (g *gambler) start(ctx context.Context, s *seat) error {
	var out struct {
		Run    runView
		TxHash string `json:"tx_hash"`
	}
	body := fmt.Sprintf(`{"entry":"fee","client_seed":"%x"}`, g.random.Uint64())
	err := s.call(ctx, "POST", "/api/runs", body, &out)
	var refused *statusError
	if errors.As(err, &refused) && refused.code == "insufficient_funds" {
		s.next = time.Now().Add(time.Hour) // no coins left: the seat is not used again
		return nil
	}
	if err != nil {
		return err
	}
	s.run = &out.Run
	g.world.note(&fact{action: "start", seat: s.visitor, run: out.Run, txHash: out.TxHash})
	return nil
}

// throw throws once.
func (g *gambler) throw(ctx context.Context, s *seat) error {
	var out struct {
		Run    runView
		TxHash string `json:"tx_hash"`
	}
	body := fmt.Sprintf(`{"move":"%c","entropy":"%x"}`, "rps"[g.random.IntN(3)], g.random.Uint32())
	if err := s.call(ctx, "POST", "/api/runs/"+s.run.ID+"/throw", body, &out); err != nil {
		return err
	}
	g.world.note(&fact{action: "throw", seat: s.visitor, run: out.Run, txHash: out.TxHash})
	s.run, s.next = &out.Run, time.Now().Add(250*time.Millisecond)
	if s.run.Status == "lost" || s.run.Status == "claimed" {
		s.run = nil
	}
	return nil
}

// claim claims the token of a run.
func (g *gambler) claim(ctx context.Context, s *seat) error {
	var out struct {
		Run    runView
		Token  struct{ Tier int64 }
		TxHash string `json:"tx_hash"`
	}
	if err := s.call(ctx, "POST", "/api/runs/"+s.run.ID+"/claim", "", &out); err != nil {
		return err
	}
	s.run = nil
	g.world.note(&fact{action: "claim", seat: s.visitor, run: out.Run, txHash: out.TxHash, tier: out.Token.Tier})
	return nil
}

// world holds the players and all that they know of the service from its responses.
type world struct {
	folder   string
	gamblers []*gambler
	pairs    []*duelists
	traders  []*trader
	outages  bool          // the database may be unavailable: 503 leaves the outcome open
	failed   atomic.Bool   // a player has failed
	stopping atomic.Bool   // players finish their games and start no more
	progress chan struct{} // capacity 1: filled by each answer

	mu    sync.Mutex // guards facts and seen
	facts []*fact
	seen  int // number of facts checked after a crash

	seed uint64 // of the players' decisions

	logWatch
}

// newWorld returns a world of gamblers with a new data folder.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{folder: t.TempDir(), gamblers: make([]*gambler, gamblers), progress: make(chan struct{}, 1),
		seed: testseed.Seed(t)}
	for i := range w.gamblers {
		w.gamblers[i] = &gambler{world: w, random: w.random(i),
			client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}}
	}
	return w
}

// random returns the random source of the i-th player.
func (w *world) random(i int) *rand.Rand { return rand.New(rand.NewPCG(w.seed, uint64(i))) } // it must repeat

// note records a fact.
func (w *world) note(f *fact) {
	w.mu.Lock()
	w.facts = append(w.facts, f)
	w.mu.Unlock()
	notify(w.progress)
}

// outcomeUnknown reports whether a response leaves the outcome open because the database was
// unavailable, and then waits a little.
func (w *world) outcomeUnknown(ctx context.Context, err error) bool {
	var refused *statusError
	if !w.outages || !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable {
		return false
	}
	pause(ctx, 50*time.Millisecond)
	return true
}

// abort ends the wait for answers after a failure.
func (w *world) abort() {
	w.failed.Store(true)
	notify(w.progress)
}

// notify fills a channel of capacity 1 unless it is full.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// sinceKill returns the number of answers since the last call of fresh, which follows each start.
func (w *world) sinceKill() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.facts) - w.seen
}

// factsSoFar returns a copy of all facts.
func (w *world) factsSoFar() []*fact {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clip(w.facts)
}

// fresh returns the facts since the previous call.
func (w *world) fresh() []*fact {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.facts[w.seen:]
	w.seen = len(w.facts)
	return list
}
