package contract_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"roshambo/contract"
)

type betweenIn struct {
	Body struct {
		Move  *string `json:"move" enum:"rock,paper"`
		Text  *string `json:"text" maxLength:"4"`
		Then  *string `json:"then" enum:"claim"`
		Other struct {
			Name *string  `json:"name" maxLength:"4"`
			Code *string  `json:"code" secret:"true"`
			_    struct{} `some:"name,code"`
		} `json:"other"`
		Hours hours    `json:"hours"`
		_     struct{} `needs:"move=text,then"`
	}
}

// hours has both ends or neither, and a rule of its own.
type hours struct {
	From *string  `json:"from" maxLength:"4"`
	To   *string  `json:"to" maxLength:"4"`
	Key  string   `json:"key" secret:"true"`
	_    struct{} `both:"from,to"`
}

func (h *hours) Broken() string {
	if h.From != nil && *h.From == *h.To {
		return "the hours are empty"
	}
	return ""
}

// TestBetween: rules between members are enforced once all members are valid, with the enclosing object as input, and
// the document has them.
func TestBetween(t *testing.T) {
	t.Parallel()
	api := contract.New(contract.Info{Title: "t", Version: "1"}, contract.Options{})
	contract.Add(api, contract.Operation{ID: "op", Method: "POST", Path: "/op"},
		func(context.Context, *betweenIn) (*struct{}, error) { return &struct{}{}, nil })
	missing := func(loc, input string) string {
		return `{"type":"missing","loc":["body",` + loc + `],"msg":"Field required","input":` + input + `}`
	}
	for body, want := range map[string]string{
		`{}`:                               "",
		`{"move":"rock","then":"claim"}`:   "",
		`{"move":null,"text":null}`:        "",
		`{"text":null,"then":null}`:        "",
		`{"other":{"name":"x"}}`:           "",
		`{"other":{"name":"","code":"x"}}`: "",
		`{"text":""}`:                      missing(`"move"`, `{"text":""}`),
		`{"move":null,"then":"claim"}`:     missing(`"move"`, `{"move":null,"then":"claim"}`),
		`{"then":"claim","text":"a"}`:      missing(`"move"`, `{"then":"claim","text":"a"}`),
		`{"other":{"name":"","code":null}}`: missing(`"other","name"`, `{"name":"","code":"[redacted]"}`) + "," +
			missing(`"other","code"`, `{"name":"","code":"[redacted]"}`),
		`{"hours":{"from":"1","to":"2"}}`:   "",
		`{"hours":{"from":null,"to":null}}`: "",
		`{"hours":{"from":"1","to":null}}`:  missing(`"hours","to"`, `{"from":"1","to":null}`),
		`{"hours":{"to":"2","key":"x"}}`:    missing(`"hours","from"`, `{"to":"2","key":"[redacted]"}`),
		`{"hours":{"from":"too long"}}`: `{"type":"string_too_long","loc":["body","hours","from"],` +
			`"msg":"String should have at most 4 characters","input":"too long","ctx":{"max_length":4}}`,
		`{"hours":{"from":"1","to":"1","key":"x","more":0}}`: `{"type":"value_error","loc":["body","hours"],` +
			`"msg":"Value error, the hours are empty","input":{"from":"1","to":"1","key":"[redacted]","more":0},` +
			`"ctx":{"error":{}}}`,
		`{"text":"too long"}`: `{"type":"string_too_long","loc":["body","text"],"msg":"String should have at most 4 characters",` +
			`"input":"too long","ctx":{"max_length":4}}`,
	} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/op", strings.NewReader(body)))
		if want == "" && w.Code != 200 || want != "" && w.Body.String() != `{"detail":[`+want+`]}` {
			t.Errorf("%s: %d\n got %s\nwant %s", body, w.Code, w.Body, want)
		}
	}
	text, err := api.Document().JSON()
	if err != nil || !json.Valid(text) {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"anyOf":[{"required":["move"],"properties":{"move":{"type":"string"}}},` +
			`{"properties":{"text":{"type":"null"},"then":{"type":"null"}}}]`,
		`"anyOf":[{"required":["name"],"properties":{"name":{"type":"string","minLength":1}}},` +
			`{"required":["code"],"properties":{"code":{"type":"string","minLength":1}}}]`,
		`"anyOf":[{"required":["from","to"],"properties":{"from":{"type":"string"},"to":{"type":"string"}}},` +
			`{"properties":{"from":{"type":"null"},"to":{"type":"null"}}}]`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the document lacks %s", want)
		}
	}
}

// TestShownByMeaning: errors show what can be no secret: numbers beside the name of a key, and ids of tokens.
func TestShownByMeaning(t *testing.T) {
	t.Parallel()
	type in struct {
		Body struct {
			Needed string `json:"needed" required:"true"`
		}
	}
	api := contract.New(contract.Info{Title: "t", Version: "1"}, contract.Options{})
	contract.Add(api, contract.Operation{ID: "op", Method: "POST", Path: "/op"},
		func(context.Context, *in) (*struct{}, error) { return &struct{}{}, nil })
	for body, want := range map[string]string{
		`{"old_keys":[1,2],"token_id":5}`:         `{"old_keys":[1,2],"token_id":5}`,
		`{"keys":null,"token":7}`:                 `{"keys":null,"token":7}`,
		`{"old_keys":[1,"rsk_x"]}`:                `{"old_keys":"[redacted]"}`,
		`{"csrf_token":"x","api-key2":{"a":"x"}}`: `{"csrf_token":"[redacted]","api-key2":"[redacted]"}`,
		`{"password":12345678,"Salt":5}`:          `{"password":"[redacted]","Salt":"[redacted]"}`,
		`"token_id=5&price=1"`:                    `"token_id=5&price=1"`,
		`"{\"old_keys\":[1]}"`:                    `"[redacted]"`,
		`"csrf_token=x"`:                          `"[redacted]"`,
	} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/op", strings.NewReader(body)))
		if !strings.Contains(w.Body.String(), `"input":`+want+`}`) {
			t.Errorf("%s: %s, want the input %s", body, w.Body, want)
		}
	}
}
