package api_test

import (
	"fmt"
	"testing"
	"time"

	"roshambo/internal/server/api"
)

func TestBuyback(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	token := p.win(t)
	o := p.offer(t, token)
	if o.Status != "open" || o.Price != 76 || o.ExpiresAt.Sub(o.OfferedAt.Time) != time.Minute { // 80 % of 96 are 76.8
		t.Errorf("offered: %+v", o)
	}
	s.clock.forward(30 * time.Second)
	if again := p.offer(t, token); again != o {
		t.Errorf("asked again: %+v, want the open offer %+v", again, o)
	}
	path := fmt.Sprintf("/api/buyback/%d", o.ID)
	other := s.guest(t)
	other.get(t, path).fails(t, 403, "forbidden")
	other.post(t, path+"/respond", `{"accept":true}`).fails(t, 403, "forbidden")
	p.get(t, "/api/buyback/2147483647").fails(t, 404, "not_found")
	p.post(t, "/api/buyback/2147483647/respond", `{"accept":true}`).fails(t, 404, "not_found")
	s.clock.forward(29*time.Second + 999*time.Millisecond)
	before := p.me(t).Balance
	done := decode[api.RespondedOut](t, p.post(t, path+"/respond", `{"accept":true}`).ok(t))
	if done.Offer.Status != "accepted" || *done.Balance != before+76 || *done.TxHash != *done.Offer.TxHash {
		t.Errorf("accepted: %+v", done)
	}
	if e := p.post(t, path+"/respond", `{"accept":false}`).fails(t, 409, "offer_closed"); e.Status != "accepted" {
		t.Errorf("status %q, want accepted", e.Status)
	}
	p.post(t, "/api/buyback/offer", fmt.Sprintf(`{"token_id":%d}`, token.TokenID)).fails(t, 409, "not_owner")
	s.seal(t)
	if state := decode[api.TokenOut](t, p.get(t, fmt.Sprintf("/api/chain/token/%d",
		token.TokenID)).ok(t)).Token; !state.Burnt {
		t.Errorf("the token is %+v, want it burnt", state)
	}
	s.marketIsSound(t)
}

// TestOfferCloses closes an offer in every way in which the house does not buy.
func TestOfferCloses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status string
		end    func(t *testing.T, p *player, token api.Token, path string)
	}{
		{"declined", func(t *testing.T, p *player, _ api.Token, path string) {
			p.post(t, path+"/respond", `{"accept":false}`).ok(t)
		}},
		{"expired", func(_ *testing.T, p *player, _ api.Token, _ string) { p.s.clock.forward(time.Minute) }},
		{"expired", func(t *testing.T, p *player, token api.Token, _ string) {
			p.s.clock.forward(time.Minute)
			p.sell(t, token, 5) // too late to make it void
		}},
		{"void", func(t *testing.T, p *player, token api.Token, _ string) {
			l := p.sell(t, token, 5)
			p.post(t, fmt.Sprintf("/api/market/%d/cancel", l.ID), "").ok(t) // which does not reopen the offer
		}},
		{"void", func(t *testing.T, p *player, token api.Token, _ string) {
			p.post(t, "/api/runs", fmt.Sprintf(`{"entry":"burn","token_id":%d}`, token.TokenID)).ok(t)
		}},
	} {
		s := start(t)
		p := s.guest(t)
		token := p.win(t)
		path := fmt.Sprintf("/api/buyback/%d", p.offer(t, token).ID)
		c.end(t, p, token, path)
		if got := decode[api.OfferOut](t, p.get(t, path).ok(t)).Offer.Status; got != c.status {
			t.Errorf("read as %s, want %s", got, c.status)
		}
		for _, accept := range []string{"true", "false"} {
			e := p.post(t, path+"/respond", `{"accept":`+accept+`}`).fails(t, 409, "offer_closed")
			if e.Status != c.status {
				t.Errorf("closed as %s, want %s", e.Status, c.status)
			}
		}
		s.marketIsSound(t)
	}
}

// TestOfferAfterOffer: a closed offer allows the next.
func TestOfferAfterOffer(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	token := p.win(t)
	first := p.offer(t, token)
	s.clock.forward(time.Minute)
	second := p.offer(t, token)
	if second.ID == first.ID || second.Status != "open" {
		t.Errorf("after an expired offer: %+v", second)
	}
	p.post(t, fmt.Sprintf("/api/buyback/%d/respond", second.ID), `{"accept":false}`).ok(t)
	if third := p.offer(t, token); third.ID == second.ID || third.Status != "open" {
		t.Errorf("after a declined offer: %+v", third)
	}
}
