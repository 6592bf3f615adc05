//go:build nightly

package api_test

import "testing"

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
			r.run(t, how, ids...)
		})
	}
}
