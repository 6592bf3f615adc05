package contract

import (
	"strings"
	"unicode/utf8"
)

// A pair is one name=value of a query.
type pair struct{ name, value string }

// appendPairs splits a query as Python's parse_qsl: at &, keeping blank values,
// and leaving invalid escapes unchanged.
func appendPairs(pairs []pair, query string) []pair {
	for query != "" {
		var one string
		one, query, _ = strings.Cut(query, "&")
		if one == "" {
			continue
		}
		name, value, _ := strings.Cut(one, "=")
		pairs = append(pairs, pair{unescape(name), unescape(value)})
	}
	return pairs
}

// unescape decodes + and percent-escapes of a query and replaces invalid UTF-8.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return replaceInvalid(s)
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b = append(b, ' ')
		case s[i] == '%' && i+2 < len(s):
			high, ok := unhex(s[i+1])
			low, both := unhex(s[i+2])
			if !ok || !both {
				b = append(b, '%')
				continue
			}
			b = append(b, high<<4|low)
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return replaceInvalid(string(b))
}

// replaceInvalid replaces invalid UTF-8 by U+FFFD: one for each maximal subpart
// of a character, as Unicode recommends and Python does.
func replaceInvalid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			size = brokenLen(s)
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
}

// brokenLen returns the length of the maximal subpart at the start of s, which
// is not a character: the bytes that could begin one (table 3-7 of the Unicode
// standard).
func brokenLen(s string) int {
	low, high, size := byte(0x80), byte(0xBF), 1
	switch c := s[0]; {
	case 0xC2 <= c && c <= 0xDF:
		size = 2
	case 0xE0 <= c && c <= 0xEF:
		size = 3
	case 0xF0 <= c && c <= 0xF4:
		size = 4
	}
	switch s[0] {
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n < min(size, len(s)) && low <= s[n] && s[n] <= high {
		n, low, high = n+1, 0x80, 0xBF
	}
	return n
}

// latin decodes a header value as Latin-1 if it is not valid UTF-8.
func latin(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}
