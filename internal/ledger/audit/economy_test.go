package audit_test

import (
	"testing"

	"roshambo/internal/ledger/ledgertest"
)

// economy is a ledger with the helpers of these tests.
type economy struct{ *ledgertest.Ledger }

type player = ledgertest.Player

func newEconomy(t testing.TB, o ledgertest.Options) *economy {
	t.Helper()
	return &economy{ledgertest.Open(t, o)}
}

// join opens an account.
func (e *economy) join(t testing.TB) player {
	t.Helper()
	return *e.Join(t)
}
