package api_test

import (
	"reflect"
	"testing"

	"roshambo/internal/server/api"
)

// TestGuestWithMe opens an account and reads it in one call, as the page does with the first tap on a hand.
func TestGuestWithMe(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.anonymous(t)
	if plain := decode[api.GuestOut](t, s.anonymous(t).post(t, "/api/guest", "").ok(t)); plain.Me != nil {
		t.Errorf("POST /api/guest: got me %+v, want it with me=true alone", plain.Me)
	}
	opened := decode[api.GuestOut](t, p.post(t, "/api/guest?me=true", "").ok(t))
	p.csrf = opened.CSRFToken
	s.tokens.add(p.csrf)
	want := decode[api.MeOut](t, p.get(t, "/api/me").ok(t))
	again := decode[api.GuestOut](t, p.post(t, "/api/guest?me=true", "").ok(t))
	for name, got := range map[string]*api.MeOut{"a new session": opened.Me, "a session": again.Me} {
		if got == nil {
			t.Errorf("%s: got no me, want %+v", name, want)
			continue
		}
		// The block of the commitment may come between two calls.
		got.NextCommitment.Height, want.NextCommitment.Height = nil, nil
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got me %+v, want %+v", name, *got, want)
		}
	}
}
