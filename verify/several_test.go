package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"roshambo/verify"
)

// TestEach: a file is one proof, unless its first line is JSON and another line follows.
func TestEach(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "0:",
		" \n\n":                   "0:",
		"{}":                      "0:{}",
		"{}\n\n \n":               "0:{}\n",
		"{\n\"a\":1}\n":           "0:{\n\"a\":1}\n",
		"not JSON\nat all\n":      "0:not JSON\nat all\n",
		"\xef\xbb\xbf{}\n{}\n":    "0:\xef\xbb\xbf{}\n{}\n", // no JSON as proofs require it, in each verifier
		"NaN\n{}\n":               "0:NaN\n{}\n",
		"{\"a\":1,\"a\":1}\n{}\n": "0:{\"a\":1,\"a\":1}\n{}\n",
		"{}\n[]\n":                "1:{}\n|2:[]\n",
		"\n{}\n\n{\"a\":1}\nx":    "1:{}\n|2:{\"a\":1}\n|3:x",
		"{}\r\n\r\n{}\r\n\u00a0":  "1:{}\r\n|2:{}\r\n|3:\u00a0",
	} {
		if got, err := each(strings.NewReader(text)); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestEachIsBounded: what is too long for a proof is not read into memory, and the proofs behind it are.
func TestEachIsBounded(t *testing.T) {
	t.Parallel()
	long, most := strings.Repeat("1", 3*verify.MaxSize), 0
	lines := 0
	err := verify.Each(strings.NewReader("{}\n"+long+"\n{}\n"), func(line int, proof []byte) error {
		lines, most = line, max(most, len(proof))
		return nil
	})
	if err != nil || lines != 3 || most != verify.MaxSize+1 {
		t.Errorf("%d lines of at most %d bytes, %v", lines, most, err)
	}
	for _, text := range []string{long + "\n{}\n", "{\n" + long} {
		err = verify.Each(strings.NewReader(text), func(line int, proof []byte) error {
			if line != 0 || len(proof) != verify.MaxSize+1 {
				return fmt.Errorf("line %d of %d bytes", line, len(proof))
			}
			return nil
		})
		if err != nil {
			t.Errorf("%.5s…: %v", text, err)
		}
	}
}

// TestEachReportsErrors: of the reader, wherever it breaks off, and of the function.
func TestEachReportsErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, text := range []string{"", "{", "{}\n", "{}\n{}\n", "{}\n{}\n{"} {
		if got, err := each(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		refuse := func(int, []byte) error { return broken }
		if err := verify.Each(strings.NewReader(text), refuse); !errors.Is(err, broken) {
			t.Errorf("%q: %v, want the function's error", text, err)
		}
	}
}

// each returns the proofs of a file with their lines.
func each(r io.Reader) (string, error) {
	var got []string
	err := verify.Each(r, func(line int, proof []byte) error {
		got = append(got, fmt.Sprint(line, ":", string(bytes.Clone(proof))))
		return nil
	})
	return strings.Join(got, "|"), err
}
