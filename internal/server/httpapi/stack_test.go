package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/mail"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/platform/vault"
	"roshambo/internal/server/httpapi"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// stack is the whole service below HTTP as it is in production, on a database in a
// temporary folder and behind a real server, but for its clock, which the test turns,
// and the chance of its seed chains, which the test knows. Nothing is sealed unless
// the test asks for it.
type stack struct {
	url      string
	place    store.Config // of the database
	key      string       // the log's verifier key
	clock    *clock
	chance   io.Reader // follows from the seed of this run
	seeds    *seedBook
	faults   *faults
	each     storetest.Statements // makes one of them fail
	log      *logBook
	tokens   tokenBook // that were handed out
	db       *store.DB
	hub      event.Hub
	events   *event.Log
	tail     *event.Tail
	api      *httpapi.API
	ledger   *ledger.Ledger
	accounts *account.Service
	duels    *duel.Service
	market   *market.Service
	arena    *arena.Service
	holdings *portfolio.Service
	score    *score.Service
	teams    *team.Service
	mails    string    // folder
	doc      *document // as the service serves it
}

// patience is how long anything may take that is waited for, on whatever machine.
const patience = 2 * time.Minute

// midday is when every stack's clock begins: a day away from any change of day.
var midday = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// start starts a stack; change, if any, changes what the interface is made of.
func start(t *testing.T, change ...func(*httpapi.Config)) *stack {
	t.Helper()
	s := build(t, change...)
	s.doc = fetchDocument(t, s)
	t.Cleanup(func() { s.searchLog(t) })
	return s
}

// build starts a stack that ends with t.
func build(t testing.TB, change ...func(*httpapi.Config)) *stack {
	t.Helper()
	s := &stack{clock: newClock(midday), chance: testseed.Reader(t), seeds: newSeedBook(), faults: &faults{}, log: &logBook{}}
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := s.wire(t, logger)
	for _, f := range change {
		f(&c)
	}
	api, err := httpapi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s.api = api
	server := httptest.NewUnstartedServer(api)
	server.Listener = api.Listener(server.Listener)
	server.Config.MaxHeaderBytes = 32 << 10
	server.Config.DisableGeneralOptionsHandler = true
	server.Config.ErrorLog = slog.NewLogLogger(logger.Handler(), slog.LevelDebug)
	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// common is the stack that shared returns, and the process that it ends with.
var common struct {
	once    sync.Once
	process *process
	stack   *stack
}

// shared returns one stack for all tests that change nothing that another test could see: they
// read, send what is refused, or write to accounts that they have made themselves. Its clock
// stands still, it seals nothing, and its commits do not fail. A test that needs any of that,
// lists or counts what all accounts share, or counts statements, starts a stack of its own.
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
	folder, err := os.MkdirTemp("", "roshambo-httpapi-")
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

// TestMain ends what the tests share.
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

// wire puts the parts together as package app does.
func (s *stack) wire(t testing.TB, logger *slog.Logger) httpapi.Config {
	t.Helper()
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	s.place = storetest.New(t)
	faults := &store.Faults{Commit: s.faults.next, Statement: s.each.Faults().Statement}
	s.db, err = store.Open(t.Context(), storetest.At(s.place, store.Config{Logger: logger, Faults: faults}))
	fail(err)
	t.Cleanup(func() {
		if err := s.db.Close(); err != nil {
			t.Error(err)
		}
	})
	secret, public, err := note.GenerateKey(s.chance, "roshambo-test")
	fail(err)
	signer, err := note.NewSigner(secret)
	fail(err)
	s.key = public
	s.events = &event.Log{DB: s.db, Hub: &s.hub, Now: s.clock.Now}
	s.tail, err = event.NewTail(t.Context(), s.events, time.Hour, logger)
	fail(err)
	s.ledger, err = ledger.Open(t.Context(), ledger.Config{
		DB: s.db, Rules: testRules(), Signer: signer, VerifierKey: public, Now: s.clock.Now, Logger: logger,
	})
	fail(err)
	s.ledger.ListenSealed(httpapi.Announcer{Log: s.events})
	seeds, err := run.NewSeeds(bytes.Repeat([]byte{7}, 32), s.seeds)
	fail(err)
	runs := &run.Service{DB: s.db, Ledger: s.ledger, Seeds: seeds, Now: s.clock.Now}
	s.duels, err = duel.New(duel.Config{
		DB: s.db, Ledger: s.ledger, Events: s.events, Now: s.clock.Now, Rand: s.chance, Secret: bytes.Repeat([]byte{6}, 32),
	})
	fail(err)
	s.wireAccounts(t, runs, logger)
	s.arena = arena.New(arena.Service{
		DB: s.db, Duels: httpapi.RankedDuels{Duels: s.duels, Accounts: s.accounts}, Events: s.events, Now: s.clock.Now, Logger: logger,
	})
	s.duels.Rating = httpapi.DuelResults{Arena: s.arena}
	mailLimit, err := limit.New(5, time.Hour)
	fail(err)
	s.wireMarket()
	s.wireScore(t, runs)
	answers, err := idempotency.New(bytes.Repeat([]byte{8}, 32), s.clock.Now)
	fail(err)
	return httpapi.Config{
		DB: s.db, Ledger: s.ledger, Auditor: audit.New(s.db, public, s.clock.Now), Accounts: s.accounts, Runs: runs, Duels: s.duels, Arena: s.arena, Market: s.market, Holdings: s.holdings,
		Score: s.score, Teams: s.teams, Answers: answers, Hub: &s.hub, Tail: s.tail, MailLimit: mailLimit,
		Now: s.clock.Now, Logger: logger,
		Page: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("the page"))
		}),
	}
}

func (s *stack) wireAccounts(t testing.TB, runs *run.Service, logger *slog.Logger) {
	t.Helper()
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	// What a hash costs in earnest is tested in package account.
	hasher, err := account.NewHasher(account.Cost{KiB: 8, Passes: 1, Lanes: 1}, 2)
	fail(err)
	byName, err := limit.New(10, time.Hour)
	fail(err)
	byClient, err := limit.New(100, time.Hour)
	fail(err)
	s.accounts = &account.Service{
		DB: s.db, Ledger: s.ledger, Commitments: runs, Now: s.clock.Now, Rand: s.chance,
		Faucet: account.Faucet{Below: 500, Every: 4 * time.Hour},
		Hasher: hasher, Failures: account.Failures{ByNameAndClient: throttle{byName}, ByName: throttle{byClient}, ByClient: throttle{byClient}},
		CacheTTL: time.Minute,
		Reserved: map[string]bool{duel.SparringName: true},
	}
	s.accounts.Vault, err = vault.New(bytes.Repeat([]byte{9}, 32), "magic link")
	fail(err)
	s.mails = t.TempDir()
	s.accounts.Links = account.NewLinks(s.accounts, &mail.Files{Folder: s.mails, From: "house@example.org", Log: logger})
}

// wireScore tells package score of what all others report.
func (s *stack) wireScore(t testing.TB, runs *run.Service) {
	t.Helper()
	s.teams = &team.Service{Now: s.clock.Now}
	var err error
	s.score, err = score.New(t.Context(), score.Config{
		DB: s.db, Ledger: s.ledger, Teams: s.teams, Now: s.clock.Now,
		Feed: httpapi.Teller{Log: s.events, Material: func(k int64) string { return s.ledger.Rules().Tier(k).Material }},
	})
	if err != nil {
		t.Fatal(err)
	}
	facts := httpapi.Facts{Score: s.score}
	runs.Listener, s.accounts.Listener, s.teams.Listener = facts, facts, facts
	s.duels.Listeners = append(s.duels.Listeners, facts)
	s.market.Listeners = append(s.market.Listeners, facts)
}

// settle reacts to what was reported, which a loop does in production.
func (s *stack) settle(t *testing.T) {
	t.Helper()
	if err := s.score.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// follow numbers events, so that streams tell of them, until the test ends.
func (s *stack) follow(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.tail.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
}

func (s *stack) wireMarket() {
	s.market = &market.Service{
		Ledger: s.ledger, Parties: s.accounts, Now: s.clock.Now, Watchers: []market.Watcher{httpapi.Announcer{Log: s.events}},
	}
	s.ledger.Listen(s.market)
	s.holdings = &portfolio.Service{Ledger: s.ledger, Now: s.clock.Now}
	s.ledger.Listen(s.holdings)
}

// throttle is a limiter as package account asks for it.
type throttle struct{ *limit.Limiter }

// Take counts one failure.
func (l throttle) Take(ctx context.Context, key string) (time.Duration, error) {
	d, err := l.Limiter.Take(ctx, key)
	return d.Wait, err
}

// testRules has three tiers, so that a test climbs to the top in three throws.
func testRules() chain.Rules {
	return chain.Rules{
		BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, MarketFeeBPS: 250, StartingBalance: 1000,
		Tiers: []chain.Tier{{Material: "Clay", Value: 96}, {Material: "Wood", Value: 192}, {Material: "Stone", Value: 384}},
	}
}

// seal makes blocks of everything that is pending.
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

// clock is a clock that tests turn, and can stop.
type clock struct {
	now  atomic.Int64
	gate atomic.Pointer[gate]
}

// gate is where those wait who ask for the time of a clock that has stopped.
type gate struct {
	once    sync.Once
	asked   chan struct{} // closed when somebody does
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

// stop has whoever asks for the time wait until resume is called, once. It returns what is
// closed when somebody has asked.
func (c *clock) stop() (asked <-chan struct{}, resume func()) {
	g := &gate{asked: make(chan struct{}), resumed: make(chan struct{})}
	c.gate.Store(g)
	return g.asked, func() {
		c.gate.Store(nil)
		close(g.resumed)
	}
}

func (c *clock) forward(d time.Duration) { c.now.Add(int64(d)) }

// faults makes commits fail, one after the other.
type faults struct {
	mu   sync.Mutex // guards list
	list []store.Fault
}

func (f *faults) next() store.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
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

// logBook keeps what the service logs.
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
