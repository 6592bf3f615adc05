package client_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// connection makes requests itself, in a bubble where no time passes while it computes.
type connection func(*http.Request) (*http.Response, error)

func (c connection) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

func respond(contentType string, body io.ReadCloser) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: body}, nil
}

// TestTriesAgainWhatHangs: a try that is not answered in time is given up, and made again.
func TestTriesAgainWhatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, calls := time.Now(), 0
		c := newClient(t, client.Options{URL: "http://host", Timeout: 40 * time.Second, Transport: connection(func(r *http.Request) (*http.Response, error) {
			if calls++; calls == 1 {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return respond("application/json", io.NopCloser(strings.NewReader(run)))
		})})
		if _, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); err != nil || calls != 2 {
			t.Errorf("%d calls, error %v, want success at the second", calls, err)
		}
		if took := time.Since(began); took < 40*time.Second || took > 41*time.Second {
			t.Errorf("it took %v, want 40 s and a short wait", took)
		}
	})
}

// TestStreams: a stream is handed on as it comes, for as long as it takes.
func TestStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body, service := io.Pipe()
		var request *http.Request
		c := newClient(t, client.Options{URL: "http://host", Timeout: time.Second, Transport: connection(func(r *http.Request) (*http.Response, error) {
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
			t.Errorf("before it was closed: %v", err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		if request.Context().Err() == nil {
			t.Error("it was closed, and its request goes on")
		}
	})
}

// TestWaitsAsLongAsItIsTold, and a quarter more at most.
func TestWaitsAsLongAsItIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, calls := time.Now(), 0
		c := newClient(t, client.Options{URL: "http://host", Transport: connection(func(*http.Request) (*http.Response, error) {
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
		if took := time.Since(began); took < 20*time.Second || took > 25*time.Second {
			t.Errorf("it waited %v, want 20 to 25 s", took)
		}
	})
}
