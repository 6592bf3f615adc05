package contract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"roshambo/contract"
)

// fuzzIn has a field of every kind.
type fuzzIn struct {
	ID    int     `path:"id" min:"1" max:"9999"`
	Limit int     `query:"limit" min:"1" max:"100" default:"20"`
	Sort  *string `query:"sort" enum:"up,down"`
	Body  struct {
		Name     string   `json:"name" required:"true" minLength:"2" maxLength:"5"`
		Password string   `json:"password" secret:"true" minLength:"4" default:"open"`
		Tint     string   `json:"tint" enum:"teal,amber" default:"teal"`
		N        int      `json:"n" required:"true" gt:"-5" max:"5"`
		Maybe    *int8    `json:"maybe" multipleOf:"3"`
		OK       bool     `json:"ok"`
		List     []string `json:"list" maxItems:"3" pattern:"^[a-z]*$"`
		Deep     struct {
			Way *struct {
				Down int `json:"down" required:"true" min:"0" max:"9"`
			} `json:"way"`
		} `json:"deep"`
	}
}

// FuzzBind sends requests to one operation and compares the handler's input with a model made of
// encoding/json and plain rules: both must agree on whether the request is valid, and on every
// value.
func FuzzBind(f *testing.F) {
	const whole = `{"name":"abc","password":"hunter2-","tint":"amber","n":-4.0,"maybe":3,"ok":true,"list":["a",""],"deep":{"way":{"down":7}}}`
	for _, body := range []string{
		whole, `{}`, ``, `null`, `[]`, `{"name":"é😀","n":5}`, `{"NAME":"abc","n":1,"n":"x"}`, `"hunter2-"`,
		"password=hunter2-",
		`{"password":"hunter2-"}`, `{"name":"\ud83d\ude00x","n":0,"maybe":null,"deep":{"way":{}}}`, `{"n":1e400}`, `{"n":NaN}`,
	} {
		f.Add("7", "limit=5&sort=up", "application/json", []byte(body))
		f.Add(" +1_000.0 ", "limit=%2010&limit=&sort", "", []byte(body))
	}
	for _, c := range slices.Concat(bodyCases, typeCases, nestedCases, secretCases, jsonCases) {
		f.Add("1", "", strings.TrimPrefix(c.header, "Content-Type: "), []byte(c.body))
	}
	var got *fuzzIn
	api := contract.New(contract.Info{}, contract.Options{})
	contract.Add(api, contract.Operation{ID: "x", Method: http.MethodPost, Path: "/x/{id}"},
		func(_ context.Context, in *fuzzIn) (*struct{}, error) {
			got = in
			return nil, nil // the output does not matter
		})
	f.Fuzz(func(t *testing.T, id, query, contentType string, body []byte) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		r.URL = &url.URL{Path: "/x/" + id, RawQuery: query}
		r.Header["Content-Type"] = []string{contentType}
		w := httptest.NewRecorder()
		got = nil
		api.ServeHTTP(w, r)

		if (w.Code == http.StatusOK) != (got != nil) {
			t.Fatalf("%d, but the handler got %+v", w.Code, got)
		}
		checkResponse(t, w, body)
		if id == "" || strings.Contains(id, "/") || w.Code == http.StatusBadRequest {
			return // another path, or an encoding outside the model
		}
		want, known := model(id, query, contentType, body)
		if !known {
			return
		}
		if (want == nil) != (got == nil) {
			t.Fatalf("handler got %+v, the model expects %+v: %s", got, want, w.Body)
		}
		if got != nil && encoded(t, got) != encoded(t, want) {
			t.Fatalf("handler got %s, the model expects %s", encoded(t, got), encoded(t, want))
		}
	})
}

func encoded(t *testing.T, in *fuzzIn) string {
	t.Helper()
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkResponse checks the form of a 422 and that it contains no password. Passwords are texts
// with hunter2-, which occurs nowhere else.
func checkResponse(t *testing.T, w *httptest.ResponseRecorder, body []byte) {
	t.Helper()
	var answer struct {
		Detail []struct {
			Type, Msg string
			Loc       []any
			Input     *json.RawMessage
		}
	}
	if w.Code == http.StatusUnprocessableEntity {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Detail) == 0 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		for _, d := range answer.Detail {
			if d.Type == "" || d.Msg == "" || len(d.Loc) == 0 {
				t.Fatalf("an error without type, msg or loc: %s", w.Body)
			}
		}
	}
	var sent struct{ Password string }
	secret := json.Unmarshal(body, &sent) == nil && strings.Contains(sent.Password, "hunter2-") || !json.Valid(body)
	if secret && bytes.Count(body, []byte("hunter2-")) == 1 && strings.Contains(w.Body.String(), "hunter2-") {
		t.Fatalf("the password is shown: %s", w.Body)
	}
}

// model returns the input that the handler should receive, or nil for an invalid request. Known
// is false for bodies that Python and Go parse differently by design.
func model(id, query, contentType string, body []byte) (in *fuzzIn, known bool) {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	if media = strings.TrimSpace(media); contentType != "" && media != "application/json" {
		return nil, !strings.HasPrefix(media, "application/") || !strings.HasSuffix(media, "+json")
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 || bytes.HasPrefix(body, []byte("\ufeff")) ||
		regexp.MustCompile(`(?i)\\ud[89a-f]|[0-9]{300}`).Match(body) ||
		bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) > 1000 {
		return nil, false
	}
	in = &fuzzIn{Limit: 20}
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if !json.Valid(body) || d.Decode(&members) != nil || members == nil {
		return nil, true
	}
	if !modelParams(in, id, query) || !modelBody(in, members) {
		return nil, true
	}
	return in, true
}

var laxInt = regexp.MustCompile(`^([+-]?)0*([0-9](?:_?[0-9])*)(?:\.0+)?$`)

func modelInt(s string, low, high int) (int, bool) {
	m := laxInt.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimPrefix(m[1], "+") + strings.ReplaceAll(m[2], "_", ""))
	return n, err == nil && low <= n && n <= high
}

func modelParams(in *fuzzIn, id, query string) bool {
	var ok bool
	if in.ID, ok = modelInt(id, 1, 9999); !ok {
		return false
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, value = lenient(name), lenient(value)
		switch {
		case name == "limit" && pair != "":
			in.Limit, ok = modelInt(value, 1, 100)
			in.Limit = map[bool]int{true: in.Limit, false: -1}[ok]
		case name == "sort":
			in.Sort = &value
		}
	}
	return in.Limit > 0 && (in.Sort == nil || *in.Sort == "up" || *in.Sort == "down")
}

var percent = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// lenient decodes valid percent-escapes and leaves others unchanged.
func lenient(s string) string {
	s = percent.ReplaceAllStringFunc(strings.ReplaceAll(s, "+", " "), func(e string) string {
		n, _ := strconv.ParseUint(e[1:], 16, 8)
		return string([]byte{byte(n)})
	})
	return s
}

// modelBody fills in and reports whether the body is valid.
func modelBody(in *fuzzIn, m map[string]any) bool {
	b := &in.Body
	number := func(name string, into func(float64) bool) bool {
		v, given := m[name]
		n, isNumber := v.(json.Number)
		f, err := strconv.ParseFloat(string(n), 64)
		return !given || isNumber && err == nil && into(f)
	}
	text := func(name, fallback string, into *string) bool {
		v, given := m[name]
		s, isText := v.(string)
		*into = map[bool]string{true: s, false: fallback}[given]
		return !given || isText
	}
	integer := func(low, high float64, into *int) func(float64) bool {
		return func(f float64) bool {
			*into = int(max(low-1, min(high+1, f)))
			return f == math.Trunc(f) && low <= f && f <= high
		}
	}
	if m["maybe"] == nil {
		delete(m, "maybe")
	}
	var maybe int
	_, named := m["name"]
	_, counted := m["n"]
	ok := named && counted &&
		text("name", "", &b.Name) && utf8.RuneCountInString(b.Name) >= 2 && utf8.RuneCountInString(b.Name) <= 5 &&
		text("password", "open", &b.Password) && utf8.RuneCountInString(b.Password) >= 4 &&
		text("tint", "teal", &b.Tint) && (b.Tint == "teal" || b.Tint == "amber") &&
		number("n", integer(-4, 5, &b.N)) && number("maybe", integer(-128, 127, &maybe)) && maybe%3 == 0
	if _, given := m["maybe"]; given {
		small := int8(maybe)
		b.Maybe = &small
	}
	return ok && modelRest(in, m)
}

func modelRest(in *fuzzIn, m map[string]any) bool {
	b := &in.Body
	if v, given := m["ok"]; given {
		var isBool bool
		if b.OK, isBool = v.(bool); !isBool {
			return false
		}
	}
	if v, given := m["list"]; given {
		items, isList := v.([]any)
		if !isList || len(items) > 3 {
			return false
		}
		b.List = make([]string, len(items))
		for i, item := range items {
			s, isText := item.(string)
			if !isText || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") != "" {
				return false
			}
			b.List[i] = s
		}
	}
	v, given := m["deep"]
	deep, isObject := v.(map[string]any)
	if given && !isObject {
		return false
	}
	if deep["way"] == nil {
		return true
	}
	way, isObject := deep["way"].(map[string]any)
	n, isNumber := way["down"].(json.Number)
	f, err := strconv.ParseFloat(string(n), 64)
	if !isObject || !isNumber || err != nil || f != math.Trunc(f) || f < 0 || f > 9 {
		return false
	}
	b.Deep.Way = &struct {
		Down int `json:"down" required:"true" min:"0" max:"9"`
	}{int(f)}
	return true
}
