package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wrong is an invalid value of a field, as JSON or as the text of a parameter, and the type of its
// error.
type wrong struct{ value, kind string }

// field is a parameter or a member of a body, as the contract describes it.
type field struct {
	in, name string // path, query, header or body
	required bool
	schema   object
}

// fields are the parameters of an operation and the members of its body.
func (d *document) fields(o operation) []field {
	var list []field
	parameters, _ := o.object["parameters"].([]any)
	for _, p := range parameters {
		p := p.(object)
		if p["$ref"] != nil {
			continue // a header of many operations, no field of this one
		}
		required, _ := p["required"].(bool)
		list = append(list, field{p["in"].(string), p["name"].(string), required, d.resolve(p["schema"].(object))})
	}
	body := d.body(o)
	required, _ := body["required"].([]any)
	properties, _ := body["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		list = append(list, field{"body", name, slices.Contains(required, any(name)), d.resolve(properties[name].(object))})
	}
	return list
}

// body is the schema of an operation's body, nil when it takes none.
func (d *document) body(o operation) object {
	request, ok := o.object["requestBody"].(object)
	if !ok {
		return nil
	}
	return d.resolve(request["content"].(object)["application/json"].(object)["schema"].(object))
}

// TestFields sends every operation, field by field, invalid values: beyond each bound, of each
// wrong type, or missing. Values at a bound are accepted. The answer names the field and the
// reason, nothing is written, and at last the unchanged request succeeds.
func TestFields(t *testing.T) {
	t.Parallel()
	s := start(t)
	each(t, s, func(t *testing.T, o operation, p *player, q request) {
		q.header = map[string]string{"X-CSRF-Token": p.csrf}
		for _, f := range s.doc.fields(o) {
			before := s.db.Stats().Updates
			for _, w := range f.wrongs() {
				a := p.send(t, f.put(t, o, q, w.value))
				a.invalid(t, f.in+"."+f.name+" "+w.kind)
			}
			if f.required && f.in != "path" {
				p.send(t, f.put(t, o, q, absent)).invalid(t, f.in+"."+f.name+" missing")
			}
			if after := s.db.Stats().Updates; after != before {
				t.Errorf("%s: %d updates by requests that do not fit the contract", f.name, after-before)
			}
		}
		p.send(t, q).ok(t)
	})
}

// TestBounds sends every field values just within its bounds, for a new guest each time: they may
// be refused for their meaning, never for their form.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := start(t)
	each(t, s, func(t *testing.T, o operation, _ *player, _ request) {
		for _, f := range s.doc.fields(o) {
			for _, value := range f.rights() {
				if o.id == "createCup" && f.name == "at" || o.id == "getOpenAPI" {
					continue // a text of any length is neither a time nor a list of tags
				}
				p := s.guest(t)
				q := good[o.id](t, p)
				q.header = map[string]string{"X-CSRF-Token": p.csrf}
				switch o.id {
				case "startRun":
					q.body = `{"move":"rock"}` // entropy and then require a move
				case "createCup":
					q.body = `{"system":"round_robin"}` // a Swiss cup has fewer rounds
					if f.name == "house_bots" {         // they play cups for bots
						q.body = `{"kind":"bots"}`
					}
				case "createDuel":
					q.body = `{"listed":false}` // an opponent, a day and move_seconds require it
				case "setChallenges":
					if value == "null" { // quiet hours have both ends or neither
						q.body = `{"takes":"all"}`
					}
				}
				if a := p.send(t, f.put(t, o, q, value)); a.status == 422 || a.status >= 500 {
					t.Errorf("%s %s: got %d %s", f.name, value, a.status, a.body)
				}
			}
		}
	})
}

// absent is the value of a field that is not sent.
const absent = "\x00"

// put returns the request with another value of the field.
func (f field) put(t *testing.T, o operation, q request, value string) request {
	t.Helper()
	path, query, _ := strings.Cut(q.path, "?")
	switch f.in {
	case "path":
		names, values := strings.Split(o.path, "/"), strings.Split(path, "/")
		values[slices.Index(names, "{"+f.name+"}")] = url.PathEscape(value)
		q.path = strings.Join(values, "/")
	case "query":
		pairs, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if pairs.Set(f.name, value); value == absent {
			pairs.Del(f.name)
		}
		q.path = path + "?" + pairs.Encode()
	case "header":
		q.header = maps.Clone(q.header)
		if q.header[f.name] = value; value == absent {
			delete(q.header, f.name)
		}
	default:
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(q.body), &members); q.body != "" && err != nil {
			t.Fatal(err)
		}
		if members[f.name] = json.RawMessage(value); value == absent {
			delete(members, f.name)
		}
		body, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		q.body = string(body)
	}
	return q
}

// wrongs returns invalid values of the field.
func (f field) wrongs() []wrong {
	kinds := types(f.schema)
	number := func(name string) (int64, bool) { n, ok := f.schema[name].(float64); return int64(n), ok }
	var list []wrong
	switch {
	case slices.Contains(kinds, "integer"):
		if least, ok := number("minimum"); ok {
			list = append(list, wrong{fmt.Sprint(least - 1), "greater_than_equal"}, wrong{"-9223372036854775808",
				"greater_than_equal"})
		}
		if most, ok := number("maximum"); ok {
			list = append(list, wrong{fmt.Sprint(most + 1), "less_than_equal"}, wrong{"9223372036854775807", "less_than_equal"})
		}
		if f.in != "body" {
			return append(list, wrong{"x", "int_parsing"}, wrong{"1.5", "int_parsing"}, wrong{"0x10", "int_parsing"},
				wrong{"1e3", "int_parsing"})
		}
		list = append(list, wrong{"1.5", "int_from_float"}, wrong{`"1"`, "int_type"}, wrong{"[]", "int_type"},
			wrong{"{}", "int_type"})
	case f.schema["enum"] != nil && f.in != "body":
		return []wrong{{"", "enum"}, {"nothing of it", "enum"}, {"OPEN", "enum"}}
	case f.schema["enum"] != nil:
		for _, v := range []string{`""`, `"nothing of it"`, `"ROCK"`, `"rock "`, "1", "true", "[]", "{}"} {
			list = append(list, wrong{v, "enum"})
		}
		if !slices.Contains(kinds, "null") {
			list = append(list, wrong{"null", "enum"})
		}
		return list
	case slices.Contains(kinds, "string"):
		quote := func(s string) string { return s }
		if f.in == "body" {
			quote = func(s string) string { return `"` + s + `"` }
			for _, v := range []string{"1", "1.5", "true", "[]", "{}"} {
				list = append(list, wrong{v, "string_type"})
			}
			list = append(list, wrong{`"\ud800"`, "string_unicode"})
		}
		if least, ok := number("minLength"); ok && least > 0 {
			list = append(list, wrong{quote(strings.Repeat("a", int(least)-1)), "string_too_short"})
		}
		if most, ok := number("maxLength"); ok { // in characters, of whatever length in bytes
			list = append(list, wrong{quote(strings.Repeat("🎲", int(most)+1)), "string_too_long"})
		}
		if f.schema["pattern"] != nil {
			pattern := regexp.MustCompile(f.schema["pattern"].(string))
			for text, written := range map[string]string{"no spaces": "no spaces", "ümlaut": "ümlaut",
				"nul nul\x00": `nul nul\u0000`} {
				if !pattern.MatchString(text) {
					if f.in != "body" {
						written = text
					}
					list = append(list, wrong{quote(written), "string_pattern_mismatch"})
				}
			}
		}
	}
	if f.in == "body" && !slices.Contains(kinds, "null") {
		list = append(list, wrong{"null", kindError(kinds)})
	}
	return list
}

// kindError returns the error type of null where another type is required.
func kindError(kinds []string) string {
	return map[string]string{"string": "string_type", "integer": "int_type", "boolean": "bool_type"}[kinds[0]]
}

// rights returns values at the bounds of the field.
func (f field) rights() []string {
	var list []string
	for _, name := range []string{"minimum", "maximum"} {
		if n, ok := f.schema[name].(float64); ok {
			list = append(list, fmt.Sprint(int64(n)))
		}
	}
	choices, _ := f.schema["enum"].([]any)
	for _, c := range choices {
		c, text := c.(string)
		switch {
		case !text: // null, which is added below
		case f.in == "body":
			list = append(list, `"`+c+`"`)
		default:
			list = append(list, c)
		}
	}
	for _, name := range []string{"minLength", "maxLength"} {
		n, ok := f.schema[name].(float64)
		if !ok {
			continue
		}
		text := strings.Repeat("🎲", int(n))
		if pattern, ok := f.schema["pattern"].(string); ok {
			text = strings.Repeat("a", int(n))
			if matched, err := regexp.MatchString(pattern, text); err != nil || !matched {
				text = text[2:] + "@a"
			}
		}
		if f.in == "body" {
			text = `"` + text + `"`
		}
		list = append(list, text)
	}
	if f.in == "body" && slices.Contains(types(f.schema), "null") {
		list = append(list, "null")
	}
	return list
}

// TestUnknownIDs puts unknown ids into the paths of operations: all are 404, well-formed or not.
func TestUnknownIDs(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p, sent := s.guest(t), 0
	escapes := []string{"x", "%2F", "..%2f..", "%F0%9F%8E%B2", strings.Repeat("a", 3000), strings.Repeat("0", 64),
		p.address + "q"}
	for _, o := range s.doc.operations {
		for _, f := range s.doc.fields(o) {
			if f.in != "path" {
				continue
			}
			ids := escapes
			if slices.Contains(types(f.schema), "integer") {
				ids = []string{"2147483647"}
			}
			for _, id := range ids {
				path := strings.ReplaceAll(o.path, "{"+f.name+"}", id)
				q := request{method: o.method, path: path, header: map[string]string{"X-CSRF-Token": p.csrf}}
				if s.doc.body(o)["required"] != nil {
					q.body = s.doc.plausible(o)
				}
				p.send(t, q).fails(t, 404, "not_found")
				sent++
			}
		}
	}
	if sent < 100 {
		t.Errorf("%d unknown ids were sent, want 100 or more", sent)
	}
}

// plausible returns a body that the contract accepts.
func (d *document) plausible(o operation) string {
	members := object{}
	for _, f := range d.fields(o) {
		if f.in != "body" || !f.required {
			continue
		}
		least, _ := f.schema["minimum"].(float64)
		choices, _ := f.schema["enum"].([]any)
		switch kinds := types(f.schema); {
		case len(choices) > 0:
			members[f.name] = choices[0]
		case slices.Contains(kinds, "boolean"):
			members[f.name] = true
		case slices.Contains(kinds, "integer"):
			members[f.name] = least
		default:
			members[f.name] = strings.Repeat("a", 64) // a commitment, or any text
		}
	}
	body, err := json.Marshal(members)
	if err != nil {
		panic(err) // plain values
	}
	return string(body)
}

// TestNUL sends the character NUL in every field: no engine of the store accepts it, and PostgreSQL
// cannot even compare with it. Every field refuses it as malformed.
func TestNUL(t *testing.T) {
	t.Parallel()
	s := start(t)
	each(t, s, func(t *testing.T, o operation, _ *player, _ request) {
		for _, f := range s.doc.fields(o) {
			p := s.guest(t)
			q := good[o.id](t, p)
			q.header = map[string]string{"X-CSRF-Token": p.csrf}
			for _, value := range []string{"\x00", "a\x00b"} {
				if f.in == "header" {
					continue // net/http refuses it
				}
				if f.in == "body" {
					value = strings.ReplaceAll(strconv.Quote(value), `\x00`, `\u0000`)
				}
				if f.in != "body" && value == absent {
					continue
				}
				a := p.send(t, f.put(t, o, q, value))
				if a.status != 422 {
					t.Errorf("%s in %s: got %d %s", f.name, f.in, a.status, a.body)
					continue
				}
				text := slices.Contains(types(f.schema), "string") && f.schema["enum"] == nil
				if got := decode[invalidity](t, a).Detail[0].Type; text && got != "string_pattern_mismatch" &&
					got != "string_too_short" {
					t.Errorf("%s in %s: got %s, want string_pattern_mismatch", f.name, f.in, got)
				}
			}
		}
	})
}
