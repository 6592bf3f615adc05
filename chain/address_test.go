package chain

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// knownAddresses were computed with the reference implementation of BIP 350 in Python, which
// was first checked against the vectors of BIP 350.
var knownAddresses = map[string]Address{
	"rps1qqqsyqcyq5rqwzqfpg9scrgwpugpzysngqajkm": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
	"rps1llllllllllllllllllllllllllllllll5ydc84": Address(bytes.Repeat([]byte{0xff}, 20)),
	"rps1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc4vhql": {},
	"rps18s8uazf276l4upuvlz8my7t4sqnmlgaaw6933p": Escrow("7K3M9QWX"),
}

func TestKnownAddresses(t *testing.T) {
	t.Parallel()
	for text, a := range knownAddresses {
		if got := a.String(); got != text {
			t.Errorf("address %x: got %s, want %s", a[:], got, text)
		}
		if got, err := ParseAddress(text); err != nil || got != a {
			t.Errorf("ParseAddress(%s): got %x, %v, want %x", text, got[:], err, a[:])
		}
	}
	if got, want := (Address{}).Short(), "rps1qqqq…vhql"; got != want {
		t.Errorf("short: got %s, want %s", got, want)
	}
}

func TestParseAddressRefuses(t *testing.T) {
	t.Parallel()
	const good = "rps1qqqsyqcyq5rqwzqfpg9scrgwpugpzysngqajkm"
	for what, text := range map[string]string{
		"nothing":           "",
		"short":             good[:len(good)-1],
		"long":              good + "m",
		"upper case":        strings.ToUpper(good),
		"one in upper case": strings.Replace(good, "n", "N", 1),
		"another prefix":    "bc11" + good[4:],
		"no separator":      "rpsq" + good[4:],
		"bech32":            "rps1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnaud7ne",
		"not of 32 symbols": strings.Replace(good, "z", "b", 1),
		"beyond ASCII":      good[:len(good)-2] + "é",
		"two swapped":       "rps1qqqsyqcyq5rqwzqfpg9scrgwpugpzysngqajmk",
	} {
		if got, err := ParseAddress(text); err == nil || got != (Address{}) {
			t.Errorf("%s: ParseAddress(%q): got %v, %v, want an error", what, text, got, err)
		}
	}
}

// TestAddressChecksum checks that up to four wrong characters are always detected, as BIP 173
// guarantees.
func TestAddressChecksum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := genAddress(t, "address")
		text := a.String()
		if back, err := ParseAddress(text); err != nil || back != a {
			t.Fatalf("ParseAddress(%s): got %v, %v", text, back, err)
		}
		wrong := []byte(text)
		for range rapid.IntRange(1, 4).Draw(t, "errors") {
			i := rapid.IntRange(0, len(text)-1).Draw(t, "position")
			wrong[i] = rapid.SampledFrom([]byte(bech32Symbols+"b1oiA\x00\xff")).Draw(t, "character")
		}
		if _, err := ParseAddress(string(wrong)); err == nil && string(wrong) != text {
			t.Fatalf("ParseAddress(%s): accepted, differs in up to four characters from %s", wrong, text)
		}
	})
}

// FuzzParseAddress checks that an address has one text.
func FuzzParseAddress(f *testing.F) {
	for text := range knownAddresses {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := ParseAddress(text); err == nil && a.String() != text {
			t.Errorf("%q: accepted, but its canonical text is %s", text, a)
		}
	})
}

func BenchmarkParseAddress(b *testing.B) {
	text := Escrow("7K3M9QWX").String()
	for b.Loop() {
		if _, err := ParseAddress(text); err != nil {
			b.Fatal(err)
		}
	}
}
