package ledger

import (
	"fmt"
	"testing"

	"roshambo/chain"
)

// TestHeightsCached checks that the cache keeps what was added or asked for lately, and that two
// generations bound it.
func TestHeightsCached(t *testing.T) {
	t.Parallel()
	hash := func(n int) chain.Hash { return chain.Hash{byte(n), byte(n >> 8), byte(n >> 16)} }
	var h heights
	for n := range 4 * heightsKept {
		h.put(hash(n), int64(n))
		if got, ok := h.get(hash(n)); !ok || got != int64(n) {
			t.Fatalf("%d: height %d, %v", n, got, ok)
		}
		if got, ok := h.get(hash(0)); !ok || got != 0 { // asked for all the time
			t.Fatalf("after %d others: height %d, %v", n, got, ok)
		}
		if len(h.young) > heightsKept || len(h.old) > heightsKept {
			t.Fatalf("%d and %d entries", len(h.young), len(h.old))
		}
	}
	if height, ok := h.get(hash(1)); ok {
		t.Errorf("an old transaction is kept at %d", height)
	}
}

// TestCreatesGame checks which steps begin a game.
func TestCreatesGame(t *testing.T) {
	t.Parallel()
	for step := range chain.StepClose + 5 {
		want := step == chain.StepStart || step == chain.StepClose
		if got := createsGame(&chain.GameEffect{Step: step}); got != want {
			t.Error(fmt.Sprint("step ", step, ": ", got, ", want ", want))
		}
	}
}
