package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A SecurityScheme is one way to authenticate a caller, as OpenAPI describes
// it. The contract documents it; Options.Before implements it.
type SecurityScheme struct {
	// Name is the name that Operation.Security refers to.
	Name string
	// Type is "http" or "apiKey".
	Type string
	// Scheme is "bearer" or another scheme of RFC 9110, for type "http".
	Scheme string
	// In is "cookie" or "header", and Key the name there, for type "apiKey".
	In, Key string
	// Description is Markdown.
	Description string
}

// SetSecuritySchemes declares the schemes that Operation.Security refers to.
func (a *API) SetSecuritySchemes(schemes ...SecurityScheme) { a.schemes = schemes }

// SetCommonErrors documents errors that every operation may return, such as 429
// and 500. The document holds them once, under components/responses.
func (a *API) SetCommonErrors(errors ...ErrorDoc) { a.common = errors }

// A Document is the OpenAPI 3.1 description of an API. The same operations in
// the same order produce the same bytes.
type Document struct {
	root orderedMap
}

// JSON returns the document as compact JSON.
func (d *Document) JSON() ([]byte, error) { return Encode(d.root) }

// YAML returns the document as YAML 1.2, for reading and for review.
func (d *Document) YAML() ([]byte, error) { return appendYAML(nil, d.root, 0) }

// Document describes the operations registered so far; with names of tags, only
// those that have one of the tags, with the structs that they use. It panics if an
// operation names an undeclared security scheme, tag or header, if two structs
// have the same component name, or if a struct is both input and output.
func (a *API) Document(only ...string) *Document {
	w := &writer{api: a, only: only, types: map[string]component{}}
	paths := w.paths()
	d := orderedMap{{"openapi", "3.1.0"}, {"info", w.info()}}
	if list := a.shared.Servers; len(list) > 0 {
		d.set("servers", tags("url", list))
	}
	if list := w.tags(); len(list) > 0 {
		d.set("tags", tags("name", list))
	}
	d.set("paths", paths)
	d.set("components", w.components())
	return &Document{d}
}

// A writer builds a document and collects the named structs that operations
// use.
type writer struct {
	api *API
	// only are the tags of the operations to describe; empty for all operations.
	only []string
	// types are the structs met so far, by component name.
	types map[string]component
	// schemas are their schemas, in the order in which they were completed.
	schemas orderedMap
}

// A component is a named struct of the document.
type component struct {
	typ reflect.Type
	// read reports whether the struct is an input; otherwise it is an output.
	read bool
}

// tags returns the declared tags of the operations to describe.
func (w *writer) tags() []Tag {
	return slices.DeleteFunc(slices.Clone(w.api.shared.Tags), func(t Tag) bool { return !w.describes(t.Name) })
}

// describes reports whether operations with a tag are to be described.
func (w *writer) describes(tag string) bool { return len(w.only) == 0 || slices.Contains(w.only, tag) }

// info returns the Info Object.
func (w *writer) info() orderedMap {
	i := orderedMap{{"title", w.api.info.Title}}
	i.setText("description", w.api.info.Description)
	i.set("version", w.api.info.Version)
	return i
}

// paths returns the Paths Object: one entry for each path, in the order of
// registration, with the operations of all its methods.
func (w *writer) paths() orderedMap {
	var paths orderedMap
	at := map[string]int{}
	for _, rt := range w.api.routes {
		if !w.describes(rt.op.Tag) {
			continue
		}
		path := strings.ReplaceAll(rt.op.Path, "...}", "}")
		i, ok := at[path]
		if !ok {
			i = len(paths)
			at[path] = i
			paths.set(path, orderedMap{})
		}
		item := paths[i].value.(orderedMap)
		item.set(strings.ToLower(rt.op.Method), w.operation(rt))
		paths[i].value = item
	}
	return paths
}

// operation returns the Operation Object of a route. Its order of members is
// fixed, so that a diff of two documents shows only real changes.
func (w *writer) operation(rt *route) orderedMap {
	w.checkTag(&rt.op)
	o := orderedMap{}
	if rt.op.Tag != "" {
		o.set("tags", []any{rt.op.Tag})
	}
	o.setText("summary", rt.op.Summary)
	o.setText("description", cmp.Or(rt.op.Description, rt.op.Summary))
	o.set("operationId", rt.op.ID)
	o.setDeprecated(rt.op.Deprecated)
	o.set("security", w.security(rt))
	if list := append(w.parameters(rt), w.requestHeaders(&rt.op)...); len(list) > 0 {
		o.set("parameters", list)
	}
	if rt.plan != nil && rt.plan.body != nil {
		o.set("requestBody", orderedMap{
			{"required", !rt.op.OptionalBody},
			{"content", w.bodyContent(rt)},
		})
	}
	o.set("responses", w.responses(rt))
	return o
}

// bodyContent returns the Content Object of an operation's body, with its
// example from Common.Examples.
func (w *writer) bodyContent(rt *route) orderedMap {
	media := orderedMap{{"schema", w.ruleSchema(rt.plan.body)}}
	if example := w.api.shared.Examples[rt.op.ID]; example != "" {
		if !json.Valid([]byte(example)) {
			panic("contract: the example of " + rt.op.ID + " is not JSON")
		}
		media.set("examples", orderedMap{{"example", orderedMap{{"value", raw(example)}}}})
	}
	return orderedMap{{"application/json", media}}
}

// security returns the alternatives that let a caller in. An empty list means
// that the operation is public; the empty alternative means that authentication
// is optional.
func (w *writer) security(rt *route) []any {
	list := []any{}
	if rt.op.Anonymous {
		list = append(list, orderedMap{})
	}
	for _, name := range rt.op.Security {
		if !slices.ContainsFunc(w.api.schemes, func(s SecurityScheme) bool { return s.Name == name }) {
			panic(fmt.Sprintf("contract: %s names the security scheme %q, which is not set", rt.op.ID, name))
		}
		roles := []any{}
		for _, role := range rt.op.Roles[name] {
			roles = append(roles, role)
		}
		list = append(list, orderedMap{{name, roles}})
	}
	return list
}

// parameters returns the path, query and header parameters of an operation, in
// that order. Raw operations have the parameters of their path, as texts.
func (w *writer) parameters(rt *route) []any {
	var list []any
	if rt.plan == nil {
		for _, name := range rt.names {
			list = append(list, orderedMap{{"name", name}, {"in", "path"}, {"required", true},
				{"schema", orderedMap{{"type", "string"}}}})
		}
		return list
	}
	for i := range rt.plan.params {
		f := &rt.plan.params[i]
		p := orderedMap{{"name", f.name}, {"in", f.in}, {"required", f.required}}
		p.setText("description", f.tag.Get("doc"))
		p.setDeprecated(f.deprecation())
		p.set("schema", w.paramSchema(&f.field))
		list = append(list, p)
	}
	return list
}

// components returns the Components Object. It comes last, when the operations
// have registered the structs that they use.
func (w *writer) components() orderedMap {
	w.add("HTTPValidationError", orderedMap{
		{"type", "object"},
		{"properties", orderedMap{{"detail", orderedMap{{"type", "array"}, {"items", ref("ValidationError")}}}}},
	})
	loc := []any{orderedMap{{"type", "string"}}, orderedMap{{"type", "integer"}}}
	w.add("ValidationError", orderedMap{
		{"type", "object"},
		{"required", []any{"loc", "msg", "type"}},
		{"properties", orderedMap{
			{"loc", orderedMap{{"type", "array"}, {"items", orderedMap{{"anyOf", loc}}}}},
			{"msg", orderedMap{{"type", "string"}}},
			{"type", orderedMap{{"type", "string"}}},
			{"input", orderedMap{}},
			{"ctx", orderedMap{{"type", "object"}}},
		}},
	})
	w.add("Error", w.errorSchema())
	c := orderedMap{{"schemas", byKey(w.schemas)}}
	parameters, headers := w.headers()
	if len(parameters) > 0 {
		c.set("parameters", parameters)
	}
	if len(headers) > 0 {
		c.set("headers", headers)
	}
	if common := w.commonResponses(); len(common) > 0 {
		c.set("responses", common)
	}
	if len(w.api.schemes) > 0 {
		c.set("securitySchemes", w.schemes())
	}
	return c
}

// schemes returns the Security Scheme Objects by name.
func (w *writer) schemes() orderedMap {
	var all orderedMap
	for _, s := range w.api.schemes {
		one := orderedMap{{"type", s.Type}}
		one.setText("scheme", s.Scheme)
		one.setText("in", s.In)
		one.setText("name", s.Key)
		one.setText("description", s.Description)
		all.set(s.Name, one)
	}
	return all
}

// An orderedMap is an object that keeps the order of its members: the document
// is the same bytes every time, in the order in which a reader wants them.
type orderedMap []pairing

// A pairing is one member of an orderedMap.
type pairing struct {
	key string
	// value is an orderedMap, []any, string, bool, int, int64, float64, raw or
	// nil.
	value any
}

// set appends a member. It does not look for an existing one of that name.
func (m *orderedMap) set(key string, value any) { *m = append(*m, pairing{key, value}) }

// setText appends a member unless value is empty.
func (m *orderedMap) setText(key, value string) {
	if value != "" {
		m.set(key, value)
	}
}

// append appends the object as compact JSON, members in their order.
func (m orderedMap) append(b []byte) ([]byte, error) {
	b = append(b, '{')
	for i, p := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, p.key), ':')
		var err error
		if b, err = appendValue(b, p.value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}
