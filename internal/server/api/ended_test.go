package api_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roshambo/internal/app"
	"roshambo/internal/store/storetest"
)

// endRace runs operations on one node while their callers end on another one. SQLite has one node, and one
// writer: there a caller ends before the transaction of its operation begins, or waits for it.
type endRace struct {
	s, other         *stack
	raw              *sql.DB
	refused, blocked int // operations, and operations or ends that waited
	deadlocks        int // that PostgreSQL has counted
}

// race starts both nodes.
func race(t *testing.T) *endRace {
	t.Helper()
	s := start(t)
	s.each.Use(t, s.db, s.place)
	r := &endRace{s: s, other: s.another(t), raw: storetest.Raw(t, s.place)}
	if s.db.Exclusive() {
		if _, err := r.raw.ExecContext(t.Context(), "PRAGMA busy_timeout = 0"); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// excludes reports whether an update of SQLite runs, which another one waits for.
func (r *endRace) excludes(t *testing.T) bool {
	t.Helper()
	if !r.s.db.Exclusive() {
		return false
	}
	if _, err := r.raw.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		return true
	}
	if _, err := r.raw.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Error(err)
	}
	return false
}

// await waits until a call is answered, or waits for the transaction that runs now, and reports whether it was
// answered.
func (r *endRace) await(t *testing.T, answered chan answer) bool {
	t.Helper()
	queue := r.excludes(t)
	waits := func() (n int) {
		if r.s.db.Exclusive() {
			if queue {
				n = r.s.db.Stats().Queue
			}
			return n
		}
		if err := r.raw.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n); err != nil {
			t.Error(err)
			return 1
		}
		return n
	}
	for len(answered) == 0 && waits() == 0 {
		runtime.Gosched()
	}
	return len(answered) == 1
}

// answering makes a call in the background.
func answering(t *testing.T, call func() (answer, error)) chan answer {
	t.Helper()
	answered := make(chan answer, 1)
	go func() {
		a, err := call()
		if err != nil {
			t.Errorf("%v: %v", a.request, err)
		}
		answered <- a
	}()
	return answered
}

// attempt is one operation whose caller ends.
type attempt struct {
	*endRace

	id      string
	how     ending
	q, end  func() (answer, error) // the operation, and what ends its caller; end is nil for a caller that cannot end so
	before  []byte                 // the stored bytes
	a, e    answer                 // to the operation and to the end
	blocked bool                   // one of them waited for the other one
}

// prepare makes the caller of an operation.
func (r *endRace) prepare(t *testing.T, id string, how ending) *attempt {
	t.Helper()
	p := r.s.guest(t)
	q := good[id](t, p)
	m := &attempt{endRace: r, id: id, how: how, end: how.begin(t, p, r.other)}
	if id == "endSession" {
		q = good[id](t, p) // a guest that was secured has another session
	}
	// An answer that is stored for repetitions is an effect, too.
	header := map[string]string{"X-CSRF-Token": p.csrf, "Idempotency-Key": "once"}
	m.q = func() (answer, error) { return p.try(t, q.with(header)) }
	p.get(t, "/api/me").ok(t) // the first use is stored
	m.before = r.s.each.Content(t)
	return m
}

// optional reports whether the operation answers without a caller, too.
func (m *attempt) optional() bool { return access[m.id].nothing == fine }

// check judges both answers, where the end was stored before or after the operation.
func (m *attempt) check(t *testing.T, at string) {
	t.Helper()
	fail := func(what string) {
		t.Helper()
		t.Errorf("%s, %s %s: %s: answers %d %s and %d %s", m.id, m.how.name, at, what, m.a.status, m.a.body, m.e.status,
			m.e.body)
	}
	operated := m.a.status == http.StatusOK
	if !operated {
		m.refused++
	}
	if m.blocked {
		m.endRace.blocked++
	}
	endedFirst := operated && (endsCallers(m.id) || m.optional()) // by the operation itself
	if m.e.status != http.StatusOK && !endedFirst {
		fail("the end is refused")
	}
	if refused := m.a.outcome(); !operated && refused != unauth && refused != "account_frozen" && !m.optional() {
		fail("the operation fails")
	}
	if !operated && m.blocked && !m.how.more && !m.s.db.Exclusive() && !m.onlyEnded(t) {
		fail("something is stored")
	}
}

// endsCallers reports whether an operation ends its own caller.
func endsCallers(id string) bool {
	return unrepeatable[id] || id == "revokeKey" || id == "rotateBotKey"
}

// onlyEnded reports whether the end alone is stored: only sessions and keys differ, and none was added.
func (m *attempt) onlyEnded(t *testing.T) bool {
	t.Helper()
	before, after := strings.Split(string(m.before), "\n"), strings.Split(string(m.s.each.Content(t)), "\n")
	for i, line := range before {
		table, was, _ := strings.Cut(line, " ")
		most := 0 // rows after the end
		switch table {
		case "session":
			most = rows(t, was)
		case "api_key":
			most = rows(t, was) + m.how.makes
		case "known_device":
			most = rows(t, was) + m.how.devices
		}
		if line != after[i] && rows(t, strings.TrimPrefix(after[i], table+" ")) > most {
			t.Logf("%s\n%s", line, after[i])
			return false
		}
	}
	return true
}

// rows returns the number at the beginning of a text.
func rows(t *testing.T, text string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Errorf("%q: %v", text, err)
	}
	return n
}

// endBefore ends the caller before the n-th statement of an operation, and reports whether there was one. What
// the operation stores is stored before the end.
func (r *endRace) endBefore(t *testing.T, id string, how ending, n int) bool {
	t.Helper()
	m := r.prepare(t, id, how)
	if m.end == nil {
		return false
	}
	var answered chan answer
	var effect, after []byte
	r.s.each.Pause(n, func() {
		effect = r.s.each.Content(t)
		answered = answering(t, m.end)
		if m.blocked = !r.await(t, answered); !m.blocked {
			after = r.s.each.Content(t)
		}
	})
	m.a = <-answering(t, m.q)
	query := r.s.each.Failed()
	if query == "" {
		m.a.ok(t)
		return false
	}
	m.e = <-answered
	m.check(t, "before "+query)
	if m.blocked || m.optional() {
		return true
	}
	if !bytes.Equal(after, r.s.each.Content(t)) {
		t.Errorf("%s, %s before statement %d: something is stored after the end\n%s", id, how.name, n, query)
	}
	if m.a.status == http.StatusOK && bytes.Equal(m.before, effect) {
		t.Errorf("%s, %s before statement %d: it succeeded without an effect\n%s", id, how.name, n, query)
	}
	return true
}

// endDuring runs an operation when the end of its caller is about to be committed.
func (r *endRace) endDuring(t *testing.T, id string, how ending) {
	t.Helper()
	m := r.prepare(t, id, how)
	if m.end == nil {
		return
	}
	var answered chan answer
	r.other.faults.pause(func() {
		answered = answering(t, m.q)
		m.blocked = !r.await(t, answered)
	})
	m.e = <-answering(t, m.end)
	m.a = <-answered
	m.check(t, "at its commit")
}

// noDeadlock requires that no two transactions of PostgreSQL have waited for each other since the last operation.
// The server counts a little late, so a deadlock may be named with the operation after its own.
func (r *endRace) noDeadlock(t *testing.T, id string) {
	t.Helper()
	if r.s.db.Exclusive() {
		return
	}
	var n int
	err := r.raw.QueryRowContext(t.Context(),
		"SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&n)
	if err != nil || n > r.deadlocks {
		t.Errorf("%d deadlocks until %s, error %v", n-r.deadlocks, id, err)
	}
	r.deadlocks = n
}

// run is all, and requires that operations were refused, and that some waited.
func (r *endRace) run(t *testing.T, how ending, ids ...string) {
	t.Helper()
	r.all(t, how, ids...)
	if r.refused == 0 || r.blocked == 0 {
		t.Errorf("%d operations were refused, and %d waited or were waited for", r.refused, r.blocked)
	}
}

// all ends the callers of operations at each statement, and then finds no leftovers.
func (r *endRace) all(t *testing.T, how ending, ids ...string) {
	t.Helper()
	for _, id := range ids {
		n := 1
		for r.endBefore(t, id, how, n) { // until the operation has fewer statements
			n++
		}
		r.endDuring(t, id, how)
		r.noDeadlock(t, id)
	}
	r.s.seal(t)
	r.s.settle(t)
	at := app.Store{Database: r.s.place.URL}
	if at.Database == "" {
		at.Data = filepath.Dir(r.s.place.Path)
	}
	var report bytes.Buffer
	if found, err := app.Doctor(t.Context(), at, r.s.clock.Now, &report); err != nil || found > 0 {
		t.Errorf("%v\n%s", err, &report)
	}
}

// TestEndedAtEachStatement ends callers before each statement of an operation, and runs the operation while the
// end is about to be committed: what the operation stores is stored before the end, or not at all. The nightly
// run has all operations: here the first five endings have four of them, the others one.
func TestEndedAtEachStatement(t *testing.T) {
	t.Parallel()
	for i, how := range endings {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			ids := []string{"createDuel"}
			if i < 5 {
				ids = append(ids, "createTeam", "createKey", "queue", "throw")
			}
			race(t).run(t, how, slices.DeleteFunc(ids, func(id string) bool { return !how.of(access[id]) })...)
		})
	}
}
