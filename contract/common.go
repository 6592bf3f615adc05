package contract

import (
	"fmt"
	"slices"
)

// A Header is one that requests or answers of many operations carry, beside what their
// inputs say.
type Header struct {
	Name, Description, Example string
	Integer                    bool
}

// A Tag groups operations.
type Tag struct{ Name, Description string }

// Common is what the document says of all operations together. Nothing in it is checked:
// Before and Checked do what it promises.
type Common struct {
	Servers []Tag // by URL
	Tags    []Tag // every operation has one of them
	// Takes and Gives are the headers of requests and of answers.
	Takes, Gives []Header
	// Examples are bodies, as JSON, by the ids of operations.
	Examples map[string]string
	// TakenBy names those that an operation takes, GivenBy those that come with an answer of
	// that status; op is nil for answers that stand in the document once, for all operations.
	TakenBy func(op *Operation) []string
	GivenBy func(op *Operation, status int) []string
}

// SetCommon says what the operations have in common.
func (a *API) SetCommon(c Common) { a.surroundings = c }

func (h *Header) schema() omap {
	s := omap{{"type", "string"}}
	if h.Integer {
		s = omap{{"type", "integer"}}
	}
	if h.Example != "" {
		example := any(h.Example)
		if h.Integer {
			example = raw(h.Example)
		}
		s.set("examples", []any{example})
	}
	return s
}

// taken are the parameters that stand for the headers that an operation takes.
func (w *writer) taken(op *Operation) []any {
	if w.api.surroundings.TakenBy == nil {
		return nil
	}
	var list []any
	for _, name := range w.api.surroundings.TakenBy(op) {
		list = append(list, omap{{"$ref", "#/components/parameters/" + named(w.api.surroundings.Takes, name)}})
	}
	return list
}

// given adds the headers of an answer to its description.
func (w *writer) given(answer omap, op *Operation, status int) omap {
	if w.api.surroundings.GivenBy == nil {
		return answer
	}
	headers := omap{}
	for _, name := range w.api.surroundings.GivenBy(op, status) {
		headers.set(name, omap{{"$ref", "#/components/headers/" + named(w.api.surroundings.Gives, name)}})
	}
	return slices.Insert(answer, 1, pairing{"headers", headers}) // behind its description
}

// named returns the name of a header that was declared.
func named(headers []Header, name string) string {
	if !slices.ContainsFunc(headers, func(h Header) bool { return h.Name == name }) {
		panic("contract: no header " + name + " was declared")
	}
	return name
}

// headers are the components of all declared headers.
func (w *writer) headers() (parameters, headers omap) {
	for _, h := range w.api.surroundings.Takes {
		parameters.set(h.Name, omap{
			{"name", h.Name}, {"in", "header"}, {"required", false}, {"description", h.Description}, {"schema", h.schema()},
		})
	}
	for _, h := range w.api.surroundings.Gives {
		headers.set(h.Name, omap{{"description", h.Description}, {"schema", h.schema()}})
	}
	return byKey(parameters), byKey(headers)
}

// tags lists names with their descriptions; by is how the list calls a name.
func tags(by string, list []Tag) []any {
	out := make([]any, len(list))
	for i, t := range list {
		out[i] = omap{{by, t.Name}, {"description", t.Description}}
	}
	return out
}

// checkTag panics for an operation whose tag was not declared.
func (w *writer) checkTag(op *Operation) {
	declared := w.api.surroundings.Tags
	if len(declared) > 0 && !slices.ContainsFunc(declared, func(t Tag) bool { return t.Name == op.Tag }) {
		panic(fmt.Sprintf("contract: %s has the tag %q, which is not declared", op.ID, op.Tag))
	}
}
