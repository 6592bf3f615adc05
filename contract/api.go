package contract

import (
	"context"
	"net/http"
	"reflect"
)

// Info is the head of the document.
type Info struct {
	Title, Version, Description string
}

// Options are what an API needs to know beyond its operations. All may be left
// out.
type Options struct {
	// MaxBody is the largest body accepted, in bytes: 64 KiB by default, at
	// most 1 GiB.
	MaxBody int64

	// Before runs when the operation is known and before path, query and body
	// are read: request ids, who is calling, CSRF, rate limits. The context it
	// returns is that of everything that follows.
	Before func(op *Operation, w http.ResponseWriter, r *http.Request) (context.Context, error)

	// Checked runs after every check has passed and before the handler of a
	// typed operation. Body is exactly what was received, nil when the operation takes no
	// body; it is valid until Checked returns.
	Checked func(ctx context.Context, op *Operation, r *http.Request, body []byte) (context.Context, error)

	// NoNUL refuses the character U+0000 in every text of a request that has no pattern of
	// its own, as the pattern ^[^\x00]*$ does, which the document then shows.
	NoNUL bool

	// Fail writes the answer to every error that is no 422: those of Before,
	// Checked and handlers, and the contract's own: ErrNotFound,
	// *MethodNotAllowedError, ErrBodyTooLarge, ErrBadBody and, with Listener,
	// *RefusedError. The request carries the context of Before and Checked as
	// far as they ran.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
}

// An Operation is one method of one path.
type Operation struct {
	ID, Method, Path, Summary, Description, Tag string // Path as in "/api/runs/{run_id}/throw"

	// Security names the schemes any of which lets a caller in; none: public.
	Security []string

	// Anonymous: nobody in particular is let in besides, and may be told less.
	Anonymous bool

	// Errors are the documented answers beside 200 and the 422 of the checks.
	Errors []ErrorDoc

	// OptionalBody: no bytes at all, and null, are read as {}.
	OptionalBody bool
}

// An ErrorDoc documents an error answer: its status, its code, and when.
type ErrorDoc struct {
	Status     int
	Code, When string
}

// An API is a set of operations behind one http.Handler. Register everything
// before it serves; from then on it may be used by many goroutines.
type API struct {
	info    Info
	options Options
	root    junction
	routes  []*route
	schemes []SecurityScheme
	common  []ErrorDoc

	surroundings Common
}

const maxBody = 64 << 10

// New returns an API without operations.
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

// Add registers a typed operation; see the package comment for what In and Out
// may be. Mistakes in them, and paths or ids that are taken, panic.
func Add[In, Out any](a *API, op Operation, h func(ctx context.Context, in *In) (*Out, error)) {
	rt := &route{op: op}
	a.add(rt)
	rt.plan = a.newPlan(reflect.TypeFor[In](), rt.names)
	if b := rt.plan.body; b != nil && op.OptionalBody && b.zeroFault().typ != "" {
		panic("contract: " + op.ID + " cannot do without its body")
	}
	rt.out = reflect.TypeFor[Out]()
	encode := encoderOf(rt.out)
	rt.serve = func(e *exchange) error {
		in := new(In)
		if err := e.read(reflect.ValueOf(in).Elem()); err != nil {
			return err
		}
		out, err := h(e.ctx, in)
		if err != nil {
			return err
		}
		if out == nil {
			out = new(Out)
		}
		return e.answer(encode, reflect.ValueOf(out).Elem())
	}
}

// AddStream registers an operation whose input is read and checked like that of any
// typed one, and whose answer is written bit by bit, with the content type given: server-sent
// events, or a table as long as it comes. Errors of h are answered as errors; once it has
// returned without one, the stream that it returned writes the answer, headers and all,
// and can only break it off.
func AddStream[In any](a *API, op Operation, contentType string, h func(ctx context.Context, in *In) (Stream, error)) {
	rt := &route{op: op, contentType: contentType}
	a.add(rt)
	rt.plan = a.newPlan(reflect.TypeFor[In](), rt.names)
	rt.serve = func(e *exchange) error {
		in := new(In)
		if err := e.read(reflect.ValueOf(in).Elem()); err != nil {
			return err
		}
		stream, err := h(e.ctx, in)
		if err != nil {
			return err
		}
		e.w.Header().Set("Content-Type", contentType)
		stream(e.ctx, e.w)
		return nil
	}
}

// A Stream writes an answer until it is over or ctx, which ends with the connection, has
// ended. The answer to HEAD is its headers.
type Stream func(ctx context.Context, w http.ResponseWriter)

// AddRaw registers an operation that reads its request and writes its answer
// itself: files. The document lists it with the parameters of
// its path as texts and an answer of that content type. Before runs, Checked
// does not; the path's parameters are in http.Request.PathValue.
func (a *API) AddRaw(op Operation, contentType string, h http.Handler) {
	rt := &route{op: op, contentType: contentType}
	a.add(rt)
	rt.serve = func(e *exchange) error {
		r := e.r.WithContext(e.ctx)
		for i, name := range rt.names {
			r.SetPathValue(name, e.values[i])
		}
		h.ServeHTTP(e.w, r)
		return nil
	}
}

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

func (a *API) add(rt *route) {
	if rt.op.ID == "" || rt.op.Method == "" {
		panic("contract: an operation without id or method at " + rt.op.Path)
	}
	for _, other := range a.routes {
		if other.op.ID == rt.op.ID {
			panic("contract: the operation id " + rt.op.ID + " is taken")
		}
	}
	a.root.add(rt)
	a.routes = append(a.routes, rt)
}

// Operations returns all operations in the order of their registration.
func (a *API) Operations() []Operation {
	ops := make([]Operation, len(a.routes))
	for i, rt := range a.routes {
		ops[i] = rt.op
	}
	return ops
}

// ServeHTTP answers one request. Paths are taken as they come: nothing is
// cleaned or redirected, and whatever fails is answered by Options.Fail or
// with 422.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := &exchange{api: a, w: w, r: r, ctx: r.Context()}
	if err := e.serve(); err != nil {
		e.fail(err)
	}
}
