package verify_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"roshambo/vectors"
	"roshambo/verify"
)

// TestExportWitnesses requires cosignatures of a whole chain, by the Go and the Python verifier.
func TestExportWitnesses(t *testing.T) {
	t.Parallel()
	random := rand.NewChaCha8([32]byte{7})
	private, key, err := note.GenerateKey(random, "roshambo-witnessed")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	var cosigners []note.Signer
	for i := range 3 {
		private, public, err := note.GenerateKey(random, fmt.Sprintf("witness.example/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		w, err := cosign.NewSignerForCosignatureV1(private)
		if err != nil {
			t.Fatal(err)
		}
		key, err := cosign.VKeyToCosignatureV1(public)
		if err != nil {
			t.Fatal(err)
		}
		cosigners, keys = append(cosigners, w), append(keys, key)
	}
	// Without the blocks of rules that change, which no witness has seen a day before.
	text := validChain(signer.Name()).blocks[:6].seal(t, signer, key, cosigners[:2]...)
	file := filepath.Join(t.TempDir(), "chain.jsonl")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		keys   []string
		quorum int
		want   string // in the problem; "" for none
	}{
		{nil, 0, ""}, {keys[:2], 0, ""}, {keys, 2, ""}, {keys[1:], 1, ""},
		{keys, 0, "is not cosigned by witness.example/2"}, {keys, 3, "is not cosigned by witness.example/2"},
		{keys[1:], 2, "is not cosigned by witness.example/2"}, {[]string{keys[0], keys[0], keys[2]}, 2, "named twice"},
	} {
		report, err := verify.Export(bytes.NewReader(text), verify.ChainOptions{Witnesses: c.keys, Quorum: c.quorum})
		if err != nil {
			t.Fatal(err)
		}
		if report.Valid != (c.want == "") || !report.Valid && !strings.Contains(report.Problems[0].Found, c.want) {
			t.Errorf("%d keys, quorum %d: %v, want %q", len(c.keys), c.quorum, report.Problems, c.want)
		}
		args := []string{"python/verify.py"}
		for _, key := range c.keys {
			args = append(args, "--witness", key)
		}
		if c.quorum > 0 {
			args = append(args, "--quorum", fmt.Sprint(c.quorum))
		}
		out, err := exec.CommandContext(t.Context(), "python3", append(args, file)...).CombinedOutput()
		if (err == nil) != (c.want == "") || !strings.Contains(string(out), c.want) {
			t.Errorf("Python, %d keys, quorum %d: %v, want %q\n%s", len(c.keys), c.quorum, err, c.want, out)
		}
	}
}

// TestBackdatedRules verifies chains whose rules nobody could see for a day, or no witness. The rules of a chain that
// was quiet for three days were dated just behind its last block, and begin in the next one. Rules that did not begin
// before they are used are refused by everyone. Otherwise they are in force for each reader, and not valid for one
// with the witness's key, unless the reader says that the witness was added later.
func TestBackdatedRules(t *testing.T) {
	t.Parallel()
	const old = "w0.example/x+19e038fe+BAwc3tJz3ynu7KPKQPh2EGApXRrOtpREDRAfeTDossBu"
	chains, err := vectors.Chains()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file    string
		without bool // valid for a reader without the witness
	}{
		{"testdata/rules-backdated.jsonl", false}, {"kept-without-notice", true},
		{"kept-withheld", true}, {"kept-seen-begun", true},
		{"kept-short-notice", true}, {"kept-witness-added", true}, {"kept-hour-unseen", true},
	} {
		file, key := tt.file, old
		if tt.without {
			file = "../vectors/chain/" + tt.file + ".jsonl"
			i := slices.IndexFunc(chains, func(c vectors.Chain) bool { return "../vectors/"+c.File == file })
			key = chains[i].Witnesses[0]
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []struct {
			verify.ChainOptions
			valid  bool
			python string
		}{
			{verify.ChainOptions{}, tt.without, ""},
			{verify.ChainOptions{Witnesses: []string{key}}, false, "--witnesses-from"},
			{verify.ChainOptions{Witnesses: []string{key}, WitnessesFrom: 8}, false, "--witnesses-from"},
			{verify.ChainOptions{Witnesses: []string{key}, WitnessesFrom: 1000}, tt.without, "--witnesses-from, in block "},
		} {
			report, err := verify.Export(bytes.NewReader(data), o.ChainOptions)
			if err != nil || report.Valid != o.valid || (report.Kept.Unseen == 1) != (o.valid && o.WitnessesFrom > 0) {
				t.Errorf("%s, %+v: %+v, %v", tt.file, o.ChainOptions, report, err)
			}
			if tt.without && !o.valid && (len(report.Problems) != 1 || report.Problems[0].What != "rules.begin") {
				t.Errorf("%s, %+v: %+v", tt.file, o.ChainOptions, report.Problems)
			}
			args := []string{"python3", "python/verify.py", "--witnesses-from", fmt.Sprint(o.WitnessesFrom)}
			for _, w := range o.Witnesses {
				args = append(args, "--witness", w)
			}
			out, err := twin(t, append(args, file)...).CombinedOutput()
			if (err == nil) != o.valid || tt.without && !strings.Contains(string(out), o.python) ||
				!tt.without && !strings.Contains(string(out), "NOT VALID: blocks") {
				t.Errorf("Python, %s, %+v: %v\n%s", tt.file, o.ChainOptions, err, out)
			}
		}
	}
}
