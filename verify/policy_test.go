package verify_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

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

// TestBackdatedRules verifies a chain that was quiet for three days, then announced rules that were dated just
// behind its last block, and used them in the next one. No reader had a day's notice, whatever the
// witness of the last checkpoint says.
func TestBackdatedRules(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/rules-backdated.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const witness = "w0.example/x+19e038fe+BAwc3tJz3ynu7KPKQPh2EGApXRrOtpREDRAfeTDossBu"
	for _, witnesses := range [][]string{nil, {witness}} {
		report, err := verify.Export(bytes.NewReader(data), verify.ChainOptions{Witnesses: witnesses})
		if err != nil || report.Valid {
			t.Errorf("witnesses %v: valid %v, %v", witnesses, report.Valid, err)
		}
		args := []string{"python3", "python/verify.py"}
		for _, w := range witnesses {
			args = append(args, "--witness", w)
		}
		cmd := twin(t, append(args, "testdata/rules-backdated.jsonl")...)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "NOT VALID: blocks") {
			t.Errorf("Python, witnesses %v: %v\n%s", witnesses, err, out)
		}
	}
}
