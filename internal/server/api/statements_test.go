package api_test

import (
	"bytes"
	"net/http"
	"testing"

	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// TestEachStatement fails every statement of every operation in turn: the caller gets a fault of
// the service, nothing is stored, and the same call then takes effect once, also when it is
// repeated with its Idempotency-Key.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.MailLimit = nil }) // one mailbox gets a mail for each statement
	s.each.Use(t, s.db, s.place)
	each(t, s, s.eachStatement)
}

// TestEachStatementOfAStart is TestEachStatement for one operation that is tested in short runs as
// well: two runs from one call would use the same commitment.
func TestEachStatementOfAStart(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.each.Use(t, s.db, s.place)
	p := s.guest(t)
	s.eachStatement(t, operation{id: "startRun", method: http.MethodPost}, p, request{method: "POST", path: "/api/runs",
		body: "{}"})
	if list := decode[api.RunsOut](t, p.get(t, "/api/runs").ok(t)).Runs; len(list) != 1 {
		t.Errorf("%d runs have begun, want 1", len(list))
	}
}

func (s *stack) eachStatement(t *testing.T, o operation, p *player, q request) {
	if o.id == "streamEvents" {
		return // an endless stream
	}
	header := map[string]string{"X-CSRF-Token": p.csrf}
	keyed := o.method == http.MethodPost && !unrepeatable[o.id]
	if keyed {
		header["Idempotency-Key"] = "a key"
	}
	q = q.with(header)
	for n := 1; ; n++ {
		before := s.each.Content(t)
		s.each.Fail(n)
		a, err := p.try(t, q)
		query := s.each.Failed()
		if err != nil {
			t.Fatal(err)
		}
		a.check(t, s)
		if query == "" {
			a.ok(t).isNew(t)
			if keyed {
				p.send(t, q).sameAs(t, a)
			}
			return
		}
		if o.id == "deleteAccount" && a.status == http.StatusOK {
			return // the deletion is stored, and only what calls stored beside it is not erased yet
		}
		// A stream that has begun can only end, here before its first event.
		if a.status < 500 && (o.id != "followEvents" || len(a.body) > 0) {
			t.Fatalf("%s: statement %d fails, and the answer is %d %s\n%s", o.id, n, a.status, a.body, query)
		}
		if !bytes.Equal(before, s.each.Content(t)) {
			t.Fatalf("%s: statement %d fails, and something is stored\n%s", o.id, n, query)
		}
	}
}
