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

// A describer is a type that says itself what its JSON is: a JSON Schema.
type describer interface {
	OpenAPI() map[string]any
}

var (
	describerType = reflect.TypeFor[describer]()
	timeType      = reflect.TypeFor[time.Time]()
)

// bodySchema is the schema of a member of a body.
func (w *writer) bodySchema(f *field) omap {
	s := w.ruleSchema(&f.rule)
	if f.nullable {
		s = nullable(s)
	}
	s.setText("description", f.tag.Get("doc"))
	return s.with(f)
}

// paramSchema is the schema of a parameter, which can be absent but never null.
func (w *writer) paramSchema(f *field) omap { return w.ruleSchema(&f.rule).with(f) }

// with adds what a field says beyond its rule.
func (m omap) with(f *field) omap {
	if f.fallback.IsValid() {
		m.set("default", reflect.Indirect(f.fallback).Interface())
	}
	if text, ok := f.tag.Lookup("example"); ok {
		m.set("examples", []any{exampleOf(f.typ, text)})
	}
	return m
}

// ruleSchema is the schema of values that a rule accepts, null left aside.
func (w *writer) ruleSchema(r *rule) omap {
	switch r.shape {
	case text:
		s := omap{{"type", "string"}}
		s = r.length.schema(s, "minLength", "maxLength")
		if r.pattern != nil {
			s.set("pattern", r.pattern.String())
		}
		if r.secret {
			s.set("format", "password")
		}
		return s
	case choice:
		return omap{{"type", "string"}, {"enum", anys(r.choices)}}
	case integer:
		return boundsSchema(intSchema(r.typ), &r.ints)
	case number:
		return boundsSchema(floatSchema(r.typ), &r.floats)
	case boolean:
		return omap{{"type", "boolean"}}
	case list:
		items := w.ruleSchema(r.item)
		if r.item.nullable {
			items = nullable(items)
		}
		return r.length.schema(omap{{"type", "array"}, {"items", items}}, "minItems", "maxItems")
	case dict:
		return omap{{"type", "object"}, {"additionalProperties", w.ruleSchema(r.item)}}
	case object:
		return w.component(r.typ, true, func() omap { return w.inputObject(r) })
	}
	return omap{}
}

func (w *writer) inputObject(r *rule) omap {
	var required []any
	properties := omap{}
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
	return s
}

func objectSchema(required []any, properties omap) omap {
	s := omap{{"type", "object"}}
	if len(required) > 0 {
		s.set("required", required)
	}
	if len(properties) > 0 {
		s.set("properties", properties)
	}
	return s
}

func (l size) schema(s omap, lowest, highest string) omap {
	if l.min > 0 {
		s.set(lowest, l.min)
	}
	if l.max >= 0 {
		s.set(highest, l.max)
	}
	return s
}

func boundsSchema[T int64 | float64](s omap, b *bounds[T]) omap {
	for _, p := range []struct {
		key   string
		limit *T
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

// intSchema names the width where Go does, so that generated clients keep it.
func intSchema(t reflect.Type) omap {
	s := omap{{"type", "integer"}}
	switch t.Kind() {
	case reflect.Int32:
		s.set("format", "int32")
	case reflect.Int64:
		s.set("format", "int64")
	}
	return s
}

func floatSchema(t reflect.Type) omap {
	format := "double"
	if t.Kind() == reflect.Float32 {
		format = "float"
	}
	return omap{{"type", "number"}, {"format", format}}
}

// nullable lets a schema accept null, too: by a second type where it has one,
// which generators of clients read more easily than a choice of two schemas.
func nullable(s omap) omap {
	for i, p := range s {
		if name, ok := p.value.(string); ok && p.key == "type" {
			s = slices.Clone(s)
			s[i].value = []any{name, "null"}
			return nullChoice(s)
		}
	}
	if len(s) == 0 { // anything, null among it
		return s
	}
	return omap{{"anyOf", []any{s, omap{{"type", "null"}}}}}
}

// nullChoice adds null to the values of an enum.
func nullChoice(s omap) omap {
	for i, p := range s {
		if p.key == "enum" {
			s[i].value = append(slices.Clone(p.value.([]any)), nil)
		}
	}
	return s
}

// typeSchema is the schema of a type as Encode writes it.
func (w *writer) typeSchema(t reflect.Type) omap {
	p := reflect.PointerTo(t) // methods of *t count, as they do in Encode
	switch {
	case t.Kind() == reflect.Pointer:
		return nullable(w.typeSchema(t.Elem()))
	case t.Implements(preEncodedType):
		return w.typeSchema(reflect.Zero(t).Interface().(preEncoded).stands())
	case p.Implements(describerType):
		return ordered(reflect.New(t).Interface().(describer).OpenAPI())
	case t == timeType:
		return omap{{"type", "string"}, {"format", "date-time"}}
	case p.Implements(jsonMarshaler):
		return omap{} // anything: it does not say
	case p.Implements(textMarshaler):
		return omap{{"type", "string"}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return omap{{"type", "boolean"}}
	case reflect.String:
		return omap{{"type", "string"}}
	case reflect.Float32, reflect.Float64:
		return floatSchema(t)
	case reflect.Map:
		return omap{{"type", "object"}, {"additionalProperties", w.typeSchema(t.Elem())}}
	case reflect.Struct:
		return w.component(t, false, func() omap { return w.outputObject(t) })
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice {
			return omap{{"type", "string"}, {"contentEncoding", "base64"}}
		}
		return omap{{"type", "array"}, {"items", w.typeSchema(t.Elem())}}
	case reflect.Interface:
		return omap{}
	}
	return intSchema(t)
}

func (w *writer) outputObject(t reflect.Type) omap {
	members, err := membersOf(t)
	if err != nil {
		panic(err)
	}
	var required []any
	properties := omap{}
	for _, m := range members {
		if !m.empty && !m.zero {
			required = append(required, m.name)
		}
		properties.set(m.name, w.memberSchema(&m))
	}
	return objectSchema(required, properties)
}

// memberSchema is the schema of a member of an answer, with what its tags say.
func (w *writer) memberSchema(m *member) omap {
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
		s.setText("format", tag.Get("format"))
		s.setText("pattern", tag.Get("pattern"))
	}
	if base != t && !m.empty && !m.zero { // a nil one is not left out
		s = nullable(s)
	}
	s.setText("description", tag.Get("doc"))
	if text, ok := tag.Lookup("example"); ok {
		s.set("examples", []any{exampleOf(base, text)})
	}
	return s
}

// exampleOf reads an example of a type: a text as it stands, anything else as
// JSON.
func exampleOf(t reflect.Type, example string) any {
	if t.Kind() != reflect.String && json.Valid([]byte(example)) {
		return raw(example)
	}
	return example
}

// component returns a reference to a named struct's schema, which is made
// when it is met for the first time. Structs without a name stand where they
// are used.
func (w *writer) component(t reflect.Type, read bool, schema func() omap) omap {
	name := componentName(t)
	if name == "" {
		return schema()
	}
	known, met := w.types[name]
	switch {
	case !met:
		w.types[name] = component{t, read}
		s := schema() // which may add others
		w.schemas.set(name, s)
	case known.typ != t:
		panic(fmt.Sprintf("contract: %s and %s are both called %s", known.typ, t, name))
	case known.read != read:
		panic(fmt.Sprintf("contract: %s is both read and written, which makes two schemas: give each its struct", t))
	}
	return ref(name)
}

var packagePath = regexp.MustCompile(`[\w./-]*\.`)

// componentName is a type's name with a capital, without packages and
// brackets: Page[roshambo/internal/server/httpapi.run] is PageRun.
func componentName(t reflect.Type) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(packagePath.ReplaceAllString(t.Name(), ""), func(r rune) bool {
		return r == '[' || r == ']' || r == ',' || r == '*'
	}) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// ordered sorts a schema given as a map.
func ordered(v map[string]any) omap {
	m := omap{}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		m.set(key, orderedValue(v[key]))
	}
	return m
}

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
