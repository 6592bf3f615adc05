package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// contract is api/openapi.yaml as the generators need it. All lists are in the order of the document.
type contract struct {
	version    string
	tags       []tag
	operations []operation
	schemas    []schema
}

// tag is a group of operations.
type tag struct{ name, description string }

// operation is one call of the service.
type operation struct {
	id, tag, method, path string
	// summary is a phrase without a period; description is the same, or some sentences.
	summary, description string
	// params are the parameters of the path, the query and the header, in this order, without the headers
	// that many operations share: they are the flags below.
	params []param
	// idempotent says whether the operation takes an Idempotency-Key, prefers whether it takes Prefer, for
	// long polls or receipts, and csrf whether a session needs X-CSRF-Token.
	idempotent, prefers, csrf bool
	// access lists the callers that may call it; an empty list means that it is public and ignores its caller.
	access []access
	// body is nil for an operation without one.
	body *body
	// media is the type of the answer's content, without parameters, and form how to read it.
	media string
	form  form
	// result is the type of the answer: of one line or of the events by their names where it is a stream.
	result typ
	// page is nil unless the answer is one page of a list.
	page *page
	// refusals are the answers other than 200, by ascending status.
	refusals []refusal
}

// param is a parameter of an operation.
type param struct {
	name, in, description string // in is path, query or header
	required              bool
	typ                   typ
}

// body is the JSON body of a request.
type body struct {
	required bool
	typ      typ
	example  string // JSON; "" for none
}

// access is one kind of callers: session, key or bot, and the scopes that a key needs; "" are callers
// without credentials.
type access struct {
	scheme string
	scopes []string
}

// form is the way in which an answer is read.
type form int

// The forms of answers: one JSON value, one text, lines of JSON until the end, server-sent events.
const (
	asJSON form = iota
	asText
	asLines
	asEvents
)

// page describes a list that is read page by page: the parameter cursor takes the member next of the page
// before, which is null on the last one.
type page struct {
	items string // the member with the items
	item  typ
}

// refusal is an answer other than 200. Its codes are those that the document names, in its order.
type refusal struct {
	status      string
	description string
	codes       []string
}

// schema is a named type: always an object.
type schema struct {
	name        string
	description string
	typ         typ
	// input says whether a request contains it, in which case it has no members but its fields.
	input bool
}

// kind is the shape of a type.
type kind int

// The shapes of types. An unknown is any JSON; a record is any object.
const (
	isUnknown kind = iota
	isText
	isInteger
	isNumber
	isBoolean
	isList
	isRecord
	isObject
	isRef
	isUnion
)

// typ is the type of a value.
type typ struct {
	kind     kind
	nullable bool
	// ref names the schema of a reference.
	ref string
	// item is the type of a list's items; fields belong to an object, and choices to a union.
	item    *typ
	fields  []field
	choices []typ
	// closed are the only values of a text, and known the values of a list that may grow.
	closed, known []string
	// format is date-time, password, int64, int32, double or float, and pattern a regular expression.
	format, pattern string
	// low and high bound an integer, the code points of a text or the items of a list; nil for none.
	low, high *string
	// fallback is the value of an absent one, as JSON; "" for none.
	fallback string
	// some lists members of an object of which at least one is needed; empty for no such rule.
	some []string
	// open says whether an object has members besides its fields that are meant to be read.
	open bool
}

// field is a member of an object.
type field struct {
	name, description string
	required          bool
	typ               typ
}

// schema returns the named schema of a contract, and panics if there is none: readContract has checked all
// references.
func (c *contract) schema(name string) *schema {
	i := slices.IndexFunc(c.schemas, func(s schema) bool { return s.name == name })
	if i < 0 {
		panic("the contract has no schema " + name)
	}
	return &c.schemas[i]
}

// about returns the description of a schema. For one that the contract does not describe it says where the schema is
// used: the operations that answer it or take it, by the names that the language gives them, or the schemas around it.
func (c *contract) about(s *schema, named func(operation string) string) string {
	if s.description != "" {
		return s.description
	}
	var answers, bodies, wholes []string
	for i := range c.operations {
		o := &c.operations[i]
		if mentions(&o.result, s.name) {
			answers = append(answers, named(o.id))
		}
		if o.body != nil && mentions(&o.body.typ, s.name) {
			bodies = append(bodies, named(o.id))
		}
	}
	for i := range c.schemas {
		if mentions(&c.schemas[i].typ, s.name) {
			wholes = append(wholes, c.schemas[i].name)
		}
	}
	switch {
	case answers != nil:
		return "The answer of " + some(answers) + "."
	case bodies != nil:
		return "The body of " + some(bodies) + "."
	case wholes != nil:
		return "A part of " + some(wholes) + "."
	}
	return "The body of an answer other than 200."
}

// mentions reports whether a type refers to a schema.
func mentions(t *typ, schema string) bool {
	found := false
	walk(t, func(t *typ) { found = found || t.kind == isRef && t.ref == schema })
	return found
}

// some returns the first three names of a list and the number of the others.
func some(names []string) string {
	const most = 3
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// codes lists the codes of an operation's refusals, each once.
func (o *operation) codes() []string {
	var list []string
	for _, r := range o.refusals {
		for _, code := range r.codes {
			if !slices.Contains(list, code) {
				list = append(list, code)
			}
		}
	}
	return list
}

// commonCodes lists the codes that every operation has.
func (c *contract) commonCodes() []string {
	common := c.operations[0].codes()
	for i := range c.operations {
		own := c.operations[i].codes()
		common = slices.DeleteFunc(common, func(code string) bool { return !slices.Contains(own, code) })
	}
	return common
}

// callers says which callers may call the operation.
func (o *operation) callers() string {
	if len(o.access) == 0 {
		return "all callers"
	}
	var list []string
	for _, a := range o.access {
		word := map[string]string{"": "callers without a key", "session": "sessions", "key": "keys", "bot": "bots"}[a.scheme]
		if len(a.scopes) > 0 {
			word += " with " + strings.Join(a.scopes, ", ")
		}
		list = append(list, word)
	}
	return strings.Join(list, ", ")
}

// readContract parses the document. It returns an error for a keyword that it does not know.
func readContract(text []byte) (*contract, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if len(root.Content) != 1 {
		return nil, errors.New("not one document")
	}
	r := &reader{root: root.Content[0]}
	c := &contract{version: at(r.root, "info", "version").Value}
	for _, n := range at(r.root, "tags").Content {
		c.tags = append(c.tags, tag{at(n, "name").Value, at(n, "description").Value})
	}
	for _, m := range members(at(r.root, "components", "schemas")) {
		t := r.typ(m.value)
		if t.kind != isObject && t.kind != isRecord {
			r.fail(m.value, "the schema %s is not an object", m.name)
		}
		c.schemas = append(c.schemas, schema{name: m.name, description: at(m.value, "description").Value, typ: t})
	}
	for _, path := range members(at(r.root, "paths")) {
		for _, method := range members(path.value) {
			c.operations = append(c.operations, r.operation(path.name, method))
		}
	}
	if r.err == nil {
		r.err = c.resolve()
	}
	return c, r.err
}

// resolve checks all references, marks the schemas of requests, and finds the lists that are read in pages.
func (c *contract) resolve() error {
	known := map[string]bool{}
	for _, s := range c.schemas {
		known[s.name] = true
	}
	var missing []string
	visit := func(t *typ) {
		if t.kind == isRef && !known[t.ref] {
			missing = append(missing, t.ref)
		}
	}
	for i := range c.schemas {
		walk(&c.schemas[i].typ, visit)
	}
	for i := range c.operations {
		o := &c.operations[i]
		walk(&o.result, visit)
		if o.body != nil {
			walk(&o.body.typ, visit)
		}
	}
	if missing != nil {
		return fmt.Errorf("no schema is called %s", strings.Join(missing, ", "))
	}
	for i := range c.operations {
		o := &c.operations[i]
		if o.body != nil {
			c.markInput(o.body.typ)
		}
		if err := c.findPage(o); err != nil {
			return fmt.Errorf("%s: %w", o.id, err)
		}
	}
	return nil
}

// markInput marks the schemas that a request's type contains.
func (c *contract) markInput(t typ) {
	walk(&t, func(t *typ) {
		if t.kind != isRef {
			return
		}
		if s := c.schema(t.ref); !s.input {
			s.input = true
			c.markInput(s.typ)
		}
	})
}

// findPage describes the list of an operation with the parameter cursor: the first list of its answer.
func (c *contract) findPage(o *operation) error {
	if !slices.ContainsFunc(o.params, func(p param) bool { return p.in == "query" && p.name == "cursor" }) {
		return nil
	}
	if o.result.kind != isRef {
		return errors.New("takes a cursor and answers no named object")
	}
	fields := c.schema(o.result.ref).typ.fields
	list := slices.IndexFunc(fields, func(f field) bool { return f.typ.kind == isList })
	if list < 0 || !slices.ContainsFunc(fields, func(f field) bool { return f.name == "next" && f.typ.nullable }) {
		return errors.New("takes a cursor and answers no list with the member next")
	}
	o.page = &page{items: fields[list].name, item: *fields[list].typ.item}
	return nil
}

// walk calls visit for a type and all types inside it; it does not follow references.
func walk(t *typ, visit func(*typ)) {
	visit(t)
	if t.item != nil {
		walk(t.item, visit)
	}
	for i := range t.fields {
		walk(&t.fields[i].typ, visit)
	}
	for i := range t.choices {
		walk(&t.choices[i], visit)
	}
}
