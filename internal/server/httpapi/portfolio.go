package httpapi

import (
	"context"
	"time"

	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/store"
)

func (a *API) portfolioOperations() {
	contract.Add(a.contract, contract.Operation{
		ID: "getPortfolio", Method: "GET", Path: "/api/portfolio", Tag: "Market", Summary: "What the caller has, what it is worth, and how that went",
		Description: "Tokens are valued on four bases: what the house pays, the lowest price asked, the last price paid, and the reference price. " +
			"Histories, profits and risk are at reference prices.",
		Security: anybody, Errors: may("unauthenticated", "bad_request"),
	}, a.getPortfolio)
}

type portfolioIn struct {
	Days   int64   `query:"days" default:"30" min:"7" max:"90" doc:"Of history, today (UTC) included."`
	Limit  int64   `query:"limit" default:"100" min:"1" max:"200" doc:"Holdings on a page."`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// PortfolioOut is the answer to GET /api/portfolio.
type PortfolioOut struct {
	Balance   int64          `json:"balance" doc:"In coins."`
	InPlay    int64          `json:"in_play" doc:"Coins staked in duels that are not over. They lie in escrow: neither the balance nor any total has them."`
	Holdings  []Holding      `json:"holdings" doc:"Tokens in the wallet, by id."`
	Next      *string        `json:"next" doc:"Pass it as cursor for more holdings; null on the last page."`
	Positions []Position     `json:"positions" doc:"By tier, all tokens together: those held, and those that once were."`
	Valuation Valuation      `json:"valuation"`
	History   []HistoryPoint `json:"history" doc:"By day, today last; from the day on which the account was opened."`
	Risk      Risk           `json:"risk"`
}

// Holding is a token in the wallet, with what it is worth on each basis.
type Holding struct {
	TokenID  int64         `json:"token_id"`
	Tier     int64         `json:"tier"`
	Material string        `json:"material"`
	Listing  *OwnListing   `json:"listing" doc:"When it is for sale."`
	Values   HoldingValues `json:"values"`
}

// OwnListing is what the owner must know of a listing.
type OwnListing struct {
	ID    int64 `json:"id"`
	Price int64 `json:"price"`
}

// HoldingValues are the four values of a token, each labelled with where it comes from.
type HoldingValues struct {
	Buyback   BuybackValue   `json:"buyback"`
	Floor     *FloorValue    `json:"floor" doc:"Null when none of the tier is for sale."`
	LastSale  *LastSaleValue `json:"last_sale" doc:"Null when none of the tier was ever sold."`
	Reference ReferenceValue `json:"reference"`
}

// BuybackValue is what the house pays.
type BuybackValue struct {
	Price int64 `json:"price"`
}

// FloorValue is the lowest price asked.
type FloorValue struct {
	Price int64 `json:"price"`
	Depth int64 `json:"depth" doc:"How many of the tier are for sale."`
}

// LastSaleValue is the last price paid.
type LastSaleValue struct {
	Price int64 `json:"price"`
	At    Time  `json:"at"`
	AgeMS int64 `json:"age_ms"`
}

// ReferenceValue is the reference price.
type ReferenceValue struct {
	Price int64  `json:"price"`
	Basis string `json:"basis" enum:"sales,rules"`
	N     int64  `json:"n" doc:"Sales within 30 days, at most 20."`
}

// Position is all tokens of a tier together.
type Position struct {
	Tier       int64  `json:"tier"`
	Material   string `json:"material"`
	Count      int64  `json:"count"`
	Buyback    *int64 `json:"buyback" doc:"Worth of all of them on this basis; null where there is no such price."`
	Floor      *int64 `json:"floor"`
	LastSale   *int64 `json:"last_sale"`
	Reference  *int64 `json:"reference"`
	Cost       int64  `json:"cost" doc:"What those held have cost, first in, first out; those won cost nothing."`
	Realised   int64  `json:"realised" doc:"Profit on those sold or burnt."`
	Unrealised int64  `json:"unrealised" doc:"Worth at the reference price less cost."`
}

// Valuation is what all is worth.
type Valuation struct {
	Buyback    Worth  `json:"buyback"`
	Floor      Worth  `json:"floor"`
	LastSale   Worth  `json:"last_sale"`
	Reference  Worth  `json:"reference"`
	CostBasis  int64  `json:"cost_basis" doc:"What the tokens held have cost."`
	Realised   int64  `json:"realised" doc:"Profit on tokens sold or burnt."`
	Unrealised int64  `json:"unrealised" doc:"Profit there would be on those held, at reference prices."`
	CostMethod string `json:"cost_method" enum:"fifo" doc:"Of the tokens of a tier, the first acquired is the first disposed of."`
}

// Worth is what all is worth on one basis.
type Worth struct {
	Tokens   int64 `json:"tokens"`
	Total    int64 `json:"total" doc:"With the coins."`
	Unpriced int64 `json:"unpriced" doc:"Tokens that have no price on this basis and count as nothing."`
}

// HistoryPoint is what there was at the end of a day; of today, what there is now.
type HistoryPoint struct {
	Date    string `json:"date" doc:"UTC, as 2026-11-20."`
	Balance int64  `json:"balance" doc:"Coins."`
	Tokens  int64  `json:"tokens" doc:"At the reference prices of that day."`
	Total   int64  `json:"total"`
}

// Risk is what daily returns tell.
type Risk struct {
	Method        string        `json:"method" doc:"How a day's return is taken."`
	N             int64         `json:"n" doc:"Daily returns."`
	Volatility    Estimate      `json:"volatility"`
	MaxDrawdown   Drawdown      `json:"max_drawdown"`
	Sharpe        Estimate      `json:"sharpe"`
	Sortino       Estimate      `json:"sortino"`
	VaR95         Estimate      `json:"var_95"`
	CVaR95        Estimate      `json:"cvar_95"`
	Concentration Concentration `json:"concentration"`
}

// Estimate is a statistic, how it was taken, and of how many returns.
type Estimate struct {
	Value  *float64 `json:"value" doc:"Null when n is too small, or nothing varies."`
	Method string   `json:"method"`
	N      int64    `json:"n"`
}

// Drawdown is the deepest fall.
type Drawdown struct {
	Value     *float64 `json:"value" doc:"0 or below; null when n is too small."`
	Method    string   `json:"method"`
	N         int64    `json:"n"`
	Peak      *string  `json:"peak" doc:"Date of the peak before it; null when nothing fell."`
	Trough    *string  `json:"trough"`
	Recovered *string  `json:"recovered" doc:"When the peak was reached again."`
}

// Concentration says how much of the tokens' worth lies in few tiers.
type Concentration struct {
	HHI             *float64 `json:"hhi" doc:"Herfindahl-Hirschman index, 0 to 1; null without tokens."`
	EffectiveNumber *float64 `json:"effective_number"`
	TopShare        *float64 `json:"top_share"`
	TopTier         *int64   `json:"top_tier"`
	Method          string   `json:"method"`
	N               int64    `json:"n" doc:"Tiers held."`
}

func (a *API) getPortfolio(ctx context.Context, in *portfolioIn) (*PortfolioOut, error) {
	after := int64(-1)
	if in.Cursor != nil {
		var err error
		if after, err = parseCursor(in.Cursor, cursorHoldings); err != nil {
			return nil, err
		}
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*PortfolioOut, error) {
		stats, err := a.Market.Stats(ctx, tx)
		if err != nil {
			return nil, err
		}
		out, err := a.report(ctx, tx, in.Days, stats)
		if err != nil {
			return nil, err
		}
		address := callerOf(ctx).account.Address
		tokens, err := a.Ledger.TokensOf(ctx, tx, address, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		tokens, more := page(tokens, in.Limit)
		if more {
			out.Next = cursor(cursorHoldings, tokens[len(tokens)-1].ID)
		}
		listed, err := a.Market.ActiveBySeller(ctx, tx, address)
		if err != nil {
			return nil, err
		}
		if out.InPlay, err = a.Duels.StakedCoins(ctx, tx, address); err != nil {
			return nil, err
		}
		out.Holdings = a.wireHoldings(tokens, listed, stats)
		return out, nil
	})
}

// report has the portfolio worked out at the prices of the market.
func (a *API) report(ctx context.Context, tx *store.Tx, days int64, stats []market.TierStats) (*PortfolioOut, error) {
	account := callerOf(ctx).account
	request := portfolio.Request{Address: account.Address, Opened: account.CreatedAt, Days: days, Quotes: make([]portfolio.Quote, len(stats))}
	for i, s := range stats {
		request.Quotes[i] = portfolio.Quote{Floor: s.Floor, Depth: s.Depth, Last: (*portfolio.Trade)(s.Last), Reference: s.Reference.Price}
	}
	var err error
	if request.References, err = a.Market.References(ctx, tx, days+1); err != nil {
		return nil, err
	}
	r, err := a.Holdings.Report(ctx, tx, request)
	if err != nil {
		return nil, err
	}
	out := &PortfolioOut{
		Balance: r.Balance, Positions: make([]Position, len(r.Positions)), Valuation: wireValuation(r),
		History: make([]HistoryPoint, len(r.History)), Risk: wireRisk(r),
	}
	for i, p := range r.Positions {
		out.Positions[i] = a.wirePosition(&p)
	}
	for i, p := range r.History {
		out.History[i] = HistoryPoint{p.Day.Format(dateFormat), p.Balance, p.Tokens, p.Total()}
	}
	return out, nil
}

func (a *API) wireHoldings(tokens []ledger.OwnedToken, listed map[int64]market.OwnListing, stats []market.TierStats) []Holding {
	out, now := make([]Holding, len(tokens)), a.Now()
	for i, t := range tokens {
		s := &stats[t.Tier-1]
		h := Holding{TokenID: t.ID, Tier: t.Tier, Material: a.materialOf(t.Tier), Values: HoldingValues{
			Buyback:   BuybackValue{a.Ledger.Rules().BuybackPrice(t.Tier)},
			Reference: ReferenceValue{s.Reference.Price, string(s.Reference.Basis), s.Reference.N},
		}}
		if l, ok := listed[t.ID]; ok {
			h.Listing = &OwnListing{l.ID, l.Price}
		}
		if s.Floor != nil {
			h.Values.Floor = &FloorValue{*s.Floor, s.Depth}
		}
		if s.Last != nil {
			h.Values.LastSale = &LastSaleValue{s.Last.Price, Time{s.Last.At}, max(0, now.Sub(s.Last.At).Milliseconds())}
		}
		out[i] = h
	}
	return out
}

func (a *API) wirePosition(p *portfolio.Position) Position {
	worth := func(basis portfolio.Basis) *int64 {
		if p.Prices[basis] == nil {
			return nil
		}
		w := p.Count * *p.Prices[basis]
		return &w
	}
	return Position{
		Tier: p.Tier, Material: a.materialOf(p.Tier), Count: p.Count,
		Buyback: worth(portfolio.Buyback), Floor: worth(portfolio.Floor), LastSale: worth(portfolio.LastSale), Reference: worth(portfolio.Reference),
		Cost: p.Cost, Realised: p.Realised, Unrealised: p.Unrealised,
	}
}

func wireValuation(r *portfolio.Report) Valuation {
	worth := func(basis portfolio.Basis) Worth {
		v := r.Valuations[basis]
		return Worth{v.Tokens, r.Balance + v.Tokens, v.Unpriced}
	}
	return Valuation{
		Buyback: worth(portfolio.Buyback), Floor: worth(portfolio.Floor), LastSale: worth(portfolio.LastSale), Reference: worth(portfolio.Reference),
		CostBasis: r.Cost, Realised: r.Realised, Unrealised: r.Unrealised, CostMethod: "fifo",
	}
}

func wireRisk(r *portfolio.Report) Risk {
	risk := &r.Risk
	estimate := func(e portfolio.Estimate, method string) Estimate { return Estimate{e.Value, method, e.N} }
	d := &risk.MaxDrawdown
	c := &r.Concentration
	out := Risk{
		Method: "time-weighted: what there was at the end of the day over what there was at the end of the day before and what was given meanwhile " +
			"(starting balance, faucet), less 1; tokens at the reference prices of the day",
		N:          int64(len(risk.Returns)),
		Volatility: estimate(risk.Volatility, "sample standard deviation of daily returns times the root of 365; from 5 returns"),
		MaxDrawdown: Drawdown{
			d.Value, "smallest value over the highest before it, less 1, of the compounded daily returns; from 2 returns", d.N,
			optionalDate(d.Peak), optionalDate(d.Trough), optionalDate(d.Recovered),
		},
		Sharpe:  estimate(risk.Sharpe, "mean over sample standard deviation of daily returns, times the root of 365, without a risk-free rate; from 5 returns"),
		Sortino: estimate(risk.Sortino, "annual mean of daily returns over annual downside deviation from 0, 365 days a year; from 5 returns"),
		VaR95:   estimate(risk.VaR95, "historical: 5 % quantile (type 7) of daily returns; from 20 returns"),
		CVaR95:  estimate(risk.CVaR95, "historical: mean of the worst 5 % of daily returns, at least one; from 20 returns"),
		Concentration: Concentration{
			HHI: c.HHI, EffectiveNumber: c.Effective, TopShare: c.TopShare,
			Method: "shares of the tiers in the tokens' worth at reference prices; coins left out", N: c.N,
		},
	}
	if c.N > 0 {
		out.Concentration.TopTier = &c.TopTier
	}
	return out
}

func optionalDate(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := t.Format(dateFormat)
	return &s
}
