package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roshambo/vectors"
)

// TestStatusOfReceipts runs both verifiers on proofs with receipts: a contradiction, alone or beside a proof that is in no
// block yet, in each order, has exit status 1.
func TestStatusOfReceipts(t *testing.T) {
	t.Parallel()
	all, err := vectors.AllReceipts()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(v vectors.Receipts) bool { return v.Verdict == "CONTRADICTED" })
	if i < 0 {
		t.Fatal("no vector is CONTRADICTED")
	}
	active, err := os.ReadFile(filepath.Join(root(t), "vectors", "duel", "active.json")) // a game without receipts
	if err != nil {
		t.Fatal(err)
	}
	line := func(proof []byte) string {
		var b bytes.Buffer
		if err := json.Compact(&b, proof); err != nil {
			t.Fatal(err)
		}
		return b.String() + "\n"
	}
	contradicted, pending := line(all[i].Proof), line(active)
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	kept := write("receipts.jsonl", strings.Join(all[i].Lines, "\n")+"\n")
	for name, c := range map[string]struct {
		proofs string
		status int
	}{
		"contradicted":  {contradicted, 1},
		"pending":       {pending, 3},
		"pending last":  {contradicted + pending, 1},
		"pending first": {pending + contradicted, 1},
		"pending twice": {pending + pending, 3},
	} {
		proofs := write(name, c.proofs)
		for _, command := range [][]string{{"roshambo", "verify"},
			{"python3", filepath.Join(root(t), "verify", "python", "verify.py")}} {
			cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], "--receipts", kept, proofs)...)
			out, err := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("%s by %s: status %d, want %d (%v)\n%s", name, command[0], got, c.status, err, out)
			}
		}
	}
}
