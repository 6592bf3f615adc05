package verify

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"roshambo/canon"
)

// errJSON reports every text that is not the strict JSON of a proof, without its position, so that
// verifiers with different parsers agree.
var errJSON = fmt.Errorf(
	"the proof is not UTF-8, or not JSON with unique members, whole numbers, %d levels", canon.MaxDepth)

// object is a JSON object. Other values are nil, bool, int64, string and []any.
type object map[string]any

// readJSON parses a text strictly: RFC 8259 in valid UTF-8 without a byte order mark, unique members
// in every object, integers with |n| < 2^53 without fraction, exponent or minus zero, no escape of a
// lone surrogate, at most canon.MaxDepth levels of nesting.
//
// encoding/json enforces none of this: it accepts duplicate members, matches names without regard to
// case and replaces invalid UTF-8.
func readJSON(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errJSON
	}
	r := jsonReader{text: text}
	v := r.value(0)
	r.space()
	if r.failed || r.pos != len(text) {
		return nil, errJSON
	}
	return v, nil
}

// jsonReader is a recursive-descent parser. After a failure it is at the end of the text and every
// method returns a zero value.
type jsonReader struct {
	text   []byte // valid UTF-8
	pos    int    // the byte to read next
	failed bool
}

// fail marks the reader as failed and returns nil, so that a method can return its result.
func (r *jsonReader) fail() any {
	r.failed = true
	r.pos = len(r.text)
	return nil
}

// space skips the white space of RFC 8259.
func (r *jsonReader) space() {
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// try skips white space, reads c if it is next, and reports whether it was.
func (r *jsonReader) try(c byte) bool {
	r.space()
	if r.pos < len(r.text) && r.text[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

// value reads a value that is nested in depth objects and lists.
func (r *jsonReader) value(depth int) any {
	r.space()
	// The limit bounds the recursion, so that nested input cannot exhaust the stack.
	if depth > canon.MaxDepth || r.pos >= len(r.text) {
		return r.fail()
	}
	switch c := r.text[r.pos]; {
	case c == '{':
		r.pos++
		return r.object(depth)
	case c == '[':
		r.pos++
		return r.list(depth)
	case c == '"':
		return r.string()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	for _, w := range words {
		if bytes.HasPrefix(r.text[r.pos:], []byte(w.text)) {
			r.pos += len(w.text)
			return w.value
		}
	}
	return r.fail()
}

// words are the literal names of JSON.
var words = []struct {
	text  string
	value any
}{{"null", nil}, {"true", true}, {"false", false}}

// object reads an object after its opening brace. Names are compared after unescaping.
func (r *jsonReader) object(depth int) any {
	o := object{}
	if r.try('}') {
		return o
	}
	// The loop ends at the closing brace, or at the end of the text after a failure.
	for !r.failed {
		r.space()
		name := r.string()
		if _, twice := o[name]; twice || !r.try(':') {
			return r.fail()
		}
		o[name] = r.value(depth + 1)
		if r.try('}') {
			return o
		}
		if !r.try(',') {
			return r.fail()
		}
	}
	return nil
}

// list reads a list after its opening bracket.
func (r *jsonReader) list(depth int) any {
	list := []any{}
	if r.try(']') {
		return list
	}
	for !r.failed {
		list = append(list, r.value(depth+1))
		if r.try(']') {
			return list
		}
		if !r.try(',') {
			return r.fail()
		}
	}
	return nil
}

// number reads an integer in its shortest decimal form: formatting the value must give the text.
func (r *jsonReader) number() any {
	start := r.pos
	for r.pos < len(r.text) && numeric(r.text[r.pos]) {
		r.pos++
	}
	// Taking every numeric byte first lets 1.0 and 1e2 fail as a whole, instead of as 1 and a rest.
	digits := string(r.text[start:r.pos])
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != digits || n > canon.MaxInt || n < -canon.MaxInt {
		return r.fail()
	}
	return n
}

// numeric reports whether c occurs in any form of a JSON number, fractions and exponents included.
func numeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// string reads a string and returns it unescaped. On failure it returns "".
func (r *jsonReader) string() string {
	if r.pos >= len(r.text) || r.text[r.pos] != '"' {
		r.fail()
		return ""
	}
	r.pos++
	var out []byte
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		r.pos++
		switch {
		case c == '"':
			return string(out)
		// Control characters must be escaped (RFC 8259 section 7).
		case c < 0x20:
			r.fail()
		case c == '\\':
			char, err := r.escape()
			if err != nil {
				r.fail()
			}
			out = utf8.AppendRune(out, char)
		default:
			out = append(out, c)
		}
	}
	r.fail()
	return ""
}

// errEscape reports every invalid escape.
var errEscape = errors.New("verify: wrong escape")

// escape reads the rest of an escape after its backslash and returns the character.
func (r *jsonReader) escape() (rune, error) {
	if r.pos >= len(r.text) {
		return 0, errEscape
	}
	c := r.text[r.pos]
	r.pos++
	switch c {
	// RFC 8259 allows the escape of a slash; canonical JSON does not.
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return r.escapedRune()
	}
	return 0, errEscape
}

// escapedRune reads the digits of one \u escape, or of a surrogate pair for a character beyond
// U+FFFF. A lone surrogate is an error.
func (r *jsonReader) escapedRune() (rune, error) {
	high, err := r.unit()
	if err != nil || high < 0xd800 || high > 0xdfff {
		return high, err
	}
	if r.pos+2 > len(r.text) || r.text[r.pos] != '\\' || r.text[r.pos+1] != 'u' {
		return 0, errEscape
	}
	r.pos += 2
	low, err := r.unit()
	if err != nil || high > 0xdbff || low < 0xdc00 || low > 0xdfff {
		return 0, errEscape
	}
	return 0x10000 + (high-0xd800)<<10 + (low - 0xdc00), nil
}

// unit reads four hex digits of either case: a UTF-16 code unit.
func (r *jsonReader) unit() (rune, error) {
	if r.pos+4 > len(r.text) {
		return 0, errEscape
	}
	n, err := strconv.ParseUint(string(r.text[r.pos:r.pos+4]), 16, 16)
	r.pos += 4
	if err != nil {
		return 0, errEscape
	}
	return rune(n), nil
}
