// Package edge is the outermost room of the server: it accepts connections and requests, finds out the
// client's network address, counts requests against its limits, sets the headers of every answer, tells
// observers, and serves the files of the page and of the public log. Calls of the API go to package api.
package edge

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/preview"
)

// Config configures the edge, and with api.Config all that stands behind it.
type Config struct {
	api.Config
	Page http.Handler // the web page, for every path outside of the API
	// HasPage reports whether the page has a file at a path; nil means always. At other paths,
	// programs get 404 as JSON, and browsers the page.
	HasPage func(path string) bool
	// ServePage serves the page with what its HTML says about itself; nil is Page, which then says
	// it for all.
	ServePage func(w http.ResponseWriter, r *http.Request, head *api.PageHead)
	// Docs serves the documents as HTML at and below /docs; nil leaves these paths to the page.
	Docs http.Handler
	// Agents serves programs of AI agents at AgentsPath, and sends the calls of its tools to this Edge; nil leaves the
	// path to the page.
	Agents http.Handler
	// Download reports whether the page has a large file at a path, whose bytes and places are counted by the
	// client's address; nil means nowhere.
	Download func(path string) bool
	// Recovering reports whether the database is behind the signed log; nil for never.
	Recovering func() bool
	// BodyTime bounds the time a client may take to send a request's body; 0 is 30 s.
	BodyTime time.Duration
	// WriteTime bounds the time a client may take to read each piece of an answer; 0 is 20 s.
	WriteTime time.Duration
	// SharedAddresses are addresses that many people share, and so are private ones with SharePrivate:
	// there RateLimit counts a call by its session or key, if that was valid.
	SharedAddresses limit.Ranges
	SharePrivate    bool
	// TrustedProxies are addresses and ranges of proxies whose X-Forwarded-For is trusted.
	TrustedProxies []string
	// Observers see every request.
	Observers []Observer
}

// Observer sees every request, for metrics and traces. Its methods are called concurrently.
type Observer interface {
	// Begin is called when a request arrives. The context that it returns becomes the request's.
	Begin(ctx context.Context, a *Arrival) context.Context
	// End is called with the outcome of the request, and with its context.
	End(ctx context.Context, o Outcome)
}

// Arrival is a request that has arrived. Its headers are the client's.
type Arrival struct {
	RequestID string
	Method    string
	Header    http.Header
}

// Outcome is the result of a request.
type Outcome struct {
	// Operation is the id in the contract, or one of those below; never text of the client.
	Operation string
	Method    string
	RequestID string
	// Status is the status of the answer, or StatusGone when the client disconnected before.
	Status int
	// Code is the error code, see docs/errors.md; "" for none.
	Code string
	Took time.Duration
	// Waited reports that the request was a long poll or a stream: Took is then no measure of the
	// service.
	Waited bool
	// Reruns counts the retries of the use case after conflicts and commits that were not stored.
	Reruns int
}

// Edge serves the API, the public log and the web page. It is an http.Handler.
type Edge struct {
	Config
	API      *api.API
	clients  clientIP
	pictures preview.Pictures // of link previews

	downloading sync.Mutex // guards downloads
	downloads   limit.Open // in progress, by address
}

// New returns the edge for c.
func New(c Config) (*Edge, error) {
	c.WriteTime, c.BodyTime = cmp.Or(c.WriteTime, writeTime), cmp.Or(c.BodyTime, bodyTime)
	clients, err := newClientIP(c.TrustedProxies)
	if err != nil {
		return nil, err
	}
	operations, err := api.New(c.Config)
	return &Edge{Config: c, API: operations, clients: clients}, err
}

// The defaults of Config.BodyTime and Config.WriteTime. The slowest client that is served reads 3 kB a second.
const (
	bodyTime  = 30 * time.Second
	writeTime = 20 * time.Second
)
