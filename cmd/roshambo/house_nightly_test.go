//go:build nightly

package main

import (
	"net/http"
	"regexp"
	"testing"
)

// hosting is the log line of the node that has taken over the house bots.
var hosting = regexp.MustCompile(`lease=house fence=`)

// bearer is a transport that adds an API key.
type bearer string

// RoundTrip implements http.RoundTripper.
func (key bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}

// houseMoves kills the node that runs the house bots with SIGKILL, after one of them has
// committed to a move. The bots on the other node recover and reveal it: no round is forfeited.
func houseMoves(t *testing.T, url string) {
	f := newFleet(t, url, 2, "--house-bots")
	host := f.holder(t, "house")
	stays := f.nodes[1-host]
	owner, err := newVisitor(t.Context(), stays.url)
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ Secret string }
	if err := owner.call(t.Context(), "POST", "/api/bots", `{"name":"rival"}`, &made); err != nil {
		t.Fatal(err)
	}
	bot := &visitor{url: stays.url, client: &http.Client{Transport: bearer(made.Secret)}}
	var place struct {
		Duel *struct{ ID, You string }
	}
	for place.Duel == nil {
		if err := bot.call(t.Context(), "POST", "/api/arena/queue", "", &place); err != nil {
			t.Fatal(err)
		}
	}
	code, side := place.Duel.ID, map[string]int{"a": 0, "b": 1}[place.Duel.You]
	until := func(is func(d *duelView) bool) *duelView {
		for version := int64(-1); ; {
			d, err := bot.awaitDuel(t.Context(), code, version)
			if err != nil {
				t.Fatal(err)
			}
			if is(d) {
				return d
			}
			version = d.Version
		}
	}
	both := func(d *duelView) []bool { return []bool{d.Rounds[0].Committed.A, d.Rounds[0].Committed.B} }
	d := until(func(d *duelView) bool { return both(d)[1-side] })
	if err := f.nodes[host].kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := stays.await(hosting); err != nil {
		t.Fatal(err)
	}
	for range 2 { // commit and reveal
		var out struct{ Duel duelView }
		action, body := step(d, side)
		if err := bot.call(t.Context(), "POST", "/api/duels/"+code+action, body, &out); err != nil {
			t.Fatal(err)
		}
		d = &out.Duel
	}
	d = until(func(d *duelView) bool { return d.Rounds[0].Outcome != "pending" })
	if r := d.Rounds[0]; r.ForfeitedBy != nil || r.MoveA == nil || r.MoveB == nil {
		t.Errorf("the round in which the node was killed is %+v, want both revealed", r)
	}
	if err := stays.stop(); err != nil {
		t.Errorf("the other node ended with %v:\n%s", err, stays.logged())
	}
}
