package client_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// answers serves the responses in order, repeats the last one, and counts the requests.
func answers(t *testing.T, list ...http.HandlerFunc) (url string, calls *atomic.Int32) {
	t.Helper()
	calls = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(calls.Add(1))
		list[min(n, len(list))-1](w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, calls
}

func answer(status int, header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if name, value, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client detects a truncated body
	}
}

// breaksOff announces a longer body than it sends.
func breaksOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, `{"run":`)
}

func hangsUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

const run = `{"run":null}`

func TestTriesAgain(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]http.HandlerFunc{
		"too slow":    answer(408, "", `{"code":"request_timeout","message":"m"}`),
		"failed":      answer(500, "", `{"code":"internal","message":"m"}`),
		"busy":        answer(503, "", `{"code":"unavailable","message":"m"}`),
		"a limit":     answer(429, "Retry-After: 0", `{"code":"rate_limited","message":"m"}`),
		"too fast":    answer(429, "Retry-After: 1", `{"code":"too_fast","message":"m","retry_after_ms":20}`),
		"a proxy":     answer(502, "", `<html>`),
		"in flight":   answer(409, "", `{"code":"idempotency_in_flight","message":"m"}`),
		"broken off":  breaksOff,
		"hanging up":  hangsUp,
		"a timeout":   answer(504, "", ``),
		"no sense at": answer(503, "Retry-After: soon", `[]`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, calls := answers(t, first, first, answer(200, "", run))
			c := newClient(t, client.Options{URL: url})
			if _, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); err != nil || calls.Load() != 3 {
				t.Errorf("%d calls, error %v, want success at the third", calls.Load(), err)
			}
		})
	}
}

func TestDoesNotTryAgain(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{
		400: `{"code":"bad_request","message":"m"}`,
		401: `{"code":"unauthenticated","message":"m"}`,
		404: `{"code":"not_found","message":"m"}`,
		409: `{"code":"run_active","message":"m"}`,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			url, calls := answers(t, answer(status, "X-Request-Id: r1", body))
			c := newClient(t, client.Options{URL: url})
			_, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context()))
			refusal, ok := errors.AsType[*client.Error](err)
			if !ok || refusal.Status != status || refusal.Code == "" || !strings.Contains(body, `"`+refusal.Code+`"`) ||
				refusal.Message != "m" || refusal.RequestID != "r1" {
				t.Errorf("got %#v", err)
			}
			if client.Code(err) != refusal.Code || calls.Load() != 1 {
				t.Errorf("code %q after %d calls, want %q after one", client.Code(err), calls.Load(), refusal.Code)
			}
		})
	}
}

func TestRetryBudget(t *testing.T) {
	t.Parallel()
	url, calls := answers(t, answer(503, "Retry-After: 7", `{"code":"unavailable","message":"m"}`))
	c := newClient(t, client.Options{URL: url, RetryBudget: time.Second})
	_, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context()))
	if refusal, ok := errors.AsType[*client.Error](err); !ok || refusal.RetryAfter != 7*time.Second || calls.Load() != 1 {
		t.Errorf("%d calls, error %v, want the first response, since seven seconds exceed the budget", calls.Load(), err)
	}
	c = newClient(t, client.Options{URL: "http://127.0.0.1:1", RetryBudget: time.Millisecond})
	if _, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); err == nil ||
		!strings.Contains(err.Error(), "refused") {
		t.Errorf("no server: got %v", err)
	}
}

// TestLogOfRepetitions: a repeated attempt and a long pause are logged, without the key and without the query.
func TestLogOfRepetitions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls, text := 0, &strings.Builder{}
		c := newClient(t, client.Options{URL: "http://host", Key: "rsk_SECRET", Log: slog.New(slog.NewTextHandler(text, nil)),
			Transport: connection(func(*http.Request) (*http.Response, error) {
				switch calls++; calls {
				case 1:
					return nil, errors.New("broken")
				case 2:
					return left(http.StatusServiceUnavailable, 200, 1, `{"code":"unavailable","message":"`+
						strings.Repeat(`m\u001b`, 1<<16)+`"}`)
				}
				return left(http.StatusOK, 0, 60, `{"duels":[]}`)
			})})
		for range 2 {
			cursor := "SECRET"
			if _, err := client.Read(c.API.ListDuels(t.Context(), &api.ListDuelsParams{Cursor: &cursor})); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{"path=/api/duels", "reason=broken", "503 unavailable", "waiting for the request"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("the log lacks %q:\n%s", want, text)
			}
		}
		if strings.Contains(text.String(), "SECRET") {
			t.Errorf("the log has a secret:\n%s", text)
		}
		if text.Len() > 2000 || strings.Contains(text.String(), "x1b") {
			t.Errorf("the log has %d bytes, want the beginning of the message, printable: %.2000s", text.Len(), text)
		}
	})
}

// TestRetryRepeatsThePost checks that the attempts of one call have the same key and body, and
// that another call has another key.
func TestRetryRepeatsThePost(t *testing.T) {
	t.Parallel()
	var seen []string
	note := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			seen = append(seen, r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), string(sent))
			answer(status, "", body)(w, r)
		}
	}
	url, _ := answers(t, note(503, `{"code":"unavailable","message":"m"}`), note(200, `{}`), note(200, `{}`))
	c := newClient(t, client.Options{URL: url, Key: "rsk_x"})
	for range 2 {
		if _, err := client.Read[api.NewKeyOut](c.API.CreateKey(t.Context(), api.KeyIn{})); err != nil {
			t.Fatal(err)
		}
	}
	if seen[0] != "Bearer rsk_x" || len(seen[1]) != 32 || seen[2] != "{}" {
		t.Errorf("sent %q", seen[:3])
	}
	if seen[4] != seen[1] || seen[5] != seen[2] {
		t.Errorf("sent %q first, then %q", seen[:3], seen[3:6])
	}
	if seen[7] == seen[1] {
		t.Errorf("the second call has the key of the first, %q", seen[1])
	}
}

func TestReadsWhatTheContractDoesNotAllow(t *testing.T) {
	t.Parallel()
	url, _ := answers(t, answer(422, "",
		`{"detail":[{"loc":["body","label"],"msg":"too long","type":"x"},{"loc":["query",0],"msg":"no","type":"x"}]}`))
	c := newClient(t, client.Options{URL: url})
	_, err := client.Read[api.NewKeyOut](c.API.CreateKey(t.Context(), api.KeyIn{}))
	if client.Code(err) != "invalid" || !strings.Contains(err.Error(), "body.label: too long; query.0: no") {
		t.Errorf("got %v", err)
	}
}

func TestReadsWhatIsNoAnswerOfTheService(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"run":7}`, `{"run":`, ``} {
		url, _ := answers(t, answer(200, "", body))
		c := newClient(t, client.Options{URL: url})
		if out, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); err == nil {
			t.Errorf("%q: got %+v, want an error", body, out)
		}
	}
	url, _ := answers(t, answer(418, "", `<html>`))
	c := newClient(t, client.Options{URL: url})
	if _, err := client.Read[api.ActiveRunOut](c.API.GetActiveRun(t.Context())); client.Code(err) != "unknown" {
		t.Errorf("418 without a body: got %v", err)
	}
}

func TestRefusesWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "127.0.0.1:8080", "ftp://host", "http://", "http://a b"} {
		if c, err := client.New(client.Options{URL: url}); err == nil {
			t.Errorf("%q: got %v, want an error", url, c)
		}
	}
}

func newClient(tb testing.TB, o client.Options) *client.Client {
	tb.Helper()
	c, err := client.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
