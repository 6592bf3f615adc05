package names_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"roshambo/internal/platform/names"
)

// TestUnicodeVersion: the table of look-alikes, the scripts and the normalization are of one version, so that no
// character is known to one of them alone.
func TestUnicodeVersion(t *testing.T) {
	t.Parallel()
	if unicode.Version != names.UnicodeVersion || norm.Version != names.UnicodeVersion ||
		!strings.HasPrefix(names.Confusables, "# Unicode "+names.UnicodeVersion+" ") {
		t.Errorf("%s, unicode %s, norm %s, table %.40q; run tools/confusables with an ICU of the same version",
			names.UnicodeVersion, unicode.Version, norm.Version, names.Confusables)
	}
}

// TestFold: names that a reader takes for one another have one fold.
func TestFold(t *testing.T) {
	t.Parallel()
	for _, alike := range [][]string{
		{"Kilroy", "KiIroy", "KILROY", "k1lroy", "KI1_ROY", "-kilroy-", "kilr0y", "Кiӏrоу"},
		{"admin", "adrnin", "4DM1N", "a-d-m-i-n", "ａｄｍｉｎ", "аdmіn", "adm\u200cin", "ad\u00admin"},
		{"Café", "Cafe\u0301", "CAFÉ", "ｃａｆé"},
		{"fire", "ﬁre", "f\u0131re", "fi\u0307re", "F|RE", "𝒇𝒊𝒓𝒆", "ﬁ\ufe0fre", "fire\u2800", "fire!"},
		{"NOTA", "ΝΟΤΑ"}, {"vao", "ναο"}, {"pock", "росk"}, {"Barn", "Bam"},
	} {
		for _, name := range alike {
			if got, want := names.Fold(name), names.Fold(alike[0]); got != want || want == "" {
				t.Errorf("%q folds to %q, and %q to %q", name, got, alike[0], want)
			}
		}
	}
	for _, apart := range [][2]string{{"cafe", "café"}, {"player6", "player9"}, {"東京", "京都"}, {"ann", "anna"}} {
		if names.Fold(apart[0]) == names.Fold(apart[1]) {
			t.Errorf("%q and %q have one fold", apart[0], apart[1])
		}
	}
	for _, empty := range []string{"", "---", "_-_", "!? \u200b"} {
		if got := names.Fold(empty); got != "" {
			t.Errorf("%q folds to %q", empty, got)
		}
	}
}

// TestReserved: reserved words are found in every spelling, with digits and between separators; inside a longer
// word they are legal.
func TestReserved(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Roshambo-Support", "roshambo_official", "VERIFIED-Roshambo", "adrnin", "support1", "GameMaster",
		"admin", "ADMIN", "_admin_", "a-d-m-i-n", "4dm1n", "M0derat0r", "supp0rt", "5upp0rt55", "1support", "2024admin",
		"RoShAmBo", "r0sh4mb0", "house", "House-Paper", "h0use-paper", "HOUSE_paper", "sparring_bot", "sparr1ng-8ot",
		"5y5tem", "offic1a1", "sparr1n6", "game-master-bob", "RoshamboSupport", "support7admin", "Admins", "mods",
		"Ｓｕｐｐｏｒｔ", "ѕuрроrt", "The Support", "sup\u200bport", "staff!", "a6use",
	} {
		if !names.Reserved(name) {
			t.Errorf("%q is not reserved", name)
		}
	}
	for _, name := range []string{
		"Warehouse", "household", "modern", "supporter", "ann_lee", "Administration", "robot", "Modi", "modal-bot",
		"brisk-otter-481907", "systematic", "bankers", "Team Tokyo", "東京タイガース", "st6ff",
	} {
		if names.Reserved(name) {
			t.Errorf("%q is reserved", name)
		}
	}
}

// TestClean: names of every script pass, with the joiners that their spelling needs; invisible characters and mixed
// scripts do not.
func TestClean(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"  Rock   Stars 7 ": "Rock Stars 7", "Zoë & Łukasz": "", "Команда": "", "Ομάδα": "", "チーム侍たち": "",
		"가위바위보": "", "漢字ㄅ": "", "फ़ौज": "फ\u093cौज", "123 !": "", "東京 Tigers": "", "서울 FC": "", "ﾃｨｰﾑ Rock": "ティーム Rock",
		"می\u200cخواهم": "", "تیم\u200cها": "", "क्\u200dष": "",
		"ශ්\u200dරී": "", "Cafe\u0301": "Café", "ﬁre": "fire", "ＦＩＲＥ": "FIRE",
		"❤\ufe0f Rock": "❤ Rock", "🔥 Rock": "", "Việt Nam": "", "q\u0323\u0301\u0308\u0304": "",
	} {
		if want == "" {
			want = name
		}
		if got, err := names.Clean(name); got != want || err != nil {
			t.Errorf("%q: %q (%v), want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]error{
		"a\u200eb": names.ErrText, "a\u200bb": names.ErrText, "a\u200db": names.ErrText, "fi\u200cre": names.ErrText,
		"تیم\u200c": names.ErrText, "\u200cتیم": names.ErrText, "تی\u200c\u200cم": names.ErrText, "ro\u00adck": names.ErrText,
		"rock\u3164": names.ErrText, "ro\u034fck": names.ErrText, "\x00": names.ErrText, "rock\U000e0041": names.ErrText,
		"Z" + strings.Repeat("\u0323\u0301", 3): names.ErrText,
		"E\u0323\u0301\u0301":                   names.ErrText, "\u202ekcor": names.ErrText, "تیم\u200c7": names.ErrText,
		"Rосk Stars": names.ErrScripts, // о and с are Cyrillic
		"Αdmin":      names.ErrScripts, // Α is Greek
		"Команда A":  names.ErrScripts,
		"ひらがな가":      names.ErrScripts,
		"漢字ㄅか":       names.ErrScripts,
	} {
		if got, err := names.Clean(name); got != "" || !errors.Is(err, want) {
			t.Errorf("%q: %q (%v), want %v", name, got, err, want)
		}
	}
}

// TestText: a line may mix scripts, and has no invisible characters and no line breaks.
func TestText(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"": "", " \n ": "", "Counts like Марков,\n\ton 3 rounds": "Counts like Марков, on 3 rounds", "ＦＩＲＥ <b>": "FIRE <b>",
	} {
		if got, err := names.Text(line); got != want || err != nil {
			t.Errorf("%q: %q (%v), want %q", line, got, err, want)
		}
	}
	for _, line := range []string{
		"\u202ekcor", "a\u200bb", "a\x00b", "a\x1b[2J", "Z" + strings.Repeat("\u0323\u0301", 3),
	} {
		if got, err := names.Text(line); got != "" || !errors.Is(err, names.ErrText) {
			t.Errorf("%q: %q (%v), want %v", line, got, err, names.ErrText)
		}
	}
}

// FuzzNames: a cleaned name is clean and keeps its fold; case, - and _ do not change the fold or the reservation of
// a username; what looks like a reserved name is reserved.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"Kilroy", "adrnin", "support1", "Cafe\u0301", "ﬁre",
		"می\u200cخواهم", "ｆｉｒｅ", "a\u200db", "\xff", "0\xf2º"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if clean, err := names.Clean(name); err == nil {
			if again, err := names.Clean(clean); again != clean || err != nil {
				t.Errorf("%q cleaned: %q, and again: %q (%v)", name, clean, again, err)
			}
			if a, b := names.Fold(name), names.Fold(clean); a != b {
				t.Errorf("%q folds to %q, cleaned to %q", name, a, b)
			}
		}
		if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
			return
		}
		for _, same := range []string{
			strings.ToLower(name), strings.ToUpper(name), strings.NewReplacer("-", "", "_", "").Replace(name),
		} {
			if a, b := names.Fold(name), names.Fold(same); a != b {
				t.Errorf("%q folds to %q, %q to %q", name, a, same, b)
			}
			if strings.ContainsAny(name, "-_") {
				continue // a part may be reserved that is legal inside a word
			}
			if a, b := names.Reserved(name), names.Reserved(same); a != b {
				t.Errorf("reserved: %q %t, %q %t", name, a, same, b)
			}
		}
	})
}
