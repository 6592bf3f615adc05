// Package canon reads and writes canonical JSON (RFC 8785), restricted to the values that
// the chain hashes: objects, arrays, strings, integers with |n| < 2^53, true, false and
// null.
//
// A document is hashed as text, so a value with two texts would have two hashes. In
// canonical form every value has exactly one text: no white space, object members sorted by
// UTF-16 code units, no unnecessary escape, integers without plus sign, fraction, exponent
// or leading zero.
//
// Reading is by template: the caller names the next member, in sorted order, and any other
// text is an error. Duplicate, unknown and unsorted members are errors by construction, and
// the reader needs no intermediate representation:
//
//	r := canon.NewReader(raw)
//	r.Literal(`{"n":`)
//	n := r.Int()
//	r.Literal(`,"name":`)
//	name := r.String()
//	r.Literal(`}`)
//	if err := r.End(); err != nil { … }
//
// The first error sticks; later calls return zero values. Check accepts a canonical document
// of any shape, for callers without a template.
//
// The package is pure and depends on the standard library alone.
package canon

import (
	"strconv"
	"unicode/utf8"
)

// MaxInt is the largest integer in a document, 2^53-1. Larger integers are not exact in
// JavaScript.
const MaxInt = 1<<53 - 1

// hexDigits are lowercase: RFC 8785 writes \u001f, never \u001F.
const hexDigits = "0123456789abcdef"

// AppendInt appends n in decimal to b and returns the extended buffer. It panics when
// |n| > MaxInt: no document may hold such a number, so the call is a bug of the caller.
func AppendInt(b []byte, n int64) []byte {
	if n > MaxInt || n < -MaxInt {
		panic("canon: integer beyond 2^53")
	}
	return strconv.AppendInt(b, n, 10)
}

// AppendString appends s to b as a quoted string, escaped as RFC 8785 section 3.2.2.2
// requires, and returns the extended buffer. s must be valid UTF-8. AppendString panics
// otherwise, because two invalid texts could become one document.
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

// shortEscapes maps a byte to the letter of its two-character escape, 0 without one. RFC
// 8785 requires the short form where it exists.
var shortEscapes = [256]byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}

// appendEscape appends the escape of c: the short form, or \u00 and two lowercase digits.
func appendEscape(b []byte, c byte) []byte {
	if short := shortEscapes[c]; short != 0 {
		return append(b, '\\', short)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
