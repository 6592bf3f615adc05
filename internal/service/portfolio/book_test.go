package portfolio_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/store"
)

// world is a ledger, a market and the book, with players that trade.
type world struct {
	*ledgertest.Ledger
	market  *market.Service
	book    *portfolio.Service
	players []*trader
}

// trader is a player with the expected contents of the book, summed up event by event.
type trader struct {
	*ledgertest.Player
	opened  time.Time
	balance int64
	bound   int64 // of balance
	given   int64
	tokens  []ledger.OwnedToken
	lots    map[int64][]int64 // by tier, the costs of the tokens held, the first acquired first
	gained  map[int64]int64   // by tier, realised profit
	days    map[int64]day     // the state at the end of each day
}

// day is the state of a trader at the end of a day.
type day struct {
	balance, given int64
	tokens         map[int64]int64 // by tier
}

// noBots implements market.Parties for accounts without bots.
type noBots struct{}

// Party returns the address itself.
func (noBots) Party(_ context.Context, _ *store.Tx, a chain.Address) (chain.Address, error) {
	return a, nil
}

// PrefetchParty does nothing: Party reads nothing.
func (noBots) PrefetchParty(*store.Tx, chain.Address) {}

func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldWith(t, ledgertest.Options{})
}

func newWorldWith(t testing.TB, o ledgertest.Options) *world {
	t.Helper()
	w := &world{Ledger: ledgertest.Open(t, o)}
	w.market = &market.Service{Ledger: w.Ledger.Ledger, Parties: noBots{}}
	w.book = &portfolio.Service{Ledger: w.Ledger.Ledger}
	w.Listen(w.market)
	w.Listen(w.book)
	return w
}

func (w *world) join(t testing.TB) *trader {
	t.Helper()
	p := &trader{
		Player: w.Join(t), opened: w.Clock.Now(), balance: 1000, given: 1000,
		lots: map[int64][]int64{}, gained: map[int64]int64{}, days: map[int64]day{},
	}
	w.players = append(w.players, p)
	return p
}

// endDay records the state of all traders, and moves the clock to the next day.
func (w *world) endDay() {
	for _, p := range w.players {
		d := day{p.balance, p.given, map[int64]int64{}}
		for tier, lots := range p.lots {
			d.tokens[tier] = int64(len(lots))
		}
		p.days[w.today()] = d
	}
	w.Clock.Add(24 * time.Hour)
}

func (w *world) today() int64 { return w.Clock.Now().Unix() / 86400 }

func (p *trader) acquire(token ledger.OwnedToken, cost int64) {
	p.tokens = append(p.tokens, token)
	p.lots[token.Tier] = append(p.lots[token.Tier], cost)
	p.balance -= cost
}

func (p *trader) dispose(token ledger.OwnedToken, proceeds int64) {
	for i := range p.tokens {
		if p.tokens[i] == token {
			p.tokens = append(p.tokens[:i:i], p.tokens[i+1:]...)
			break
		}
	}
	lots := p.lots[token.Tier]
	p.gained[token.Tier] += proceeds - lots[0]
	p.lots[token.Tier] = lots[1:]
	p.balance += proceeds
}

// trade has one player sell a token to another.
func (w *world) trade(t testing.TB, seller, buyer *trader, token ledger.OwnedToken, price int64) {
	t.Helper()
	w.Update(t, func(ctx context.Context, tx *store.Tx) error {
		l, err := w.market.List(ctx, tx, seller.Address, token.ID, price)
		if err != nil {
			return err
		}
		_, err = w.market.Buy(ctx, tx, buyer.Address, l.ID)
		return err
	})
	seller.dispose(token, price-price*250/10_000)
	buyer.acquire(token, price)
}

func (w *world) buyBack(t testing.TB, p *trader, token ledger.OwnedToken) {
	t.Helper()
	var price int64
	w.Update(t, func(ctx context.Context, tx *store.Tx) error {
		o, err := w.market.Offer(ctx, tx, p.Address, token.ID)
		if err != nil {
			return err
		}
		price = o.Price
		_, _, err = w.market.Respond(ctx, tx, p.Address, o.ID, true)
		return err
	})
	p.dispose(token, price)
}

// act draws a trader and an action, and runs it.
func (w *world) act(rt *rapid.T, t testing.TB) {
	p, other := rapid.SampledFrom(w.players).Draw(rt, "trader"), rapid.SampledFrom(w.players).Draw(rt, "other")
	action := rapid.SampledFrom([]string{
		"win", "win", "drip", "pay", "trade", "trade", "trade", "sell", "burn", "night",
	}).Draw(rt, "action")
	var token ledger.OwnedToken
	if len(p.tokens) > 0 {
		token = rapid.SampledFrom(p.tokens).Draw(rt, "token")
	}
	switch {
	case action == "win":
		p.acquire(w.Win(t, p.Player, rapid.Int64Range(1, 3).Draw(rt, "tier")), 0)
	case action == "drip":
		w.Drip(t, p.Player)
		p.balance += 200
		p.bound += 200
		p.given += 200
	case action == "pay" && p.balance >= 50:
		if err := w.Pay(t, p.Player); err != nil {
			rt.Fatal(err)
		}
		p.balance -= 50
		p.bound = max(0, p.bound-50)
	case action == "night":
		w.endDay()
	case token.ID == 0: // the other actions need a token
	case action == "trade" && p != other && other.balance > other.bound:
		w.trade(t, p, other, token, rapid.Int64Range(1, other.balance-other.bound).Draw(rt, "price"))
	case action == "sell":
		w.buyBack(t, p, token)
	case action == "burn":
		if err := w.Burn(t, p.Player, token); err != nil {
			rt.Fatal(err)
		}
		p.dispose(token, 0)
	}
}

// report reads a portfolio at artificial prices that differ by tier and day.
func (w *world) report(t testing.TB, p *trader, days int64) *portfolio.Report {
	t.Helper()
	var out *portfolio.Report
	w.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		out, err = w.book.Report(ctx, tx, w.request(p, days))
		return err
	})
	return out
}

func (w *world) request(p *trader, days int64) portfolio.Request {
	r := portfolio.Request{Address: p.Address, Opened: p.opened, Days: days}
	for tier := range w.Rules().Top() {
		r.Quotes = append(r.Quotes, portfolio.Quote{Reference: price(tier+1, w.today())})
		var history []int64
		for d := range days + 1 {
			history = append(history, price(tier+1, w.today()-days+d))
		}
		r.References = append(r.References, history)
	}
	return r
}

func price(tier, day int64) int64 { return 100*tier + day%7 }

// check compares a report with the sums of the trader.
func (w *world) check(rt *rapid.T, t testing.TB, p *trader) {
	days := rapid.Int64Range(7, 90).Draw(rt, "days")
	r := w.report(t, p, days)
	for _, got := range r.Positions {
		var cost int64
		for _, c := range p.lots[got.Tier] {
			cost += c
		}
		held := int64(len(p.lots[got.Tier]))
		if got.Count != held || got.Cost != cost || got.Realised != p.gained[got.Tier] ||
			got.Unrealised != held*price(got.Tier, w.today())-cost {
			rt.Errorf("position %+v, want %d that cost %d, realised %d", got, held, cost, p.gained[got.Tier])
		}
	}
	if want := min(days, w.today()-p.opened.Unix()/86400+1); int64(len(r.History)) != want {
		rt.Fatalf("%d days of history, want %d", len(r.History), want)
	}
	for i, got := range r.History {
		d := w.today() - int64(len(r.History)) + 1 + int64(i)
		want := p.days[d]
		if d == w.today() {
			want = day{p.balance, p.given, map[int64]int64{}}
			for tier, lots := range p.lots {
				want.tokens[tier] = int64(len(lots))
			}
		}
		var value int64
		for tier, n := range want.tokens {
			value += n * price(tier, d)
		}
		if !got.Day.Equal(time.Unix(d*86400, 0)) || got.Balance != want.balance || got.Tokens != value {
			rt.Errorf("day %d: got %+v, want %d coins and tokens of %d", d, got, want.balance, value)
		}
	}
}

// TestBook runs random actions over days and compares every portfolio with sums over all
// events.
func TestBook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		w.players = nil
		for range 3 {
			w.join(t)
			if rapid.Bool().Draw(rt, "later") {
				w.endDay()
			}
		}
		for range rapid.IntRange(10, 60).Draw(rt, "acts") {
			w.act(rt, t)
		}
		for _, p := range w.players {
			w.check(rt, t, p)
		}
	})
	w.SealAll(t)
	w.WantValid(t)
	w.View(t, func(ctx context.Context, tx *store.Tx) error {
		wrong, err := w.book.Check(ctx, tx)
		if len(wrong) > 0 {
			t.Errorf("the book differs from the ledger: %v", wrong)
		}
		return err
	})
}

// TestCheck checks that Check reports changed balances and numbers of tokens.
func TestCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.join(t)
	w.Drip(t, p.Player)
	w.Win(t, p.Player, 2)
	w.Update(t, func(ctx context.Context, tx *store.Tx) error {
		for _, change := range []string{
			"UPDATE portfolio_coin SET balance = balance + 1", "UPDATE portfolio_tier SET disposed = disposed + 1",
		} {
			if _, err := tx.ExecContext(ctx, change); err != nil {
				return err
			}
		}
		wrong, err := w.book.Check(ctx, tx)
		of := "portfolio of " + p.Address.String()
		if len(wrong) != 2 || wrong[0].What != of+": coins" || wrong[1].What != of+": tokens of tier 2" ||
			wrong[0].Expected != "1200" || wrong[0].Found != "1201" || wrong[1].Expected != "1" ||
			wrong[1].Found != "0" {
			t.Errorf("got %v, want one divergence of coins and one of tokens", wrong)
		}
		return err
	})
}

// TestProfitsAddUp checks that realised plus unrealised profit equals all proceeds plus the
// value of the tokens held, less all costs.
func TestProfitsAddUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.join(t), w.join(t)
	won := w.Win(t, ann.Player, 2)
	ann.acquire(won, 0)
	w.trade(t, ann, bob, won, 400)
	second := w.Win(t, bob.Player, 2)
	bob.acquire(second, 0)
	w.trade(t, bob, ann, second, 100) // first in, first out: disposes of the token that bob paid 400 for
	if r := w.report(t, bob, 7); r.Realised != 98-400 || r.Cost != 0 || r.Unrealised != price(2, w.today()) {
		t.Errorf("bob: realised %d, cost %d, unrealised %d", r.Realised, r.Cost, r.Unrealised)
	}
	if r := w.report(t, ann, 7); r.Realised != 390 || r.Cost != 100 || r.Unrealised != price(2, w.today())-100 ||
		r.Balance != 1000+390-100 {
		t.Errorf("ann: realised %d, cost %d, unrealised %d, balance %d", r.Realised, r.Cost, r.Unrealised, r.Balance)
	}
}

// TestNewcomer checks the portfolio of an account that has only its starting balance.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.join(t)
	for range 3 {
		w.endDay()
	}
	r := w.report(t, p, 30)
	if len(r.History) != 4 || len(r.Positions) != 0 || r.Concentration.HHI != nil {
		t.Errorf("got %+v", r)
	}
	for _, point := range r.History {
		if point.Total() != 1000 {
			t.Errorf("%v: %d, want 1000", point.Day, point.Total())
		}
	}
	if len(r.Risk.Returns) != 4 || *r.Risk.MaxDrawdown.Value != 0 || r.Risk.MaxDrawdown.Peak != nil {
		t.Errorf("risk %+v", r.Risk)
	}
}

// TestReturnOfTheFirstDay checks that the first return of a history takes the tokens of the day before it,
// which the history does not show, at the price of that day.
func TestReturnOfTheFirstDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.join(t)
	p.acquire(w.Win(t, p.Player, 3), 0)
	for range 4 {
		w.endDay()
	}
	r := w.report(t, p, 2)
	before, after := 1000+price(3, w.today()-2), 1000+price(3, w.today()-1)
	if want := float64(after)/float64(before) - 1; len(r.Risk.Returns) != 2 || r.Risk.Returns[0] != want {
		t.Errorf("returns %v, want %v first", r.Risk.Returns, want)
	}
}

// TestGiftsAreNoReturns checks that the starting balance and the faucet count as inflows, and a fee as a loss,
// from the day of the opening on.
func TestGiftsAreNoReturns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.join(t)
	steps := []struct {
		do            func() error
		before, after int64 // coins of the day: at its beginning, with the gifts, and at its end
	}{
		{func() error { return nil }, 1000, 1000},
		{func() error { return w.Pay(t, p.Player) }, 1000, 950},
		{func() error { w.Drip(t, p.Player); return nil }, 1150, 1150},
		{func() error { return nil }, 1150, 1150},
		{func() error { w.Drip(t, p.Player); return w.Pay(t, p.Player) }, 1350, 1300},
	}
	for i, s := range steps {
		if i > 0 {
			w.endDay()
		}
		if err := s.do(); err != nil {
			t.Fatal(err)
		}
	}
	for days := int64(1); days <= 10; days++ {
		got := w.report(t, p, days).Risk.Returns
		want := steps[max(0, len(steps)-int(days)):]
		if len(got) != len(want) {
			t.Fatalf("%d days: %d returns, want %d", days, len(got), len(want))
		}
		for i, s := range want {
			if want := float64(s.after)/float64(s.before) - 1; got[i] != want {
				t.Errorf("%d days: return %d is %v, want %v", days, i, got[i], want)
			}
		}
	}
}

// TestValuations checks the values of all tokens on each basis, and the numbers of those without a price.
func TestValuations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.join(t)
	for _, tier := range []int64{1, 1, 2} {
		w.Win(t, p.Player, tier)
	}
	request := w.request(p, 7)
	floor := int64(70)
	request.Quotes[0].Floor, request.Quotes[1].Last = &floor, &portfolio.Trade{Price: 90}
	w.View(t, func(ctx context.Context, tx *store.Tx) error {
		r, err := w.book.Report(ctx, tx, request)
		if err != nil {
			return err
		}
		want := [portfolio.Bases]portfolio.Valuation{
			portfolio.Buyback:   {Tokens: 2*w.Rules().BuybackPrice(1) + w.Rules().BuybackPrice(2)},
			portfolio.Floor:     {Tokens: 2 * 70, Unpriced: 1},
			portfolio.LastSale:  {Tokens: 90, Unpriced: 2},
			portfolio.Reference: {Tokens: 2*price(1, w.today()) + price(2, w.today())},
		}
		if r.Valuations != want {
			t.Errorf("got %+v, want %+v", r.Valuations, want)
		}
		return nil
	})
}
