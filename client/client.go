// Package client speaks to the service for programs: it holds the key, tries again when
// it is told to come later, names what went wrong, and plays the arena (Bot).
//
//	c, err := client.New(client.Options{URL: "http://127.0.0.1:8080", Key: "rsb_…"})
//	me, err := client.Read[api.MeOut](c.API.GetMe(ctx))
//
// Every operation of the contract is a method of Client.API, with its types in package
// api; Read turns what it answers into a value, or into an *Error with the code of
// docs/errors.md. What is tried again is safe to try again: each POST carries an
// Idempotency-Key, by which the service answers a repetition as it answered the first.
package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"roshambo/client/api"
)

// Options say how to reach the service.
type Options struct {
	// URL is where the service is, for example http://127.0.0.1:8080.
	URL string
	// Key is an API key of an account (rsk_…) or of a bot (rsb_…); "" is nobody, who
	// may read what is public.
	Key string
	// Transport makes the connections; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Timeout is how long one try may take, held answers included; 0 is a minute. A stream
	// of events has to begin in that time, and may go on.
	Timeout time.Duration
	// Patience is how long a call waits in all before it is tried again, while the
	// service is too busy, restarts or cannot be reached, before it gives up; 0 is a
	// minute, less than 0 for as long as the call's context.
	Patience time.Duration
	// Rand is where Idempotency-Keys and jitter come from; nil is crypto/rand.
	Rand io.Reader
}

// Client speaks to the service. It may be used by many goroutines.
type Client struct {
	// API has a method for each operation; see Read.
	API *api.Client
}

const (
	defaultTimeout  = time.Minute // the service holds an answer for 30 seconds at most
	defaultPatience = time.Minute // longer than a restart takes
)

// New returns a client. It asks nothing of the service yet.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("client: %q is not like http://127.0.0.1:8080", o.URL)
	}
	d := &doer{
		http: &http.Client{Transport: o.Transport}, key: o.Key,
		timeout: cmp.Or(o.Timeout, defaultTimeout), patience: cmp.Or(o.Patience, defaultPatience), rand: o.Rand,
	}
	if d.rand == nil {
		d.rand = rand.Reader
	}
	generated, err := api.NewClient(o.URL, api.WithHTTPClient(d))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return &Client{API: generated}, nil
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 16 << 20

// Read takes what a method of Client.API returns and gives the answer as a T, or an
// error: an *Error when the service refused.
func Read[T any](response *http.Response, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body) // doer has bounded it
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, readError(response, text)
	}
	out := new(T)
	if err := json.Unmarshal(text, out); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return out, nil
}

// Wait asks the service to hold its answer until there is news, for d at most: an
// argument of the methods of Client.API whose operations are made for it.
func Wait(d time.Duration) api.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Prefer", "wait="+strconv.Itoa(int(d.Seconds())))
		return nil
	}
}
