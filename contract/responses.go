package contract

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// responses returns the Responses Object of an operation, in ascending order of
// status: 200 first, then the errors of the operation and the common ones. A
// status that only common errors have refers to components/responses; a status
// that the operation documents itself is written in place, with its own codes
// before the common ones. 422 is documented for operations with input that can
// be invalid.
func (w *writer) responses(rt *route) orderedMap {
	own, common := byStatus(rt.op.Errors), byStatus(w.api.common)
	if rt.plan != nil && (rt.plan.fallible() || len(w.requestHeaders(&rt.op)) > 0) {
		own[http.StatusUnprocessableEntity] = nil
	}
	statuses := maps.Clone(common)
	maps.Copy(statuses, own)
	list := orderedMap{{"200", w.withHeaders(w.success(rt), &rt.op, http.StatusOK)}}
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		mine, isOwn := own[status]
		all := slices.Concat(mine, common[status])
		described := errorResponse(all)
		switch {
		case !isOwn:
			described = orderedMap{{"$ref", "#/components/responses/" + responseName(status)}}
		case status == http.StatusUnprocessableEntity:
			described = w.withHeaders(response("Validation Error", ref("HTTPValidationError")), &rt.op, status)
		default:
			described = w.withHeaders(described, &rt.op, status)
		}
		list.set(strconv.Itoa(status), described)
	}
	return list
}

// byStatus groups error documents by status and keeps their order.
func byStatus(docs []ErrorDoc) map[int][]ErrorDoc {
	m := map[int][]ErrorDoc{}
	for _, e := range docs {
		m[e.Status] = append(m[e.Status], e)
	}
	return m
}

// success returns the Response Object for 200: the schema of the output type, the
// schema of the events of a stream, or the content type alone for other streams
// and raw operations.
func (w *writer) success(rt *route) orderedMap {
	if rt.out != nil {
		return response("Successful Response", w.typeSchema(rt.out))
	}
	schema := orderedMap{}
	if rt.op.Events != nil {
		schema = w.typeSchema(reflect.TypeOf(rt.op.Events))
	} else if rt.contentType != "application/json" {
		schema.set("type", "string")
	}
	return orderedMap{
		{"description", "Successful Response"},
		{"content", orderedMap{{rt.contentType, orderedMap{{"schema", schema}}}}},
	}
}

// response returns a Response Object with JSON content of the given schema.
func response(description string, schema orderedMap) orderedMap {
	return orderedMap{{"description", description}, {"content", jsonContent(schema)}}
}

// jsonContent returns a Content Object with application/json alone.
func jsonContent(schema orderedMap) orderedMap {
	return orderedMap{{"application/json", orderedMap{{"schema", schema}}}}
}

// errorResponse returns the Response Object for all errors of one status. Its
// description lists each code with its cause, one paragraph each.
func errorResponse(docs []ErrorDoc) orderedMap {
	lines := make([]string, len(docs))
	for i, e := range docs {
		lines[i] = "`" + e.Code + "`: " + e.When
	}
	return response(strings.Join(lines, "\n\n"), ref("Error"))
}

// responseName returns the text of a status as a component name:
// TooManyRequests.
func responseName(status int) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(http.StatusText(status))
}

// ref returns a reference to a schema under components/schemas.
func ref(component string) orderedMap {
	return orderedMap{{"$ref", "#/components/schemas/" + component}}
}

// add adds a schema of the contract's own. It panics if a struct of the service
// has the same name.
func (w *writer) add(name string, schema orderedMap) {
	if other, ok := w.types[name]; ok {
		panic(fmt.Sprintf("contract: %s has the name of the contract's own schema %s", other.typ, name))
	}
	w.schemas.set(name, schema)
}

// errorSchema returns the schema of the responses that Options.Fail writes. It
// lists the codes of the described operations under x-extensible-enum, which leaves the
// list open: a closed enum would break generated clients when a code is added.
func (w *writer) errorSchema() orderedMap {
	var codes []string
	for _, rt := range w.api.routes {
		if !w.describes(rt.op.Tag) {
			continue
		}
		for _, e := range rt.op.Errors {
			codes = append(codes, e.Code)
		}
	}
	for _, e := range w.api.common {
		codes = append(codes, e.Code)
	}
	slices.Sort(codes)
	code := orderedMap{{"type", "string"},
		{"description", "For programs. The known codes are listed; expect others, as new ones may be added."}}
	if codes = slices.Compact(codes); len(codes) > 0 {
		code.set("x-extensible-enum", anys(codes))
		code.set("examples", anys(codes))
	}
	return orderedMap{
		{"type", "object"},
		{"required", []any{"code", "message", "request_id"}},
		{"properties", orderedMap{
			{"code", code},
			{"message", orderedMap{{"type", "string"}, {"description", "What happened, for people."}}},
			{"request_id", orderedMap{{"type", "string"}, {"description", "As in the header X-Request-Id."}}},
		}},
		{"additionalProperties", true},
	}
}

// commonResponses returns the components/responses object: one entry for each
// status of SetCommonErrors.
func (w *writer) commonResponses() orderedMap {
	var list orderedMap
	for status, docs := range byStatus(w.api.common) {
		list.set(responseName(status), w.withHeaders(errorResponse(docs), nil, status))
	}
	return byKey(list)
}

// byKey sorts members by their names, in place.
func byKey(m orderedMap) orderedMap {
	slices.SortFunc(m, func(a, b pairing) int { return cmp.Compare(a.key, b.key) })
	return m
}

// anys converts strings to values of a document.
func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
