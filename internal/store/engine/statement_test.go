package engine

import "testing"

// TestVerb pins the first word of statements: it decides what a closure may run, and what may be run
// again.
func TestVerb(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT 1": "SELECT", "select\n1": "select", " \t\n(SELECT 1)": "", "": "", "  ": "", "-- only\n": "", "-- only": "",
		"/* open":                             "",
		"-- name: X :one\nUPDATE a SET b = 1": "UPDATE", "/* a */ -- b\n/* c\n*/COMMIT;": "COMMIT", "--\nEND": "END",
		"SELECTED": "SELECTED", "BEGIN_": "BEGIN_", "commit;": "commit",
	} {
		if got := verb(query); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"begin", "Commit", "/**/END", "ROLLBACK TO x", "SAVEPOINT x", "release x"} {
		if !Controls(query) || Selects(query) {
			t.Errorf("%q does not control the transaction", query)
		}
	}
	for _, query := range []string{"ENDED", "WITH x AS (SELECT 1) SELECT 1", "INSERT INTO commit VALUES (1)",
		"SELECT 1 -- COMMIT"} {
		if Controls(query) || Selects(query) != (query[0] == 'S') {
			t.Errorf("%q is misread", query)
		}
	}
}
