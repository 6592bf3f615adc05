package client

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// doer makes requests for the generated client: with the key, and again when that can
// help.
type doer struct {
	http     *http.Client
	key      string
	timeout  time.Duration
	patience time.Duration
	rand     io.Reader
	pace     pace
}

// How long it waits before it tries again, when nobody says: longer each time.
const (
	firstWait = 100 * time.Millisecond
	maxWait   = 10 * time.Second
)

// idempotencyKey is the header by which the service knows a repeated call.
const idempotencyKey = "Idempotency-Key"

// Do makes a request until it is answered with something that another try would not
// change, or patience is at its end.
func (d *doer) Do(r *http.Request) (*http.Response, error) {
	if err := d.prepare(r); err != nil {
		return nil, err
	}
	var waited time.Duration
	backoff := firstWait
	for {
		for wait := d.pace.take(); wait > 0; wait = d.pace.take() {
			if err := sleep(r.Context(), wait); err != nil {
				return nil, err
			}
		}
		response, err := d.try(r)
		later, again := comeAgain(response, err)
		if r.Context().Err() != nil || !again {
			return response, err
		}
		wait, errWait := d.jitter(max(later, backoff))
		if errWait != nil {
			return nil, errors.Join(err, errWait)
		}
		if waited += wait; d.patience >= 0 && waited > d.patience {
			return response, err
		}
		if err := sleep(r.Context(), wait); err != nil {
			return nil, err
		}
		backoff = min(2*backoff, maxWait)
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// prepare says who calls, and makes a POST one that may be repeated.
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

// try makes one request, and reads the whole answer unless that is a stream: an answer
// that breaks off is none, and so is one that takes too long.
func (d *doer) try(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	timer := time.AfterFunc(d.timeout, cancel)
	defer timer.Stop()
	response, err := d.http.Do(r.WithContext(ctx))
	d.pace.done()
	if err != nil {
		cancel()
		return nil, err
	}
	d.pace.learn(response.Header)
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		response.Body = &stream{response.Body, cancel}
		return response, nil
	}
	defer cancel()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("%s %s: read the answer: %w", r.Method, r.URL.Path, err)
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	return response, nil
}

// stream is the body of an answer that goes on until the caller has enough.
type stream struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close ends the stream.
func (s *stream) Close() error {
	s.cancel()
	return s.ReadCloser.Close()
}

// comeAgain says whether another try can help, and when the service wants it.
func comeAgain(response *http.Response, err error) (later time.Duration, again bool) {
	if err != nil {
		return 0, true // not reached, or the answer was lost
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return refusal(response).RetryAfter, true
	case http.StatusConflict:
		// The first try of this very call may still be under way.
		return 0, refusal(response).Code == "idempotency_in_flight"
	}
	return 0, false
}

// refusal reads an answer that was buffered, and leaves it to be read again.
func refusal(response *http.Response) *Error {
	text, _ := io.ReadAll(response.Body) // from memory: that does not fail
	response.Body = io.NopCloser(bytes.NewReader(text))
	return readError(response, text)
}

// jitter lengthens a wait by up to a quarter, so that not all who were sent away
// together come back together.
func (d *doer) jitter(wait time.Duration) (time.Duration, error) {
	var b [8]byte
	if _, err := io.ReadFull(d.rand, b[:]); err != nil {
		return 0, fmt.Errorf("draw a wait: %w", err)
	}
	return wait + time.Duration(binary.LittleEndian.Uint64(b[:])%uint64(wait/4+1)), nil
}

// sleep waits, or returns the context's error when that ends first.
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
