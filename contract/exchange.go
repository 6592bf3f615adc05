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

// An exchange is one request and its response.
type exchange struct {
	api *API
	w   http.ResponseWriter
	r   *http.Request
	// ctx is the request's context, then that of Before, then that of Checked.
	ctx   context.Context
	route *route
	// values are the decoded path parameters, in the order of the path.
	values []string
	// valueBuf backs values: four parameters need no allocation.
	valueBuf [4]string
}

// serve runs the stages of a request: routing, Before, then the route, which
// reads the input, runs Checked and the handler, and writes the response. It
// returns the first error; fail writes the response to it.
func (e *exchange) serve() (err error) {
	if e.route, e.values, err = e.api.root.lookup(e.r, e.valueBuf[:0]); err != nil {
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

// read reads the body, checks the request and fills the operation's input, then
// runs Checked. Its buffers return to the pool before the handler runs, so that
// a handler that waits holds none of them.
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

// responseBuffers pools the buffers that responses are encoded in.
var responseBuffers = sync.Pool{New: func() any { return new([]byte) }}

// respond writes a successful response. It encodes the whole of it first: an
// encoding error becomes a 500 and not half a body.
func (e *exchange) respond(encode encoder, out reflect.Value) error {
	buf := responseBuffers.Get().(*[]byte)
	body, err := encode((*buf)[:0], out)
	if err != nil {
		return err
	}
	writeJSON(e.w, http.StatusOK, body)
	if cap(body) <= keepSize {
		*buf = body
		responseBuffers.Put(buf)
	}
	return nil
}

// fail writes the response to any error: 422 for a ValidationError, otherwise
// Options.Fail.
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

// writeJSON writes a complete response with its length. Unless Before has set
// Cache-Control, the response must not be stored.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the connection is gone; no response can be sent
}
