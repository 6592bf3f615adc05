package api_test

import (
	"context"
	"net/http"
	"testing"

	"roshambo/internal/ledger"
	"roshambo/internal/server/edge"
	"roshambo/internal/store"
)

// TestRecovering checks what callers get while the database is behind the signed log: writes are refused,
// and answers to reads say that they may be older.
func TestRecovering(t *testing.T) {
	t.Parallel()
	recovering := false
	s := start(t, func(c *edge.Config) {
		c.Recovering = func() bool { return recovering }
		c.TrustedProxies, c.NetworkKey = []string{"127.0.0.1"}, []byte("of the test")
	})
	p := s.guest(t)
	if header := p.get(t, "/api/me").ok(t).header.Get("Roshambo-Recovering"); header != "" {
		t.Errorf("a sound service says %q", header)
	}
	recovering = true
	s.db.Guard(func(context.Context, *store.Tx) error { return ledger.ErrRecovering })
	a := p.post(t, "/api/runs", `{"client_seed":"mine"}`)
	a.fails(t, http.StatusServiceUnavailable, "recovering")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	// From a network that the look-up would record.
	read := p.send(t, request{"GET", "/api/tv", "", from("192.0.2.1")}).ok(t)
	if header := read.header.Get("Roshambo-Recovering"); header != "1" {
		t.Errorf("a read says %q", header)
	}
}
