package canon

// MaxDepth is the deepest nesting of objects and arrays that Check accepts. The protocol's
// own documents need 4. The bound keeps hostile input from exhausting the stack.
const MaxDepth = 32

// Check returns nil when raw is exactly one canonical document of any shape. Otherwise the
// error names the first fault and its byte offset.
func Check(raw []byte) error {
	r := NewReader(raw)
	r.value(0)
	return r.End()
}

// value reads a value of any type that is nested in depth objects and arrays.
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

// container reads an object or an array that is nested in depth others.
func (r *Reader) container(depth int) {
	switch {
	case r.Try("{}"), r.Try("[]"):
	case r.Try("{"):
		r.members(depth)
	case r.Try("["):
		r.items(depth)
	}
}

// items reads the items and the closing bracket of a non-empty array.
func (r *Reader) items(depth int) {
	for {
		r.value(depth + 1)
		if !r.Try(",") {
			break
		}
	}
	r.Literal("]")
}

// members reads the members and the closing brace of a non-empty object. The names must
// rise strictly, so that they are sorted and unique.
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

// plainOrEscaped skips a string, without converting it when it has no escape.
func (r *Reader) plainOrEscaped() {
	if r.plainString() == nil && r.err == nil {
		r.escapedString()
	}
}

// lessUTF16 orders strings by UTF-16 code units, as RFC 8785 section 3.2.3 requires. That
// differs from the order of code points only where one character is beyond the basic plane
// and the other is in U+E000 .. U+FFFF.
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
