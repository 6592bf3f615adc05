package canon

// MaxDepth is how deep objects and arrays may nest in a document that Check
// accepts. The protocol's own documents need 4.
const MaxDepth = 32

// Check returns nil when raw is one canonical document of any shape, otherwise
// an error that says what is wrong and where.
func Check(raw []byte) error {
	r := NewReader(raw)
	r.value(0)
	return r.End()
}

// value reads any value that stands inside depth objects and arrays.
func (r *Reader) value(depth int) {
	if r.err != nil {
		return
	}
	switch r.peek() {
	case '{', '[':
		if depth == MaxDepth {
			r.Fail("nested too deeply")
			return
		}
		r.container(depth)
	case '"':
		r.plainOrEscaped()
	case 'n':
		r.Literal("null")
	case 't', 'f':
		r.Bool()
	default:
		r.Int()
	}
}

// peek returns the next byte, 0 at the end of the document.
func (r *Reader) peek() byte {
	if r.pos == len(r.raw) {
		return 0
	}
	return r.raw[r.pos]
}

func (r *Reader) container(depth int) {
	switch {
	case r.Try("{}"), r.Try("[]"):
	case r.Try("{"):
		r.members(depth)
	case r.Try("["):
		r.items(depth)
	}
}

// items reads what follows the opening bracket of an array with items.
func (r *Reader) items(depth int) {
	for {
		r.value(depth + 1)
		if !r.Try(",") {
			break
		}
	}
	r.Literal("]")
}

// members reads what follows the opening brace of an object with members, which
// must rise strictly: sorted, and none twice.
func (r *Reader) members(depth int) {
	last := ""
	for first := true; ; first = false {
		name := r.String()
		if !first && !lessUTF16(last, name) {
			r.Fail("object members not sorted, or twice the same")
		}
		last = name
		r.Literal(":")
		r.value(depth + 1)
		if !r.Try(",") {
			break
		}
	}
	r.Literal("}")
}

func (r *Reader) plainOrEscaped() {
	if r.plainString() == nil && r.err == nil {
		r.escapedString()
	}
}

// lessUTF16 orders as RFC 8785 does, by UTF-16 code units. That differs from
// the order of code points only where one side is beyond the basic plane and
// the other is U+E000 or above.
func lessUTF16(a, b string) bool {
	ra, rb := []rune(a), []rune(b)
	for i := 0; i < len(ra) && i < len(rb); i++ {
		if ra[i] == rb[i] {
			continue
		}
		ua, ub := firstUnit(ra[i]), firstUnit(rb[i])
		if ua != ub {
			return ua < ub
		}
		return ra[i] < rb[i] // the same high surrogate: the low ones follow the code points
	}
	return len(ra) < len(rb)
}

// firstUnit returns the first UTF-16 code unit of r.
func firstUnit(r rune) rune {
	if r < 0x10000 {
		return r
	}
	return 0xd800 + (r-0x10000)>>10
}
