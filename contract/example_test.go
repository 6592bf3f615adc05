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
	Name string `path:"name" maxLength:"16" doc:"The person to greet."`
	Body struct {
		Times int    `json:"times" min:"1" max:"3" default:"1"`
		Tone  string `json:"tone" required:"true" enum:"warm,cool"`
		Token string `json:"token" secret:"true"`
	}
}

type greetOut struct {
	Lines []string `json:"lines" doc:"The greetings."`
}

var errStranger = errors.New("unknown person")

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

// send sends one request to an API and prints status and body.
func send(api http.Handler, method, path, body string) {
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	fmt.Println(w.Code, strings.ReplaceAll(strings.TrimSpace(w.Body.String()), "},{", "},\n\t{"))
}

// An operation is registered once. The API then parses, validates and answers its
// requests; Options.Fail writes the responses to errors.
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

	send(api, "POST", "/greet/Ada", `{"tone": "warm", "times": 2}`)
	send(api, "POST", "/greet/Ada", `{"times": 4, "token": "t0p"}`)
	send(api, "POST", "/greet/Ada", `{"tone": warm}`)
	send(api, "POST", "/greet/stranger", `{"tone": "cool"}`)
	send(api, "POST", "/meet/Ada", ``)
	// Output:
	// 200 {"lines":["Hello, Ada","Hello, Ada"]}
	// 422 {"detail":[{"type":"less_than_equal","loc":["body","times"],"msg":"Input should be less than or equal to 3","input":4,"ctx":{"le":3}},
	// 	{"type":"missing","loc":["body","tone"],"msg":"Field required","input":{"times":4,"token":"[redacted]"}}]}
	// 422 {"detail":[{"type":"json_invalid","loc":["body",9],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}
	// 404 unknown person
	// 404 no such path
}

// Without Options.Fail, errors have FastAPI's form.
func ExampleNew() {
	api := contract.New(contract.Info{Title: "Greetings", Version: "1.0"}, contract.Options{MaxBody: 64})
	contract.Add(api, contract.Operation{ID: "greet", Method: http.MethodPost, Path: "/greet/{name}"}, greet)

	send(api, "GET", "/greet/Ada", ``)
	send(api, "POST", "/greet/Ada", `{"tone": "`+strings.Repeat("warm", 16)+`"}`)
	// Output:
	// 405 {"detail":"Method Not Allowed"}
	// 413 {"detail":"Request Entity Too Large"}
}

type countToIn struct {
	To int `query:"to" min:"1" max:"5" default:"3" doc:"The last number."`
}

// The input of a stream is validated before its handler runs; the Stream that the
// handler returns then writes the response.
func ExampleAddStream() {
	api := contract.New(contract.Info{Title: "Counter", Version: "1.0"}, contract.Options{})
	contract.AddStream(api, contract.Operation{ID: "count", Method: http.MethodGet, Path: "/count"}, "text/event-stream",
		func(_ context.Context, in *countToIn) (contract.Stream, error) {
			return func(ctx context.Context, w http.ResponseWriter) {
				for n := 1; n <= in.To && ctx.Err() == nil; n++ {
					fmt.Fprintf(w, "data: %d\n", n)
				}
			}, nil
		})

	send(api, "GET", "/count?to=2", ``)
	send(api, "GET", "/count?to=9", ``)
	// Output:
	// 200 data: 1
	// data: 2
	// 422 {"detail":[{"type":"less_than_equal","loc":["query","to"],"msg":"Input should be less than or equal to 5","input":"9","ctx":{"le":5}}]}
}

// A handler returns Invalid for a rule that tags cannot express. The response has
// the same form as for a rule of the tags.
func ExampleInvalid() {
	api := contract.New(contract.Info{Title: "Greetings", Version: "1.0"}, contract.Options{})
	contract.Add(api, contract.Operation{ID: "greet", Method: http.MethodPost, Path: "/greet/{name}"},
		func(_ context.Context, in *greetIn) (*greetOut, error) {
			return nil, contract.Invalid([]any{"path", "name"}, "value_error", "Value error, the name is taken", in.Name, nil)
		})

	send(api, "POST", "/greet/Ada", `{"tone": "cool"}`)
	// Output:
	// 422 {"detail":[{"type":"value_error","loc":["path","name"],"msg":"Value error, the name is taken","input":"Ada"}]}
}

// The document describes the operations that the API serves.
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
	//           description: The person to greet.
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

// Encode never writes a list as null.
func ExampleEncode() {
	b, err := contract.Encode(greetOut{})
	fmt.Println(string(b), err)
	// Output:
	// {"lines":[]} <nil>
}
