package contract

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// responses describes the answers of an operation in the order of their status.
func (w *writer) responses(rt *route) omap {
	own, common := byStatus(rt.op.Errors), byStatus(w.api.common)
	if rt.plan != nil && (rt.plan.fallible() || len(w.taken(&rt.op)) > 0) {
		own[http.StatusUnprocessableEntity] = nil
	}
	statuses := maps.Clone(common)
	maps.Copy(statuses, own)
	answers := omap{{"200", w.given(w.success(rt), &rt.op, http.StatusOK)}}
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		mine, isOwn := own[status]
		all := slices.Concat(mine, common[status])
		described := errorAnswer(all)
		switch {
		case !isOwn:
			described = omap{{"$ref", "#/components/responses/" + responseName(status)}}
		case status == http.StatusUnprocessableEntity:
			described = w.given(answer("Validation Error", ref("HTTPValidationError")), &rt.op, status)
		default:
			described = w.given(described, &rt.op, status)
		}
		answers.set(strconv.Itoa(status), described)
	}
	return answers
}

func byStatus(docs []ErrorDoc) map[int][]ErrorDoc {
	m := map[int][]ErrorDoc{}
	for _, e := range docs {
		m[e.Status] = append(m[e.Status], e)
	}
	return m
}

func (w *writer) success(rt *route) omap {
	if rt.out != nil {
		return answer("Successful Response", w.typeSchema(rt.out))
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

// answer describes an answer in JSON.
func answer(description string, schema omap) omap {
	return omap{{"description", description}, {"content", jsonContent(schema)}}
}

func jsonContent(schema omap) omap {
	return omap{{"application/json", omap{{"schema", schema}}}}
}

// errorAnswer describes the errors of one status.
func errorAnswer(docs []ErrorDoc) omap {
	lines := make([]string, len(docs))
	for i, e := range docs {
		lines[i] = "`" + e.Code + "`: " + e.When
	}
	return answer(strings.Join(lines, "\n\n"), ref("Error"))
}

// responseName is a status in words: TooManyRequests.
func responseName(status int) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(http.StatusText(status))
}

func ref(component string) omap { return omap{{"$ref", "#/components/schemas/" + component}} }

func (w *writer) add(name string, schema omap) {
	if taken, ok := w.types[name]; ok {
		panic(fmt.Sprintf("contract: %s takes the name of the contract's own schema %s", taken.typ, name))
	}
	w.schemas.set(name, schema)
}

// errorSchema describes the answers of Options.Fail. Its codes are all that any operation
// documents, as an open list: a closed enum would break generated clients when a code is
// added.
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
	code := omap{{"type", "string"}, {"description", "For programs. The known codes are listed; expect others, as new ones may be added."}}
	if codes = slices.Compact(codes); len(codes) > 0 {
		code.set("x-extensible-enum", anys(codes))
		code.set("examples", anys(codes))
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
	var answers omap
	for status, docs := range byStatus(w.api.common) {
		answers.set(responseName(status), w.given(errorAnswer(docs), nil, status))
	}
	return byKey(answers)
}

// byKey sorts members by their names.
func byKey(m omap) omap {
	slices.SortFunc(m, func(a, b pairing) int { return cmp.Compare(a.key, b.key) })
	return m
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
