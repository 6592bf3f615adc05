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

// worker is one connection of the client.
type worker struct {
	client    *http.Client
	latencies []time.Duration
	posted    []time.Duration // those of them that wrote to the ledger
	from      string          // the address that it says it comes from; "" for its own
	body      bytes.Buffer
}

func newWorker() *worker {
	return &worker{client: &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1}}}
}

// post notes that the last call has written to the ledger.
func (w *worker) post() { w.posted = append(w.posted, w.latencies[len(w.latencies)-1]) }

// player is an account with its session.
type player struct {
	cookie, csrf string
	key          string // of a bot; then there is no session
	run          string
	nextThrow    time.Time
}

// statusError is an answer other than 200.
type statusError struct {
	status int
	body   string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.body) }

// request is what is asked of whom.
type request struct {
	to           *child
	method, path string
	by           *player // nil for nobody
	in           any     // the body; nil for none
	prefer       string  // "wait=20" to have the answer held
}

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
	if err == nil && q.prefer != "" {
		r.Header.Set("Prefer", q.prefer)
	}
	if err == nil && q.by != nil && q.by.key != "" {
		r.Header.Set("Authorization", "Bearer "+q.by.key)
	} else if err == nil && q.by != nil {
		r.Header.Set("Cookie", q.by.cookie)
		r.Header.Set("X-CSRF-Token", q.by.csrf)
	}
	return r, err
}

// call makes one request, and notes how long it took. Without out the body is read and
// not looked at.
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

// guest opens an account.
func (w *worker) guest(ctx context.Context, to *child) (*player, error) {
	p := &player{}
	var out struct {
		CSRFToken string `json:"csrf_token"`
	}
	err := w.call(ctx, request{to: to, method: "POST", path: "/api/guest", by: p}, &out)
	p.csrf = out.CSRFToken
	return p, err
}

// measure lets all connections do one thing over and over for the duration.
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

// each lets all connections share n pieces of work.
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

// together runs the same on all connections and measures it.
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
	m := measurement{took: time.Since(began)}
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
