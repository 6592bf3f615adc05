package httpapi

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"roshambo/contract"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

func (a *API) marketOperations() {
	read := func(id, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: "GET", Path: path, Tag: "Market", Summary: summary, Errors: may(errors...)}
	}
	act := func(id, path, summary string, errors ...string) contract.Operation {
		errors = append([]string{"unauthenticated", "csrf_failed", "conflict"}, errors...)
		return contract.Operation{ID: id, Method: "POST", Path: path, Tag: "Market", Summary: summary, Security: anybody, Errors: may(errors...)}
	}
	mine := func(o contract.Operation) contract.Operation {
		o.Security = anybody
		o.Errors = append(o.Errors, may("unauthenticated")...)
		return o
	}
	browse := read("getMarket", "/api/market", "What is for sale, and the prices of every tier", "bad_request")
	browse.Description = "Listings and prices are those of the moment; a seller's new name may take a minute to show."
	contract.Add(a.contract, browse, a.getMarket)
	contract.Add(a.contract, read("getPrices", "/api/market/prices", "Daily prices of a tier, or of all"), a.getPrices)
	contract.Add(a.contract, mine(read("listOwnListings", "/api/market/mine", "The caller's listings of any status, the newest first", "bad_request")), a.listOwnListings)
	contract.Add(a.contract, read("getListing", "/api/market/listings/{listing_id}", "A listing, whatever became of it", "not_found"), a.getListing)

	contract.Add(a.contract, act("listToken", "/api/market/list", "Put a token up for sale; it stays in the wallet, locked",
		"not_owner", "already_listed"), a.listToken)
	buy := act("buyListing", "/api/market/{listing_id}/buy", "Buy a token: coins, fee and token move in one transaction",
		"not_found", "not_for_sale", "own_listing", "insufficient_funds")
	buy.Description = "Bots may trade. A player and the bots that belong to them are one party: none of them buys what another has listed."
	contract.Add(a.contract, buy, a.buyListing)
	cancel := act("cancelListing", "/api/market/{listing_id}/cancel", "Take a listing back", "not_found", "forbidden", "not_for_sale")
	contract.Add(a.contract, cancel, a.cancelListing)

	offer := act("offerBuyback", "/api/buyback/offer", "What the house pays for a token; the offer stands for 60 seconds",
		"not_owner", "already_listed", "no_offer")
	offer.Description = "A share of the rules' value, never of market prices. While an offer for the token is open, it is answered again."
	contract.Add(a.contract, offer, a.offerBuyback)
	contract.Add(a.contract, act("respondBuyback", "/api/buyback/{offer_id}/respond", "Accept an offer, which destroys the token and pays, or decline it",
		"not_found", "forbidden", "offer_closed"), a.respondBuyback)
	contract.Add(a.contract, mine(read("getBuyback", "/api/buyback/{offer_id}", "An offer of the house to the caller", "not_found", "forbidden")), a.getBuyback)
}

// Listing is a token at a price.
type Listing struct {
	ID         int64   `json:"id"`
	TokenID    int64   `json:"token_id"`
	Tier       int64   `json:"tier"`
	Material   string  `json:"material"`
	Price      int64   `json:"price" doc:"In coins."`
	Seller     string  `json:"seller" doc:"Address."`
	SellerName *string `json:"seller_name" doc:"Username; null where none is known."`
	Buyer      *string `json:"buyer" doc:"Address, once sold."`
	Status     string  `json:"status" enum:"active,sold,cancelled"`
	ListedAt   Time    `json:"listed_at"`
	ClosedAt   *Time   `json:"closed_at" doc:"When it was sold or cancelled."`
	TxHash     *string `json:"tx_hash" doc:"Of the sale."`
}

func (a *API) wireListing(l *market.Listing) Listing {
	out := Listing{
		ID: l.ID, TokenID: l.TokenID, Tier: l.Tier, Material: a.materialOf(l.Tier), Price: l.Price,
		Seller: l.Seller.String(), Status: string(l.Status), ListedAt: Time{l.ListedAt}, ClosedAt: optionalTime(l.ClosedAt), TxHash: optionalHash(l.SaleTx),
	}
	if l.SellerName != "" {
		out.SellerName = &l.SellerName
	}
	if l.Buyer != nil {
		out.Buyer = optionalAddress(*l.Buyer)
	}
	return out
}

func (a *API) wireListings(list []*market.Listing) []Listing {
	out := make([]Listing, len(list))
	for i, l := range list {
		out[i] = a.wireListing(l)
	}
	return out
}

// materialOf names a tier of the rules in force.
func (a *API) materialOf(tier int64) string { return a.Ledger.Rules().Tier(tier).Material }

type marketIn struct {
	Tier   *int64  `query:"tier" min:"0" max:"64" doc:"Only this tier; 0 is all."`
	Sort   string  `query:"sort" enum:"price,price_desc,tier,tier_desc,newest" default:"price" doc:"Within a tier the cheapest come first."`
	Limit  int64   `query:"limit" default:"20" min:"1" max:"100"`
	Cursor *string `query:"cursor" doc:"The next of the page before. It carries sort and tier: what is given beside it does not count."`
}

// MarketOut is the answer to GET /api/market.
type MarketOut struct {
	Listings        []Listing        `json:"listings"`
	Next            *string          `json:"next" doc:"Pass it as cursor; null on the last page."`
	Floors          []TierMarket     `json:"floors" doc:"Every tier, in order."`
	ReferencePrices []ReferencePrice `json:"reference_prices" doc:"Every tier, in order."`
}

// TierMarket is what is asked and paid for a tier.
type TierMarket struct {
	Tier      int64    `json:"tier"`
	Material  string   `json:"material"`
	Floor     *int64   `json:"floor" doc:"The lowest price asked; null when nothing is for sale."`
	Depth     int64    `json:"depth" doc:"How many are for sale."`
	LastSale  *SoldFor `json:"last_sale"`
	Volume24h Volume   `json:"volume_24h" doc:"Of the last 24 hours, to the minute."`
	Volume30d Volume   `json:"volume_30d" doc:"Of the last 30 days."`
}

// SoldFor is a price that was paid.
type SoldFor struct {
	Price int64 `json:"price"`
	At    Time  `json:"at"`
}

// Volume is how much was sold.
type Volume struct {
	Sales int64 `json:"sales"`
	Coins int64 `json:"coins"`
}

// ReferencePrice is what a token of a tier is taken to be worth.
type ReferencePrice struct {
	Tier     int64  `json:"tier"`
	Material string `json:"material"`
	Price    int64  `json:"price"`
	Basis    string `json:"basis" enum:"sales,rules" doc:"The median of the last 20 sales in 30 days, or the rules' value when they are fewer than 5."`
	N        int64  `json:"n" doc:"How many such sales there are, at most 20."`
	Value    int64  `json:"value" doc:"By the rules."`
}

func wireReference(r market.Reference, tier Tier) ReferencePrice {
	return ReferencePrice{tier.Tier, tier.Material, r.Price, string(r.Basis), r.N, tier.Value}
}

// marketPages keeps the answers that many are given alike, encoded, for the pages that
// package market hands out again as long as the market is as it was.
type marketPages struct {
	mu   sync.Mutex // guards kept
	kept map[market.BrowseOptions]marketPage
}

type marketPage struct {
	page    *market.Page
	encoded contract.Encoded[MarketOut]
}

// mostMarketPages bounds what is kept.
const mostMarketPages = 256

func (a *API) getMarket(ctx context.Context, in *marketIn) (*contract.Encoded[MarketOut], error) {
	b := market.BrowseOptions{Sort: market.Sort(in.Sort), Count: in.Limit + 1}
	if in.Tier != nil {
		b.Tier = *in.Tier
	}
	if in.Cursor != nil {
		if err := parseMarketCursor(*in.Cursor, &b); err != nil {
			return nil, err
		}
	}
	page, err := read(ctx, a, func(ctx context.Context, tx *store.Tx) (*market.Page, error) { return a.Market.Browse(ctx, tx, b) })
	if err != nil {
		return nil, err
	}
	return a.pages.encode(b, page, func() *MarketOut { return a.wireMarket(b, page) })
}

// encode returns the answer that shows a page, made by wire unless it is kept.
func (p *marketPages) encode(b market.BrowseOptions, page *market.Page, wire func() *MarketOut) (*contract.Encoded[MarketOut], error) {
	p.mu.Lock()
	kept, ok := p.kept[b]
	p.mu.Unlock()
	if ok && kept.page == page {
		return &kept.encoded, nil
	}
	text, err := contract.Encode(wire())
	if err != nil {
		return nil, err
	}
	encoded := contract.NewEncoded[MarketOut](text, nil)
	if b.After != nil { // few are at the same place
		return &encoded, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil || len(p.kept) >= mostMarketPages {
		p.kept = map[market.BrowseOptions]marketPage{}
	}
	p.kept[b] = marketPage{page, encoded}
	return &encoded, nil
}

func (a *API) wireMarket(b market.BrowseOptions, p *market.Page) *MarketOut {
	list, more := page(p.Listings, b.Count-1)
	out := &MarketOut{Listings: a.wireListings(list)}
	if more {
		out.Next = marketCursor(b, list[len(list)-1])
	}
	a.wireStats(out, p.Stats)
	return out
}

func (a *API) wireStats(out *MarketOut, stats []market.TierStats) {
	out.Floors, out.ReferencePrices = make([]TierMarket, len(stats)), make([]ReferencePrice, len(stats))
	for i, s := range stats {
		tier := wireTier(a.Ledger.Rules(), s.Tier)
		out.Floors[i] = TierMarket{
			Tier: s.Tier, Material: tier.Material, Floor: s.Floor, Depth: s.Depth, LastSale: wireTrade(s.Last),
			Volume24h: Volume(s.Day), Volume30d: Volume(s.Month),
		}
		out.ReferencePrices[i] = wireReference(s.Reference, tier)
	}
}

func wireTrade(t *market.Trade) *SoldFor {
	if t == nil {
		return nil
	}
	return &SoldFor{t.Price, Time{t.At}}
}

type pricesIn struct {
	Tier *int64 `query:"tier" min:"0" max:"64" doc:"Only this tier; 0 is all."`
	Days int64  `query:"days" min:"1" max:"365" default:"30" doc:"UTC days, today included."`
}

// PricesOut is the answer to GET /api/market/prices.
type PricesOut struct {
	Prices []DayPrices `json:"prices" doc:"By tier and date; days without a sale are left out."`
	Sales  []TokenSale `json:"sales" doc:"The last 50 of the tier asked for, the newest first; none when all are."`
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

// lastSales bounds the sales in the answer to GET /api/market/prices.
const lastSales = 50

func (a *API) getPrices(ctx context.Context, in *pricesIn) (*PricesOut, error) {
	tier := int64(0)
	if in.Tier != nil {
		tier = *in.Tier
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*PricesOut, error) {
		days, err := a.Market.Prices(ctx, tx, tier, in.Days)
		if err != nil {
			return nil, err
		}
		sales, err := a.Market.LastSales(ctx, tx, tier, lastSales)
		if err != nil {
			return nil, err
		}
		out := &PricesOut{make([]DayPrices, len(days)), make([]TokenSale, len(sales))}
		for i, d := range days {
			out.Prices[i] = DayPrices{d.Tier, a.materialOf(d.Tier), d.Day.Format(dateFormat), d.Open, d.High, d.Low, d.Close, d.Sales, d.Coins}
		}
		for i, s := range sales {
			out.Sales[i] = TokenSale{s.TokenID, s.ListingID, s.Price, Time{s.At}}
		}
		return out, nil
	})
}

type listingIn struct {
	ListingID int64 `path:"listing_id" min:"0" max:"2147483647"`
}

// ListingOut is a listing alone.
type ListingOut struct {
	Listing Listing `json:"listing"`
}

func (a *API) getListing(ctx context.Context, in *listingIn) (*ListingOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*ListingOut, error) {
		l, err := a.Market.Listing(ctx, tx, in.ListingID)
		if err != nil {
			return nil, err
		}
		return &ListingOut{a.wireListing(l)}, nil
	})
}

type pageIn struct {
	Limit  int64   `query:"limit" default:"20" min:"1" max:"100"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// ListingsOut is a page of listings.
type ListingsOut struct {
	Listings []Listing `json:"listings"`
	Next     *string   `json:"next" doc:"Pass it as cursor; null on the last page."`
}

func (a *API) listOwnListings(ctx context.Context, in *pageIn) (*ListingsOut, error) {
	address := callerOf(ctx).account.Address
	before, err := parseCursor(in.Cursor, cursorListings)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*ListingsOut, error) {
		list, err := a.Market.ListingsBySeller(ctx, tx, address, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		list, more := page(list, in.Limit)
		out := &ListingsOut{Listings: a.wireListings(list)}
		if more {
			out.Next = cursor(cursorListings, list[len(list)-1].ID)
		}
		return out, nil
	})
}

// marketCursor says where a page of the market ended, and in which order and of what it
// was.
func marketCursor(b market.BrowseOptions, last *market.Listing) *string {
	at := last.Cursor()
	c := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s:%s:%d:%d:%d:%d", cursorMarket, b.Sort, b.Tier, at.Tier, at.Price, at.ID))
	return &c
}

// parseMarketCursor has b go on where the page of the cursor ended.
func parseMarketCursor(c string, b *market.BrowseOptions) error {
	text, err := base64.RawURLEncoding.Strict().DecodeString(c)
	if err != nil {
		return errCursor
	}
	parts := strings.Split(string(text), ":")
	if len(parts) != 6 || parts[0] != cursorMarket || !slices.Contains(market.Sorts, market.Sort(parts[1])) {
		return errCursor
	}
	var numbers [4]int64
	for i := range numbers {
		if numbers[i], err = strconv.ParseInt(parts[2+i], 10, 64); err != nil || numbers[i] < 0 {
			return errCursor
		}
	}
	b.Sort, b.Tier = market.Sort(parts[1]), numbers[0]
	b.After = &market.Cursor{Tier: numbers[1], Price: numbers[2], ID: numbers[3]}
	return nil
}
