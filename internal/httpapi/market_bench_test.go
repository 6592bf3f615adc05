package httpapi_test

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/account"
	"roshambo/internal/db"
	"roshambo/internal/httpapi"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/market"
	"roshambo/internal/portfolio"
)

// bazaar is an interface over a ledger, a market and the portfolios' book.
type bazaar struct {
	*ledgertest.Ledger
	market   *market.Service
	accounts *account.Service
	api      *httpapi.API
}

func newBazaar(b *testing.B) *bazaar {
	b.Helper()
	rules := ledgertest.Rules()
	rules.StartingBalance = 1 << 30 // enough for everything
	s := &bazaar{Ledger: ledgertest.Open(b, ledgertest.Options{Rules: &rules})}
	s.accounts = &account.Service{DB: s.DB, Ledger: s.Ledger.Ledger, Now: s.Clock.Now, Rand: rand.Reader}
	s.market = &market.Service{Ledger: s.Ledger.Ledger, Parties: s.accounts, Now: s.Clock.Now}
	holdings := &portfolio.Service{Ledger: s.Ledger.Ledger, Now: s.Clock.Now}
	s.Listen(s.market)
	s.Listen(holdings)
	var err error
	s.api, err = httpapi.New(httpapi.Config{
		DB: s.DB, Ledger: s.Ledger.Ledger, Accounts: s.accounts, Market: s.market, Holdings: holdings, Now: s.Clock.Now,
	})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// rate answers requests for a path one after the other, and returns how many a second.
func (s *bazaar) rate(b *testing.B, path string) float64 {
	b.Helper()
	n := 0
	began := time.Now()
	for b.Loop() {
		w := httptest.NewRecorder()
		s.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
		n++
	}
	return float64(n) / time.Since(began).Seconds()
}

// stock puts so many tokens of all tiers up for sale, of a thousand sellers, and has so
// many be sold before, behind the market's back.
func (s *bazaar) stock(b *testing.B, listings, sales int64) {
	b.Helper()
	address := func(i int64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 12), uint64(i%1000+1)) }
	now := s.Clock.Now().UnixMilli()
	var accounts, tokens, listed, sold [][]any
	for i := range int64(1000) {
		name := fmt.Sprint("seller-", i)
		accounts = append(accounts, []any{address(i), "guest", name, name, now})
	}
	tiers := s.Rules().Top()
	for i := range listings {
		tier := i%tiers + 1
		tokens = append(tokens, []any{i + 1, tier, address(i), 1})
		listed = append(listed, []any{i + 1, i + 1, tier, -tier, 100*tier + i*7919%1000, address(i), "active", now})
	}
	for i := range sales {
		tier := i%tiers + 1
		sold = append(sold, []any{tier, i/tiers + 1, now - (sales-i)*30*24*3600_000/sales, 100 * tier, 100 * tier * (i/tiers + 1), i + 1, listings + i + 1})
	}
	recent := make([]byte, 20*16)
	for i := range 20 {
		binary.BigEndian.PutUint64(recent[16*i:], uint64(100+i))
		binary.BigEndian.PutUint64(recent[16*i+8:], uint64(now))
	}
	var counted [][]any
	for k := range tiers {
		counted = append(counted, []any{k + 1, listings / tiers, sales / tiers, sales / tiers * 100 * (k + 1), recent, 1})
	}
	s.Update(b, func(ctx context.Context, tx *db.Tx) error {
		for _, t := range []struct {
			table   string
			columns []string
			rows    [][]any
		}{
			{"account", []string{"address", "kind", "username", "username_key", "created_at"}, accounts},
			{"ledger_token", []string{"token_id", "tier", "owner", "locked"}, tokens},
			{"market_listing", []string{"listing_id", "token_id", "tier", "tier_down", "price", "seller", "status", "listed_at"}, listed},
			{"market_sale", []string{"tier", "n", "at", "price", "coins", "token_id", "listing_id"}, sold},
			{"market_tier", []string{"tier", "depth", "sales", "coins", "recent", "version"}, counted},
		} {
			if err := db.BulkInsert(ctx, tx, t.table, t.columns, t.rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkMarket reads the market with 50,000 listings and 100,000 sales, in every order,
// against an empty one.
func BenchmarkMarket(b *testing.B) {
	empty, full := newBazaar(b), newBazaar(b)
	full.stock(b, 50_000, 100_000)
	var none float64
	b.Run("empty", func(b *testing.B) { none = empty.rate(b, "/api/market") })
	for _, query := range []string{"", "?sort=price_desc", "?sort=tier", "?sort=tier_desc", "?sort=newest", "?tier=7", "?tier=7&sort=newest", "?limit=100"} {
		b.Run("50000"+query, func(b *testing.B) { b.ReportMetric(full.rate(b, "/api/market"+query)/none, "of-empty") })
	}
	b.Run("changing", func(b *testing.B) {
		for b.Loop() {
			full.Update(b, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE market_tier SET version = version + 1 WHERE tier = 1")
				return err
			})
			w := httptest.NewRecorder()
			full.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/market", nil))
			if w.Code != http.StatusOK {
				b.Fatal(w.Body)
			}
		}
	})
}

// BenchmarkPortfolio reads the portfolio of an account with 10,000 entries in the ledger,
// on 90 days, among a market that was as busy.
func BenchmarkPortfolio(b *testing.B) {
	s := newBazaar(b)
	ann, bob := s.Join(b), s.Join(b)
	for day := range 90 {
		for i := range 37 { // runs that cost 50, and won tokens that are sold: 112 entries with the faucet
			s.dealing(b, ann, bob, int64(day*37+i))
		}
		s.Drip(b, ann)
		s.SealAll(b)
		s.Clock.Add(24 * time.Hour)
	}
	s.View(b, func(ctx context.Context, tx *db.Tx) error {
		list, err := s.History(ctx, tx, ann.Address, ledger.Newest, 20_000)
		b.Logf("%d entries", len(list))
		return err
	})
	session := s.signIn(b, ann.Address)
	request := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/api/portfolio?days=90", nil)
		r.AddCookie(session)
		s.api.ServeHTTP(w, r)
		return w
	}
	for b.Loop() {
		if w := request(); w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}

// signIn opens a session for somebody who is known to the ledger alone.
func (s *bazaar) signIn(b *testing.B, address chain.Address) *http.Cookie {
	b.Helper()
	var token string
	s.Update(b, func(ctx context.Context, tx *db.Tx) error {
		err := db.BulkInsert(ctx, tx, "account", []string{"address", "kind", "username", "username_key", "created_at"},
			[][]any{{address[:], "guest", "Ann", "ann", s.Clock.Now().Add(-90 * 24 * time.Hour).UnixMilli()}})
		if err != nil {
			return err
		}
		opened, err := s.accounts.SignIn(ctx, tx, address, "", "benchmark")
		token = opened.Token
		return err
	})
	return &http.Cookie{Name: "roshambo_session", Value: token}
}

// dealing is a run for the fee that is lost, one that is won, and the sale of its token,
// one way or the other.
func (s *bazaar) dealing(b *testing.B, ann, bob *ledgertest.Player, i int64) {
	b.Helper()
	if err := s.Pay(b, ann); err != nil {
		b.Fatal(err)
	}
	seller, buyer := ann, bob
	if i%2 == 0 {
		seller, buyer = bob, ann
	}
	token := s.Win(b, seller, i%16+1)
	s.Update(b, func(ctx context.Context, tx *db.Tx) error {
		l, err := s.market.List(ctx, tx, seller.Address, token.ID, i%7+1)
		if err != nil {
			return err
		}
		_, err = s.market.Buy(ctx, tx, buyer.Address, l.ID)
		return err
	})
}
