package contract

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A call holds the buffers for reading one request. Calls are pooled.
type call struct {
	binding
	// body holds the bytes received.
	body []byte
	// pairs are the parameters of the query in their order.
	pairs []pair
}

// calls pools the buffers of requests.
var calls = sync.Pool{New: func() any { return new(call) }}

// keepSize is the capacity, in bytes or nodes, above which a buffer does not
// return to its pool: one large request must not hold its memory for ever.
const keepSize = 64 << 10

// release returns c to the pool, without references to the request.
func (c *call) release() {
	if cap(c.body) > keepSize || cap(c.tree.nodes) > keepSize {
		return
	}
	c.detail = nil // the ValidationError keeps it
	clear(c.pairs)
	c.pairs = c.pairs[:0]
	c.tree.text = nil
	c.loc = c.loc[:0]
	calls.Put(c)
}

// readBody reads the body. It returns ErrBodyTooLarge above limit bytes, before
// reading if the length is known, and ErrBadBody if the connection breaks.
func (c *call) readBody(r *http.Request, limit int64) error {
	c.body = c.body[:0]
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.ContentLength > limit {
		return ErrBodyTooLarge
	}
	c.body = slices.Grow(c.body, int(max(r.ContentLength, 0))+bytesMinRead)
	for {
		n, err := r.Body.Read(c.body[len(c.body):cap(c.body)])
		c.body = c.body[:len(c.body)+n]
		switch {
		case int64(len(c.body)) > limit:
			return ErrBodyTooLarge
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", ErrBadBody, err)
		}
		if len(c.body) == cap(c.body) {
			c.body = slices.Grow(c.body, bytesMinRead)
		}
	}
}

// bytesMinRead is the minimum free space in the buffer for one read.
const bytesMinRead = 512

// bind checks the request against its route's plan and fills in, the
// operation's input. It parses the body first because a syntax error is
// reported alone. It returns a *ValidationError with every error, or an error
// that wraps ErrBadBody.
func (c *call) bind(rt *route, r *http.Request, values []string, in reflect.Value) error {
	p := rt.plan
	c.secrets = p.secrets
	parsed, err := c.parse(p, r)
	if err != nil {
		return err
	}
	c.params(p, r, values, in)
	if p.body != nil {
		c.enter("body")
		c.bindBody(rt, parsed, in.FieldByIndex(p.bodyAt))
		c.leave()
	}
	if len(c.detail) > 0 {
		return &ValidationError{c.detail}
	}
	return nil
}

// parse parses the body if its Content-Type is JSON, and reports whether it
// did. A syntax error is returned as a ValidationError with that error alone.
func (c *call) parse(p *plan, r *http.Request) (bool, error) {
	if p.body == nil || len(c.body) == 0 || !isJSON(r.Header.Get("Content-Type")) {
		return false, nil
	}
	err := c.tree.parse(c.body)
	if err == nil {
		return true, nil
	}
	broken, ok := errors.AsType[*syntaxError](err)
	if !ok {
		return false, err
	}
	return false, Invalid([]any{"body", broken.pos}, "json_invalid", "JSON decode error",
		raw("{}"), ctxOf("error", broken.msg))
}

// isJSON reports whether a Content-Type means JSON; an absent one does.
func isJSON(contentType string) bool {
	if contentType == "" || contentType == "application/json" {
		return true
	}
	name, _, _ := strings.Cut(contentType, ";")
	sub, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(name)), "application/")
	return ok && !strings.Contains(sub, "/") && (sub == "json" || strings.HasSuffix(sub, "+json"))
}

// bindBody checks the body by the operation's rule. Parsed reports whether the
// body was parsed as JSON; if it was not, it is absent or of another type.
func (c *call) bindBody(rt *route, parsed bool, dst reflect.Value) {
	p := rt.plan
	switch {
	case rt.op.OptionalBody && (len(c.body) == 0 || parsed && c.tree.nodes[0].kind == kindNull):
		empty := field{rule: *p.body}
		empty.fill(dst)
	case parsed && c.tree.nodes[0].kind == kindNull:
		c.report(faultMissing, nil)
	case parsed:
		if f := c.value(p.body, 0, dst); f.typ != "" {
			c.report(f, c.wholeBody())
		}
	case len(c.body) > 0:
		f := faultObject
		if p.body.shape == list {
			f = faultListType
		}
		c.report(f, c.rawBody())
	default:
		c.report(faultMissing, nil)
	}
}

// wholeBody returns the input of an error about a body of the wrong type. A
// string may hold secrets, for example if a client encodes its JSON twice.
func (c *call) wholeBody() any {
	if n := &c.tree.nodes[0]; n.kind == kindString && (len(c.secrets) > 0 || mentionsSecret(c.tree.unquote(n))) {
		return redacted
	}
	return c.tree.shown(0, c.secrets)
}

// rawBody returns the input of an error about a body that is not JSON. No part
// of it can be attributed to a field, so it is shown whole or not at all.
func (c *call) rawBody() any {
	if len(c.secrets) > 0 || mentionsSecret(string(c.body)) {
		return redacted
	}
	return replaceInvalid(string(c.body))
}
