package archtest

import "testing"

// typing is a tree with a document, a test that reads it and a script.
func typing(document string) map[string]string {
	return map[string]string{
		"README.md":   "# House\n\n" + document,
		"a/a_test.go": "package a\n\nfunc TestReads(t *testing.T) { read(\"../README.md\") }\n",
		"a/b_test.go": "package a\n\n// TestKnows knows README.md.\nfunc TestKnows(t *testing.T) {}\n",
		"tools/night": "make bed\n",
	}
}

var commandSamples = []sample{
	{"commands", "no document", map[string]string{}, ""},
	{
		"commands", "a block without a language", map[string]string{"docs/class.md": "```\nrm\n```\n"},
		"docs/class.md:1: a block without a language: sh for commands, or text",
	},
}

// TestCommands checks documents with tables of their own.
func TestCommands(t *testing.T) {
	t.Parallel()
	const typed = "```sh\n# first\nmake tea   # hot\n\nmake bed\n```\n"
	reads := commandRow{document: "README.md", by: "a.TestReads"}
	for _, tt := range []struct {
		name, document string
		rows           []commandRow
		want           string
	}{
		{"all typed", typed, []commandRow{reads}, ""},
		{"text", "```text\nmake tea\n```\n" + typed, []commandRow{reads}, ""},
		{
			"a line without a row", typed, []commandRow{{document: "README.md", line: "make tea", by: "a.TestReads"}},
			"README.md:7: no test types make bed: give it a row in internal/archtest/commands.go",
		},
		{
			"another section", typed, []commandRow{{document: "README.md", section: "Garden", by: "a.TestReads"}, reads},
			"internal/archtest/commands.go: README.md has no line for the row Garden",
		},
		{
			"a test that is gone", typed, []commandRow{{document: "README.md", by: "a.TestWrites"}},
			"internal/archtest/commands.go: a.TestWrites does not type the commands of README.md",
		},
		{
			"a test that reads nothing", typed, []commandRow{{document: "README.md", by: "a.TestKnows"}},
			"internal/archtest/commands.go: a.TestKnows does not type the commands of README.md",
		},
		{
			"a script", typed,
			[]commandRow{{document: "README.md", line: "make bed", by: "tools/night"}, reads}, "",
		},
		{
			"a script without the line", typed,
			[]commandRow{{document: "README.md", line: "make tea", by: "tools/night"}, reads},
			"internal/archtest/commands.go: tools/night does not type the commands of README.md",
		},
		{"a reason", typed, []commandRow{{document: "README.md", reason: "needs a kitchen"}}, ""},
		{
			"neither", typed, []commandRow{{document: "README.md"}},
			"internal/archtest/commands.go: README.md, : either a test or a reason",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree, used := sampleTree(t, typing(tt.document)), make([]bool, len(tt.rows))
			problems := append(checkLines(tree, tt.rows, used), checkRows(tree, tt.rows, used)...)
			if tt.want == "" && len(problems) > 0 || tt.want != "" && (len(problems) != 1 || problems[0].String() != tt.want) {
				t.Errorf("got %q, want %q", problems, tt.want)
			}
		})
	}
}
