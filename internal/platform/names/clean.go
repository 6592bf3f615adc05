package names

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Errors of Clean and Text.
var (
	ErrText    = errors.New("names: a character is invisible, or a letter has marks without end")
	ErrScripts = errors.New("names: the letters belong to scripts that no language writes together")
)

// maxMarks is how many marks a letter may have, by Unicode Technical Standard 39, section 5.4.
const maxMarks = 4

// Clean returns a name as it is kept: as by Text, and with scripts by the level "highly restrictive" of Unicode
// Technical Standard 39. Errors: ErrText, ErrScripts.
func Clean(name string) (string, error) {
	name, err := Text(name)
	if err != nil {
		return "", err
	}
	if !highlyRestrictive(name) {
		return "", ErrScripts
	}
	return name, nil
}

// Text returns a line of text as it is kept: in normalization form NFKC, with one space between words. It accepts
// what a reader sees: visible characters, and joiners where a script needs them. A sentence may name words of other
// scripts. Errors: ErrText.
func Text(line string) (string, error) {
	line = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Variation_Selector, r) { // a keyboard adds them to emoji
			return -1
		}
		return r
	}, norm.NFKC.String(valid(line)))
	line = strings.Join(strings.Fields(line), " ")
	if !visible([]rune(line)) {
		return "", ErrText
	}
	return line, nil
}

// visible reports whether a reader sees each character of a text, or its effect.
func visible(text []rune) bool {
	marks := 0
	for i, r := range text {
		if !unicode.Is(unicode.Mn, r) {
			marks = 0
		} else if marks++; marks > maxMarks || text[max(i-1, 0)] == r {
			return false
		}
		if r == zwnj || r == zwj {
			if i == 0 || i == len(text)-1 || !joins(r, text[i-1], text[i+1]) {
				return false
			}
		} else if !unicode.IsGraphic(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			return false
		}
	}
	return true
}

// The zero-width characters that keep two letters apart, and that join them.
const zwnj, zwj = '\u200c', '\u200d'

// joins reports whether a joiner is part of the spelling (RFC 5892, appendix A): behind a virama of an
// Indic script, or, for one that keeps letters apart, inside an Arabic or Persian word.
func joins(joiner, before, after rune) bool {
	const virama = 9 // its canonical combining class
	arabic := unicode.Is(unicode.Arabic, after) && unicode.In(before, unicode.Arabic, unicode.Inherited)
	return norm.NFC.PropertiesString(string(before)).CCC() == virama || joiner == zwnj && arabic
}

// together are the scripts that one language writes side by side: Japanese, Chinese with Bopomofo and
// Korean, each with Latin.
var together = [...][]string{
	{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Bopomofo"}, {"Latin", "Han", "Hangul"},
}

// highlyRestrictive reports whether all letters and marks of a text belong to one script, or to scripts
// of together. Characters that scripts share count for none.
func highlyRestrictive(text string) bool {
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
	for _, scripts := range together {
		found := 0
		for _, script := range scripts {
			if seen[script] {
				found++
			}
		}
		if found == len(seen) {
			return true
		}
	}
	return false
}

// scriptOf returns the name of the script of a character; "" for one that has none.
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
