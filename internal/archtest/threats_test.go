package archtest

// model is a tree with a threat model of one row and everything that rows can name.
func model(row string) map[string]string {
	return map[string]string{
		"docs/threat-model.md": "| attack | answer | by what | shown by |\n|---|---|---|---|\n" + row + "\n",
		"game/x_test.go":       "package game_test\n\nfunc TestDice(t *testing.T) {}\n",
		"verify/run.go":        "package verify\n\nvar checks = []check{\n\t{\"seeds\", seeds},\n}\n",
		"web/a.test.ts":        "test('a');\n",
		"web/a.ts":             "a();\n",
	}
}

var threatSamples = []sample{
	{"threats", "no document", map[string]string{}, "docs/threat-model.md: is missing"},
	{"threats", "all kinds", model("| roll | prevented | dice | `game.TestDice` `check:seeds` `web/a.test.ts` |"), ""},
	{"threats", "nothing is promised", model("| roll | possible, slowed | dice | — |"), ""},
	{"threats", "without evidence", model("| roll | prevented | `dice` | — |"), "docs/threat-model.md:3: no test or check shows it"},
	{"threats", "three columns", model("| roll | possible | dice |"), "docs/threat-model.md:3: no test or check shows it"},
	{"threats", "no such test", model("| roll | prevented | dice | `game.TestCup` |"), "docs/threat-model.md:3: game.TestCup is gone"},
	{"threats", "no such check", model("| roll | prevented | dice | `check:moves` |"), "docs/threat-model.md:3: check:moves is gone"},
	{"threats", "no test in it", model("| roll | prevented | dice | `web/a.ts` |"), "docs/threat-model.md:3: web/a.ts is gone"},
}
