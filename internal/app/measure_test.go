package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkObserved is a request that reads a little, in memory: nobody counts it, or
// metrics do.
func BenchmarkObserved(b *testing.B) {
	for _, tt := range []struct{ name, admin string }{{"nobody", ""}, {"metrics", "127.0.0.1:0"}} {
		b.Run(tt.name, func(b *testing.B) {
			c := config(b.TempDir())
			c.AdminListen, c.RateLimit = tt.admin, 0
			s, err := open(b.Context(), c)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := s.db.Close(); err != nil {
					b.Error(err)
				}
			})
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				s.api.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/api/chain/head", nil))
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
