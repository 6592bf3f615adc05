// Package contract builds an HTTP API from typed operations. One struct
// declares the input of an operation; the package derives from it the strict
// parsing of requests, validation, defaults, error responses that list every
// mistake, and the OpenAPI 3.1 document. Validation and documentation cannot
// diverge. The package depends on the standard library alone.
//
//	type borrowIn struct {
//		Book string `path:"book" maxLength:"64" doc:"The book's number."`
//		Body struct {
//			Weeks int     `json:"weeks" required:"true" min:"1" max:"4"`
//			Note  *string `json:"note" maxLength:"64"`
//		}
//	}
//
//	api := contract.New(contract.Info{Title: "Library", Version: "1.0"}, contract.Options{})
//	contract.Add(api, contract.Operation{
//		ID: "borrow", Method: "POST", Path: "/books/{book}/borrow",
//	}, func(ctx context.Context, in *borrowIn) (*borrowOut, error) {
//		… // every field of in has been validated
//	})
//	http.ListenAndServe(addr, api)
//
// Validation errors have the form of FastAPI with pydantic 2, byte for byte,
// which many clients already parse:
//
//	POST /books/7/borrow
//	{"weeks": 9, "note": 5}
//
//	422 Unprocessable Entity
//	{"detail":[
//	 {"type":"less_than_equal","loc":["body","weeks"],"msg":"Input should be less than or equal to 4","input":9,"ctx":{"le":4}},
//	 {"type":"string_type","loc":["body","note"],"msg":"Input should be a valid string","input":5}]}
//
// # Inputs
//
// An input is a struct. A field with the tag path, query or header is a
// parameter of that name; the field called Body is the JSON body, a struct
// whose members carry json tags, or a slice. Fields of embedded structs count
// as fields of the outer struct. These types are allowed, with these tags:
//
//	strings                minLength maxLength (code points) pattern (RE2, unanchored)
//	strings                enum:"a,b" or literal:"a,b" (with different error types)
//	integers               min max gt lt multipleOf, and the range of their Go type
//	booleans
//	slices                 minItems maxItems; other tags apply to the items
//	structs                extra:"forbid" on a field _ struct{} rejects unknown members;
//	                       needs:"a=b,c": a value of b or c needs one of a; some:"a,b": one of them has a value;
//	                       both:"a,b": all of them have a value, or none; other rules between members: see Ruled
//	a pointer to these     null or absence is nil
//
//	required:"true"        absence is an error; path parameters are always required
//	default:"20"           the value of an absent field
//	secret:"true"          no response contains the value
//	doc, example           for the document
//	deprecated             the dates of announcement and end: "2026-12-01" or "2026-12-01,2027-06-01"
//
// An absent optional field has its default, or the zero value, member by member
// in a struct. So a handler never receives a value that violates its tags: an
// optional field whose zero value would is rejected at registration.
//
// Paths, queries and headers contain only text, so they are parsed leniently:
// " +1_000.0 " is the integer 1000, "yes" is true, and of several query values
// the last one counts. In a body an integer is a number with an integral value,
// a boolean is true or false, and a string is never a number. Keys are
// case-sensitive; of equal keys the last one counts; unknown members are
// ignored. Null is valid only for pointers.
//
// # Stages of a request
//
// The API handles a request in this order, and stops at the first stage that
// returns an error:
//
//  1. Routing: ErrNotFound, ErrBadPath, *MethodNotAllowedError.
//  2. Options.Before, with the operation and the request whose body is unread.
//  3. Reading the body: ErrBodyTooLarge, ErrBadBody.
//  4. Validation of path, query, header and body: *ValidationError.
//  5. Options.Checked, with the bytes of the body.
//  6. The handler. Buffers have returned to their pools by now, so a handler
//     may wait for as long as it likes.
//  7. Encoding the output, whole, before the status is written.
//
// A *ValidationError of any stage becomes a 422 response; every other error
// goes to Options.Fail, which chooses status and form. The context that Before
// and Checked return is the context of the later stages and of Fail.
//
// # Validation
//
// All errors of a request are reported together: path, query, header, then the
// body in the order of declaration, one error for each value. For a missing
// member, the error shows the object that lacks it. Values are shown as
// received, numbers as written. These errors are reported alone:
//
//   - a body that is not JSON: type json_invalid with the message and position
//     (in code points) of Python's json.JSONDecodeError. NaN and Infinity are
//     not JSON; a byte order mark, UTF-16 and UTF-32 are accepted.
//   - an invalid encoding, nesting above 1000 levels, integers above 4300
//     digits, a truncated body: ErrBadBody, 400.
//   - a body above Options.MaxBody, of known length or not: ErrBodyTooLarge, 413.
//
// A body whose Content-Type is neither application/json nor
// application/…+json is a value of the wrong type, and an empty body is a
// missing value, unless the operation has an OptionalBody: then an empty body
// and null are read as {}. An absent Content-Type means JSON. An operation
// without a body ignores one.
//
// # Secrets
//
// Error responses replace secrets by "[redacted]": the value of a secret field,
// wherever in the body its name occurs (in any case), every value whose name
// contains password, passwd, passphrase, secret or salt, and every value with a
// text whose name ends with token or key. If an operation has a secret
// field, or the body mentions such a name, and the body cannot be split into
// fields, for example a form, the whole body is replaced.
//
// # Paths
//
// Paths match segment by segment without cleaning. Fixed names match before
// parameters, whatever the order of registration. The API never redirects: //
// and .. match nothing, and an escaped slash is part of a parameter. GET
// operations also serve HEAD.
// net/http rejects some requests before it calls a handler; Listener passes
// those to Options.Fail, too.
//
// # Outputs
//
// An output is any type that Encode accepts, usually a struct. It is sent with
// status 200, a length, and Cache-Control: no-store unless Before has set
// another. A list is never null: a nil slice is written as []. Named structs
// become components of the document, under their names with a capital; a struct
// is either input or output. A pointer may be null, unless omitempty leaves it
// out. A type with a method OpenAPI() map[string]any returns its own schema;
// other json.Marshalers are documented as any JSON. The tags doc, example, enum,
// known, format, pattern and deprecated document members of outputs, which are
// not validated. Enum lists all values that there will be; known lists the
// present values of a set that may grow, as x-extensible-enum, which generated
// clients read as any text.
//
// # Deprecations
//
// The tag deprecated of a parameter or member, and Operation.Deprecated, mark
// it in the document. Every response of an operation with any of them, errors
// too, has the headers Deprecation (RFC 9745) and Sunset (RFC 8594), with the
// earliest times, and a link to Options.DeprecationLink.
//
// AddStream registers an operation whose response is written piece by piece,
// such as server-sent events; AddRaw one that also reads its own request.
//
// # Registration errors and concurrency
//
// Tags that do not apply to their type, defaults and zero values that violate
// their own bounds, paths and ids that are taken: all of these panic when the
// operation is registered, or when the document is made. They are mistakes of
// the program, which any test that builds the API detects.
//
// Register all operations before the API serves requests. From then on it is
// safe for concurrent use, and so is a Document.
package contract
