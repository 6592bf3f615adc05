package contract_test

import (
	"strings"
	"testing"

	"roshambo/contract"
)

// TestYAMLTexts checks the form of texts in YAML: plain where a parser reads the same text,
// otherwise quoted or as a block.
func TestYAMLTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":               "plain",
		"two words, a comma":  "two words, a comma",
		"it's `code` \"q\" é": "it's `code` \"q\" é",
		"a{b}[c]&*!|>%@":      "a{b}[c]&*!|>%@",
		"a:b":                 "a:b",
		"a#b":                 "a#b",
		"/path/{id}":          "/path/{id}",
		"true":                `"true"`,
		"No":                  `"No"`,
		"null":                `"null"`,
		"y":                   `"y"`,
		"yesterday":           "yesterday",
		"1":                   `"1"`,
		"1.0":                 `"1.0"`,
		"2026-11-20":          `"2026-11-20"`,
		"~":                   `"~"`,
		"-":                   `"-"`,
		"- a":                 `"- a"`,
		"a: b":                `"a: b"`,
		"a:":                  `"a:"`,
		"a # b":               `"a # b"`,
		"a ":                  `"a "`,
		" a":                  `" a"`,
		"`a`":                 "\"`a`\"",
		"a\tb":                `"a\tb"`,
		"a\u2028b":            `"a\u2028b"`,
		"a\x7fb":              `"a\x7fb"`,
		"back\\slash":         `back\slash`,
		"one\ntwo":            "|-\n    one\n    two",
		"one\n\n  two":        "|-\n    one\n\n      two",
		"one\n":               `"one\n"`,
		" one\ntwo":           `" one\ntwo"`,
		"\none":               `"\none"`,
		"one\r\ntwo":          `"one\r\ntwo"`,
	} {
		document, err := contract.New(contract.Info{Title: "x", Description: text}, contract.Options{}).Document().YAML()
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(string(document), "description: ")
		got, _, _ = strings.Cut(got, "\n  version")
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
