package store

import (
	"slices"
	"strings"
	"testing"
)

// TestMerge pins which deferred statements become one: those of query files, until one names a table
// that an earlier one writes.
func TestMerge(t *testing.T) {
	t.Parallel()
	const (
		insertA = "-- name: InsertA :exec\nINSERT INTO a (x, y) VALUES ($1, $2)"
		updateB = "-- name: UpdateB :execrows\nUPDATE b SET x = $2 WHERE y = $1"
	)
	for name, c := range map[string]struct {
		parts []string
		want  []int // statements in each of those that are sent
	}{
		"one":                        {[]string{insertA}, []int{1}},
		"two tables":                 {[]string{insertA, updateB}, []int{2}},
		"two rows of a table":        {[]string{insertA, updateB, insertA}, []int{3}},
		"a row that is written":      {[]string{updateB, insertA, updateB, insertA}, []int{2, 2}},
		"a row that may be there":    {[]string{insertA, insertA + " ON CONFLICT (x) DO NOTHING"}, []int{1, 1}},
		"reads what was written":     {[]string{insertA, "-- name: C :exec\nINSERT INTO c SELECT $1 FROM a"}, []int{1, 1}},
		"reads it where it inserts":  {[]string{insertA, "-- name: A :exec\nINSERT INTO a SELECT $1 FROM a"}, []int{1, 1}},
		"reads what is written next": {[]string{"-- name: C :exec\nINSERT INTO c SELECT $1 FROM a", insertA}, []int{2}},
		"no query file":              {[]string{insertA, "UPDATE b SET x = $1", insertA, updateB}, []int{1, 1, 2}},
		"not a write":                {[]string{insertA, "-- name: B :one\nSELECT x FROM b"}, []int{1, 1}},
		"a result":                   {[]string{insertA, updateB + " RETURNING x"}, []int{1, 1}},
		"many":                       {slices.Repeat([]string{insertA}, maxParts+2), []int{maxParts, 2}},
	} {
		var m mergedStmts
		for range 2 { // the second time from the tree
			var pending []*pendingStmt
			for i, text := range c.parts {
				pending = append(pending, &pendingStmt{query: text, args: slices.Repeat([]any{i}, strings.Count(text, "$"))})
			}
			var got []int
			args := 0
			for _, q := range m.merge(pending) {
				got = append(got, max(1, strings.Count(q.query, " AS (\n")))
				args += len(q.args)
			}
			if want := strings.Count(strings.Join(c.parts, ""), "$"); !slices.Equal(got, c.want) || args != want {
				t.Errorf("%s: sent as %v with %d arguments, want %v with %d", name, got, args, c.want, want)
			}
		}
	}
}

// TestMergedText pins the text of a merged statement: the parameters of its parts follow one another,
// and only the parts that must change one row are checked.
func TestMergedText(t *testing.T) {
	t.Parallel()
	var m mergedStmts
	all := m.merge([]*pendingStmt{
		{query: "-- name: A :exec\nINSERT INTO a (x, y) VALUES ($1, $2)", args: []any{1, 2}},
		{query: "-- name: B :execrows\nUPDATE b SET x = $2, z = $1 WHERE y = $1", args: []any{3, 4}, one: true},
	})
	const want = `WITH part0 AS (
-- name: A :exec
INSERT INTO a (x, y) VALUES ($1, $2)
RETURNING 1
), part1 AS (
-- name: B :execrows
UPDATE b SET x = $4, z = $3 WHERE y = $3
RETURNING 1
)
SELECT 1 / CASE WHEN (SELECT count(*) FROM part0) < 0 THEN 0 WHEN (SELECT count(*) FROM part1) <> 1 THEN 0 ELSE 1 END`
	if len(all) != 1 || all[0].query != want || !slices.Equal(all[0].args, []any{1, 2, 3, 4}) {
		t.Errorf("%d statements, the first with %v:\n%s", len(all), all[0].args, all[0].query)
	}
}
