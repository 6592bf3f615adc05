//go:build nightly

package api_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"roshambo/internal/platform/event"
)

// TestFollowThroughInterruptions interrupts streams after any number of bytes, again and again,
// while events are posted: a client that resumes at its last event receives each event once, in
// order.
func TestFollowThroughInterruptions(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	p := s.anonymous(t)
	next := 0
	rapid.Check(t, func(rt *rapid.T) {
		const query = "?topics=feed&topics=duels"
		e := p.follow(rt, query, nil)
		var want, got []string
		parts := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 6).Draw(rt, "posted at once")
		for _, n := range parts {
			var bodies []int
			for range n {
				bodies = append(bodies, next)
				want = append(want, fmt.Sprintf("feed %d", next))
				next++
			}
			s.post(rt, rapid.SampledFrom([]string{event.Feed, event.Duels}).Draw(rt, "topic"), bodies...)
			s.post(rt, event.Blocks, -1) // a topic that is not followed here
			got = append(got, e.take(rt, rapid.IntRange(0, len(want)-len(got)).Draw(rt, "read"))...)
			if rapid.Bool().Draw(rt, "interrupted") {
				e.close()
				e = p.resume(rt, query, e)
			}
		}
		got = append(got, e.take(rt, len(want)-len(got))...)
		e.close()
		if !slices.Equal(got, want) {
			rt.Errorf("got %q, want %q", got, want)
		}
	})
}
