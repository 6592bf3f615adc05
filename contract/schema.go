package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A describer is a type that returns the JSON Schema of its own JSON.
type describer interface {
	OpenAPI() map[string]any
}

// Types that the document treats specially.
var (
	describerType = reflect.TypeFor[describer]()
	timeType      = reflect.TypeFor[time.Time]()
)

// bodySchema returns the schema of a member of a body.
func (w *writer) bodySchema(f *field) orderedMap {
	s := w.ruleSchema(&f.rule)
	if f.nullable {
		s = nullable(s)
	}
	s.setText("description", f.tag.Get("doc"))
	s.setDeprecated(f.deprecation())
	return s.with(f)
}

// paramSchema returns the schema of a parameter, which may be absent but is
// never null.
func (w *writer) paramSchema(f *field) orderedMap { return w.ruleSchema(&f.rule).with(f) }

// with appends the default and example of a field.
func (m orderedMap) with(f *field) orderedMap {
	if f.fallback.IsValid() {
		m.set("default", reflect.Indirect(f.fallback).Interface())
	}
	if text, ok := f.tag.Lookup("example"); ok {
		m.set("examples", []any{exampleOf(f.typ, text)})
	}
	return m
}

// ruleSchema returns the schema of the values that a rule accepts, other than
// null. Named structs become components.
func (w *writer) ruleSchema(r *rule) orderedMap {
	switch r.shape {
	case text:
		s := orderedMap{{"type", "string"}}
		s = r.length.schema(s, "minLength", "maxLength")
		if r.pattern != nil {
			s.set("pattern", r.pattern.String())
		}
		if r.secret {
			s.set("format", "password")
		}
		return s
	case choice:
		return orderedMap{{"type", "string"}, {"enum", anys(r.choices)}}
	case integer:
		return r.bounds.schema(intSchema(r.typ))
	case boolean:
		return orderedMap{{"type", "boolean"}}
	case list:
		items := w.ruleSchema(r.item)
		if r.item.nullable {
			items = nullable(items)
		}
		return r.length.schema(orderedMap{{"type", "array"}, {"items", items}}, "minItems", "maxItems")
	}
	return w.component(r.typ, true, func() orderedMap { return w.inputObject(r) })
}

// inputObject returns the schema of a struct that is read.
func (w *writer) inputObject(r *rule) orderedMap {
	var required []any
	properties := orderedMap{}
	for i := range r.fields {
		f := &r.fields[i]
		if f.required {
			required = append(required, f.name)
		}
		properties.set(f.name, w.bodySchema(f))
	}
	s := objectSchema(required, properties)
	if r.closed {
		s.set("additionalProperties", false)
	}
	if r.between != nil {
		s = r.between.schema(s)
	}
	return s
}

// objectSchema returns the schema of an object. Required and properties are
// omitted when they are empty.
func objectSchema(required []any, properties orderedMap) orderedMap {
	s := orderedMap{{"type", "object"}}
	if len(required) > 0 {
		s.set("required", required)
	}
	if len(properties) > 0 {
		s.set("properties", properties)
	}
	return s
}

// schema appends the limits of a length under the names given.
func (l size) schema(s orderedMap, lowest, highest string) orderedMap {
	if l.min > 0 {
		s.set(lowest, l.min)
	}
	if l.max >= 0 {
		s.set(highest, l.max)
	}
	return s
}

// schema appends the limits of an integer.
func (b *bounds) schema(s orderedMap) orderedMap {
	for _, p := range []struct {
		key   string
		limit *int64
	}{
		{"minimum", b.ge}, {"exclusiveMinimum", b.gt}, {"maximum", b.le},
		{"exclusiveMaximum", b.lt}, {"multipleOf", b.multiple},
	} {
		if p.limit != nil {
			s.set(p.key, *p.limit)
		}
	}
	return s
}

// intSchema returns the schema of an integer type, with the format that
// generated clients need to choose the same width.
func intSchema(t reflect.Type) orderedMap {
	s := orderedMap{{"type", "integer"}}
	switch t.Kind() {
	case reflect.Int32:
		s.set("format", "int32")
	case reflect.Int64:
		s.set("format", "int64")
	}
	return s
}

// floatSchema returns the schema of a floating-point type.
func floatSchema(t reflect.Type) orderedMap {
	format := "double"
	if t.Kind() == reflect.Float32 {
		format = "float"
	}
	return orderedMap{{"type", "number"}, {"format", format}}
}

// nullable returns a schema that also accepts null: by a second type if s has a
// type, which client generators handle better than anyOf.
func nullable(s orderedMap) orderedMap {
	for i, p := range s {
		if name, ok := p.value.(string); ok && p.key == "type" {
			s = slices.Clone(s)
			s[i].value = []any{name, "null"}
			return nullChoice(s)
		}
	}
	if len(s) == 0 { // accepts anything, including null
		return s
	}
	return orderedMap{{"anyOf", []any{s, orderedMap{{"type", "null"}}}}}
}

// nullChoice adds null to the values of an enum.
func nullChoice(s orderedMap) orderedMap {
	for i, p := range s {
		if p.key == "enum" {
			s[i].value = append(slices.Clone(p.value.([]any)), nil)
		}
	}
	return s
}

// typeSchema returns the schema of a type as Encode writes it. It checks the
// same methods in the same order as newEncoder.
func (w *writer) typeSchema(t reflect.Type) orderedMap {
	p := reflect.PointerTo(t) // methods of *t count, as in Encode
	switch {
	case t.Kind() == reflect.Pointer:
		return nullable(w.typeSchema(t.Elem()))
	case t.Implements(encodedJSONType):
		return w.typeSchema(reflect.Zero(t).Interface().(encodedJSON).documentedAs())
	case p.Implements(describerType):
		return ordered(reflect.New(t).Interface().(describer).OpenAPI())
	case t == timeType:
		return orderedMap{{"type", "string"}, {"format", "date-time"}}
	case p.Implements(jsonMarshaler):
		return orderedMap{} // its JSON is unknown
	case p.Implements(textMarshaler):
		return orderedMap{{"type", "string"}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return orderedMap{{"type", "boolean"}}
	case reflect.String:
		return orderedMap{{"type", "string"}}
	case reflect.Float32, reflect.Float64:
		return floatSchema(t)
	case reflect.Map:
		return orderedMap{{"type", "object"}, {"additionalProperties", w.typeSchema(t.Elem())}}
	case reflect.Struct:
		return w.component(t, false, func() orderedMap { return w.outputObject(t) })
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice {
			return orderedMap{{"type", "string"}, {"contentEncoding", "base64"}}
		}
		return orderedMap{{"type", "array"}, {"items", w.typeSchema(t.Elem())}}
	case reflect.Interface:
		return orderedMap{}
	}
	return intSchema(t)
}

// outputObject returns the schema of a struct that is written. Members without
// omitempty and omitzero are required.
func (w *writer) outputObject(t reflect.Type) orderedMap {
	members, err := membersOf(t)
	if err != nil {
		panic(err)
	}
	var required []any
	properties := orderedMap{}
	for _, m := range members {
		if !m.empty && !m.zero {
			required = append(required, m.name)
		}
		properties.set(m.name, w.memberSchema(&m))
	}
	return objectSchema(required, properties)
}

// memberSchema returns the schema of a member of an output, with its tags.
func (w *writer) memberSchema(m *member) orderedMap {
	t, tag := m.field.Type, m.field.Tag
	base := t
	if t.Kind() == reflect.Pointer {
		base = t.Elem()
	}
	s := w.typeSchema(base)
	if base.Kind() == reflect.String {
		if list, ok := tag.Lookup("enum"); ok {
			s.set("enum", anys(strings.Split(list, ",")))
		}
		if list, ok := tag.Lookup("known"); ok { // a set that may grow: a closed enum would break generated clients
			s.set("x-extensible-enum", anys(strings.Split(list, ",")))
		}
		s.setText("format", tag.Get("format"))
		s.setText("pattern", tag.Get("pattern"))
	}
	if base != t && !m.empty && !m.zero { // a nil pointer is written as null
		s = nullable(s)
	}
	s.setText("description", tag.Get("doc"))
	s.setDeprecated(m.deprecation())
	if text, ok := tag.Lookup("example"); ok {
		s.set("examples", []any{exampleOf(base, text)})
	}
	return s
}

// exampleOf converts an example: texts as they are, anything else as JSON.
func exampleOf(t reflect.Type, example string) any {
	if t.Kind() != reflect.String && json.Valid([]byte(example)) {
		return raw(example)
	}
	return example
}

// component returns a reference to the schema of a named struct, and adds the
// schema at the first use. The schema of a struct without a name is returned in
// place. It panics if two structs share a name, or if one is both input and
// output: their required members differ.
func (w *writer) component(t reflect.Type, read bool, schema func() orderedMap) orderedMap {
	name := componentName(t)
	if name == "" {
		return schema()
	}
	known, met := w.types[name]
	switch {
	case !met:
		w.types[name] = component{t, read}
		s := schema() // may add further components
		w.schemas.set(name, s)
	case known.typ != t:
		panic(fmt.Sprintf("contract: %s and %s are both called %s", known.typ, t, name))
	case known.read != read:
		panic(fmt.Sprintf("contract: %s is both read and written, which makes two schemas: give each its struct", t))
	}
	return ref(name)
}

// packagePath matches the package in a type's name.
var packagePath = regexp.MustCompile(`[\w./-]*\.`)

// componentName returns a type's name with a capital, without packages and
// brackets: Page[example.com/shop.item] becomes PageItem.
func componentName(t reflect.Type) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(packagePath.ReplaceAllString(t.Name(), ""), func(r rune) bool {
		return r == '[' || r == ']' || r == ',' || r == '*'
	}) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// ordered sorts the members of a schema given as a map.
func ordered(v map[string]any) orderedMap {
	m := orderedMap{}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		m.set(key, orderedValue(v[key]))
	}
	return m
}

// orderedValue sorts the maps inside a value.
func orderedValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return ordered(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = orderedValue(v[i])
		}
		return out
	case []string:
		return anys(v)
	}
	return v
}
