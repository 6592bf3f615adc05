//go:build nightly

package api_test

import (
	"slices"
	"testing"
)

// perDatabase is after how many operations a new database begins: each case reads all of it, several times.
const perDatabase = 8

// TestAllEndedAtEachStatement is TestEndedAtEachStatement for all operations that change something.
func TestAllEndedAtEachStatement(t *testing.T) {
	t.Parallel()
	for _, how := range endings {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			r := race(t)
			var ids []string
			for _, o := range r.s.doc.operations {
				if o.method != "GET" && how.of(access[o.id]) {
					ids = append(ids, o.id)
				}
			}
			refused, blocked := 0, 0
			for some := range slices.Chunk(ids, perDatabase) {
				if r == nil {
					r = race(t)
				}
				r.all(t, how, some...)
				refused, blocked, r = refused+r.refused, blocked+r.blocked, nil
			}
			if refused == 0 || blocked == 0 {
				t.Errorf("%d operations were refused, and %d waited or were waited for", refused, blocked)
			}
		})
	}
}
