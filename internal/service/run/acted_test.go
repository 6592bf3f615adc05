package run

import (
	"testing"
	"time"
)

// TestActedAt checks that each action of a player is one from which the time of an idle run counts, and
// that an end has the time of the action.
func TestActedAt(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*Run, time.Time) error{
		"continue": (*Run).proceed, "claim": (*Run).claim, "abandon": (*Run).abandon,
	} {
		r := &Run{Status: Deciding, Cleared: 1, ActedAt: noon.Add(-time.Hour)}
		if err := act(r, noon); err != nil || !r.ActedAt.Equal(noon) {
			t.Errorf("%s: acted at %v, error %v", name, r.ActedAt, err)
		}
		if r.Status.Over() != (r.EndedAt != nil) || r.EndedAt != nil && !r.EndedAt.Equal(noon) {
			t.Errorf("%s: %s, ended at %v", name, r.Status, r.EndedAt)
		}
	}
}
