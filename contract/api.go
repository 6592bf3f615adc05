package contract

import (
	"context"
	"net/http"
	"reflect"
)

// Info holds the title, version and description of the API in the document.
// Description may be Markdown.
type Info struct {
	Title, Version, Description string
}

// Options configure an API. The zero value of each field is valid.
type Options struct {
	// MaxBody is the largest body accepted, in bytes: 64 KiB by default, at
	// most 1 GiB.
	MaxBody int64

	// Register, if set, may complete each operation when it is added.
	Register func(op *Operation)

	// Before runs after routing and before path, query and body are read. Use
	// it for request ids, authentication, CSRF and rate limits. If the context
	// that it returns is not nil, all later stages use it, also on error. Op
	// must not be changed.
	Before func(op *Operation, w http.ResponseWriter, r *http.Request) (context.Context, error)

	// Checked runs after validation and before the handler of typed operations
	// and streams. Body holds the bytes received, or nil if the operation has no
	// body; it is valid until Checked returns. Use it for what needs the exact
	// body, such as idempotency keys or signatures.
	Checked func(ctx context.Context, op *Operation, r *http.Request, body []byte) (context.Context, error)

	// Settle, if set, runs once for each request that Before has admitted: after
	// its handler, with the handler's error or nil, or with the error that refused
	// the input. Its result takes the place of that error; nil sends the response.
	// Use it for checks that come before any answer. AddRaw operations run it before
	// their handler.
	Settle func(ctx context.Context, err error) error

	// NoNUL rejects the character U+0000 in every text of a request that has no
	// pattern of its own. The document shows this as the pattern ^[^\x00]*$.
	NoNUL bool

	// DeprecationLink is the address of a page that explains the deprecation.
	// Responses that announce a deprecation link to it; empty means no link.
	DeprecationLink string

	// Fail writes the response to every error other than a *ValidationError: errors of Before,
	// Checked and handlers, and the contract's own ErrNotFound, *MethodNotAllowedError,
	// ErrBodyTooLarge, ErrEncodedBody, ErrSlowBody, ErrBadBody, ErrBadPath and, with Listener,
	// *RefusedError. The request has the latest context that Before or Checked returned. By
	// default Fail writes FastAPI's error bodies.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
}

// An Operation describes one method of one path.
type Operation struct {
	// ID is unique in the API; generated clients name their methods after it.
	ID string

	// Method is the HTTP method. A GET operation also serves HEAD.
	Method string

	// Path may contain {parameters}, as in "/books/{book}/pages".
	Path string

	// Summary and Description are Markdown; Description is Summary by default.
	Summary, Description string

	// Tag is one of Common.Tags.
	Tag string

	// Security names the schemes of SetSecuritySchemes, any one of which lets a
	// caller in. Without schemes the operation is public.
	Security []string

	// Roles documents what a scheme of Security demands beside a valid
	// credential, such as the scopes of a key, by the name of the scheme.
	Roles map[string][]string

	// Anonymous documents that callers without credentials are admitted as well.
	// They may receive less.
	Anonymous bool

	// Errors documents the error responses beside the 422 of validation.
	Errors []ErrorDoc

	// Events documents a stream of server-sent events: a struct whose members are the
	// kinds of events and their data. It is nil for other responses.
	Events any

	// Out documents the JSON that a stream writes, by a value of its type. It is nil
	// for other responses.
	Out any

	// OptionalBody makes an empty body, and null, equivalent to {}. All members
	// of the body must then be optional.
	OptionalBody bool

	// Deprecated announces the end of the operation, in the document and in the
	// headers of its responses. The tag deprecated does so for a parameter or a
	// member.
	Deprecated Deprecation

	// announced is what the operation and its types announce.
	announced Deprecation
}

// An ErrorDoc documents an error response: its status, its code for programs,
// and its cause as Markdown.
type ErrorDoc struct {
	Status     int
	Code, When string
}

// An API is a set of operations behind one http.Handler. Register all
// operations before it serves; from then on it is safe for concurrent use.
type API struct {
	info    Info
	options Options
	root    pathNode
	routes  []*route
	schemes []SecurityScheme
	common  []ErrorDoc

	shared Common
}

// maxBody is the default of Options.MaxBody, in bytes.
const maxBody = 64 << 10

// New returns an API without operations. It panics if o.MaxBody is negative or
// above 1 GiB.
func New(info Info, o Options) *API {
	if o.MaxBody == 0 {
		o.MaxBody = maxBody
	}
	if o.MaxBody < 0 || o.MaxBody > 1<<30 {
		panic("contract: MaxBody is 1 byte to 1 GiB")
	}
	if o.Fail == nil {
		o.Fail = fail
	}
	return &API{info: info, options: o}
}

// Add registers a typed operation. The package comment lists the types that In
// and Out may have. Add panics on mistakes in them, and on a path and method, or
// an id, that are taken.
//
// H receives a valid input that it owns. It returns the output for status 200
// (nil stands for the zero Out), a *ValidationError for 422, or another error for
// Options.Fail.
func Add[In, Out any](a *API, op Operation, h func(ctx context.Context, in *In) (*Out, error)) {
	rt := &route{op: op}
	a.add(rt)
	rt.plan = a.newPlan(reflect.TypeFor[In](), rt.names)
	if b := rt.plan.body; b != nil && op.OptionalBody && b.zeroFault().typ != "" {
		panic("contract: " + op.ID + " cannot do without its body")
	}
	rt.out = reflect.TypeFor[Out]()
	rt.announce()
	encode := encoderOf(rt.out)
	rt.serve = func(e *exchange) error {
		in := new(In)
		var out *Out
		err := e.read(reflect.ValueOf(in).Elem())
		if err == nil {
			out, err = h(e.ctx, in)
		}
		if err := e.settle(err); err != nil {
			return err
		}
		if out == nil {
			out = new(Out)
		}
		return e.respond(encode, reflect.ValueOf(out).Elem())
	}
}

// AddStream registers an operation with a typed input, as Add does, whose
// response is written piece by piece with the content type given: server-sent
// events, or an export of unknown length. An error of h is handled as an error of
// any operation. Without an error, the Stream that h returns writes the response,
// including status and further headers; from its first byte on it can only end
// the connection.
func AddStream[In any](a *API, op Operation, contentType string, h func(ctx context.Context, in *In) (Stream, error)) {
	rt := &route{op: op, contentType: contentType}
	if op.Out != nil {
		rt.out = reflect.TypeOf(op.Out)
	}
	a.add(rt)
	rt.plan = a.newPlan(reflect.TypeFor[In](), rt.names)
	rt.announce()
	rt.serve = func(e *exchange) error {
		in := new(In)
		var stream Stream
		err := e.read(reflect.ValueOf(in).Elem())
		if err == nil {
			stream, err = h(e.ctx, in)
		}
		if err := e.settle(err); err != nil {
			return err
		}
		e.w.Header().Set("Content-Type", contentType)
		stream(e.ctx, e.w)
		return nil
	}
}

// A Stream writes a response and returns when it is complete or ctx is done,
// which happens when the client disconnects. For HEAD, net/http discards the body.
type Stream func(ctx context.Context, w http.ResponseWriter)

// AddRaw registers an operation that reads its own request and writes its own
// response, for example to serve files. The document lists it with the
// parameters of its path as texts and a response of that content type.
// Options.Before runs, Options.Checked does not. Path parameters are in
// http.Request.PathValue.
func (a *API) AddRaw(op Operation, contentType string, h http.Handler) {
	rt := &route{op: op, contentType: contentType}
	a.add(rt)
	rt.announce()
	rt.serve = func(e *exchange) error {
		r := e.r.WithContext(e.ctx)
		for i, name := range rt.names {
			r.SetPathValue(name, e.values[i])
		}
		if err := e.settle(nil); err != nil {
			return err
		}
		h.ServeHTTP(e.w, r)
		return nil
	}
}

// newPlan compiles the input of an operation and applies Options.NoNUL.
func (a *API) newPlan(in reflect.Type, pathParams []string) *plan {
	p := newPlan(in, pathParams)
	if a.options.NoNUL {
		for i := range p.params {
			p.params[i].refuseNUL()
		}
		if p.body != nil {
			p.body.refuseNUL()
		}
	}
	return p
}

// add registers a route. It panics on missing or duplicate ids.
func (a *API) add(rt *route) {
	if rt.op.ID == "" || rt.op.Method == "" {
		panic("contract: an operation without id or method at " + rt.op.Path)
	}
	for _, other := range a.routes {
		if other.op.ID == rt.op.ID {
			panic("contract: the operation id " + rt.op.ID + " is taken")
		}
	}
	if a.options.Register != nil {
		a.options.Register(&rt.op)
	}
	a.root.add(rt)
	a.routes = append(a.routes, rt)
}

// ServeHTTP serves one request; the package comment lists the stages. It neither
// cleans paths nor redirects.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := &exchange{api: a, w: w, r: r, ctx: r.Context()}
	if err := e.serve(); err != nil {
		e.fail(err)
	}
}
