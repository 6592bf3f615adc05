package verify_test

import (
	"strings"
	"testing"

	"roshambo/internal/platform/testseed"
	"roshambo/vectors"
	"roshambo/verify"
)

// allReceipts returns the vectors of receipts, and fails when they are not all there.
func allReceipts(tb testing.TB) []vectors.Receipts {
	tb.Helper()
	all, err := vectors.AllReceipts()
	if err != nil {
		tb.Fatal(err)
	}
	if len(all) < 30 {
		tb.Fatalf("got %d vectors, want at least 30", len(all))
	}
	return all
}

// file returns the lines as a file.
func file(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestReceipts compares verdict and finding on each vector with the expected ones.
func TestReceipts(t *testing.T) {
	t.Parallel()
	for _, v := range allReceipts(t) {
		r := verify.Proof(v.Proof, verify.Options{Key: v.Key, Receipts: []byte(file(v.Lines))})
		last := r.Checks[len(r.Checks)-1]
		if string(r.Verdict) != v.Verdict || last.ID != "receipts" || string(last.Result) != v.Result || last.Text != v.Text {
			t.Errorf("%s (%s): got %v, %+v\nwant %s, %s: %s", v.About, v.File, r.Verdict, last, v.Verdict, v.Result, v.Text)
		}
		if r.Valid != (v.Verdict == "VALID") {
			t.Errorf("%s: valid is %v with the verdict %v", v.About, r.Valid, r.Verdict)
		}
	}
}

// TestReceiptsOfATamperedProof checks that a proof with a fault of its own is no evidence: a
// player could otherwise tamper with it and accuse an honest house.
func TestReceiptsOfATamperedProof(t *testing.T) {
	t.Parallel()
	all := allReceipts(t)
	honest := file(all[0].Lines)
	for _, name := range []string{"run/seed-changed.json", "run/player-move-changed.json", "run/raw-changed.json"} {
		v := vectorNamed(t, name)
		o := options(v)
		o.Receipts = []byte(honest)
		if r := verify.Proof(v.Proof, o); r.Verdict != verify.NotValid {
			t.Errorf("%s: got %v, want %v:\n%s", name, r.Verdict, verify.NotValid, text(t, r))
		}
	}
}

// TestReceiptsBounds checks the largest number of receipts and the encoding.
func TestReceiptsBounds(t *testing.T) {
	t.Parallel()
	v := allReceipts(t)[0]
	others := ""
	for _, o := range allReceipts(t) {
		if o.File == "duel/staked.json" && o.Verdict == "VALID" {
			others = file(o.Lines[:2])
		}
	}
	for _, tt := range []struct {
		name, lines string
		fails       bool
	}{
		{"1000 receipts", strings.Repeat(v.Lines[0]+"\n", 1000), false},
		{"1001 receipts", strings.Repeat(v.Lines[0]+"\n", 1001), true},
		{"1001 receipts, two of other games", strings.Repeat(v.Lines[0]+"\n", 999) + others, false},
		{"without the last line end", v.Lines[0], false},
		{"not UTF-8", v.Lines[0] + "\n\xff", true},
	} {
		r := verify.Proof(v.Proof, verify.Options{Key: v.Key, Receipts: []byte(tt.lines)})
		if got := r.Verdict != verify.Valid; got != tt.fails {
			t.Errorf("%s: got %v, failing %v\n%s", tt.name, r.Verdict, tt.fails, text(t, r))
		}
	}
}

// TestTwinsAgreeOnReceipts checks that the three verifiers print the same report on every vector of
// receipts, and on receipts with a few changed bytes.
func TestTwinsAgreeOnReceipts(t *testing.T) {
	t.Parallel()
	random := testseed.Rand(t)
	all := allReceipts(t)
	var proofs []request
	add := func(v vectors.Receipts, lines string) {
		proofs = append(proofs, request{v.Proof, v.Key, nil, 0, &lines})
	}
	for _, v := range all {
		add(v, file(v.Lines))
	}
	mutations := 300
	if testing.Short() {
		mutations = 30
	}
	for range mutations {
		v := all[random.IntN(len(all))]
		add(v, strings.ToValidUTF8(string(mutate([]byte(file(v.Lines)), random)), "é"))
	}
	compareTwins(t, proofs, func(i int) string { return *proofs[i].Receipts })
}
