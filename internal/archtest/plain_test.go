package archtest

import "strings"

var plainSamples = []sample{
	{
		"plain", "one lapse",
		map[string]string{"game/x.go": "// Package game is small.\npackage game\n\n" +
			strings.Repeat("// A node asks the owner.\n", 1200) + "// No" + "body knows.\n"},
		"",
	},
	{
		"plain", "too much of it",
		map[string]string{"game/x.go": "// Package game is small.\npackage game\n" + strings.Repeat("\n// It was tol"+"d.\n",
			4)},
		"comments: tel" + "l, tol" + "d: 4.00 in 1,000 words, more than 0.30" + lapses("tol"+"d", "4", "6", "8", "10"),
	},
	{
		"links", "a file that has moved",
		map[string]string{"docs/a.md": "see [b](b.md#part), [c](../c/d.go),\n[e](e.md) and [f](https://example.com/f)\n",
			"docs/b.md": "", "c/d.go": "package c\n"},
		"docs/a.md:2: e.md is not there",
	},
	{
		"comments", "code without comments",
		map[string]string{"game/x.go": "// Package game is small.\npackage game\n" + strings.Repeat("\nvar _ = 1\n", 48)},
		"game: 2.0 % of the lines are comments, less than 20",
	},
	{
		"comments", "a small package",
		map[string]string{"game/x.go": "package game\n" + strings.Repeat("\nvar _ = 1\n", 10)},
		"",
	},
}

func lapses(word string, lines ...string) string {
	var s strings.Builder
	for _, line := range lines {
		s.WriteString("\n\tgame/x.go:" + line + ": " + word)
	}
	return s.String()
}
