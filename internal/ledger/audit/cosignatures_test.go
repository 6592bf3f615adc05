package audit_test

import (
	"strings"
	"testing"

	"roshambo/internal/ledger/ledgertest"
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
