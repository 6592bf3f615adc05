package names_test

import (
	"testing"

	"roshambo/internal/platform/names"
)

// TestPrintable: what doctor prints and the operators' page shows neither steers a terminal nor hides in it.
func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain Ünï 🪨":           "plain Ünï 🪨",
		"\x1b[2J\r\nname\a\x7f": `\x1b[2J\r\nname\a\x7f`,
		"a\u202eb\u200bc":       `a\u202eb\u200bc`,
		"\u009b31m\xff'":        `\u009b31m\ufffd'`,
		"tab\tand zero\x00":     `tab\tand zero\x00`,
	} {
		if got := names.Printable(text); got != want {
			t.Errorf("%q is printed as %s, want %s", text, got, want)
		}
	}
}
