package publiclog_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/ledger/publiclog"
	"roshambo/verify"
)

// cosign returns the verifier key of a witness with a fixed private key, and its line for a checkpoint.
func cosign(name, checkpoint string) (key, line string) {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	typed := append([]byte{4}, private.Public().(ed25519.PublicKey)...) // documented
	sum := sha256.Sum256(append([]byte(name+"\n"), typed...))
	key = fmt.Sprintf("%s+%x+%s", name, sum[:4], base64.StdEncoding.EncodeToString(typed))

	const time = 1 << 33 // later than every block
	body, _, _ := strings.Cut(checkpoint, "\n\n")
	signed := ed25519.Sign(private, fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s\n", time, body))
	text := binary.BigEndian.AppendUint64(sum[:4:4], time)
	return key, fmt.Sprintf("— %s %s\n", name, base64.StdEncoding.EncodeToString(append(text, signed...)))
}

// TestVerifyCopy verifies the folder of a mirror that is open, without and with a policy, and alters it.
func TestVerifyCopy(t *testing.T) {
	t.Parallel()
	s := played(t, ledgertest.Key{}, 12, never)
	m := mirror(t, s, verify.ChainOptions{})
	if publiclog.IsCopy(m.folder) {
		t.Error("an empty folder is a copy")
	}
	m.sync(t, 13)
	name := filepath.Join(m.folder, "mirror.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(text, &state); err != nil || !publiclog.IsCopy(m.folder) {
		t.Fatal(err)
	}
	// write replaces a member of the state.
	write := func(member string, value any) {
		t.Helper()
		old := state[member]
		state[member] = value
		text, err := json.Marshal(state)
		state[member] = old
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// check fails the test unless the copy has the problem; "" for none.
	check := func(problem string, o verify.ChainOptions) {
		t.Helper()
		report, err := publiclog.VerifyCopy(t.Context(), m.folder, o)
		if err != nil || report.Valid != (problem == "") || report.Blocks != 13 {
			t.Fatalf("want problem %q: %+v, %v", problem, report, err)
		}
		is := func(p verify.ChainProblem) bool { return p.What == problem }
		if problem != "" && !slices.ContainsFunc(report.Problems, is) {
			t.Errorf("got %+v, want %s", report.Problems, problem)
		}
	}
	checkpoint := state["checkpoint"].(string) // a test
	witness, line := cosign("witness.example", checkpoint)
	other, _ := cosign("other.example", checkpoint)
	policy := func(quorum int, keys ...string) verify.ChainOptions {
		return verify.ChainOptions{Witnesses: keys, Quorum: quorum}
	}
	check("", verify.ChainOptions{})
	check("", verify.ChainOptions{Key: new(s.VerifierKey())})
	check("verifier key", verify.ChainOptions{Key: new(played(t, ledgertest.Key{}, 1, never).VerifierKey())})
	check("cosignatures", policy(0, witness))
	write("checkpoint", checkpoint+line)
	check("", policy(0, witness))
	check("", policy(1, witness, other))
	check("cosignatures", policy(2, witness, other))
	check("cosignatures", policy(0, other))
	m.open(t, policy(1, other, witness)) // the existing copy needs no cosignature

	// Lengths that the files do not have: a copy may come from a stranger.
	for _, length := range []int64{-1, 1 << 60} {
		write("block_bytes", length)
		if _, err := publiclog.VerifyCopy(t.Context(), m.folder, policy(0)); err == nil ||
			!strings.Contains(err.Error(), "damaged") {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}
