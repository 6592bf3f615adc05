package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// lockedBuffer is a log that a service writes while the test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns the lines of the log since the last call that are about access.
func (l *lockedBuffer) take() (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, "msg=security") {
			lines = append(lines, line)
		}
	}
	l.b.Reset()
	return lines
}

// TestSecurityLog: sign-ins, their failures, requested links (also those that are withheld, which no answer shows) and
// made keys are lines of the log, with request id, account and shortened network, and nothing that the client sent.
func TestSecurityLog(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	s := start(t, func(c *edge.Config) {
		c.Logger = slog.New(slog.NewTextHandler(log, nil))
		c.TrustedProxies = []string{"127.0.0.1"}
	})
	p := s.guest(t)
	name := newName()
	p.register(t, name)
	const ada = `{"email":"ada@example.org"}`
	account := "account=" + p.address
	for _, c := range []struct{ path, body, want string }{
		{"/api/keys", `{"name":"a-label"}`, "INFO event=key_made status=200 " + account},
		{"/api/bots", `{"name":"` + newName() + `"}`, "INFO event=bot_made status=200 " + account},
		{"/api/auth/magic-link", ada, "INFO event=link_requested status=200 mail=queued " + account},
		{"/api/auth/password/reset", ada, "INFO event=reset_requested status=200 mail=queued " + account},
		{"/api/auth/magic-link", ada, "mail=queued"}, {"/api/auth/magic-link", ada, "mail=queued"},
		{"/api/auth/magic-link", ada, "mail=queued"}, // the fifth, and the last one of this hour
		{"/api/auth/magic-link", ada, "INFO event=link_requested status=200 mail=withheld " + account},
		{"/api/auth/password/reset", ada, "INFO event=reset_requested status=200 mail=withheld " + account},
		{"/api/auth/login", `{"username":"` + name + `","password":"wrong horse"}`,
			"WARN event=sign_in status=401 code=bad_credentials " + account},
		{"/api/auth/login", credentials(name), "INFO event=sign_in status=200 " + account},
	} {
		log.take()
		a := p.send(t, request{"POST", c.path, c.body, map[string]string{"X-Forwarded-For": "203.0.113.77",
			"X-CSRF-Token": p.csrf}})
		if strings.Contains(a.body, "csrf_token") {
			p.csrf = decode[api.SessionOut](t, a).CSRFToken
		}
		var lines []string
		for len(lines) == 0 && t.Context().Err() == nil { // the line follows the answer
			lines = log.take()
		}
		if len(lines) != 1 {
			t.Fatalf("%s: %d lines %q", c.path, len(lines), lines)
		}
		for _, want := range append(strings.Fields(c.want), "network=203.0.113.0/24",
			"request_id="+a.header.Get("X-Request-Id")) {
			if !strings.Contains(lines[0], want) {
				t.Errorf("%s: %s, want %s", c.path, lines[0], want)
			}
		}
		for _, secret := range []string{"horse", "ada@", name, "a-label", "203.0.113.77", p.csrf, "rsk_", "rsb_"} {
			if strings.Contains(lines[0], secret) {
				t.Errorf("%s: %s has %s", c.path, lines[0], secret)
			}
		}
	}
}

// TestSecurityEvents: every unsafe operation that takes no API key opens, changes or ends access, and so has a
// line in the log.
func TestSecurityEvents(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string                `yaml:"operationId"`
			Security    []map[string][]string `yaml:"security"`
		}
	}
	text, err := shared(t).edge.API.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	events, found := api.SecurityEvents, 0
	for path, operations := range document.Paths {
		for method, op := range operations {
			key := slices.ContainsFunc(op.Security, func(s map[string][]string) bool {
				return len(s["key"]) == 1 || s["bot"] != nil // with all three scopes a key may make keys
			})
			if method == "get" || key || op.OperationID == "createGuest" {
				continue
			}
			if found++; events[op.OperationID] == "" {
				t.Errorf("%s %s (%s) has no line in the log", method, path, op.OperationID)
			}
		}
	}
	if found < 15 {
		t.Error(fmt.Sprint(found, " operations were looked at"))
	}
}

// TestStrictTransport: with https every answer says that browsers use nothing else; without, none does.
func TestStrictTransport(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		s := start(t, func(c *edge.Config) { c.Secure = secure })
		for _, path := range []string{"/", "/api/tiers", "/api/nothing", "/log/checkpoint"} {
			got := s.anonymous(t).get(t, path).header.Get("Strict-Transport-Security")
			if want := map[bool]string{true: "max-age=31536000"}[secure]; got != want {
				t.Errorf("%s, https %v: %q, want %q", path, secure, got, want)
			}
		}
	}
}

// TestChunkedCloses: a request with chunks ends its connection, with a Content-Length beside them or not, so
// that two servers that disagree about its end cannot disagree about the next request.
func TestChunkedCloses(t *testing.T) {
	t.Parallel()
	s := shared(t)
	const chunks = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
	for _, c := range []struct {
		head, text string
		closed     bool
	}{
		{"", chunks, true}, {"Content-Length: 4\r\n", chunks, true}, {"Content-Length: 2\r\n", "\r\n{}", false},
	} {
		conn := s.dial(t)
		head := "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + c.head
		if _, err := io.WriteString(conn, head+c.text); err != nil {
			t.Fatal(err)
		}
		a, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Body.Close(); err != nil || a.Close != c.closed {
			t.Errorf("%q: closed %v, want %v; error %v", c.head+c.text, a.Close, c.closed, err)
		}
	}
}

// TestWeakPasswords: a service that refuses weak passwords does so wherever a new one is set, and keeps the
// link; one that accepts them sets all of them.
func TestWeakPasswords(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.accounts.RefuseWeak = true
	name := newName()
	weak := []string{"password1", "PassWord1", "          ", strings.Repeat("\u2003", 8), strings.Repeat("\u2800", 8),
		strings.Repeat("\u3164", 8), strings.Repeat("\u200b\u2060 \ufeff", 2), name, strings.ToUpper(name)}
	p := s.guest(t)
	body := func(password string) string { return fmt.Sprintf(`{"username":%q,"password":%q}`, name, password) }
	for _, password := range weak {
		p.post(t, "/api/auth/register", body(password)).fails(t, 400, "weak_password")
	}
	p.register(t, name)
	for _, password := range weak {
		p.post(t, "/api/auth/password", fmt.Sprintf(`{"password":%q}`, password)).fails(t, 400, "weak_password")
	}
	mailbox, other := p.attach(t), s.anonymous(t)
	other.post(t, "/api/auth/password/reset", `{"email":"`+mailbox+`"}`).ok(t)
	token := other.mailedTo(t, mailbox, "#reset=")
	for _, password := range weak {
		other.post(t, "/api/auth/password/reset/redeem", fmt.Sprintf(`{"token":%q,"password":%q}`, token, password)).
			fails(t, 400, "weak_password")
	}
	other.post(t, "/api/auth/password/reset/redeem", fmt.Sprintf(`{"token":%q,"password":"correct horse 2"}`, token)).
		ok(t)
	s.accounts.RefuseWeak = false
	s.anonymous(t).post(t, "/api/auth/register", `{"username":"`+newName()+`","password":"password1"}`).ok(t)
}

// statements returns how many statements a call runs.
func (s *stack) statements(call func()) (n int) {
	var next func()
	next = func() {
		n++
		s.each.Pause(1, next)
	}
	s.each.Pause(1, next)
	call()
	s.each.Failed()
	return n
}

// TestNoEnumeration: neither an answer nor the work for it shows whether a name or a mailbox belongs to an account. A
// failed sign-in, also from a browser that pretends to be known, and the requests for links and resets have one answer,
// as many statements and as many hashes of passwords for one that does as for one that does not.
func TestNoEnumeration(t *testing.T) {
	t.Parallel()
	s := start(t)
	hashes := 0
	s.accounts.Hasher.Freed = func() { hashes++ }
	owner, name := s.guest(t), newName()
	owner.register(t, name)
	mailbox := owner.attach(t)
	login := func(name string) string { return `{"username":"` + name + `","password":"wrong horse"}` }
	mail := func(mailbox string) string { return `{"email":"` + mailbox + `"}` }
	for _, c := range []struct{ path, known, unknown, cookie string }{
		{"/api/auth/login", login(name), login(newName()), ""},
		{"/api/auth/login", login(name), login(newName()), "roshambo_device=rsd_" + strings.Repeat("A", 43)},
		{"/api/auth/magic-link", mail(mailbox), mail(newName() + "@example.org"), ""},
		{"/api/auth/password/reset", mail(mailbox), mail(newName() + "@example.org"), ""},
	} {
		var answers, work [2]string
		for i, body := range []string{c.known, c.unknown} {
			hashed, a := hashes, answer{}
			n := s.statements(func() {
				a = s.anonymous(t).send(t, request{"POST", c.path, body, map[string]string{"Cookie": c.cookie}})
			})
			answers[i] = fmt.Sprint(a.status, " ", strings.ReplaceAll(a.body, a.header.Get("X-Request-Id"), ""))
			work[i] = fmt.Sprint(n, " statements, ", hashes-hashed, " hashes")
			if n == 0 {
				t.Errorf("%s: no statement is counted", c.path)
			}
		}
		if answers[0] != answers[1] || work[0] != work[1] {
			t.Errorf("%s with cookie %q: %s, %s; of none: %s, %s", c.path, c.cookie, answers[0], work[0], answers[1], work[1])
		}
	}
	if hashes == 0 {
		t.Error("no hash is counted")
	}
}
