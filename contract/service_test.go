package contract_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"roshambo/contract"
)

// The operations of the cases. Each handler returns its input, so that a case also shows the
// values that the handler received.

type pathIn struct {
	ID int `path:"id" min:"0" max:"2147483647"`
}

type flagIn struct {
	Flag bool `path:"flag"`
}

type modelIn struct {
	Name string `path:"name" enum:"alexnet,resnet,lenet"`
}

type searchIn struct {
	Q       string `query:"q" required:"true" minLength:"2" maxLength:"5"`
	Limit   int    `query:"limit" min:"1" max:"100" default:"20"`
	Offset  int    `query:"offset" min:"0"`
	OrderBy string `query:"order_by" literal:"created_at,updated_at" default:"created_at"`
	Exact   bool   `query:"exact"`
	IDs     []int  `query:"ids" max:"9" maxItems:"3"`
	Key     string `query:"api_key" secret:"true" maxLength:"4"`
}

type headerIn struct {
	Trace string `header:"X-Trace-Id" pattern:"^[0-9a-f]+$" required:"true"`
	Depth *int8  `header:"X-Depth"`
}

type item struct {
	Name  string `json:"name" required:"true"`
	Price int    `json:"price" required:"true"`
}

type itemIn struct {
	Body item
}

type paintIn struct {
	JobID string `path:"job_id" maxLength:"8"`
	Body  struct {
		Tint    string  `json:"tint" required:"true" enum:"teal,amber,burgundy"`
		Remarks *string `json:"remarks" maxLength:"3"`
	}
}

type loginIn struct {
	Body struct {
		Username string `json:"username" required:"true" minLength:"3" maxLength:"8" pattern:"^[a-z]+$"`
		Password string `json:"password" required:"true" minLength:"8" maxLength:"16" secret:"true"`
		Device   *struct {
			Label string `json:"label" required:"true"`
			Token string `json:"token" secret:"true"`
		} `json:"device"`
		Options struct {
			Remember bool `json:"remember"`
			Days     int  `json:"days" default:"30" min:"1"`
		} `json:"options"`
	}
}

type inner struct {
	Name string `json:"name" required:"true" minLength:"2"`
	N    int    `json:"n" min:"0"`
}

type everythingIn struct {
	Body struct {
		Text   string  `json:"text" minLength:"1" maxLength:"4" pattern:"é$" default:"é"`
		Int    int64   `json:"int" multipleOf:"5" min:"-100" max:"100" default:"5"`
		Strict int     `json:"strict" gt:"0" lt:"10" default:"1"`
		Wide   int64   `json:"wide"`
		Small  uint8   `json:"small"`
		Bool   bool    `json:"bool"`
		Maybe  *int    `json:"maybe" min:"3"`
		Sort   string  `json:"sort" literal:"asc" default:"asc"`
		List   []int   `json:"list" maxItems:"3" max:"9"`
		Some   *[]int  `json:"some" minItems:"1"`
		Inner  *inner  `json:"inner"`
		Many   []inner `json:"many"`
	}
}

type closedIn struct {
	Body struct {
		_ struct{} `extra:"forbid"`
		A string   `json:"a" required:"true"`
		B int      `json:"b"`
	}
}

type batchIn struct {
	Body []inner `minItems:"1"`
}

type optionalIn struct {
	Body struct {
		Stake int `json:"stake" min:"0" default:"7"`
	}
}

// echo is the output of every handler.
type echo struct {
	Got any `json:"got"`
}

func handle[In any](_ context.Context, in *In) (*echo, error) { return &echo{in}, nil }

// service returns the API of all cases. Its handlers return their input.
func service(o contract.Options) *contract.API {
	a := contract.New(contract.Info{Title: "Cases", Version: "1.2.3"}, o)
	post := func(id, path string) contract.Operation {
		return contract.Operation{ID: id, Method: http.MethodPost, Path: path}
	}
	get := func(id, path string) contract.Operation {
		return contract.Operation{ID: id, Method: http.MethodGet, Path: path}
	}
	contract.Add(a, get("path", "/things/{id}"), handle[pathIn])
	contract.Add(a, get("flag", "/flags/{flag}"), handle[flagIn])
	contract.Add(a, get("model", "/models/{name}"), handle[modelIn])
	contract.Add(a, get("search", "/search"), handle[searchIn])
	contract.Add(a, get("header", "/header"), handle[headerIn])
	contract.Add(a, post("item", "/items"), handle[itemIn])
	contract.Add(a, post("paint", "/jobs/{job_id}/paint"), handle[paintIn])
	contract.Add(a, post("login", "/login"), handle[loginIn])
	contract.Add(a, post("everything", "/everything"), handle[everythingIn])
	contract.Add(a, post("closed", "/closed"), handle[closedIn])
	contract.Add(a, post("batch", "/batch"), handle[batchIn])
	contract.Add(a, post("none", "/none"), handle[struct{}])
	optional := post("optional", "/optional")
	optional.OptionalBody = true
	contract.Add(a, optional, handle[optionalIn])
	return a
}

// A requestCase is one request and its complete response.
type requestCase struct {
	name   string
	line   string // method and target
	header string // "Name: value", or empty
	body   string
	status int
	want   string
}

func (c requestCase) run(t *testing.T, api http.Handler) {
	t.Helper()
	method, target, _ := strings.Cut(c.line, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(c.body))
	if name, value, ok := strings.Cut(c.header, ": "); ok {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	got, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	if w.Code != c.status || string(got) != c.want {
		t.Errorf("%s %s\n%s\n got %d %s\nwant %d %s", c.line, c.header, c.body, w.Code, got, c.status, c.want)
	}
}
