package account

import (
	"testing"
	"time"

	"roshambo/chain"
)

// TestDoubtsLapse: doubts about which nobody tells how they ended, as of transactions that
// were run again, do not pile up, and those that have not lapsed stay.
func TestDoubtsLapse(t *testing.T) {
	t.Parallel()
	var c callers
	now := time.Unix(1_700_000_000, 0)
	const lasts, atOnce = 10, 7
	most := 0
	for i := range 10_000 {
		who := subject{account: chain.Address{byte(i >> 8), byte(i), 1}}
		c.doubt(who, now, now.Add(lasts*time.Second))
		for range i % 3 { // the closure again
			c.doubt(who, now, now.Add(lasts*time.Second))
		}
		if i%3 == 0 {
			c.settle(who)
		}
		if i%atOnce == 0 {
			now = now.Add(time.Second)
		}
		most = max(most, len(c.doubted))
	}
	if most > 2*max(minCrowded, lasts*atOnce) {
		t.Errorf("%d doubts at a time, of which at most %d counted", most, lasts*atOnce)
	}
	stay := subject{account: chain.Address{1}}
	c.doubt(stay, now, now.Add(time.Hour))
	for i := range 1000 {
		c.doubt(subject{account: chain.Address{2, byte(i >> 8), byte(i)}}, now, now.Add(time.Second))
		now = now.Add(time.Second)
	}
	if c.doubted[stay].open != 1 {
		t.Error("a doubt that has not lapsed is gone")
	}
}
