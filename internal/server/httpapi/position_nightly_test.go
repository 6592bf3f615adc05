//go:build nightly

package httpapi_test

import "testing"

// TestAllPositions is TestPositions for every operation that needs a caller. On PostgreSQL it has two nodes, each
// by http and by https.
func TestAllPositions(t *testing.T) {
	t.Parallel()
	s := start(t)
	nodes := []*stack{s}
	if other := s.another(t); other != s {
		nodes = append(nodes, other)
	}
	newMatrix(t, s, false, nodes...).run(t)
}
