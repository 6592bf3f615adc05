package verify_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/platform/testseed"
	"roshambo/vectors"
	"roshambo/verify"
)

// twins are the commands of the verifiers in other languages. They are under test, so a missing
// interpreter is a failure.
var twins = map[string][]string{
	"Python":     {"python3", "testdata/twin.py"},
	"TypeScript": {"node", "testdata/twin.mjs"},
}

// output is a report as a verifier prints it.
type statement struct {
	JSON string `json:"json"`
	Text string `json:"text"`
}

// request is a proof to verify.
type request struct {
	Proof []byte  `json:"proof"`
	Key   *string `json:"key"`
	// Witnesses are the keys of the witnesses that must have cosigned.
	Witnesses []string `json:"witnesses"`
	Quorum    int      `json:"quorum"`
	// Receipts is the file of receipts, nil for none.
	Receipts *string `json:"receipts"`
}

// goOutput returns the report of the package itself.
func goOutput(tb testing.TB, a request) statement {
	tb.Helper()
	o := verify.Options{Key: a.Key, Witnesses: a.Witnesses, Quorum: a.Quorum}
	if a.Receipts != nil {
		o.Receipts = []byte(*a.Receipts)
	}
	r := verify.Proof(a.Proof, o)
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		tb.Fatal(err)
	}
	return statement{strings.TrimSuffix(b.String(), "\n"), strings.TrimSuffix(text(tb, r), "\n")}
}

// twin returns a command that runs a twin. It stats the twins' files, so that the go command includes
// them in the key of its test cache and reruns the test after a change.
func twin(tb testing.TB, command ...string) *exec.Cmd {
	tb.Helper()
	for _, name := range []string{"python/verify.py", "python/chain.py", "python/games.py", "python/tables.py",
		"ts/verify.ts", "ts/record.ts", "testdata/twin.py", "testdata/twin.mjs"} {
		if _, err := os.Stat(name); err != nil {
			tb.Fatal(err)
		}
	}
	return exec.CommandContext(tb.Context(), command[0], command[1:]...)
}

// runTwin verifies all proofs by one twin, in one process.
func runTwin(tb testing.TB, name string, proofs []request) []statement {
	tb.Helper()
	command := twins[name]
	cmd := twin(tb, append(slices.Clone(command), "proofs")...)
	var input, stderr bytes.Buffer
	for _, a := range proofs {
		line, err := json.Marshal(a)
		if err != nil {
			tb.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	cmd.Stdin, cmd.Stderr = &input, &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%s (with TypeScript from web/node_modules: npm ci in web): %v\n%s", command, err, stderr.Bytes())
	}
	var outputs []statement
	lines := bufio.NewReader(bytes.NewReader(out))
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		var s statement
		if err := json.Unmarshal(line, &s); err != nil {
			tb.Fatalf("%s: %v in %q", command, err, line)
		}
		outputs = append(outputs, s)
	}
	if len(outputs) != len(proofs) {
		tb.Fatalf("%s: %d reports on %d proofs\n%s", command, len(outputs), len(proofs), stderr.Bytes())
	}
	return outputs
}

// compareTwins compares the reports of all twins with the reports of the package.
func compareTwins(t *testing.T, proofs []request, about func(i int) string) {
	t.Helper()
	for name := range twins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, got := range runTwin(t, name, proofs) {
				if want := goOutput(t, proofs[i]); got != want {
					t.Errorf("%s:\n%s\ngot  %s\nwant %s", about(i), name, got.Text+"\n"+got.JSON, want.Text+"\n"+want.JSON)
				}
			}
		})
	}
}

// TestTwinsAgree checks that the three verifiers print the same report on every vector.
func TestTwinsAgree(t *testing.T) {
	t.Parallel()
	all := allVectors(t)
	var proofs []request
	for _, v := range all {
		proofs = append(proofs, request{v.Proof, v.Key, v.Witnesses, v.Quorum, nil})
	}
	compareTwins(t, proofs, func(i int) string { return all[i].File })
}

// TestTwinsAgreeOnMutations does the same on vectors with a few changed bytes, chosen by the test
// seed.
func TestTwinsAgreeOnMutations(t *testing.T) {
	t.Parallel()
	random := testseed.Rand(t)
	mutations := 1500
	if testing.Short() {
		mutations = 500
	}
	all := slices.DeleteFunc(allVectors(t), func(v vectors.Vector) bool { return len(v.Proof) > 20_000 })
	var proofs []request
	for range mutations {
		v := all[random.IntN(len(all))]
		change := mutate
		if random.IntN(2) == 0 {
			change = mutateWithin
		}
		proofs = append(proofs, request{change(v.Proof, random), v.Key, v.Witnesses, v.Quorum, nil})
	}
	compareTwins(t, proofs, func(i int) string { return fmt.Sprintf("mutation %d:\n%s", i, proofs[i].Proof) })
}

// fragments are texts that have a meaning in JSON or in notes.
var fragments = []string{
	"null", "true", "0", "1", "-1", "-0", "1.0", "1e2", "9007199254740991", "9007199254740992", `""`, "[]", "{}", `"`,
	`\"`, `\\`, ",", ":", "{", "}",
	"[", "]", " ", "\n", `\n`, `\u0000`, `\ud83d`, `\u00e9`, "é", "\x00", "\x7f", "\xff", "—", "+", "=", "a", "f", "rock",
	"paper", "scissors", "win",
	"loss", "tie", "a\":\"b", `"a":1,`, `\"n\":1,`, "lost", "claimed", "active", "deciding", "\u2028", "\ufeff", "free",
	"fee", "burn",
}

// mutate makes one to three changes to a proof.
func mutate(proof []byte, random *rand.Rand) []byte {
	out := slices.Clone(proof)
	for range 1 + random.IntN(3) {
		if len(out) == 0 {
			return out
		}
		at := random.IntN(len(out))
		end := min(at+random.IntN(4), len(out))
		switch random.IntN(4) {
		case 0: // flip a bit
			out[at] ^= 1 << random.IntN(8)
		case 1: // insert a fragment
			out = slices.Insert(out, at, []byte(fragments[random.IntN(len(fragments))])...)
		case 2: // replace some bytes by a fragment
			out = slices.Replace(out, at, end, []byte(fragments[random.IntN(len(fragments))])...)
		default: // insert bytes from elsewhere
			from := random.IntN(len(out))
			out = slices.Insert(out, at, slices.Clone(out[from:min(from+random.IntN(40), len(out))])...)
		}
	}
	return out
}

// mutateWithin changes a raw inside a proof and corrects its hash, so that the change reaches the
// parser of raws.
func mutateWithin(proof []byte, random *rand.Rand) []byte {
	var p map[string]any
	if json.Unmarshal(proof, &p) != nil {
		return mutate(proof, random)
	}
	names := []string{"commit", "start", "end", "stake_a", "stake_b", "settle", "recovery", "transcript"}
	within, ok := p[names[random.IntN(len(names))]].(map[string]any)
	if !ok {
		return mutate(proof, random)
	}
	member := "raw"
	if random.IntN(4) == 0 && within["header"] != nil {
		member = "header"
	}
	before, _ := within[member].(string)
	within[member] = strings.ToValidUTF8(string(mutate([]byte(before), random)), "é")
	if raw, ok := within["raw"].(string); ok && within["hash"] != nil {
		within["hash"] = chain.HashTx([]byte(raw)).String()
	}
	out, err := json.Marshal(p)
	if err != nil {
		return proof
	}
	return out
}

// TestTwinsValues checks that the twins compute every value of values.json.
func TestTwinsValues(t *testing.T) {
	t.Parallel()
	data, err := vectors.Values()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "values.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, command := range twins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := twin(t, append(slices.Clone(command), "values", file)...).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestPythonCommand checks the exit status and output of the script on the command line.
func TestPythonCommand(t *testing.T) {
	t.Parallel()
	all := allVectors(t)
	valid := all[slices.IndexFunc(all, func(v vectors.Vector) bool { return v.File == "run/claimed.json" })]
	invalid := all[slices.IndexFunc(all, func(v vectors.Vector) bool { return v.File == "run/seed-changed.json" })]
	pending := all[slices.IndexFunc(all, func(v vectors.Vector) bool { return v.File == "duel/active.json" })]
	file := filepath.Join(t.TempDir(), "proof.json")
	if err := os.WriteFile(file, valid.Proof, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, stdin string
		args        []string
		status      int
		stdout      string
	}{
		{"valid", "", []string{"--key", *valid.Key, file}, 0, goOutput(t, request{valid.Proof, valid.Key, nil, 0, nil}).Text +
			"\n"},
		{"valid, as JSON", "", []string{"--json", "--key", *valid.Key, file}, 0,
			goOutput(t, request{valid.Proof, valid.Key, nil, 0, nil}).JSON + "\n"},
		{"not pinned", "", []string{file}, 0, goOutput(t, request{valid.Proof, nil, nil, 0, nil}).Text + "\n"},
		{"standard input", string(invalid.Proof), []string{"--key", *invalid.Key, "-"}, 1,
			goOutput(t, request{invalid.Proof, invalid.Key, nil, 0, nil}).Text + "\n"},
		{"malformed", "\xff", []string{"-"}, 1, goOutput(t, request{[]byte("\xff"), nil, nil, 0, nil}).Text + "\n"},
		{"no file", "", nil, 2, ""},
		{"two files", "", []string{file, file}, 2, ""},
		{"no such file", "", []string{file + ".none"}, 2, ""},
		{"no such option", "", []string{"--trust", file}, 2, ""},
		{"a malformed key", "", []string{"--key", "house", file}, 2, ""},
		{"an empty key", "", []string{"--key", "", file}, 2, ""},
		{"an empty witness key", "", []string{"--witness", "", file}, 2, ""},
		{"pending", string(pending.Proof), []string{"-"}, 3, goOutput(t, request{pending.Proof, nil, nil, 0, nil}).Text +
			"\n"},
		{"pending, with a pinned key", string(pending.Proof), []string{"--key", *valid.Key, "-"}, 1,
			goOutput(t, request{pending.Proof, valid.Key, nil, 0, nil}).Text + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := twin(t, append([]string{"python3", "python/verify.py"}, tt.args...)...)
			cmd.Stdin = strings.NewReader(tt.stdin)
			out, err := cmd.Output()
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != tt.status || string(out) != tt.stdout {
				t.Errorf("%v:\n%s\nwant exit status %d and\n%s", err, out, tt.status, tt.stdout)
			}
		})
	}
}
