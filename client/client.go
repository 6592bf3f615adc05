// Package client is the Go client of the service. It authenticates requests, retries
// those that can succeed later, turns error responses into errors with a code, and plays
// the arena (Bot).
//
//	c, err := client.New(client.Options{URL: "http://127.0.0.1:8080", Key: "rsb_…"})
//	me, err := client.Read(c.API.GetMe(ctx)) // an *api.MeOut
//
// Every operation of api/openapi.yaml is a method of Client.API; its types are in package
// api. Read converts the response to a value, or to an *Error with a code of
// docs/errors.md. All iterates over a list, page after page, Lines over the data in bulk, and Client.Events over
// events; the latter two go on after a connection that breaks. MetaOf returns what an answer states
// besides its body. Optional members and parameters are pointers: new(20) makes one.
//
// Retries are safe: each POST carries an Idempotency-Key, and the service answers a
// repeated request with the response to the first one.
//
// Errors of the service have codes; Code extracts them:
//
//	_, err := client.Read(c.API.CommitDuel(ctx, id, in))
//	if client.Code(err) == "duel_moved_on" {
//		… // read the duel again
//	}
//
// The client also slows down when little of the account's request limit is left (see
// RateLimit in docs/bots.md), so that the service need not reject requests.
//
// The folder examples has programs, and starter/sdk a whole bot.
package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"roshambo/client/api"
)

// Options configure a Client. Only URL is required.
type Options struct {
	// URL is the base URL of the service, for example http://127.0.0.1:8080.
	URL string
	// Key is the API key of an account (rsk_…) or of a bot (rsb_…). Without a key only
	// public operations succeed.
	Key string
	// Transport makes the connections; nil means http.DefaultTransport.
	Transport http.RoundTripper
	// Timeout limits one attempt, in addition to the wait of a long poll; 0 means one minute. A
	// stream of events must begin within it and may then continue. A Bot gives up sooner.
	Timeout time.Duration
	// RetryBudget limits the total time that one call waits between its attempts while
	// the service is busy, restarts or is unreachable. 0 means one minute; a negative
	// value means until the call's context is done.
	RetryBudget time.Duration
	// Rand is the source of Idempotency-Keys and jitter; nil means crypto/rand.
	Rand io.Reader
	// Log receives repeated attempts and long pauses, and the messages of a Bot: never a key, a salt or a text. nil
	// discards them.
	Log *slog.Logger
}

// Client sends requests to the service. It is safe for concurrent use.
type Client struct {
	// API has one method for each operation; pass its results to Read.
	API api.Operations

	calls *doer // sends the requests of API
}

// Defaults of Options: the service holds a long poll for at most 30 seconds, and restarts
// in less than a minute.
const (
	defaultTimeout     = time.Minute
	defaultRetryBudget = time.Minute
)

// New returns a client. It sends no request. It returns an error if o.URL is not an
// absolute http or https URL.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("client: %q is not a URL such as http://127.0.0.1:8080", o.URL)
	}
	d := &doer{
		http: &http.Client{Transport: o.Transport}, key: o.Key,
		timeout: cmp.Or(o.Timeout, defaultTimeout), retryBudget: cmp.Or(o.RetryBudget, defaultRetryBudget), rand: o.Rand,
		log: o.Log,
	}
	if d.rand == nil {
		d.rand = rand.Reader
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	generated, err := api.NewClient(o.URL, api.WithHTTPClient(d))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return &Client{API: api.Operations{Client: generated}, calls: d}, nil
}

// maxResponse is the largest response body that is read, in bytes; the rest is dropped.
const maxResponse = 16 << 20

// Read decodes the result of a method of Client.API. It returns the body of a 200
// response as the type that the operation answers with. Any other status is returned as an *Error; a failed request or
// an invalid body as another error. Read closes the body.
func Read[T any](answer *api.Answer[T], err error) (*T, error) {
	text, err := ReadText(answer, err)
	if err != nil {
		return nil, err
	}
	out := new(T)
	if err := json.Unmarshal(text, out); err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	return out, nil
}

// ReadText is Read without decoding: it returns the body of a 200 response as it came, such as a proof for package
// verify, or an answer that is not one JSON value.
func ReadText[T any](answer *api.Answer[T], err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body) // doer has buffered at most maxResponse bytes
	if err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, readError(answer.Response, text)
	}
	return text, nil
}

// Wait asks the service to hold a response until something changes, for at most d (long
// polling). Pass it to methods of Client.API whose operations document the header Prefer.
// Fractions of a second are dropped.
func Wait(d time.Duration) api.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Prefer", "wait="+strconv.Itoa(int(d.Seconds())))
		return nil
	}
}
