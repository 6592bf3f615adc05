package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// win plays a run that ends with a token, after the given outcomes.
func (p *player) win(t *testing.T, more ...game.Outcome) api.Token {
	t.Helper()
	r := p.play(t, p.start(t, ""), append(more, game.Win)...)
	return decode[api.ClaimOut](t, p.post(t, "/api/runs/"+r.ID+"/claim", "").ok(t)).Token
}

// list wins a token and puts it up for sale.
func (p *player) list(t *testing.T, price int64) api.Listing {
	t.Helper()
	return p.sell(t, p.win(t), price)
}

// sell puts a token up for sale.
func (p *player) sell(t *testing.T, token api.Token, price int64) api.Listing {
	t.Helper()
	body := fmt.Sprintf(`{"token_id":%d,"price":%d}`, token.TokenID, price)
	return decode[api.ListingOut](t, p.post(t, "/api/market/list", body).ok(t)).Listing
}

// offer has the house make an offer for a token.
func (p *player) offer(t *testing.T, token api.Token) api.Offer {
	t.Helper()
	body := fmt.Sprintf(`{"token_id":%d}`, token.TokenID)
	return decode[api.OfferOut](t, p.post(t, "/api/buyback/offer", body).ok(t)).Offer
}

// with CSRF token, as the page sends it.
func (p *player) writing(path, body string) request {
	return request{"POST", path, body, map[string]string{"X-CSRF-Token": p.csrf}}
}

// marketIsSound checks that the chain re-derives every balance and owner, and that the market's
// statistics match its listings and sales.
func (s *stack) marketIsSound(t *testing.T) {
	t.Helper()
	s.seal(t)
	s.anonymous(t).chainIsValid(t)
	err := s.db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		wrong, err := s.market.Check(ctx, tx)
		for _, d := range wrong {
			t.Errorf("%s: expected %s, found %s", d.What, d.Expected, d.Found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSale(t *testing.T) {
	t.Parallel()
	s := start(t)
	seller, buyer := s.guest(t), s.guest(t)
	token := seller.win(t)
	l := seller.sell(t, token, 399)
	if l.Status != "active" || l.Price != 399 || l.TokenID != token.TokenID || l.Seller != seller.address ||
		l.SellerName == nil || l.Material != "Clay" {
		t.Errorf("listed: %+v", l)
	}
	shown := decode[api.MarketOut](t, s.anonymous(t).get(t, "/api/market").ok(t))
	if len(shown.Listings) != 1 || shown.Listings[0].ID != l.ID || *shown.Floors[0].Floor != 399 ||
		shown.Floors[0].Depth != 1 {
		t.Errorf("the market shows %+v and %+v", shown.Listings, shown.Floors[0])
	}
	before := seller.me(t).Balance
	s.clock.forward(time.Minute)
	bought := decode[api.BoughtOut](t, buyer.post(t, fmt.Sprintf("/api/market/%d/buy", l.ID), "").ok(t))
	// 2.5 % of 399 are 9.975; the fraction of a coin is the seller's.
	if bought.Fee != 9 || bought.Balance != 1000-399 || bought.Listing.Status != "sold" ||
		*bought.Listing.Buyer != buyer.address || *bought.Listing.TxHash != bought.TxHash {
		t.Errorf("bought: %+v", bought)
	}
	if got := seller.me(t).Balance; got != before+390 {
		t.Errorf("the seller has %d coins, want %d", got, before+390)
	}
	wallet := decode[api.AddressOut](t, buyer.get(t, "/api/chain/address/"+buyer.address).ok(t)).Address.Tokens
	if len(wallet) != 1 || wallet[0].TokenID != token.TokenID {
		t.Errorf("the buyer holds %+v", wallet)
	}
	shown = decode[api.MarketOut](t, s.anonymous(t).get(t, "/api/market").ok(t))
	if f := shown.Floors[0]; len(shown.Listings) != 0 || f.Floor != nil || f.Depth != 0 || f.LastSale.Price != 399 ||
		f.Volume24h != (api.Volume{Sales: 1, Coins: 399}) || f.Volume30d != f.Volume24h {
		t.Errorf("the market shows %+v and %+v", shown.Listings, f)
	}
	if r := shown.ReferencePrices[0]; r.Basis != "rules" || r.N != 1 || r.Price != 96 || r.Value != 96 {
		t.Errorf("reference price %+v, want the rules' value after one sale", r)
	}
	prices := decode[api.PricesOut](t, buyer.get(t, "/api/market/prices?tier=1").ok(t))
	want := api.DayPrices{Tier: 1, Material: "Clay", Date: "2026-11-20", Open: 399, High: 399, Low: 399, Close: 399,
		Sales: 1, Coins: 399}
	if len(prices.Prices) != 1 || prices.Prices[0] != want || len(prices.Sales) != 1 ||
		prices.Sales[0].TokenID != token.TokenID {
		t.Errorf("prices %+v, want %+v", prices, want)
	}
	s.marketIsSound(t)
}

// TestSaleRefused: each refused sale has its code, and nothing has moved.
func TestSaleRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	seller, buyer := s.guest(t), s.guest(t)
	token := seller.win(t)
	body := fmt.Sprintf(`{"token_id":%d,"price":1001}`, token.TokenID)
	buyer.post(t, "/api/market/list", body).fails(t, 409, "not_owner")
	buyer.post(t, "/api/market/list", `{"token_id":2147483647,"price":1}`).fails(t, 409, "not_owner")
	l := seller.sell(t, token, 1001)
	path := fmt.Sprintf("/api/market/%d/", l.ID)
	seller.post(t, "/api/market/list", body).fails(t, 409, "already_listed")
	seller.post(t, path+"buy", "").fails(t, 409, "own_listing")
	if e := buyer.post(t, path+"buy", "").fails(t, 409, "insufficient_funds"); *e.Balance != 1000 || e.Needed != 1001 {
		t.Errorf("balance %d, needed %d, want 1000 and 1001", *e.Balance, e.Needed)
	}
	buyer.post(t, path+"cancel", "").fails(t, 403, "forbidden")
	buyer.post(t, "/api/market/2147483647/buy", "").fails(t, 404, "not_found")
	buyer.post(t, "/api/market/2147483647/cancel", "").fails(t, 404, "not_found")
	buyer.get(t, "/api/market/listings/2147483647").fails(t, 404, "not_found")

	// Locked for every use; there is no other token to burn.
	burn := fmt.Sprintf(`{"entry":"burn","token_id":%d}`, token.TokenID)
	seller.post(t, "/api/runs", burn).fails(t, 409, "already_listed")
	seller.post(t, "/api/runs", `{"entry":"burn"}`).fails(t, 409, "no_token")
	seller.post(t, "/api/buyback/offer", fmt.Sprintf(`{"token_id":%d}`, token.TokenID)).fails(t, 409, "already_listed")

	seller.post(t, path+"cancel", "").ok(t)
	seller.post(t, path+"cancel", "").fails(t, 409, "not_for_sale")
	buyer.post(t, path+"buy", "").fails(t, 409, "not_for_sale")
	seller.sell(t, token, 10) // unlocked again
	s.marketIsSound(t)
}

func TestMarketBounds(t *testing.T) {
	t.Parallel()
	p := start(t).guest(t)
	p.post(t, "/api/market/list", `{"token_id":1,"price":0}`).invalid(t, "body.price greater_than_equal")
	p.post(t, "/api/market/list", `{"token_id":1,"price":2147483648}`).invalid(t, "body.price less_than_equal")
	p.post(t, "/api/market/list", `{"token_id":-1,"price":"1"}`).invalid(t, "body.token_id greater_than_equal",
		"body.price int_type")
	p.get(t, "/api/market?tier=65&sort=cheap").invalid(t, "query.tier less_than_equal", "query.sort enum")
	p.get(t, "/api/market?tier=64").ok(t)
	p.get(t, "/api/market?tier=0").ok(t)
	p.get(t, "/api/market?cursor=bm9uZQ").fails(t, 400, "bad_request")
	p.get(t, "/api/market/prices?tier=64&days=365").ok(t)
	p.sell(t, p.win(t), 2147483647)
}

// TestOwnBots: a player and its bots are one party, and cannot trade with each other.
func TestOwnBots(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	one, two := p.newBot(t, newName()), p.newBot(t, newName())
	l := p.list(t, 10)
	buy := request{method: "POST", path: fmt.Sprintf("/api/market/%d/buy", l.ID)}
	s.bearer(t, one.Secret, buy).fails(t, 409, "own_listing")
	// A bot sells a token that it has bought from another player, but not to its own party.
	other := s.guest(t)
	buy.path = fmt.Sprintf("/api/market/%d/buy", other.list(t, 10).ID)
	bought := decode[api.BoughtOut](t, s.bearer(t, one.Secret, buy).ok(t))
	list := request{method: "POST", path: "/api/market/list", body: fmt.Sprintf(`{"token_id":%d,"price":20}`,
		bought.Token.TokenID)}
	bots := decode[api.ListingOut](t, s.bearer(t, one.Secret, list).ok(t)).Listing
	buy.path = fmt.Sprintf("/api/market/%d/buy", bots.ID)
	s.bearer(t, two.Secret, buy).fails(t, 409, "own_listing")
	p.post(t, buy.path, "").fails(t, 409, "own_listing")
	p.post(t, fmt.Sprintf("/api/market/%d/cancel", bots.ID), "").fails(t, 403, "forbidden")
	other.post(t, buy.path, "").ok(t)
	s.marketIsSound(t)
}

func TestBuyersAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	seller := s.guest(t)
	l := seller.list(t, 100)
	path := fmt.Sprintf("/api/market/%d/buy", l.ID)
	buyers := []*player{s.guest(t), s.guest(t), s.guest(t), s.guest(t)}
	var requests []attemptBy
	for range 3 {
		for _, b := range buyers {
			requests = append(requests, attemptBy{b, b.writing(path, "")})
		}
	}
	bought := decode[api.BoughtOut](t, oneOf(t, atOnce(t, requests), "not_for_sale", "own_listing"))
	paid := 0
	for _, b := range buyers {
		if b.me(t).Balance == 900 {
			paid++
			if *bought.Listing.Buyer != b.address {
				t.Errorf("%s has paid, %s has the token", b.address, *bought.Listing.Buyer)
			}
		}
	}
	if paid != 1 {
		t.Errorf("%d have paid, want 1", paid)
	}
	s.marketIsSound(t)
}

// TestBuyAgainstCancel: of a purchase and a cancellation one is first.
func TestBuyAgainstCancel(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 6 {
		seller, buyer := s.guest(t), s.guest(t)
		path := fmt.Sprintf("/api/market/%d/", seller.list(t, 100).ID)
		oneOf(t, atOnce(t, []attemptBy{
			{seller, seller.writing(path+"cancel", "")}, {buyer, buyer.writing(path+"buy", "")},
			{seller, seller.writing(path+"cancel", "")}, {buyer, buyer.writing(path+"buy", "")},
		}), "not_for_sale")
	}
	s.marketIsSound(t)
}

// TestFatesAtOnce lists, burns and sells a token to the house concurrently: one happens, or the
// listing was first and closes the offer.
func TestFatesAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 6 {
		p := s.guest(t)
		token := p.win(t)
		o := p.offer(t, token)
		oneOf(t, atOnce(t, []attemptBy{
			{p, p.writing("/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":5}`, token.TokenID))},
			{p, p.writing("/api/runs", fmt.Sprintf(`{"entry":"burn","token_id":%d}`, token.TokenID))},
			{p, p.writing(fmt.Sprintf("/api/buyback/%d/respond", o.ID), `{"accept":true}`)},
			{p, p.writing(fmt.Sprintf("/api/buyback/%d/respond", o.ID), `{"accept":true}`)},
		}), "not_owner", "already_listed", "offer_closed")
	}
	s.marketIsSound(t)
}

// TestMarketPages pages through the market by the cursor alone, which contains order and tier.
func TestMarketPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	var want []int64 // of tier 1, the highest price first
	for _, price := range []int64{30, 20, 20} {
		want = append(want, p.list(t, price).ID)
	}
	want[1], want[2] = want[2], want[1] // of equal prices the later one first
	other := s.guest(t)
	r := other.play(t, other.start(t, ""), game.Win)
	r = decode[api.RunOut](t, other.post(t, "/api/runs/"+r.ID+"/continue", "").ok(t)).Run
	r = other.play(t, r, game.Win)
	other.sell(t, decode[api.ClaimOut](t, other.post(t, "/api/runs/"+r.ID+"/claim", "").ok(t)).Token, 25) // of tier 2
	var got []int64
	query := "?tier=1&sort=price_desc&limit=1"
	for {
		shown := decode[api.MarketOut](t, s.anonymous(t).get(t, "/api/market"+query).ok(t))
		for _, l := range shown.Listings {
			got = append(got, l.ID)
		}
		if len(shown.Floors) != 3 || shown.Floors[1].Depth != 1 {
			t.Errorf("%s: floors %+v, want those of all tiers", query, shown.Floors)
		}
		if shown.Next == nil {
			break
		}
		query = "?limit=1&cursor=" + *shown.Next
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// A cached answer is not reused after a change.
	p.post(t, fmt.Sprintf("/api/market/%d/cancel", want[0]), "").ok(t)
	shown := decode[api.MarketOut](t, s.anonymous(t).get(t, "/api/market?tier=1&sort=price_desc&limit=1").ok(t))
	if shown.Listings[0].ID != want[1] || shown.Floors[0].Depth != 2 {
		t.Errorf("after a cancelling: %+v", shown.Listings)
	}
}

// TestMarketEvents: all followers of the market see listings open and close, only the seller sees
// the sale, and only the owner an offer.
func TestMarketEvents(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	seller, buyer := s.guest(t), s.guest(t)
	public, private, other := s.anonymous(t).follow(t, "?topics=market", nil), seller.follow(t, "?topics=account", nil),
		buyer.follow(t, "?topics=account", nil)
	token := seller.win(t)
	o := seller.offer(t, token)
	l := seller.sell(t, token, 100)
	buyer.post(t, fmt.Sprintf("/api/market/%d/buy", l.ID), "").ok(t)
	buyer.offer(t, token)
	told := func(status string) string {
		return fmt.Sprintf(`{"listing_id":%d,"token_id":%d,"tier":1,"price":100,"seller":"%s","status":"%s"}`, l.ID,
			token.TokenID, seller.address, status)
	}
	want := []string{"listing " + told("active"), "listing " + told("sold")}
	if got := public.take(t, 2); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("in public: %q, want %q", got, want)
	}
	offered := func(status string) string {
		return fmt.Sprintf(`offer {"offer_id":%d,"token_id":%d,"price":76,"status":"%s","expires_at":"2026-11-20T12:`, o.ID,
			token.TokenID, status)
	}
	got := private.take(t, 3)
	for i, want := range []string{offered("open"), offered("void"), "sold " + told("sold")} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("the seller gets %q, want %q", got[i], want)
		}
	}
	if got := other.take(t, 1)[0]; !strings.Contains(got, `"status":"open"`) {
		t.Errorf("the buyer gets %q, want an offer", got)
	}
	public.close()
	private.close()
	other.close()
}
