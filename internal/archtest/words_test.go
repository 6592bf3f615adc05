package archtest

var wordSamples = []sample{
	{
		"words", "an open end",
		map[string]string{"README.md": "# House\n\nTO" + "DO: write\n"},
		"README.md:3: TO" + "DO: unfinished work: finish it, or open an issue",
	},
	{
		"words", "a path of a machine",
		map[string]string{"README.md": "see\n/wo" + "rk/main for more\n"},
		"README.md:2: /wo" + "rk/m: a path of a developer's machine",
	},
	{
		"words", "a word inside a path",
		map[string]string{"README.md": "docs/wo" + "rk/shop and /wo" + "rks\n"},
		"",
	},
	{
		"words", "a registry's host",
		map[string]string{"web/package-lock.json": "{\"resolved\": \"https://registry.npm" + "js.org/a\"}\n"},
		"web/package-lock.json:1: registry.npm" +
			"js.org: a registry's host: which one is used depends on the machine's configuration",
	},
	{
		"words", "a skipped test",
		map[string]string{"game/x_test.go": "package game\n\nfunc TestX(t *testing.T) { t.Ski" + "p(\"later\") }\n"},
		"game/x_test.go:3: t.Ski" + "p(: a test that skips passes without testing anything",
	},
	{
		"words", "columns without names",
		map[string]string{"internal/service/run/queries.sql": "-- name: All :many\nSELECT r.* FROM runs r;\n"},
		"internal/service/run/queries.sql:2: SELECT r.*: SQL names its columns",
	},
	{
		"words", "counting needs no names",
		map[string]string{"internal/service/run/queries.sql": "SELECT count(*) FROM runs;\n"},
		"",
	},
}
