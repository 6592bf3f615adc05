// Package httpapi is the service as HTTP shows it: each operation of the contract
// turned into a use case, who is calling, and the only place where an error becomes
// a status.
//
// Wire types live here alone; no wire type goes further in and no table row comes
// out. An operation is one typed function registered in the file of its noun
// (account.go, run.go, chain.go); package contract reads and checks its input, and
// makes api/openapi.yaml from the same types.
package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/limit"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// Config is what the interface serves.
type Config struct {
	DB       *store.DB
	Ledger   *ledger.Ledger
	Accounts *account.Service
	Runs     *run.Service
	Duels    *duel.Service
	Market   *market.Service
	Arena    *arena.Service
	Holdings *portfolio.Service
	Score    *score.Service
	Teams    *team.Service
	Answers  *idempotency.Answers
	Hub      *event.Hub   // wakes who waits
	Tail     *event.Tail  // of the log of events
	Page     http.Handler // the web page, for every path that is not the API's
	// HasPage says whether there is anything at a path of the page; nil is always. Where there
	// is not, programs are answered as everywhere, and people by the page.
	HasPage func(path string) bool
	Now     func() time.Time
	Logger  *slog.Logger
	// Secure says that browsers reach the service by https: cookies are then
	// marked so.
	Secure bool
	// Origin is where browsers reach the service, for example https://example.org,
	// when that is not the Host of the requests, as behind a proxy; "" otherwise.
	Origin string
	// BodyTime is how long a client may take over a request's body; 30 s when 0.
	BodyTime time.Duration
	// WriteTime is how long a client may take over what it is sent; 20 s when 0.
	WriteTime time.Duration
	// RateLimit is on all requests of a network address; nil is none.
	RateLimit *limit.Log
	// MailLimit is on mails to one mailbox, ClientMailLimit on those that one network
	// address asks for; nil is none.
	MailLimit, ClientMailLimit *limit.Limiter
	// Heartbeat is how often a silent stream shows that it stands; 15 s when 0.
	Heartbeat time.Duration
	// AnswerLimit is on what is stored of an account under its Idempotency-Keys, in KiB;
	// nil is none.
	AnswerLimit *limit.Limiter
	// TrustedProxies are addresses and ranges whose X-Forwarded-For is believed.
	TrustedProxies []string
	// TellSigned tells other nodes of an address that SignedOut is to be called with; nil
	// where there are none. It must not wait.
	PublishSignedOut func(address string)
	// Relayed says whether the Hub hears what other nodes wake; nil where there are none.
	// While it does not, who waits looks now and then.
	Relayed func() bool
	// Observers are told of every request.
	Observers []Observer
}

// Version of the interface description.
const Version = "0.1.0"

// API is the interface. It is an http.Handler.
type API struct {
	Config
	contract *contract.API
	clients  clientIP
	// ratePolicy is a header that never changes.
	ratePolicy []string
	origin     *http.CrossOriginProtection
	openapi    []byte
	docs       docs
	rows       rowCache    // of leaderboards
	pages      marketPages // of the market
	quota      streamQuota
	duelCache  duelCache
	longPolls  atomic.Int64    // requests that wait
	streams    event.Hub       // wakes streams that look whether they still may, and where duels stand
	draining   <-chan struct{} // closed by drain
	drain      func()
}

// New returns the interface over c. For its document alone, c may be zero.
func New(c Config) (*API, error) {
	c.WriteTime = cmp.Or(c.WriteTime, writeTime)
	c.BodyTime, c.Heartbeat = cmp.Or(c.BodyTime, bodyTime), cmp.Or(c.Heartbeat, defaultHeartbeat)
	a := &API{Config: c, origin: http.NewCrossOriginProtection(), docs: newDocs(), ratePolicy: ratePolicy(c.RateLimit)}
	draining := make(chan struct{})
	a.draining, a.drain = draining, sync.OnceFunc(func() { close(draining) })
	if c.Origin != "" {
		if err := a.origin.AddTrustedOrigin(c.Origin); err != nil {
			return nil, fmt.Errorf("httpapi: %w", err)
		}
	}
	a.contract = contract.New(contract.Info{
		Title: "Provably Fair Rock-Paper-Scissors", Version: Version, Description: description,
	}, contract.Options{Before: a.before, Checked: a.checked, Fail: a.fail, NoNUL: true})
	a.contract.SetSecuritySchemes(securitySchemes()...)
	a.contract.SetCommonErrors(commonErrors()...)
	a.contract.SetCommon(common())
	var err error
	if a.clients, err = newClientIP(c.TrustedProxies); err != nil {
		return nil, err
	}
	a.accountOperations()
	a.authOperations()
	a.developerOperations()
	a.runOperations()
	a.proofOperations()
	a.duelOperations()
	a.marketOperations()
	a.arenaOperations()
	a.portfolioOperations()
	a.leaderboardOperations()
	a.seasonOperations()
	a.dailyOperations()
	a.teamOperations()
	a.achievementOperations()
	a.feedOperations()
	a.chainOperations()
	a.followOperations()
	a.limitOperations()
	a.documentOperations()
	made.once.Do(func() { made.openapi, made.err = a.contract.Document().JSON() })
	if a.openapi = made.openapi; made.err != nil {
		return nil, fmt.Errorf("httpapi: document: %w", made.err)
	}
	return a, nil
}

// made holds the document, which does not depend on the configuration, so that a process
// that starts many interfaces, as tests do, makes it once.
var made struct {
	once    sync.Once
	openapi []byte
	err     error
}

// YAML returns the contract as it is committed.
func (a *API) YAML() ([]byte, error) { return a.contract.Document().YAML() }

const description = `Free-to-play Rock-Paper-Scissors that anybody can check: guests play house runs for tiers that become tokens on a simulated chain. Coins and tokens are virtual and worth no money.

Every answer carries X-Request-Id. Errors are {code, message, request_id} with a code of a closed list, or 422 with every violation of the schema at once.`

// ServeHTTP routes between the API, the public log and the web page.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin(w.Header())
	o, r := a.observe(w, r)
	defer o.end(r)
	defer a.recovered(o, r)
	a.boundBody(o, r)
	api := r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/")
	if api {
		allowOrigin(o, r)
	}
	if err := a.countRequest(o, r); err != nil {
		a.fail(o, r, err)
		return
	}
	switch {
	case api && preflight(o, r):
		o.operation = preflightOperation
	case r.URL.Path == docsPath || strings.HasPrefix(r.URL.Path, docsPath+"/"):
		o.operation = docsOperation
		a.serveDocs(o, r)
	case api:
		a.contract.ServeHTTP(o, r) // a.before notes the operation
	case strings.IndexByte(r.URL.Path, 0) >= 0: // in no name of a file
		a.fail(o, r, contract.ErrNotFound)
	case strings.HasPrefix(r.URL.Path, logPath):
		o.operation = logOperation
		a.serveLog(o, r)
	default:
		o.operation = pageOperation
		a.servePage(o, r)
	}
}

// servePage leaves to the page what somebody reads.
func (a *API) servePage(w http.ResponseWriter, r *http.Request) {
	if !a.readOnly(w, r) {
		return
	}
	reads := strings.Contains(r.Header.Get("Accept"), "text/html")
	if !reads && a.HasPage != nil && !a.HasPage(r.URL.Path) {
		a.fail(w, r, contract.ErrNotFound)
		return
	}
	a.Page.ServeHTTP(w, r)
}

// begin sets the headers of every answer.
func begin(h http.Header) {
	h.Set("X-Request-Id", newRequestID())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// bodyTime is the default of Config.BodyTime.
const bodyTime = 30 * time.Second

// boundBody bounds how long the client may take over the body, so that slow ones
// cannot hold connections, or a stop of the service, for nothing.
func (a *API) boundBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 { // -1 when nobody knows
		setReadDeadline(w, time.Now().Add(a.BodyTime)) //nolint:forbidigo // deadlines of connections are in real time
	}
}

// checked runs once the request is read. Its operation may take long, as one does
// that waits for an event; a deadline left standing would cut it off.
func (a *API) checked(ctx context.Context, op *contract.Operation, r *http.Request, body []byte) (context.Context, error) {
	e := stateOf(ctx)
	if r.ContentLength != 0 {
		setReadDeadline(e.w, time.Time{})
	}
	var err error
	e.repeat, err = repeatable(e, op, body)
	return ctx, err
}

// setReadDeadline does nothing where there is no connection: in a recorder of tests.
func setReadDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetReadDeadline(t)
}

// newRequestID names a request in answers and logs. It is no secret.
func newRequestID() string {
	return fmt.Sprintf("%016x", rand.Uint64()) //nolint:forbidigo // nothing of the game depends on it
}

// read runs fn on a snapshot.
func read[Out any](ctx context.Context, a *API, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out, err error) {
	err = a.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		out, err = fn(ctx, tx)
		return err
	})
	return out, err
}

// readOnce is read for what asks the database once: see store.DB.ViewOnce.
func readOnce[Out any](ctx context.Context, a *API, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out, err error) {
	err = a.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) error {
		out, err = fn(ctx, tx)
		return err
	})
	return out, err
}

// write runs fn as one use case: all of it is durable when write returns without an
// error, and nothing of it happened otherwise (but for store.ErrUnavailable, when
// nobody knows).
//
// A call with an Idempotency-Key that was answered before is answered the same again.
func write[Out any](ctx context.Context, a *API, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out, err error) {
	return writeAt(ctx, a, store.Serial, fn)
}

// writeAt is write for use cases that need not be kept from all others.
func writeAt[Out any](ctx context.Context, a *API, level store.Isolation, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out, err error) {
	e := stateOf(ctx)
	if e.repeat != nil {
		end, errBegin := a.beginRepeatable(ctx, *e.repeat)
		if errBegin != nil {
			return nil, errBegin
		}
		defer func() { end(ctx, e.stored, err) }()
	}
	runs := 0
	err = a.DB.UpdateAt(ctx, level, func(ctx context.Context, tx *store.Tx) error {
		runs++
		out, err = once(ctx, a, tx, fn)
		return err
	})
	responseOf(e.w).reruns += max(0, runs-1)
	return out, err
}
