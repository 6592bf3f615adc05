package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"roshambo/internal/server/api"
)

// TestProvenance follows a token from its run through two sales to the house, which destroys it.
func TestProvenance(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b, c := s.guest(t), s.guest(t), s.guest(t)
	token := a.win(t)
	path := fmt.Sprintf("/api/chain/token/%d", token.TokenID)
	read := func() api.TokenState { return decode[api.TokenOut](t, s.anonymous(t).get(t, path).ok(t)).Token }
	hands := []*player{a, b, c}
	for i, price := range []int64{400, 700} {
		s.clock.forward(time.Hour)
		l := hands[i].sell(t, token, price)
		if got := read(); got.Listing == nil || got.Listing.ID != l.ID || len(got.Owners) != i+1 {
			t.Errorf("for sale: %+v", got)
		}
		hands[i+1].post(t, fmt.Sprintf("/api/market/%d/buy", l.ID), "").ok(t)
	}
	got := read() // before sealing
	if got.Listing != nil || *got.Owner != c.address || got.Birth.Winner != a.address || got.Birth.RunID != *got.RunID {
		t.Errorf("got %+v, born %+v", got, got.Birth)
	}
	for i, want := range []struct {
		how   string
		price int64
	}{{"won", 0}, {"bought", 400}, {"bought", 700}} {
		o := got.Owners[i]
		if o.Address != hands[i].address || o.How != want.how || (o.Price != nil) != (want.price > 0) || o.Price != nil &&
			*o.Price != want.price ||
			o.Name == nil || *o.Name != hands[i].me(t).Account.Username {
			t.Errorf("owner %d: %+v, want %s %s for %d", i, o, hands[i].address, want.how, want.price)
		}
		s.anonymous(t).get(t, "/api/chain/tx/"+o.TxHash).ok(t)
	}
	s.anonymous(t).get(t, got.Birth.Proof).ok(t)
	if got.End != nil {
		t.Errorf("it exists, and its end is %+v", got.End)
	}
	s.seal(t) // so that the end is not the last sealed transaction while it is pending
	o := c.offer(t, token)
	paid := decode[api.RespondedOut](t, c.post(t, fmt.Sprintf("/api/buyback/%d/respond", o.ID),
		`{"accept":true}`).ok(t))
	for _, status := range []string{"pending", "sealed"} {
		if got := read(); !got.Burnt || got.Owner != nil || got.End == nil || got.End.How != "bought_back" ||
			got.End.TxHash != *paid.TxHash || got.End.Price == nil || *got.End.Price != o.Price || got.End.Status != status {
			t.Errorf("%s: %+v, its end %+v, want transaction %s for %d", status, got, got.End, *paid.TxHash, o.Price)
		}
		s.seal(t)
	}
	if got := read(); len(got.Owners) != 3 || len(got.Transactions) != 4 {
		t.Errorf("at last: %+v", got)
	}
}

// TestBurntToken: a token burnt to enter a run names that run's transaction, also while it is
// pending, and not another transaction of its owner.
func TestBurntToken(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	token := p.win(t)
	s.seal(t)
	started := decode[api.StartRunOut](t, p.post(t, "/api/runs", fmt.Sprintf(`{"entry":"burn","token_id":%d}`,
		token.TokenID)).ok(t))
	p.post(t, "/api/runs/"+started.Run.ID+"/abandon", "").ok(t)
	for _, status := range []string{"pending", "sealed"} {
		got := decode[api.TokenOut](t, p.get(t, fmt.Sprintf("/api/chain/token/%d", token.TokenID)).ok(t)).Token.End
		if got == nil || got.How != "burnt" || got.Price != nil || got.TxHash != started.Run.StartTx || got.Status != status {
			t.Errorf("%s: %+v, want burnt by %s", status, got, started.Run.StartTx)
		}
		s.seal(t)
	}
}

// TestTokenImage: the picture is immutable, and runs and loads nothing.
func TestTokenImage(t *testing.T) {
	t.Parallel()
	p := start(t).guest(t)
	path := fmt.Sprintf("/api/chain/token/%d/image.svg", p.win(t).TokenID)
	q := request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": "identity"}}
	a := p.send(t, q).ok(t)
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
	q.header["If-None-Match"] = a.header.Get("ETag")
	if again := p.send(t, q); again.status != http.StatusNotModified {
		t.Errorf("asked again: %d", again.status)
	}
	q.header = map[string]string{"Accept-Encoding": "gzip"}
	packed := p.send(t, q).ok(t)
	if unpacked(t, packed.body) != a.body || packed.header.Get("ETag") == a.header.Get("ETag") {
		t.Errorf("with gzip: %v, want the same picture under a tag of its own", packed.header)
	}
	q.header["If-None-Match"] = packed.header.Get("ETag")
	if again := p.send(t, q); again.status != http.StatusNotModified {
		t.Errorf("asked again with gzip: %d", again.status)
	}
	p.get(t, "/api/chain/token/2147483647/image.svg").fails(t, 404, "not_found")
	p.get(t, "/api/chain/token/x/image.svg").invalid(t, "path.token_id int_parsing")
}
