package contract

// maxDepth is how deeply lists and objects may nest: Python's default
// recursion limit, which the reference implementation runs into.
const maxDepth = 1000

// maxDigits is the longest integer literal that Python converts.
const maxDigits = 4300

type kind uint8

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

// A node is one JSON value, or one key, in a tree.
type node struct {
	kind    kind
	escaped bool  // a string with escapes: its bytes are not yet its value
	lone    bool  // a string that holds half a surrogate pair
	start   int32 // first byte in text; a string's after its quote
	end     int32 // first byte behind; a string's closing quote
	next    int32 // the node behind this one and everything below it
	size    int32 // items of a list, members of an object (a key, then a value)
}

// A tree is a JSON text and the flat list of its values in the order of the
// text: node 0 is the whole, the nodes below node i are i+1 to next-1. Nothing
// is converted or copied until somebody asks, so that reading costs one pass
// and no allocation once the list has grown.
type tree struct {
	text  []byte
	nodes []node
}

// A syntaxError says where a text stops being JSON, in the words of Python's
// json.JSONDecodeError.
type syntaxError struct {
	msg string
	pos int // in code points from the beginning, a byte order mark not counted
}

func (e *syntaxError) Error() string { return e.msg }

// parse reads body, which must not change as long as the tree is in use. The
// error is a *syntaxError, or one that wraps ErrBadBody where Python's json
// module fails otherwise: broken encoding, too deep, too many digits. NaN and
// Infinity, which Python takes, are refused.
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

// fail makes the error for byte i of the text.
func (t *tree) fail(msg string, i int) error {
	pos := 0
	for _, c := range t.text[:i] {
		if c&0xC0 != 0x80 { // not a continuation byte
			pos++
		}
	}
	return &syntaxError{msg, pos}
}

// at returns byte i, or 0 behind the end: no token begins with 0.
func (t *tree) at(i int) byte {
	if i < len(t.text) {
		return t.text[i]
	}
	return 0
}

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
// the byte behind it; so do the others below.
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

func (t *tree) leaf(k kind, start, end int) int {
	t.nodes = append(t.nodes, node{
		kind: k, start: int32(start), end: int32(end), next: int32(len(t.nodes) + 1),
	})
	return end
}

func (t *tree) word(i int, word string, k kind) (int, error) {
	end := i + len(word)
	if end > len(t.text) || string(t.text[i:end]) != word {
		return 0, t.fail("Expecting value", i)
	}
	return t.leaf(k, i, end), nil
}

// open adds a list or object whose end is not known yet.
func (t *tree) open(k kind, i, depth int) (int, error) {
	if depth > maxDepth {
		return 0, errTooDeep
	}
	t.nodes = append(t.nodes, node{kind: k, start: int32(i)})
	return len(t.nodes) - 1, nil
}

func (t *tree) close(at, end, size int) int {
	n := &t.nodes[at]
	n.end, n.next, n.size = int32(end), int32(len(t.nodes)), int32(size)
	return end
}

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

// number reads what JSON allows and stops there: "01" is 0 and something
// behind it, "1." is 1 and a full stop, "1e" is 1 and an e.
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

func (t *tree) digits(i int) int {
	for isDigit(t.at(i)) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// member returns the value of the last member of object i with that key, or
// -1: where a key comes twice, the last one counts.
func (t *tree) member(i int, key string) int {
	found := -1
	for k := i + 1; k < int(t.nodes[i].next); k = int(t.nodes[k+1].next) {
		if t.is(&t.nodes[k], key) {
			found = k + 1
		}
	}
	return found
}
