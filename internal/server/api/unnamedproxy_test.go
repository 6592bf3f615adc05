package api_test

import (
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/edge"
)

// TestUnnamedProxy: clients behind a proxy that the operator has not named share one budget, whatever
// the header says. They are not exempt like clients on this machine.
func TestUnnamedProxy(t *testing.T) {
	t.Parallel()
	accounts, err := limit.NewBudget(limit.Rate{Max: 3, Window: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *edge.Config) {
		c.AccountLimit, c.FreeStarts = accounts.ExemptPrivate(), daily(t, 1)
	})
	for range 5 {
		s.anonymous(t).send(t, request{method: "POST", path: "/api/guest"}).ok(t)
	}
	first := s.guestFrom(t, "198.51.100.1")
	if me := first.me(t); me.Start != "free" {
		t.Errorf("the first account behind the proxy: %+v", me)
	}
	for _, address := range []string{"198.51.100.2", "10.0.0.1"} {
		if me := s.guestFrom(t, address).me(t); me.Start != "bound" {
			t.Errorf("another account behind the proxy, from %s: %+v", address, me)
		}
	}
	s.open(t, "198.51.100.3").accountsRefused(t)
	q := request{method: "POST", path: "/api/guest"}
	q.header = map[string]string{"Forwarded": "for=198.51.100.4"}
	s.anonymous(t).send(t, q).accountsRefused(t)
	s.anonymous(t).send(t, request{method: "POST", path: "/api/guest"}).ok(t)
}
