package app

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/client/agent"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/lease"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/mail"
	"roshambo/internal/platform/metrics"
	"roshambo/internal/platform/presence"
	"roshambo/internal/platform/trace"
	"roshambo/internal/platform/vault"
	"roshambo/internal/server/adminpage"
	"roshambo/internal/server/api"
	"roshambo/internal/server/docpage"
	"roshambo/internal/server/edge"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
	"roshambo/internal/store/filelock"
	"roshambo/web"
)

// Service is the whole service on its database, as Build returns it. The exported fields are
// its parts. They are set once, by Build, and are safe for concurrent use.
//
// A built service answers requests through API, but runs no background work: nothing is sealed,
// swept or mailed until Serve starts the loops. Tests call the work they need directly, for
// example Ledger.SealBlock.
type Service struct {
	DB       *store.DB
	Hub      event.Hub
	Events   *event.Log
	Tail     *event.Tail
	Ledger   *ledger.Ledger
	Accounts *account.Service
	Runs     *run.Service
	Duels    *duel.Service
	Market   *market.Service
	Arena    *arena.Service
	Cups     *cup.Service
	Holdings *portfolio.Service
	Score    *score.Service
	Teams    *team.Service
	Edge     *edge.Edge
	API      *api.API

	config   Config
	folder   *filelock.Lock // of the data folder of a node on PostgreSQL; nil on SQLite, whose file is locked
	secret   []byte         // the seed key, from which the keys of all purposes are derived
	log      *slog.Logger
	relay    *event.Relay
	askers   chan string       // nodes that ask this one to compare (asking.go)
	presence *presence.Tracker // of sides at their duels
	leases   *lease.Keeper
	answers  *idempotency.Answers
	redis    *limit.Redis // nil: limits are kept in memory
	metrics  *metrics.Metrics
	// strangers limits what calls of the operators' API without its token add to the log of acts.
	strangers strangers
	tracer    *trace.Tracer // nil: no traces
	readings  readings
	backups   *backups // nil: none are scheduled
	page      *adminpage.Page
	// attention is marked by the API and by other nodes; the house bots play while it lasts.
	attention *attention
	draining  atomic.Bool // set once a signal to stop arrives

	failureLimits struct{ ByClient, ByNameAndClient *limit.Budget } // listed by GET /api/limits
	addressLimits []interface{ DropExpired() }                      // all limits by network address
}

// Overrides replaces single parts of the composition in tests. The zero value replaces nothing.
type Overrides struct {
	// SeedRand is the source of the seeds of house runs; nil is crypto/rand.
	SeedRand io.Reader
	// Rand is the source of all other randomness of accounts and duels; nil is crypto/rand.
	Rand io.Reader
	// Faults makes commits and statements of the database fail.
	Faults *store.Faults
	// Rules are the rules of the game; nil is the product's.
	Rules *chain.Rules
	// PasswordCost is the cost of hashing a password; nil is account.Recommended.
	PasswordCost *account.Cost
	// EventPoll is how often the reader of the event log polls for events of other nodes;
	// 0 is eventPoll.
	EventPoll time.Duration
	// SingleNode makes a node on PostgreSQL assume that it is the only one, as a node on SQLite
	// is: it uses its own clock alone and sends other nodes nothing.
	SingleNode bool
	// HostClock replaces this node's clock (store.Config).
	HostClock func() (wall time.Time, elapsed time.Duration)
	// Edge, when set, changes the configuration of the interface before it is built.
	Edge func(*edge.Config)
}

// Build wires the whole service on its database. It is the only place that does: Serve, the
// tests of the API and the simulation all run what it returns.
//
// It creates the data folder, the keys and the chain where they do not exist yet, and migrates
// the schema. The caller has called c.Check, and closes the service. A chain that other keys
// sign is an error that names the remedy.
func Build(ctx context.Context, c Config) (*Service, error) {
	s := &Service{config: c, log: c.logger(), metrics: metrics.New(api.Version),
		askers: make(chan string, maxAskers)}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err := s.openTrace(ctx); err != nil {
		return nil, err
	}
	if err := s.lockFolder(); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.unlockFolder())
	}
	return s, nil
}

// open opens the database and builds the parts on it.
func (s *Service) open(ctx context.Context) error {
	c := &s.config
	made := c.keysMissing()
	options := store.Config{Logger: s.log, Faults: c.Overrides.Faults, Trace: s.traceDatabase(), Now: c.Now,
		HostClock: c.Overrides.HostClock}
	db, k, err := c.openStore(ctx, options)
	if err != nil {
		return err
	}
	s.DB = db
	s.config.Now = s.DB.Now
	c.warnOfWideKeys(s.log)
	if c.Demo && !strings.HasPrefix(k.VerifierKey, demoChainPrefix) {
		return errors.Join(errNoDemo, s.DB.Close())
	}
	if err := s.wire(store.Within(ctx, store.CommandTrip), k); err != nil {
		return errors.Join(c.otherKeys(err, made), s.DB.Close())
	}
	return nil
}

// Close closes the database and sends the last traces. No request and no background work may be
// running.
func (s *Service) Close() error {
	err := errors.Join(s.DB.Close(), s.unlockFolder())
	s.closeTrace()
	return err
}

// wire builds the parts on the open database, in the order of their dependencies. Where two
// parts refer to each other, the earlier one gets an adapter (adapter_*.go), which holds the
// Service and reads the later part when it is called.
func (s *Service) wire(ctx context.Context, k keys) (err error) {
	if s.secret, err = k.seedKey(); err != nil {
		return err
	}
	s.wireNodes()
	if err := s.wireEvents(ctx); err != nil {
		return err
	}
	if err := s.wireLedger(ctx, k); err != nil {
		return err
	}
	if s.config.Redis != "" {
		if s.redis, err = limit.NewRedis(s.config.Redis, s.log); err != nil {
			return err
		}
	}
	if err := s.wireRuns(ctx); err != nil {
		return err
	}
	if err := s.wireAccounts(); err != nil {
		return err
	}
	if err := s.wireDuels(); err != nil {
		return err
	}
	s.wireMarket()
	if err := s.wireScore(ctx); err != nil {
		return err
	}
	// Before any use case: until then the seeds of a restored database are not safe.
	if err := s.recoverRuns(ctx); err != nil {
		return err
	}
	s.Ledger.OnLoss(s.forget)
	if s.Ledger.Recovering() { // by the mark that the recovery has taken
		if err := s.Ledger.UpdateHeadFile(ctx); err != nil {
			return rollbackAdvice(err, s.config.Data)
		}
	}
	s.DB.Guard(s.Ledger.CheckWritable)
	if err := s.wireBackups(); err != nil {
		return err
	}
	if s.answers, err = idempotency.New(s.secret); err != nil {
		return err
	}
	s.wirePage()
	return s.wireAPI()
}

// alone reports whether no other node uses the database.
func (s *Service) alone() bool { return s.DB.Exclusive() || s.config.Overrides.SingleNode }

// wireEvents builds the log of events and this node's reader of it.
func (s *Service) wireEvents(ctx context.Context) (err error) {
	s.Events = &event.Log{DB: s.DB, Hub: &s.Hub}
	s.Tail, err = event.NewTail(ctx, s.Events, cmp.Or(s.config.Overrides.EventPoll, eventPoll), s.log)
	return err
}

// wireLedger opens the chain. An error that means that the database is behind the signed tree
// carries advice.
func (s *Service) wireLedger(ctx context.Context, k keys) error {
	signer, err := k.signer()
	if err != nil {
		return err
	}
	head, err := openHeadFile(s.config.Data)
	if err != nil {
		return err
	}
	r := rules()
	if s.config.Overrides.Rules != nil {
		r = *s.config.Overrides.Rules
	}
	_, known := head.Size()
	policy := s.config.witnessPolicy()
	c := ledger.Config{
		DB: s.DB, Rules: r, Signer: signer, VerifierKey: k.VerifierKey, File: head, Now: s.config.Now, Logger: s.log,
		Witnesses: policy.Keys, Quorum: int(policy.Quorum),
	}
	if s.Ledger, err = ledger.Open(ctx, c); err != nil {
		if err := s.acceptAtStart(ctx, err, head); err != nil {
			return rollbackAdvice(err, s.config.Data)
		}
		if s.Ledger, err = ledger.Open(ctx, c); err != nil {
			return rollbackAdvice(err, s.config.Data)
		}
	}
	if !known && !s.alone() {
		if err := s.askBeforeBelieving(ctx); err != nil {
			return err
		}
	}
	// Before Resume, which may seal a block, and after Open, whose genesis block is no event.
	s.Ledger.ListenSealed(eventPoster{s.Events})
	return rollbackAdvice(s.Ledger.Resume(ctx), s.config.Data)
}

// wireRuns builds the house runs, and checks that the seed key opens the stored seeds: a wrong
// key has to fail at the start, not at the first throw.
func (s *Service) wireRuns(ctx context.Context) error {
	seeds, err := run.NewSeeds(s.secret, cmp.Or[io.Reader](s.config.Overrides.SeedRand, rand.Reader))
	if err != nil {
		return err
	}
	s.Runs = &run.Service{DB: s.DB, Ledger: s.Ledger, Seeds: seeds, Listener: scoreReporter{s}}
	if err := s.Runs.CheckKey(ctx); err != nil {
		return fmt.Errorf("keys: %w; put %s back from a backup of this data folder", err, keysFile)
	}
	return nil
}

// wireAccounts builds the accounts, with the limits on logins and the mailer of links.
func (s *Service) wireAccounts() error {
	hasher, err := s.newHasher()
	if err != nil {
		return err
	}
	failures, err := s.failures()
	if err != nil {
		return err
	}
	tokens, err := vault.New(s.secret, "magic link")
	if err != nil {
		return err
	}
	mailer, err := s.mailer()
	if err != nil {
		return err
	}
	networkKey, err := hkdf.Key(sha256.New, s.secret, nil, "roshambo network addresses of accounts", sha256.Size)
	if err != nil {
		return fmt.Errorf("app: key of network addresses: %w", err)
	}
	s.Accounts = &account.Service{
		DB: s.DB, Ledger: s.Ledger, Commitments: s.Runs, Listener: scoreReporter{s},
		Now: s.config.Now, Rand: cmp.Or[io.Reader](s.config.Overrides.Rand, rand.Reader),
		Faucet: account.Faucet{Below: faucetBelow, Every: faucetEvery},
		Hasher: hasher, Vault: tokens, Failures: failures,
		RefuseWeak: s.config.refusesWeak(), NetworkKey: networkKey,
	}
	s.Accounts.Links = account.NewLinks(s.Accounts, mailer)
	s.Accounts.Links.Sent = func(kind, requestID string) {
		s.log.Info("security", "event", "link_sent", "kind", kind, "request_id", requestID)
	}
	return nil
}

// wireDuels builds the duels and the arena, which start and finish duels of each other.
func (s *Service) wireDuels() (err error) {
	s.presence = presence.New(&presence.Tracker{Now: s.config.Now, Publish: s.publish(relayPresence),
		Changed: func(key string) {
			code, _, _ := strings.Cut(key, "/")
			s.Hub.WakeLocal(event.Presence(code))
		}})
	c := duel.Config{
		DB: s.DB, Ledger: s.Ledger, Events: s.Events, Now: s.config.Now,
		Rand:   cmp.Or[io.Reader](s.config.Overrides.Rand, rand.Reader),
		Secret: s.secret, HoldOpponent: s.holdOpponent, Rating: ratingUpdater{s},
		Listeners: []duel.Listener{scoreReporter{s}, cupRecorder{s}},
	}
	if s.config.Class {
		c.Practice = isHouse // so the boards are the class's alone
	}
	if s.Duels, err = duel.New(c); err != nil {
		return err
	}
	s.Arena = arena.New(arena.Service{
		DB: s.DB, Duels: rankedDuels{s}, Quick: quickDuels{s.Duels, s.Accounts}, Cups: cupSeats{s}, Events: s.Events,
		Now: s.config.Now, Logger: s.log,
	})
	s.wireCups()
	return nil
}

// wireMarket builds the market and the portfolios. Both follow every transaction of the ledger,
// which they need themselves, so they are added to it afterwards.
func (s *Service) wireMarket() {
	s.Market = &market.Service{
		Ledger: s.Ledger, Parties: s.Accounts,
		Listeners: []market.Listener{scoreReporter{s}}, Watchers: []market.Watcher{eventPoster{s.Events}},
	}
	s.Holdings = &portfolio.Service{Ledger: s.Ledger}
	s.Ledger.Listen(s.Market)
	s.Ledger.Listen(s.Holdings)
}

// wireScore builds the teams and the score, which reduces the facts that all services report.
func (s *Service) wireScore(ctx context.Context) (err error) {
	s.Teams = &team.Service{Listener: scoreReporter{s}}
	notify := s.publish(relayFacts)
	s.Score, err = score.New(ctx, score.Config{
		DB: s.DB, Ledger: s.Ledger, Teams: s.Teams, Now: s.config.Now, Notify: func() { notify("") },
		Feed: feedPoster{log: s.Events, ledger: s.Ledger},
	})
	return err
}

// mailer sends over SMTP, or writes files into the data folder when no server is configured.
func (s *Service) mailer() (account.Mailer, error) {
	if s.config.SMTP == "" {
		return &mail.Files{Folder: filepath.Join(s.config.Data, mailFolder), From: s.config.MailFrom, Log: s.log}, nil
	}
	return mail.NewSMTP(s.config.SMTP, s.config.MailFrom)
}

// mailFolder is the folder for mails within the data folder, where no SMTP server is configured.
const mailFolder = "mail"

// wireAPI builds the interface. Overrides.Edge sees the whole configuration.
func (s *Service) wireAPI() (err error) {
	c := edge.Config{
		Recovering: s.Ledger.Recovering, TrustedProxies: s.config.TrustedProxies,
		SharedAddresses: s.config.shared(), SharePrivate: s.config.PublicURL == "" && !s.config.LimitPrivate,
		Config: api.Config{
			Ledger: s.Ledger, Auditor: audit.New(s.DB, s.Ledger.VerifierKey(), s.config.Now), Answers: s.answers,
			Events: s.Events, Secure: s.config.secure(), Origin: s.config.origin(), Presence: s.presence,
			NetworkKey: s.networkKey(), PairPrivate: !s.config.LimitPrivate, Class: s.config.Class,
			PublishSignedOut: s.publish(relaySignedOut), Witnesses: s.config.witnessPolicy(), Folder: s.config.Data,
			MailsToFiles: s.config.SMTP == "",
			Config: stream.Config{
				DB: s.DB, Duels: s.Duels, Hub: &s.Hub, Tail: s.Tail, Now: s.config.Now, Used: s.attention.look, Logger: s.log,
			},
			Services: api.Services{
				Accounts: s.Accounts, Runs: s.Runs, Market: s.Market, Arena: s.Arena, Cups: s.Cups, Holdings: s.Holdings,
				Score: s.Score, Teams: s.Teams,
			},
			Limits: api.Limits{FailureLimits: s.failureLimits, ConnectionLimit: connectionsPerAddress,
				ConnectionsExemptPrivate: !s.config.LimitPrivate},
		},
	}
	if !s.alone() {
		c.Relayed, c.PublishViewer = s.relay.Up, s.publish(relayViewer)
	}
	if err := s.wireLimits(&c.Limits); err != nil {
		return err
	}
	if s.config.AdminListen != "" { // without the admin address, no one reads the counters
		c.Observers = append(c.Observers, counted{s.metrics.Requests})
	}
	if s.tracer != nil {
		c.Observers = append(c.Observers, traced{s.tracer})
	}
	if s.config.Overrides.Edge != nil {
		s.config.Overrides.Edge(&c)
	}
	if c.Page == nil {
		page := web.Handler()
		page.Origin = c.Origin
		c.Page, c.HasPage, c.Download = page, page.Has, web.IsProgram
		c.ServePage = func(w http.ResponseWriter, r *http.Request, h *api.PageHead) {
			page.ServeHead(w, r, (*web.Head)(h))
		}
	}
	if c.Docs, err = docpage.Repository(); err != nil {
		return err
	}
	c.Agents = agent.NewHosted(agent.HostedOptions{Service: func() http.Handler { return s.Edge }, Version: Version(),
		Origin: func(r *http.Request) string { return web.OriginOf(c.Origin, r) }, Now: s.config.Now, Log: s.log})
	if s.Edge, err = edge.New(c); err != nil {
		return err
	}
	s.API = s.Edge.API
	return nil
}
