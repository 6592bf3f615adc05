package contract

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// A plan describes how the input of one operation is read. newPlan derives it
// from the input struct at registration; it is immutable afterwards.
type plan struct {
	// params is sorted by location; parameters of one location are in the order
	// of declaration.
	params []param
	// query reports whether params has query parameters.
	query bool
	// body is nil if the operation has no body.
	body *rule
	// bodyAt is the position of the body in the input.
	bodyAt []int
	// secrets are the names of all secret fields, whose values no response
	// shows.
	secrets []string
}

// A param is a path, query or header parameter.
type param struct {
	field
	// in is one of locations.
	in string
	// position is the index of a path parameter in the path.
	position int
	// header is the canonical name of a header.
	header string
}

// locations lists the parts of a request that hold parameters, in the order in
// which errors about them are reported.
var locations = []string{"path", "query", "header"}

// newPlan compiles the input struct t for a path with those parameters. It
// panics unless t declares exactly these, and on every mistake in a field.
func newPlan(t reflect.Type, pathParams []string) *plan {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("contract: the input %s is not a struct", t))
	}
	p := &plan{}
	p.collect(t, nil)
	slices.SortStableFunc(p.params, func(a, b param) int {
		return slices.Index(locations, a.in) - slices.Index(locations, b.in)
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
	inPath := slices.Sorted(slices.Values(pathParams))
	if !slices.Equal(declared, inPath) {
		panic(fmt.Sprintf("contract: %s declares the path parameters %q, its path has %q", t, declared, inPath))
	}
	if p.body != nil {
		p.secrets = p.body.secrets("", p.secrets)
	}
	return p
}

// collect adds the parameters and the body in struct t and in the structs that
// t embeds. Index is the position of t in the input, for
// reflect.Value.FieldByIndex.
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

// param adds the parameter that field f of t declares. It panics if f declares
// none, or has a type that no text can be converted to.
func (p *plan) param(t reflect.Type, f reflect.StructField, at []int) {
	for _, in := range locations {
		name, ok := f.Tag.Lookup(in)
		if !ok {
			continue
		}
		c := param{in: in}
		if in == "header" {
			name, c.header = strings.ToLower(name), http.CanonicalHeaderKey(name)
		}
		c.field = newField(member{name: name, field: f, index: at}, &tagReader{required: in == "path"})
		repeated := in == "query" && c.shape == list && !c.nullable && c.item.scalar() && !c.item.nullable
		switch {
		case !c.scalar() && !repeated:
			panic(fmt.Sprintf("contract: %s.%s: a %s parameter is a text, integer or boolean", t, f.Name, in))
		case in == "path" && c.nullable:
			panic(fmt.Sprintf("contract: %s.%s: a path parameter is always there", t, f.Name))
		case !f.IsExported():
			panic(fmt.Sprintf("contract: %s.%s is not exported", t, f.Name))
		}
		p.params = append(p.params, c)
		return
	}
	panic(fmt.Sprintf("contract: %s.%s has no tag path, query or header, and is not called Body", t, f.Name))
}

// scalar reports whether values of the rule are a text, integer or boolean.
func (r *rule) scalar() bool { return r.shape < list }

// fallible reports whether a request can be invalid, and thus answered with
// 422.
func (p *plan) fallible() bool { return len(p.params) > 0 || p.body != nil }
