package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/lease"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/mail"
	"roshambo/internal/platform/metrics"
	"roshambo/internal/platform/trace"
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
	"roshambo/web"
)

// service is everything that runs.
type service struct {
	config   Config
	secret   []byte // what keys of all purposes are derived from
	log      *slog.Logger
	db       *store.DB
	hub      event.Hub
	events   *event.Log
	tail     *event.Tail
	relay    *event.Relay
	leases   *lease.Keeper
	ledger   *ledger.Ledger
	accounts *account.Service
	runs     *run.Service
	duels    *duel.Service
	market   *market.Service
	arena    *arena.Service
	holdings *portfolio.Service
	score    *score.Service
	teams    *team.Service
	answers  *idempotency.Answers
	redis    *limit.Redis // nil for none
	api      *httpapi.API
	metrics  *metrics.Metrics
	tracer   *trace.Tracer // nil for none
	readings readings
	draining atomic.Bool // it was told to stop
}

// Serve runs the service until ctx ends, and then drains it: requests under way are
// answered, what is pending is sealed.
func Serve(ctx context.Context, c Config) error {
	if err := c.Check(); err != nil {
		return err
	}
	s, err := open(ctx, c)
	if err != nil {
		return err
	}
	err = s.serve(ctx)
	err = errors.Join(err, s.db.Close())
	s.closeTrace()
	return err
}

// open puts the service together on its database.
func open(ctx context.Context, c Config) (*service, error) {
	s := &service{config: c, log: c.logger(), metrics: metrics.New(httpapi.Version)}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err := s.openTrace(ctx); err != nil {
		return nil, err
	}
	made := c.keysMissing()
	var k keys
	var err error
	if s.db, k, err = c.openStore(ctx, store.Config{Logger: s.log, Faults: c.Faults, Trace: s.traceDatabase()}); err != nil {
		return nil, err
	}
	if err := s.wire(ctx, k); err != nil {
		return nil, errors.Join(c.otherKeys(err, made), s.db.Close())
	}
	return s, nil
}

// wire makes the parts and tells them of one another.
func (s *service) wire(ctx context.Context, k keys) error {
	signer, err := k.signer()
	if err != nil {
		return err
	}
	seedKey, err := k.seedKey()
	if err != nil {
		return err
	}
	s.secret = seedKey
	random := s.config.Rand
	if random == nil {
		random = rand.Reader
	}
	seeds, err := run.NewSeeds(seedKey, random)
	if err != nil {
		return err
	}
	if err := s.wireNodes(); err != nil {
		return err
	}
	s.events = &event.Log{DB: s.db, Hub: &s.hub, Now: s.config.Now, Clock: s.sharedClock()}
	if s.tail, err = event.NewTail(ctx, s.events, eventPoll, s.log); err != nil {
		return err
	}
	head, err := openHeadFile(s.config.Data)
	if err != nil {
		return err
	}
	s.ledger, err = ledger.Open(ctx, ledger.Config{
		DB: s.db, Rules: rules(), Signer: signer, VerifierKey: k.VerifierKey, File: head, Now: s.config.Now, Logger: s.log,
	})
	if err != nil {
		return rollbackAdvice(err, s.config.Data)
	}
	s.ledger.ListenSealed(httpapi.Announcer{Log: s.events})
	if err := s.ledger.Resume(ctx); err != nil {
		return rollbackAdvice(err, s.config.Data)
	}
	if s.config.Redis != "" {
		if s.redis, err = limit.NewRedis(s.config.Redis, s.log); err != nil {
			return err
		}
	}
	s.runs = &run.Service{DB: s.db, Ledger: s.ledger, Seeds: seeds, Now: s.config.Now}
	if err := s.runs.CheckKey(ctx); err != nil {
		return fmt.Errorf("keys: %w; put %s back from a backup of this data folder", err, keysFile)
	}
	s.duels, err = duel.New(duel.Config{
		DB: s.db, Ledger: s.ledger, Events: s.events, Now: s.config.Now, Rand: rand.Reader, Secret: seedKey,
	})
	if err != nil {
		return err
	}
	if err := s.wireAccounts(seedKey); err != nil {
		return err
	}
	s.wireMarket()
	s.arena = arena.New(arena.Service{
		DB: s.db, Duels: httpapi.RankedDuels{Duels: s.duels, Accounts: s.accounts}, Events: s.events, Now: s.config.Now, Logger: s.log,
	})
	s.duels.Rating = httpapi.DuelResults{Arena: s.arena}
	if err := s.wireScore(ctx); err != nil {
		return err
	}
	if s.answers, err = idempotency.New(seedKey, s.config.Now); err != nil {
		return err
	}
	return s.wireAPI()
}

// How many logins may fail in the window before the next has to wait: for a name from
// one network address, for a network address, which many may share, and for a name from
// wherever it may be (account.Failures says why they differ).
const (
	failuresByNameAndClient = 10
	failuresByClient        = 100
	failuresByName          = 60
	failureWindow           = 15 * time.Minute
)

// How many mails with links may be asked for. What a mailbox gets must be 4 an hour or
// more: if somebody else uses it up, a link that still works comes every 15 minutes.
const (
	mailsPerMailbox = 5
	mailsPerClient  = 20
	mailWindow      = time.Hour
)

// How long a lookup of a session or a key is remembered: by a node that cannot hear others,
// by one that does, for the case that what it believes to hear by leads to a server which is
// the primary no longer, and where there is no other node.
const (
	rememberShared = time.Second
	rememberHeard  = 10 * time.Second
	rememberAlone  = time.Minute
)

func (s *service) wireAccounts(secret []byte) error {
	hasher, err := s.newHasher()
	if err != nil {
		return err
	}
	failures, err := s.failures()
	if err != nil {
		return err
	}
	s.accounts = &account.Service{
		DB: s.db, Ledger: s.ledger, Commitments: s.runs, Now: s.config.Now, Rand: rand.Reader,
		Faucet: account.Faucet{Below: faucetBelow, Every: faucetEvery},
		Hasher: hasher, Failures: failures, CacheTTL: rememberShared,
		Reserved: map[string]bool{duel.SparringName: true}, ConnectedCacheTTL: rememberHeard,
	}
	if s.db.Exclusive() {
		s.accounts.CacheTTL = rememberAlone
	} else {
		s.accounts.Connected = s.relay.Receives
		s.accounts.PublishInvalidation = func(tx *store.Tx, what string) error { return s.relay.PublishWith(tx, wordForget+":"+what) }
	}
	if s.accounts.Vault, err = vault.New(secret, "magic link"); err != nil {
		return err
	}
	mailer, err := s.mailer()
	s.accounts.Links = account.NewLinks(s.accounts, mailer)
	return err
}

func (s *service) wireMarket() {
	s.market = &market.Service{Ledger: s.ledger, Parties: s.accounts, Now: s.config.Now}
	s.market.Watchers = []market.Watcher{httpapi.Announcer{Log: s.events}}
	s.holdings = &portfolio.Service{Ledger: s.ledger, Now: s.config.Now}
	s.ledger.Listen(s.market)
	s.ledger.Listen(s.holdings)
}

// wireScore tells package score of what all others report.
func (s *service) wireScore(ctx context.Context) (err error) {
	s.teams = &team.Service{Now: s.config.Now}
	tell := s.tell(wordFacts)
	s.score, err = score.New(ctx, score.Config{
		DB: s.db, Ledger: s.ledger, Teams: s.teams, Now: s.config.Now, Clock: s.sharedClock(), Notify: func() { tell("") },
		Feed: httpapi.Teller{Log: s.events, Material: func(k int64) string { return s.ledger.Rules().Tier(k).Material }},
	})
	if err != nil {
		return err
	}
	facts := httpapi.Facts{Score: s.score}
	s.runs.Listener, s.accounts.Listener, s.teams.Listener = facts, facts, facts
	s.duels.Listeners = append(s.duels.Listeners, facts)
	s.market.Listeners = append(s.market.Listeners, facts)
	return nil
}

// limit returns a limiter that nodes share, where they can.
func (s *service) limit(name string, n int, window time.Duration) (*limit.Limiter, error) {
	if s.redis == nil {
		return limit.New(n, window)
	}
	return s.redis.New(name, n, window)
}

// requestLimit returns the limit on requests in a minute.
func (s *service) requestLimit(n int) (*limit.Log, error) {
	if s.redis == nil {
		return limit.NewLog(n, time.Minute)
	}
	return s.redis.NewLog("requests", n, time.Minute)
}

func (s *service) failures() (f account.Failures, err error) {
	for _, l := range []struct {
		name     string
		throttle *account.Throttle
		max      int
	}{
		{"failures by name and client", &f.ByNameAndClient, failuresByNameAndClient},
		{"failures by client", &f.ByClient, failuresByClient},
		{"failures by name", &f.ByName, failuresByName},
	} {
		limiter, err := s.limit(l.name, l.max, failureWindow)
		if err != nil {
			return f, err
		}
		*l.throttle = throttle{limiter}
	}
	return f, nil
}

// mailer sends over SMTP, or writes files when no server is configured.
func (s *service) mailer() (account.Mailer, error) {
	if s.config.SMTP == "" {
		return &mail.Files{Folder: filepath.Join(s.config.Data, "mail"), From: s.config.MailFrom, Log: s.log}, nil
	}
	return mail.NewSMTP(s.config.SMTP, s.config.MailFrom)
}

// throttle is a limiter as package account asks for it.
type throttle struct{ *limit.Limiter }

// Take counts one failure, and returns how long to wait when it is one too many.
func (t throttle) Take(ctx context.Context, key string) (time.Duration, error) {
	d, err := t.Limiter.Take(ctx, key)
	return d.Wait, err
}

// answersKept is how many KiB of answers are stored in a day for an account that sends
// Idempotency-Keys: some 90 calls a minute, day and night.
const answersKept = 128 << 10

func (s *service) wireAPI() (err error) {
	page := web.Handler()
	c := httpapi.Config{
		DB: s.db, Ledger: s.ledger, Auditor: audit.New(s.db, s.ledger.VerifierKey(), s.config.Now),
		Accounts: s.accounts, Runs: s.runs, Duels: s.duels, Arena: s.arena, Answers: s.answers,
		Hub: &s.hub, Tail: s.tail, Page: page, HasPage: page.Has,
		Now: s.config.Now, Logger: s.log, Secure: s.config.secure(), Origin: s.config.origin(),
		TrustedProxies: s.config.TrustedProxies, TellSigned: s.tell(wordSigned),
	}
	if !s.db.Exclusive() {
		c.Relayed = s.relay.Up
	}
	c.Market, c.Holdings = s.market, s.holdings
	c.Market, c.Score, c.Teams = s.market, s.score, s.teams
	if c.MailLimit, err = s.limit("mails to a mailbox", mailsPerMailbox, mailWindow); err != nil {
		return err
	}
	if c.ClientMailLimit, err = s.limit("mails by client", mailsPerClient, mailWindow); err != nil {
		return err
	}
	if c.AnswerLimit, err = s.limit("stored answers", answersKept, idempotency.Keep); err != nil {
		return err
	}
	if s.config.RateLimit > 0 {
		if c.RateLimit, err = s.requestLimit(s.config.RateLimit); err != nil {
			return err
		}
	}
	if s.config.AdminListen != "" { // otherwise nobody would read what is counted
		c.Observers = append(c.Observers, counted{s.metrics.Requests})
	}
	if s.tracer != nil {
		c.Observers = append(c.Observers, traced{s.tracer})
	}
	s.api, err = httpapi.New(c)
	return err
}

const (
	// readHeaders bounds how long a client may take over its headers, so that slow
	// ones cannot hold connections for nothing. There is no such bound on whole
	// requests: it would end those that wait for an event.
	readHeaders = 10 * time.Second
	idle        = 2 * time.Minute
	maxHeaders  = 32 << 10
)

// errBroken ends a service that could only read: started again it finds out what is stored.
var errBroken = errors.New("nothing can be stored any more, as the disk failed to sync the database: look after the disk; the next start goes on with all that was answered")

func (s *service) serve(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := s.newServer()
	callers := newConnections(connectionsFor(openFiles()), s.api.Refusal, s.log)
	server.ConnState = callers.changed
	listener = &spareListener{Listener: listener, connections: callers}
	server.RegisterOnShutdown(s.api.Drain)
	stopAdmin, err := s.serveAdmin(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	debug.FreeOSMemory() // what getting ready took, which is as much as the service needs
	address := listener.Addr().String()
	s.log.Info("roshambo is up", "url", "http://"+address, "chain", s.ledger.Origin(), "verifier_key", s.ledger.VerifierKey())
	if s.config.Ready != nil {
		s.config.Ready(address)
	}

	s.accounts.Links.Base = cmp.Or(s.config.origin(), "http://"+address)
	// The loops outlive the requests, so that what the last request posted is sealed.
	background := s.start(context.WithoutCancel(ctx))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(s.api.Listener(listener)) }()
	stopHouse := s.openHouse(ctx)
	select {
	case err = <-failed:
	case <-s.db.Broken():
		err = errors.Join(errBroken, s.drain(server, failed))
	case <-ctx.Done():
		err = s.drain(server, failed)
	}
	stopHouse()
	err = errors.Join(err, background.end(), stopAdmin())
	s.log.Info("roshambo is down")
	return err
}

// drain has a server stop. Who sends requests here hears first that this node is not
// ready any more; only then are connections refused.
func (s *service) drain(server *http.Server, failed <-chan error) error {
	s.draining.Store(true)
	s.log.Info("draining", "after", s.config.DrainDelay, "for", s.config.Drain)
	select {
	case err := <-failed:
		return err
	case <-time.After(s.config.DrainDelay):
	}
	return drain(server, s.config.Drain)
}

// drain stops taking connections and waits for the requests under way. Who is not
// done in time is cut off: what it was answered stays, what it was not did not happen
// or is found by reading.
func drain(server *http.Server, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("drain: %w", err), server.Close())
	}
	return nil
}
