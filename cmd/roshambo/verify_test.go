package main

import (
	"strings"
	"testing"
)

// TestEachProof: a file is one proof, unless its first line is a whole JSON value and another line follows.
func TestEachProof(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                     "0:",
		"{}":                   "0:{}",
		"{}\n\n \n":            "0:{}\n",
		"{\n\"a\":1}\n":        "0:{\n\"a\":1}\n",
		"not JSON\nat all\n":   "0:not JSON\nat all\n",
		"{}\n[]\n":             "1:{}\n|2:[]\n",
		"\n{}\n\n{\"a\":1}\nx": "1:{}\n|2:{\"a\":1}\n|3:x",
	} {
		var got []string
		err := eachProof(strings.NewReader(text), func(line int, proof []byte) error {
			got = append(got, string(rune('0'+line))+":"+string(proof))
			return nil
		})
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	if err := eachProof(strings.NewReader(strings.Repeat("x", maxProof+2)), nil); err == nil {
		t.Error("a proof above the limit is read")
	}
}
