package sim

import "fmt"

// listing and offer are a listing and an offer of the house as they were seen.
type (
	listing struct {
		ID, TokenID   int64
		Seller, Buyer string
		Status        string
		Price         int64
	}
	offerView struct {
		ID, TokenID int64
		Status      string
	}
)

func (s *sim) listToken(p *player) *action {
	if p == nil || len(p.tokens) == 0 {
		return nil
	}
	return post(p, "list", "/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":%d}`, pick(s.rng, p.tokens),
		pick(s.rng, []int{1, 20, 60, 100, 250, 99999})))
}

func (s *sim) buy(p *player) *action {
	if p == nil || len(s.listings) == 0 {
		return nil
	}
	return post(p, "buy", fmt.Sprintf("/api/market/%d/buy", pick(s.rng, s.listings).ID), "")
}

func (s *sim) cancelListing(p *player) *action {
	if p == nil || len(s.listings) == 0 {
		return nil
	}
	l := pick(s.rng, s.listings)
	for _, q := range s.players {
		if q.address == l.Seller && !q.gone && s.rng.IntN(6) > 0 {
			p = q
		}
	}
	return post(p, "cancel listing", fmt.Sprintf("/api/market/%d/cancel", l.ID), "")
}

func (s *sim) offer(p *player) *action {
	if p == nil || len(p.tokens) == 0 {
		return nil
	}
	d := post(p, "offer", "/api/buyback/offer", fmt.Sprintf(`{"token_id":%d}`, pick(s.rng, p.tokens)))
	d.learn = func(c *call) {
		s.offers = append(s.offers, offered{decode[struct{ Offer offerView }](s, c).Offer.ID, p})
	}
	return d
}

// offered is an offer and its recipient.
type offered struct {
	id int64
	to *player
}

// respond answers one of the last offers.
func (s *sim) respond(*player) *action {
	o := pick(s.rng, s.offers[max(0, len(s.offers)-4):])
	if o.to == nil || o.to.gone {
		return nil
	}
	return post(o.to, "respond", fmt.Sprintf("/api/buyback/%d/respond", o.id), fmt.Sprintf(`{"accept":%t}`,
		s.rng.IntN(5) > 0))
}
