// Package httpapi serves the API, the public log and the page over HTTP: it maps each operation of
// the contract to a use case, authenticates the caller, and is the only place where an error
// becomes a status.
//
// Wire types are defined here and nowhere else: no service sees a wire type, and no answer holds a
// table row. An operation is one typed function, registered in the file of its service (account.go,
// run.go, chain.go). Package contract decodes and validates its input, and generates
// api/openapi.yaml from the same types.
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
	"roshambo/internal/ledger/audit"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/presence"
	"roshambo/internal/server/preview"
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
)

// Config configures the interface.
type Config struct {
	DB       *store.DB
	Ledger   *ledger.Ledger
	Auditor  *audit.Auditor // of the ledger
	Accounts *account.Service
	Runs     *run.Service
	Duels    *duel.Service
	Market   *market.Service
	Arena    *arena.Service
	Cups     *cup.Service
	Holdings *portfolio.Service
	Score    *score.Service
	Teams    *team.Service
	Answers  *idempotency.Answers
	Hub      *event.Hub // wakes long polls and streams
	Events   *event.Log
	Tail     *event.Tail  // this node's reader of the log of events
	Page     http.Handler // the web page, for every path outside of the API
	// HasPage reports whether the page has a file at a path; nil means always. At other paths,
	// programs get 404 as JSON, and browsers the page.
	HasPage func(path string) bool
	// ServePage serves the page with what its HTML says about itself; nil is Page, which then says
	// it for all.
	ServePage func(w http.ResponseWriter, r *http.Request, head *PageHead)
	Now       func() time.Time
	// Recovering reports whether the database is behind the signed log; nil for never.
	Recovering func() bool
	Logger     *slog.Logger
	// Secure marks cookies for https only: browsers reach the service by https.
	Secure bool
	// Origin is the service's origin for browsers, for example https://example.org, when it differs
	// from the Host of the requests, as behind a proxy; else "".
	Origin string
	// BodyTime bounds the time a client may take to send a request's body; 0 is 30 s.
	BodyTime time.Duration
	// WriteTime bounds the time a client may take to read each piece of an answer; 0 is 20 s.
	WriteTime time.Duration
	// RateLimit limits the calls of the API from a network address, FileLimit its requests for files
	// of the page, pictures and the public log, and LogLimit the KiB of the public log; nil is no limit.
	RateLimit, FileLimit *limit.Log
	LogLimit             *limit.Limiter
	// SharedAddresses are addresses that many people share, and so are private ones with SharePrivate:
	// there RateLimit counts a call by its session or key, if that was valid.
	SharedAddresses limit.Ranges
	SharePrivate    bool
	// MailLimit limits mails to one mailbox, ClientMailLimit those that one network address
	// requests; nil is no limit.
	MailLimit       *limit.Limiter
	ClientMailLimit *limit.Budget
	// PictureLimit limits the pictures of link previews that are drawn for one network address;
	// nil is no limit.
	PictureLimit *limit.Budget
	// AccountLimit limits the new accounts of one network address; nil is no limit.
	AccountLimit *limit.Budget
	// FreeStarts limits the new accounts of one network address with a free start, and FreeWins its
	// free and daily runs that win free tokens, in each UTC day: the day is the name of an action.
	// Beyond that starts and tokens are bound. Nil is no limit.
	FreeStarts, FreeWins *limit.Budget
	// RankedDailies limits the daily runs of one network address that the day's board shows: accounts
	// are not people, and the best of many tries would lead. Nil is no limit.
	RankedDailies *limit.Budget
	// ListingLimit, DuelLimit, CupLimit and VerifyLimit limit the new listings, the new duels by code
	// and against the sparring bot, the new cups, and the fresh verifications of the chain of one network address;
	// nil is no limit.
	ListingLimit, DuelLimit, CupLimit, VerifyLimit *limit.Budget
	// FailureLimits are the limits by network address that Accounts enforces on failed logins,
	// for all usernames and for one. GET /api/limits lists them; nil is no limit.
	FailureLimits struct{ ByClient, ByNameAndClient *limit.Budget }
	// ConnectionLimit is the number of connections that the server admits from one network
	// address; 0 is no limit. ConnectionsExemptPrivate reports whether it counts none of
	// private addresses. GET /api/limits lists both.
	ConnectionLimit          int
	ConnectionsExemptPrivate bool
	// Presence tracks which sides watch their duels; nil for none.
	Presence *presence.Tracker
	// NetworkKey is the secret key of the hashes of network addresses, by which no two bots of one address
	// are paired; nil charges no network with anything. PairPrivate pairs players of loopback and private
	// addresses, which are charged with nothing.
	NetworkKey  []byte
	PairPrivate bool
	// Heartbeat is the interval of comments on a silent stream; 0 is 15 s.
	Heartbeat time.Duration
	// TrustedProxies are addresses and ranges of proxies whose X-Forwarded-For is trusted.
	TrustedProxies []string
	// PublishSignedOut asks other nodes to call RecheckSessions with an address. It must not block.
	// Nil on a single node.
	PublishSignedOut func(address string)
	// PublishViewer asks other nodes to call NoteViewer with a key. It must not block. Nil on a single
	// node.
	PublishViewer func(key string)
	// Relayed reports whether the Hub receives the wake-ups of other nodes; nil on a single node.
	// While it does not, long polls poll every relayDownPoll.
	Relayed func() bool
	// Witnesses is the policy that readers are told.
	Witnesses WitnessPolicy
	// Used is called with each request from outside of the process, except for reads of the public
	// log, and with each heartbeat of a stream. It must not block; nil is none.
	Used func()
	// Folder is that of temporary files; "" is the system's.
	Folder string
	// Observers see every request.
	Observers []Observer
}

// Version is the version of the contract.
const Version = "0.1.0"

// API serves the API, the public log and the web page. It is an http.Handler.
type API struct {
	Config
	contract  *contract.API
	clients   clientIP
	origin    *http.CrossOriginProtection
	openapi   document
	rows      rowCache    // encoded rows of leaderboards
	pages     marketPages // encoded pages of the market
	quota     streamQuota
	duelCache duelCache
	exports   chan struct{} // holds a value for each export in progress
	tv        tv
	viewers   viewers
	pictures  preview.Pictures // of link previews
	longPolls atomic.Int64     // requests that wait
	streams   event.Hub        // wakes streams for a step of a duel, or to check their session
	draining  <-chan struct{}  // closed by drain
	drain     func()
}

// New returns the interface for c. A zero c suffices for its document.
func New(c Config) (*API, error) {
	c.WriteTime = cmp.Or(c.WriteTime, writeTime)
	c.BodyTime, c.Heartbeat = cmp.Or(c.BodyTime, bodyTime), cmp.Or(c.Heartbeat, defaultHeartbeat)
	a := &API{Config: c, origin: http.NewCrossOriginProtection(),
		exports: make(chan struct{}, exportsPerNode)}
	draining := make(chan struct{})
	a.draining, a.drain = draining, sync.OnceFunc(func() { close(draining) })
	if c.Origin != "" {
		if err := a.origin.AddTrustedOrigin(c.Origin); err != nil {
			return nil, fmt.Errorf("httpapi: %w", err)
		}
	}
	a.contract = contract.New(contract.Info{
		Title: "Provably Fair Rock-Paper-Scissors", Version: Version, Description: description,
	}, contract.Options{Register: complete, Before: a.before, Checked: a.checked, Settle: a.settle, Fail: a.fail,
		NoNUL:   true,
		MaxBody: maxBodyBytes})
	a.contract.SetSecuritySchemes(securitySchemes()...)
	a.contract.SetCommonErrors(commonErrors()...)
	a.contract.SetCommon(common())
	var err error
	if c.Events != nil {
		c.Events.OnCorrection(func() { a.tv.stale.Store(true) })
	}
	if a.clients, err = newClientIP(c.TrustedProxies); err != nil {
		return nil, err
	}
	a.accountOperations()
	a.authOperations()
	a.ownerOperations()
	a.eraseOperations()
	a.developerOperations()
	a.runOperations()
	a.proofOperations()
	a.duelOperations()
	a.tvOperations()
	a.marketOperations()
	a.arenaOperations()
	a.cupOperations()
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
	generated.once.Do(func() { generated.openapi, generated.err = newDocument(a.contract) })
	if a.openapi = generated.openapi; generated.err != nil {
		return nil, fmt.Errorf("httpapi: document: %w", generated.err)
	}
	return a, nil
}

// generated caches the document, which does not depend on the configuration: a process with many
// interfaces, as in tests, generates it once.
var generated struct {
	once    sync.Once
	openapi document
	err     error
}

// YAML returns the contract as it is committed, api/openapi.yaml.
func (a *API) YAML() ([]byte, error) { return a.contract.Document().YAML() }

const description = `Free-to-play Rock-Paper-Scissors with verifiable results: guests play house runs for tiers that become tokens on a simulated chain. Coins and tokens are virtual and worth no money.

Every answer carries X-Request-Id. Errors are {code, message, request_id} with a code of a list that may grow (docs/errors.md), or 422 with every violation of the schema at once.`

// docsPath is the path of the interactive documentation, a page among the others.
const docsPath = "/api/docs"

// ServeHTTP routes a request to the API, the public log, the pictures of previews or the web page.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.setHeaders(w.Header())
	if len(r.TransferEncoding) > 0 {
		// A Content-Length beside it is not visible any more: the two are how requests are smuggled, and
		// RFC 9112, section 6.1, requires that the connection ends. Few clients send chunks.
		w.Header().Set("Connection", "close")
	}
	o, r := a.observe(w, r)
	defer o.end(r)
	defer a.recovered(o, r)
	a.boundBody(o, r)
	api := r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/")
	if api {
		allowOrigin(o, r)
	}
	docs := r.URL.Path == docsPath || r.URL.Path == docsPath+"/"
	logs, pictures := strings.HasPrefix(r.URL.Path, logPath), strings.HasPrefix(r.URL.Path, picturePath)
	if err := a.countRequest(o, r, api && !docs); err != nil {
		if page := docs || !api && !logs && !pictures; page && r.Method == http.MethodGet && readsHTML(r) {
			a.askToWait(o, r, err)
		} else {
			a.fail(o, r, err)
		}
		return
	}
	if a.Used != nil && !isInProcess(r.Context()) && !logs {
		a.Used()
	}
	if a.Recovering != nil && a.Recovering() {
		o.Header().Set(recoveringHeader, "1")
	}
	switch {
	case api && preflight(o, r):
		o.operation = preflightOperation
	case api && !isUTF8(r.URL.EscapedPath(), r.URL.RawQuery):
		a.fail(o, r, contract.ErrBadPath)
	case docs:
		o.operation = docsOperation
		a.servePage(o, r)
	case api:
		a.contract.ServeHTTP(o, r) // before sets o.operation
	case strings.IndexByte(r.URL.Path, 0) >= 0: // no file name holds U+0000
		a.fail(o, r, contract.ErrNotFound)
	case logs:
		o.operation = logOperation
		a.serveLog(o, r)
	case pictures:
		o.operation = pictureOperation
		a.servePicture(o, r)
	default:
		o.operation = pageOperation
		a.servePage(o, r)
	}
}

// servePage serves the web page. At paths without a file, it answers programs, which do not accept
// HTML, with 404 as JSON.
func (a *API) servePage(w http.ResponseWriter, r *http.Request) {
	if !a.readOnly(w, r) {
		return
	}
	if !readsHTML(r) && a.HasPage != nil && !a.HasPage(r.URL.Path) {
		a.fail(w, r, contract.ErrNotFound)
		return
	}
	if a.ServePage == nil {
		a.Page.ServeHTTP(w, r)
		return
	}
	a.ServePage(w, r, a.pageHead(r.Context(), r.URL.Path))
}

// readsHTML reports whether a request accepts HTML, as those of a browser that opens a page do.
func readsHTML(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// recoveringHeader says that answers to reads may be older than earlier ones: the database is behind the
// signed log, and writes are refused.
const recoveringHeader = "Roshambo-Recovering"

// setHeaders sets the headers that every answer has.
func (a *API) setHeaders(h http.Header) {
	h.Set("X-Request-Id", newRequestID())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if a.Secure { // for a year; subdomains are not the service's to decide
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// bodyTime is the default of Config.BodyTime.
const bodyTime = 30 * time.Second

// boundBody sets a deadline for the request's body, so that slow clients hold neither connections
// nor a stop of the service.
func (a *API) boundBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 { // -1: unknown
		setReadDeadline(w, time.Now().Add(a.BodyTime)) //nolint:forbidigo // deadlines of connections are in real time
	}
}

// complete adds to an operation what the interface enforces for all of them.
func complete(op *contract.Operation) {
	documentScope(op)
	documentBudget(op)
}

// checked runs once the input is valid. It removes the read deadline, which would cut off long
// polls and streams, and prepares the replay of repeated calls.
func (a *API) checked(ctx context.Context, op *contract.Operation, r *http.Request, body []byte) (context.Context,
	error) {
	e := stateOf(ctx)
	if r.ContentLength != 0 {
		setReadDeadline(e.w, time.Time{})
	}
	var err error
	if e.repeat, err = repeatable(e, op, body); err != nil {
		return ctx, err
	}
	return ctx, a.countBudget(ctx, e, op)
}

// setReadDeadline sets the deadline of the connection. It does nothing for a recorder in tests.
func setReadDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetReadDeadline(t)
}

// newRequestID returns a random id for answers and logs. It is not a secret.
func newRequestID() string {
	return fmt.Sprintf("%016x", rand.Uint64()) //nolint:forbidigo // nothing of the game depends on it
}

// read runs fn on a snapshot, in which the caller is authorised. fn may be retried.
func read[Out any](ctx context.Context, a *API, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out,
	err error) {
	err = a.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		out, err = readAs(ctx, a, tx, fn)
		return err
	})
	return out, err
}

// readOnce is read for a single query: see store.DB.ViewOnce.
func readOnce[Out any](ctx context.Context, a *API, fn func(ctx context.Context, tx *store.Tx) (*Out,
	error)) (out *Out, err error) {
	err = a.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) error {
		out, err = readAs(ctx, a, tx, fn)
		return err
	})
	return out, err
}

// readAs runs fn and authorises the caller in the same snapshot and, on PostgreSQL, in the same message.
// fn changes nothing, so it may run first; an error about the caller comes before its own.
func readAs[Out any](ctx context.Context, a *API, tx *store.Tx, fn func(context.Context, *store.Tx) (*Out,
	error)) (*Out, error) {
	e := stateOf(ctx)
	if e == nil || e.caller == nil || e.caller.anonymous {
		return fn(ctx, tx) // without a caller, or one that was looked up alone
	}
	a.Accounts.PrefetchCaller(tx, e.caller.Credential)
	out, err := fn(ctx, tx)
	if _, refused := a.callerIn(ctx, tx); refused != nil && (err == nil || isRefusal(refused)) {
		return nil, refused
	}
	return out, err
}

// write runs fn as one use case in a serializable transaction, in which the caller is authorised first:
// when write returns no error, all of it is durable; otherwise none of it happened, except for
// store.ErrUnavailable, whose outcome is unknown. fn may be retried.
//
// A repeated call with an Idempotency-Key gets the answer of the first one, if its caller may still call.
func write[Out any](ctx context.Context, a *API, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out,
	err error) {
	return writeAt(ctx, a, store.Serializable, fn)
}

// writeAt is write at another isolation level, for use cases that state why it suffices.
func writeAt[Out any](ctx context.Context, a *API, level store.Isolation, fn func(ctx context.Context,
	tx *store.Tx) (*Out, error)) (out *Out, err error) {
	e := stateOf(ctx)
	if e.repeat != nil {
		end, errBegin := a.Answers.Begin(*e.repeat)
		if errBegin != nil {
			return nil, errBegin
		}
		defer end()
	}
	runs := 0
	ctx = fairshare.With(ctx, a.networkTag(e.r))
	err = a.DB.UpdateAt(ctx, level, func(ctx context.Context, tx *store.Tx) error {
		runs++
		if err := a.authorise(ctx, tx); err != nil {
			out = nil
			return err
		}
		if e.caller != nil {
			if err := a.Accounts.NoteUse(ctx, tx, e.caller.address, a.useOf(e.r).Networks); err != nil {
				return err
			}
		}
		out, err = once(ctx, a, tx, fn)
		return err
	})
	responseOf(e.w).reruns += max(0, runs-1)
	return out, err
}

// endsCallers are the operations that end sessions or keys of their caller's account, beside those that
// need no caller.
var endsCallers = map[string]bool{"logout": true, "endSession": true, "endOtherSessions": true, "changePassword": true,
	"deleteAccount": true, "revokeKey": true, "rotateBotKey": true, "register": true, "login": true,
	"redeemMagicLink": true, "redeemPasswordReset": true}

// locksAccount are the operations that lock or change the account's row, in the order of account.AuthoriseEnd:
// those below Serializable that add what the deletion of the account must end, and those that count or change
// what the account has.
var locksAccount = map[string]bool{"createDuel": true, "joinDuel": true, "spar": true, "rematchDuel": true,
	"listToken": true, "createKey": true, "createBot": true, "rename": true, "removeMailbox": true, "useFaucet": true}

// needsAccount are the operations that change something and use more of their caller than its address.
var needsAccount = map[string]bool{"createDuel": true, "joinDuel": true, "spar": true, "rematchDuel": true,
	"quickMatch": true, "createCup": true, "joinCup": true, "leaveCup": true, "resignDuel": true}

// authorise authorises the caller of a use case before anything else happens in its transaction. A use case
// that needs only the caller's address shares its next round trip.
func (a *API) authorise(ctx context.Context, tx *store.Tx) error {
	e := stateOf(ctx)
	c, op := e.caller, responseOf(e.w).operation
	if c == nil {
		return nil
	}
	if endsCallers[op] {
		found, err := a.Accounts.AuthoriseEnd(ctx, tx, c.Credential, c.address)
		return c.admit(found, tx, err)
	}
	if locksAccount[op] {
		if err := a.Accounts.AddsTo(ctx, tx, c.address); err != nil {
			return c.admit(account.Caller{}, tx, err)
		}
	}
	if !needsAccount[op] {
		assumed, err := a.Accounts.AuthoriseAssumed(ctx, tx, c.Credential, c.address, c.needed)
		c.known, c.settled = false, assumed
		if assumed || err != nil {
			return err
		}
	}
	_, err := a.callerIn(ctx, tx)
	return err
}
