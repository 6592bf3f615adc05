package sqlite

import "testing"

func TestStablePlan(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT a FROM t ORDER BY a LIMIT $12": "SELECT a FROM t ORDER BY a LIMIT 0 + $12",
		"SELECT a FROM t\nLIMIT\n$1":           "SELECT a FROM t\nLIMIT 0 + $1",
		"SELECT (SELECT b FROM u limit $2) FROM t LIMIT $1 OFFSET $3": "" +
			"SELECT (SELECT b FROM u LIMIT 0 + $2) FROM t LIMIT 0 + $1 OFFSET $3",
		"SELECT a FROM t LIMIT 1": "SELECT a FROM t LIMIT 1",
		"SELECT a_limit FROM t WHERE a_limit > $1 AND the_limit $2 = $3": "" +
			"SELECT a_limit FROM t WHERE a_limit > $1 AND the_limit $2 = $3",
	} {
		if got := stablePlan(query); got != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
	}
}

func TestPositionalParams(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"INSERT INTO t (a, b) VALUES ($1,$2),($3,$4)": "INSERT INTO t (a, b) VALUES (?,?),(?,?)",
		"-- name: Get :one\nSELECT a FROM t WHERE b = $1 LIMIT 0 + $2": "" +
			"-- name: Get :one\nSELECT a FROM t WHERE b = ? LIMIT 0 + ?",
		"-- it isn't $1\nSELECT '$2', \"$3\" /* $4's\n */ FROM t WHERE b = $1": "" +
			"-- it isn't $1\nSELECT '$2', \"$3\" /* $4's\n */ FROM t WHERE b = ?",
		"SELECT 'it''s $1' WHERE a = $1":                    "SELECT 'it''s $1' WHERE a = ?",
		"SELECT a FROM t WHERE b = $1 AND c < $2 OR b = $1": "SELECT a FROM t WHERE b = $1 AND c < $2 OR b = $1",
		"SELECT a FROM t WHERE b = $2 AND c = $1":           "SELECT a FROM t WHERE b = $2 AND c = $1",
		"SELECT a FROM t WHERE b = $2":                      "SELECT a FROM t WHERE b = $2",
		"SELECT a FROM t":                                   "SELECT a FROM t",
	} {
		if got := positionalParams(query); got != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
	}
}
