package run_test

import (
	"context"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatementOfARecovery recovers with each statement failing once: the mark stays until all runs
// in play are void and all commitments rotated, so that the next start tries again.
func TestEachStatementOfARecovery(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	payer, burner, guest := s.join(t), s.join(t), s.join(t)
	burnt := s.token(t, burner, 1)
	runs := []string{
		s.begin(t, payer, run.StartOptions{Entry: chain.EntryFee}),
		s.begin(t, burner, run.StartOptions{Entry: chain.EntryBurn}),
		s.begin(t, guest, run.StartOptions{Entry: chain.EntryFree}),
	}
	if err := ledger.MarkRestored(t.Context(), s.Ledger.DB, "a test"); err != nil {
		t.Fatal(err)
	}
	s.each.Run(t, []storetest.Case{{Name: "recover", Call: storetest.Do(s.Recover),
		Want: run.Recovered{Recovered: true, Voided: 3, Rotated: 3}}})
	for _, id := range runs {
		if r := s.get(t, id); r.Status != run.Void {
			t.Errorf("got %+v, want it void", r)
		}
	}
	if wallet := s.tokens(t, burner); len(wallet) != 1 || wallet[0].Tier != burnt.Tier {
		t.Errorf("for the burnt token %+v the wallet has %+v", burnt, wallet)
	}
	s.SealAll(t)
	s.WantValid(t)
}

// TestDamagedRowIsNotVoided checks that a recovery stops at a run that it cannot read, instead of
// ending the others without it. The error names the run: without it the operator would get that of the
// account, whose commitment cannot be replaced during a run.
func TestDamagedRowIsNotVoided(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	id := s.begin(t, s.join(t), run.StartOptions{})
	if err := ledger.MarkRestored(t.Context(), s.Ledger.DB, "a test"); err != nil {
		t.Fatal(err)
	}
	raw := storetest.Raw(t, s.Location)
	if _, err := raw.ExecContext(t.Context(), "UPDATE run SET entropy = '{' WHERE id = $1", id); err != nil {
		t.Fatal(err)
	}
	got, err := s.Recover(t.Context())
	if err == nil || !strings.Contains(err.Error(), "entropy of "+id) || got != (run.Recovered{}) {
		t.Errorf("recovered %+v, error %v, want that of the entropy of %s", got, err, id)
	}
	s.View(t, func(ctx context.Context, tx *store.Tx) error {
		if marked, err := ledger.Marked(ctx, tx); err != nil || !marked {
			t.Errorf("marked %v, error %v", marked, err)
		}
		return nil
	})
}
