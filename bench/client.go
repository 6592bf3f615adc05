package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// worker is one connection of the client. It is not safe for concurrent use.
type worker struct {
	client *http.Client
	// latencies are the durations of all calls.
	latencies []time.Duration
	// posted are the latencies of calls that wrote to the ledger.
	posted []time.Duration
	// from is the value of X-Forwarded-For; "" for none.
	from string
	// body is the buffer for responses.
	body bytes.Buffer
}

// newWorker returns a worker whose transport keeps one connection.
func newWorker() *worker {
	return &worker{client: &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1}}}
}

// post records that the last call has written to the ledger.
func (w *worker) post() { w.posted = append(w.posted, w.latencies[len(w.latencies)-1]) }

// player is an account with its credentials.
type player struct {
	// cookie and csrf are the credentials of a session.
	cookie, csrf string
	// key is the API key of a bot, which has no session.
	key string
	// run is the id of the current run; "" if there is none.
	run string
	// nextThrow is the earliest time of the next throw.
	nextThrow time.Time
}

// statusError is a response with a status other than 200.
type statusError struct {
	status int
	body   string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.body) }

// request is a call to a server.
type request struct {
	to           *child
	method, path string
	// by is the caller; nil for an anonymous call.
	by *player
	// in is encoded as the body; nil for none.
	in any
	// prefer is the header Prefer: "wait=20" for a long poll of at most 20 seconds.
	prefer string
}

// http returns the HTTP request with the credentials of the player.
func (q request) http(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if q.in != nil {
		text, err := json.Marshal(q.in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, q.method, q.to.url+q.path, body)
	if err != nil {
		return nil, err
	}
	if q.prefer != "" {
		r.Header.Set("Prefer", q.prefer)
	}
	switch {
	case q.by == nil:
	case q.by.key != "":
		r.Header.Set("Authorization", "Bearer "+q.by.key)
	default:
		r.Header.Set("Cookie", q.by.cookie)
		r.Header.Set("X-CSRF-Token", q.by.csrf)
	}
	return r, nil
}

// call sends one request and records its latency. With a nil out it reads the body without
// decoding it. A session cookie in the response replaces the player's.
func (w *worker) call(ctx context.Context, q request, out any) error {
	r, err := q.http(ctx)
	if err != nil {
		return err
	}
	if w.from != "" {
		r.Header.Set("X-Forwarded-For", w.from)
	}
	began := time.Now()
	response, err := w.client.Do(r)
	if err != nil {
		return err
	}
	w.body.Reset()
	_, err = w.body.ReadFrom(response.Body)
	text := w.body.Bytes()
	w.latencies = append(w.latencies, time.Since(began))
	if err := response.Body.Close(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return &statusError{response.StatusCode, string(text)}
	}
	if cookies := response.Cookies(); q.by != nil && len(cookies) == 1 {
		q.by.cookie = cookies[0].Name + "=" + cookies[0].Value
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// guest creates a guest account.
func (w *worker) guest(ctx context.Context, to *child) (*player, error) {
	p := &player{}
	var out struct {
		CSRFToken string `json:"csrf_token"`
	}
	err := w.call(ctx, request{to: to, method: "POST", path: "/api/guest", by: p}, &out)
	p.csrf = out.CSRFToken
	return p, err
}

// measure repeats one operation on all connections until Duration has passed.
func (b *bench) measure(ctx context.Context, do func(context.Context, *worker) error) (measurement, error) {
	deadline := time.Now().Add(b.Duration)
	return b.together(func(w *worker) error {
		for time.Now().Before(deadline) {
			if err := do(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// each distributes n pieces of work over all connections.
func (b *bench) each(n int, do func(w *worker, i int) error) (measurement, error) {
	var next atomic.Int64
	return b.together(func(w *worker) error {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			if err := do(w, i); err != nil {
				return err
			}
		}
	})
}

// together runs a function on all connections and measures latency, elapsed time and the
// processor time of the servers and the database.
func (b *bench) together(do func(*worker) error) (measurement, error) {
	workers := make([]*worker, b.Connections)
	errs := make([]error, b.Connections)
	var wait sync.WaitGroup
	before, err := b.cpu()
	if err != nil {
		return measurement{}, err
	}
	databaseBefore, err := b.cluster.cpu()
	if err != nil {
		return measurement{}, err
	}
	began := time.Now()
	for i := range workers {
		workers[i] = newWorker()
		wait.Go(func() { errs[i] = do(workers[i]) })
	}
	wait.Wait()
	m := measurement{elapsed: time.Since(began)}
	after, err := b.cpu()
	if err != nil {
		return m, err
	}
	databaseAfter, err := b.cluster.cpu()
	if err != nil {
		return m, err
	}
	m.cpu, m.database = after-before, databaseAfter-databaseBefore
	for i, w := range workers {
		m.merge(w.latencies)
		w.client.CloseIdleConnections()
		if errs[i] != nil {
			return m, errs[i]
		}
	}
	return m, nil
}
