package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader reads the nodes of the document. It keeps the first error.
type reader struct {
	root *yaml.Node
	err  error
}

// fail keeps the first error, with the line of its node.
func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d: %s", n.Line, fmt.Sprintf(format, args...))
	}
}

// member is a name of a mapping with its value.
type member struct {
	name  string
	value *yaml.Node
}

// members lists the members of a mapping in the order of the document; none of any other node.
func members(n *yaml.Node) []member {
	var list []member
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			list = append(list, member{n.Content[i].Value, n.Content[i+1]})
		}
	}
	return list
}

// at follows names from a mapping to a value below it. Without one it returns an empty node.
func at(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		list := members(n)
		i := slices.IndexFunc(list, func(m member) bool { return m.name == name })
		if i < 0 {
			return &yaml.Node{}
		}
		n = list[i].value
	}
	return n
}

// texts returns the values of a sequence; null is left out.
func texts(n *yaml.Node) []string {
	var list []string
	for _, item := range n.Content {
		if item.Tag != "!!null" {
			list = append(list, item.Value)
		}
	}
	return list
}

// name returns the last part of the reference of a node, "" for none.
func name(n *yaml.Node) string {
	ref := at(n, "$ref").Value
	return ref[strings.LastIndex(ref, "/")+1:]
}

// asJSONText returns a node's value as JSON.
func (r *reader) asJSONText(n *yaml.Node) string {
	var v any
	err := n.Decode(&v)
	text, errText := json.Marshal(v)
	if err != nil || errText != nil {
		r.fail(n, "not JSON")
	}
	return string(text)
}

// operation reads one operation of a path.
func (r *reader) operation(path string, m member) operation {
	n := m.value
	o := operation{
		id: at(n, "operationId").Value, method: strings.ToUpper(m.name), path: path,
		summary: at(n, "summary").Value, description: at(n, "description").Value,
	}
	if list := texts(at(n, "tags")); len(list) == 1 {
		o.tag = list[0]
	} else {
		r.fail(n, "%s has not one tag", o.id)
	}
	for _, alternative := range at(n, "security").Content {
		list := members(alternative)
		if len(list) == 0 {
			o.access = append(o.access, access{})
		}
		for _, scheme := range list {
			o.access = append(o.access, access{scheme.name, texts(scheme.value)})
		}
	}
	for _, p := range at(n, "parameters").Content {
		r.param(&o, p)
	}
	if content := at(n, "requestBody"); content.Kind != 0 {
		media := at(content, "content", "application/json")
		o.body = &body{required: at(content, "required").Value == "true", typ: r.typ(at(media, "schema"))}
		if example := at(media, "examples", "example", "value"); example.Kind != 0 {
			o.body.example = r.asJSONText(example)
		}
	}
	for _, response := range members(at(n, "responses")) {
		r.response(&o, response)
	}
	return o
}

// param reads a parameter, or sets the flag of a shared one.
func (r *reader) param(o *operation, n *yaml.Node) {
	switch shared := name(n); shared {
	case "":
		o.params = append(o.params, param{
			name: at(n, "name").Value, in: at(n, "in").Value, description: at(n, "description").Value,
			required: at(n, "required").Value == "true", typ: r.typ(at(n, "schema")),
		})
	case "Idempotency-Key":
		o.idempotent = true
	case "Prefer":
		o.prefers = true
	case "X-CSRF-Token":
		o.csrf = true
	default:
		r.fail(n, "the parameter %s is unknown", shared)
	}
}

// codeText finds the codes that the description of an error lists, one in each paragraph.
var codeText = regexp.MustCompile("(?m)^`([a-z_]+)`:")

// response reads the answer with one status: the result of 200, or a refusal.
func (r *reader) response(o *operation, m member) {
	n := m.value
	if shared := name(n); shared != "" {
		n = at(r.root, "components", "responses", shared)
	}
	if m.name != "200" {
		f := refusal{status: m.name, description: at(n, "description").Value}
		for _, code := range codeText.FindAllStringSubmatch(f.description, -1) {
			if !slices.Contains(f.codes, code[1]) {
				f.codes = append(f.codes, code[1])
			}
		}
		o.refusals = append(o.refusals, f)
		return
	}
	list := members(at(n, "content"))
	if len(list) != 1 {
		r.fail(n, "%s has not one type of content", o.id)
		return
	}
	o.media, _, _ = strings.Cut(list[0].name, ";")
	o.result = r.typ(at(list[0].value, "schema"))
	switch o.media {
	case "application/json":
		o.form = asJSON
	case "text/event-stream":
		o.form = asEvents
	case "application/x-ndjson":
		o.form = asLines
		if o.result.kind == isText { // the document does not describe the lines
			o.result = typ{kind: isUnknown}
		}
	default:
		o.form = asText
	}
}

// kinds are the shapes of the types of JSON Schema.
var kinds = map[string]kind{
	"string": isText, "integer": isInteger, "number": isNumber, "boolean": isBoolean, "array": isList, "object": isObject,
}

// typ reads a schema.
func (r *reader) typ(n *yaml.Node) typ {
	if ref := name(n); ref != "" {
		return typ{kind: isRef, ref: ref}
	}
	var t typ
	for _, m := range members(n) {
		r.keyword(&t, n, m)
	}
	if t.kind == isObject && len(t.fields) == 0 && at(n, "properties").Kind == 0 {
		t.kind = isRecord
	}
	return t
}

// keyword reads one member of a schema.
func (r *reader) keyword(t *typ, n *yaml.Node, m member) {
	switch m.name {
	case "type":
		names := []string{m.value.Value}
		if m.value.Kind == yaml.SequenceNode {
			names = []string{m.value.Content[0].Value}
			t.nullable = true
			if len(m.value.Content) != 2 || m.value.Content[1].Value != "null" {
				r.fail(m.value, "two types, the second not null")
			}
		}
		known, ok := kinds[names[0]]
		if !ok {
			r.fail(m.value, "the type %s is unknown", names[0])
		}
		t.kind = known
	case "items":
		item := r.typ(m.value)
		t.item = &item
	case "properties":
		required := texts(at(n, "required"))
		for _, p := range members(m.value) {
			t.fields = append(t.fields, field{
				name: p.name, description: at(p.value, "description").Value,
				required: slices.Contains(required, p.name), typ: r.typ(p.value),
			})
		}
	case "enum":
		t.closed = texts(m.value)
	case "x-extensible-enum":
		t.known = texts(m.value)
	case "format":
		t.format = m.value.Value
	case "pattern":
		t.pattern = m.value.Value
	case "minimum", "minLength", "minItems":
		t.low = &m.value.Value
	case "maximum", "maxLength", "maxItems":
		t.high = &m.value.Value
	case "default":
		t.fallback = r.asJSONText(m.value)
	case "anyOf":
		r.anyOf(t, n, m.value)
	case "additionalProperties":
		t.open = m.value.Value == "true"
		if m.value.Kind == yaml.MappingNode {
			r.fail(m.value, "typed additionalProperties are unknown")
		}
	case "description", "examples", "required":
	default:
		r.fail(m.value, "the keyword %s is unknown", m.name)
	}
}

// anyOf reads the alternatives of a value: one of them may be null. On an object each alternative requires a
// member; where one requires none, the rule is about combinations of members, which no type states.
func (r *reader) anyOf(t *typ, n, list *yaml.Node) {
	if at(n, "type").Value == "object" {
		var some []string
		for _, alternative := range list.Content {
			required := texts(at(alternative, "required"))
			if len(required) == 0 {
				return
			}
			some = append(some, required...)
		}
		t.some = some
		return
	}
	var choices []typ
	for _, alternative := range list.Content {
		if at(alternative, "type").Value == "null" {
			t.nullable = true
			continue
		}
		choices = append(choices, r.typ(alternative))
	}
	if len(choices) == 1 {
		nullable := t.nullable
		*t = choices[0]
		t.nullable = nullable
		return
	}
	t.kind, t.choices = isUnion, choices
}
