package team

import (
	"errors"
	"unicode"
)

// ErrScripts reports a name with letters of several scripts. A letter of another script may
// look like the one that it stands for, so that a name passes for that of another team.
var ErrScripts = errors.New("team: a name has letters of one script")

// together are the scripts that one language writes side by side (Unicode Technical
// Standard 39, section 5.1): Japanese, Korean and Chinese with Bopomofo.
var together = [...]map[string]bool{
	{"Han": true, "Hiragana": true, "Katakana": true}, {"Han": true, "Hangul": true}, {"Han": true, "Bopomofo": true},
}

// oneScript reports whether all letters and marks of a text belong to one script, or to
// scripts of together. Characters that scripts share count for none.
func oneScript(text string) bool {
	seen := map[string]bool{}
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			continue
		}
		if script := scriptOf(r); script != "Common" && script != "Inherited" {
			seen[script] = true
		}
	}
	if len(seen) <= 1 {
		return true
	}
	for _, set := range together {
		all := true
		for script := range seen {
			all = all && set[script]
		}
		if all {
			return true
		}
	}
	return false
}

// scriptOf returns the name of the script of a character; "" for a letter that has none.
func scriptOf(r rune) string {
	if r < unicode.MaxASCII { // the letters of ASCII
		return "Latin"
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}
