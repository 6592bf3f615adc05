package contract

import "unicode/utf8"

// str reads the string or key whose opening quote is at byte begin. It
// validates escapes and control characters, notes whether the string has
// escapes or half a surrogate pair, and converts nothing.
func (t *tree) str(begin int) (int, error) {
	n := node{kind: kindString, start: int32(begin + 1), next: int32(len(t.nodes) + 1)}
	for i := begin + 1; i < len(t.text); {
		switch c := t.text[i]; {
		case c == '"':
			n.end = int32(i)
			t.nodes = append(t.nodes, n)
			return i + 1, nil
		case c == '\\':
			end, lone, err := t.escape(i, begin)
			if err != nil {
				return 0, err
			}
			n.escaped, n.lone = true, n.lone || lone
			i = end
		case c < 0x20:
			return 0, t.fail("Invalid control character at", i)
		case c == 0xED && t.text[i+1] >= 0xA0: // the only ED A0 that decodeText passes
			n.lone = true
			i += 3
		default:
			i++
		}
	}
	return 0, t.fail("Unterminated string starting at", begin)
}

// escape checks the escape at byte i of the string that begins at begin. It
// returns the first byte after the escape and whether the escape is half a
// surrogate pair.
func (t *tree) escape(i, begin int) (end int, lone bool, err error) {
	if i+1 == len(t.text) {
		return 0, false, t.fail("Unterminated string starting at", begin)
	}
	switch t.text[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, false, nil
	case 'u':
	default:
		return 0, false, t.fail(`Invalid \escape`, i)
	}
	r, ok := t.hex(i + 2)
	if !ok {
		return 0, false, t.fail(`Invalid \uXXXX escape`, i+1)
	}
	if !isSurrogate(r) {
		return i + 6, false, nil
	}
	if _, ok := t.pair(r, i+6); ok {
		return i + 12, false, nil
	}
	return i + 6, true, nil
}

// hex reads four hexadecimal digits at byte i. It fails at the end of the text:
// inside a string at least the closing quote follows.
func (t *tree) hex(i int) (rune, bool) {
	if i+4 >= len(t.text) {
		return 0, false
	}
	var r rune
	for _, c := range t.text[i : i+4] {
		v, ok := unhex(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(v)
	}
	return r, true
}

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) (v byte, ok bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// pair joins the first half of a surrogate pair with the second half, if that
// is escaped at byte i.
func (t *tree) pair(high rune, i int) (rune, bool) {
	if high < surrogateMin || high >= surrogateLow || t.at(i) != '\\' || t.at(i+1) != 'u' {
		return 0, false
	}
	low, ok := t.hex(i + 2)
	if !ok || low < surrogateLow || low > surrogateMax {
		return 0, false
	}
	return (high-surrogateMin)<<10 | (low - surrogateLow) + 0x10000, true
}

// unquote returns the value of string n. In strings marked lone, half a
// surrogate pair is three bytes that are not valid UTF-8; see appendRune.
func (t *tree) unquote(n *node) string {
	quoted := t.text[n.start:n.end]
	if !n.escaped {
		return string(quoted)
	}
	return string(t.appendUnquoted(make([]byte, 0, len(quoted)), n))
}

// appendUnquoted appends the value of string n, which str has validated.
func (t *tree) appendUnquoted(b []byte, n *node) []byte {
	for i := int(n.start); i < int(n.end); {
		c := t.text[i]
		if c != '\\' {
			b = append(b, c)
			i++
			continue
		}
		c = t.text[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := t.hex(i)
			i += 4
			if joined, ok := t.pair(r, i); ok {
				r = joined
				i += 6
			}
			b = appendRune(b, r)
			continue
		}
		b = append(b, c)
	}
	return b
}

// is reports whether string n has the value s.
func (t *tree) is(n *node, s string) bool {
	if !n.escaped {
		return string(t.text[n.start:n.end]) == s
	}
	return t.unquote(n) == s
}

// Surrogates: the first half of a pair is surrogateMin to surrogateLow-1, the
// second half surrogateLow to surrogateMax.
const (
	surrogateMin = 0xD800
	surrogateLow = 0xDC00
	surrogateMax = 0xDFFF
)

// isSurrogate reports whether r is half of a surrogate pair, which is not a code
// point of its own.
func isSurrogate(r rune) bool { return surrogateMin <= r && r <= surrogateMax }

// appendRune is utf8.AppendRune, except that it encodes surrogates, as the
// three bytes that the scheme of UTF-8 gives them (WTF-8).
func appendRune(b []byte, r rune) []byte {
	if isSurrogate(r) {
		return append(b, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(b, r)
}
