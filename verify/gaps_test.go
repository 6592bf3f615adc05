package verify_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roshambo/vectors"
	"roshambo/verify"
)

// TestKeptPrinted checks what a report says about kept checkpoints, with and without the keys of witnesses.
func TestKeptPrinted(t *testing.T) {
	t.Parallel()
	chains, err := vectors.Chains()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file           string
		known          bool
		report, python string
	}{
		{"kept", false, "kept          3 checkpoints, their cosignatures not checked\n",
			"; 3 kept checkpoints, their cosignatures not checked"},
		{"kept", true, "kept          3 checkpoints, 3 cosigned by a quorum; 0 of 3 hours without one\n",
			"; 3 kept checkpoints, 0 of 3 hours without a cosigned one"},
		{"kept-witness-added", true, "unseen        1 beginnings of rules, before --witnesses-from\n    in block 9\n",
			"; 1 beginnings of rules before --witnesses-from, in block 9"},
	} {
		i := slices.IndexFunc(chains, func(c vectors.Chain) bool { return c.File == "chain/"+tt.file+".jsonl" })
		args, o := []string{"python3", "python/verify.py"}, verify.ChainOptions{}
		if tt.known {
			o.Witnesses, o.WitnessesFrom = chains[i].Witnesses, chains[i].WitnessesFrom
			args = append(args, "--witness", o.Witnesses[0], "--witnesses-from", fmt.Sprint(o.WitnessesFrom))
		}
		report, err := verify.Export(bytes.NewReader(chains[i].Export), o)
		if err != nil || !report.Valid {
			t.Fatalf("%+v, %v", report.Problems, err)
		}
		var text bytes.Buffer
		if err := report.WriteText(&text); err != nil || !strings.Contains(text.String(), tt.report) {
			t.Errorf("got\n%swant\n%s", &text, tt.report)
		}
		out, err := twin(t, append(args, "../vectors/"+chains[i].File)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.python) {
			t.Errorf("Python: %v\n%swant\n%s", err, out, tt.python)
		}
	}
}

// TestGapsPrinted checks that the reports on a chain name its gap, as its season ends after four quiet weeks, and what
// they cannot check.
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
	out, err := twin(t, "python3", "python/verify.py", "../vectors/chain/season-closed.jsonl").CombinedOutput()
	if err != nil {
		t.Fatalf("Python: %v\n%s", err, out)
	}
	const quiet = "; 1 gaps of more than 6 minutes, the longest 2419201 s before block 8"
	if !strings.Contains(string(out), quiet) {
		t.Errorf("Python: got\n%swant\n%s", out, quiet)
	}
	// Both say what they cannot check.
	for _, unchecked := range []string{
		"but for who entered or left a cup and which casual duels of a pair were played for it",
		"of seasons, but for points that are missing and the order of equal ones",
	} {
		for name, got := range map[string]string{"Go": text.String(), "Python": string(out)} {
			if !strings.Contains(got, unchecked) {
				t.Errorf("%s: got\n%swant\n%s", name, got, unchecked)
			}
		}
	}
}
