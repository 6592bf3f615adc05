package contract_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roshambo/contract"
)

var update = flag.Bool("update", false, "write testdata in place of comparing with it")

// stamp documents its own schema.
type stamp struct{ time.Time }

func (stamp) OpenAPI() map[string]any {
	return map[string]any{
		"type": "string", "format": "date-time", "examples": []string{"2026-11-20T17:38:00.000Z"},
		"x-clock": map[string]any{"zone": []any{"UTC", map[string]any{"b": 1, "a": nil}}},
	}
}

// page is a generic struct; its component is named after its type argument.
type page[T any] struct {
	Rows []T     `json:"rows"`
	Next *string `json:"next" doc:"Where to go on, or null at the end."`
}

type owner struct {
	Name string `json:"name"`
}

type card struct {
	ID     int64             `json:"id" example:"7"`
	Suit   string            `json:"suit" enum:"hearts,spades" example:"spades"`
	Mood   *string           `json:"mood" enum:"good,bad" doc:"Null when unknown."`
	Owner  *owner            `json:"owner" doc:"Null when it has no owner."`
	Made   stamp             `json:"made"`
	Read   *time.Time        `json:"read,omitempty"`
	Hash   string            `json:"hash" pattern:"^[0-9a-f]{64}$" format:"hex"`
	Seen   time.Time         `json:"seen"`
	Odd    sometimes         `json:"odd"`
	Loose  any               `json:"loose"`
	Own    millis            `json:"own"`
	Ranks  [2]uint8          `json:"ranks" example:"[1,2]"`
	Weight float32           `json:"weight"`
	Tags   map[string]string `json:"tags"`
	Twins  []*card           `json:"twins"`
	Extra  json.RawMessage   `json:"extra"`
	Rank   int32             `json:"rank"`
	Key    []byte            `json:"key"`
	Spot   struct {
		X int `json:"x"`
	} `json:"spot"`
}

type cardsIn struct {
	Tier  *int   `query:"tier" min:"0" max:"64" doc:"Only this tier."`
	Sort  string `query:"sort" enum:"price,newest" default:"price"`
	Limit int    `query:"limit" min:"1" max:"100" default:"20" example:"50"`
	IDs   []int  `query:"id" maxItems:"5" min:"1"`
	Trace string `header:"X-Trace" maxLength:"9"`
}

type CardDraft struct {
	Name   string       `json:"name" required:"true" minLength:"1" maxLength:"32" pattern:"^\\S" doc:"Shown to every user."`
	Price  int64        `json:"price" required:"true" gt:"0" multipleOf:"5"`
	Count  int64        `json:"count" default:"1" min:"1" lt:"10"`
	Secret *string      `json:"secret" secret:"true" default:"none"`
	Owner  *draftOwner  `json:"owner"`
	More   []draftOwner `json:"more" maxItems:"3"`
	Old    *bool        `json:"old"`
	Yes    string       `json:"yes" enum:"yes,no,1" default:"no"`
}

type draftOwner struct {
	_    struct{} `extra:"forbid"`
	Name string   `json:"name" required:"true"`
}

type draftIn struct {
	ID   int `path:"card_id" min:"0" doc:"Which card."`
	Body CardDraft
}

func nothing[In, Out any](context.Context, *In) (*Out, error) { return nil, nil } // documents need no handlers

// cards returns an API with at least one use of every feature of the document.
func cards() *contract.API {
	a := contract.New(contract.Info{Title: "Cards", Version: "0.1.0",
		Description: "Two lines:\n\n- \"quoted\" # no comment"}, contract.Options{})
	a.SetSecuritySchemes(
		contract.SecurityScheme{Name: "session", Type: "apiKey", In: "cookie", Key: "sid", Description: "A browser."},
		contract.SecurityScheme{Name: "bearer", Type: "http", Scheme: "bearer"},
	)
	a.SetCommonErrors(
		contract.ErrorDoc{Status: 429, Code: "rate_limited", When: "too many requests"},
		contract.ErrorDoc{Status: 500, Code: "internal", When: "something is wrong here"},
	)
	contract.Add(a, contract.Operation{
		ID: "listCards", Method: http.MethodGet, Path: "/cards", Tag: "cards", Summary: "All cards",
		Description: "Newest first, unless `sort` says: otherwise.",
	}, nothing[cardsIn, page[card]])
	contract.Add(a, contract.Operation{
		ID: "changeCard", Method: http.MethodPut, Path: "/cards/{card_id}", Tag: "cards",
		Security: []string{"session", "bearer"},
		Errors: []contract.ErrorDoc{
			{Status: 404, Code: "not_found", When: "there is no such card"},
			{Status: 409, Code: "sold", When: "it is sold"},
			{Status: 409, Code: "burnt", When: "it is burnt"},
			{Status: 422, Code: "key_reused", When: "another body under the same key"},
			{Status: 429, Code: "too_fast", When: "less than a second after the last change"},
		},
	}, nothing[draftIn, card])
	contract.Add(a, contract.Operation{ID: "getCard", Method: http.MethodGet, Path: "/cards/{card_id}"},
		nothing[struct {
			ID int `path:"card_id"`
		}, card])
	contract.Add(a, contract.Operation{ID: "deal", Method: http.MethodPost, Path: "/deal", OptionalBody: true},
		nothing[struct {
			Body struct {
				Players int `json:"players" default:"2"`
			}
		}, struct{}])
	contract.Add(a, contract.Operation{ID: "reset", Method: http.MethodPost, Path: "/reset"},
		nothing[struct{}, map[string][]owner])
	contract.AddStream(a, contract.Operation{
		ID: "watchCards", Method: http.MethodGet, Path: "/cards/live", Security: []string{"session"}, Anonymous: true,
	}, "text/event-stream", func(context.Context, *cardsIn) (contract.Stream, error) { return nil, nil })
	a.AddRaw(contract.Operation{ID: "picture", Method: http.MethodGet, Path: "/pictures/{card_id}/{file}"}, "image/png",
		http.NotFoundHandler())
	a.AddRaw(contract.Operation{ID: "dump", Method: http.MethodGet, Path: "/dump"}, "application/json",
		http.NotFoundHandler())
	return a
}

// TestDocument compares both forms with the committed files.
func TestDocument(t *testing.T) {
	t.Parallel()
	document := cards().Document()
	for name, form := range map[string]func() ([]byte, error){"cards.json": document.JSON, "cards.yaml": document.YAML} {
		got, err := form()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s differs from the operations; write it with\n\tgo test ./contract -run TestDocument -update\ngot\n%s",
				file, got)
		}
	}
}

// TestDocumentIsDeterministic makes the document repeatedly: iteration over a Go map would show
// as a difference.
func TestDocumentIsDeterministic(t *testing.T) {
	t.Parallel()
	first, err := cards().Document().JSON()
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		again, err := cards().Document().JSON()
		if err != nil || string(again) != string(first) {
			t.Fatalf("%v: the document changes between calls:\n%s\n%s", err, first, again)
		}
	}
}

// TestDocumentOfTags: a part has the operations with a tag, the structs and codes that they use, and nothing else.
func TestDocumentOfTags(t *testing.T) {
	t.Parallel()
	a := contract.New(contract.Info{Title: "Library", Version: "1"}, contract.Options{})
	a.SetCommon(contract.Common{Tags: []contract.Tag{{Name: "Books"}, {Name: "Cards"}, {Name: "None"}}})
	operation := func(id, path, tag, code string) contract.Operation {
		return contract.Operation{ID: id, Method: http.MethodGet, Path: path, Tag: tag,
			Errors: []contract.ErrorDoc{{Status: 409, Code: code, When: "now and then"}}}
	}
	contract.Add(a, operation("getOwner", "/owner", "Books", "sold"), nothing[struct{}, owner])
	contract.Add(a, operation("getCard", "/card", "Cards", "burnt"), nothing[struct{}, card])
	for _, tt := range []struct {
		tags     []string
		has, not []string
	}{
		{nil, []string{"getOwner", "getCard", `"Card"`, "sold", "burnt", `"None"`}, nil},
		{[]string{"Books"}, []string{"getOwner", `"Owner"`, "sold", `"Books"`},
			[]string{"getCard", `"Card"`, "burnt", `"Cards"`}},
		{[]string{"Cards", "Books"}, []string{"getOwner", "getCard", "burnt", "sold"}, []string{`"None"`}},
		{[]string{"None"}, []string{`"None"`, `"Error"`}, []string{"getOwner", "sold"}},
	} {
		text, err := a.Document(tt.tags...).JSON()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.has {
			if !strings.Contains(string(text), want) {
				t.Errorf("%v: no %s in %s", tt.tags, want, text)
			}
		}
		for _, other := range tt.not {
			if strings.Contains(string(text), other) {
				t.Errorf("%v: %s in %s", tt.tags, other, text)
			}
		}
	}
}

// TestDocumentRefs resolves every reference of the document, and checks that no object has a
// duplicate member.
func TestDocumentRefs(t *testing.T) {
	t.Parallel()
	text, err := cards().Document().JSON()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	again, err := contract.Encode(root)
	if err != nil || len(again) != len(text) {
		t.Errorf("%v: %d bytes became %d: a member is duplicated", err, len(text), len(again))
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && !resolves(root, ref) {
				t.Errorf("%s does not resolve", ref)
			}
			for _, member := range v {
				walk(member)
			}
		}
	}
	walk(root)
}

func resolves(root any, ref string) bool {
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, ok := root.(map[string]any)
		if !ok || object[name] == nil {
			return false
		}
		root = object[name]
	}
	return true
}
