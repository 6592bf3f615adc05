package audit_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roshambo/chain/replay"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestCosignatureOfAnotherTree checks that a cosignature of another log is reported, even if the
// same key has signed that log.
func TestCosignatureOfAnotherTree(t *testing.T) {
	t.Parallel()
	key := ledgertest.NewKey(t, "two-faced")
	shown, hidden := newEconomy(t, ledgertest.Options{Key: key}), newEconomy(t, ledgertest.Options{Key: key})
	shown.join(t)
	hidden.join(t)
	hidden.join(t)
	for _, e := range []*economy{shown, hidden} {
		e.SealAll(t)
		e.Cosign(t, "one", "two")
		e.WantValid(t)
	}
	shown.Keep(t, hidden.Cosignature(t, "one"))
	v, err := shown.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.ProblemCount != 1 || !strings.HasPrefix(v.Problems[0].What, "log_cosignature one+") {
		t.Errorf("problems %+v, want the one cosignature", v.Problems)
	}
}

// TestKeptOfAnotherTree checks that a kept checkpoint of another log, signed by the same key, is reported at the
// block that its tree ends with.
func TestKeptOfAnotherTree(t *testing.T) {
	t.Parallel()
	o := ledgertest.Options{Key: ledgertest.NewKey(t, "two-faced"), Quorum: 1, Witnesses: []string{"one"}}
	shown, hidden := newEconomy(t, o), newEconomy(t, o)
	kept := map[*economy]string{}
	for _, e := range []*economy{shown, hidden} {
		e.join(t)
		if e == hidden {
			e.join(t)
		}
		e.SealAll(t)
		e.Keep(t, e.CosignatureAt(t, "one", 0))
		e.WantValid(t)
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			var text string
			err := tx.QueryRowContext(ctx, "SELECT checkpoint FROM log_kept").Scan(&text)
			kept[e] = text
			return err
		})
	}
	if kept[shown] == kept[hidden] {
		t.Fatal("both logs have the same tree")
	}
	shown.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE log_kept SET checkpoint = $1", kept[hidden])
		return err
	})
	v, err := shown.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	height := shown.Newest(t).Block.Header.Height
	if v.ProblemCount != 1 || v.Problems[0].What != "log_kept 0" || v.Problems[0].Height != height {
		t.Errorf("problems %+v, want the kept checkpoint at block %d", v.Problems, height)
	}
}

// TestDamagedRecords checks that the size of a kept checkpoint that the log has not, and a text in place of the
// declared rollbacks, are reported with what is expected.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ damage, what, expected string }{
		{"UPDATE log_kept SET size = 99", "log_kept 0 size", "1 to 2"},
		{"INSERT INTO meta (name, value) VALUES ('rollbacks', 'x')", "meta rollbacks", "declared rollbacks"},
	} {
		e := newEconomy(t, ledgertest.Options{Quorum: 1, Witnesses: []string{"one"}})
		e.join(t)
		e.SealAll(t)
		e.Keep(t, e.CosignatureAt(t, "one", 0))
		e.WantValid(t)
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, test.damage)
			return err
		})
		v, err := e.Verify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(v.Problems, func(p replay.Problem) bool {
			return p.What == test.what && p.Expected == test.expected
		}) {
			t.Errorf("after %s: %+v", test.damage, v.Problems)
		}
	}
}

// TestNoRoomToVerify checks that an audit fails that can keep no part of the state.
func TestNoRoomToVerify(t *testing.T) {
	e := newEconomy(t, ledgertest.Options{})
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if v, err := e.Auditor.VerifyParts(t.Context(), 2); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%+v, error %v", v, err)
	}
}
