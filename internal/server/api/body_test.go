package api_test

import (
	"strings"
	"testing"
)

// TestBodies sends malformed bodies to every operation that takes one: each is one clear error, and
// nothing is written. An operation without a body ignores the body unless it is too large.
func TestBodies(t *testing.T) {
	t.Parallel()
	s := start(t)
	each(t, s, func(t *testing.T, o operation, p *player, q request) {
		csrf := map[string]string{"X-CSRF-Token": p.csrf}
		if o.id == "getOpenAPI" {
			return // takes no body
		}
		before := s.db.Stats().Updates
		huge := request{o.method, q.path, strings.Repeat(" ", 64<<10+1), csrf}
		p.send(t, huge).fails(t, 413, "body_too_large")
		if s.doc.body(o) == nil {
			q.header = csrf
			q.body = `{"not":looked at`
			p.send(t, q).ok(t)
			return
		}
		required, _ := o.object["requestBody"].(object)["required"].(bool)
		for body, status := range unreadable {
			if body == "null" && !required {
				continue // equal to none: TestOptionalBodies
			}
			a := p.send(t, request{o.method, q.path, body, csrf})
			if a.status != status {
				t.Errorf("%v: got %d %s, want %d", a.request, a.status, a.body, status)
			}
		}
		p.send(t, request{o.method, q.path, `{"a":1,}`, csrf}).invalid(t, "body.7 json_invalid")
		form := map[string]string{"X-CSRF-Token": p.csrf, "Content-Type": "application/x-www-form-urlencoded"}
		p.send(t, request{o.method, q.path, "move=rock", form}).invalid(t, "body model_attributes_type")
		if after := s.db.Stats().Updates; after != before {
			t.Errorf("%d updates by bodies that cannot be read", after-before)
		}
		q.header = csrf
		p.send(t, q).ok(t)
	})
}

// unreadable are malformed bodies by the status of the answer.
var unreadable = map[string]int{
	"{":                         422,
	"nul":                       422,
	`{"a":NaN}`:                 422,
	"{} {}":                     422,
	"[]":                        422,
	`"a text"`:                  422,
	"12":                        422,
	"true":                      422,
	"null":                      422,
	"\x00":                      422,
	"{\"a\":\"\xff\"}":          400,
	"\xc0\xaf":                  400,
	strings.Repeat("[", 60_000): 400,
	`{"a":` + strings.Repeat("9", 5000) + "}": 400,
}

// TestAllErrorsAtOnce shows one complete 422: all violations, parameters first, then members of the
// body in the order of the contract.
func TestAllErrorsAtOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	a := p.post(t, "/api/runs", `{"token_id":-1,"client_seed":7,"entry":"gold","unknown":true}`)
	const want = `{"detail":[` +
		`{"type":"enum","loc":["body","entry"],"msg":"Input should be 'auto', 'fee', 'free', 'burn' or 'daily'","input":"gold",` +
		`"ctx":{"expected":"'auto', 'fee', 'free', 'burn' or 'daily'"}},` +
		`{"type":"string_type","loc":["body","client_seed"],"msg":"Input should be a valid string","input":7},` +
		`{"type":"greater_than_equal","loc":["body","token_id"],"msg":"Input should be greater than or equal to 0","input":-1,"ctx":{"ge":0}}]}`
	if a.status != 422 || a.body != want {
		t.Errorf("got  %d %s\nwant 422 %s", a.status, a.body, want)
	}
	a = p.post(t, "/api/runs/x/throw", `{"entropy":"`+strings.Repeat("é", 65)+`"}`)
	a.invalid(t, "body.move missing", "body.entropy string_too_long")
	a = p.get(t, "/api/chain/blocks?before=-1&limit=101")
	a.invalid(t, "query.before greater_than_equal", "query.limit less_than_equal")
}

// TestCursors sends lists malformed cursors and cursors of other lists.
func TestCursors(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p, lists := s.guest(t), 0
	b := p.bot(t) // a list of nobody is not found, whatever the cursor
	for _, o := range s.doc.operations {
		for _, f := range s.doc.fields(o) {
			if f.name != "cursor" {
				continue
			}
			lists++
			// The last is a cursor of a list that does not exist.
			for _, cursor := range []string{"", "x", "!!!", "bm90aGluZzo1", "YWRkcmVzczp4", strings.Repeat("A", 9000)} {
				path := strings.NewReplacer("{address}", p.address, "{name}", b.name).Replace(o.path) + "?cursor=" + cursor
				p.get(t, path).fails(t, 400, "bad_request")
			}
		}
	}
	if lists < 10 {
		t.Errorf("%d lists take a cursor, want 10 or more", lists)
	}
}

// TestSecretsAreNotEchoed makes mistakes beside and in secret fields: the error does not contain
// their values.
func TestSecretsAreNotEchoed(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	const secret = "hunter2!"
	for _, body := range []string{
		`{"username":"x","password":"` + secret + `"}`,
		`{"password":"` + secret + `"}`,
		`{"username":"someone","password":["` + secret + `"]}`,
		`{"username":"someone","password":"` + strings.Repeat(secret, 33) + `"}`,
		`"` + secret + `"`,
	} {
		for _, path := range []string{"/api/auth/register", "/api/auth/login"} {
			if a := p.post(t, path, body); strings.Contains(a.body, secret) || a.status < 400 {
				t.Errorf("%v: %d %s", a.request, a.status, a.body)
			}
		}
	}
	if strings.Contains(s.log.String(), secret) {
		t.Errorf("the log holds a password:\n%s", s.log.String())
	}
}
