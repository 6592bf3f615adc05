package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roshambo/contract"
	"roshambo/internal/server/api"
)

// TestDeprecationsAreReady: an operation that is marked as deprecated says so in its answers and in the document, and a
// page of another site can read it. An operation that is not says nothing.
func TestDeprecationsAreReady(t *testing.T) {
	t.Parallel()
	a, err := api.New(api.Config{})
	if err != nil {
		t.Fatal(err)
	}
	type none struct{}
	op := contract.Operation{ID: "old", Method: "GET", Path: "/api/old", Tag: "Chain", Summary: "An old one",
		Deprecated: contract.Deprecation{Since: midday, Sunset: midday.Add(180 * 24 * time.Hour)}}
	for _, id := range []string{"old", "current"} {
		contract.Add(a.Contract, op, func(context.Context, *none) (*none, error) { return &none{}, nil })
		op.ID, op.Path, op.Deprecated = "current", "/api/current", contract.Deprecation{}
		w := httptest.NewRecorder()
		a.Contract.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/"+id, nil))
		want := map[string]string{"Deprecation": "@1795176000", "Sunset": "Wed, 19 May 2027 12:00:00 GMT",
			"Link": `</api/docs>; rel="deprecation"`}
		for name := range want {
			if got := w.Header().Get(name); w.Code != 200 || id == "old" && got != want[name] || id != "old" && got != "" {
				t.Errorf("%s: %d with %s %q, want %q of the old one alone", id, w.Code, name, got, want[name])
			}
		}
	}
	text, err := a.YAML()
	if err != nil {
		t.Fatal(err)
	}
	_, old, _ := strings.Cut(string(text), "\n  /api/old:\n")
	old, current, _ := strings.Cut(old, "\n  /api/current:\n")
	for _, part := range []string{"deprecated: true", "components/headers/Deprecation", "components/headers/Sunset"} {
		if !strings.Contains(old, part) || strings.Contains(current[:strings.Index(current, "\ncomponents:")], part) {
			t.Errorf("the document has %q not of the old operation, or of the current one:\n%s\n%s", part, old, current)
		}
	}
	s := shared(t)
	r := s.anonymous(t).send(t, request{method: "GET", path: "/api/tiers", header: map[string]string{"Origin": elsewhere}})
	if readable := r.header.Get("Access-Control-Expose-Headers"); !strings.Contains(readable, "Deprecation") ||
		!strings.Contains(readable, "Sunset") || r.header.Get("Deprecation") != "" {
		t.Errorf("pages of other sites may read %s of %v", readable, r.header)
	}
}
