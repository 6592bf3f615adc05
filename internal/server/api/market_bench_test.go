package api_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/account"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/store"
)

// bazaar is an interface over a ledger, a market and the portfolios' book.
type bazaar struct {
	*ledgertest.Ledger
	market   *market.Service
	accounts *account.Service
	edge     *edge.Edge
}

func newBazaar(b *testing.B) *bazaar {
	b.Helper()
	rules := ledgertest.Rules()
	rules.StartingBalance = 1 << 30 // enough for everything
	s := &bazaar{Ledger: ledgertest.Open(b, ledgertest.Options{Rules: &rules})}
	s.accounts = &account.Service{DB: s.DB, Ledger: s.Ledger.Ledger, Now: s.Clock.Now, Rand: rand.Reader}
	s.market = &market.Service{Ledger: s.Ledger.Ledger, Parties: s.accounts}
	holdings := &portfolio.Service{Ledger: s.Ledger.Ledger}
	s.Listen(s.market)
	s.Listen(holdings)
	var err error
	s.edge, err = edge.New(edge.Config{Config: api.Config{
		Config:   stream.Config{DB: s.DB, Now: s.Clock.Now},
		Services: api.Services{Accounts: s.accounts, Market: s.market, Holdings: holdings}, Ledger: s.Ledger.Ledger,
	}})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// cost sends requests for a path in sequence, and returns the processor time of each in
// nanoseconds, which on a busy machine is more reliable than the clock.
func (s *bazaar) cost(b *testing.B, path string) float64 {
	b.Helper()
	used := func() int64 {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			b.Fatal(err)
		}
		return r.Utime.Nano() + r.Stime.Nano()
	}
	before := used()
	for b.Loop() {
		w := httptest.NewRecorder()
		s.edge.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	cost := float64(used()-before) / float64(b.N)
	b.ReportMetric(cost, "cpu-ns/op")
	return cost
}

// stock puts tokens of all tiers of a thousand sellers up for sale, and creates past sales.
func (s *bazaar) stock(b *testing.B, listings, sales int64) {
	b.Helper()
	f := market.FillOptions{Listings: listings, Sales: sales, Tiers: s.Rules().Top(), Now: s.Clock.Now()}
	var accounts [][]any
	for i := range 1000 {
		a, name := chain.Address{1, byte(i >> 8), byte(i)}, fmt.Sprint("seller-", i)
		f.Sellers = append(f.Sellers, a)
		accounts = append(accounts, []any{a[:], "guest", name, name, name, f.Now.UnixMilli()})
	}
	s.Update(b, func(ctx context.Context, tx *store.Tx) error {
		if err := store.BulkInsert(
			ctx,
			tx,
			"account",
			[]string{"address", "kind", "username", "username_key", "username_fold", "created_at"},
			accounts,
		); err != nil {
			return err
		}
		return market.Fill(ctx, tx, f)
	})
}

// BenchmarkMarket reads the market with 50,000 listings and 100,000 sales, in every order,
// against an empty one.
func BenchmarkMarket(b *testing.B) {
	empty, full := newBazaar(b), newBazaar(b)
	full.stock(b, 50_000, 100_000)
	var none float64
	b.Run("empty", func(b *testing.B) { none = empty.cost(b, "/api/market") })
	for _, query := range []string{"", "?sort=price_desc", "?sort=tier", "?sort=tier_desc", "?sort=newest", "?tier=7",
		"?tier=7&sort=newest", "?limit=100"} {
		b.Run("50000"+query, func(b *testing.B) { b.ReportMetric(none/full.cost(b, "/api/market"+query), "of-empty") })
	}
	b.Run("changing", func(b *testing.B) {
		for b.Loop() {
			full.Update(b, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE market_tier SET version = version + 1 WHERE tier = 1")
				return err
			})
			w := httptest.NewRecorder()
			full.edge.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/market", nil))
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
	s.View(b, func(ctx context.Context, tx *store.Tx) error {
		list, err := s.History(ctx, tx, ann.Address, ledger.Newest, 20_000)
		b.Logf("%d entries", len(list))
		return err
	})
	session := s.signIn(b, ann.Address)
	request := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/api/portfolio?days=90", nil)
		r.AddCookie(session)
		s.edge.ServeHTTP(w, r)
		return w
	}
	for b.Loop() {
		if w := request(); w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}

// signIn opens a session for an account that only the ledger has.
func (s *bazaar) signIn(b *testing.B, address chain.Address) *http.Cookie {
	b.Helper()
	var token string
	s.Update(b, func(ctx context.Context, tx *store.Tx) error {
		err := store.BulkInsert(
			ctx,
			tx,
			"account",
			[]string{"address", "kind", "username", "username_key", "username_fold", "created_at"},
			[][]any{{address[:], "guest", "Ann", "ann", "ann", s.Clock.Now().Add(-90 * 24 * time.Hour).UnixMilli()}},
		)
		if err != nil {
			return err
		}
		opened, err := s.accounts.SignIn(ctx, tx, address, account.SessionToken{}, "benchmark")
		token = opened.Token.Text()
		return err
	})
	return &http.Cookie{Name: "roshambo_session", Value: token}
}

// dealing plays a run that is lost, one that is won, and sells its token from one player to the
// other.
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
	s.Update(b, func(ctx context.Context, tx *store.Tx) error {
		l, err := s.market.List(ctx, tx, seller.Address, token.ID, i%7+1)
		if err != nil {
			return err
		}
		_, err = s.market.Buy(ctx, tx, buyer.Address, l.ID)
		return err
	})
}
