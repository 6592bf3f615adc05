package verify_test

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"roshambo/verify"
)

// TestGapsPrinted checks that the report on a chain names its gap: its season ends after four quiet weeks.
func TestGapsPrinted(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../vectors/chain/season-closed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	report, err := verify.Export(bytes.NewReader(raw), verify.ChainOptions{})
	if err != nil || !report.Valid {
		t.Fatalf("%+v, error %v", report.Problems, err)
	}
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	want := `gaps          1 of more than 0:06:00 between two blocks, 672:00:01 in all
    672:00:01 before block 8, from 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ
`
	if !regexp.MustCompile(want).Match(text.Bytes()) {
		t.Errorf("got\n%swant\n%s", &text, want)
	}
}
