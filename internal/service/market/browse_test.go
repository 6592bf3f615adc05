package market_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// TestBrowse pages through every order, of all tiers and of one, with different page sizes,
// and compares with the sorted list of all listings.
func TestBrowse(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	p := e.join(t)
	dice := rand.New(rand.NewPCG(1, 2)) // the same prices in every run
	var all []*listing
	for range 60 {
		l := e.list(t, p, e.win(t, p, dice.Int64N(4)+1), dice.Int64N(6)+1) // many at equal prices
		if dice.IntN(4) == 0 {
			e.cancel(t, p, l)
		} else {
			all = append(all, l)
		}
	}
	orders := map[market.Sort]func(a, b *listing) int{
		market.ByPrice: func(a, b *listing) int {
			return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.id, b.id))
		},
		market.ByPriceDown: func(a, b *listing) int {
			return cmp.Or(cmp.Compare(b.price, a.price), cmp.Compare(b.id, a.id))
		},
		market.ByTier: func(a, b *listing) int {
			return cmp.Or(cmp.Compare(a.token.Tier, b.token.Tier), cmp.Compare(a.price, b.price),
				cmp.Compare(a.id, b.id))
		},
		market.ByTierDown: func(a, b *listing) int {
			return cmp.Or(cmp.Compare(b.token.Tier, a.token.Tier), cmp.Compare(a.price, b.price),
				cmp.Compare(a.id, b.id))
		},
		market.Newest: func(a, b *listing) int { return cmp.Compare(b.id, a.id) },
	}
	for _, sort := range market.Sorts {
		for tier := range int64(6) {
			var want []int64
			for _, l := range slices.SortedFunc(slices.Values(all), orders[sort]) {
				if tier == 0 || l.token.Tier == tier {
					want = append(want, l.id)
				}
			}
			for _, count := range []int64{1, 2, 7, 100} {
				got := e.browseAll(t, market.BrowseOptions{Sort: sort, Tier: tier, Count: count})
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, tier %d, %d a page:\n got %v\nwant %v", sort, tier, count, got, want)
				}
			}
		}
	}
}

// browseAll returns the ids of all pages.
func (e *economy) browseAll(t *testing.T, b market.BrowseOptions) (ids []int64) {
	t.Helper()
	for more := true; more; {
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			page, err := e.market.Browse(ctx, tx, b)
			if err != nil {
				return err
			}
			for _, l := range page.Listings {
				ids = append(ids, l.ID)
				cursor := l.Cursor()
				b.After = &cursor
			}
			more = len(page.Listings) > 0
			return nil
		})
	}
	return ids
}

// TestStats checks the statistics of a tier over weeks.
func TestStats(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	seller, buyer := e.join(t), e.join(t)
	stats := func() (s market.TierStats) {
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			list, err := e.market.Stats(ctx, tx)
			s = list[1]
			return err
		})
		return s
	}
	sell := func(price int64) { e.buy(t, buyer, e.list(t, seller, e.win(t, seller, 2), price)) }
	want := func(name string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	want("without sales", stats(), market.TierStats{
		Tier: 2, Reference: market.Reference{Price: 192, Basis: market.ByRules},
	})
	for i := range int64(5) {
		sell(10 + i)
		e.Clock.Add(10 * time.Hour)
	}
	s := stats() // the sales were 50, 40, 30, 20 and 10 hours ago
	want("volume of a day", s.Day, market.Volume{Sales: 2, Coins: 27})
	want("volume of a month", s.Month, market.Volume{Sales: 5, Coins: 60})
	want("reference", s.Reference, market.Reference{Price: 12, Basis: market.BySales, N: 5})
	want("last", s.Last.Price, int64(14))
	e.list(t, seller, e.win(t, seller, 2), 300)
	e.list(t, seller, e.win(t, seller, 2), 200)
	s = stats()
	want("floor", *s.Floor, int64(200))
	want("depth", s.Depth, int64(2))
	e.Clock.Add(30*24*time.Hour - 50*time.Hour + time.Minute) // the first sale leaves the window
	s = stats()
	want("volume of a day, later", s.Day, market.Volume{})
	want("volume of a month, later", s.Month, market.Volume{Sales: 4, Coins: 50})
	want("reference, later", s.Reference, market.Reference{Price: 192, Basis: market.ByRules, N: 4})
	e.check(t)
}

// TestClockSetBack checks that a sale by a node whose clock is behind is dated as the tier's last
// sale: the sales of a tier are ordered by time.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	seller, buyer := e.join(t), e.join(t)
	first := e.Clock.Now()
	for i := range int64(3) {
		e.buy(t, buyer, e.list(t, seller, e.win(t, seller, 2), 10+i))
		e.Clock.Set(first.Add(-time.Duration(i+1) * time.Second)) // the store accepts five
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			sales, err := e.market.LastSales(ctx, tx, 2, 10)
			for _, s := range sales {
				if s.At.Before(first) {
					t.Errorf("after %d sales: %+v is before %v", i+1, s, first)
				}
			}
			return err
		})
	}
}

// TestPrices checks the prices of days with sales, and that reference prices of past days are
// those at the end of the day.
func TestPrices(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	seller, buyer := e.join(t), e.join(t)
	e.Clock.Set(time.Date(2026, 5, 2, 1, 0, 0, 0, time.UTC))
	for day := range int64(3) {
		for _, price := range []int64{20, 50, 10, 30} {
			e.buy(t, buyer, e.list(t, seller, e.win(t, seller, 3), price+day))
		}
		e.Clock.Add(24 * time.Hour)
	}
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		days, err := e.market.Prices(ctx, tx, 3, 3) // without today, the 5th, which has no sale
		if err != nil {
			return err
		}
		want := market.DayPrices{
			Tier: 3, Day: time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC), Open: 21, High: 51, Low: 11, Close: 31,
			Sales: 4, Coins: 114,
		}
		if len(days) != 2 || days[0] != want {
			t.Errorf("prices %+v, want 2 days and first %+v", days, want)
		}
		all, err := e.market.Prices(ctx, tx, 0, 365)
		if len(all) != 3 || err != nil {
			t.Errorf("prices of all tiers: %+v, %v, want 3 days", all, err)
		}
		sales, err := e.market.LastSales(ctx, tx, 3, 2)
		if len(sales) != 2 || sales[0].Price != 32 || err != nil {
			t.Errorf("last sales %+v, %v", sales, err)
		}
		// On the 2nd four sales are too few; the next days have the medians of 8, 12 and 12 sales.
		for range 2 { // the second time from the cache
			prices, err := e.market.References(ctx, tx, 5)
			if err != nil {
				return err
			}
			if got := fmt.Sprint(prices[2]); got != "[384 384 25 26 26]" {
				t.Errorf("reference prices %s", got)
			}
		}
		if prices, err := e.market.References(ctx, tx, 1); err != nil || len(prices[2]) != 1 || prices[2][0] != 26 {
			t.Errorf("reference prices of today: %v, %v", prices[2], err)
		}
		return nil
	})
	e.Clock.Add(40 * 24 * time.Hour) // no sale is left within 30 days
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		prices, err := e.market.References(ctx, tx, 91)
		if got := prices[2]; err != nil || got[90] != 384 || got[50] != 26 || got[49] != 26 || got[48] != 25 {
			t.Errorf("reference prices %v, %v", got, err)
		}
		// At the end of 1 June the sales of 2 May are out of the window, a day later the sales of the 3rd.
		if got := prices[2]; got[76] != 26 || got[77] != 26 || got[78] != 384 {
			t.Errorf("reference prices of 31 May to 2 June %v, want [26 26 384]", got[76:79])
		}
		return err
	})
	e.Clock.Add(53 * 24 * time.Hour) // the sales are older than the first day
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		prices, err := e.market.References(ctx, tx, 91)
		if got := prices[2]; err != nil || got[0] != 26 || got[90] != 384 {
			t.Errorf("reference prices %v, %v, want 26 first", got, err)
		}
		return err
	})
}

// TestStoredListing checks the stored form of a sold, a cancelled and an active listing, and that
// lists show the same.
func TestStoredListing(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	seller, buyer := e.join(t), e.join(t)
	listedAt := e.Clock.Now()
	sold, cancelled, active := e.list(t, seller, e.win(t, seller, 2), 10), e.list(t, seller, e.win(t, seller, 3), 20),
		e.list(t, seller, e.win(t, seller, 4), 30)
	e.Clock.Add(time.Minute)
	e.buy(t, buyer, sold)
	e.cancel(t, seller, cancelled)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := e.market.ListingsBySeller(ctx, tx, seller.Address, chain.MaxID, 10)
		if err != nil || len(list) != 3 {
			t.Fatalf("%d listings, error %v", len(list), err)
		}
		for i, c := range []struct {
			listing *listing
			status  market.Status
		}{{active, market.Active}, {cancelled, market.Cancelled}, {sold, market.Sold}} {
			l, err := e.market.Listing(ctx, tx, c.listing.id)
			if err != nil {
				return err
			}
			if diff := gocmp.Diff(l, list[i]); diff != "" {
				t.Errorf("%s: in the list (-alone +list):\n%s", c.status, diff)
			}
			over, isSold := c.status != market.Active, c.status == market.Sold
			if l.Status != c.status || l.ID != c.listing.id || l.Price != c.listing.price || l.Seller != seller.Address ||
				l.TokenID != c.listing.token.ID || l.Tier != c.listing.token.Tier || l.ListedAt.Before(listedAt) {
				t.Errorf("%s: %+v", c.status, l)
			}
			if (l.ClosedAt != nil) != over || over && l.ClosedAt.Sub(listedAt) < time.Minute {
				t.Errorf("%s: closed at %v", c.status, l.ClosedAt)
			}
			if (l.Buyer != nil) != isSold || (l.SaleTx != nil) != isSold || isSold && *l.Buyer != buyer.Address {
				t.Errorf("%s: buyer %v, transaction %v", c.status, l.Buyer, l.SaleTx)
			}
		}
		sales, err := e.market.SalesOfToken(ctx, tx, sold.token.ID)
		if err == nil && (len(sales) != 1 || sales[0].ID != sold.id) {
			t.Errorf("sales of the token: %+v", sales)
		}
		return err
	})
}

// TestSellerName checks that a single listing and every list show the name of the seller, and none for
// a seller without one.
func TestSellerName(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	named, nameless, buyer := e.join(t), e.join(t), e.join(t)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at)
			VALUES ($1, 'guest', 'Ann', 'ann', 'ann', 0)`, named.Address[:])
		return err
	})
	for seller, want := range map[*player]string{named: "Ann", nameless: ""} {
		sold, active := e.list(t, seller, e.win(t, seller, 2), 10), e.list(t, seller, e.win(t, seller, 2), 20)
		e.buy(t, buyer, sold)
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			check := func(name string, err error, count int, list ...*market.Listing) {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				for _, l := range list {
					if l.Seller != seller.Address {
						continue
					}
					if count--; l.SellerName != want {
						t.Errorf("%s: the seller of %d is %q, want %q", name, l.ID, l.SellerName, want)
					}
				}
				if count != 0 {
					t.Errorf("%s: %d listings are missing", name, count)
				}
			}
			for _, of := range []*listing{sold, active} {
				l, err := e.market.Listing(ctx, tx, of.id)
				check("a listing", err, 1, l)
			}
			l, err := e.market.ListingOf(ctx, tx, active.token.ID)
			check("of a token", err, 1, l)
			list, err := e.market.ListingsBySeller(ctx, tx, seller.Address, chain.MaxID, 10)
			check("of a seller", err, 2, list...)
			list, err = e.market.SalesOfToken(ctx, tx, sold.token.ID)
			check("sales", err, 1, list...)
			for _, sort := range market.Sorts {
				for _, tier := range []int64{0, 2} {
					page, err := e.market.Browse(ctx, tx, market.BrowseOptions{Tier: tier, Sort: sort, Count: 10})
					if err != nil {
						return err
					}
					check(fmt.Sprintf("by %s of tier %d", sort, tier), nil, 1, page.Listings...)
				}
			}
			return nil
		})
	}
}

// TestPricesOfAllTiers checks that the prices of all tiers include the first and the last tier.
func TestPricesOfAllTiers(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	seller, buyer := e.join(t), e.join(t)
	tiers := []int64{1, 2, e.Rules().Top()}
	for _, tier := range tiers {
		e.buy(t, buyer, e.list(t, seller, e.win(t, seller, tier), 10))
	}
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		prices, err := e.market.Prices(ctx, tx, 0, 10)
		var got []int64
		for _, p := range prices {
			got = append(got, p.Tier)
		}
		if err == nil && !slices.Equal(got, tiers) {
			t.Errorf("prices of tiers %v, want %v", got, tiers)
		}
		return err
	})
}

// TestLowestOffer checks that the house offers one coin, and nothing below.
func TestLowestOffer(t *testing.T) {
	t.Parallel()
	rules := ledgertest.Rules()
	rules.Tiers[0].Value, rules.Tiers[1].Value = 1, 2 // it pays 80 %, rounded down
	e := newEconomyWith(t, ledgertest.Options{Rules: &rules})
	p := e.join(t)
	for tier, want := range map[int64]error{1: market.ErrNoOffer, 2: nil} {
		token := e.win(t, p, tier)
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			o, err := e.market.Offer(ctx, tx, p.Address, token.ID)
			if !errors.Is(err, want) || err == nil && o.Price != 1 {
				t.Errorf("tier %d: offer %+v, error %v, want %v", tier, o, err, want)
			}
			return nil
		})
	}
}

// TestLateSales checks that sales which are stored after midnight count for the reference price of
// the day before, until five minutes later: then the prices of past days are cached.
func TestLateSales(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	seller, buyer := e.join(t), e.join(t)
	midnight := e.Clock.Now().Truncate(24 * time.Hour).Add(48 * time.Hour)
	for _, c := range []struct {
		after time.Duration // midnight
		price int64
		want  int64 // before and after the late sales
		late  int64
	}{
		{5*time.Minute - time.Millisecond, 20, 192, 20},
		{5 * time.Minute, 30, 20, 20},
		{6 * time.Minute, 40, 20, 20},
	} {
		for i, want := range []int64{c.want, c.late} {
			if i == 1 {
				e.Clock.Set(midnight.Add(-time.Hour))
				for range 10 {
					e.buy(t, buyer, e.list(t, seller, e.win(t, seller, 2), c.price))
				}
			}
			e.Clock.Set(midnight.Add(c.after))
			e.View(t, func(ctx context.Context, tx *store.Tx) error {
				prices, err := e.market.References(ctx, tx, 2)
				if err == nil && prices[1][0] != want {
					t.Errorf("%v after midnight: yesterday's price %d, want %d", c.after, prices[1][0], want)
				}
				return err
			})
		}
	}
}

// TestListedPrice checks that List refuses prices out of bounds.
func TestListedPrice(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	p := e.join(t)
	k := e.win(t, p, 1)
	for _, price := range []int64{-1, 0, chain.MaxID + 1} {
		err := e.DB.UpdateAt(t.Context(), market.Isolation, func(ctx context.Context, tx *store.Tx) error {
			_, err := e.market.List(ctx, tx, p.Address, k.ID, price)
			return err
		})
		if err == nil {
			t.Errorf("listed for %d", price)
		}
	}
	// The first page of every order includes the lowest and the highest price.
	low, high := e.list(t, p, k, 1), e.list(t, p, e.win(t, p, 1), chain.MaxID)
	for _, sort := range market.Sorts {
		for tier := range int64(2) {
			got := e.browseAll(t, market.BrowseOptions{Sort: sort, Tier: tier, Count: 10})
			slices.Sort(got)
			if !slices.Equal(got, []int64{low.id, high.id}) {
				t.Errorf("%s, tier %d: listings %v, want %d and %d", sort, tier, got, low.id, high.id)
			}
		}
	}
}

// TestLastID checks that the last ids of the chain are given to an offer and a listing, and that
// the next ones are refused: a larger id has no exact form in JSON.
func TestLastID(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	if !e.DB.Exclusive() {
		return // PostgreSQL takes ids from a sequence, which an inserted row does not advance
	}
	p := e.join(t)
	var tokens []*token
	for range 2 {
		tokens = append(tokens, e.win(t, p, 2))
	}
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO buyback_offer
			(offer_id, token_id, tier, price, seller, status, offered_at, expires_at)
			VALUES ($1, 1, 2, 1, $2, 'declined', 0, 0)`, int64(chain.MaxID-1), p.Address[:])
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO market_listing
			(listing_id, token_id, tier, tier_down, price, seller, status, listed_at)
			VALUES ($1, 1, 2, -2, 1, $2, 'cancelled', 0)`, int64(chain.MaxID-1), p.Address[:])
		return err
	})
	for name, use := range map[string]func(ctx context.Context, tx *store.Tx, token int64) (int64, error){
		"offer": func(ctx context.Context, tx *store.Tx, token int64) (int64, error) {
			o, err := e.market.Offer(ctx, tx, p.Address, token)
			if err != nil {
				return 0, err
			}
			return o.ID, nil
		},
		"listing": func(ctx context.Context, tx *store.Tx, token int64) (int64, error) {
			l, err := e.market.List(ctx, tx, p.Address, token, 5)
			if err != nil {
				return 0, err
			}
			fresh := &market.Service{Ledger: e.Ledger.Ledger}
			page, err := fresh.Browse(ctx, tx, market.BrowseOptions{Sort: market.Newest, Count: 1})
			if err == nil && (len(page.Listings) != 1 || page.Listings[0].ID != l.ID) {
				t.Errorf("the newest listing is not %d: %+v", l.ID, page.Listings)
			}
			return l.ID, err
		},
	} {
		_ = e.DB.UpdateAt(t.Context(), market.Isolation, func(ctx context.Context, tx *store.Tx) error {
			if id, err := use(ctx, tx, tokens[0].ID); err != nil || id != chain.MaxID {
				t.Errorf("%s: id %d, error %v, want the last id", name, id, err)
			}
			_, err := use(ctx, tx, tokens[1].ID)
			if err == nil || !strings.Contains(err.Error(), "no "+name+" id is left") {
				t.Errorf("%s after the last id: error %v", name, err)
			}
			return errRollback
		})
	}
}
