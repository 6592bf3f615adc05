package contract

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// A plan is how the input of one operation is read: made once from the tags of
// its struct, only read afterwards.
type plan struct {
	params  []param // path, then query, then header; each in the order of declaration
	query   bool    // there are query parameters
	body    *rule   // nil: the operation has no body
	bodyAt  []int
	secrets []string // names of all secret fields, whose values no answer shows
}

// A param is a parameter of path, query or header.
type param struct {
	field
	in       string // "path", "query" or "header"
	position int    // of a path parameter: which one of the path
	header   string // of a header: its name as net/http keeps it
}

var places = []string{"path", "query", "header"}

// newPlan compiles the struct type t for a path with those parameters.
func newPlan(t reflect.Type, pathParams []string) *plan {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("contract: the input %s is no struct", t))
	}
	p := &plan{}
	p.collect(t, nil)
	slices.SortStableFunc(p.params, func(a, b param) int {
		return slices.Index(places, a.in) - slices.Index(places, b.in)
	})
	var declared []string
	for i := range p.params {
		f := &p.params[i]
		if f.in == "path" {
			declared = append(declared, f.name)
			f.position = slices.Index(pathParams, f.name)
		}
		p.query = p.query || f.in == "query"
		p.secrets = f.secrets(f.name, p.secrets)
	}
	slices.Sort(declared)
	wanted := slices.Sorted(slices.Values(pathParams))
	if !slices.Equal(declared, wanted) {
		panic(fmt.Sprintf("contract: %s declares the path parameters %q, its path has %q", t, declared, wanted))
	}
	if p.body != nil {
		p.secrets = p.body.secrets("", p.secrets)
	}
	return p
}

// collect finds the parameters and the body in t, which stands at index in the
// input, and in what t embeds.
func (p *plan) collect(t reflect.Type, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			p.collect(f.Type, at)
			continue
		}
		if f.Name == "Body" {
			r := newRule(f.Type, &tagReader{where: "contract: " + t.String() + ".Body", tag: f.Tag})
			if r.nullable || p.body != nil || r.shape != object && r.shape != list {
				panic(fmt.Sprintf("contract: %s.Body must be one struct or slice", t))
			}
			p.body, p.bodyAt = &r, at
			continue
		}
		p.param(t, f, at)
	}
}

// param adds the parameter that field f of t declares.
func (p *plan) param(t reflect.Type, f reflect.StructField, at []int) {
	for _, in := range places {
		name, ok := f.Tag.Lookup(in)
		if !ok {
			continue
		}
		c := param{in: in}
		if in == "header" {
			name, c.header = strings.ToLower(name), http.CanonicalHeaderKey(name)
		}
		c.field = newField(member{name: name, field: f, index: at}, &tagReader{always: in == "path"})
		repeated := in == "query" && c.shape == list && !c.nullable && c.item.scalar() && !c.item.nullable
		switch {
		case !c.scalar() && !repeated:
			panic(fmt.Sprintf("contract: %s.%s: a %s parameter is a text, number or boolean", t, f.Name, in))
		case in == "path" && c.nullable:
			panic(fmt.Sprintf("contract: %s.%s: a path parameter is always there", t, f.Name))
		case !f.IsExported():
			panic(fmt.Sprintf("contract: %s.%s is not exported, so nobody can fill it", t, f.Name))
		}
		p.params = append(p.params, c)
		return
	}
	panic(fmt.Sprintf("contract: %s.%s has no tag path, query or header, and is not called Body", t, f.Name))
}

// scalar reports whether a value is one piece of text, number or boolean.
func (r *rule) scalar() bool { return anything < r.shape && r.shape < list }

// fallible reports whether a request can be wrong in a way that is answered
// with 422.
func (p *plan) fallible() bool { return len(p.params) > 0 || p.body != nil }
