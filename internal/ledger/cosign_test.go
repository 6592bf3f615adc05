package ledger_test

import (
	"context"
	"crypto/sha256"
	"strings"
	"testing"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// cosignature is what a witness of a name makes of the newest checkpoint. Who bears a name
// has one key.
func (e *economy) cosignature(t testing.TB, name string) (c ledger.Cosignature) {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	private, public, err := note.GenerateKey(strings.NewReader(string(seed[:])), name)
	if err != nil {
		t.Fatal(err)
	}
	if c.Witness, err = cosign.VKeyToCosignatureV1(public); err != nil {
		t.Fatal(err)
	}
	signer, err := cosign.NewSignerForCosignatureV1(private)
	if err != nil {
		t.Fatal(err)
	}
	c.Size = e.head(t).Block.Header.Height + 1
	e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		c.Checkpoint, err = e.SignedHead(ctx, tx)
		return err
	})
	text, _, _ := strings.Cut(string(c.Checkpoint), "\n\n")
	n, err := note.Sign(&note.Note{Text: text + "\n"}, signer)
	if err != nil {
		t.Fatal(err)
	}
	_, c.Lines, _ = strings.Cut(string(n), "\n\n")
	return c
}

func (e *economy) keep(t testing.TB, c ledger.Cosignature) {
	t.Helper()
	e.Update(t, func(ctx context.Context, tx *store.Tx) error { return e.KeepCosignature(ctx, tx, c) })
}

// cosign has witnesses cosign the newest checkpoint, and returns it with their lines as it
// is served.
func (e *economy) cosign(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		e.keep(t, e.cosignature(t, name))
	}
	var served []byte
	e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		served, err = e.Checkpoint(ctx, tx)
		return err
	})
	if got := strings.Count(string(served), "\n— "); got != len(names)+1 {
		t.Errorf("%d lines on the checkpoint, want those of %d witnesses and the log's:\n%s", got, len(names), served)
	}
	return string(served)
}

// TestCosignatureOfAnotherTree: what a witness has cosigned must be this log, though the
// same key has signed the other one.
func TestCosignatureOfAnotherTree(t *testing.T) {
	t.Parallel()
	key := ledgertest.NewKey(t, "two-faced")
	shown, hidden := newEconomy(t, ledgertest.Options{Key: key}), newEconomy(t, ledgertest.Options{Key: key})
	shown.join(t)
	hidden.join(t)
	hidden.join(t)
	for _, e := range []*economy{shown, hidden} {
		e.SealAll(t)
		e.cosign(t, "one", "two")
		e.WantValid(t)
	}
	shown.keep(t, hidden.cosignature(t, "one"))
	v, err := shown.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.ProblemCount != 1 || !strings.HasPrefix(v.Problems[0].What, "log_cosignature one+") {
		t.Errorf("problems %+v, want the one cosignature", v.Problems)
	}
}
