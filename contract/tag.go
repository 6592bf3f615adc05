package contract

import (
	"math"
	"reflect"
	"slices"
	"strconv"
)

// A tagReader hands out the tags of one field and remembers what was asked
// for, so that a constraint which means nothing on its field is a mistake that
// is found and not a check that is silently missing.
type tagReader struct {
	where string
	tag   reflect.StructTag
	taken []string

	// What the reader's maker knows about the field beyond its tags.
	outer  []reflect.Type // the structs that it stands in
	hide   bool           // one of them is secret
	always bool           // it is never absent
}

// constraints are the tags that must mean something where they stand.
var constraints = []string{
	"required", "default", "secret", "min", "max", "gt", "lt", "multipleOf",
	"minLength", "maxLength", "pattern", "enum", "literal", "minItems", "maxItems",
}

func (p *tagReader) panic(msg string) { panic(p.where + ": " + msg) }

func (p *tagReader) take(name string) (string, bool) {
	p.taken = append(p.taken, name)
	return p.tag.Lookup(name)
}

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

// size reads bounds of a length; without a highest one there is none.
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

// bounds reads those of a number, an integer or not.
func (p *tagReader) bounds(ints *bounds[int64], floats *bounds[float64], whole bool) {
	if whole {
		*ints = bounds[int64]{
			p.int("multipleOf"), p.int("max"), p.int("lt"), p.int("min"), p.int("gt"),
		}
		if ints.multiple != nil && *ints.multiple < 1 {
			p.panic("multipleOf must be positive")
		}
		return
	}
	*floats = bounds[float64]{
		p.float("multipleOf"), p.float("max"), p.float("lt"), p.float("min"), p.float("gt"),
	}
	if floats.multiple != nil && *floats.multiple <= 0 {
		p.panic("multipleOf must be positive")
	}
}

func (p *tagReader) int(name string) *int64 {
	text, ok := p.take(name)
	if !ok {
		return nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.panic(name + " is no integer")
	}
	return &v
}

func (p *tagReader) float(name string) *float64 {
	text, ok := p.take(name)
	if !ok {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		p.panic(name + " is no finite number")
	}
	return &v
}

// done finds the constraints that nobody asked for.
func (p *tagReader) done() {
	for _, name := range constraints {
		if _, ok := p.tag.Lookup(name); ok && !slices.Contains(p.taken, name) {
			p.panic("the tag " + name + " means nothing here")
		}
	}
}
