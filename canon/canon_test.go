package canon

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	good := []string{
		`null`, `true`, `0`, `-1`, `9007199254740991`, `""`, `[]`, `{}`, `[1,"a",null,{"a":[],"b":{}}]`,
		`{"":0,"A":1,"a":2,"é":3}`, `"\b\t\n\f\r\"\\\u0000\u001f"`, "\"\u007f\u2028€😀\"",
		`{"😀":1,"` + "\ufb33" + `":2}`, `{"a":1,"aa":2}`, `{"😀":1,"😁":2}`, "{\"\U00010000\":1,\"\ue000\":2}",
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
		strings.Repeat(`{"a":`, MaxDepth) + "1" + strings.Repeat("}", MaxDepth),
	}
	bad := []string{
		``, ` 1`, `1 `, `01`, `-0`, `1.0`, `1e3`, `+1`, `9007199254740992`, `-9007199254740992`, `--1`, `"`, `"a`, `'a'`,
		`"\/"`, `"\u0041"`, `"\u000a"`, `"\u001F"`, `"\ud83d\ude00"`, `"\x"`, `"\`, `"\u00"`, "\"\n\"", "\"\xff\"",
		"\"\\n\xff\"",
		`[1, 2]`, `[1,]`, `[,1]`, `[`, `[1`, `{"a" :1}`, `{"b":1,"a":2}`, `{"a":1,"a":1}`, `{"a":1,}`, `{a:1}`, `{"a"}`, `{`,
		`tru`, `nul`, `truefalse`, `fals`, `}`, `]`, `{"` + "\ufb33" + `":2,"😀":1}`, `{"😁":1,"😀":2}`, `{"aa":1,"a":2}`,
		"\"\\\x00\"", "\"\\n\x01\"", "\"\xed\xa0\x80\"", "\"\x80\"", "\xef\xbb\xbf1", `"\n`, `"\n\`, `1,2`, `{"a":1]`, `[1}`,
		strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1),
		strings.Repeat(`{"a":`, MaxDepth+1) + "1" + strings.Repeat("}", MaxDepth+1),
	}
	for _, raw := range good {
		if err := Check([]byte(raw)); err != nil {
			t.Errorf("Check(%s): %v, want nil", raw, err)
		}
	}
	for _, raw := range bad {
		if err := Check([]byte(raw)); err == nil {
			t.Errorf("Check(%s): nil, want an error", raw)
		}
	}
}

// TestCheckErrors compares whole messages: an author of another verifier finds from them
// where a text differs.
func TestCheckErrors(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`[1,9007199254740992]`:  "at byte 18: integer beyond 2^53",
		`[-0]`:                  "at byte 3: integer with a needless zero or sign",
		`[x]`:                   "at byte 1: want an integer",
		`{1`:                    "at byte 1: want a string",
		`["ab`:                  "at byte 1: string without an end",
		`["\n`:                  "at byte 1: string without an end",
		"[\"\xff\"]":            "at byte 1: string is not valid UTF-8",
		"[\"\\n\xff\"]":         "at byte 1: string is not valid UTF-8",
		"[\"\x01\"]":            "at byte 1: control character in a string",
		`["\/"]`:                "at byte 1: escape that is wrong or not needed",
		`{"b":1,"a":2}`:         "at byte 10: object members not sorted, or twice the same",
		`[1 ,2]`:                "at byte 2: want ]",
		`[1]]`:                  "at byte 3: text after the end",
		strings.Repeat("[", 40): "at byte 32: nested too deeply",
	} {
		if err := Check([]byte(raw)); err == nil || err.Error() != want {
			t.Errorf("Check(%q): got %v, want %s", raw, err, want)
		}
	}
}

// TestStringsAgainstJCS compares with an independent implementation of RFC 8785.
func TestStringsAgainstJCS(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		asJSON, err := json.Marshal(map[string]string{"s": s})
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(asJSON)
		if err != nil {
			t.Fatalf("jcs on %s: %v", asJSON, err)
		}
		got := append(AppendString([]byte(`{"s":`), s), '}')
		if !bytes.Equal(got, want) {
			t.Fatalf("%q: got %s, want %s", s, got, want)
		}
		r := NewReader(got)
		r.Literal(`{"s":`)
		if back := r.String(); back != s || r.Err() != nil {
			t.Fatalf("read back %q (%v), want %q", back, r.Err(), s)
		}
	})
}

func TestReaderTemplate(t *testing.T) {
	t.Parallel()
	r := NewReader([]byte(`{"flag":true,"n":-5,"s":"x\n"}`))
	r.Literal(`{"flag":`)
	flag := r.Bool()
	r.Literal(`,"n":`)
	n := r.Int()
	r.Literal(`,"s":`)
	s := r.Bytes()
	r.Literal(`}`)
	if err := r.End(); err != nil || !flag || n != -5 || string(s) != "x\n" {
		t.Errorf("got %v %d %q %v", flag, n, s, err)
	}
	if r.Try("}") {
		t.Error("Try read beyond the end")
	}
}

func TestReaderChars(t *testing.T) {
	t.Parallel()
	r := NewReader([]byte(`["abc","de"]`))
	r.Literal(`[`)
	if got := r.Chars(3); string(got) != "abc" || cap(got) != 3 {
		t.Errorf("got %q with room for %d, want abc and no more", got, cap(got))
	}
	r.Literal(`,`)
	if got := r.Chars(2); string(got) != "de" {
		t.Errorf("got %q, want de", got)
	}
	r.Literal(`]`)
	if err := r.End(); err != nil {
		t.Error(err)
	}
	if last := NewReader([]byte(`"ab"`)); string(last.Chars(2)) != "ab" || last.End() != nil {
		t.Errorf("at the end of the document: %v", last.Err())
	}
	for _, raw := range []string{``, `"`, `"a`, `"ab`, `"a"`, `"abc"`, `xab"`, `"abx`} {
		r := NewReader([]byte(raw))
		if got := r.Chars(2); got != nil || r.Err() == nil {
			t.Errorf("%s: got %q, %v, want an error", raw, got, r.Err())
		}
	}
}

func TestReaderKeepsFirstError(t *testing.T) {
	t.Parallel()
	r := NewReader([]byte(`{"a":1}`))
	r.Literal(`{"b":`)
	r.Fail("later")
	text := NewReader([]byte(`"abc"`))
	text.Fail("before")
	if text.String() != "" || text.Bytes() != nil || text.Chars(3) != nil {
		t.Error("a failed reader returned a string")
	}
	if r.Int() != 0 || r.String() != "" || r.Bytes() != nil || r.Chars(1) != nil || r.Bool() {
		t.Error("a failed reader returned a value")
	}
	if err := r.End(); err == nil || !strings.Contains(err.Error(), `want {"b":`) {
		t.Errorf("got %v, want the first error", err)
	}
}

func TestAppendIntReachesItsBounds(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{MaxInt: "9007199254740991", -MaxInt: "-9007199254740991", 0: "0"} {
		if got := string(AppendInt(nil, n)); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestAppendPanics(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(){
		"big integer":   func() { AppendInt(nil, MaxInt+1) },
		"small integer": func() { AppendInt(nil, -MaxInt-1) },
		"not UTF-8":     func() { AppendString(nil, "\xff") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// TestCheckAcceptsJCS is the converse of FuzzCheck: Check accepts every document that the
// other implementation writes.
func TestCheckAcceptsJCS(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		asJSON, err := json.Marshal([]any{genValue(3).Draw(t, "value")})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := jcs.Transform(asJSON)
		if err != nil {
			t.Fatalf("jcs on %s: %v", asJSON, err)
		}
		if err := Check(raw); err != nil {
			t.Fatalf("Check(%s): %v, want nil", raw, err)
		}
	})
}

// genValue generates values nested up to depth times.
func genValue(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.String().AsAny(), rapid.Int64Range(-MaxInt, MaxInt).AsAny(), rapid.Bool().AsAny(),
		rapid.Just[any](nil))
	if depth == 0 {
		return leaf
	}
	inner := genValue(depth - 1)
	return rapid.OneOf(leaf, rapid.SliceOfN(inner, 0, 4).AsAny(), rapid.MapOfN(rapid.String(), inner, 0, 4).AsAny())
}

// FuzzCheck checks that the other implementation reproduces every accepted document byte
// for byte.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"a":[1,"b\n",null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if Check(raw) != nil {
			return
		}
		wrapped := append(append([]byte(`[`), raw...), ']') // jcs wants an object or array
		want, err := jcs.Transform(wrapped)
		if err != nil || !bytes.Equal(wrapped, want) {
			t.Errorf("%s: accepted, but jcs writes %s, %v", raw, want, err)
		}
	})
}
