package audit_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain/export"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/verify"
)

// exported returns the export of a chain with each kind of transaction in several blocks.
func exported(t testing.TB) (*economy, []byte) {
	t.Helper()
	e := newEconomy(t, ledgertest.Options{})
	for range 3 {
		e.join(t)
		e.SealAll(t)
	}
	e.Everything(t)
	e.SealAll(t)
	e.join(t)
	e.SealAll(t)
	var b bytes.Buffer
	var told int64
	o := audit.ExportOptions{Progress: func(_, transactions int64) { told = transactions }}
	if err := audit.Export(t.Context(), e.DB, &b, o); err != nil {
		t.Fatal(err)
	}
	if want := e.WantValid(t).Transactions; told != want {
		t.Errorf("progress ends at %d transactions, want %d", told, want)
	}
	return e, b.Bytes()
}

// checkExport verifies an export in Go with a pinned key, nil for none.
func checkExport(t testing.TB, text []byte, key *string) verify.ChainReport {
	t.Helper()
	report, err := verify.Export(bytes.NewReader(text), verify.ChainOptions{Key: key, Spill: audit.SpillFile})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// pythonSays returns the checks that fail by the Python verifier, one line for each export.
func pythonSays(t testing.TB, texts [][]byte) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", "../../../verify/testdata/twin.py", "exports")
	var questions, problems bytes.Buffer
	for _, text := range texts {
		questions.WriteString(base64.StdEncoding.EncodeToString(text) + "\n")
	}
	cmd.Stdin, cmd.Stderr = &questions, &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.Bytes())
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// TestExport checks that an export verifies with the same report as the tables.
func TestExport(t *testing.T) {
	t.Parallel()
	e, text := exported(t)
	v := e.WantValid(t)
	want := verify.NewChainReport(v.Report, v.Checkpoint)
	want.Record = v.Record
	if want.Record.Runs == 0 || want.Record.Duels == 0 {
		t.Errorf("no games in %+v", want.Record)
	}
	for _, key := range []*string{nil, new(e.VerifierKey())} {
		if diff := cmp.Diff(want, checkExport(t, text, key)); diff != "" {
			t.Error(diff)
		}
	}
	stored, err := audit.VerifyTables(t.Context(), e.DB, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	again := verify.NewChainReport(stored.Report, stored.Checkpoint)
	again.Record = stored.Record
	if diff := cmp.Diff(want, again); diff != "" {
		t.Error(diff)
	}
	other := ledgertest.NewKey(t, e.Origin())
	if report := checkExport(t, text, &other.Verifier); report.Valid {
		t.Error("it is valid by the key of another chain of the same name")
	}
	if got := pythonSays(t, [][]byte{text}); got[0] != "" {
		t.Errorf("Python: %q fail", got)
	}
}

// TestExportKept checks that an export has each kept checkpoint once, with its block, also between two reads of
// blocks.
func TestExportKept(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{Quorum: 1, Witnesses: []string{"one"}})
	const blocks = 2*layout.BlocksPerRead + 1
	for range blocks - 1 {
		e.Clock.Add(time.Hour)
		e.join(t)
		e.SealAll(t)
		e.Keep(t, e.CosignatureAt(t, "one", 0))
	}
	var text bytes.Buffer
	if err := audit.Export(t.Context(), e.DB, &text, audit.ExportOptions{Witnessed: true}); err != nil {
		t.Fatal(err)
	}
	r, err := verify.Export(&text, verify.ChainOptions{Witnesses: []string{e.Cosignature(t, "one").Witness}})
	if err != nil || !r.Valid || r.Blocks != blocks || r.Kept.Count != blocks-1 || r.Kept.Cosigned != blocks-1 {
		t.Errorf("%d blocks, %+v, problems %+v, %v", r.Blocks, r.Kept, r.Problems, err)
	}
}

// TestExportWitnessed checks that a witnessed export ends at the checkpoint that most witnesses have
// cosigned, with their lines.
func TestExportWitnessed(t *testing.T) {
	t.Parallel()
	e, _ := exported(t)
	o := audit.ExportOptions{Witnessed: true}
	var b bytes.Buffer
	if err := audit.Export(t.Context(), e.DB, &b, o); !errors.Is(err, audit.ErrNotWitnessed) || b.Len() > 0 {
		t.Fatalf("without a cosignature: %v, %d bytes", err, b.Len())
	}
	cosigned := e.Cosign(t, "one", "two")
	e.join(t)
	e.SealAll(t)
	e.Cosign(t, "three")
	e.join(t)
	e.SealAll(t)
	if err := audit.Export(t.Context(), e.DB, &b, o); err != nil {
		t.Fatal(err)
	}
	report := checkExport(t, b.Bytes(), new(e.VerifierKey()))
	if !report.Valid || !strings.HasPrefix(report.Checkpoint, cosigned) ||
		strings.Count(report.Checkpoint, "— ") != 3 {
		t.Errorf("%+v, want the blocks and the lines of\n%s", report, cosigned)
	}
	for keys, want := range map[[2]string]bool{
		{e.Cosignature(t, "one").Witness, e.Cosignature(t, "two").Witness}:   true,
		{e.Cosignature(t, "one").Witness, e.Cosignature(t, "three").Witness}: false,
	} {
		report, err := verify.Export(bytes.NewReader(b.Bytes()), verify.ChainOptions{Witnesses: keys[:]})
		if err != nil || report.Valid != want {
			t.Errorf("with the witnesses %v: %v, %+v", keys, err, report.Problems)
		}
	}
}

// TestExportTampered checks that both verifiers notice every changed byte and every removed,
// doubled or moved line of an export.
func TestExportTampered(t *testing.T) {
	t.Parallel()
	_, text := exported(t)
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines = lines[:len(lines)-1]
	var spoilt [][]byte
	for i := range lines {
		swapped := append([][]byte{}, lines...)
		swapped[i], swapped[(i+1)%len(lines)] = swapped[(i+1)%len(lines)], swapped[i]
		doubled := append(append([][]byte{}, lines[:i+1]...), lines[i:]...)
		without := append(append([][]byte{}, lines[:i]...), lines[i+1:]...)
		for _, list := range [][][]byte{swapped, doubled, without} {
			spoilt = append(spoilt, bytes.Join(list, nil))
		}
	}
	step := 29 // bytes: every value of a transaction is hit
	if testing.Short() {
		step = 331
	}
	for at := 0; at < len(text); at += step {
		changed := bytes.Clone(text)
		changed[at] ^= 1
		spoilt = append(spoilt, changed, text[:at])
	}
	python := pythonSays(t, spoilt)
	if len(python) != len(spoilt) {
		t.Fatalf("%d answers to %d exports", len(python), len(spoilt))
	}
	for i, s := range spoilt {
		if report := checkExport(t, s, nil); report.Valid || len(report.Problems) == 0 || python[i] == "" {
			t.Errorf("change %d is not noticed by Go (%v) or Python (%q):\n%s", i, report.Valid, python[i], s)
		}
	}
}

// TestLogPages checks that the pages of the log hold every block once, as lines of an export, and the
// pages of games every transcript.
func TestLogPages(t *testing.T) {
	t.Parallel()
	e, text := exported(t)
	page := func(first int64) (lines []byte, full bool, err error) {
		err = e.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			lines, full, err = e.LogPage(ctx, tx, first)
			return err
		})
		return lines, full, err
	}
	games := func(first int64) (lines []byte) {
		e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
			lines, _, err = e.LogGames(ctx, tx, first)
			return err
		})
		return lines
	}
	whole, err := export.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if whole.Info.Blocks < 5 {
		t.Fatalf("%d blocks", whole.Info.Blocks)
	}
	for first := range whole.Info.Blocks {
		lines, full, err := page(first)
		if err != nil || full {
			t.Fatalf("from block %d: full %v, %v", first, full, err)
		}
		part := export.NewPartReader(bytes.NewReader(lines))
		got, err := part.Block()
		want, errWant := whole.Block()
		rest := []byte(nil) // transcripts of the later blocks
		if first+1 < whole.Info.Blocks {
			rest = games(first + 1)
		}
		if lines := append(export.AppendTranscripts(nil, want.Transcripts), rest...); !bytes.Equal(lines, games(first)) {
			t.Errorf("games from block %d:\n%s\nwant\n%s", first, games(first), lines)
		}
		want.Transcripts = nil // pages of blocks leave them out
		if diff := cmp.Diff(want, got); diff != "" || err != nil || errWant != nil {
			t.Errorf("block %d: %v, %v\n%s", first, err, errWant, diff)
		}
		for err == nil {
			_, err = part.Block()
		}
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	}
	for _, first := range []int64{-1, whole.Info.Blocks, 1 << 60} {
		if _, _, err := page(first); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("from block %d: got %v, want ErrNotFound", first, err)
		}
	}
}
