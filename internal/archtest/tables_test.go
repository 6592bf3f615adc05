package archtest

import (
	"testing"
	"testing/fstest"
)

var tableSamples = []sample{
	{
		"tables", "another service's table",
		map[string]string{"internal/service/run/queries.sql": "-- name: X :exec\nUPDATE team SET name = $1;\n"},
		"internal/service/run/queries.sql:2: internal/service/run changes table team of internal/service/team",
	},
}

// TestTables checks that the rule finds each kind of problem in a small tree.
func TestTables(t *testing.T) {
	t.Parallel()
	owners := []tableRow{
		{"a_coin", "internal/service/a", []string{"internal/service/b"}, "a join"},
		{"a_note", "internal/service/a", nil, ""},
	}
	const made = "CREATE TABLE a_coin (x bigint);\nCREATE TABLE a_note (x bigint);\n"
	for name, c := range map[string]struct {
		path, text string
		more       string // appended to the migration
		want       string
	}{
		"the owner changes": {"internal/service/a/queries.sql", "UPDATE a_note SET x = 1;\n", "", ""},
		"a part of the owner": {"internal/service/a/part/x.go",
			"package part\n\nvar text = `DELETE FROM a_note`\n", "", ""},
		"another changes": {"internal/service/b/queries.sql", "-- FROM a_note\nINSERT INTO a_coin (x) VALUES (1);\n", "",
			"internal/service/b/queries.sql:2: internal/service/b changes table a_coin of internal/service/a"},
		"another deletes": {"internal/service/c/x.go", "package c\n\nvar text = \"DELETE FROM a_note\"\n", "",
			"internal/service/c/x.go:3: internal/service/c changes table a_note of internal/service/a"},
		"another reads": {"internal/service/c/x.go",
			"package c\n\nvar text = `SELECT 1 FROM run r\n\tJOIN a_note n ON n.x = r.x`\n", "",
			"internal/service/c/x.go:3: internal/service/c reads table a_note of internal/service/a"},
		"in bulk": {"internal/service/c/x.go", "package c\n\nvar _ = store.BulkInsert(ctx, tx, \"a_note\", nil, nil)\n", "",
			"internal/service/c/x.go:3: internal/service/c changes table a_note of internal/service/a"},
		"a test reads": {"internal/service/c/x_test.go", "package c\n\nvar text = `SELECT x FROM a_note`\n", "", ""},
		"no owner": {"internal/service/c/x.go", "package c\n", "CREATE TABLE c (x bigint);\n",
			"internal/store/migrations/postgres/1.sql:3: table c has no owner in internal/archtest/tables.go"},
	} {
		tree, err := Load(fstest.MapFS{
			".gitignore": {},
			"internal/store/migrations/postgres/1.sql": {Data: []byte(made + c.more)},
			"internal/service/b/x.go":                  {Data: []byte("package b\n\nvar _ = `SELECT x FROM a_coin`\n")},
			c.path:                                     {Data: []byte(c.text)},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range checkTables(tree, owners) {
			got += p.String()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestStaleTables checks that a table or a reader that is gone must leave the list.
func TestStaleTables(t *testing.T) {
	t.Parallel()
	tree, err := Load(fstest.MapFS{
		".gitignore": {},
		"internal/store/migrations/postgres/1.sql": {Data: []byte("CREATE TABLE a_coin (x bigint);\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range checkTables(tree, []tableRow{
		{"a_coin", "internal/a", []string{"internal/b"}, ""}, {"a_note", "internal/a", nil, ""},
	}) {
		got += p.String() + "\n"
	}
	const want = tableFile + ": table a_coin: readers need a reason\n" +
		tableFile + ": internal/b no longer reads table a_coin\n" +
		tableFile + ": there is no table a_note\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
