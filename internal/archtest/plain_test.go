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
		"plain", "few pronouns without a noun",
		map[string]string{"docs/x.md": strings.Repeat("A node asks the owner.\n", 1200) +
			"Readers who" + " keep what" + " was said, and that" + " of others.\n"},
		"",
	},
	headless("comments", "game/x.go", 0, "what"+" are"),
	headless("comments", "game/x.go", 1, "those"+"\nof"),
	headless("comments", "game/x.go", 2, "who"+"ever"),
	headless("documents", "docs/x.md", 0, "what"+" was"),
	headless("documents", "docs/x.md", 1, "that"+" of"),
	headless("documents", "docs/x.md", 2, "who"+"m"),
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

// headless is a small file with a phrase that one of the last three habits counts.
func headless(kind, file string, habit int, phrase string) sample {
	text := "It keeps " + phrase + " a day.\n"
	if kind == "comments" {
		text = "// Package game. " + strings.ReplaceAll(text, "\n", "\n// ") + "\npackage game\n"
	}
	return sample{"plain", phrase + " in " + kind, map[string]string{file: text}, kind + ": " + habits[3+habit].name +
		": 1.00 in 1,000 words, more than 0.20\n\t" + file + ":1: " + phrase}
}

func lapses(word string, lines ...string) string {
	var s strings.Builder
	for _, line := range lines {
		s.WriteString("\n\tgame/x.go:" + line + ": " + word)
	}
	return s.String()
}
