package testseed

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Tour runs prop once with draws that follow from the seed of this run. It is for properties over
// histories, before rapid.Check: a short run draws so few histories that a kind of step may not
// occur, and a tour takes every step, see Each.
func Tour(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	input := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "tour %d %s", Seed(t), t.Name()))).Read(input) // never fails
	done := false
	t.Cleanup(func() {
		if !done && !t.Failed() { // rapid skips the test then, which would look like success
			t.Error("the tour has used up its random bytes")
		}
	})
	rapid.MakeFuzz(func(r *rapid.T) {
		prop(r)
		done = true
	})(t, input)
}

// Each takes every step of a state machine rounds times in a fixed order, where rapid's Repeat
// takes random ones. It runs the step without a name after each other step.
func Each(r *rapid.T, rounds int, steps map[string]func(*rapid.T)) {
	for range rounds {
		for _, name := range slices.Sorted(maps.Keys(steps)) {
			if name == "" {
				continue
			}
			steps[name](r)
			if check := steps[""]; check != nil {
				check(r)
			}
		}
	}
}
