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
	pairs    = 3 // who play duels
	traders  = 2
)

// TestCrashes kills the service with SIGKILL under load, three times on one folder: before
// anything was answered, amid the first runs, and once something of every promised kind was
// answered. After each restart everything that was answered is there as it was answered, the
// chain is valid, and the log goes on from the last checkpoint that was handed out.
func TestCrashes(t *testing.T) {
	t.Parallel()
	survive(t, newWorld(t).withPairs().withTraders(), victim{kills: threeKills})
}

// threeKills are the kills of the gate: how many answers come before each.
var threeKills = []int{0, 60, 60}

// victim is a service that is killed over and over, and where its data lies.
type victim struct {
	args  []string // what the service is started with, besides
	kills []int    // answers before each kill
	// asleep, when set, waits before the load of a round.
	asleep func(round int, server *process)
	// fell and rise, when set, are called before the service is killed, and before it is
	// started again.
	fell, rise func(round int)
}

// survive kills a service so many times, and holds it to what it has answered. Before the
// last kill it waits for something of every promised kind.
func survive(t *testing.T, w *world, v victim) {
	t.Helper()
	args := append([]string{"--rate-limit", "0"}, v.args...)
	for round, answers := range v.kills {
		server, err := serve(t.Context(), w.folder, args...)
		if err != nil {
			t.Fatalf("start %d: %v", round, err)
		}
		w.look(t, server.url, w.fresh())
		if v.asleep != nil {
			v.asleep(round, server)
		}
		last := round == len(v.kills)-1
		w.load(t, server, func() bool { return w.sinceKill() >= answers && (!last || len(w.missing(nil)) == 0) }, func() {
			if v.fell != nil {
				v.fell(round)
			}
		})
		if v.rise != nil {
			v.rise(round)
		}
	}
	server, err := serve(t.Context(), w.folder, args...)
	if err != nil {
		t.Fatal(err)
	}
	w.look(t, server.url, w.facts)
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

// load lets everybody play until enough was answered, and kills the server, right after
// something else, while they go on.
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
	cancel() // whoever waits for the next throw
	wait.Wait()
	w.rest(t)
}

// until waits until something is true of the answers, or a player met an answer that must
// not be. It fails when the server ends before, unless that is nil.
func (w *world) until(t *testing.T, server *process, is func() bool) {
	t.Helper()
	if server == nil {
		server = &process{} // whose done is never closed
	}
	for !is() && !w.wrong.Load() {
		select {
		case <-w.noted:
		case <-time.After(100 * time.Millisecond): // others receive from noted, too
		case <-server.done:
			t.Fatalf("the server ended by itself, %v:\n%s", server.err, server.logged())
		}
	}
}

// rest lets everybody pause, and says what they met that must not be.
func (w *world) rest(t *testing.T) {
	t.Helper()
	for _, g := range w.gamblers {
		g.client.CloseIdleConnections()
		if g.err != nil {
			t.Errorf("a gambler met %v", g.err)
		}
	}
	for _, p := range w.pairs {
		p.sides[0].client.CloseIdleConnections()
		if p.err != nil {
			t.Errorf("duelists met %v", p.err)
		}
	}
	for _, tr := range w.traders {
		if tr.err != nil {
			t.Errorf("a trader met %v", tr.err)
		}
	}
	if w.wrong.Load() {
		t.FailNow()
	}
}

// gambler plays with ever more accounts, one request at a time.
type gambler struct {
	world  *world
	random *rand.Rand
	client *http.Client
	seats  []*seat
	err    error // that must not be
}

// seat is an account of a gambler and the run that it plays.
type seat struct {
	visitor
	run    *runView
	unsure bool      // a request was not answered: nobody knows what happened
	next   time.Time // when the next throw is possible
}

// play goes on until the server is gone.
func (g *gambler) play(ctx context.Context, url string) {
	for _, s := range g.seats {
		s.url = url
	}
	for ctx.Err() == nil && g.err == nil && !g.world.evening.Load() {
		s := g.pick(url)
		err := g.step(ctx, s)
		var refused *statusError
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.code == "too_fast":
			s.next = time.Now().Add(250 * time.Millisecond)
		case g.world.unsaid(ctx, err):
			s.unsure = s.cookie != ""
		case errors.As(err, &refused):
			g.err = err
			g.world.giveUp()
		default: // the server is gone
			s.unsure = true
			return
		}
	}
}

// pick returns a seat that can do something now; a new one when there is none.
func (g *gambler) pick(url string) *seat {
	now := time.Now()
	for _, i := range g.random.Perm(len(g.seats)) {
		if s := g.seats[i]; !s.next.After(now) && (s.run != nil || s.unsure) {
			return s
		}
	}
	s := &seat{visitor: visitor{url: url, client: g.client}}
	g.seats = append(g.seats, s)
	return s
}

// step does what comes next in a seat, and notes what was answered.
func (g *gambler) step(ctx context.Context, s *seat) error {
	switch {
	case s.cookie == "":
		return g.arrive(ctx, s)
	case s.unsure:
		return g.findOut(ctx, s)
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
	g.world.note(&fact{deed: "continue", seat: s.visitor, run: out.Run})
	return nil
}

func (g *gambler) arrive(ctx context.Context, s *seat) error {
	if err := s.visitor.arrive(ctx); err != nil {
		return err
	}
	g.world.note(&fact{deed: "arrive", seat: s.visitor})
	return g.start(ctx, s)
}

// findOut asks for what happened when the server went away.
func (g *gambler) findOut(ctx context.Context, s *seat) error {
	var out struct{ Run *runView }
	if err := s.call(ctx, "GET", "/api/runs/active", "", &out); err != nil {
		return err
	}
	s.run, s.unsure = out.Run, false
	if s.run == nil {
		return g.start(ctx, s)
	}
	g.world.note(&fact{deed: "look", seat: s.visitor, run: *s.run}) // what was read is true for good, too
	return nil
}

func (g *gambler) start(ctx context.Context, s *seat) error {
	var out struct {
		Run    runView
		TxHash string `json:"tx_hash"`
	}
	body := fmt.Sprintf(`{"entry":"fee","client_seed":"%x"}`, g.random.Uint64())
	err := s.call(ctx, "POST", "/api/runs", body, &out)
	var refused *statusError
	if errors.As(err, &refused) && refused.code == "insufficient_funds" {
		s.next = time.Now().Add(time.Hour) // this seat is done
		return nil
	}
	if err != nil {
		return err
	}
	s.run = &out.Run
	g.world.note(&fact{deed: "start", seat: s.visitor, run: out.Run, txHash: out.TxHash})
	return nil
}

func (g *gambler) throw(ctx context.Context, s *seat) error {
	var out struct {
		Run    runView
		TxHash string `json:"tx_hash"`
	}
	body := fmt.Sprintf(`{"move":"%c","entropy":"%x"}`, "rps"[g.random.IntN(3)], g.random.Uint32())
	if err := s.call(ctx, "POST", "/api/runs/"+s.run.ID+"/throw", body, &out); err != nil {
		return err
	}
	g.world.note(&fact{deed: "throw", seat: s.visitor, run: out.Run, txHash: out.TxHash})
	s.run, s.next = &out.Run, time.Now().Add(250*time.Millisecond)
	if s.run.Status == "lost" || s.run.Status == "claimed" {
		s.run = nil
	}
	return nil
}

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
	g.world.note(&fact{deed: "claim", seat: s.visitor, run: out.Run, txHash: out.TxHash, tier: out.Token.Tier})
	return nil
}

// world is what is known of the service from its answers.
type world struct {
	folder   string
	gamblers []*gambler
	pairs    []*duelists
	traders  []*trader
	away     bool          // the database may be, and then it is not said what happened
	wrong    atomic.Bool   // somebody met what must not be
	evening  atomic.Bool   // everybody is to end what they are at, and begin nothing
	noted    chan struct{} // has one place: filled by each answer

	mu    sync.Mutex // guards facts and seen
	facts []*fact
	seen  int // facts that were looked at after a crash

	seed uint64 // of what the players decide

	logWatch
}

// newWorld returns a world of gamblers in a new folder.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{folder: t.TempDir(), gamblers: make([]*gambler, gamblers), noted: make(chan struct{}, 1), seed: testseed.Seed(t)}
	for i := range w.gamblers {
		w.gamblers[i] = &gambler{world: w, random: w.random(i), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}}
	}
	return w
}

// random returns what the i-th player decides by.
func (w *world) random(i int) *rand.Rand { return rand.New(rand.NewPCG(w.seed, uint64(i))) } //nolint:gosec // it must repeat

// note keeps an answer.
func (w *world) note(f *fact) {
	w.mu.Lock()
	w.facts = append(w.facts, f)
	w.mu.Unlock()
	fill(w.noted)
}

// unsaid says whether an answer leaves it open what happened, because the database was
// away, and waits a little then.
func (w *world) unsaid(ctx context.Context, err error) bool {
	var refused *statusError
	if !w.away || !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable {
		return false
	}
	pause(ctx, 50*time.Millisecond)
	return true
}

// giveUp ends the waiting for answers: something is wrong, and will be said.
func (w *world) giveUp() {
	w.wrong.Store(true)
	fill(w.noted)
}

// fill puts something into a channel with one place, unless something is there.
func fill(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// sinceKill counts the answers since the last call of fresh, which follows each start.
func (w *world) sinceKill() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.facts) - w.seen
}

// soFar returns what was answered until now.
func (w *world) soFar() []*fact {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clip(w.facts)
}

// fresh returns the facts since the last call.
func (w *world) fresh() []*fact {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.facts[w.seen:]
	w.seen = len(w.facts)
	return list
}
