package api_test

import (
	"context"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// impersonal are the operations with an optional caller whose answers hold nothing of their caller.
var impersonal = map[string]bool{"getTV": true, "verifyChain": true}

// alone are the operations with an optional caller that look it up before they read anything.
var alone = map[string]bool{"getTV": true, "verifyChain": true, "followEvents": true}

// afterLookUp is the number of the first statement after the lookup of a caller: Views run twice in tests.
const afterLookUp = 3

// TestOptionalCallersEnd ends the caller of every operation with an optional caller after its lookup and before
// the operation reads anything, or before its snapshot: no answer is about the caller. That of a session is a stranger's.
func TestOptionalCallersEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.each.Use(t, s.db, s.place)
	tried := 0
	for _, o := range s.doc.operations {
		if v := access[o.id]; v.nothing != fine || v.revoked != unauth {
			continue
		}
		tried++
		for name, begin := range map[string]func(*testing.T, *player) (end func(context.Context, *store.Tx) error){
			"session": sessionEnds, "key": keyEnds,
		} {
			p := s.guest(t)
			q := good[o.id](t, p)
			end := begin(t, p)
			p.get(t, "/api/me").ok(t) // stores the first use: the lookup only reads
			at := 1
			if alone[o.id] {
				at = afterLookUp
			}
			s.each.Pause(at, func() { s.within(t, end) })
			a := p.send(t, q)
			switch query := s.each.Failed(); {
			case impersonal[o.id]:
				a.ok(t)
			case query == "":
				t.Errorf("%s reads nothing after the lookup of its caller", o.id)
			case o.id == "followEvents":
				if !strings.HasSuffix(a.ok(t).body, "event: end\ndata: {\"reason\":\"signed_out\"}\n\n") {
					t.Errorf("a stream of an ended %s: %s", name, a.body)
				}
			case name == "session":
				if want := s.anonymous(t).send(t, q); !a.equals(want) {
					t.Errorf("%s: its session ended before %s: it answers %d %s, want %d %s", o.id, query, a.status, a.body,
						want.status, want.body)
				}
			case a.status != 401:
				t.Errorf("%s: its %s ended before %s: it answers %d %s", o.id, name, query, a.status, a.body)
			}
		}
	}
	if tried < 15 {
		t.Errorf("only %d operations have an optional caller", tried)
	}
}

// sessionEnds and keyEnds return what ends the session of a player, and the key that it makes for the player.
func sessionEnds(t *testing.T, p *player) func(context.Context, *store.Tx) error {
	t.Helper()
	token := p.token(t)
	return func(ctx context.Context, tx *store.Tx) error { return p.s.accounts.EndSession(ctx, tx, token) }
}

func keyEnds(t *testing.T, p *player) func(context.Context, *store.Tx) error {
	t.Helper()
	key := p.newKey(t)
	p.bearer = key.Secret
	address, err := chain.ParseAddress(p.address)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, tx *store.Tx) error {
		return p.s.accounts.RevokeKey(ctx, tx, address, key.Key.ID)
	}
}

// TestGuestWhoseSessionEnds: a session that ends while POST /api/guest reads its account gives its browser a new
// account, as one that had ended before.
func TestGuestWhoseSessionEnds(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.each.Use(t, s.db, s.place)
	p := s.guest(t)
	end := sessionEnds(t, p)
	p.get(t, "/api/me").ok(t)
	s.each.Pause(afterLookUp, func() { s.within(t, end) })
	if out := decode[api.GuestOut](t, p.post(t, "/api/guest", "").ok(t)); out.Account.Address == p.address {
		t.Errorf("before %s its session ended, and its account is answered", s.each.Failed())
	}
}
