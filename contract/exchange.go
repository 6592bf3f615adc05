package contract

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// An exchange is one request and its answer.
type exchange struct {
	api    *API
	w      http.ResponseWriter
	r      *http.Request
	ctx    context.Context // the request's, then Before's, then Checked's
	route  *route
	values []string  // of the path's parameters
	room   [4]string // for values
}

// serve takes the request through its stages. Whatever stops it is returned, and
// answered in one place: fail.
func (e *exchange) serve() (err error) {
	if e.route, e.values, err = e.api.root.lookup(e.r, e.room[:0]); err != nil {
		return err
	}
	if before := e.api.options.Before; before != nil {
		ctx, err := before(&e.route.op, e.w, e.r)
		if ctx != nil {
			e.ctx = ctx
		}
		if err != nil {
			return err
		}
	}
	return e.route.serve(e)
}

// read takes the request in and fills the operation's input. The buffers are
// free again when it returns: a handler that waits holds none.
func (e *exchange) read(in reflect.Value) error {
	c := calls.Get().(*call)
	defer c.release()
	if err := c.readBody(e.r, e.api.options.MaxBody); err != nil {
		return err
	}
	if err := c.bind(e.route, e.r, e.values, in); err != nil {
		return err
	}
	if checked := e.api.options.Checked; checked != nil {
		body := c.body
		if e.route.plan.body == nil {
			body = nil
		}
		ctx, err := checked(e.ctx, &e.route.op, e.r, body)
		if ctx != nil {
			e.ctx = ctx
		}
		return err
	}
	return nil
}

var answers = sync.Pool{New: func() any { return new([]byte) }}

// answer writes a successful answer.
func (e *exchange) answer(encode encoder, out reflect.Value) error {
	buf := answers.Get().(*[]byte)
	body, err := encode((*buf)[:0], out)
	if err != nil {
		return err
	}
	writeJSON(e.w, http.StatusOK, body)
	if cap(body) <= keepSize {
		*buf = body
		answers.Put(buf)
	}
	return nil
}

// fail writes the answer to an error, of whatever kind.
func (e *exchange) fail(err error) {
	if invalid, ok := errors.AsType[*ValidationError](err); ok {
		body, broken := invalid.append(nil)
		if broken == nil {
			writeJSON(e.w, http.StatusUnprocessableEntity, body)
			return
		}
		err = broken
	}
	if method, ok := errors.AsType[*MethodNotAllowedError](err); ok {
		e.w.Header().Set("Allow", strings.Join(method.Allow, ", "))
	}
	e.api.options.Fail(e.w, e.r.WithContext(e.ctx), err)
}

// writeJSON writes a whole answer, which is not to be stored unless a header
// says so.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the caller has gone away; nobody is left to tell
}
