package contract

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// An exchange is one request and its response.
type exchange struct {
	api *API
	w   http.ResponseWriter
	r   *http.Request
	// ctx is the request's context, then the context from Before, then the one from Checked.
	ctx   context.Context
	route *route
	// values are the decoded path parameters, in the order of the path.
	values []string
	// valueBuf backs values: four parameters need no allocation.
	valueBuf [4]string
}

// serve runs the stages of a request: routing, Before, then the route, which
// reads the input, runs Checked and the handler, and writes the response. It
// returns the first error; fail writes the response to it. Every response of a
// route, errors too, announces deprecations.
func (e *exchange) serve() (err error) {
	if e.route, e.values, err = e.api.root.lookup(e.r, e.valueBuf[:0]); err != nil {
		return err
	}
	e.route.op.announced.write(e.w.Header(), e.api.options.DeprecationLink)
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

// settle runs Options.Settle with an error or nil, and returns the error of the response.
func (e *exchange) settle(err error) error {
	if settle := e.api.options.Settle; settle != nil {
		return settle(e.ctx, err)
	}
	return err
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

// readBody reads the body. It returns ErrEncodedBody for a Content-Encoding,
// ErrBodyTooLarge above limit bytes, ErrSlowBody if the read deadline passes, and
// ErrBadBody if the connection breaks.
func (c *call) readBody(r *http.Request, limit int64) error {
	c.body = c.body[:0]
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if encoded(r) {
		discard(r)
		return ErrEncodedBody
	}
	if r.ContentLength > limit {
		discard(r)
		return ErrBodyTooLarge
	}
	c.body = slices.Grow(c.body, int(max(r.ContentLength, 0))+bytesMinRead)
	for {
		n, err := r.Body.Read(c.body[len(c.body):cap(c.body)])
		c.body = c.body[:len(c.body)+n]
		switch {
		case int64(len(c.body)) > limit:
			discard(r)
			return ErrBodyTooLarge
		case err == io.EOF:
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return ErrSlowBody
		case err != nil:
			return fmt.Errorf("%w: %w", ErrBadBody, err)
		}
		if len(c.body) == cap(c.body) {
			c.body = slices.Grow(c.body, bytesMinRead)
		}
	}
}

// encoded reports whether a body has a Content-Encoding other than identity. It is
// not decoded: a few bytes could expand to gigabytes.
func encoded(r *http.Request) bool {
	for _, header := range r.Header.Values("Content-Encoding") {
		for name := range strings.SplitSeq(header, ",") {
			if name = strings.TrimSpace(name); name != "" && !strings.EqualFold(name, "identity") {
				return true
			}
		}
	}
	return false
}

// discard reads the rest of a body that is too large. Closing the connection on a
// client that is still sending would reset it, and the client would see a broken
// pipe instead of the response. The server's deadline for bodies bounds it. A client
// that waits for 100 Continue sends nothing.
func discard(r *http.Request) {
	if r.Header.Get("Expect") == "" {
		_, _ = io.Copy(io.Discard, r.Body) // on an error there is nothing more to read
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

// decodeText returns a body as UTF-8 without byte order mark. As Python's
// json.loads it accepts UTF-8, UTF-16 and UTF-32, recognized by the byte order
// mark or by the position of zero bytes, since a JSON text begins with an ASCII
// character. Half a surrogate pair becomes the three bytes of appendRune: each
// use decides whether it accepts them. The result may share body's memory.
// Errors wrap ErrBadBody.
func decodeText(body []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(body, []byte{0, 0, 0xFE, 0xFF}):
		return decodeUTF32(body[4:], binary.BigEndian)
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE, 0, 0}):
		return decodeUTF32(body[4:], binary.LittleEndian)
	case bytes.HasPrefix(body, []byte{0xFE, 0xFF}):
		return decodeUTF16(body[2:], binary.BigEndian)
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}):
		return decodeUTF16(body[2:], binary.LittleEndian)
	case bytes.HasPrefix(body, []byte{0xEF, 0xBB, 0xBF}):
		return decodeUTF8(body[3:])
	case len(body) >= 4 && body[0] == 0 && body[1] == 0:
		return decodeUTF32(body, binary.BigEndian)
	case len(body) >= 4 && body[1] == 0 && body[2] == 0 && body[3] == 0:
		return decodeUTF32(body, binary.LittleEndian)
	case len(body) >= 4 || len(body) == 2:
		if body[0] == 0 {
			return decodeUTF16(body, binary.BigEndian)
		}
		if body[1] == 0 {
			return decodeUTF16(body, binary.LittleEndian)
		}
	}
	return decodeUTF8(body)
}

// decodeUTF8 returns body unchanged if it is valid UTF-8, except that encoded
// surrogates are allowed (Python's surrogatepass), the form of appendRune.
func decodeUTF8(body []byte) ([]byte, error) {
	if utf8.Valid(body) {
		return body, nil
	}
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			if i+2 >= len(body) || body[i] != 0xED || body[i+1]&0xE0 != 0xA0 || body[i+2]&0xC0 != 0x80 {
				return nil, fmt.Errorf("%w: invalid UTF-8 at byte %d", ErrBadBody, i)
			}
			size = 3 // half a surrogate pair
		}
		i += size
	}
	return body, nil
}

// decodeUTF16 converts UTF-16 to UTF-8. It joins surrogate pairs and keeps
// unpaired halves in the form of appendRune.
func decodeUTF16(body []byte, order binary.ByteOrder) ([]byte, error) {
	if len(body)%2 != 0 {
		return nil, fmt.Errorf("%w: truncated UTF-16", ErrBadBody)
	}
	text := make([]byte, 0, len(body))
	for i := 0; i < len(body); i += 2 {
		r := rune(order.Uint16(body[i:]))
		if surrogateMin <= r && r < surrogateLow && i+2 < len(body) {
			if low := rune(order.Uint16(body[i+2:])); surrogateLow <= low && low <= surrogateMax {
				r = (r-surrogateMin)<<10 | (low - surrogateLow) + 0x10000
				i += 2
			}
		}
		text = appendRune(text, r)
	}
	return text, nil
}

// decodeUTF32 converts UTF-32 to UTF-8 and keeps surrogates in the form of
// appendRune.
func decodeUTF32(body []byte, order binary.ByteOrder) ([]byte, error) {
	if len(body)%4 != 0 {
		return nil, fmt.Errorf("%w: truncated UTF-32", ErrBadBody)
	}
	text := make([]byte, 0, len(body))
	for i := 0; i < len(body); i += 4 {
		r := order.Uint32(body[i:])
		if r > utf8.MaxRune {
			return nil, fmt.Errorf("%w: %#x is not a code point", ErrBadBody, r)
		}
		text = appendRune(text, rune(r))
	}
	return text, nil
}
