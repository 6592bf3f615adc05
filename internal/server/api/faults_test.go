package api_test

import (
	"strings"
	"testing"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// unavailable requires the answer for an unknown outcome.
func (a answer) unavailable(t *testing.T) {
	t.Helper()
	a.fails(t, 503, "unavailable")
	if a.header.Get("Retry-After") == "" {
		t.Errorf("%v: 503 without Retry-After", a.request)
	}
}

// TestFaults breaks the commit of a throw and of a claim, stored or not: both look the same to the
// caller, which reads the outcome and continues the game.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]store.Fault{"stored": store.Stored, "not stored": store.NotStored} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			p := s.guest(t)
			r := p.start(t, "")
			s.clock.forward(run.ThrowInterval)
			body := `{"move":"` + s.seeds.move(r, "", game.Win) + `"}`
			// The store retries the first by itself when it was not stored.
			s.faults.plan(fault, fault)
			p.post(t, "/api/runs/"+r.ID+"/throw", body).unavailable(t)
			s.faults.plan()
			r = decode[api.RunOut](t, p.get(t, "/api/runs/"+r.ID).ok(t)).Run
			if happened := len(r.Throws) == 1; happened != (fault == store.Stored) {
				t.Fatalf("the throw happened: %v; the run is %+v", happened, r)
			}
			if len(r.Throws) == 0 {
				r = p.throw(t, r, game.Win).Run
			}
			s.faults.plan(fault, fault)
			p.post(t, "/api/runs/"+r.ID+"/claim", "").unavailable(t)
			s.faults.plan()
			again := p.post(t, "/api/runs/"+r.ID+"/claim", "")
			if fault == store.Stored {
				again.fails(t, 409, "already_claimed")
			} else {
				again.ok(t)
			}
			s.seal(t)
			p.proofVerifies(t, r.ID, "pass", "claimed")
			p.chainIsValid(t)
			if wallet := decode[api.AddressOut](t, p.get(t, "/api/chain/address/"+p.address).ok(t)).Address; len(
				wallet.Tokens) != 1 {
				t.Errorf("%d tokens for one claim", len(wallet.Tokens))
			}
			if !strings.Contains(s.log.String(), "store: unavailable") {
				t.Error("the log does not say why")
			}
		})
	}
}

// TestFaultsOfDuels breaks the commit of every call of a staked duel, stored or not. Each counts
// once, and the duel ends.
func TestFaultsOfDuels(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]store.Fault{"stored": store.Stored, "not stored": store.NotStored} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			ann, bob := s.guest(t), s.guest(t)
			g := s.game(ann.open(t, 100).ID, ann.sender(), bob.sender())
			broken := func(send sender, code string) sender {
				return func(t *testing.T, q request) answer {
					s.faults.plan(fault, fault)
					send(t, q).unavailable(t)
					s.faults.plan()
					again := send(t, q)
					if fault == store.Stored {
						again.fails(t, 409, code)
						again = send(t, request{method: "GET", path: g.path})
					}
					return again
				}
			}
			broken(bob.sender(), "duel_full")(t, g.post("/join", "")).ok(t)
			for i, send := range g.sides {
				g.sides[i] = broken(send, "duel_moved_on")
			}
			d := g.play(t, "rs", "pp", "rs", "-p", "rs")
			if d.Status != "finished" || *d.Winner != "a" || len(d.Rounds) != 5 || s.escrow(t, d.ID) != 0 {
				t.Errorf("%+v, with %d coins in the escrow", d, s.escrow(t, d.ID))
			}
			if a, b := ann.me(t).Balance, bob.me(t).Balance; a != 1100 || b != 900 {
				t.Errorf("balances %d and %d, want 1100 and 900", a, b)
			}
			ann.chainIsValid(t)
		})
	}
}

// TestFaultsOfGuests loses the answer to a new guest: without the cookie, the next call opens
// another guest.
func TestFaultsOfGuests(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.anonymous(t)
	s.faults.plan(store.NotStored, store.NotStored)
	a := p.post(t, "/api/guest", "")
	a.unavailable(t)
	if a.header.Get("Set-Cookie") != "" {
		t.Error("a session was handed out that may not be there")
	}
	p.post(t, "/api/guest", "").ok(t)
}

// TestClosedDatabase closes the database of a running service.
func TestClosedDatabase(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	doc := s.doc
	for _, q := range []request{
		{method: "GET", path: "/api/me"},
		{method: "POST", path: "/api/guest"},
		{method: "GET", path: "/api/chain/head"},
		{method: "GET", path: "/log/checkpoint"},
	} {
		a, err := p.try(t, q)
		if err != nil {
			t.Fatal(err)
		}
		a.unavailable(t)
		for _, problem := range doc.check(a) {
			t.Errorf("%v: %s", q, problem)
		}
	}
	p.get(t, "/api/tiers").ok(t) // needs no database
}
