package account

import (
	"net/netip"
	"testing"
	"time"
)

// TestKnownClientsAreBounded checks that a new address beyond the bound replaces one, and that a known one
// replaces none.
func TestKnownClientsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	var k knownClients
	client := netip.MustParseAddr("2001:db8::")
	for n := 1; n <= maxKnownClients+1; n++ {
		client = client.Next()
		k.add("ann", client, now)
		if want := min(n, maxKnownClients); len(k.at) != want || !k.has("ann", client, now) {
			t.Fatalf("%d addresses are known after %d, want %d with the newest", len(k.at), n, want)
		}
	}
	if k.add("ann", client, now); len(k.at) != maxKnownClients {
		t.Errorf("%d addresses are known, want %d", len(k.at), maxKnownClients)
	}
}

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
