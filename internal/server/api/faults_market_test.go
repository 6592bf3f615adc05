package api_test

import (
	"fmt"
	"testing"

	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// TestFaultsOfSales breaks the commit of every operation on a token, stored or not. A caller
// that reads the outcome and tries again changes the token once.
func TestFaultsOfSales(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]store.Fault{"stored": store.Stored, "not stored": store.NotStored} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			seller, buyer := s.guest(t), s.guest(t)
			// twice sends a request whose commit breaks, and then repeats it.
			twice := func(p *player, path, body, code string) {
				t.Helper()
				s.faults.plan(fault, fault)
				p.post(t, path, body).unavailable(t)
				s.faults.plan()
				if again := p.post(t, path, body); fault == store.Stored {
					again.fails(t, 409, code)
				} else {
					again.ok(t)
				}
			}
			own := func(p *player) api.Listing {
				t.Helper()
				return decode[api.ListingsOut](t, p.get(t, "/api/market/mine").ok(t)).Listings[0]
			}
			token := seller.win(t)
			twice(seller, "/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":100}`, token.TokenID), "already_listed")
			twice(seller, fmt.Sprintf("/api/market/%d/cancel", own(seller).ID), "", "not_for_sale")
			twice(buyer, fmt.Sprintf("/api/market/%d/buy", seller.sell(t, token, 300).ID), "", "not_for_sale")
			twice(buyer, fmt.Sprintf("/api/buyback/%d/respond", buyer.offer(t, token).ID), `{"accept":true}`, "offer_closed")
			if a, b := seller.me(t).Balance, buyer.me(t).Balance; a != 1293 || b != 1000-300+76 {
				t.Errorf("balances %d and %d, want 1293 and 776", a, b)
			}
			for p, want := range map[*player]int64{seller: 293, buyer: 76 - 300} {
				if got := p.portfolio(t, "").Valuation.Realised; got != want {
					t.Errorf("realised %d, want %d", got, want)
				}
			}
			s.marketIsSound(t)
		})
	}
}
