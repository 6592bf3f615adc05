package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A SecurityScheme is a way to say who is calling, as OpenAPI describes it.
type SecurityScheme struct {
	Name        string // as operations name it in Security
	Type        string // "http" or "apiKey"
	Scheme      string // of http: "bearer"
	In, Key     string // of apiKey: "cookie" or "header", and its name there
	Description string
}

// SetSecuritySchemes says what the names in Operation.Security mean.
func (a *API) SetSecuritySchemes(schemes ...SecurityScheme) { a.schemes = schemes }

// SetCommonErrors documents answers that every operation may give, such as 429
// and 500; they stand in the document once.
func (a *API) SetCommonErrors(errors ...ErrorDoc) { a.common = errors }

// A Document is the OpenAPI 3.1 description of an API: the same operations
// make the same bytes.
type Document struct {
	root omap
}

// JSON returns the document as compact JSON.
func (d *Document) JSON() ([]byte, error) { return Encode(d.root) }

// YAML returns the document as YAML 1.2, for people and for review.
func (d *Document) YAML() ([]byte, error) { return appendYAML(nil, d.root, 0) }

// Document describes the operations registered so far. It panics when an
// operation names a security scheme that was not set, or when two different
// structs would share a name.
func (a *API) Document() *Document {
	w := &writer{api: a, types: map[string]component{}}
	paths := w.paths()
	d := omap{{"openapi", "3.1.0"}, {"info", w.info()}}
	if list := a.surroundings.Servers; len(list) > 0 {
		d.set("servers", tags("url", list))
	}
	if list := a.surroundings.Tags; len(list) > 0 {
		d.set("tags", tags("name", list))
	}
	d.set("paths", paths)
	d.set("components", w.components())
	return &Document{d}
}

// A writer makes a document and collects the structs it meets on the way.
type writer struct {
	api     *API
	types   map[string]component // by name
	schemas omap
}

// A component is a named struct of the document.
type component struct {
	typ  reflect.Type
	read bool // from requests; otherwise it is written into answers
}

func (w *writer) info() omap {
	i := omap{{"title", w.api.info.Title}}
	i.setText("description", w.api.info.Description)
	i.set("version", w.api.info.Version)
	return i
}

// paths lists the operations, those of one path together.
func (w *writer) paths() omap {
	var paths omap
	at := map[string]int{}
	for _, rt := range w.api.routes {
		path := strings.ReplaceAll(rt.op.Path, "...}", "}")
		i, ok := at[path]
		if !ok {
			i = len(paths)
			at[path] = i
			paths.set(path, omap{})
		}
		item := paths[i].value.(omap)
		item.set(strings.ToLower(rt.op.Method), w.operation(rt))
		paths[i].value = item
	}
	return paths
}

func (w *writer) operation(rt *route) omap {
	w.checkTag(&rt.op)
	o := omap{}
	if rt.op.Tag != "" {
		o.set("tags", []any{rt.op.Tag})
	}
	o.setText("summary", rt.op.Summary)
	o.setText("description", cmp.Or(rt.op.Description, rt.op.Summary))
	o.set("operationId", rt.op.ID)
	o.set("security", w.security(rt))
	if list := append(w.parameters(rt), w.taken(&rt.op)...); len(list) > 0 {
		o.set("parameters", list)
	}
	if rt.plan != nil && rt.plan.body != nil {
		o.set("requestBody", omap{
			{"required", !rt.op.OptionalBody},
			{"content", w.bodyContent(rt)},
		})
	}
	o.set("responses", w.responses(rt))
	return o
}

// bodyContent describes the body of requests, with its example.
func (w *writer) bodyContent(rt *route) omap {
	media := omap{{"schema", w.ruleSchema(rt.plan.body)}}
	if example := w.api.surroundings.Examples[rt.op.ID]; example != "" {
		if !json.Valid([]byte(example)) {
			panic("contract: the example of " + rt.op.ID + " is not JSON")
		}
		media.set("examples", omap{{"example", omap{{"value", raw(example)}}}})
	}
	return omap{{"application/json", media}}
}

// security lists who may call; an empty list is everybody.
func (w *writer) security(rt *route) []any {
	list := []any{}
	if rt.op.Anonymous {
		list = append(list, omap{})
	}
	for _, name := range rt.op.Security {
		if !slices.ContainsFunc(w.api.schemes, func(s SecurityScheme) bool { return s.Name == name }) {
			panic(fmt.Sprintf("contract: %s names the security scheme %q, which is not set", rt.op.ID, name))
		}
		list = append(list, omap{{name, []any{}}})
	}
	return list
}

func (w *writer) parameters(rt *route) []any {
	var list []any
	if rt.plan == nil {
		for _, name := range rt.names {
			list = append(list, omap{{"name", name}, {"in", "path"}, {"required", true}, {"schema", omap{{"type", "string"}}}})
		}
		return list
	}
	for i := range rt.plan.params {
		f := &rt.plan.params[i]
		p := omap{{"name", f.name}, {"in", f.in}, {"required", f.required}}
		p.setText("description", f.tag.Get("doc"))
		p.set("schema", w.paramSchema(&f.field))
		list = append(list, p)
	}
	return list
}

func (w *writer) components() omap {
	w.add("HTTPValidationError", omap{
		{"type", "object"},
		{"properties", omap{{"detail", omap{{"type", "array"}, {"items", ref("ValidationError")}}}}},
	})
	loc := []any{omap{{"type", "string"}}, omap{{"type", "integer"}}}
	w.add("ValidationError", omap{
		{"type", "object"},
		{"required", []any{"loc", "msg", "type"}},
		{"properties", omap{
			{"loc", omap{{"type", "array"}, {"items", omap{{"anyOf", loc}}}}},
			{"msg", omap{{"type", "string"}}},
			{"type", omap{{"type", "string"}}},
			{"input", omap{}},
			{"ctx", omap{{"type", "object"}}},
		}},
	})
	w.add("Error", w.errorSchema())
	c := omap{{"schemas", byKey(w.schemas)}}
	parameters, headers := w.headers()
	if len(parameters) > 0 {
		c.set("parameters", parameters)
	}
	if len(headers) > 0 {
		c.set("headers", headers)
	}
	if answers := w.commonAnswers(); len(answers) > 0 {
		c.set("responses", answers)
	}
	if len(w.api.schemes) > 0 {
		c.set("securitySchemes", w.schemes())
	}
	return c
}

func (w *writer) schemes() omap {
	var all omap
	for _, s := range w.api.schemes {
		one := omap{{"type", s.Type}}
		one.setText("scheme", s.Scheme)
		one.setText("in", s.In)
		one.setText("name", s.Key)
		one.setText("description", s.Description)
		all.set(s.Name, one)
	}
	return all
}
