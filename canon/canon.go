// Package canon reads and writes canonical JSON (RFC 8785), restricted to what
// the chain hashes: objects, arrays, strings, integers with |n| < 2^53, true,
// false and null.
//
// A document is hashed as text, so two texts for one meaning would be two
// documents. Canonical form leaves one text only: no white space, object
// members sorted, no escape that is not needed, integers without plus sign,
// fraction, exponent or leading zero.
//
// Reading is by template: the caller says which member comes next, in sorted
// order, and anything else is an error. That is both the strictest and the
// fastest way, and leaves no room for duplicate or unknown members:
//
//	r := canon.NewReader(raw)
//	r.Literal(`{"n":`)
//	n := r.Int()
//	r.Literal(`,"name":`)
//	name := r.String()
//	r.Literal(`}`)
//	if err := r.End(); err != nil { … }
//
// The first error sticks; later calls return zero values.
//
// The package is pure and depends on the standard library alone.
package canon

import (
	"strconv"
	"unicode/utf8"
)

// MaxInt is the largest integer that may stand in a document, 2^53-1: beyond
// it, JavaScript's numbers are not exact.
const MaxInt = 1<<53 - 1

const hexDigits = "0123456789abcdef"

// AppendInt appends n. It panics when |n| > MaxInt: no document may hold such a
// number, so getting here is a bug of the caller.
func AppendInt(b []byte, n int64) []byte {
	if n > MaxInt || n < -MaxInt {
		panic("canon: integer beyond 2^53")
	}
	return strconv.AppendInt(b, n, 10)
}

// AppendString appends s as a quoted string, escaped as RFC 8785 section
// 3.2.2.2 wants it. s must be valid UTF-8; it panics otherwise, because two
// invalid texts could become one document.
func AppendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		panic("canon: string is not valid UTF-8")
	}
	b = append(b, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		b = appendEscape(b, c)
		start = i + 1
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// shortEscapes are the two-character escapes; RFC 8785 demands them where they
// exist.
var shortEscapes = [256]byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}

func appendEscape(b []byte, c byte) []byte {
	if short := shortEscapes[c]; short != 0 {
		return append(b, '\\', short)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
