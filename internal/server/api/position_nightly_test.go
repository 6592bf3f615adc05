//go:build nightly

package api_test

import "testing"

// TestAllPositions is TestPositions for every operation that needs a caller and every read that needs none. On
// PostgreSQL it has two nodes, each by http and by https.
func TestAllPositions(t *testing.T) {
	t.Parallel()
	s := start(t)
	nodes := []*stack{s}
	if other := s.another(t); other != s {
		nodes = append(nodes, other)
	}
	if n := len(s.doc.public(false)); n < 44 {
		t.Errorf("only %d reads need no caller", n)
	}
	newMatrix(t, s, false, nodes...).run(t)
}
