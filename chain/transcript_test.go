package chain

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"roshambo/canon"
	"roshambo/fair"
	"roshambo/game"
)

func TestTranscriptRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, n := []byte(EmptyTranscript), rapid.IntRange(0, 5).Draw(t, "throws")
		var want []Throw
		for i := range n {
			throw := Throw{N: i + 1, Move: game.Move(rapid.IntRange(0, 2).Draw(t, "move")),
				EntropyHash: genHash(t, "entropy"), House: game.Move(rapid.IntRange(0, 2).Draw(t, "house")),
				Outcome: game.Outcome(rapid.IntRange(0, 2).Draw(t, "outcome")), Seed: fair.Seed(genHash(t, "seed"))}
			raw, want = AppendThrow(raw, throw), append(want, throw)
		}
		got, err := ParseTranscript(raw)
		if err != nil || len(got) != n {
			t.Fatalf("%s: got %d throws, %v", raw, len(got), err)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("throw %d: got %+v, want %+v", i, got[i], want[i])
			}
		}
		if canonical, err := jcs.Transform(raw); err != nil || !bytes.Equal(raw, canonical) {
			t.Fatalf("not canonical: %s", raw)
		}
	})
}

func TestTranscriptRefuses(t *testing.T) {
	t.Parallel()
	one := string(AppendThrow([]byte(EmptyTranscript), Throw{N: 1}))
	inner := one[1 : len(one)-1]
	full := "[" + strings.Repeat(inner+",", MaxThrows-1) + inner + "]"
	if throws, err := ParseTranscript([]byte(full)); err != nil || len(throws) != MaxThrows {
		t.Errorf("a full transcript: got %d throws, %v, want %d", len(throws), err, MaxThrows)
	}
	for _, raw := range []string{
		"", "[", "]", "[]x", "[] ", "{}", "null", "[" + inner + ",]", "[" + inner + " ]", "[," + inner + "]", "[null]",
		"[" + inner + inner + "]", "[" + inner, inner, full[:len(full)-1] + "," + inner + "]",
		strings.Replace(one, `"house":"rock"`, `"house":"lizard"`, 1), strings.Replace(one, `"move":"rock"`, `"move":"r"`, 1),
		strings.Replace(one, `"n":1`, `"n":-1`, 1), strings.Replace(one, `"tie"`, `"draw"`, 1),
		strings.Replace(one, `"tie"`, `null`, 1), strings.Replace(one, `"seed":"00`, `"seed":"0`, 1),
		strings.Replace(one, `"entropy_hash":"00`, `"entropy_hash":"0`, 1),
		strings.Replace(one, `"entropy_hash":"0`, `"entropy_hash":"A`, 1),
		strings.Replace(one, `"entropy_hash":"`+Hash{}.String()+`"`, `"entropy_hash":null`, 1),
		strings.Replace(one, `"entropy_hash":"`+Hash{}.String()+`",`, "", 1),
		strings.Replace(one, `"entropy_hash":"`+Hash{}.String()+`"`, `"entropy":""`, 1),
	} {
		if throws, err := ParseTranscript([]byte(raw)); err == nil || throws != nil {
			t.Errorf("%.80s: accepted", raw)
		}
	}
}

// TestAppendThrowKeepsArgument checks that the transcript before the throw is unchanged: the
// caller may have passed it on.
func TestAppendThrowKeepsArgument(t *testing.T) {
	t.Parallel()
	before := append(make([]byte, 0, 4096), EmptyTranscript...)
	one := AppendThrow(before, Throw{N: 1})
	two := AppendThrow(append(make([]byte, 0, 4096), one...), Throw{N: 2})
	if string(before) != EmptyTranscript || !bytes.HasPrefix(two, one[:len(one)-1]) {
		t.Errorf("got %s, then %s, then %s", before, one, two)
	}
}

// FuzzParseTranscript checks that every accepted text is canonical and the only one of its
// throws.
func FuzzParseTranscript(f *testing.F) {
	raw := []byte(EmptyTranscript)
	f.Add(raw)
	for n := range 3 {
		raw = AppendThrow(raw, Throw{N: n + 1, House: game.Move(n), Outcome: game.Outcome(n), EntropyHash: HashText("é\n\"")})
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		throws, err := ParseTranscript(raw)
		if err != nil {
			return
		}
		back := []byte(EmptyTranscript)
		for _, throw := range throws {
			back = AppendThrow(back, throw)
		}
		if !bytes.Equal(back, raw) {
			t.Errorf("%s: accepted, but its canonical text is %s", raw, back)
		}
		if err := canon.Check(raw); err != nil {
			t.Errorf("%s: accepted, but is not canonical: %v", raw, err)
		}
	})
}
