package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"roshambo/internal/httpapi"
)

// TestProvenance follows a token from the run that it was won in through two sales to the
// house that destroys it.
func TestProvenance(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b, c := s.guest(t), s.guest(t), s.guest(t)
	token := a.win(t)
	path := fmt.Sprintf("/api/chain/token/%d", token.TokenID)
	read := func() httpapi.TokenState { return decode[httpapi.TokenOut](t, s.nobody(t).get(t, path).ok(t)).Token }
	hands := []*player{a, b, c}
	for i, price := range []int64{400, 700} {
		s.clock.forward(time.Hour)
		l := hands[i].sell(t, token, price)
		if got := read(); got.Listing == nil || got.Listing.ID != l.ID || len(got.Owners) != i+1 {
			t.Errorf("for sale: %+v", got)
		}
		hands[i+1].post(t, fmt.Sprintf("/api/market/%d/buy", l.ID), "").ok(t)
	}
	got := read() // before anything is sealed
	if got.Listing != nil || *got.Owner != c.address || got.Birth.Winner != a.address || got.Birth.RunID != *got.RunID {
		t.Errorf("got %+v, born %+v", got, got.Birth)
	}
	for i, want := range []struct {
		how   string
		price int64
	}{{"won", 0}, {"bought", 400}, {"bought", 700}} {
		o := got.Owners[i]
		if o.Address != hands[i].address || o.How != want.how || (o.Price != nil) != (want.price > 0) || o.Price != nil && *o.Price != want.price ||
			o.Name == nil || *o.Name != hands[i].me(t).Account.Username {
			t.Errorf("owner %d: %+v, want %s %s for %d", i, o, hands[i].address, want.how, want.price)
		}
		s.nobody(t).get(t, "/api/chain/tx/"+o.TxHash).ok(t)
	}
	s.nobody(t).get(t, got.Birth.Proof).ok(t)
	o := c.offer(t, token)
	c.post(t, fmt.Sprintf("/api/buyback/%d/respond", o.ID), `{"accept":true}`).ok(t)
	s.seal(t)
	if got := read(); !got.Burnt || got.Owner != nil || len(got.Owners) != 3 || len(got.Transactions) != 4 {
		t.Errorf("at last: %+v", got)
	}
}

// TestTokenImage: a picture that may be kept for good, and that runs and loads nothing.
func TestTokenImage(t *testing.T) {
	t.Parallel()
	p := start(t).guest(t)
	path := fmt.Sprintf("/api/chain/token/%d/image.svg", p.win(t).TokenID)
	a := p.get(t, path).ok(t)
	for name, want := range map[string]string{
		"Content-Type": "image/svg+xml", "Content-Security-Policy": "default-src 'none'; sandbox",
		"Cache-Control": "public, max-age=31536000, immutable",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(a.body, "<svg ") || !strings.Contains(a.body, "<polygon") {
		t.Errorf("got %s", a.body)
	}
	again := p.send(t, request{method: "GET", path: path, header: map[string]string{"If-None-Match": a.header.Get("ETag")}})
	if again.status != http.StatusNotModified {
		t.Errorf("asked again: %d", again.status)
	}
	p.get(t, "/api/chain/token/2147483647/image.svg").fails(t, 404, "not_found")
	p.get(t, "/api/chain/token/x/image.svg").invalid(t, "path.token_id int_parsing")
}
