package verify_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/vectors"
)

// TestWorkIsLinear counts the operations of each verifier on inputs of one and of four times a size: statements
// of Go, instructions of the Python interpreter, blocks of TypeScript. Four times the input takes at most
// five times the operations, so no small proof takes long. What an empty proof takes does not count: the start of
// a program would hide the square of a small input. Time is not measured.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	inputs := workInputs(t)
	for name, count := range map[string]func(t *testing.T, inputs []workInput) []int64{
		"Go": countGo, "Python": countTwin("Python"), "TypeScript": countTwin("TypeScript"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := []workInput{scaled("an empty proof", func(int) workRequest { return workRequest{Proof: []byte("{}")} })}
			for _, in := range inputs {
				if in.once.Export == nil || name != "TypeScript" { // it verifies proofs alone
					own = append(own, in)
				}
			}
			counts := count(t, own)
			for i, in := range own[1:] {
				once, often := counts[2*i+2]-counts[0], counts[2*i+3]-counts[0]
				if once < 100 || often > 5*once {
					t.Errorf("%s: %d operations, and %d for four times the size", in.about, once, often)
				}
			}
		})
	}
}

// workRequest is a request of the commands that count.
type workRequest struct {
	Proof     []byte   `json:"proof,omitempty"`
	Export    []byte   `json:"export,omitempty"`
	Key       *string  `json:"key"`
	Witnesses []string `json:"witnesses"`
	Receipts  *string  `json:"receipts"`
}

// workInput is an input, and one of four times its size.
type workInput struct {
	about       string
	once, often workRequest
}

// countGo counts the statements of package verify and of the packages that it imports.
func countGo(t *testing.T, inputs []workInput) (counts []int64) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "work")
	build := exec.CommandContext(t.Context(), "go", "build", "-cover", "-covermode=atomic",
		"-coverpkg=roshambo/verify,roshambo/verify/testdata/work,roshambo/canon,roshambo/chain/...,roshambo/fair,roshambo/game",
		"-o", program, "./testdata/work")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, in := range inputs {
		for j, request := range []workRequest{in.once, in.often} {
			covered := filepath.Join(dir, fmt.Sprint(i, "-", j))
			if err := os.Mkdir(covered, 0o700); err != nil {
				t.Fatal(err)
			}
			run := exec.CommandContext(t.Context(), program)
			run.Env = append(os.Environ(), "GOCOVERDIR="+covered)
			run.Stdin = bytes.NewReader(marshal(t, request))
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", in.about, err, out)
			}
			profile := covered + ".txt"
			convert := exec.CommandContext(t.Context(), "go", "tool", "covdata", "textfmt", "-i="+covered, "-o="+profile)
			if out, err := convert.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			counts = append(counts, statements(t, profile))
		}
	}
	return counts
}

// statements adds up the statements of a coverage profile, each as often as it ran.
func statements(t *testing.T, profile string) (sum int64) {
	t.Helper()
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		// file:from,to number-of-statements count
		if fields := strings.Fields(line); len(fields) == 3 {
			n, errN := strconv.ParseInt(fields[1], 10, 64)
			count, errCount := strconv.ParseInt(fields[2], 10, 64)
			if errN != nil || errCount != nil {
				t.Fatalf("the profile has %q", line)
			}
			sum += n * count
		}
	}
	return sum
}

// countTwin counts the operations of a twin.
func countTwin(name string) func(t *testing.T, inputs []workInput) []int64 {
	return func(t *testing.T, inputs []workInput) (counts []int64) {
		t.Helper()
		var lines bytes.Buffer
		for _, in := range inputs {
			lines.Write(append(marshal(t, in.once), '\n'))
			lines.Write(append(marshal(t, in.often), '\n'))
		}
		for _, line := range twinLines(t, lines.Bytes(), append(twins[name], "work")...) {
			n, err := strconv.ParseInt(line, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			counts = append(counts, n)
		}
		return counts
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// workInputs are inputs that an adversary would try: many lines, bytes, members, hashes or receipts.
func workInputs(t *testing.T) []workInput {
	t.Helper()
	run, duel := vectorNamed(t, "run/claimed.json"), vectorNamed(t, "duel/staked.json")
	changed := func(proof []byte, change func(p map[string]any)) []byte {
		var p map[string]any
		if err := json.Unmarshal(proof, &p); err != nil {
			t.Fatal(err)
		}
		change(p)
		return marshal(t, p)
	}
	chains, receipts := chainInputs(t), slices.Concat(receiptInputs(t), lostInputs(t))
	return slices.Concat(noteInputs(t, run.Proof), witnessInputs(t, run.Proof), receipts, chains, []workInput{
		scaled("members that the shape does not have", func(n int) workRequest {
			return workRequest{Proof: changed(run.Proof, func(p map[string]any) {
				for i := range 2000 * n {
					p[fmt.Sprint("member ", i)] = i
				}
			})}
		}),
		scaled("a list in a list of lists", func(n int) workRequest {
			return workRequest{Proof: []byte(`{"format":[` + strings.Repeat(`[[[0,"x"]],{}],`, 2000*n) + `0]}`)}
		}),
		scaled("a long text with escapes", func(n int) workRequest {
			return workRequest{Proof: changed(run.Proof, func(p map[string]any) {
				p["run_id"] = strings.Repeat("\"\\\n", 5000*n)
			})}
		}),
		scaled("hashes of a proof", func(n int) workRequest {
			return workRequest{Proof: changed(run.Proof, func(p map[string]any) {
				hash := strings.Repeat("0", 64)
				p["start"].(map[string]any)["tx_proof"] = strings.Split(strings.TrimSuffix(strings.Repeat(hash+" ", 2000*n), " "), " ")
			})}
		}),
		scaled("rounds of a duel", func(n int) workRequest {
			return workRequest{Proof: changed(duel.Proof, func(p map[string]any) {
				raw := p["transcript"].(map[string]any)["raw"].(string)
				d, err := chain.ParseDuelTranscript([]byte(raw))
				if err != nil {
					t.Fatal(err)
				}
				for len(d.Rounds) < 200*n {
					d.Rounds = append(d.Rounds, chain.DuelRound{N: len(d.Rounds) + 1, Forfeit: game.Both, Outcome: game.Void})
				}
				p["transcript"] = map[string]any{"raw": string(d.Raw())}
			})}
		}),
		scaled("transactions of a chain", func(n int) workRequest {
			signer, key := workSigner(t, "work")
			w := validChain(signer.Name())
			for i := range 500 * n {
				w.join(i)
			}
			w.seal()
			return workRequest{Export: w.blocks.seal(t, signer, key)}
		}),
	})
}

// scaled is an input of a size n.
func scaled(about string, of func(n int) workRequest) workInput {
	return workInput{about, of(1), of(4)}
}

// receiptInputs are files of receipts.
func receiptInputs(t *testing.T) []workInput {
	t.Helper()
	all, err := vectors.AllReceipts()
	if err != nil {
		t.Fatal(err)
	}
	receipts := all[0] // all of one run
	return []workInput{
		scaled("receipts of other games", func(n int) workRequest {
			lines := strings.Repeat(strings.ReplaceAll(receipts.Lines[0], "run_id", "other")+"\n", 5000*n)
			return workRequest{Proof: receipts.Proof, Receipts: &lines}
		}),
		scaled("receipts of the game", func(n int) workRequest {
			lines := strings.Repeat(receipts.Lines[1]+"\n", 8*n)
			return workRequest{Proof: receipts.Proof, Receipts: &lines}
		}),
	}
}

// workSigner returns the key of a log, which follows from its name.
func workSigner(t *testing.T, name string) (note.Signer, string) {
	t.Helper()
	private, key, err := note.GenerateKey(strings.NewReader(strings.Repeat(name, 32)), name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer, key
}

// noteInputs are checkpoints with many lines and long bodies.
func noteInputs(t *testing.T, proof []byte) []workInput {
	t.Helper()
	signer, key := workSigner(t, "roshambo-vectors-1")
	with := func(checkpoint string) workRequest {
		var p map[string]any
		if err := json.Unmarshal(proof, &p); err != nil {
			t.Fatal(err)
		}
		p["checkpoint"], p["verifier_key"] = checkpoint, key
		return workRequest{Proof: marshal(t, p)}
	}
	signed := func(bytes, lines int) string {
		body := fmt.Sprintf("roshambo-vectors-1\n8\n%s\n%s\n", base64.StdEncoding.EncodeToString(make([]byte, 32)),
			strings.Repeat("x", bytes))
		out, err := note.Sign(&note.Note{Text: body}, signer)
		if err != nil {
			t.Fatal(err)
		}
		return string(out) + strings.Repeat(string(out[len(body)+1:]), lines-1)
	}
	return []workInput{
		{"a long body", with(signed(10_000, 1)), with(signed(40_000, 1))},
		{"a line that occurs often", with(signed(1000, 25)), with(signed(1000, 100))},
		{"a line that occurs often, below a long body", with(signed(10_000, 25)), with(signed(40_000, 100))},
		{"a checkpoint that is too large", with(signed(100_000, 25)), with(signed(400_000, 100))},
	}
}
