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

// A call is the reading of one request: its buffers, which are pooled.
type call struct {
	binding
	body  []byte // as received
	pairs []pair // of the query
}

var calls = sync.Pool{New: func() any { return new(call) }}

// keepSize is the largest buffer that goes back to a pool, in bytes or nodes:
// one huge request must not hold memory for ever.
const keepSize = 64 << 10

func (c *call) release() {
	if cap(c.body) > keepSize || cap(c.tree.nodes) > keepSize {
		return
	}
	c.detail = nil // it may live on in an error
	clear(c.pairs)
	c.pairs = c.pairs[:0]
	c.tree.text = nil
	c.loc = c.loc[:0]
	calls.Put(c)
}

// readBody reads the whole body, at most limit bytes.
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

// bytesMinRead is the least room for one read of a body.
const bytesMinRead = 512

// bind checks the request by its route's plan and fills in, the operation's
// input. Broken JSON is found first, since it is reported alone. The error is a *ValidationError with everything that is wrong, or
// wraps ErrBadBody.
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

// parse reads the body as JSON if it says that it is. A body that is broken is
// the only error reported.
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

// isJSON tells whether a Content-Type, or none, means JSON.
func isJSON(contentType string) bool {
	if contentType == "" || contentType == "application/json" {
		return true
	}
	name, _, _ := strings.Cut(contentType, ";")
	sub, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(name)), "application/")
	return ok && !strings.Contains(sub, "/") && (sub == "json" || strings.HasSuffix(sub, "+json"))
}

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

// wholeBody shows a body of the wrong type. A text may hold anything, as when
// a client encodes its JSON twice.
func (c *call) wholeBody() any {
	if n := &c.tree.nodes[0]; n.kind == kindString && (len(c.secrets) > 0 || mentionsSecret(c.tree.unquote(n))) {
		return redacted
	}
	return c.tree.shown(0, c.secrets)
}

// rawBody shows a body that is no JSON, where nobody knows which part of it is
// the secret.
func (c *call) rawBody() any {
	if len(c.secrets) > 0 || mentionsSecret(string(c.body)) {
		return redacted
	}
	return replaceInvalid(string(c.body))
}
