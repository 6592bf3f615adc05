package contract

import (
	"reflect"
	"slices"
	"strconv"
)

// A tagReader reads the tags of one field and records which ones were read. A
// constraint that its type does not use then panics: otherwise the check would
// silently be missing.
type tagReader struct {
	// where names the field in panics.
	where string
	tag   reflect.StructTag
	// read are the names of the tags that were read.
	read []string

	// The fields below are the context of the field beyond its tags: the structs
	// that contain it, whether one of them is secret, and whether it is a path
	// parameter, which is always required.
	outer    []reflect.Type
	secret   bool
	required bool
}

// constraints are the tags that must apply to the type of their field.
var constraints = []string{
	"required", "default", "secret", "min", "max", "gt", "lt", "multipleOf",
	"minLength", "maxLength", "pattern", "enum", "literal", "minItems", "maxItems",
}

// panic reports a mistake in the field's declaration.
func (p *tagReader) panic(msg string) { panic(p.where + ": " + msg) }

// take returns a tag and records that it was read.
func (p *tagReader) take(name string) (string, bool) {
	p.read = append(p.read, name)
	return p.tag.Lookup(name)
}

// flag returns a boolean tag, false if it is absent.
func (p *tagReader) flag(name string) bool {
	text, ok := p.take(name)
	if !ok {
		return false
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		p.panic(name + " is true or false")
	}
	return v
}

// size reads the limits of a length.
func (p *tagReader) size(lowest, highest string) size {
	s := size{0, -1}
	if v := p.int(lowest); v != nil {
		s.min = int(*v)
	}
	if v := p.int(highest); v != nil {
		s.max = int(*v)
	}
	if s.min < 0 || s.max < -1 || s.max >= 0 && s.min > s.max {
		p.panic("impossible " + lowest + " and " + highest)
	}
	return s
}

// bounds reads the limits of an integer.
func (p *tagReader) bounds() bounds {
	b := bounds{p.int("multipleOf"), p.int("max"), p.int("lt"), p.int("min"), p.int("gt")}
	if b.multiple != nil && *b.multiple < 1 {
		p.panic("multipleOf must be positive")
	}
	return b
}

// int returns an integer tag, nil if it is absent.
func (p *tagReader) int(name string) *int64 {
	text, ok := p.take(name)
	if !ok {
		return nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.panic(name + " is not an integer")
	}
	return &v
}

// done panics if a constraint was not read.
func (p *tagReader) done() {
	for _, name := range constraints {
		if _, ok := p.tag.Lookup(name); ok && !slices.Contains(p.read, name) {
			p.panic("the tag " + name + " does not apply to this type")
		}
	}
}
