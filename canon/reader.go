package canon

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Reader reads one canonical document from front to back. NewReader returns one; the zero
// value reads an empty document. The first error sticks: later reads return zero values.
type Reader struct {
	raw []byte
	pos int   // the byte to read next
	err error // the first one
}

// NewReader returns a reader at the start of raw. The reader never changes raw and keeps a
// reference to it.
func NewReader(raw []byte) Reader { return Reader{raw: raw} }

// Err returns the first error, or nil. Call End after the last read instead.
func (r *Reader) Err() error { return r.err }

// End returns the first error, or an error when text is left unread.
func (r *Reader) End() error {
	if r.err == nil && r.pos != len(r.raw) {
		r.Fail("text after the end")
	}
	return r.err
}

// Fail records an error at the current position, unless there is one already. Callers use
// it for values that are well formed and not allowed.
func (r *Reader) Fail(reason string) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %s", r.pos, reason)
	}
}

// Try reads s if it is the next text, and reports whether it was.
func (r *Reader) Try(s string) bool {
	if r.err != nil || len(r.raw)-r.pos < len(s) || string(r.raw[r.pos:r.pos+len(s)]) != s {
		return false
	}
	r.pos += len(s)
	return true
}

// Literal reads exactly s, punctuation and member names usually; anything else is an error.
func (r *Reader) Literal(s string) {
	if !r.Try(s) && r.err == nil {
		r.err = fmt.Errorf("at byte %d: want %s", r.pos, s)
	}
}

// Int reads an integer with |n| <= MaxInt in its one canonical text.
func (r *Reader) Int() int64 {
	if r.err != nil {
		return 0
	}
	negative := r.Try("-")
	start, n := r.pos, int64(0)
	for r.pos < len(r.raw) && r.raw[r.pos] >= '0' && r.raw[r.pos] <= '9' {
		n = n*10 + int64(r.raw[r.pos]-'0')
		if n > MaxInt {
			r.Fail("integer beyond 2^53")
			return 0
		}
		r.pos++
	}
	digits := r.raw[start:r.pos]
	switch {
	case len(digits) == 0:
		r.Fail("want an integer")
		return 0
	// Leading zeros and minus zero would give a number a second text.
	case digits[0] == '0' && (len(digits) > 1 || negative):
		r.Fail("integer with a needless zero or sign")
		return 0
	}
	if negative {
		return -n
	}
	return n
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	if r.Try("true") {
		return true
	}
	r.Literal("false")
	return false
}

// String reads a quoted string and returns it without its escapes. The string must be valid
// UTF-8 and escaped as AppendString does.
func (r *Reader) String() string {
	plain := r.plainString()
	if plain != nil || r.err != nil {
		return string(plain)
	}
	return r.escapedString()
}

// Bytes is String without a copy: where the string has no escapes, the result points into
// the document. The caller must not change it.
func (r *Reader) Bytes() []byte {
	plain := r.plainString()
	if plain != nil || r.err != nil {
		return plain
	}
	return []byte(r.escapedString())
}

// Chars reads a quoted string of exactly n bytes without checking them, and returns a slice
// of the document. It is the fast path for hashes and addresses, the bulk of a chain. The
// caller must refuse every byte outside a plain alphabet of its own: quote, backslash,
// control characters and all bytes beyond ASCII included.
func (r *Reader) Chars(n int) []byte {
	if r.err != nil {
		return nil
	}
	rest := r.raw[r.pos:]
	if len(rest) < n+2 || rest[0] != '"' || rest[n+1] != '"' {
		r.Fail(fmt.Sprintf("want a string of %d characters", n))
		return nil
	}
	r.pos += n + 2
	return rest[1 : n+1 : n+1]
}

// special marks the bytes that plainString must examine: quote, backslash, control
// characters, which need an escape, and bytes beyond ASCII.
var special = func() (set [256]bool) {
	for c := range set {
		set[c] = c < 0x20 || c >= 0x80 || c == '"' || c == '\\'
	}
	return set
}()

// plainString reads a string without escapes, the common case, and returns a slice of the
// document. At an escape it returns nil and does not advance.
func (r *Reader) plainString() []byte {
	if r.err != nil {
		return nil
	}
	if r.pos >= len(r.raw) || r.raw[r.pos] != '"' {
		r.Fail("want a string")
		return nil
	}
	rest := r.raw[r.pos+1:]
	ascii := true // so far; UTF-8 is validated only when needed
	for i, c := range rest {
		if !special[c] {
			continue
		}
		switch {
		case c == '"':
			if !ascii && !utf8.Valid(rest[:i]) {
				r.Fail("string is not valid UTF-8")
				return nil
			}
			r.pos += i + 2
			return rest[:i:i]
		case c == '\\':
			return nil
		case c < 0x20:
			r.Fail("control character in a string")
			return nil
		default:
			ascii = false
		}
	}
	r.Fail("string without an end")
	return nil
}

// errEscape is the error for every escape that canonical form does not allow.
var errEscape = errors.New("escape that is wrong or not needed")

// escapedString reads a string with escapes. It decodes the string, encodes the result
// again, and accepts only identical bytes: then every escape is the canonical one.
func (r *Reader) escapedString() string {
	start := r.pos
	end, err := stringEnd(r.raw, start)
	if err != nil {
		r.Fail(err.Error())
		return ""
	}
	text, err := unquote(r.raw[start:end])
	if err != nil {
		r.Fail(err.Error())
		return ""
	}
	r.pos = end
	return text
}

// unquote returns the text of a string that is given with its quotes. Each character has one form:
// an error reports text that is not UTF-8, and an escape that is not canonical.
func unquote(quoted []byte) (string, error) {
	text, err := unescape(quoted[1 : len(quoted)-1])
	if err != nil {
		return "", err
	}
	if !utf8.Valid(text) {
		return "", errors.New("string is not valid UTF-8")
	}
	// One comparison finds every escape that is unnecessary or not in its short form.
	if !bytes.Equal(AppendString(nil, string(text)), quoted) {
		return "", errEscape
	}
	return string(text), nil
}

// stringEnd returns the position after the closing quote of the string that opens at start.
func stringEnd(raw []byte, start int) (int, error) {
	for i := start + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1, nil
		}
	}
	return 0, errors.New("string without an end")
}

// unescape decodes the escapes that canonical form defines and returns errEscape for others.
// The caller's comparison finds escapes that were not necessary.
func unescape(s []byte) ([]byte, error) {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		c, used, ok := unescapeOne(s[i:])
		if !ok {
			return nil, errEscape
		}
		out = append(out, c)
		i += used - 1
	}
	return out, nil
}

// unescapeOne decodes the escape whose backslash precedes s. It returns the character and
// the number of bytes of s that the escape uses.
func unescapeOne(s []byte) (c byte, used int, ok bool) {
	if len(s) == 0 {
		return 0, 0, false
	}
	if s[0] == 'u' {
		if len(s) < 5 || s[1] != '0' || s[2] != '0' {
			return 0, 0, false
		}
		hi, lo := bytes.IndexByte([]byte(hexDigits), s[3]), bytes.IndexByte([]byte(hexDigits), s[4])
		if hi < 0 || lo < 0 {
			return 0, 0, false
		}
		return byte(hi<<4 | lo), 5, true
	}
	for plain, short := range shortEscapes {
		if short == s[0] {
			return byte(plain), 1, true
		}
	}
	return 0, 0, false
}
