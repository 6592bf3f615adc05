package contract_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"roshambo/contract"
)

type countIn struct {
	From int   `query:"from" min:"0" default:"1"`
	Last *int  `header:"Last-Event-ID" min:"0"`
	Not  []int `query:"not" maxItems:"2"`
}

var errTooFar = errors.New("too far")

// counting streams the numbers from one to three.
func counting() *contract.API {
	a := contract.New(contract.Info{}, contract.Options{
		Fail: failer,
		Before: func(_ *contract.Operation, _ http.ResponseWriter, r *http.Request) (context.Context, error) {
			return context.WithValue(r.Context(), trail{}, "before"), nil
		},
		Checked: func(ctx context.Context, op *contract.Operation, _ *http.Request, _ []byte) (context.Context, error) {
			return context.WithValue(ctx, trail{}, fmt.Sprint(ctx.Value(trail{}), " ", op.ID)), nil
		},
	})
	op := contract.Operation{ID: "count", Method: http.MethodGet, Path: "/count"}
	contract.AddStream(a, op, "text/event-stream", func(_ context.Context, in *countIn) (contract.Stream, error) {
		first := in.From
		if in.Last != nil {
			first = *in.Last + 1
		}
		if first > 3 {
			return nil, errTooFar
		}
		return func(ctx context.Context, w http.ResponseWriter) {
			for n := first; n <= 3; n++ {
				fmt.Fprintf(w, "%d %v %v\n", n, in.Not, ctx.Value(trail{}))
			}
		}, nil
	})
	return a
}

// TestStream checks that a stream's input is validated and that the stream writes its own
// response.
func TestStream(t *testing.T) {
	t.Parallel()
	api := counting()
	for _, c := range []struct {
		query, last string
		status      int
		contentType string
		body        string
	}{
		{"?from=3", "", 200, "text/event-stream", "3 [] before count\n"},
		{"?not=1&not=7", "1", 200, "text/event-stream", "2 [1 7] before count\n3 [1 7] before count\n"},
		{"?from=4", "", 418, "", "too far"},
		{"", "3", 418, "", "too far"},
		{"?from=x", "", 422, "application/json",
			`{"detail":[{"type":"int_parsing","loc":["query","from"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"}]}`},
		{"", "-1", 422, "application/json",
			`{"detail":[{"type":"greater_than_equal","loc":["header","last-event-id"],"msg":"Input should be greater than or equal to 0","input":"-1","ctx":{"ge":0}}]}`},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/count"+c.query, nil)
		if c.last != "" {
			r.Header.Set("Last-Event-ID", c.last)
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("Content-Type") != c.contentType || w.Body.String() != c.body {
			t.Errorf("%s, last %q: got %d %q %q, want %d %q %q", c.query, c.last,
				w.Code, w.Header().Get("Content-Type"), w.Body, c.status, c.contentType, c.body)
		}
	}
}
