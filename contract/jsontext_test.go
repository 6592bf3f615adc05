package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"testing"
	"unicode/utf8"
)

// beyond matches texts that this parser and encoding/json treat differently by design: halves of
// surrogate pairs, and integers that may be too long for Python.
var beyond = regexp.MustCompile(`(?i)\\ud[89a-f]|[0-9]{1000}`)

// FuzzParse compares the parser with encoding/json: both accept the same texts, and the shown
// form of a text has the same value.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-0.5e+3,true,false,null,"x\u00e9\"\\\/\b\f\n\r\t"],"a":{}}`, `[[],{}]`, ` 7 `, `"é😀"`, `01`, `1.`, `1e`, `-`,
		`nul`, `[1,]`, `{"a"}`, `{"a":}`, `{,}`, `"\u12"`, `"\x"`, "\"\n\"", `[1 2]`, `{} x`, "\ufeff[]", "[\x00", "\"\xff\"",
		`"\ud83d\ude00"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var tr tree
		err := tr.parse(body)
		if broken, ok := errors.AsType[*syntaxError](err); ok && (broken.pos < 0 || broken.pos > len(body)) {
			t.Fatalf("%q: position %d", body, broken.pos)
		} else if err != nil && !ok && !errors.Is(err, ErrBadBody) {
			t.Fatalf("%q: %v", body, err)
		}
		if err == nil && !json.Valid(tr.shown(0, nil)) {
			t.Fatalf("%q is shown as %q, which is not JSON", body, tr.shown(0, nil))
		}
		if !utf8.Valid(body) || bytes.HasPrefix(body, []byte("\ufeff")) || bytes.IndexByte(body, 0) >= 0 ||
			beyond.Match(body) || bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) > maxDepth {
			return
		}
		if valid := json.Valid(body); valid != (err == nil) {
			t.Fatalf("%q: got %v, encoding/json accepts it: %t", body, err, valid)
		}
		if err != nil {
			return
		}
		if got, want := decoded(t, tr.shown(0, nil)), decoded(t, body); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is shown as %v, want %v", body, got, want)
		}
	})
}

func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
