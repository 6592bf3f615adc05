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

// Tour runs prop once with draws that follow from the seed of this run. It is for properties
// over histories, before rapid.Check: a short run draws so few of them that a kind of step may
// be left out by chance, and a tour takes them all, see Each.
func Tour(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	input := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "tour %d %s", Seed(t), t.Name()))).Read(input) // never fails
	done := false
	t.Cleanup(func() {
		if !done && !t.Failed() { // rapid skips the test then, which would look like success
			t.Error("the tour has no chance left to draw from")
		}
	})
	rapid.MakeFuzz(func(r *rapid.T) {
		prop(r)
		done = true
	})(t, input)
}

// Each takes every step of a state machine so many times, always in the same order, as
// rapid's Repeat takes some of them: the one without a name is taken after each other.
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
