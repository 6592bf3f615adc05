package contract

import (
	"fmt"
	"slices"
)

// A Header documents a header that many operations share, beside those that
// their inputs declare. The contract neither reads nor writes it.
type Header struct {
	Name, Description string
	// Example is a value of the header.
	Example string
	// Integer documents the value as an integer instead of a text.
	Integer bool
}

// A Tag groups operations in the document, or names a server: Name is then its
// URL.
type Tag struct{ Name, Description string }

// Common holds the parts of the document that operations share. The contract
// checks none of it: Options.Before and Options.Checked implement it.
type Common struct {
	// Servers lists the base URLs of the service, in Name, with a description.
	Servers []Tag
	// Tags declares the tags of operations, in the order of the document. If
	// there are any, each operation must have one of them.
	Tags []Tag
	// RequestHeaders and ResponseHeaders declare the shared headers.
	RequestHeaders, ResponseHeaders []Header
	// Examples are example bodies as JSON, by operation id.
	Examples map[string]string
	// RequestHeadersOf returns the names of the request headers that op reads.
	// The names must be declared above. It may be nil.
	RequestHeadersOf func(op *Operation) []string
	// ResponseHeadersOf returns the names of the headers in responses of op with
	// that status. Op is nil for common error responses, which the document
	// holds once. It may be nil.
	ResponseHeadersOf func(op *Operation, status int) []string
}

// SetCommon sets the shared parts of the document. Document panics where c and
// the operations disagree: an undeclared tag or header, an example that is not
// JSON.
func (a *API) SetCommon(c Common) { a.shared = c }

// schema returns the schema of a header's value, with its example.
func (h *Header) schema() orderedMap {
	s := orderedMap{{"type", "string"}}
	if h.Integer {
		s = orderedMap{{"type", "integer"}}
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

// requestHeaders returns references to the parameters for the shared headers
// that an operation reads.
func (w *writer) requestHeaders(op *Operation) []any {
	if w.api.shared.RequestHeadersOf == nil {
		return nil
	}
	var list []any
	for _, name := range w.api.shared.RequestHeadersOf(op) {
		list = append(list, orderedMap{{"$ref", "#/components/parameters/" + headerNamed(w.api.shared.RequestHeaders, name)}})
	}
	return list
}

// withHeaders adds the shared headers of a response to its description. Op is
// nil for common responses.
func (w *writer) withHeaders(response orderedMap, op *Operation, status int) orderedMap {
	if w.api.shared.ResponseHeadersOf == nil {
		return response
	}
	headers := orderedMap{}
	for _, name := range w.api.shared.ResponseHeadersOf(op, status) {
		headers.set(name, orderedMap{{"$ref", "#/components/headers/" + headerNamed(w.api.shared.ResponseHeaders, name)}})
	}
	return slices.Insert(response, 1, pairing{"headers", headers}) // after the description
}

// headerNamed returns name, and panics unless a header of that name is
// declared.
func headerNamed(headers []Header, name string) string {
	if !slices.ContainsFunc(headers, func(h Header) bool { return h.Name == name }) {
		panic("contract: the header " + name + " is not declared")
	}
	return name
}

// headers returns the components for all shared headers: parameters for
// requests, headers for responses, both sorted by name.
func (w *writer) headers() (parameters, headers orderedMap) {
	for _, h := range w.api.shared.RequestHeaders {
		parameters.set(h.Name, orderedMap{
			{"name", h.Name}, {"in", "header"}, {"required", false}, {"description", h.Description}, {"schema", h.schema()},
		})
	}
	for _, h := range w.api.shared.ResponseHeaders {
		headers.set(h.Name, orderedMap{{"description", h.Description}, {"schema", h.schema()}})
	}
	return byKey(parameters), byKey(headers)
}

// tags returns names with their descriptions; key is the member that holds the
// name: "name" for tags, "url" for servers.
func tags(by string, list []Tag) []any {
	out := make([]any, len(list))
	for i, t := range list {
		out[i] = orderedMap{{by, t.Name}, {"description", t.Description}}
	}
	return out
}

// checkTag panics if tags are declared and the operation's is not among them.
func (w *writer) checkTag(op *Operation) {
	declared := w.api.shared.Tags
	if len(declared) > 0 && !slices.ContainsFunc(declared, func(t Tag) bool { return t.Name == op.Tag }) {
		panic(fmt.Sprintf("contract: %s has the tag %q, which is not declared", op.ID, op.Tag))
	}
}
