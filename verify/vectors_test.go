package verify_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"roshambo/vectors"
	"roshambo/verify"
)

// allVectors returns the vectors, and fails when they are not all there.
func allVectors(tb testing.TB) []vectors.Vector {
	tb.Helper()
	all, err := vectors.All()
	if err != nil {
		tb.Fatal(err)
	}
	if len(all) < 100 {
		tb.Fatalf("got %d vectors, want at least 100", len(all))
	}
	return all
}

func options(v vectors.Vector) verify.Options {
	return verify.Options{Key: v.Key, Witnesses: v.Witnesses, Quorum: v.Quorum}
}

// withResult returns the ids of the checks with the given result.
func withResult(r verify.Report, result verify.Result) []string {
	ids := []string{}
	for _, c := range r.Checks {
		if c.Result == result {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// TestVectors compares the report on each vector with the expected result in index.json.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range allVectors(t) {
		r := verify.Proof(v.Proof, options(v))
		notes := withResult(r, verify.Note)
		slices.Sort(notes)
		slices.Sort(v.Notes)
		if r.Valid != v.Valid || string(r.Verdict) != v.Verdict ||
			!slices.Equal(r.Failed(), v.Fails) || !slices.Equal(notes, v.Notes) {
			t.Errorf("%s (%s):\ngot  %v, fails %v, notes %v\nwant %v, fails %v, notes %v\n%s",
				v.File, v.About, r.Verdict, r.Failed(), notes, v.Verdict, v.Fails, v.Notes, text(t, r))
		}
	}
}

func text(tb testing.TB, r verify.Report) string {
	tb.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// checks are the closed lists of ids by format, in order.
var checks = map[string][]string{
	"": {"format"},
	verify.FormatRun: {"format", "transactions", "inclusion", "checkpoint", "witnesses", "order", "commitment",
		"client_seed", "seeds",
		"moves", "outcomes", "cleared", "status", "end", "recovery"},
	verify.FormatDuel: {"format", "transactions", "inclusion", "checkpoint", "witnesses", "order", "commitments",
		"outcomes", "score",
		"winner", "end", "payout", "recovery"},
}

// TestEveryCheckIsReported checks that reports have exactly the ids of the closed list, and that each
// check fails in some vector.
func TestEveryCheckIsReported(t *testing.T) {
	t.Parallel()
	failed := map[string]bool{}
	for _, v := range allVectors(t) {
		r := verify.Proof(v.Proof, options(v))
		var ids []string
		for _, c := range r.Checks {
			ids = append(ids, c.ID)
			if c.Text == "" || strings.ContainsFunc(c.Text, func(c rune) bool { return c < ' ' || c > '~' }) {
				t.Errorf("%s: %s has the text %q, want printable ASCII", v.File, c.ID, c.Text)
			}
		}
		want := checks[r.Format]
		if len(v.Witnesses) == 0 && v.Quorum == 0 && !slices.Contains(v.Notes, "witnesses") { // no witness lines
			want = slices.DeleteFunc(slices.Clone(want), func(id string) bool { return id == "witnesses" })
		}
		if !slices.ContainsFunc([]string{`"status": "void"`, `"recovery": {`, `"kept": "`}, func(member string) bool {
			return bytes.Contains(v.Proof, []byte(member))
		}) {
			want = slices.DeleteFunc(slices.Clone(want), func(id string) bool { return id == "recovery" })
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("%s: checks (-want +got):\n%s", v.File, diff)
		}
		for _, id := range v.Fails {
			failed[strings.SplitN(v.File, "/", 2)[0]+" "+id] = true
		}
	}
	for format, kind := range map[string]string{verify.FormatRun: "run", verify.FormatDuel: "duel"} {
		for _, id := range checks[format] {
			if !failed[kind+" "+id] {
				t.Errorf("no vector of a %s fails %s", kind, id)
			}
		}
	}
}

// TestFormats checks that Run and Duel accept proofs of their own format only.
func TestFormats(t *testing.T) {
	t.Parallel()
	valid := map[string]int{}
	for _, v := range allVectors(t) {
		if !v.Valid {
			continue
		}
		folder, _, _ := strings.Cut(v.File, "/")
		valid[folder]++
		own, other := verify.Run, verify.Duel
		if strings.HasPrefix(v.File, "duel/") {
			own, other = other, own
		}
		if r := own(v.Proof, options(v)); !r.Valid {
			t.Errorf("%s: not valid by the verifier of its format:\n%s", v.File, text(t, r))
		}
		if r := other(v.Proof, options(v)); r.Valid || r.Format != "" {
			t.Errorf("%s: valid by the verifier of another format:\n%s", v.File, text(t, r))
		}
	}
	if valid["run"] == 0 || valid["duel"] == 0 {
		t.Errorf("valid vectors by folder: %v, want runs and duels", valid)
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	v := vectorNamed(t, "run/claimed.json")
	full := append(bytes.Repeat([]byte(" "), verify.MaxSize-len(v.Proof)), v.Proof...)
	if r := verify.Proof(full, options(v)); !r.Valid {
		t.Errorf("%d bytes: not valid:\n%s", len(full), text(t, r))
	}
	if r := verify.Proof(append(full, ' '), options(v)); r.Valid {
		t.Errorf("%d bytes: valid, want it refused", len(full)+1)
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := verify.Proof([]byte("<&>"), verify.Options{}).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	want := `{"valid":false,"verdict":"NOT VALID","format":"","pending":[],"checks":[{"id":"format","result":"fail",` +
		`"text":"the proof is not UTF-8, or not JSON with unique members, whole numbers, 32 levels"}]}` + "\n"
	if b.String() != want {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
}

func BenchmarkProof(b *testing.B) {
	for _, v := range allVectors(b) {
		if v.File == "run/claimed.json" || v.File == "run/seeds-used-up.json" {
			b.Run(v.File, func(b *testing.B) {
				for b.Loop() {
					verify.Proof(v.Proof, options(v))
				}
			})
		}
	}
}
