package api_test

import (
	"fmt"
	"testing"
	"time"

	"roshambo/internal/server/api"
)

func (p *player) portfolio(t *testing.T, query string) api.PortfolioOut {
	t.Helper()
	return decode[api.PortfolioOut](t, p.get(t, "/api/portfolio"+query).ok(t))
}

// TestPortfolio follows a player who wins two tokens, sells one, and uses the faucet.
func TestPortfolio(t *testing.T) {
	t.Parallel()
	s := start(t)
	p, other := s.guest(t), s.guest(t)
	got := p.portfolio(t, "")
	if len(got.Holdings) != 0 || len(got.History) != 1 || got.History[0] != (api.HistoryPoint{Date: "2026-11-20",
		Balance: 1000, Total: 1000}) {
		t.Errorf("of a newcomer: %+v", got)
	}
	if got.Risk.N != 1 || got.Risk.Volatility.Value != nil || got.Risk.MaxDrawdown.Value != nil ||
		got.Risk.Concentration.HHI != nil {
		t.Errorf("risk of a newcomer: %+v", got.Risk)
	}
	first, second := p.win(t), p.win(t)
	s.clock.forward(24 * time.Hour)
	sold := p.sell(t, first, 400)
	other.post(t, fmt.Sprintf("/api/market/%d/buy", sold.ID), "").ok(t)
	l := p.sell(t, second, 500)
	s.clock.forward(time.Second)

	got = p.portfolio(t, "?days=7")
	if len(got.Holdings) != 1 || got.Next != nil {
		t.Fatalf("holdings %+v", got.Holdings)
	}
	h := got.Holdings[0]
	if h.TokenID != second.TokenID || h.Listing.ID != l.ID || h.Values.Buyback.Price != 76 ||
		*h.Values.Floor != (api.FloorValue{Price: 500, Depth: 1}) ||
		h.Values.LastSale.Price != 400 || h.Values.LastSale.AgeMS != 1000 ||
		h.Values.Reference != (api.ReferenceValue{Price: 96, Basis: "rules", N: 1}) {
		t.Errorf("holding %+v, values %+v", h, h.Values)
	}
	v := got.Valuation
	if got.Balance != 1390 || v.Buyback.Total != 1466 || v.Floor.Tokens != 500 || v.LastSale.Tokens != 400 ||
		v.Reference.Total != 1486 ||
		v.Realised != 390 || v.Unrealised != 96 || v.CostBasis != 0 {
		t.Errorf("balance %d, valuation %+v", got.Balance, v)
	}
	want := []api.HistoryPoint{
		{Date: "2026-11-20", Balance: 1000, Tokens: 192, Total: 1192},
		{Date: "2026-11-21", Balance: 1390, Tokens: 96, Total: 1486},
	}
	if fmt.Sprint(got.History) != fmt.Sprint(want) {
		t.Errorf("history %+v, want %+v", got.History, want)
	}
	if c := got.Risk.Concentration; *c.HHI != 1 || *c.TopTier != 1 || got.Risk.N != 2 || *got.Risk.MaxDrawdown.Value != 0 {
		t.Errorf("risk %+v", got.Risk)
	}
	// The buyer has paid for the token, and owns it.
	bought := other.portfolio(t, "")
	if bought.Valuation.CostBasis != 400 || bought.Valuation.Unrealised != 96-400 || bought.Positions[0].Count != 1 ||
		bought.Positions[0].Cost != 400 {
		t.Errorf("of the buyer: %+v, %+v", bought.Valuation, bought.Positions)
	}
}

// TestPortfolioOfMany pages through holdings.
func TestPortfolioOfMany(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	var won []int64
	for range 3 {
		won = append(won, p.win(t).TokenID)
	}
	var got []int64
	query := "?limit=2"
	for {
		page := p.portfolio(t, query)
		for _, h := range page.Holdings {
			got = append(got, h.TokenID)
		}
		if page.Positions[0].Count != 3 {
			t.Errorf("positions %+v, want all on every page", page.Positions)
		}
		if page.Next == nil {
			break
		}
		query = "?limit=2&cursor=" + *page.Next
	}
	if fmt.Sprint(got) != fmt.Sprint(won) {
		t.Errorf("holdings %v, want %v", got, won)
	}
	p.get(t, "/api/portfolio?cursor=bm9uZQ").fails(t, 400, "bad_request")
	p.get(t, "/api/portfolio?days=6&limit=201").invalid(t, "query.days greater_than_equal", "query.limit less_than_equal")
	p.get(t, "/api/portfolio?days=91").invalid(t, "query.days less_than_equal")
}

// TestInPlay: stakes are shown while their duel is unfinished, and are in no balance then.
func TestInPlay(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	want := func(p *player, inPlay, balance int64) {
		t.Helper()
		if got := p.portfolio(t, ""); got.InPlay != inPlay || got.Balance != balance ||
			got.Valuation.Reference.Total != balance {
			t.Errorf("in play %d, balance %d, total %d, want %d and %d", got.InPlay, got.Balance, got.Valuation.Reference.Total,
				inPlay, balance)
		}
	}
	want(ann, 0, 1000)
	open := ann.open(t, 100)
	want(ann, 100, 900)
	s.joined(t, 30, bob, ann)
	want(ann, 130, 870)
	want(bob, 30, 970)
	ann.post(t, "/api/duels/"+open.ID+"/cancel", "").ok(t)
	want(ann, 30, 970)
}
