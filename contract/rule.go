package contract

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// A shape is the kind of JSON value that a rule accepts.
type shape uint8

// The shapes before list are scalars, which a parameter can hold; see
// rule.scalar.
const (
	text   shape = iota
	choice       // one of a list of texts
	integer
	boolean
	list
	object
)

// A rule is the compiled form of a field's type and tags. It is made at
// registration and immutable afterwards.
type rule struct {
	shape shape
	// typ is the Go type of the value; for a nullable one, the element type of
	// the pointer.
	typ reflect.Type
	// nullable accepts null and stores nil.
	nullable bool
	// secret keeps the value out of responses.
	secret bool

	// bounds limit an integer.
	bounds bounds
	// length limits a text in code points, and a list in items.
	length size
	// pattern is searched in a text; nil matches every text.
	pattern *regexp.Regexp
	// choices are the texts that a choice accepts.
	choices []string
	// literal gives errors of a choice the type literal_error instead of enum.
	literal bool

	// item is the rule of a list's items.
	item *rule
	// fields are the members of an object in the order of declaration.
	fields []field
	// closed makes unknown members of an object errors.
	closed bool
	// between are the rules between the members of an object; nil for none.
	between *between
	// ruled objects are Ruled.
	ruled bool
}

// bounds are the limits of an integer; nil means no limit.
type bounds struct {
	multiple, le, lt, ge, gt *int64
}

// A size holds the limits of a length.
type size struct {
	// min and max are inclusive. A max of -1 means no limit.
	min, max int
}

// A field is a member of an object, or a parameter of an operation.
type field struct {
	rule
	// name is the member's or parameter's name on the wire.
	name string
	// index is the position in the outer struct, for
	// reflect.Value.FieldByIndex.
	index    []int
	required bool
	// fallback is the value of an absent field. If it is not valid, the field
	// keeps its zero value.
	fallback reflect.Value
	// tag has the tags for the document: doc and example.
	tag reflect.StructTag
}

// newField compiles a struct field with a reader that knows the field's
// context. It panics on tags that contradict each other or the type, and on an
// optional field whose zero value violates its own rule: a handler could not
// distinguish that value from a valid one.
func newField(m member, p *tagReader) field {
	f := field{name: m.name, index: m.index, tag: m.field.Tag}
	p.where, p.tag = fmt.Sprintf("contract: field %s (%q)", m.field.Name, m.name), f.tag
	f.rule = newRule(m.field.Type, p)
	f.required = p.flag("required") || p.required
	text, ok := p.take("default")
	p.done()
	switch {
	case ok && f.required:
		p.panic("is required and has a default")
	case ok:
		f.fallback = f.defaultValue(text, m.field.Type, p)
	case !f.required && !f.nullable && f.zeroFault().typ != "":
		p.panic("may be absent, but its zero value breaks its rules: require it, give it a default, or make it a pointer")
	}
	return f
}

// fill stores the value of an absent field: its default, or the defaults of the
// fields below it.
func (f *field) fill(dst reflect.Value) {
	switch {
	case f.fallback.IsValid() && f.nullable:
		dst.Set(reflect.New(f.typ)) // handlers may change it, so each request gets its own
		dst.Elem().Set(f.fallback.Elem())
	case f.fallback.IsValid():
		dst.Set(f.fallback)
	case f.shape == object && !f.nullable:
		for i := range f.fields {
			f.fields[i].fill(dst.FieldByIndex(f.fields[i].index))
		}
	}
}

// zeroFault returns the fault of Go's zero value under rule r.
func (r *rule) zeroFault() fault {
	switch r.shape {
	case text:
		return r.textFault("")
	case choice:
		if !slices.Contains(r.choices, "") {
			return r.wrongChoice()
		}
	case integer:
		return r.bounds.fault(0)
	case list:
		if r.length.min > 0 {
			return tooShort(r.length.min, 0)
		}
	case object:
		if slices.ContainsFunc(r.fields, func(f field) bool { return f.required }) {
			return faultMissing
		}
	}
	return fault{}
}

// defaultValue parses a default as a query parameter, by the field's own rule,
// and panics if the default violates it.
func (f *field) defaultValue(text string, t reflect.Type, p *tagReader) reflect.Value {
	if !f.scalar() {
		p.panic("only texts, integers and booleans take a default")
	}
	v := reflect.New(t).Elem()
	b := &binding{}
	b.fromText(&f.rule, text, v)
	if len(b.detail) > 0 {
		p.panic("default: " + b.detail[0].Msg)
	}
	return v
}

// newRule compiles the rule of a type. It panics on types that the package
// comment does not list.
func newRule(t reflect.Type, p *tagReader) rule {
	r := rule{typ: t, length: size{0, -1}, secret: p.flag("secret") || p.secret}
	if t.Kind() == reflect.Pointer {
		r.nullable, r.typ = true, t.Elem()
	}
	switch k := r.typ.Kind(); {
	case k == reflect.String:
		r.textRule(p)
	case r.isInt():
		r.shape = integer
		r.bounds = p.bounds()
	case k == reflect.Bool:
		r.shape = boolean
	case k == reflect.Slice:
		r.shape = list
		r.length = p.size("minItems", "maxItems")
		item := newRule(r.typ.Elem(), p) // tags that do not apply to the list apply to its items
		r.item = &item
	case k == reflect.Struct:
		r.objectRule(p)
	default:
		p.panic("has no rule for " + t.String())
	}
	return r
}

// isInt reports whether the Go type is an integer type.
func (r *rule) isInt() bool {
	switch r.typ.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// textRule compiles the rule of a text: a choice, or length and pattern.
func (r *rule) textRule(p *tagReader) {
	r.shape = text
	enum, isEnum := p.take("enum")
	literal, isLiteral := p.take("literal")
	if isEnum || isLiteral {
		if isEnum && isLiteral {
			p.panic("is both enum and literal")
		}
		r.shape, r.literal = choice, isLiteral
		r.choices = strings.Split(enum+literal, ",")
		return
	}
	r.length = p.size("minLength", "maxLength")
	if pattern, ok := p.take("pattern"); ok {
		re, err := regexp.Compile(pattern)
		if err != nil {
			p.panic(err.Error())
		}
		r.pattern = re
	}
}

// objectRule compiles the rules of a struct's members. It panics on a struct
// that contains itself and on members without a json tag.
func (r *rule) objectRule(p *tagReader) {
	r.shape = object
	if slices.Contains(p.outer, r.typ) {
		p.panic(r.typ.String() + " contains itself")
	}
	members, err := membersOf(r.typ)
	if err != nil {
		p.panic(err.Error())
	}
	for _, m := range members {
		if m.field.Tag.Get("json") == "" {
			p.panic(fmt.Sprintf("%s.%s has no json tag", r.typ, m.field.Name))
		}
		r.fields = append(r.fields, newField(m, &tagReader{
			outer: append(slices.Clone(p.outer), r.typ), secret: r.secret,
		}))
	}
	r.ruled = reflect.PointerTo(r.typ).Implements(reflect.TypeFor[Ruled]())
	if f, ok := r.typ.FieldByName("_"); ok {
		r.closed = f.Tag.Get("extra") == "forbid"
		r.between = newBetween(f.Tag, r)
	}
}

// noNUL matches texts without U+0000.
var noNUL = regexp.MustCompile(`^[^\x00]*$`)

// refuseNUL sets noNUL for all texts without a pattern at and below r.
func (r *rule) refuseNUL() {
	if r.shape == text && r.pattern == nil {
		r.pattern = noNUL
	}
	if r.item != nil {
		r.item.refuseNUL()
	}
	for i := range r.fields {
		r.fields[i].refuseNUL()
	}
}

// matches reports whether a text matches the rule's pattern, if it has one.
func (r *rule) matches(s string) bool {
	if r.pattern == noNUL { // the usual pattern, without a regular expression's cost
		return strings.IndexByte(s, 0) < 0
	}
	return r.pattern == nil || r.pattern.MatchString(s)
}

// secrets appends the names of the secret fields at and below r, whose own name
// is name, or empty for items of a list.
func (r *rule) secrets(name string, names []string) []string {
	if r.secret && name != "" {
		names = append(names, name)
	}
	if r.item != nil {
		names = r.item.secrets("", names)
	}
	for i := range r.fields {
		names = r.fields[i].secrets(r.fields[i].name, names)
	}
	return names
}
