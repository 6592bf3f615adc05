package api

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"roshambo/contract"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// The market is read far more often than it changes. Package market returns the same page, by
// identity, until a listing or a sale changes it; the encoded answer is cached with the page, so
// that most reads neither query the listings nor encode them. An answer holds nothing about its
// caller: everyone gets the same bytes.

// marketOperations registers the market and the house's buyback.
func (a *API) marketOperations() {
	read := func(id, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: "GET", Path: path, Tag: "Market", Summary: summary, Errors: may(errors...)}
	}
	act := func(id, path, summary string, errors ...string) contract.Operation {
		errors = append([]string{"unauthenticated", "csrf_failed", "conflict"}, errors...)
		return contract.Operation{ID: id, Method: "POST", Path: path, Tag: "Market", Summary: summary, Security: anyScheme,
			Errors: may(errors...)}
	}
	mine := func(o contract.Operation) contract.Operation {
		o.Security = anyScheme
		o.Errors = append(o.Errors, may("unauthenticated")...)
		return o
	}
	browse := read("getMarket", "/api/market", "Tokens for sale, and the prices of every tier", "bad_request")
	browse.Description = "Listings, prices and sellers' names are current; volumes count to the minute."
	add(a, browse, (*call).getMarket)
	add(a, read("getPrices", "/api/market/prices", "Daily prices of a tier, or of all"), (*call).getPrices)
	add(a, mine(read("listOwnListings", "/api/market/mine",
		"The caller's listings of any status, the newest first", "bad_request")), (*call).listOwnListings)
	add(a, read("getListing", "/api/market/listings/{listing_id}", "A listing of any status",
		"not_found"), (*call).getListing)

	add(a, act("listToken", "/api/market/list",
		"Put a token up for sale; it stays in the wallet, locked",
		"not_owner", "already_listed", "token_bound"), (*call).listToken)
	buy := act("buyListing", "/api/market/{listing_id}/buy", "Buy a token: coins, fee and token move in one transaction",
		"not_found", "not_for_sale", "own_listing", "insufficient_funds")
	buy.Description = "Bots may trade. A player and the bots that belong to them are one party: none of them can buy " +
		"what another has listed."
	add(a, buy, (*call).buyListing)
	cancel := act("cancelListing", "/api/market/{listing_id}/cancel", "Cancel a listing", "not_found", "forbidden",
		"not_for_sale")
	add(a, cancel, (*call).cancelListing)

	offer := act("offerBuyback", "/api/buyback/offer",
		fmt.Sprintf("Get the house's offer for a token, valid for %d seconds", market.OfferTime/time.Second),
		"not_owner", "already_listed", "no_offer")
	offer.Description = "A share of the rules' value, never of market prices. While an offer for the token is open, " +
		"it is returned again."
	add(a, offer, (*call).offerBuyback)
	add(a, act("respondBuyback", "/api/buyback/{offer_id}/respond",
		"Accept an offer, which destroys the token and pays, or decline it",
		"not_found", "forbidden", "offer_closed"), (*call).respondBuyback)
	add(a, mine(read("getBuyback", "/api/buyback/{offer_id}", "An offer of the house to the caller",
		"not_found", "forbidden")), (*call).getBuyback)
}

// marketIn selects, orders and pages the listings.
type marketIn struct {
	Tier   *int64  `query:"tier" min:"0" max:"64" doc:"Only this tier; 0 is all tiers."`
	Sort   string  `query:"sort" enum:"price,price_desc,tier,tier_desc,newest" default:"price" doc:"Within a tier the cheapest come first."`
	Limit  int64   `query:"limit" default:"20" min:"1" max:"100"`
	Cursor *string `query:"cursor" doc:"The next of the page before. It contains sort and tier, which override the parameters."`
}

// MarketOut is the answer to GET /api/market.
type MarketOut struct {
	Listings        []Listing        `json:"listings"`
	Next            *string          `json:"next" doc:"Pass it as cursor; null on the last page."`
	Floors          []TierMarket     `json:"floors" doc:"Every tier, in order."`
	ReferencePrices []ReferencePrice `json:"reference_prices" doc:"Every tier, in order."`
}

// TierMarket is the state of a tier's market.
type TierMarket struct {
	Tier      int64    `json:"tier"`
	Material  string   `json:"material"`
	Floor     *int64   `json:"floor" doc:"The lowest price asked; null when nothing is for sale."`
	Depth     int64    `json:"depth" doc:"Number of tokens for sale."`
	LastSale  *SoldFor `json:"last_sale"`
	Volume24h Volume   `json:"volume_24h" doc:"Of the last 24 hours, to the minute."`
	Volume30d Volume   `json:"volume_30d" doc:"Of the last 30 days."`
}

// SoldFor is a price that was paid, and when.
type SoldFor struct {
	Price int64 `json:"price"`
	At    Time  `json:"at"`
}

// Volume is a number of sales and their coins.
type Volume struct {
	Sales int64 `json:"sales"`
	Coins int64 `json:"coins"`
}

// ReferencePrice is the value that portfolios use for a token of a tier.
type ReferencePrice struct {
	Tier     int64  `json:"tier"`
	Material string `json:"material"`
	Price    int64  `json:"price"`
	Basis    string `json:"basis" enum:"sales,rules" doc:"sales: the median of the last 20 sales in 30 days; rules: the base value, when they are fewer than 5."`
	N        int64  `json:"n" doc:"Number of such sales, at most 20."`
	Value    int64  `json:"value" doc:"Base value in coins, which the rules fix. The house pays buyback_bps of it (GET /api/tiers)."`
}

// wireReference returns the wire form of a tier's reference price.
func wireReference(r market.Reference, tier Tier) ReferencePrice {
	return ReferencePrice{Tier: tier.Tier, Material: tier.Material, Price: r.Price, Basis: string(r.Basis), N: r.N,
		Value: tier.Value}
}

// getMarket reads a page of listings with the prices of every tier.
func (a *call) getMarket(ctx context.Context, in *marketIn) (*contract.Encoded[MarketOut], error) {
	b := market.BrowseOptions{Sort: market.Sort(in.Sort), Tier: deref(in.Tier), Count: in.Limit + 1}
	if in.Cursor != nil {
		if err := parseMarketCursor(*in.Cursor, &b); err != nil {
			return nil, err
		}
	}
	page, err := read(ctx, a, func(ctx context.Context, tx *store.Tx) (*market.Page,
		error) {
		return a.Market.Browse(ctx, tx, b)
	})
	if err != nil {
		return nil, err
	}
	text, err := a.pages.encode(b, page, func() any { return a.wireMarket(b, page) })
	out := contract.NewEncoded[MarketOut](text, nil)
	return &out, err
}

// wireMarket returns the wire form of a page, which was read with one listing more than it holds.
func (a *API) wireMarket(b market.BrowseOptions, p *market.Page) *MarketOut {
	out := &MarketOut{}
	out.Listings, out.Next = paged(p.Listings, b.Count-1, a.wireListing, func(l *market.Listing) *string {
		return marketCursor(b, l)
	})
	a.wireStats(out, p.Stats)
	return out
}

// wireStats sets the floors and reference prices of all tiers.
func (a *API) wireStats(out *MarketOut, stats []market.TierStats) {
	out.Floors, out.ReferencePrices = make([]TierMarket, len(stats)), make([]ReferencePrice, len(stats))
	for i, s := range stats {
		tier := wireTier(a.Ledger.Rules(), s.Tier)
		out.Floors[i] = TierMarket{
			Tier: s.Tier, Material: tier.Material, Floor: s.Floor, Depth: s.Depth, LastSale: optional(s.Last, wireTrade),
			Volume24h: Volume(s.Day), Volume30d: Volume(s.Month),
		}
		out.ReferencePrices[i] = wireReference(s.Reference, tier)
	}
}

// wireTrade returns the wire form of a sale.
func wireTrade(t market.Trade) SoldFor { return SoldFor{Price: t.Price, At: Time{t.At}} }

// pricesIn selects a tier and the number of days.
type pricesIn struct {
	Tier *int64 `query:"tier" min:"0" max:"64" doc:"Only this tier; 0 is all tiers."`
	Days int64  `query:"days" min:"1" max:"365" default:"30" doc:"UTC days, today included."`
}

// PricesOut is the answer to GET /api/market/prices.
type PricesOut struct {
	Prices []DayPrices `json:"prices" doc:"By tier and date; days without a sale are left out."`
	Sales  []TokenSale `json:"sales" doc:"The last 50 of the requested tier, the newest first; empty for all tiers."`
}

// DayPrices are the prices of a tier on one day.
type DayPrices struct {
	Tier     int64  `json:"tier"`
	Material string `json:"material"`
	Date     string `json:"date" doc:"UTC, as 2026-11-20."`
	Open     int64  `json:"open"`
	High     int64  `json:"high"`
	Low      int64  `json:"low"`
	Close    int64  `json:"close"`
	Sales    int64  `json:"sales"`
	Coins    int64  `json:"coins"`
}

// TokenSale is a sale of a token.
type TokenSale struct {
	TokenID   int64 `json:"token_id"`
	ListingID int64 `json:"listing_id"`
	Price     int64 `json:"price"`
	At        Time  `json:"at"`
}

// lastSales bounds the number of sales in the answer to GET /api/market/prices.
const lastSales = 50

// getPrices reads daily prices, and the last sales when a single tier is asked for.
func (a *call) getPrices(ctx context.Context, in *pricesIn) (*PricesOut, error) {
	tier := deref(in.Tier)
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*PricesOut, error) {
		days, err := a.Market.Prices(ctx, tx, tier, in.Days)
		if err != nil {
			return nil, err
		}
		sales, err := a.Market.LastSales(ctx, tx, tier, lastSales)
		return &PricesOut{Prices: mapped(days, func(d market.DayPrices) DayPrices {
			return DayPrices{Tier: d.Tier, Material: a.material(d.Tier), Date: d.Day.Format(dateFormat),
				Open: d.Open, High: d.High, Low: d.Low, Close: d.Close, Sales: d.Sales, Coins: d.Coins}
		}), Sales: mapped(sales, func(s market.SoldToken) TokenSale {
			return TokenSale{TokenID: s.TokenID, ListingID: s.ListingID, Price: s.Price, At: Time{s.At}}
		})}, err
	})
}

// getListing reads a listing of any status. Errors: market.ErrNotFound.
func (a *call) getListing(ctx context.Context, in *listingIn) (*ListingOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*ListingOut, error) {
		l, err := a.Market.Listing(ctx, tx, in.ListingID)
		if err != nil {
			return nil, err
		}
		return &ListingOut{a.wireListing(l)}, nil
	})
}

// ListingsOut is a page of listings.
type ListingsOut struct {
	Listings []Listing `json:"listings"`
	Next     *string   `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// listOwnListings reads a page of the caller's listings, the newest first.
func (a *call) listOwnListings(ctx context.Context, in *pageIn) (*ListingsOut, error) {
	address := a.caller.address
	name := listOf(cursorListings, address)
	before, err := parseCursor(in.Cursor, name)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*ListingsOut, error) {
		list, err := a.Market.ListingsBySeller(ctx, tx, address, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := &ListingsOut{}
		out.Listings, out.Next = paged(list, in.Limit, a.wireListing, func(l *market.Listing) *string {
			return cursor(name, l.ID)
		})
		return out, nil
	})
}

// marketCursor returns the cursor after a listing. It holds the order and the tier as well, which
// the next page keeps.
func marketCursor(b market.BrowseOptions, last *market.Listing) *string {
	at := last.Cursor()
	return cursorText(cursorMarket, fmt.Sprintf("%s:%d:%d:%d:%d", b.Sort, b.Tier, at.Tier, at.Price, at.ID))
}

// parseMarketCursor sets order, tier and start of b from a cursor. Errors: errCursor.
func parseMarketCursor(c string, b *market.BrowseOptions) error {
	text, err := parseCursorText(c, cursorMarket)
	if err != nil {
		return err
	}
	parts := strings.Split(text, ":")
	if len(parts) != 5 || !slices.Contains(market.Sorts, market.Sort(parts[0])) {
		return errCursor
	}
	var numbers [4]int64
	for i := range numbers {
		if numbers[i], err = strconv.ParseInt(parts[1+i], 10, 64); err != nil || numbers[i] < 0 {
			return errCursor
		}
	}
	b.Sort, b.Tier = market.Sort(parts[0]), numbers[0]
	b.After = &market.Cursor{Tier: numbers[1], Price: numbers[2], ID: numbers[3]}
	return nil
}
