package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// connection is a transport inside a synctest bubble.
type connection func(*http.Request) (*http.Response, error)

func (c connection) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

func respond(contentType string, body io.ReadCloser) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: body}, nil
}

// TestAttemptTimeout checks that an attempt without response is cancelled and repeated.
func TestAttemptTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, calls := time.Now(), 0
		c := newClient(t, client.Options{URL: "http://host", Timeout: 40 * time.Second,
			Transport: connection(func(r *http.Request) (*http.Response, error) {
				if calls++; calls == 1 {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				return respond("application/json", io.NopCloser(strings.NewReader(run)))
			})})
		if _, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); err != nil || calls != 2 {
			t.Errorf("%d calls, error %v, want success at the second", calls, err)
		}
		if elapsed := time.Since(began); elapsed < 40*time.Second || elapsed > 41*time.Second {
			t.Errorf("elapsed %v, want 40 s and a short delay", elapsed)
		}
	})
}

// TestStopsWithItsContext cancels a call that waits for its next attempt.
func TestStopsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began, calls := time.Now(), 0
		c := newClient(t, client.Options{URL: "http://host", RetryBudget: -1,
			Transport: connection(func(*http.Request) (*http.Response, error) {
				calls++
				time.AfterFunc(time.Second, cancel)
				response, err := respond("application/json", io.NopCloser(strings.NewReader(
					`{"code":"unavailable","message":"m"}`)))
				response.StatusCode = http.StatusServiceUnavailable
				response.Header.Set("Retry-After", "9")
				return response, err
			})})
		_, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(ctx))
		if elapsed := time.Since(began); !errors.Is(err, context.Canceled) || calls != 1 || elapsed != time.Second {
			t.Errorf("%d calls, error %v after %v, want %v after 1 s", calls, err, elapsed, context.Canceled)
		}
	})
}

// TestStreams checks that a stream is passed on piece by piece and outlives the timeout.
func TestStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body, service := io.Pipe()
		var request *http.Request
		c := newClient(t, client.Options{URL: "http://host", Timeout: time.Second,
			Transport: connection(func(r *http.Request) (*http.Response, error) {
				request = r
				return respond("text/event-stream", body)
			})})
		response, err := c.API.GetActiveRun(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 8)
		for _, want := range []string{"one", "two"} {
			<-time.After(time.Hour)
			go func() { _, _ = io.WriteString(service, want) }()
			if n, err := response.Body.Read(b); err != nil || string(b[:n]) != want {
				t.Fatalf("read %q, %v, want %q", b[:n], err, want)
			}
		}
		if err := request.Context().Err(); err != nil {
			t.Errorf("before Close: %v", err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		if request.Context().Err() == nil {
			t.Error("the request continues after Close")
		}
	})
}

// TestRetryAfter checks that the client waits for the time in Retry-After, and at most a quarter
// more.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, calls := time.Now(), 0
		c := newClient(t, client.Options{URL: "http://host",
			Transport: connection(func(*http.Request) (*http.Response, error) {
				if calls++; calls == 1 {
					r, err := respond("application/json", io.NopCloser(strings.NewReader(`{"code":"rate_limited","message":"m"}`)))
					r.StatusCode = http.StatusTooManyRequests
					r.Header.Set("Retry-After", "20")
					return r, err
				}
				return respond("application/json", io.NopCloser(strings.NewReader(run)))
			})})
		if _, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); err != nil {
			t.Fatal(err)
		}
		if elapsed := time.Since(began); elapsed < 20*time.Second || elapsed > 25*time.Second {
			t.Errorf("waited %v, want 20 to 25 s", elapsed)
		}
	})
}
