package conformance

import "testing"

// TestBlockedLoop requires that the asyncio client reports a service that does not answer as such, and not as a
// cancellation, in a loop that is blocked while the connection opens.
func TestBlockedLoop(t *testing.T) {
	t.Parallel()
	out, err := inPython(t, "testdata/blocked.py").CombinedOutput()
	if err != nil || string(out) != "connection" {
		t.Errorf("%v: %s, want connection", err, out)
	}
}
