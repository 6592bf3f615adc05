// Package names decides which names look alike, which pass for the service or its staff, and which
// text may be a name at all. Accounts, bots, teams and cups use it alike.
//
// Two names look alike when their folds are equal: a fold is the skeleton of Unicode Technical Standard 39
// in lower case, without separators and with letters for the digits that resemble them. It follows what
// a reader sees, so "KiIroy" folds as "Kilroy". A table keeps folds in a unique column.
package names

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// UnicodeVersion is the version of the table of look-alikes. The packages unicode and norm have the same.
const UnicodeVersion = "15.0.0"

// confusables lists look-alikes: a comment, then lines of a prototype, a tab and the characters that
// look like it. tools/confusables makes it.
//
//go:embed confusables.txt
var confusables string

// prototypes returns the prototype of each character that looks like another.
var prototypes = sync.OnceValue(func() map[rune]string {
	table := map[rune]string{}
	for line := range strings.Lines(confusables) {
		prototype, alike, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for _, r := range alike {
			table[r] = prototype
		}
	}
	return table
})

// Fold returns the form in which names are compared: equal for names that look alike, "" for a name
// without letters and digits.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if separates(r) {
			return -1
		}
		if letter, ok := letters[r]; ok {
			return letter
		}
		return r
	}, skeleton(name))
}

// letters has the letter that a digit resembles. 6 is missing: names that count up to 9 stay apart.
var letters = map[rune]rune{
	'0': 'o', '1': 'i', '2': 'z', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g',
}

// skeleton returns the skeleton of a name in lower case. ASCII digits stay, so that digits which were
// added to a word can be told from its letters. Of l and i, and of rn and m, one stands for both, as
// capital letters or narrow fonts make them equal.
func skeleton(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(valid(name)) {
		if prototype, ok := prototypes()[r]; ok && (r < '0' || r > '9') {
			b.WriteString(prototype)
		} else {
			b.WriteRune(r)
		}
	}
	return alike.Replace(strings.ToLower(norm.NFD.String(b.String())))
}

// alike replaces l by i, without the dot that a combining mark adds to an i that has one, and rn by m.
var alike = strings.NewReplacer("rn", "m", "l\u0307", "i", "l", "i", "i\u0307", "i", "j\u0307", "j")

// separates reports whether a character is neither a letter nor a digit nor a mark on one, or invisible.
func separates(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N, unicode.M) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// words pass for the service or its staff.
var words = []string{
	"abuse", "admin", "administrator", "bank", "faucet", "gamemaster", "helpdesk", "hostmaster", "house",
	"mod", "moderator", "noreply", "official", "operator", "postmaster", "root", "roshambo", "security", "service",
	"sparring", "staff", "superuser", "support", "sysadmin", "system", "verified", "webmaster",
}

// reserved matches the skeleton of one or more words, also in the plural, with digits in place of their
// letters, and with further digits before, between and behind.
var reserved = regexp.MustCompile(func() string {
	var b strings.Builder
	b.WriteString("^(?:[0-9]*(?:")
	for i, word := range words {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, r := range skeleton(word) {
			b.WriteString("[" + string(r) + digits(r) + "]")
		}
	}
	b.WriteString("))+[s5]?[0-9]*$")
	return b.String()
}())

// digits returns the digits that resemble a letter; 6 resembles two.
func digits(letter rune) (like string) {
	for digit, l := range letters {
		if l == letter {
			like += string(digit)
		}
	}
	if letter == 'b' || letter == 'g' {
		like += "6"
	}
	return like
}

// Reserved reports whether a name passes for the service or its staff: whole, or in one or several of
// its parts between separators.
func Reserved(name string) bool {
	parts := strings.FieldsFunc(skeleton(name), separates)
	for i := range parts {
		for j := i + 1; j <= len(parts); j++ {
			if reserved.MatchString(strings.Join(parts[i:j], "")) {
				return true
			}
		}
	}
	return false
}

// valid replaces bytes that are not UTF-8: normalization leaves the character behind it as it is.
func valid(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }
