package contract_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roshambo/contract"
)

// The types of the operations below, one of each with something that will end.
type (
	oldParam struct {
		Sort string `query:"sort" deprecated:"2026-12-01,2027-06-01" doc:"By nothing else."`
	}
	oldMember struct {
		Body struct {
			Items []struct {
				Colour string `json:"colour" deprecated:"2026-11-01"`
			} `json:"items"`
		}
	}
	oldOutput struct {
		Parts map[string]*oldPart `json:"parts"`
	}
	oldPart struct {
		Whole *oldOutput `json:"whole"` // contains itself
		Made  time.Time  `json:"made"`
		Price *int64     `json:"price" deprecated:"2026-12-01,2027-03-01"`
		Cost  int64      `json:"cost" deprecated:"2026-10-01,2027-09-01"`
	}
	oldEvents struct {
		Gone *struct {
			ID int64 `json:"id"`
		} `json:"gone" deprecated:"2026-12-01"`
	}
	newInput struct {
		Sort string `query:"sort"`
	}
	newOutput struct {
		Sort string `json:"sort"`
	}
)

func date(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

// deprecating returns an API with one operation for each place of a deprecation, and one without.
func deprecating() *contract.API {
	a := contract.New(contract.Info{}, contract.Options{Fail: failer, DeprecationLink: "/docs",
		Before: func(_ *contract.Operation, _ http.ResponseWriter, r *http.Request) (context.Context, error) {
			if r.Header.Get("Authorization") == "wrong" {
				return nil, errTooFar
			}
			return nil, nil
		}})
	op := func(id, method string) contract.Operation {
		return contract.Operation{ID: id, Method: method, Path: "/" + id}
	}
	whole := op("whole", "GET")
	whole.Deprecated = contract.Deprecation{Since: date("2026-12-01").Add(time.Hour), Sunset: date("2027-06-01")}
	contract.Add(a, whole, nothing[newInput, newOutput])
	contract.Add(a, op("param", "GET"), nothing[oldParam, newOutput])
	contract.Add(a, op("member", "POST"), nothing[oldMember, newOutput])
	contract.Add(a, op("output", "GET"), nothing[newInput, oldOutput])
	events := op("events", "GET")
	events.Events = oldEvents{}
	contract.AddStream(a, events, "text/event-stream", func(context.Context, *newInput) (contract.Stream, error) {
		return func(context.Context, http.ResponseWriter) {}, nil
	})
	raw := op("raw", "GET")
	raw.Deprecated = contract.Deprecation{Since: date("2026-12-01")}
	a.AddRaw(raw, "image/png", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	contract.Add(a, op("current", "GET"), nothing[newInput, newOutput])
	return a
}

// TestDeprecationHeaders: responses announce the earliest times of all that their operation has, errors too.
func TestDeprecationHeaders(t *testing.T) {
	t.Parallel()
	a := deprecating()
	for _, c := range []struct{ method, path, body, since, sunset string }{
		{"GET", "/whole", "", "@1796086800", "Tue, 01 Jun 2027 00:00:00 GMT"},
		{"HEAD", "/whole", "", "@1796086800", "Tue, 01 Jun 2027 00:00:00 GMT"},
		{"GET", "/param", "", "@1796083200", "Tue, 01 Jun 2027 00:00:00 GMT"},
		{"POST", "/member", `{"items":[]}`, "@1793491200", ""},
		{"POST", "/member", `{"items":1}`, "@1793491200", ""}, // 422
		{"GET", "/output", "", "@1790812800", "Mon, 01 Mar 2027 00:00:00 GMT"},
		{"GET", "/events", "", "@1796083200", ""},
		{"GET", "/raw", "", "@1796083200", ""},
		{"GET", "/current", "", "", ""},
		{"GET", "/nothing", "", "", ""},
	} {
		for _, authorization := range []string{"", "wrong"} {
			r := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
			r.Header.Set("Authorization", authorization)
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			link := ""
			if c.since != "" {
				link = `</docs>; rel="deprecation"`
			}
			got := [3]string{w.Header().Get("Deprecation"), w.Header().Get("Sunset"), w.Header().Get("Link")}
			if want := [3]string{c.since, c.sunset, link}; got != want {
				t.Errorf("%s %s %q: %d with %q, want %q", c.method, c.path, authorization, w.Code, got, want)
			}
		}
	}
}

// TestDeprecationDocument: the document marks deprecated parts, and nothing else.
func TestDeprecationDocument(t *testing.T) {
	t.Parallel()
	text, err := deprecating().Document().JSON()
	if err != nil {
		t.Fatal(err)
	}
	var d any
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	at := func(path ...any) any {
		v := d
		for _, key := range path {
			switch key := key.(type) {
			case string:
				v = v.(map[string]any)[key]
			case int:
				v = v.([]any)[key]
			}
		}
		return v
	}
	marked := []struct {
		sunset string // "" for none
		path   []any
	}{
		{"2027-06-01", []any{"paths", "/whole", "get"}},
		{"", []any{"paths", "/raw", "get"}},
		{"2027-06-01", []any{"paths", "/param", "get", "parameters", 0}},
		{"", []any{"paths", "/member", "post", "requestBody", "content", "application/json", "schema", "properties", "items",
			"items", "properties", "colour"}},
		{"2027-03-01", []any{"components", "schemas", "OldPart", "properties", "price"}},
		{"2027-09-01", []any{"components", "schemas", "OldPart", "properties", "cost"}},
		{"", []any{"components", "schemas", "OldEvents", "properties", "gone"}},
	}
	for _, m := range marked {
		part := at(m.path...).(map[string]any)
		deprecated, _ := part["deprecated"].(bool)
		if sunset, _ := part["x-sunset"].(string); !deprecated || sunset != m.sunset {
			t.Errorf("%v is not marked with the sunset %q: %v", m.path, m.sunset, part)
		}
	}
	if n := strings.Count(string(text), `"deprecated":true`); n != len(marked) {
		t.Errorf("%d things are marked, want %d: %s", n, len(marked), text)
	}
}

// TestDeprecationMistakes: a malformed date, and an end before the announcement, panic at the registration.
func TestDeprecationMistakes(t *testing.T) {
	t.Parallel()
	for name, register := range map[string]func(){
		"no date": register[struct {
			A int `query:"a" deprecated:"soon"`
		}]("/x"),
		"no date of the end": register[struct {
			A int `query:"a" deprecated:"2026-12-01,"`
		}]("/x"),
		"an end before the announcement": register[struct {
			A int `query:"a" deprecated:"2026-12-01,2026-11-30"`
		}]("/x"),
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), "deprecated is a date") {
					t.Errorf("%s: %v", name, r)
				}
			}()
			register()
		}()
	}
}
