package archtest

// used is a tree that uses one dependency of each kind.
func used(doc string) map[string]string {
	return map[string]string{
		"docs/dependencies.md": doc,
		"go.mod":               "module roshambo\n\nrequire (\n\texample.com/dice/v2 v2.0.1\n\texample.com/other v1.0.0 // indirect\n)\n",
		"game/x.go":            "package game\n\nimport _ \"example.com/dice/v2/cup\"\n",
		"tools/go.mod":         "module roshambo/tools\n\ntool example.com/gen/cmd/gen\n\nrequire example.com/gen v1.0.0 // indirect\n",
		"web/package.json":     `{"dependencies": {"chart": "1.0.0"}, "devDependencies": {"@types/node": "20.0.0"}}`,
	}
}

const allUsed = "| name | last released | why |\n|---|---|---|\n| `example.com/dice/v2` | 2026-11-01 | w |\n" +
	"| `example.com/gen` | 2026-11-02 | w |\n| `chart` | 2026-11-03 | w |\n"

var documentSamples = []sample{
	{
		"dependencies", "no document", map[string]string{},
		"docs/dependencies.md: is missing",
	},
	{
		"dependencies", "one is not told of", used(allUsed),
		"docs/dependencies.md: no line for @types/node, used by web/package.json",
	},
	{
		"dependencies", "one is gone", used(allUsed + "| `@types/node` | 2026-11-04 | w |\n| `example.com/other` | 2026-11-05 | w |\n"),
		"docs/dependencies.md:7: example.com/other is not used",
	},
	{
		"dependencies", "one without a date", used(allUsed + "| `@types/node` | w |\n"),
		"docs/dependencies.md:6: the row does not say when the last release was",
	},
	{
		"dependencies", "all told", used(allUsed + "| `@types/node` | 2026-11-04 | w |\n"), "",
	},
	{
		"migrations", "for one engine only",
		map[string]string{"internal/store/migrations/postgres/0001_a.sql": "CREATE TABLE a (b bigint);\n"},
		"internal/store/migrations/postgres/0001_a.sql: has no twin internal/store/migrations/sqlite/0001_a.sql",
	},
	{
		"migrations", "a loose table",
		map[string]string{
			"internal/store/migrations/postgres/0001_a.sql": "CREATE TABLE a (b bigint);\n",
			"internal/store/migrations/sqlite/0001_a.sql":   "CREATE TABLE a (b INTEGER) STRICT;\nCREATE TABLE c (\n  d INTEGER\n);\n",
		},
		"internal/store/migrations/sqlite/0001_a.sql:2: table c is not STRICT",
	},
	{
		"migrations", "twins",
		map[string]string{
			"internal/store/migrations/postgres/0001_a.sql": "CREATE TABLE a (b bigint);\n",
			"internal/store/migrations/sqlite/0001_a.sql":   "CREATE TABLE a (b INTEGER -- one; two\n)\nSTRICT, WITHOUT ROWID;\n",
		},
		"",
	},
	{
		"links", "to files, pages and a place that is gone",
		map[string]string{
			pageRoutes:  `[{"path": "/feed"}]`,
			"docs/a.md": "[b](b.md#c) [feed](/feed) [site](https://example.org)\n[gone](/record)\n",
			"docs/b.md": "",
		},
		"docs/a.md:2: /record is not there",
	},
}
