package client

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// doer sends the requests of the generated client. It adds the key and Idempotency-Keys,
// keeps to the request limit, and retries.
type doer struct {
	http *http.Client
	// key is sent as a bearer token, unless it is empty.
	key string
	// timeout limits one attempt, retryBudget the sum of the delays between attempts;
	// see Options.
	timeout     time.Duration
	retryBudget time.Duration
	rand        io.Reader
	log         *slog.Logger
	pace        pace
}

// Backoff between attempts when the response names no delay: it starts at firstWait and
// doubles up to maxWait.
const (
	firstWait = 100 * time.Millisecond
	maxWait   = 10 * time.Second
)

// idempotencyKey is the header that identifies repeated requests.
const idempotencyKey = "Idempotency-Key"

// Do sends a request until its response is final or the retry budget is exhausted. It
// then returns the last response or error. Final are all responses but 408, 429, 500, 502, 503, 504
// and 409 with the code idempotency_in_flight; every failed attempt may be retried, since
// the Idempotency-Key makes a repeated POST safe. The start of a run that was refused with recovering is
// final as well: the account then has another commitment, and a start with it needs another client seed.
func (d *doer) Do(r *http.Request) (*http.Response, error) {
	if err := d.prepare(r); err != nil {
		return nil, err
	}
	// Only delays between attempts count against the budget: delays of pace are not caused
	// by an error.
	var waited time.Duration
	backoff := firstWait
	for {
		if err := d.awaitTurn(r); err != nil {
			return nil, err
		}
		response, err := d.try(r)
		later, again := shouldRetry(response, err)
		if r.Context().Err() != nil || !again || refusedStart(r, response) {
			return response, err
		}
		if step, isStep := stepBounds(r); isStep {
			later, backoff = min(later, step.retry), min(backoff, step.backoff)
		}
		wait, errWait := d.jitter(max(later, backoff))
		if errWait != nil {
			return nil, errors.Join(err, errWait)
		}
		// Give up before the delay that would exceed the budget, not after it.
		if waited += wait; d.retryBudget >= 0 && waited > d.retryBudget {
			return response, err
		}
		d.log.Info("repeating a call", "method", r.Method, "path", r.URL.Path, "after", wait, "reason", reason(response, err))
		if err := sleep(r.Context(), wait); err != nil {
			return nil, err
		}
		backoff = min(2*backoff, maxWait)
		// The previous attempt has consumed the body.
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// longPause is the longest delay by pace that is not logged. No step of a duel has a longer one.
const longPause = 10 * time.Second

// maxLogged is how many bytes of a text of the service the log has: a message may have megabytes, and comes with each
// attempt.
const maxLogged = 200

// clip returns the beginning of a text for the log, of printable characters.
func clip(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(text[:min(len(text), maxLogged)], "?"))
}

// reason returns why an attempt is repeated, clipped. The error of package http is shown without the URL, whose query
// may hold what a log should not.
func reason(response *http.Response, err error) string {
	if err == nil {
		return clip(peekError(response).Error())
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return clip(err.Error())
}

// awaitTurn waits as long as pace asks for: within a duel it sends a step in time, and a poll after it.
func (d *doer) awaitTurn(r *http.Request) error {
	var deadline time.Time
	if step, isStep := stepBounds(r); isStep {
		longest := step.pace
		if r.Method == http.MethodGet {
			longest *= 2
		}
		deadline = clock().Add(longest)
	}
	for wait := d.pace.reserve(deadline); wait > 0; wait = d.pace.reserve(deadline) {
		if wait > longPause {
			d.log.Info("waiting for the request limit", "method", r.Method, "path", r.URL.Path, "for", wait)
		}
		if err := sleep(r.Context(), wait); err != nil {
			return err
		}
	}
	return nil
}

// prepare sets the Authorization header, and an Idempotency-Key for each POST that has
// none. It does so once, so that all attempts carry the same key.
func (d *doer) prepare(r *http.Request) error {
	if d.key != "" {
		r.Header.Set("Authorization", "Bearer "+d.key)
	}
	if r.Method != http.MethodPost || r.Header.Get(idempotencyKey) != "" {
		return nil
	}
	var key [16]byte
	if _, err := io.ReadFull(d.rand, key[:]); err != nil {
		return fmt.Errorf("draw an %s: %w", idempotencyKey, err)
	}
	r.Header.Set(idempotencyKey, hex.EncodeToString(key[:]))
	return nil
}

// try sends one attempt and buffers the response unless it is a stream of events or is read piece by piece. A
// truncated response is an error. The timeout covers the body, too.
func (d *doer) try(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	timer := time.AfterFunc(d.attemptTimeout(r), cancel)
	defer timer.Stop()
	response, err := d.http.Do(r.WithContext(ctx))
	d.pace.done()
	if err != nil {
		cancel()
		return nil, err
	}
	d.pace.observe(response.Header)
	streams := response.StatusCode == http.StatusOK && r.Context().Value(streamKey{}) != nil
	if streams || strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		response.Body = &stream{response.Body, cancel, d}
		return response, nil
	}
	// The response is buffered, so its context can end here.
	defer cancel()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("%s %s: read the response: %w", r.Method, r.URL.Path, err)
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	return response, nil
}

// attemptKey is the key of withAttempts in a context.
type attemptKey struct{}

// withAttempts returns a context whose requests have a shorter timeout than Options.Timeout: a
// connection that is lost in silence must be given up before the deadline of the step.
func withAttempts(ctx context.Context, timeout time.Duration) context.Context {
	return context.WithValue(ctx, attemptKey{}, timeout)
}

// preferredWait finds the seconds of a long poll in the header Prefer.
var preferredWait = regexp.MustCompile(`\bwait=(\d+)`)

// attemptTimeout returns the timeout of one attempt: the shorter one of Options and the context, and
// the time for which the request asks the service to hold the response.
func (d *doer) attemptTimeout(r *http.Request) time.Duration {
	timeout := d.timeout
	if shorter, ok := r.Context().Value(attemptKey{}).(time.Duration); ok {
		timeout = min(timeout, shorter)
	}
	if wait := preferredWait.FindStringSubmatch(r.Header.Get("Prefer")); wait != nil {
		seconds, _ := strconv.Atoi(wait[1]) // not a number only if it is too long for one
		timeout += time.Duration(seconds) * time.Second
	}
	return timeout
}

// stream is the body of a response that continues until the caller closes it.
type stream struct {
	io.ReadCloser
	cancel context.CancelFunc
	calls  *doer // that has opened it
}

// Close ends the stream.
func (s *stream) Close() error {
	s.cancel()
	return s.ReadCloser.Close()
}

// shouldRetry reports whether another attempt can succeed, and the delay that the service
// asks for, 0 if it names none.
func shouldRetry(response *http.Response, err error) (later time.Duration, again bool) {
	if err != nil {
		return 0, true // no connection, or no complete response
	}
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return peekError(response).RetryAfter, true
	case http.StatusConflict:
		// An earlier attempt of this call is still being processed.
		return 0, peekError(response).Code == "idempotency_in_flight"
	}
	return 0, false
}

// refusedStart reports whether a start of a run was refused during a recovery.
func refusedStart(r *http.Request, response *http.Response) bool {
	return response != nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/api/runs") &&
		peekError(response).Code == "recovering"
}

// peekError decodes the error of a buffered response and rewinds its body.
func peekError(response *http.Response) *Error {
	text, _ := io.ReadAll(response.Body) // reads from memory, which cannot fail
	response.Body = io.NopCloser(bytes.NewReader(text))
	return readError(response, text)
}

// jitter lengthens a delay by up to a quarter at random, so that clients which were
// rejected together do not return together.
func (d *doer) jitter(wait time.Duration) (time.Duration, error) {
	var b [8]byte
	if _, err := io.ReadFull(d.rand, b[:]); err != nil {
		return 0, fmt.Errorf("draw a wait: %w", err)
	}
	return wait + time.Duration(binary.LittleEndian.Uint64(b[:])%uint64(wait/4+1)), nil
}

// sleep waits for d, or returns the error of ctx if that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
