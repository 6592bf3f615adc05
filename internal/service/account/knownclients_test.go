package account

import (
	"net/netip"
	"testing"
	"time"
)

// TestKnownClientsExpire checks that network addresses are known for 48 hours and then forgotten.
func TestKnownClientsExpire(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	s := &Service{Now: func() time.Time { return now }}
	client := netip.MustParseAddr("192.0.2.1")
	s.clients.add("ann", client, now)
	for _, step := range []struct {
		wait time.Duration
		kept int
	}{{clientLife - time.Nanosecond, 1}, {time.Nanosecond, 0}} {
		now = now.Add(step.wait)
		s.DropKnownClients()
		if len(s.clients.at) != step.kept || s.clients.has("ann", client, now) != (step.kept == 1) {
			t.Errorf("after %v more %d addresses are kept, want %d", step.wait, len(s.clients.at), step.kept)
		}
	}
}
