package contract_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"roshambo/contract"
)

type greetIn struct {
	Name string `path:"name" maxLength:"16" doc:"Whom to greet."`
	Body struct {
		Times int    `json:"times" min:"1" max:"3" default:"1"`
		Tone  string `json:"tone" required:"true" enum:"warm,cool"`
		Token string `json:"token" secret:"true"`
	}
}

type greetOut struct {
	Lines []string `json:"lines" doc:"What was said."`
}

var errStranger = errors.New("nobody knows this one")

func greet(_ context.Context, in *greetIn) (*greetOut, error) {
	if in.Name == "stranger" {
		return nil, errStranger
	}
	out := &greetOut{}
	for range in.Body.Times {
		out.Lines = append(out.Lines, map[string]string{"warm": "Hello, ", "cool": "Hm, "}[in.Body.Tone]+in.Name)
	}
	return out, nil
}

// An operation is registered once; requests are then read, checked and
// answered by it.
func Example() {
	api := contract.New(contract.Info{Title: "Greetings", Version: "1.0"}, contract.Options{
		Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
			status := http.StatusInternalServerError
			if errors.Is(err, errStranger) || errors.Is(err, contract.ErrNotFound) {
				status = http.StatusNotFound
			}
			http.Error(w, err.Error(), status)
		},
	})
	contract.Add(api, contract.Operation{ID: "greet", Method: http.MethodPost, Path: "/greet/{name}"}, greet)

	send := func(path, body string) {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
		fmt.Println(w.Code, strings.ReplaceAll(strings.TrimSpace(w.Body.String()), "},{", "},\n\t{"))
	}
	send("/greet/Ada", `{"tone": "warm", "times": 2}`)
	send("/greet/Ada", `{"times": 4, "token": "t0p"}`)
	send("/greet/Ada", `{"tone": warm}`)
	send("/greet/stranger", `{"tone": "cool"}`)
	send("/meet/Ada", ``)
	// Output:
	// 200 {"lines":["Hello, Ada","Hello, Ada"]}
	// 422 {"detail":[{"type":"less_than_equal","loc":["body","times"],"msg":"Input should be less than or equal to 3","input":4,"ctx":{"le":3}},
	// 	{"type":"missing","loc":["body","tone"],"msg":"Field required","input":{"times":4,"token":"[redacted]"}}]}
	// 422 {"detail":[{"type":"json_invalid","loc":["body",9],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}
	// 404 nobody knows this one
	// 404 no such path
}

// The document describes the same operations.
func ExampleAPI_Document() {
	api := contract.New(contract.Info{Title: "Greetings", Version: "1.0"}, contract.Options{})
	contract.Add(api, contract.Operation{ID: "greet", Method: http.MethodPost, Path: "/greet/{name}"}, greet)
	text, err := api.Document().YAML()
	if err != nil {
		fmt.Println(err)
	}
	begin := strings.Index(string(text), "/greet")
	end := strings.Index(string(text), "      responses")
	fmt.Print(string(text[begin:end]))
	// Output:
	// /greet/{name}:
	//     post:
	//       operationId: greet
	//       security: []
	//       parameters:
	//         - name: name
	//           in: path
	//           required: true
	//           description: Whom to greet.
	//           schema:
	//             type: string
	//             maxLength: 16
	//       requestBody:
	//         required: true
	//         content:
	//           application/json:
	//             schema:
	//               type: object
	//               required:
	//                 - tone
	//               properties:
	//                 times:
	//                   type: integer
	//                   minimum: 1
	//                   maximum: 3
	//                   default: 1
	//                 tone:
	//                   type: string
	//                   enum:
	//                     - warm
	//                     - cool
	//                 token:
	//                   type: string
	//                   format: password
}

// A handler that knows better than the tags refuses with the same answer.
func ExampleInvalid() {
	err := contract.Invalid([]any{"body", "name"}, "value_error", "Value error, the name is taken", "ada", nil)
	fmt.Println(err)
	// Output:
	// [body name]: Value error, the name is taken
}

// Encode writes what answers hold: lists are never null.
func ExampleEncode() {
	b, err := contract.Encode(greetOut{})
	fmt.Println(string(b), err)
	// Output:
	// {"lines":[]} <nil>
}
