// Package contract makes an HTTP interface out of typed operations. One struct
// says what an operation reads; from it come the strict reading of requests,
// the checks, the filling, the answer that lists everything that is wrong, and
// the OpenAPI 3.1 document. What is checked and what is documented cannot
// differ. It needs nothing but the standard library.
//
//	type throwIn struct {
//		RunID string `path:"run_id" maxLength:"64" doc:"Which run."`
//		Body  struct {
//			Move    string  `json:"move" required:"true" enum:"rock,paper,scissors"`
//			Entropy *string `json:"entropy" maxLength:"64"`
//		}
//	}
//
//	api := contract.New(contract.Info{Title: "Games", Version: "0.1.0"}, contract.Options{})
//	contract.Add(api, contract.Operation{
//		ID: "throw", Method: "POST", Path: "/api/runs/{run_id}/throw",
//	}, func(ctx context.Context, in *throwIn) (*throwOut, error) {
//		… // in holds nothing that was not checked
//	})
//	http.ListenAndServe(addr, api)
//
// A request that breaks those rules is answered as FastAPI with pydantic 2
// answers it, byte for byte, since many clients already understand that:
//
//	POST /api/runs/7/throw
//	{"move": "lizard", "entropy": 5}
//
//	422 Unprocessable Entity
//	{"detail":[
//	 {"type":"enum","loc":["body","move"],"msg":"Input should be 'rock', 'paper' or 'scissors'","input":"lizard","ctx":{"expected":"'rock', 'paper' or 'scissors'"}},
//	 {"type":"string_type","loc":["body","entropy"],"msg":"Input should be a valid string","input":5}]}
//
// # Inputs
//
// An input is a struct. A field with the tag path, query or header is a
// parameter of that name; the field called Body is the JSON body, a struct
// whose members carry json tags, or a slice. Embedded structs stand for their
// fields. What a field may be, and the tags that say more about it:
//
//	strings                minLength maxLength (code points) pattern (RE2, searched, so anchor it)
//	strings                enum:"a,b" or literal:"a,b" (which differ in the error's type)
//	integers, floats       min max gt lt multipleOf; integers also keep to the range of their Go type
//	booleans
//	slices                 minItems maxItems; other tags are about the items
//	maps of strings        other tags are about the values
//	structs                extra:"forbid" on a field _ struct{} refuses unknown members
//	json.RawMessage        any JSON
//	a pointer to these     null or absence is nil
//
//	required:"true"        absence is an error; path parameters always are
//	default:"20"           what absence becomes
//	secret:"true"          the value is never shown
//	doc, example           for the document
//
// What is neither required nor there becomes its default, or the zero value,
// member by member in a struct. So a handler never meets a value that breaks
// its tags: a field that may be absent and whose zero value would is refused.
//
// In paths, queries and headers there is only text, so they are read laxly:
// " +1_000.0 " is the integer 1000, "yes" is true, of several query values the
// last one counts. In a body an integer is a number with an integral value, a
// boolean is true or false, and a text is never a number. Keys are matched
// exactly; of the same key twice, the last one counts; unknown members are
// ignored. Null is for pointers.
//
// # Reading
//
// Everything that is wrong with a request is reported at once: path, query,
// header, then the body in the order of declaration, one error for each value.
// Where a member is missing, the error shows the object that it is missing in.
// Values are shown as they were received, numbers as they were written.
// These come alone:
//
//   - a body that is no JSON: type json_invalid with the message and position
//     (in code points) of Python's json.JSONDecodeError. NaN and Infinity are no
//     JSON; a byte order mark, UTF-16 and UTF-32 are accepted.
//   - a broken encoding, nesting of more than 1000, integers of more than 4300
//     digits, a body that is cut off: ErrBadBody, 400.
//   - a body above Options.MaxBody, of known length or not: ErrBodyTooLarge, 413.
//
// A body whose Content-Type is there and neither application/json nor
// application/…+json is a value of the wrong type, and no bytes at all are a
// missing one, unless the operation has an OptionalBody: then they, and null, are {}. An
// operation without a body takes no notice of one.
//
// Secrets stay out of answers: "[redacted]" stands in the place of a secret
// field's value, wherever in the body its name (in any case) comes up, and in the
// place of every value whose name sounds like a password, secret, salt, token or
// key. Where an operation has a secret field, or the body mentions such a name,
// and the body is text that cannot be told apart, such as a form, the whole of it
// is replaced.
//
// # Paths
//
// Paths are matched segment by segment as they come. Names go before
// parameters and parameters before a tail {name...}; nothing is cleaned and
// nobody is redirected: // and .. lead nowhere, an escaped slash is part of a
// parameter. HEAD is answered by what answers GET. Unknown paths, other methods
// and every other failure are answered by Options.Fail, in the shape that the
// service has chosen. Some requests net/http refuses before any handler sees
// them; Listener brings those to Options.Fail, too.
//
// # Answers
//
// An output is whatever Encode can write, usually a struct; it is sent with 200,
// a length, and Cache-Control: no-store unless Before set another. A list is
// never null: a nil slice is written as []. Named structs become components of
// the document, under their names with a capital; a struct is either read or
// written. A pointer may be null, unless it is left out by omitempty. A type
// with a method OpenAPI() map[string]any describes itself; other json.Marshalers
// may be anything. Tags doc, example, enum, format and pattern describe members
// of answers, which are not checked.
//
// # Mistakes
//
// Tags that make no sense where they stand, defaults and zero values that break
// their own bounds, paths and ids that are taken: all of them panic when the
// operation is registered, or when the document is made.
package contract
