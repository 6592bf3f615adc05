package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

type shape uint8

const (
	anything shape = iota // json.RawMessage: JSON, and no more is said about it
	text
	choice // one of a list of strings
	integer
	number
	boolean
	list
	dict
	object
)

// A rule is what the tags of a field say about its value. It is made once, at
// registration, and only read afterwards.
type rule struct {
	shape    shape
	typ      reflect.Type // of the value: below the pointer of a nullable one
	nullable bool         // null is accepted, and nil in Go
	secret   bool         // the value is never shown

	ints    bounds[int64]
	floats  bounds[float64]
	length  size // code points of a text, items of a list
	pattern *regexp.Regexp
	choices []string
	literal bool // a choice reports literal_error in place of enum

	item   *rule   // of list and dict
	fields []field // of object, in the order of declaration
	closed bool    // an object that forbids members it does not declare
}

// bounds of a number; nil is no bound.
type bounds[T int64 | float64] struct {
	multiple, le, lt, ge, gt *T
}

type size struct {
	min, max int // max -1: no bound
}

// A field is a member of an object, or a parameter of an operation.
type field struct {
	rule
	name     string
	index    []int // for reflect.Value.FieldByIndex
	required bool
	fallback reflect.Value // what an absent one becomes; not valid: left as it is
	tag      reflect.StructTag
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// newField compiles a struct field with a reader that knows what the field
// stands in. Mistakes in tags panic.
func newField(m member, p *tagReader) field {
	f := field{name: m.name, index: m.index, tag: m.field.Tag}
	p.where, p.tag = fmt.Sprintf("contract: field %s (%q)", m.field.Name, m.name), f.tag
	f.rule = newRule(m.field.Type, p)
	f.required = p.flag("required") || p.always
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

// fill makes what an absent value becomes.
func (f *field) fill(dst reflect.Value) {
	switch {
	case f.fallback.IsValid() && f.nullable:
		dst.Set(reflect.New(f.typ)) // to each request its own
		dst.Elem().Set(f.fallback.Elem())
	case f.fallback.IsValid():
		dst.Set(f.fallback)
	case f.shape == object && !f.nullable:
		for i := range f.fields {
			f.fields[i].fill(dst.FieldByIndex(f.fields[i].index))
		}
	}
}

// zeroFault says which rule Go's zero value breaks.
func (r *rule) zeroFault() fault {
	switch r.shape {
	case text:
		return r.textFault("")
	case choice:
		if !slices.Contains(r.choices, "") {
			return r.wrongChoice()
		}
	case integer:
		return r.ints.fault(0, dividesInt)
	case number:
		return r.floats.fault(0, dividesFloat)
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

// defaultValue reads a default by the same rule as a query parameter, so that
// a default that breaks its own bounds is found at registration.
func (f *field) defaultValue(text string, t reflect.Type, p *tagReader) reflect.Value {
	switch f.shape {
	case anything, list, dict, object:
		p.panic("only texts, numbers and booleans take a default")
	}
	v := reflect.New(t).Elem()
	b := &binding{}
	b.fromText(&f.rule, text, v)
	if len(b.detail) > 0 {
		p.panic("default: " + b.detail[0].Msg)
	}
	return v
}

func newRule(t reflect.Type, p *tagReader) rule {
	r := rule{typ: t, length: size{0, -1}, secret: p.flag("secret") || p.hide}
	if t.Kind() == reflect.Pointer {
		r.nullable, r.typ = true, t.Elem()
	}
	switch k := r.typ.Kind(); {
	case r.typ == rawMessage:
		r.shape = anything
	case k == reflect.String:
		r.textRule(p)
	case r.isInt():
		r.shape = integer
		p.bounds(&r.ints, &r.floats, true)
	case k == reflect.Float64 || k == reflect.Float32:
		r.shape = number
		p.bounds(&r.ints, &r.floats, false)
	case k == reflect.Bool:
		r.shape = boolean
	case k == reflect.Slice:
		r.shape = list
		r.length = p.size("minItems", "maxItems")
		r.below(p)
	case k == reflect.Map && r.typ.Key().Kind() == reflect.String:
		if r.secret {
			p.panic("is a map, whose keys no secret can hide")
		}
		r.shape = dict
		r.below(p)
	case k == reflect.Struct:
		r.objectRule(p)
	default:
		p.panic("has no rule for " + t.String())
	}
	return r
}

// below compiles the rule of a list's items or a dict's values. What the tags
// say beyond the list itself is said about them.
func (r *rule) below(p *tagReader) {
	item := newRule(r.typ.Elem(), p)
	r.item = &item
}

func (r *rule) isInt() bool {
	switch r.typ.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

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
			outer: append(slices.Clone(p.outer), r.typ), hide: r.secret,
		}))
	}
	if f, ok := r.typ.FieldByName("_"); ok {
		r.closed = f.Tag.Get("extra") == "forbid"
	}
}

// noNUL is the pattern of texts without U+0000.
var noNUL = regexp.MustCompile(`^[^\x00]*$`)

// refuseNUL gives noNUL to all texts without a pattern at and below r.
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

// matches reports whether a text matches the pattern of the rule.
func (r *rule) matches(s string) bool {
	if r.pattern == noNUL { // the usual one, without a regular expression's cost
		return strings.IndexByte(s, 0) < 0
	}
	return r.pattern == nil || r.pattern.MatchString(s)
}

// secrets adds the names of the secret fields at and below f.
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
