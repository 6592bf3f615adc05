package contract

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
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
	w := &writer{api: a, types: map[string]reflect.Type{}}
	paths := w.paths()
	d := omap{
		{"openapi", "3.1.0"},
		{"info", w.info()},
		{"paths", paths},
		{"components", w.components()},
	}
	return &Document{d}
}

// A writer makes a document and collects the structs it meets on the way.
type writer struct {
	api     *API
	types   map[string]reflect.Type // by name of component
	schemas omap
}

func (w *writer) info() omap {
	i := omap{{"title", w.api.info.Title}}
	if w.api.info.Description != "" {
		i.set("description", w.api.info.Description)
	}
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
	o := omap{}
	if rt.op.Tag != "" {
		o.set("tags", []any{rt.op.Tag})
	}
	if rt.op.Summary != "" {
		o.set("summary", rt.op.Summary)
	}
	if rt.op.Description != "" {
		o.set("description", rt.op.Description)
	}
	o.set("operationId", rt.op.ID)
	if len(rt.op.Security) > 0 {
		o.set("security", w.security(rt))
	}
	if list := w.parameters(rt); len(list) > 0 {
		o.set("parameters", list)
	}
	if rt.plan != nil && rt.plan.body != nil {
		o.set("requestBody", omap{
			{"required", !rt.op.OptionalBody},
			{"content", jsonContent(w.ruleSchema(rt.plan.body))},
		})
	}
	o.set("responses", w.responses(rt))
	return o
}

func (w *writer) security(rt *route) []any {
	var list []any
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
		if doc := f.tag.Get("doc"); doc != "" {
			p.set("description", doc)
		}
		p.set("schema", w.fieldSchema(&f.field, false))
		list = append(list, p)
	}
	return list
}

func jsonContent(schema any) omap {
	return omap{{"application/json", omap{{"schema", schema}}}}
}

func (w *writer) responses(rt *route) omap {
	answers := omap{{"200", w.success(rt)}}
	if rt.plan != nil && rt.plan.fallible() {
		answers.set("422", omap{
			{"description", "Validation Error"},
			{"content", jsonContent(ref("HTTPValidationError"))},
		})
	}
	byStatus := map[int][]ErrorDoc{}
	for _, e := range rt.op.Errors {
		byStatus[e.Status] = append(byStatus[e.Status], e)
	}
	for _, e := range w.api.common {
		if own := byStatus[e.Status]; own != nil {
			byStatus[e.Status] = append(own, e)
		}
	}
	for status, errors := range byStatus {
		answers.set(strconv.Itoa(status), errorAnswer(errors))
	}
	for _, e := range w.api.common {
		if _, own := byStatus[e.Status]; !own {
			byStatus[e.Status] = nil
			answers.set(strconv.Itoa(e.Status), omap{{"$ref", "#/components/responses/" + responseName(e.Status)}})
		}
	}
	slices.SortFunc(answers, func(a, b pairing) int { return cmp.Compare(a.key, b.key) })
	return answers
}

func (w *writer) success(rt *route) omap {
	if rt.plan != nil {
		return omap{{"description", "Successful Response"}, {"content", jsonContent(w.typeSchema(rt.out))}}
	}
	schema := omap{}
	if rt.contentType != "application/json" {
		schema.set("type", "string")
	}
	return omap{
		{"description", "Successful Response"},
		{"content", omap{{rt.contentType, omap{{"schema", schema}}}}},
	}
}

// errorAnswer describes the errors of one status.
func errorAnswer(errors []ErrorDoc) omap {
	lines := make([]string, len(errors))
	for i, e := range errors {
		lines[i] = "`" + e.Code + "`: " + e.When
	}
	return omap{
		{"description", strings.Join(lines, "\n\n")},
		{"content", jsonContent(ref("Error"))},
	}
}

// responseName is the status in words: TooManyRequests.
func responseName(status int) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(http.StatusText(status))
}

func ref(name string) omap { return omap{{"$ref", "#/components/schemas/" + name}} }

func (w *writer) components() omap {
	w.add("HTTPValidationError", omap{
		{"type", "object"},
		{"properties", omap{{"detail", omap{{"type", "array"}, {"items", ref("ValidationError")}}}}},
	})
	w.add("ValidationError", omap{
		{"type", "object"},
		{"required", []any{"loc", "msg", "type"}},
		{"properties", omap{
			{"loc", omap{{"type", "array"}, {"items", omap{{"anyOf", []any{omap{{"type", "string"}}, omap{{"type", "integer"}}}}}}}},
			{"msg", omap{{"type", "string"}}},
			{"type", omap{{"type", "string"}}},
			{"input", omap{}},
			{"ctx", omap{{"type", "object"}}},
		}},
	})
	w.add("Error", w.errorSchema())
	slices.SortFunc(w.schemas, func(a, b pairing) int { return cmp.Compare(a.key, b.key) })
	c := omap{{"schemas", w.schemas}}
	if answers := w.commonAnswers(); len(answers) > 0 {
		c.set("responses", answers)
	}
	if len(w.api.schemes) > 0 {
		c.set("securitySchemes", w.schemes())
	}
	return c
}

func (w *writer) add(name string, schema omap) {
	if w.types[name] != nil {
		panic(fmt.Sprintf("contract: %s takes the name %s from the contract's own schema", w.types[name], name))
	}
	w.schemas.set(name, schema)
}

// errorSchema describes the answers of Options.Fail. Its codes are all that
// any operation documents.
func (w *writer) errorSchema() omap {
	var codes []string
	for _, rt := range w.api.routes {
		for _, e := range rt.op.Errors {
			codes = append(codes, e.Code)
		}
	}
	for _, e := range w.api.common {
		codes = append(codes, e.Code)
	}
	slices.Sort(codes)
	code := omap{{"type", "string"}}
	if codes = slices.Compact(codes); len(codes) > 0 {
		code.set("enum", anys(codes))
	}
	return omap{
		{"type", "object"},
		{"required", []any{"code", "message", "request_id"}},
		{"properties", omap{
			{"code", code},
			{"message", omap{{"type", "string"}, {"description", "What happened, for people."}}},
			{"request_id", omap{{"type", "string"}, {"description", "As in the header X-Request-Id."}}},
		}},
		{"additionalProperties", true},
	}
}

func (w *writer) commonAnswers() omap {
	byStatus := map[string][]ErrorDoc{}
	for _, e := range w.api.common {
		name := responseName(e.Status)
		byStatus[name] = append(byStatus[name], e)
	}
	var answers omap
	for name, errors := range byStatus {
		answers.set(name, errorAnswer(errors))
	}
	slices.SortFunc(answers, func(a, b pairing) int { return cmp.Compare(a.key, b.key) })
	return answers
}

func (w *writer) schemes() omap {
	var all omap
	for _, s := range w.api.schemes {
		one := omap{{"type", s.Type}}
		for _, p := range []struct{ key, value string }{
			{"scheme", s.Scheme}, {"in", s.In}, {"name", s.Key}, {"description", s.Description},
		} {
			if p.value != "" {
				one.set(p.key, p.value)
			}
		}
		all.set(s.Name, one)
	}
	return all
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
