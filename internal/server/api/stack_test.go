package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/app"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// stack is the whole service, as app.Build wires it, on a database of its own and behind a real
// HTTP server. The test controls its clock and knows the randomness of its seed chains. Nothing
// runs in the background: a test calls seal, settle or follow for the work that it needs.
type stack struct {
	url      string
	place    store.Config // of the database
	keys     string       // text of the keys file
	key      string       // the log's verifier key
	clock    *clock
	chance   io.Reader // follows from the seed of this run
	seeds    *seedBook
	faults   *faults
	each     storetest.Statements // makes single statements fail
	log      *logBook
	tokens   tokenBook // tokens that were returned
	db       *store.DB
	hub      *event.Hub
	events   *event.Log
	tail     *event.Tail
	edge     *edge.Edge
	ledger   *ledger.Ledger
	accounts *account.Service
	duels    *duel.Service
	market   *market.Service
	arena    *arena.Service
	cups     *cup.Service
	score    *score.Service
	mails    string     // folder
	mailing  sync.Mutex // held by the test that sends the mails of all
	doc      *document  // as the service serves it
}

// testTimeout is the deadline of every wait, generous for a busy machine.
const testTimeout = 2 * time.Minute

// midday is the first time of every stack's clock: far from any change of day.
var midday = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// start starts a stack that ends with t. Each change edits the configuration of the interface.
func start(t *testing.T, change ...func(*edge.Config)) *stack {
	t.Helper()
	s := build(t, change...)
	s.doc = fetchDocument(t, s)
	t.Cleanup(func() { s.searchLog(t) })
	return s
}

// build starts a stack that ends with t, without its checks.
func build(t testing.TB, change ...func(*edge.Config)) *stack {
	t.Helper()
	s := &stack{clock: newClock(midday), chance: testseed.Reader(t), seeds: newSeedBook(), faults: &faults{},
		log: &logBook{}}
	s.place, s.keys = storetest.New(t), makeKeys(t, s.chance)
	s.compose(t, change)
	s.serve(t)
	return s
}

// another starts another node on the database of s, with the same clock. A file has one node: there it
// returns s.
func (s *stack) another(t *testing.T) *stack {
	t.Helper()
	if s.db.Exclusive() {
		return s
	}
	o := &stack{clock: s.clock, chance: s.chance, seeds: s.seeds, faults: &faults{}, log: &logBook{}, place: s.place,
		keys: s.keys, doc: s.doc}
	o.compose(t, nil)
	o.serve(t)
	return o
}

// serve serves the interface until t ends.
func (s *stack) serve(t testing.TB) {
	t.Helper()
	server := httptest.NewUnstartedServer(s.edge)
	server.Listener = s.edge.Listener(server.Listener)
	server.Config.MaxHeaderBytes = 32 << 10
	server.Config.DisableGeneralOptionsHandler = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.NewTextHandler(s.log, nil), slog.LevelDebug)
	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL
}

// common is the stack that shared returns, and the process that it ends with.
var common struct {
	once    sync.Once
	process *process
	stack   *stack
}

// shared returns one stack for all tests that change nothing that another test could see: they
// read, send requests that are refused, or write to accounts that they have made themselves.
// Its clock stands still, it seals nothing, and its commits do not fail. A test that needs any
// of that, lists or counts what all accounts share, or counts statements, starts a stack of
// its own.
func shared(t *testing.T) *stack {
	t.Helper()
	common.once.Do(func() {
		common.process = &process{TB: t}
		s := build(common.process)
		s.doc = fetchDocument(t, s)
		common.process.Cleanup(func() { s.searchLog(common.process) })
		common.stack = s
	})
	if common.stack == nil {
		t.Fatal("the shared stack did not start")
	}
	return common.stack
}

// process is the testing.TB of what ends with the process and not with the test that is the
// first to need it. Only until that test has ended may it fail fatally.
type process struct {
	testing.TB
	cleanups []func()
	failed   bool
}

// Cleanup calls f when the process ends.
func (p *process) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }

// Context returns a context that does not end with the first test.
func (p *process) Context() context.Context { return context.WithoutCancel(p.TB.Context()) }

// TempDir returns a folder that is removed when the process ends.
func (p *process) TempDir() string {
	folder, err := os.MkdirTemp("", "roshambo-api-")
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			p.Error(err)
		}
	})
	return folder
}

// Helper does nothing: the test may have ended.
func (*process) Helper() {}

// Failed reports whether the process has failed so far.
func (p *process) Failed() bool { return p.failed }

// Logf writes to the standard error.
func (*process) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Error fails the process.
func (p *process) Error(args ...any) {
	p.failed = true
	fmt.Fprintln(os.Stderr, args...)
}

// Errorf fails the process.
func (p *process) Errorf(format string, args ...any) { p.Error(fmt.Sprintf(format, args...)) }

// TestMain ends the shared stack.
func TestMain(m *testing.M) {
	code := m.Run()
	if p := common.process; p != nil {
		for _, f := range slices.Backward(p.cleanups) {
			f()
		}
		if p.failed {
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// compose builds the service and sets the parts of s.
func (s *stack) compose(t testing.TB, change []func(*edge.Config)) {
	t.Helper()
	folder := t.TempDir()
	if s.place.Path != "" {
		folder = filepath.Dir(s.place.Path)
	}
	rules := testRules()
	service, err := app.Build(t.Context(), app.Config{
		Data: folder, Database: s.place.URL, Keys: s.keys, LogFormat: "text", LogLevel: slog.LevelDebug, Log: s.log,
		Now: s.clock.Now, MailFrom: "house@example.org", FreeStarts: app.DefaultFreeStarts,
		Overrides: app.Overrides{
			SeedRand: s.seeds, Rand: s.chance, Rules: &rules, EventPoll: time.Hour, SingleNode: true,
			// The real cost of a hash is tested in package account.
			PasswordCost: &account.Cost{KiB: 8, Passes: 1, Lanes: 1},
			Faults: &store.Faults{Commit: s.faults.next, Statement: s.each.Faults().Statement,
				ViewTwice: func() bool { return true }},
			Edge: func(c *edge.Config) {
				c.Page = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the page")) })
				c.ClientMailLimit = nil // all tests share one address; tests of the limits set them
				for _, f := range change {
					f(c)
				}
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	s.db, s.hub, s.events, s.tail, s.edge, s.ledger = service.DB, &service.Hub, service.Events, service.Tail, service.Edge,
		service.Ledger
	s.accounts, s.duels, s.market, s.arena, s.score = service.Accounts, service.Duels, service.Market, service.Arena,
		service.Score
	s.cups = service.Cups
	s.key, s.mails = service.Ledger.VerifierKey(), filepath.Join(folder, "mail")
}

// makeKeys returns the text of a keys file: a log key that follows from the seed of this run, and a
// fixed seed key.
func makeKeys(t testing.TB, chance io.Reader) string {
	t.Helper()
	secret, public, err := note.GenerateKey(chance, "roshambo-test")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{"log_key": secret, "verifier_key": public,
		"seed_key": strings.Repeat("07", 32)})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// settle reduces all reports, which a loop does in production.
func (s *stack) settle(t *testing.T) {
	t.Helper()
	if err := s.score.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// follow numbers events, so that streams send them, until the test ends.
func (s *stack) follow(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.tail.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
}

// throttle implements account.Throttle with a budget. It stands for a limiter by name, too, whose
// keys have no address.
type throttle struct{ *limit.Budget }

// Take counts one failure.
func (l throttle) Take(ctx context.Context, key account.FailureKey) (time.Duration, error) {
	return l.Budget.Take(ctx, key.Name, key.Client).Wait, nil
}

// Refund returns one failure.
func (l throttle) Refund(ctx context.Context, key account.FailureKey) error {
	l.Budget.Refund(ctx, key.Name, key.Client)
	return nil
}

// testRules has three tiers, so that a test climbs to the top in three throws.
func testRules() chain.Rules {
	return chain.Rules{
		BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FreePerDay: 3, MarketFeeBPS: 250, StartingBalance: 1000,
		Tiers: []chain.Tier{{Material: "Clay", Value: 96}, {Material: "Wood", Value: 192}, {Material: "Stone", Value: 384}},
	}
}

// seal seals blocks until no transaction is pending.
func (s *stack) seal(t *testing.T) {
	t.Helper()
	for {
		n, err := s.ledger.SealBlock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// clock is a clock that tests advance, and can stop.
type clock struct {
	now  atomic.Int64
	gate atomic.Pointer[gate]
}

// gate blocks callers of a stopped clock.
type gate struct {
	once    sync.Once
	asked   chan struct{} // closed at the first call
	resumed chan struct{}
}

func newClock(t time.Time) *clock {
	c := &clock{}
	c.now.Store(t.UnixNano())
	return c
}

// Now returns the time.
func (c *clock) Now() time.Time {
	if g := c.gate.Load(); g != nil {
		g.once.Do(func() { close(g.asked) })
		<-g.resumed
	}
	return time.Unix(0, c.now.Load()).UTC()
}

// stop blocks all callers of Now until resume is called, once. asked is closed when the first
// caller is blocked.
func (c *clock) stop() (asked <-chan struct{}, resume func()) {
	g := &gate{asked: make(chan struct{}), resumed: make(chan struct{})}
	c.gate.Store(g)
	return g.asked, func() {
		c.gate.Store(nil)
		close(g.resumed)
	}
}

func (c *clock) forward(d time.Duration) { c.now.Add(int64(d)) }

// faults makes commits fail, in order.
type faults struct {
	mu   sync.Mutex // guards all
	list []store.Fault
	hold func() // called before the next commit
}

func (f *faults) next() store.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if hold := f.hold; hold != nil {
		f.hold = nil
		f.mu.Unlock()
		defer f.mu.Lock()
		hold()
		return store.NoFault
	}
	if len(f.list) == 0 {
		return store.NoFault
	}
	first := f.list[0]
	f.list = f.list[1:]
	return first
}

func (f *faults) plan(list ...store.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = list
}

// pause calls do before the next commit.
func (f *faults) pause(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold = do
}

// logBook records the service's log.
type logBook struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write adds to the log.
func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
