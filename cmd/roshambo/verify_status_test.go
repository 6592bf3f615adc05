package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roshambo/vectors"
	"roshambo/verify"
)

// TestStatusOfReceipts runs the verifiers on proofs with receipts: a contradiction, alone or beside a proof that is in
// no block yet, in each order, has exit status 1.
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
	contradicted, pending := oneLine(t, all[i].Proof), oneLine(t, active)
	kept := write(t, t.TempDir(), "receipts.jsonl", strings.Join(all[i].Lines, "\n")+"\n")
	checkFiles(t, kept, map[string]fileCase{
		"contradicted":  {contradicted, "status 1"},
		"pending":       {pending, "status 3"},
		"pending last":  {contradicted + pending, "status 1"},
		"pending first": {pending + contradicted, "status 1"},
		"pending twice": {pending + pending, "status 3"},
	})
}

// TestFilesOfSeveralProofs: the programs say the same of a file of several proofs in the same words, with the same
// status.
func TestFilesOfSeveralProofs(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		proof, err := os.ReadFile(filepath.Join(root(t), "vectors", name))
		if err != nil {
			t.Fatal(err)
		}
		return oneLine(t, proof)
	}
	duel, run, active := read("duel/rated.json"), read("run/claimed.json"), read("duel/active.json")
	tampered := strings.Replace(duel, `"winner":"`, `"winner":"x`, 1)
	long := strings.Repeat("1", verify.MaxSize+1)
	checkFiles(t, "", map[string]fileCase{
		"none":            {"", "NOT VALID: format\nstatus 1"},
		"blank":           {" \n\n", "NOT VALID: format\nstatus 1"},
		"one":             {duel, "\nVALID\nstatus 0"},
		"one and a blank": {duel + "\n \n", "\nVALID\nstatus 0"},
		"three":           {duel + run + duel, "line 1  VALID\nline 2  VALID\nline 3  VALID\nstatus 0"},
		"blank lines":     {"\n" + duel + "\r\n" + run + "\n\n", "line 1  VALID\nline 2  VALID\nstatus 0"},
		"pending":         {duel + active + duel, "\nline 3  VALID\nstatus 3"},
		"tampered":        {duel + tampered + active, "status 1"},
		"no proof":        {duel + "no proof\n" + run, "NOT VALID: format\nline 3  VALID\nstatus 1"},
		"no JSON first":   {"no proof\n" + duel, "NOT VALID: format\nstatus 1"},
		"byte order mark": {"\ufeff" + duel + run, "NOT VALID: format\nstatus 1"},
		"NaN":             {"NaN\n" + duel, "NOT VALID: format\nstatus 1"},
		"members twice":   {`{"a":1,"a":1}` + "\n" + duel, "NOT VALID: format\nstatus 1"},
		"UTF-8":           {duel + "\u00a0\n\xff\n" + run, "NOT VALID: format\nline 4  VALID\nstatus 1"},
		"too long":        {duel + long + "\n" + run, "NOT VALID: format\nline 3  VALID\nstatus 1"},
		"too long first":  {long + "\n" + run, "NOT VALID: format\nstatus 1"},
	})
}

// fileCase is a file of proofs, and the end of what each program prints of it, with its exit status.
type fileCase struct{ text, want string }

// checkFiles runs the verifiers on files of proofs: all print the same and have the same status. receipts may be "".
func checkFiles(t *testing.T, receipts string, cases map[string]fileCase) {
	t.Helper()
	folder := t.TempDir()
	python := filepath.Join(root(t), "verify", "python", "verify.py")
	names := slices.Sorted(maps.Keys(cases))
	var requests bytes.Buffer
	for _, name := range names {
		proofs := write(t, folder, name, cases[name].text)
		if err := json.NewEncoder(&requests).Encode(map[string]string{"proofs": proofs, "receipts": receipts}); err != nil {
			t.Fatal(err)
		}
	}
	twin := exec.CommandContext(t.Context(), "node", filepath.Join(root(t), "verify", "testdata", "twin.mjs"), "files")
	twin.Stdin = &requests
	out, err := twin.Output()
	if err != nil {
		t.Fatal(err)
	}
	inTypeScript := json.NewDecoder(bytes.NewReader(out))
	for _, name := range names {
		options := []string{filepath.Join(folder, name)}
		if receipts != "" {
			options = append(options, "--receipts", receipts)
		}
		outputs := map[string]string{
			"Go":     outcome(t, "roshambo", append([]string{"verify"}, options...)),
			"Python": outcome(t, "python3", append([]string{python}, options...)),
		}
		var text string
		if err := inTypeScript.Decode(&text); err != nil {
			t.Fatal(err)
		}
		outputs["TypeScript"] = text
		for program, got := range outputs {
			if want := cases[name].want; !strings.HasSuffix(got, want) || got != outputs["Go"] {
				t.Errorf("%s by %s:\n%.3000s\nwant the end %q, and Go's\n%.3000s", name, program, got, want, outputs["Go"])
			}
		}
	}
}

// outcome runs a command and returns its output with its exit status.
func outcome(t *testing.T, command string, args []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command, args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%sstatus %d", out, cmd.ProcessState.ExitCode())
}

// oneLine returns a proof as a line.
func oneLine(t *testing.T, proof []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, proof); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}

// write writes a file, and returns its path.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
