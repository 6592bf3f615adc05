package client_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// listRuns iterates over the runs of a client, and notes the cursors that it is asked for.
func listRuns(t *testing.T, c *client.Client, cursors *[]string) func(func(api.Run, error) bool) {
	t.Helper()
	return client.All(func(cursor *string) (*api.Answer[api.RunsOut], error) {
		if cursor != nil {
			*cursors = append(*cursors, *cursor)
		}
		return c.API.ListRuns(t.Context(), &api.ListRunsParams{Cursor: cursor})
	}, func(page *api.RunsOut) ([]api.Run, *string) { return page.Runs, page.Next })
}

func TestAll(t *testing.T) {
	t.Parallel()
	url, calls := answers(t, answer(200, "", `{"runs":[{"id":"r1"},{"id":"r2"}],"next":"c1"}`),
		answer(200, "", `{"runs":[],"next":"c2"}`), answer(200, "", `{"runs":[{"id":"r3"}],"next":null}`))
	c := newClient(t, client.Options{URL: url})
	var cursors, found []string
	for run, err := range listRuns(t, c, &cursors) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, run.ID)
	}
	if want := []string{"r1", "r2", "r3"}; !slices.Equal(found, want) || !slices.Equal(cursors, []string{"c1", "c2"}) {
		t.Errorf("found %v with the cursors %v, want %v", found, cursors, want)
	}
	if n := calls.Load(); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}

func TestAllStops(t *testing.T) {
	t.Parallel()
	url, calls := answers(t, answer(200, "", `{"runs":[{"id":"r1"}],"next":"c1"}`),
		answer(403, "", `{"code":"forbidden","message":"m"}`))
	c := newClient(t, client.Options{URL: url})
	var cursors []string
	listRuns(t, c, &cursors)(func(api.Run, error) bool { return false })
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls before the first item, want 1", n)
	}
	var codes []string
	calls.Store(0)
	for run, err := range listRuns(t, c, &cursors) {
		codes = append(codes, run.ID+client.Code(err))
	}
	if want := []string{"r1", "forbidden"}; !slices.Equal(codes, want) {
		t.Errorf("an error on the second page: %v, want %v", codes, want)
	}
}

func TestMetaOf(t *testing.T) {
	t.Parallel()
	url, _ := answers(t, func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("X-Request-Id", "request-1")
		h["RateLimit"], h["RateLimit-Policy"] = []string{`"ip";r=7;t=3`}, []string{`"ip";q=240;w=60`}
		h.Set("Preference-Applied", "wait=20")
		h.Set("Idempotent-Replayed", "true")
		answer(200, "", `{"left":true,"duel":null}`)(w, nil)
	}, answer(200, "", `{"left":false,"duel":null}`))
	c := newClient(t, client.Options{URL: url})
	for _, want := range []client.Meta{
		{RequestID: "request-1", RateLimit: &client.RateLimit{Left: 7, Limit: 240, Reset: 3 * time.Second,
			Window: time.Minute}, Held: true, Replayed: true},
		{},
	} {
		response, err := c.API.LeaveQueue(t.Context())
		out, err := client.Read(response, err)
		if err != nil {
			t.Fatal(err)
		}
		got := client.MetaOf(response)
		if (got.RateLimit == nil) != (want.RateLimit == nil) || got.RateLimit != nil && *got.RateLimit != *want.RateLimit {
			t.Errorf("the limit is %+v, want %+v", got.RateLimit, want.RateLimit)
		}
		if got.RateLimit = want.RateLimit; got != want || out.Left != want.Held {
			t.Errorf("the answer %+v has %+v, want %+v", out, got, want)
		}
	}
}
