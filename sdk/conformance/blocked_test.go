package conformance

import "testing"

// TestBlockedLoop requires that the asyncio client reports a service that does not answer as such, and not as a
// cancellation, in a loop that is blocked while the connection opens, and that a stream ends with the caller's limit.
func TestBlockedLoop(t *testing.T) {
	t.Parallel()
	out, err := inPython(t, "testdata/blocked.py").CombinedOutput()
	if want := "connection\ntimeout\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}
