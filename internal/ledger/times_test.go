package ledger_test

import (
	"testing"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestTimesFitTheBlocks checks that a replay accepts the times of transactions that have waited for
// long, that were posted by a node whose clock is ahead, and after the clock was set back a little.
func TestTimesFitTheBlocks(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	e.Faucets(t, ann, ledger.MaxBlock+5)
	e.Clock.Add(10 * time.Minute) // while no node seals
	e.SealAll(t)
	e.WantValid(t)

	ahead := ledgertest.Faucet(ann)
	ahead.Time = e.Clock.Now().Add(store.ClockTolerance)
	e.MustPost(t, ahead)
	e.SealAll(t)
	e.Faucets(t, ann, 1)
	e.WantValid(t) // while it is pending
	e.SealAll(t)
	e.WantValid(t)

	e.Clock.Add(-20 * time.Second)
	e.Faucets(t, ann, 1)
	e.SealAll(t)
	e.WantValid(t)
}
