package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/store"
)

// A token has four values, because it has no single price: what the house pays, the lowest asking
// price, the last price paid and the reference price. Totals are given on each basis. Histories,
// profits and risk use reference prices, which are defined for every tier and day. All statistics
// carry their method and their sample size, and are null below a minimum.

// portfolioOperations registers the portfolio.
func (a *API) portfolioOperations() {
	add(a, contract.Operation{
		ID: "getPortfolio", Method: "GET", Path: "/api/portfolio", Tag: "Market",
		Summary: "The caller's holdings, their value and its history",
		Description: "Tokens are valued on four bases: what the house pays now, the lowest asking price, the last " +
			"price paid, and the reference price. " +
			"Histories, profits and risk are at reference prices.",
		Security: anyScheme, Errors: may("unauthenticated", "bad_request"),
	}, (*call).getPortfolio)
}

// portfolioIn selects the days of history and a page of holdings.
type portfolioIn struct {
	Days   int64   `query:"days" default:"30" min:"7" max:"90" doc:"Of history, today (UTC) included."`
	Limit  int64   `query:"limit" default:"100" min:"1" max:"200" doc:"Holdings on a page."`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// PortfolioOut is the answer to GET /api/portfolio.
type PortfolioOut struct {
	Balance   int64          `json:"balance" doc:"In coins."`
	InPlay    int64          `json:"in_play" doc:"Coins staked in unfinished duels. They are in escrow, not in the balance or in any total."`
	Holdings  []Holding      `json:"holdings" doc:"Tokens in the wallet, by id."`
	Next      *string        `json:"next" doc:"Pass it as cursor for more holdings; null on the last page."`
	Positions []Position     `json:"positions" doc:"By tier: tokens held now or in the past."`
	Valuation Valuation      `json:"valuation"`
	History   []HistoryPoint `json:"history" doc:"By day, today last; from the day on which the account was opened."`
	Risk      Risk           `json:"risk"`
}

// Holding is a token in the wallet with its value on each basis.
type Holding struct {
	TokenID  int64         `json:"token_id"`
	Tier     int64         `json:"tier"`
	Material string        `json:"material"`
	Bound    bool          `json:"bound" doc:"It can be sold to the house only, for bound coins."`
	Listing  *OwnListing   `json:"listing" doc:"When it is for sale."`
	Values   HoldingValues `json:"values"`
}

// OwnListing is an active listing of the owner.
type OwnListing struct {
	ID    int64 `json:"id"`
	Price int64 `json:"price"`
}

// HoldingValues are the four values of a token, each with its source.
type HoldingValues struct {
	Buyback   BuybackValue   `json:"buyback"`
	Floor     *FloorValue    `json:"floor" doc:"Null when none of the tier is for sale."`
	LastSale  *LastSaleValue `json:"last_sale" doc:"Null when none of the tier was ever sold."`
	Reference ReferenceValue `json:"reference"`
}

// BuybackValue is what the house pays.
type BuybackValue struct {
	Price int64 `json:"price" doc:"In coins: buyback_bps of the base value (GET /api/tiers)."`
}

// FloorValue is the lowest price asked.
type FloorValue struct {
	Price int64 `json:"price"`
	Depth int64 `json:"depth" doc:"Number of tokens of the tier for sale."`
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
	Basis string `json:"basis" enum:"sales,rules" doc:"sales: a median; rules: the base value, with too few sales."`
	N     int64  `json:"n" doc:"Sales within 30 days, at most 20."`
}

// Position is all tokens of a tier.
type Position struct {
	Tier       int64  `json:"tier"`
	Material   string `json:"material"`
	Count      int64  `json:"count"`
	Buyback    *int64 `json:"buyback" doc:"What the house pays for the position; null without such a price, as the members below."`
	Floor      *int64 `json:"floor"`
	LastSale   *int64 `json:"last_sale"`
	Reference  *int64 `json:"reference"`
	Cost       int64  `json:"cost" doc:"Cost of the tokens held, first in, first out; tokens won cost nothing."`
	Realised   int64  `json:"realised" doc:"Profit on tokens sold or burnt."`
	Unrealised int64  `json:"unrealised" doc:"Value at the reference price less cost."`
}

// Valuation is the value of the portfolio on each basis.
type Valuation struct {
	Buyback    Worth  `json:"buyback"`
	Floor      Worth  `json:"floor"`
	LastSale   Worth  `json:"last_sale"`
	Reference  Worth  `json:"reference"`
	CostBasis  int64  `json:"cost_basis" doc:"Cost of the tokens held."`
	Realised   int64  `json:"realised" doc:"Profit on tokens sold or burnt."`
	Unrealised int64  `json:"unrealised" doc:"Profit on the tokens held at reference prices."`
	CostMethod string `json:"cost_method" known:"fifo" doc:"Of the tokens of a tier, the first acquired is the first disposed of."`
}

// Worth is the value of the portfolio on one basis.
type Worth struct {
	Tokens   int64 `json:"tokens"`
	Total    int64 `json:"total" doc:"Including coins."`
	Unpriced int64 `json:"unpriced" doc:"Tokens without a price on this basis, counted as 0."`
}

// HistoryPoint is the state at the end of a day; for today, the current state.
type HistoryPoint struct {
	Date    string `json:"date" doc:"UTC, as 2026-11-20."`
	Balance int64  `json:"balance" doc:"Coins."`
	Tokens  int64  `json:"tokens" doc:"At the reference prices of that day."`
	Total   int64  `json:"total"`
}

// Risk holds statistics of the daily returns.
type Risk struct {
	Method        string        `json:"method" doc:"How a daily return is computed."`
	N             int64         `json:"n" doc:"Daily returns."`
	Volatility    Estimate      `json:"volatility"`
	MaxDrawdown   Drawdown      `json:"max_drawdown"`
	Sharpe        Estimate      `json:"sharpe"`
	Sortino       Estimate      `json:"sortino"`
	VaR95         Estimate      `json:"var_95"`
	CVaR95        Estimate      `json:"cvar_95"`
	Concentration Concentration `json:"concentration"`
}

// Estimate is a statistic with its method and the number of returns that it is computed from.
type Estimate struct {
	Value  *float64 `json:"value" doc:"Null when n is too small, or nothing varies."`
	Method string   `json:"method"`
	N      int64    `json:"n"`
}

// Drawdown is the largest fall from a peak.
type Drawdown struct {
	Value     *float64 `json:"value" doc:"0 or below; null when n is too small."`
	Method    string   `json:"method"`
	N         int64    `json:"n"`
	Peak      *string  `json:"peak" doc:"Date of the peak before it; null when nothing fell."`
	Trough    *string  `json:"trough"`
	Recovered *string  `json:"recovered" doc:"When the peak was reached again."`
}

// Concentration measures how much of the tokens' value lies in few tiers.
type Concentration struct {
	HHI             *float64 `json:"hhi" doc:"Herfindahl-Hirschman index, 0 to 1; null without tokens."`
	EffectiveNumber *float64 `json:"effective_number"`
	TopShare        *float64 `json:"top_share"`
	TopTier         *int64   `json:"top_tier"`
	Method          string   `json:"method"`
	N               int64    `json:"n" doc:"Tiers held."`
}

// getPortfolio reads the caller's report and a page of holdings in one snapshot, so that all values
// agree.
func (a *call) getPortfolio(ctx context.Context, in *portfolioIn) (*PortfolioOut, error) {
	after, name := int64(-1), listOf(cursorHoldings, a.caller.address)
	if in.Cursor != nil {
		var err error
		if after, err = parseCursor(in.Cursor, name); err != nil {
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
		address := a.caller.address
		tokens, err := a.Ledger.TokensOf(ctx, tx, address, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		tokens, more := page(tokens, in.Limit)
		if more {
			out.Next = cursor(name, tokens[len(tokens)-1].ID)
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

// report computes the portfolio at the prices in stats, over days of history.
func (a *call) report(ctx context.Context, tx *store.Tx, days int64, stats []market.TierStats) (*PortfolioOut, error) {
	c, err := a.callerIn(ctx, tx)
	if err != nil {
		return nil, err
	}
	request := portfolio.Request{Address: c.address, Opened: c.account.CreatedAt, Days: days,
		Quotes: mapped(stats, func(s market.TierStats) portfolio.Quote {
			return portfolio.Quote{Floor: s.Floor, Depth: s.Depth, Last: (*portfolio.Trade)(s.Last),
				Reference: s.Reference.Price}
		})}
	if request.References, err = a.Market.References(ctx, tx, days+1); err != nil {
		return nil, err
	}
	r, err := a.Holdings.Report(ctx, tx, request)
	if err != nil {
		return nil, err
	}
	return &PortfolioOut{
		Balance: r.Balance, Positions: mapped(r.Positions, a.wirePosition), Valuation: wireValuation(r),
		History: mapped(r.History, func(p portfolio.Point) HistoryPoint {
			return HistoryPoint{Date: p.Day.Format(dateFormat), Balance: p.Balance, Tokens: p.Tokens, Total: p.Total()}
		}), Risk: wireRisk(r),
	}, nil
}

// wireHoldings returns the wire form of tokens. listed holds the active listings by token.
func (a *API) wireHoldings(tokens []ledger.OwnedToken, listed map[int64]market.OwnListing,
	stats []market.TierStats) []Holding {
	out, now := make([]Holding, len(tokens)), a.Now()
	for i, t := range tokens {
		s := &stats[t.Tier-1]
		h := Holding{TokenID: t.ID, Tier: t.Tier, Material: a.material(t.Tier), Bound: t.Bound, Values: HoldingValues{
			Buyback:   BuybackValue{a.Ledger.Rules().BuybackPrice(t.Tier)},
			Reference: ReferenceValue{Price: s.Reference.Price, Basis: string(s.Reference.Basis), N: s.Reference.N},
		}}
		if l, ok := listed[t.ID]; ok {
			h.Listing = &OwnListing{ID: l.ID, Price: l.Price}
		}
		if s.Floor != nil {
			h.Values.Floor = &FloorValue{Price: *s.Floor, Depth: s.Depth}
		}
		if s.Last != nil {
			h.Values.LastSale = &LastSaleValue{Price: s.Last.Price, At: Time{s.Last.At},
				AgeMS: max(0, now.Sub(s.Last.At).Milliseconds())}
		}
		out[i] = h
	}
	return out
}

// wirePosition returns the wire form of a position; a basis without a price has no worth.
func (a *API) wirePosition(p portfolio.Position) Position {
	worth := func(basis portfolio.Basis) *int64 {
		return optional(p.Prices[basis], func(price int64) int64 { return p.Count * price })
	}
	return Position{
		Tier: p.Tier, Material: a.material(p.Tier), Count: p.Count,
		Buyback: worth(portfolio.Buyback), Floor: worth(portfolio.Floor), LastSale: worth(portfolio.LastSale),
		Reference: worth(portfolio.Reference),
		Cost:      p.Cost, Realised: p.Realised, Unrealised: p.Unrealised,
	}
}

// wireValuation returns the wire form of the valuations. Totals include the coins.
func wireValuation(r *portfolio.Report) Valuation {
	worth := func(basis portfolio.Basis) Worth {
		v := r.Valuations[basis]
		return Worth{Tokens: v.Tokens, Total: r.Balance + v.Tokens, Unpriced: v.Unpriced}
	}
	return Valuation{
		Buyback: worth(portfolio.Buyback), Floor: worth(portfolio.Floor), LastSale: worth(portfolio.LastSale),
		Reference: worth(portfolio.Reference),
		CostBasis: r.Cost, Realised: r.Realised, Unrealised: r.Unrealised, CostMethod: "fifo",
	}
}

// The methods of the statistics, each with the number of returns that it needs.
var (
	volatilityMethod = fmt.Sprintf("sample standard deviation of daily returns times the root of 365; from %d returns",
		portfolio.MinForDeviation)
	sharpeMethod = fmt.Sprintf("mean over sample standard deviation of daily returns, times the root of 365, without a "+
		"risk-free rate; from %d returns", portfolio.MinForDeviation)
	sortinoMethod = fmt.Sprintf("annual mean of daily returns over annual downside deviation from 0, 365 days a year; "+
		"from %d returns", portfolio.MinForDeviation)
	drawdownMethod = fmt.Sprintf("smallest value over the highest before it, less 1, of the compounded daily returns; "+
		"from %d returns", portfolio.MinForDrawdown)
	tailMethod = fmt.Sprintf("historical: 5 %% quantile (type 7) of daily returns; from %d returns",
		portfolio.MinForTail)
	meanOfTailMethod = fmt.Sprintf("historical: mean of the worst 5 %% of daily returns, at least one; from %d returns",
		portfolio.MinForTail)
)

// wireRisk returns the statistics with the texts of their methods, which are part of the answer.
func wireRisk(r *portfolio.Report) Risk {
	risk := &r.Risk
	estimate := func(e portfolio.Estimate, method string) Estimate {
		return Estimate{Value: e.Value, Method: method, N: e.N}
	}
	d := &risk.MaxDrawdown
	c := &r.Concentration
	out := Risk{
		Method: "time-weighted: value at the end of the day over the value at the end of the day before plus grants in " +
			"between " +
			"(starting balance, faucet), less 1; tokens at the reference prices of the day",
		N:          int64(len(risk.Returns)),
		Volatility: estimate(risk.Volatility, volatilityMethod),
		MaxDrawdown: Drawdown{
			Value: d.Value, Method: drawdownMethod, N: d.N,
			// optionalDate returns the date of a UTC day; nil for nil.
			Peak: optionalDate(d.Peak), Trough: optionalDate(d.Trough), Recovered: optionalDate(d.Recovered),
		},
		Sharpe:  estimate(risk.Sharpe, sharpeMethod),
		Sortino: estimate(risk.Sortino, sortinoMethod),
		VaR95:   estimate(risk.VaR95, tailMethod),
		CVaR95:  estimate(risk.CVaR95, meanOfTailMethod),
		Concentration: Concentration{
			HHI: c.HHI, EffectiveNumber: c.Effective, TopShare: c.TopShare,
			Method: "shares of the tiers in the tokens' value at reference prices; coins left out", N: c.N,
		},
	}
	if c.N > 0 {
		out.Concentration.TopTier = &c.TopTier
	}
	return out
}

// optionalDate returns the text of a date, nil for none.
func optionalDate(t *time.Time) *string {
	return optional(t, func(t time.Time) string { return t.Format(dateFormat) })
}
