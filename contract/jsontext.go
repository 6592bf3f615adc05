package contract

import (
	"unicode/utf8"
)

// maxDepth limits the nesting of lists and objects to Python's default
// recursion limit, which FastAPI runs into.
const maxDepth = 1000

// maxDigits is the length of the longest integer literal that Python converts
// (sys.int_info.default_max_str_digits).
const maxDigits = 4300

// A kind is the type of a JSON value as its first bytes show it.
type kind uint8

// An integer literal and a literal with fraction or exponent are different kinds,
// as in Python: 5.0 needs a conversion to become an integer.
const (
	kindNull kind = iota
	kindFalse
	kindTrue
	kindInt
	kindFloat
	kindString
	kindList
	kindObject
)

// A node is one JSON value, or one key, of a tree.
type node struct {
	kind kind
	// escaped marks a string with escapes: unquote returns its value.
	escaped bool
	// lone marks a string that contains half a surrogate pair.
	lone bool
	// start is the offset of the first byte in text; for a string, of the byte
	// after the quote.
	start int32
	// end is the offset after the last byte; for a string, of the closing quote.
	end int32
	// next is the node after this one and everything below it.
	next int32
	// size counts the items of a list, or the members of an object. A member is
	// two nodes below the object: a key, then a value.
	size int32
}

// A tree is a JSON text and the flat list of its values in the order of the
// text: node 0 is the whole text, the nodes below node i are i+1 to next-1.
// Values are converted and copied on demand, so parsing is one pass without
// allocation once the list has grown. Offsets are int32: Options.MaxBody is at
// most 1 GiB.
type tree struct {
	// text is UTF-8 that may contain encoded surrogates; see decodeText.
	text []byte
	// nodes keeps its capacity between requests.
	nodes []node
}

// A syntaxError is the position where a text stops being JSON, with the message
// of Python's json.JSONDecodeError.
type syntaxError struct {
	msg string
	// pos counts code points from the start, without a byte order mark.
	pos int
}

// Error returns the message without the position, as Python reports both apart.
func (e *syntaxError) Error() string { return e.msg }

// parse reads body, which must not change while the tree is in use. It returns
// a *syntaxError, or an error that wraps ErrBadBody where Python's json module
// fails with another exception: invalid encoding, nesting above maxDepth,
// integers above maxDigits. NaN and Infinity, which Python accepts, are syntax
// errors.
func (t *tree) parse(body []byte) error {
	text, err := decodeText(body)
	if err != nil {
		return err
	}
	t.text, t.nodes = text, t.nodes[:0]
	i, err := t.value(t.space(0), 0)
	if err != nil {
		return err
	}
	if i = t.space(i); i != len(t.text) {
		return t.fail("Extra data", i)
	}
	return nil
}

// fail returns the syntaxError for byte i of the text.
func (t *tree) fail(msg string, i int) error {
	pos := 0
	for _, c := range t.text[:i] {
		if c&0xC0 != 0x80 { // not a continuation byte
			pos++
		}
	}
	return &syntaxError{msg, pos}
}

// at returns byte i, or 0 after the end: no token begins with 0.
func (t *tree) at(i int) byte {
	if i < len(t.text) {
		return t.text[i]
	}
	return 0
}

// space returns the first byte from i on that is not white space.
func (t *tree) space(i int) int {
	for i < len(t.text) {
		switch t.text[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// value reads the value at byte i, inside depth lists and objects, and returns
// the byte after it. So do the functions below.
func (t *tree) value(i, depth int) (int, error) {
	switch t.at(i) {
	case '"':
		return t.str(i)
	case '{':
		return t.object(i, depth+1)
	case '[':
		return t.list(i, depth+1)
	case 'n':
		return t.word(i, "null", kindNull)
	case 't':
		return t.word(i, "true", kindTrue)
	case 'f':
		return t.word(i, "false", kindFalse)
	}
	return t.number(i)
}

// leaf adds a value without values below it and returns end.
func (t *tree) leaf(k kind, start, end int) int {
	t.nodes = append(t.nodes, node{
		kind: k, start: int32(start), end: int32(end), next: int32(len(t.nodes) + 1),
	})
	return end
}

// word reads null, true or false.
func (t *tree) word(i int, word string, k kind) (int, error) {
	end := i + len(word)
	if end > len(t.text) || string(t.text[i:end]) != word {
		return 0, t.fail("Expecting value", i)
	}
	return t.leaf(k, i, end), nil
}

// open adds a list or object and returns its node; close sets the end.
func (t *tree) open(k kind, i, depth int) (int, error) {
	if depth > maxDepth {
		return 0, errTooDeep
	}
	t.nodes = append(t.nodes, node{kind: k, start: int32(i)})
	return len(t.nodes) - 1, nil
}

// close completes list or object at with its end and size, and returns end.
func (t *tree) close(at, end, size int) int {
	n := &t.nodes[at]
	n.end, n.next, n.size = int32(end), int32(len(t.nodes)), int32(size)
	return end
}

// list reads a list. Errors have the position and text of Python's module:
// after a comma a value must follow.
func (t *tree) list(i, depth int) (int, error) {
	at, err := t.open(kindList, i, depth)
	if err != nil {
		return 0, err
	}
	i = t.space(i + 1)
	if t.at(i) == ']' {
		return t.close(at, i+1, 0), nil
	}
	for size := 1; ; size++ {
		if i, err = t.value(i, depth); err != nil {
			return 0, err
		}
		switch i = t.space(i); t.at(i) {
		case ']':
			return t.close(at, i+1, size), nil
		case ',':
			i = t.space(i + 1)
		default:
			return 0, t.fail("Expecting ',' delimiter", i)
		}
	}
}

// object reads an object: keys and values are nodes in turn.
func (t *tree) object(i, depth int) (int, error) {
	at, err := t.open(kindObject, i, depth)
	if err != nil {
		return 0, err
	}
	i = t.space(i + 1)
	if t.at(i) == '}' {
		return t.close(at, i+1, 0), nil
	}
	for size := 1; ; size++ {
		if t.at(i) != '"' {
			return 0, t.fail("Expecting property name enclosed in double quotes", i)
		}
		if i, err = t.str(i); err != nil {
			return 0, err
		}
		if i = t.space(i); t.at(i) != ':' {
			return 0, t.fail("Expecting ':' delimiter", i)
		}
		if i, err = t.value(t.space(i+1), depth); err != nil {
			return 0, err
		}
		switch i = t.space(i); t.at(i) {
		case '}':
			return t.close(at, i+1, size), nil
		case ',':
			i = t.space(i + 1)
		default:
			return 0, t.fail("Expecting ',' delimiter", i)
		}
	}
}

// number reads the longest number that JSON allows: of "01" it reads 0, of "1."
// it reads 1, of "1e" it reads 1. The caller then rejects the rest.
func (t *tree) number(start int) (int, error) {
	i, k := start, kindInt
	if t.at(i) == '-' {
		i++
	}
	digits := i
	switch c := t.at(i); {
	case c == '0':
		i++
	case '1' <= c && c <= '9':
		i = t.digits(i)
	default:
		return 0, t.fail("Expecting value", start)
	}
	digits = i - digits
	if t.at(i) == '.' && isDigit(t.at(i+1)) {
		i, k = t.digits(i+1), kindFloat
	}
	if c := t.at(i); c == 'e' || c == 'E' {
		exp := i + 1
		if c := t.at(exp); c == '+' || c == '-' {
			exp++
		}
		if end := t.digits(exp); end > exp {
			i, k = end, kindFloat
		}
	}
	if k == kindInt && digits > maxDigits {
		return 0, errTooLong
	}
	return t.leaf(k, start, i), nil
}

// digits returns the first byte from i on that is not a decimal digit.
func (t *tree) digits(i int) int {
	for isDigit(t.at(i)) {
		i++
	}
	return i
}

// isDigit reports whether c is an ASCII digit; JSON allows no others.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// member returns the node of the value with that key in object i, or -1. Of
// equal keys the last one counts.
func (t *tree) member(i int, key string) int {
	last := -1
	for k := i + 1; k < int(t.nodes[i].next); k = int(t.nodes[k+1].next) {
		if t.is(&t.nodes[k], key) {
			last = k + 1
		}
	}
	return last
}

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
