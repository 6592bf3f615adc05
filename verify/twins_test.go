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

// The twins are the verifiers in other languages. They are part of what is
// tested, so their interpreters are needed, not wished for.
var twins = map[string][]string{
	"Python":     {"python3", "testdata/twin.py"},
	"TypeScript": {"node", "testdata/twin.mjs"},
}

// said is a report as a verifier prints it.
type statement struct {
	JSON string `json:"json"`
	Text string `json:"text"`
}

// asked is a proof that a twin is asked about.
type asked struct {
	Proof []byte  `json:"proof"`
	Key   *string `json:"key"`
	// Witnesses are the keys of those that must have cosigned.
	Witnesses []string `json:"witnesses"`
}

// goSays is the report of the package itself.
func goSays(tb testing.TB, a asked) statement {
	tb.Helper()
	o := verify.Options{Witnesses: a.Witnesses}
	if a.Key != nil {
		o.Key = *a.Key
	}
	r := verify.Proof(a.Proof, o)
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		tb.Fatal(err)
	}
	return statement{strings.TrimSuffix(b.String(), "\n"), strings.TrimSuffix(text(tb, r), "\n")}
}

// twin is a command that runs a twin. It looks at the twins' files, as the go
// command would otherwise answer the test from its cache after one has changed:
// of files it knows only those that the test itself has looked at.
func twin(tb testing.TB, command ...string) *exec.Cmd {
	tb.Helper()
	for _, name := range []string{"python/verify.py", "python/chain.py", "ts/verify.ts", "testdata/twin.py", "testdata/twin.mjs"} {
		if _, err := os.Stat(name); err != nil {
			tb.Fatal(err)
		}
	}
	return exec.CommandContext(tb.Context(), command[0], command[1:]...)
}

// askTwin asks one twin about all the proofs, in one process.
func askTwin(tb testing.TB, name string, proofs []asked) []statement {
	tb.Helper()
	command := twins[name]
	cmd := twin(tb, append(slices.Clone(command), "proofs")...)
	var questions, problems bytes.Buffer
	for _, a := range proofs {
		line, err := json.Marshal(a)
		if err != nil {
			tb.Fatal(err)
		}
		questions.Write(append(line, '\n'))
	}
	cmd.Stdin, cmd.Stderr = &questions, &problems
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%s (with TypeScript from web/node_modules: npm ci in web): %v\n%s", command, err, problems.Bytes())
	}
	var answers []statement
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
		answers = append(answers, s)
	}
	if len(answers) != len(proofs) {
		tb.Fatalf("%s: %d answers to %d proofs\n%s", command, len(answers), len(proofs), problems.Bytes())
	}
	return answers
}

// compare asks all twins and holds them to what the package says.
func compare(t *testing.T, proofs []asked, about func(i int) string) {
	t.Helper()
	for name := range twins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, got := range askTwin(t, name, proofs) {
				if want := goSays(t, proofs[i]); got != want {
					t.Errorf("%s:\n%s\nsays   %s\nGo says %s", about(i), name, got.Text+"\n"+got.JSON, want.Text+"\n"+want.JSON)
				}
			}
		})
	}
}

// TestTwinsAgree: on every vector the three print the same, word for word.
func TestTwinsAgree(t *testing.T) {
	t.Parallel()
	all := allVectors(t)
	var proofs []asked
	for _, v := range all {
		proofs = append(proofs, asked{v.Proof, v.Key, v.Witnesses})
	}
	compare(t, proofs, func(i int) string { return all[i].File })
}

// TestTwinsAgreeOnMutations does the same on vectors with a few bytes changed, which follow
// from the seed of the run.
func TestTwinsAgreeOnMutations(t *testing.T) {
	t.Parallel()
	random := testseed.Rand(t)
	mutations := 1500
	if testing.Short() {
		mutations = 500
	}
	all := slices.DeleteFunc(allVectors(t), func(v vectors.Vector) bool { return len(v.Proof) > 20_000 })
	var proofs []asked
	for range mutations {
		v := all[random.IntN(len(all))]
		change := mutate
		if random.IntN(2) == 0 {
			change = mutateWithin
		}
		proofs = append(proofs, asked{change(v.Proof, random), v.Key, v.Witnesses})
	}
	compare(t, proofs, func(i int) string { return fmt.Sprintf("mutation %d:\n%s", i, proofs[i].Proof) })
}

// fragments are pieces that mean something to a reader of JSON or of notes.
var fragments = []string{
	"null", "true", "0", "1", "-1", "-0", "1.0", "1e2", "9007199254740991", "9007199254740992", `""`, "[]", "{}", `"`, `\"`, `\\`, ",", ":", "{", "}",
	"[", "]", " ", "\n", `\n`, `\u0000`, `\ud83d`, `\u00e9`, "é", "\x00", "\x7f", "\xff", "—", "+", "=", "a", "f", "rock", "paper", "scissors", "win",
	"loss", "tie", "a\":\"b", `"a":1,`, `\"n\":1,`, "lost", "claimed", "active", "deciding", "\u2028", "\ufeff", "free", "fee", "burn",
}

// mutate changes a proof in one to three places.
func mutate(proof []byte, random *rand.Rand) []byte {
	out := slices.Clone(proof)
	for range 1 + random.IntN(3) {
		if len(out) == 0 {
			return out
		}
		at := random.IntN(len(out))
		end := min(at+random.IntN(4), len(out))
		switch random.IntN(4) {
		case 0: // one bit
			out[at] ^= 1 << random.IntN(8)
		case 1: // a piece put in
			out = slices.Insert(out, at, []byte(fragments[random.IntN(len(fragments))])...)
		case 2: // a piece put in place of some bytes
			out = slices.Replace(out, at, end, []byte(fragments[random.IntN(len(fragments))])...)
		default: // some bytes of elsewhere put in
			from := random.IntN(len(out))
			out = slices.Insert(out, at, slices.Clone(out[from:min(from+random.IntN(40), len(out))])...)
		}
	}
	return out
}

// mutateWithin changes a raw inside a proof, and its hash with it, so that what
// reads raws is reached.
func mutateWithin(proof []byte, random *rand.Rand) []byte {
	var p map[string]any
	if json.Unmarshal(proof, &p) != nil {
		return mutate(proof, random)
	}
	names := []string{"commit", "start", "end", "stake_a", "settle", "transcript"}
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

// TestTwinsValues: the twins find nothing wrong with values.json.
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

// TestPythonCommand: exit status and output of the script as people run it.
func TestPythonCommand(t *testing.T) {
	t.Parallel()
	all := allVectors(t)
	valid := all[slices.IndexFunc(all, func(v vectors.Vector) bool { return v.File == "run/claimed.json" })]
	lie := all[slices.IndexFunc(all, func(v vectors.Vector) bool { return v.File == "run/seed-changed.json" })]
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
		{"valid", "", []string{"--key", *valid.Key, file}, 0, goSays(t, asked{valid.Proof, valid.Key, nil}).Text + "\n"},
		{"valid, as JSON", "", []string{"--json", "--key", *valid.Key, file}, 0, goSays(t, asked{valid.Proof, valid.Key, nil}).JSON + "\n"},
		{"not pinned", "", []string{file}, 0, goSays(t, asked{valid.Proof, nil, nil}).Text + "\n"},
		{"standard input", string(lie.Proof), []string{"--key", *lie.Key, "-"}, 1, goSays(t, asked{lie.Proof, lie.Key, nil}).Text + "\n"},
		{"malformed", "\xff", []string{"-"}, 1, goSays(t, asked{[]byte("\xff"), nil, nil}).Text + "\n"},
		{"no file named", "", nil, 2, ""},
		{"two files named", "", []string{file, file}, 2, ""},
		{"no such file", "", []string{file + ".none"}, 2, ""},
		{"no such option", "", []string{"--trust", file}, 2, ""},
		{"a key that is none", "", []string{"--key", "house", file}, 2, ""},
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
