package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	committed "roshambo/api"
	"roshambo/internal/server/api"
)

// document is the served contract, decoded without any code of the service, and checked against its
// answers.
type document struct {
	root       object
	operations []operation
}

type object = map[string]any

// operation is one operation of the document.
type operation struct {
	id, method, path string
	object
}

// documents caches decoded contracts by their text: all services of this package serve the same
// one, and decoding takes longer than starting a service.
var documents sync.Map

// fetchDocument reads the contract from a running service.
func fetchDocument(t *testing.T, s *stack) *document {
	t.Helper()
	text := s.anonymous(t).get(t, "/api/openapi.json").ok(t).body
	if d, ok := documents.Load(text); ok {
		return d.(*document)
	}
	d := &document{root: object{}}
	if err := json.Unmarshal([]byte(text), &d.root); err != nil {
		t.Fatal(err)
	}
	paths := d.root["paths"].(object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for method, o := range paths[path].(object) {
			o := o.(object)
			d.operations = append(d.operations, operation{o["operationId"].(string), strings.ToUpper(method), path, o})
		}
	}
	documents.Store(text, d)
	return d
}

// find returns the operation of a request; literal path segments take precedence over parameters.
func (d *document) find(method, path string) (operation, bool) {
	path, _, _ = strings.Cut(path, "?")
	var found operation
	for _, o := range d.operations {
		sameMethod := o.method == method || o.method == "GET" && method == "HEAD"
		if sameMethod && fits(o.path, path) && (found.id == "" || !strings.Contains(o.path, "{")) {
			found = o
		}
	}
	return found, found.id != ""
}

func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || w[:min(1, len(w))] == "{" && g != "" })
}

// check returns the differences between an answer and the contract.
func (d *document) check(a answer) []string {
	o, ok := d.find(a.request.method, a.request.path)
	if !ok { // only the common errors are promised
		return d.matches(object{"$ref": "#/components/schemas/Error"}, a)
	}
	response, ok := o.object["responses"].(object)[strconv.Itoa(a.status)].(object)
	if !ok {
		return []string{o.id + " does not document this status"}
	}
	response = d.resolve(response)
	for contentType, content := range response["content"].(object) {
		if got := a.header.Get("Content-Type"); got != contentType {
			return []string{fmt.Sprintf("Content-Type %q, want %q", got, contentType)}
		}
		if a.request.method == "HEAD" || contentType != "application/json" {
			return nil
		}
		problems := d.matches(content.(object)["schema"].(object), a)
		if code := codeOf(a.body); code != "" && !strings.Contains(response["description"].(string), "`"+code+"`") {
			problems = append(problems, o.id+" does not document the code "+code)
		}
		return problems
	}
	return []string{o.id + " documents no content"}
}

// codeOf returns the code of an error, "" for anything else.
func codeOf(body string) string {
	var e struct {
		Code      string
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal([]byte(body), &e) != nil || e.RequestID == "" {
		return ""
	}
	return e.Code
}

func (d *document) matches(schema object, a answer) []string {
	if a.request.method == "HEAD" {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		return []string{err.Error()}
	}
	return d.compare(schema, v, "$")
}

func (d *document) resolve(o object) object {
	for {
		ref, ok := o["$ref"].(string)
		if !ok {
			return o
		}
		o = d.root
		for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			o = o[name].(object)
		}
	}
}

// wireTime is how times are written.
var wireTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// compare returns the differences between a value and a schema. It supports the parts of JSON
// Schema that the contract uses; members that the schema does not name are differences.
func (d *document) compare(schema object, v any, at string) []string {
	schema = d.resolve(schema)
	if choices, ok := schema["anyOf"].([]any); ok {
		var problems []string
		for _, choice := range choices {
			if problems = d.compare(choice.(object), v, at); problems == nil {
				return nil
			}
		}
		return problems
	}
	kind, kinds := kindOf(v), types(schema)
	whole := kind == "integer" && slices.Contains(kinds, "number")
	if kinds != nil && !slices.Contains(kinds, kind) && !whole {
		return []string{fmt.Sprintf("%s is a %s, want %v", at, kind, kinds)}
	}
	choices, ok := schema["enum"].([]any)
	if open, may := schema["x-extensible-enum"].([]any); may && v != nil { // all values that this release returns
		choices, ok = open, true
	}
	if ok && !slices.Contains(choices, v) {
		return []string{fmt.Sprintf("%s is %v, want one of %v", at, v, choices)}
	}
	var problems []string
	switch v := v.(type) {
	case string:
		if schema["format"] == "date-time" && !wireTime.MatchString(v) {
			problems = append(problems, fmt.Sprintf("%s is %q, want a time in milliseconds and UTC", at, v))
		}
	case []any:
		items, _ := schema["items"].(object)
		for i, item := range v {
			problems = append(problems, d.compare(items, item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case object:
		problems = append(problems, d.compareMembers(schema, v, at)...)
	}
	return problems
}

func (d *document) compareMembers(schema, v object, at string) []string {
	var problems []string
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			problems = append(problems, fmt.Sprintf("%s.%s is missing", at, name))
		}
	}
	properties, closed := schema["properties"].(object)
	for name, member := range v {
		if s, ok := properties[name].(object); ok {
			problems = append(problems, d.compare(s, member, at+"."+name)...)
		} else if open, _ := schema["additionalProperties"].(bool); closed && !open {
			problems = append(problems, fmt.Sprintf("%s.%s is not in the contract", at, name))
		}
	}
	return problems
}

// types returns the JSON types that a schema allows, nil for all.
func types(schema object) []string {
	switch t := schema["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var list []string
		for _, one := range t {
			list = append(list, one.(string))
		}
		return list
	}
	return nil
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	default:
		return "object"
	}
}

func TestContractIsWhatIsCommitted(t *testing.T) {
	t.Parallel()
	a, err := api.New(api.Config{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := a.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if string(made) != string(committed.YAML) {
		t.Error("api/openapi.yaml is stale: run make gen")
	}
}

func TestContractIsServed(t *testing.T) {
	t.Parallel()
	s := shared(t)
	if got := s.doc.root["info"].(object)["version"]; got != "0.2.0" {
		t.Errorf("version %v, want 0.2.0", got)
	}
	if got := s.doc.root["openapi"]; got != "3.1.0" {
		t.Errorf("openapi %v, want 3.1.0", got)
	}
}

// TestPartOfTheContract: with tags, the document has the operations with one of them, as in the whole, and every
// schema that they use.
func TestPartOfTheContract(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.anonymous(t)
	a := p.get(t, "/api/openapi.json?tags=Duels,Runs").ok(t)
	part := object{}
	if err := json.Unmarshal([]byte(a.body), &part); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{} // operations by method and path
	for _, o := range s.doc.operations {
		if tag := o.object["tags"].([]any)[0]; tag == "Runs" || tag == "Duels" {
			want[o.method+" "+o.path] = o.id
		}
	}
	paths := part["paths"].(object)
	for path, methods := range paths {
		for method, o := range methods.(object) {
			key := strings.ToUpper(method) + " " + path
			whole, _ := s.doc.find(strings.ToUpper(method), path)
			if want[key] == "" || !reflect.DeepEqual(o, any(whole.object)) {
				t.Errorf("%s is not the operation of the whole document", key)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("the part lacks %v", want)
	}
	if got := len(part["tags"].([]any)); got != 2 || 2*len(a.body) > len(p.get(t, "/api/openapi.json").ok(t).body) {
		t.Errorf("%d tags in %d bytes", got, len(a.body))
	}
	for _, m := range regexp.MustCompile(`"#/components/([^"]+)"`).FindAllStringSubmatch(a.body, -1) {
		kind, name, _ := strings.Cut(m[1], "/")
		if part["components"].(object)[kind].(object)[name] == nil {
			t.Errorf("the part lacks the component %s", m[1])
		}
	}
	same := p.get(t, "/api/openapi.json?tags=Runs,Duels,Runs").ok(t)
	if same.body != a.body || same.header.Get("ETag") != a.header.Get("ETag") || a.header.Get("ETag") == "" ||
		a.header.Get("Cache-Control") != "no-cache" {
		t.Errorf("the same tags in another order: %v and %v", same.header, a.header)
	}
	if again := p.send(t, request{method: "GET", path: "/api/openapi.json?tags=Runs,Duels",
		header: map[string]string{"If-None-Match": a.header.Get("ETag")}}); again.status != 304 {
		t.Errorf("with its ETag: %d", again.status)
	}
	for _, tags := range []string{"", "runs", "Runs,", "Runs,Nothing", "Runs%20,Duels"} {
		if got := p.get(t, "/api/openapi.json?tags="+tags); got.status != 422 ||
			!strings.Contains(got.body, "the tags are Account, ") {
			t.Errorf("tags=%s: %d %s", tags, got.status, got.body)
		}
	}
}

// TestCodesAreDocumented compares the codes of the contract with docs/errors.md. Package archtest
// compares docs/errors.md with the codes in package api.
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{} // code to status
	for _, m := range regexp.MustCompile("(?m)^\\| (\\d{3}) \\| `([a-z_]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		listed[m[2]] = m[1]
	}
	s := shared(t)
	schema := s.doc.resolve(object{"$ref": "#/components/schemas/Error"})
	inContract := map[string]bool{}
	known := schema["properties"].(object)["code"].(object)
	open, _ := known["x-extensible-enum"].([]any)
	if len(open) == 0 || known["enum"] != nil {
		t.Fatalf("the codes are no open enum: a client would break when one is added: %v", known)
	}
	for _, code := range open {
		inContract[code.(string)] = true
	}
	for code := range listed {
		if !inContract[code] {
			t.Errorf("%s is in docs/errors.md and not in the contract", code)
		}
	}
	for code := range inContract {
		if listed[code] == "" {
			t.Errorf("%s is in the contract and not in docs/errors.md", code)
		}
	}
	named := regexp.MustCompile("`([a-z_]+)`: ")
	seen := 0
	for _, o := range s.doc.operations {
		for status, response := range o.object["responses"].(object) {
			for _, m := range named.FindAllStringSubmatch(s.doc.resolve(response.(object))["description"].(string), -1) {
				seen++
				if listed[m[1]] != status {
					t.Errorf("%s: %s with status %s, want %s as in docs/errors.md", o.id, m[1], status, listed[m[1]])
				}
			}
		}
	}
	if seen < len(listed) {
		t.Errorf("the operations name %d codes, fewer than the %d that there are", seen, len(listed))
	}
}
