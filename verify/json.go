package verify

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"roshambo/canon"
)

// errJSON is the answer to every text that is not the JSON of a proof.
var errJSON = fmt.Errorf(
	"the proof is not UTF-8, or not JSON with unique members, whole numbers, %d levels", canon.MaxDepth)

// object is a JSON object. Other values are nil, bool, int64, string and []any.
type object map[string]any

// readJSON reads a text strictly: RFC 8259 in valid UTF-8 without a byte order
// mark, no member twice in an object, whole numbers with |n| < 2^53 and without
// fraction, exponent or sign of minus zero, no escape that stands for half a
// character, at most canon.MaxDepth levels.
//
// encoding/json is none of this: it takes duplicate members, matches their names
// without regard to case, and mends what is broken.
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

// jsonReader reads from front to back; once failed, it stays failed.
type jsonReader struct {
	text   []byte
	pos    int
	failed bool
}

func (r *jsonReader) fail() any {
	r.failed = true
	r.pos = len(r.text)
	return nil
}

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

// try reads c behind any white space, if it stands there.
func (r *jsonReader) try(c byte) bool {
	r.space()
	if r.pos < len(r.text) && r.text[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

func (r *jsonReader) value(depth int) any {
	r.space()
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

// words are the values that are written as words.
var words = []struct {
	text  string
	value any
}{{"null", nil}, {"true", true}, {"false", false}}

func (r *jsonReader) object(depth int) any {
	o := object{}
	if r.try('}') {
		return o
	}
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

func (r *jsonReader) number() any {
	start := r.pos
	for r.pos < len(r.text) && numeric(r.text[r.pos]) {
		r.pos++
	}
	digits := string(r.text[start:r.pos])
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != digits || n > canon.MaxInt || n < -canon.MaxInt {
		return r.fail()
	}
	return n
}

// numeric says whether c may stand in a JSON number of any form.
func numeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// string reads a string; "" when there is none, and then the reader has failed.
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

// errEscape stands for every escape that is none.
var errEscape = errors.New("verify: wrong escape")

// escape reads what follows a backslash.
func (r *jsonReader) escape() (rune, error) {
	if r.pos >= len(r.text) {
		return 0, errEscape
	}
	c := r.text[r.pos]
	r.pos++
	switch c {
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

// escapedRune reads the digits of one \u escape, or of a pair of them for a
// character beyond U+FFFF. Half a pair is no character.
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

// unit reads four hex digits.
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
