package contract_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"roshambo/contract"
)

type node struct {
	Next *node `json:"next"`
}

type mixed struct {
	A int `json:"a"`
}

// Embedded is embedded.
type Embedded struct {
	A int `json:"a"`
}

// register returns a function that adds an operation with the input In.
func register[In any](path string) func() {
	return func() {
		a := contract.New(contract.Info{}, contract.Options{})
		contract.Add(a, contract.Operation{ID: "x", Method: http.MethodPost, Path: path}, nothing[In, struct{}])
	}
}

// body is an input whose body has one field.
type body[T any] struct{ Body T }

// tagMistakes are inputs with one mistake each, by a part of the panic's text.
var tagMistakes = map[string]func(){
	"is not a struct": register[int]("/x"),
	"has no tag path, query or header": register[struct {
		A int
	}]("/x"),
	`declares the path parameters [], its path has ["id"]`: register[struct{}]("/x/{id}"),
	`declares the path parameters ["id"], its path has []`: register[struct {
		ID int `path:"id"`
	}]("/x"),
	"does not begin with /": register[struct{}]("x"),
	"bad segment {a...}":    register[struct{}]("/{a...}"),
	"bad segment {a":        register[struct{}]("/{a"),
	"bad segment b{a}":      register[struct{}]("/b{a}"),
	"bad segment {a}":       register[struct{}]("/{a}/{a}"),
	"without id or method": func() {
		contract.New(contract.Info{}, contract.Options{}).AddRaw(contract.Operation{ID: "x", Path: "/"}, "", nil)
	},
	"is not exported": register[struct {
		a int `path:"a"`
	}]("/{a}"),
	"must be one struct":         register[body[int]]("/x"),
	"Body must be one struct or": register[body[*mixed]]("/x"),
	"a path parameter is always there": register[struct {
		ID *int `path:"id"`
	}]("/x/{id}"),
	"a query parameter is a text, integer or boolean": register[struct {
		A mixed `query:"a"`
	}]("/x"),
	"a header parameter is a text, integer or boolean": register[struct {
		A []int `header:"a"`
	}]("/x"),
	"has no rule for chan int": register[body[struct {
		A chan int `json:"a"`
	}]]("/x"),
	"has no rule for float64": register[body[struct {
		A float64 `json:"a"`
	}]]("/x"),
	"has no rule for map[string]int": register[body[struct {
		A map[string]int `json:"a"`
	}]]("/x"),
	"has no rule for **int": register[body[struct {
		A **int `json:"a"`
	}]]("/x"),
	"has no json tag": register[body[struct{ A int }]]("/x"),
	"contains itself": register[body[node]]("/x"),
	`has two members "a"`: register[body[struct {
		Embedded
		B int `json:"a"`
	}]]("/x"),
	"embeds a pointer to contract_test.Embedded": register[body[struct {
		*Embedded
	}]]("/x"),
	"the tag minLength does not apply to this type": register[body[struct {
		A int `json:"a" minLength:"1"`
	}]]("/x"),
	"the tag min does not apply to this type": register[body[struct {
		A string `json:"a" min:"1"`
	}]]("/x"),
	"the tag pattern does not apply to this type": register[body[struct {
		A string `json:"a" pattern:"x" enum:"x"`
	}]]("/x"),
	"is both enum and literal": register[body[struct {
		A string `json:"a" literal:"x" enum:"x"`
	}]]("/x"),
	"max is not an integer": register[body[struct {
		A int `json:"a" max:"1.5"`
	}]]("/x"),
	"multipleOf must be positive": register[body[struct {
		A int `json:"a" multipleOf:"0"`
	}]]("/x"),
	"impossible minLength and maxLength": register[body[struct {
		A string `json:"a" minLength:"2" maxLength:"1"`
	}]]("/x"),
	"missing closing ]": register[body[struct {
		A string `json:"a" pattern:"["`
	}]]("/x"),
	"required is true or false": register[body[struct {
		A string `json:"a" required:"yes"`
	}]]("/x"),
	"is required and has a default": register[body[struct {
		A string `json:"a" required:"true" default:"x"`
	}]]("/x"),
	"default: Input should be greater than or equal to 1": register[body[struct {
		A int `json:"a" min:"1" default:"0"`
	}]]("/x"),
	"default: Input should be 'a' or 'b'": register[body[struct {
		A string `json:"a" enum:"a,b" default:"c"`
	}]]("/x"),
	"only texts, integers and booleans take a default": register[body[struct {
		A []int `json:"a" default:"1"`
	}]]("/x"),
	"may be absent, but its zero value breaks its rules": register[body[struct {
		A string `json:"a" minLength:"1"`
	}]]("/x"),
	"(\"b\"): may be absent, but its zero value": register[body[struct {
		B string `json:"b" enum:"x,y"`
	}]]("/x"),
	"(\"c\"): may be absent, but its zero value": register[struct {
		C int `query:"c" max:"-1"`
	}]("/x"),
	"(\"d\"): may be absent, but its zero value": register[body[struct {
		D []int `json:"d" minItems:"1"`
	}]]("/x"),
	"(\"e\"): may be absent, but its zero value": register[body[struct {
		E struct {
			F int `json:"f" required:"true"`
		} `json:"e"`
	}]]("/x"),
	"(\"g\"): may be absent, but its zero value": register[body[struct {
		G int `json:"g" gt:"0"`
	}]]("/x"),
}

// operationMistakes are other mistakes in a registration.
var operationMistakes = map[string]func(){
	"is registered twice": func() {
		a := contract.New(contract.Info{}, contract.Options{})
		for i := range 2 {
			a.AddRaw(contract.Operation{ID: fmt.Sprint(i), Method: http.MethodGet, Path: "/x/{a}"}, "", nil)
		}
	},
	"the operation id x is taken": func() {
		a := contract.New(contract.Info{}, contract.Options{})
		for i := range 2 {
			a.AddRaw(contract.Operation{ID: "x", Method: http.MethodGet, Path: fmt.Sprint("/", i)}, "", nil)
		}
	},
	"MaxBody is": func() { contract.New(contract.Info{}, contract.Options{MaxBody: -1}) },
	"scheme \"door\", which is not set": func() {
		a := contract.New(contract.Info{}, contract.Options{})
		a.SetSecuritySchemes(contract.SecurityScheme{Name: "window"})
		a.AddRaw(contract.Operation{ID: "x", Method: http.MethodGet, Path: "/", Security: []string{"door"}}, "", nil)
		a.Document()
	},
	"is both read and written": func() {
		a := contract.New(contract.Info{}, contract.Options{})
		contract.Add(a, contract.Operation{ID: "x", Method: http.MethodPost, Path: "/"}, nothing[body[mixed], mixed])
		a.Document()
	},
	"are both called Mixed": func() {
		type mixed struct{}
		a := contract.New(contract.Info{}, contract.Options{})
		contract.Add(a, contract.Operation{ID: "x", Method: http.MethodPost, Path: "/"}, nothing[body[node2], mixed])
		a.Document()
	},
	"has the name of the contract's own schema Error": func() {
		type Error struct{}
		a := contract.New(contract.Info{}, contract.Options{})
		contract.Add(a, contract.Operation{ID: "x", Method: http.MethodPost, Path: "/"}, nothing[struct{}, Error])
		a.Document()
	},
	"x cannot do without its body": func() {
		a := contract.New(contract.Info{}, contract.Options{})
		contract.Add(a, contract.Operation{ID: "x", Method: http.MethodPost, Path: "/", OptionalBody: true},
			nothing[itemIn, struct{}])
	},
}

// TestMistakesPanic registers all of them.
func TestMistakesPanic(t *testing.T) {
	t.Parallel()
	for _, mistakes := range []map[string]func(){tagMistakes, operationMistakes} {
		for want, f := range mistakes {
			t.Run(want, func(t *testing.T) {
				t.Parallel()
				defer func() {
					if got := fmt.Sprint(recover()); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
						t.Errorf("panicked with %q", got)
					}
				}()
				f()
			})
		}
	}
}

// node2 refers to mixed, so that two structs share a name.
type node2 struct {
	M mixed `json:"m"`
}

// shared holds parameters of several operations.
type shared struct {
	Limit int `query:"limit" min:"1" default:"20"`
}

type outer struct {
	Embedded
	B int `json:"b"`
}

// TestEmbedded has parameters and members in embedded structs.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	a := contract.New(contract.Info{}, contract.Options{})
	contract.Add(a, contract.Operation{ID: "x", Method: http.MethodPost, Path: "/x"},
		func(_ context.Context, in *struct {
			shared
			Body outer
		}) (*echo, error) {
			return &echo{[]int{in.Limit, in.Body.B}}, nil
		})
	requestCase{"", "POST /x?limit=3", "", `{"b":4}`, 200, `{"got":[3,4]}`}.run(t, a)
	requestCase{
		"", "POST /x?limit=0", "", `{"a":"x","b":"y"}`, 422,
		`{"detail":[{"type":"greater_than_equal","loc":["query","limit"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}},` +
			`{"type":"int_type","loc":["body","a"],"msg":"Input should be a valid integer","input":"x"},` +
			`{"type":"int_type","loc":["body","b"],"msg":"Input should be a valid integer","input":"y"}]}`,
	}.run(t, a)
}
