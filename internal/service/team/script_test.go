package team

import "testing"

// TestOneScript: a name mixes no scripts, except those that one language mixes.
func TestOneScript(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Rock Stars 7": true, "Zoë & Łukasz": true, "Команда": true, "Ομάδα": true, "チーム侍たち": true, "가위바위보": true,
		"漢字ㄅ": true, "e\u0301lan": true, "123 !": true, "फ़ौज": true, "ﾃｨｰﾑ": true,
		"Rосk Stars": false, // о and с are Cyrillic
		"Αdmin":      false, // Α is Greek
		"ﾃｨｰﾑ Rock":  false,
		"ひらがな가":      false,
		"Команда A":  false,
	} {
		if got := oneScript(name); got != want {
			t.Errorf("%q: one script %t, want %t", name, got, want)
		}
	}
}
