package contract

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A member is a struct field that is a member of the struct's JSON object.
type member struct {
	name  string
	field reflect.StructField
	// index is the position in the struct, for reflect.Value.FieldByIndex.
	index []int
	// empty and zero stand for omitempty and omitzero.
	empty, zero bool
}

// membersOf returns the members of a struct in the order of declaration, with
// the members of embedded structs in the place of the embedded struct. It
// returns an error for embedded pointers and for members that share a name,
// which encoding/json would leave out.
func membersOf(t reflect.Type) ([]member, error) {
	var list []member
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if f.Anonymous && name == "" {
			if inner, ok := embedded(f); ok {
				if f.Type != inner {
					return nil, fmt.Errorf("contract: %s embeds a pointer to %s; embed the struct itself", t, inner)
				}
				below, err := membersOf(inner)
				if err != nil {
					return nil, err
				}
				for _, m := range below {
					m.index = append([]int{i}, m.index...)
					list = append(list, m)
				}
				continue
			}
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		opts := strings.Split(options, ",")
		list = append(list, member{
			name: name, field: f, index: []int{i},
			empty: slices.Contains(opts, "omitempty"),
			zero:  slices.Contains(opts, "omitzero"),
		})
	}
	for i, m := range list {
		if slices.ContainsFunc(list[:i], func(o member) bool { return o.name == m.name }) {
			return nil, fmt.Errorf("contract: %s has two members %q", t, m.name)
		}
	}
	return list, nil
}

// embedded returns the struct whose fields f promotes, and false if f is an
// ordinary field: a type with its own JSON.
func embedded(f reflect.StructField) (reflect.Type, bool) {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t, t.Kind() == reflect.Struct && !t.Implements(jsonMarshaler) && !t.Implements(textMarshaler)
}

// omits reports whether omitempty or omitzero leaves the member out, by the
// rules of encoding/json.
func (m *member) omits(v reflect.Value) bool {
	if m.zero {
		if z, ok := reflect.TypeAssert[interface{ IsZero() bool }](v); ok {
			return z.IsZero()
		}
		return v.IsZero()
	}
	if !m.empty {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
