package account

import (
	"testing"
	"time"

	"roshambo/chain"
)

// TestPendingChangesExpire checks that pending changes without an outcome, such as those of
// retried transactions, do not accumulate, and that unexpired ones stay.
func TestPendingChangesExpire(t *testing.T) {
	t.Parallel()
	var c callerCache
	now := time.Unix(1_700_000_000, 0)
	const lasts, atOnce = 10, 7
	most := 0
	for i := range 10_000 {
		who := subject{account: chain.Address{byte(i >> 8), byte(i), 1}}
		c.beginChange(who, now, now.Add(lasts*time.Second))
		for range i % 3 { // retries
			c.beginChange(who, now, now.Add(lasts*time.Second))
		}
		if i%3 == 0 {
			c.endChange(who)
		}
		if i%atOnce == 0 {
			now = now.Add(time.Second)
		}
		most = max(most, len(c.pending))
	}
	if most > 2*max(minPrune, lasts*atOnce) {
		t.Errorf("%d pending changes at a time, at most %d of them unexpired", most, lasts*atOnce)
	}
	stay := subject{account: chain.Address{1}}
	c.beginChange(stay, now, now.Add(time.Hour))
	for i := range 1000 {
		c.beginChange(subject{account: chain.Address{2, byte(i >> 8), byte(i)}}, now, now.Add(time.Second))
		now = now.Add(time.Second)
	}
	if c.pending[stay].open != 1 {
		t.Error("an unexpired change is gone")
	}
}
