package market_test

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// economy is a ledger and a market with players that try arbitrary use cases, and a model of
// the expected state, which applies the rules in memory.
type economy struct {
	*ledgertest.Ledger
	market  *market.Service
	players []*player
	tokens  map[int64]*token
	listed  map[int64]*listing
	offers  map[int64]*offer
	supply  int64          // coins created and not destroyed
	calls   map[string]int // of the listener, by name

	duringStart func() // called during the start of a run; may be nil
	atPoint     func() // called after a post and at each lookup of a party; may be nil
}

type player struct {
	*ledgertest.Player
	balance int64
	owner   chain.Address // of a bot
}

type token struct {
	ledger.OwnedToken
	owner  *player // nil once destroyed
	listed bool
}

type listing struct {
	id, price int64
	token     *token
	seller    *player
	status    market.Status
}

type offer struct {
	id, price int64
	token     *token
	seller    *player
	status    market.OfferStatus
	expires   time.Time
}

// PrefetchParty implements market.Parties.
func (*economy) PrefetchParty(*store.Tx, chain.Address) {}

// Party implements market.Parties.
func (e *economy) Party(_ context.Context, _ *store.Tx, a chain.Address) (chain.Address, error) {
	if e.atPoint != nil {
		e.atPoint()
	}
	for _, p := range e.players {
		if p.Address == a && p.owner != (chain.Address{}) {
			return p.owner, nil
		}
	}
	return a, nil
}

// Sold implements market.Listener.
func (e *economy) Sold(context.Context, *store.Tx, *market.Sale) error { e.calls["sold"]++; return nil }

// BoughtBack implements market.Listener.
func (e *economy) BoughtBack(context.Context, *store.Tx, *market.Buyback) error {
	e.calls["bought back"]++
	return nil
}

// Posted implements ledger.Listener: it counts coins.
func (e *economy) Posted(_ context.Context, _ *store.Tx, f *ledger.Fact) error {
	if e.duringStart != nil && f.Tx.Kind() == chain.KindRunStart {
		e.duringStart()
	}
	if e.atPoint != nil {
		e.atPoint()
	}
	for _, t := range f.Tx.Transfers {
		if t.From == (chain.Address{}) {
			e.supply += t.Amount
		}
		if t.To == (chain.Address{}) {
			e.supply -= t.Amount
		}
	}
	return nil
}

// TestOfferDuringBurn checks that an offer requested while its token is being burnt is refused.
func TestOfferDuringBurn(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	if e.DB.Exclusive() {
		return // updates do not run concurrently
	}
	p := e.join(t)
	k := e.win(t, p, 3)
	offered := make(chan error, 1)
	lockWaits := func() (n int) {
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
		})
		return n
	}
	var once sync.Once
	e.duringStart = func() { // after market.Posted, which found no offer
		once.Do(func() {
			go func() {
				offered <- e.DB.UpdateAt(t.Context(), market.Isolation, func(ctx context.Context, tx *store.Tx) error {
					_, err := e.market.Offer(ctx, tx, p.Address, k.ID)
					return err
				})
			}()
			for len(offered) == 0 && lockWaits() == 0 {
				runtime.Gosched()
			}
		})
	}
	if err := e.Burn(t, p.Player, k.OwnedToken); err != nil {
		t.Fatal(err)
	}
	if err := <-offered; !errors.Is(err, chain.ErrNotOwner) {
		t.Errorf("an offer for a token that is being burnt: got %v, want %v", err, chain.ErrNotOwner)
	}
}

func newEconomy(t testing.TB) *economy {
	t.Helper()
	return newEconomyWith(t, ledgertest.Options{})
}

func newEconomyWith(t testing.TB, o ledgertest.Options) *economy {
	t.Helper()
	e := &economy{Ledger: ledgertest.Open(t, o), calls: map[string]int{}}
	e.market = &market.Service{Ledger: e.Ledger.Ledger, Parties: e, Listeners: []market.Listener{e}}
	e.Listen(e.market)
	e.Listen(e)
	e.tokens, e.listed, e.offers = map[int64]*token{}, map[int64]*listing{}, map[int64]*offer{}
	return e
}

func (e *economy) join(t testing.TB) *player {
	t.Helper()
	p := &player{Player: e.Join(t), balance: 1000}
	e.players = append(e.players, p)
	return p
}

func (e *economy) win(t testing.TB, p *player, tier int64) *token {
	t.Helper()
	won := &token{OwnedToken: e.Win(t, p.Player, tier), owner: p}
	e.tokens[won.ID] = won
	return won
}

// try runs a use case, checks for the expected error, and reports whether it succeeded.
func (e *economy) try(t testing.TB, name string, want error, fn func(ctx context.Context, tx *store.Tx) error) bool {
	t.Helper()
	err := e.DB.UpdateAt(t.Context(), market.Isolation, fn)
	if !errors.Is(err, want) && (want == nil || err == nil || err.Error() != want.Error()) {
		t.Fatalf("%s: got %v, want %v", name, err, want)
	}
	return err == nil
}

func (e *economy) list(t testing.TB, p *player, k *token, price int64) *listing {
	t.Helper()
	var want error
	switch {
	case k.owner != p:
		want = chain.ErrNotOwner
	case k.listed:
		want = ledger.ErrLocked
	}
	var got *market.Listing
	if !e.try(t, "list", want, func(ctx context.Context, tx *store.Tx) (err error) {
		got, err = e.market.List(ctx, tx, p.Address, k.ID, price)
		return err
	}) {
		return nil
	}
	k.listed = true
	e.void(k)
	l := &listing{got.ID, price, k, p, market.Active}
	e.listed[l.id] = l
	return l
}

// void ends the open offers for a token that is listed or burnt.
func (e *economy) void(k *token) {
	for _, o := range e.offers {
		if o.token == k && o.status == market.Open {
			if o.status = market.Void; !e.Clock.Now().Before(o.expires) {
				o.status = market.Expired
			}
		}
	}
}

func (e *economy) buy(t testing.TB, p *player, l *listing) {
	t.Helper()
	var want error
	switch {
	case l.status != market.Active:
		want = market.ErrNotForSale
	case l.seller == p || l.seller.owner == p.Address || p.owner == l.seller.Address ||
		p.owner != (chain.Address{}) && p.owner == l.seller.owner:
		want = market.ErrOwnListing
	case p.balance < l.price:
		want = &chain.InsufficientFundsError{Balance: p.balance, Needed: l.price}
	}
	var balance int64
	if !e.try(t, "buy", want, func(ctx context.Context, tx *store.Tx) error {
		b, err := e.market.Buy(ctx, tx, p.Address, l.id)
		if short := (*chain.InsufficientFundsError)(nil); errors.As(err, &short) {
			return short
		}
		if err == nil {
			balance = b.Posted.Balance
		}
		return err
	}) {
		return
	}
	fee := l.price * 250 / 10_000
	p.balance -= l.price
	l.seller.balance += l.price - fee
	l.status, l.token.owner, l.token.listed = market.Sold, p, false
	if balance != p.balance {
		t.Errorf("bought for %d: balance %d, want %d", l.price, balance, p.balance)
	}
}

func (e *economy) cancel(t testing.TB, p *player, l *listing) {
	t.Helper()
	var want error
	switch {
	case l.seller != p:
		want = market.ErrForbidden
	case l.status != market.Active:
		want = market.ErrNotForSale
	}
	if e.try(t, "cancel", want, func(ctx context.Context, tx *store.Tx) error {
		_, err := e.market.Cancel(ctx, tx, p.Address, l.id)
		return err
	}) {
		l.status, l.token.listed = market.Cancelled, false
	}
}

func (e *economy) offer(t testing.TB, p *player, k *token) {
	t.Helper()
	var want error
	switch {
	case k.owner != p:
		want = chain.ErrNotOwner
	case k.listed:
		want = ledger.ErrLocked
	}
	var got *market.Offer
	if !e.try(t, "offer", want, func(ctx context.Context, tx *store.Tx) (err error) {
		got, err = e.market.Offer(ctx, tx, p.Address, k.ID)
		return err
	}) {
		return
	}
	known, ok := e.offers[got.ID]
	if ok && (known.token != k || e.statusOf(known) != market.Open) {
		t.Errorf("offered %+v again, which is %s", got, e.statusOf(known))
	}
	if !ok {
		for _, o := range e.offers {
			if o.token == k && e.statusOf(o) == market.Open {
				t.Errorf("a second open offer for token %d", k.ID)
			}
		}
		e.offers[got.ID] = &offer{got.ID, (48 << k.Tier) * 8 / 10, k, p, market.Open, e.Clock.Now().Add(time.Minute)}
	}
	if o := e.offers[got.ID]; got.Price != o.price {
		t.Errorf("offered %d for tier %d, want %d", got.Price, k.Tier, o.price)
	}
}

func (e *economy) statusOf(o *offer) market.OfferStatus {
	if o.status == market.Open && !e.Clock.Now().Before(o.expires) {
		return market.Expired
	}
	return o.status
}

func (e *economy) respond(t testing.TB, p *player, o *offer, accept bool) {
	t.Helper()
	var want error
	switch status := e.statusOf(o); {
	case o.seller != p:
		want = market.ErrForbidden
	case status != market.Open:
		want = &market.ClosedError{Status: status}
	}
	if !e.try(t, "respond", want, func(ctx context.Context, tx *store.Tx) error {
		_, _, err := e.market.Respond(ctx, tx, p.Address, o.id, accept)
		return err
	}) {
		return
	}
	if o.status = market.Declined; accept {
		o.status, o.token.owner = market.Accepted, nil
		p.balance += o.price
	}
}

func (e *economy) burn(t testing.TB, p *player, k *token) {
	t.Helper()
	var want error
	switch {
	case k.owner != p:
		want = chain.ErrNotOwner
	case k.listed:
		want = ledger.ErrLocked
	}
	if err := e.Burn(t, p.Player, k.OwnedToken); !errors.Is(err, want) {
		t.Fatalf("burn: got %v, want %v", err, want)
	} else if err == nil {
		k.owner = nil
		e.void(k)
	}
}

// pick draws one of the values, mostly a recent one.
func pick[V any](rt *rapid.T, of map[int64]V, name string) (v V, ok bool) {
	if len(of) == 0 {
		return v, false
	}
	var last int64
	for id := range of {
		last = max(last, id)
	}
	for id := last - rapid.Int64Range(0, 6).Draw(rt, name); id <= last; id++ {
		if v, ok = of[id]; ok {
			return v, true
		}
	}
	return v, false
}

// act draws a player and a use case, and tries it.
func (e *economy) act(rt *rapid.T, t testing.TB) {
	p := rapid.SampledFrom(e.players).Draw(rt, "player")
	k, _ := pick(rt, e.tokens, "token")
	if k.owner != nil && rapid.IntRange(0, 3).Draw(rt, "own") > 0 {
		p = k.owner
	}
	action := rapid.SampledFrom([]string{
		"win", "list", "list", "buy", "buy", "cancel", "offer", "offer", "respond", "burn", "wait",
	}).Draw(rt, "action")
	switch l, anyListed := pick(rt, e.listed, "listing"); {
	case action == "win":
		e.win(t, p, rapid.Int64Range(1, 4).Draw(rt, "tier"))
	case action == "list":
		e.list(t, p, k, rapid.Int64Range(1, 900).Draw(rt, "price"))
	case action == "buy" && anyListed:
		e.buy(t, rapid.SampledFrom(e.players).Draw(rt, "buyer"), l)
	case action == "cancel" && anyListed:
		e.cancel(t, rapid.SampledFrom([]*player{p, l.seller}).Draw(rt, "canceller"), l)
	case action == "offer":
		e.offer(t, p, k)
	case action == "respond":
		if o, ok := pick(rt, e.offers, "offer"); ok {
			responder := rapid.SampledFrom([]*player{p, o.seller}).Draw(rt, "responder")
			e.respond(t, responder, o, rapid.Bool().Draw(rt, "accept"))
		}
	case action == "burn":
		e.burn(t, p, k)
	case action == "wait":
		e.Clock.Add(rapid.SampledFrom([]time.Duration{
			time.Second, 30 * time.Second, time.Hour, 40 * 24 * time.Hour,
		}).Draw(rt, "for"))
	}
}

// check compares the stored state with the model.
func (e *economy) check(t testing.TB) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		var sum int64
		for _, p := range e.players {
			got, _, err := e.Account(ctx, tx, p.Address)
			if err != nil || got.Balance != p.balance {
				t.Errorf("balance %d, %v, want %d", got.Balance, err, p.balance)
			}
			sum += got.Balance
		}
		if sum != e.supply {
			t.Errorf("the balances sum to %d coins, want the supply of %d", sum, e.supply)
		}
		for _, k := range e.tokens {
			want := chain.Token{Tier: k.Tier}
			if k.owner != nil {
				want.Owner = k.owner.Address
			}
			if got, _, err := e.Token(ctx, tx, k.ID); err != nil || got != want {
				t.Errorf("token %d: %+v, %v, want %+v", k.ID, got, err, want)
			}
		}
		for _, l := range e.listed {
			if got, err := e.market.Listing(ctx, tx, l.id); err != nil || got.Status != l.status {
				t.Errorf("listing %d: %+v, %v, want status %s", l.id, got, err, l.status)
			}
		}
		for _, o := range e.offers {
			got, err := e.market.GetOffer(ctx, tx, o.seller.Address, o.id)
			if err != nil || got.Status != e.statusOf(o) {
				t.Errorf("offer %d: %+v, %v, want status %s", o.id, got, err, e.statusOf(o))
			}
		}
		wrong, err := e.market.Check(ctx, tx)
		for _, d := range wrong {
			t.Errorf("%s: expected %s, found %s", d.What, d.Expected, d.Found)
		}
		return err
	})
}

// TestRandomEconomies tries random use cases and checks that each ends as the model expects,
// that balances, owners and supply agree with it, and that the chain replays.
func TestRandomEconomies(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	e.tour(t)
	rapid.Check(t, func(rt *rapid.T) {
		ann := e.join(t)
		e.join(t)
		bot := e.join(t)
		bot.owner = ann.Address
		all := e.players
		e.players = all[max(0, len(all)-5):] // with players of earlier rounds
		e.win(t, ann, 2)
		for range rapid.IntRange(10, 60).Draw(rt, "attempts") {
			e.act(rt, t)
		}
		e.players = all
		e.check(t)
		e.SealAll(t)
	})
	e.WantValid(t)
	sold := 0
	for _, l := range e.listed {
		if l.status == market.Sold {
			sold++
		}
	}
	accepted := 0
	for _, o := range e.offers {
		if o.status == market.Accepted {
			accepted++
		}
	}
	if e.calls["sold"] != sold || e.calls["bought back"] != accepted {
		t.Errorf("callbacks %v, want %d sales and %d buybacks", e.calls, sold, accepted)
	}
}

// tour runs each use case once, so that all are covered however short the random sequences
// are.
func (e *economy) tour(t testing.TB) {
	t.Helper()
	ann, ben := e.join(t), e.join(t)
	e.buy(t, ben, e.list(t, ann, e.win(t, ann, 1), 100))
	e.cancel(t, ann, e.list(t, ann, e.win(t, ann, 1), 100))
	for _, accept := range []bool{true, false} {
		sold := e.win(t, ann, 2)
		e.offer(t, ann, sold)
		for _, o := range e.offers {
			if o.token == sold {
				e.respond(t, ann, o, accept)
			}
		}
	}
	e.burn(t, ann, e.win(t, ann, 1))
	if want := map[string]int{"sold": 1, "bought back": 1}; !maps.Equal(e.calls, want) {
		t.Errorf("callbacks %v, want %v", e.calls, want)
	}
}

// TestCheck checks that Check reports every kind of damaged row.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"UPDATE market_tier SET depth = depth + 1", "UPDATE market_tier SET sales = sales - 1",
		"UPDATE market_tier SET coins = coins + 5",
		"UPDATE market_sale SET price = price + 1", "UPDATE market_day SET coins = coins + 1", "DELETE FROM market_day",
		"UPDATE ledger_token SET locked = 0", "UPDATE ledger_token SET locked = 1",
		"UPDATE market_listing SET status = 'cancelled' WHERE status = 'active'",
		"UPDATE ledger_token SET owner = NULL WHERE locked = 1",
	} {
		e := newEconomy(t)
		seller, buyer := e.join(t), e.join(t)
		e.buy(t, buyer, e.list(t, seller, e.win(t, seller, 1), 100))
		e.list(t, seller, e.win(t, seller, 1), 200)
		e.check(t)
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			if _, err := tx.ExecContext(ctx, change); err != nil {
				return err
			}
			wrong, err := e.market.Check(ctx, tx)
			if len(wrong) == 0 {
				t.Errorf("not found: %s", change)
			}
			return err
		})
	}
}

// TestCheckNames damages each counter of a tier, and checks that Check reports exactly that one, with
// the recomputed and the stored value.
func TestCheckNames(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	seller, buyer := e.join(t), e.join(t)
	for _, tier := range []int64{1, 2} {
		e.buy(t, buyer, e.list(t, seller, e.win(t, seller, tier), 100))
		e.list(t, seller, e.win(t, seller, tier), 200)
	}
	for change, want := range map[string]market.Divergence{
		"UPDATE market_tier SET depth = depth + 1 WHERE tier = 2": {
			What: "market tier 2: depth", Expected: "1", Found: "2"},
		"UPDATE market_tier SET sales = sales + 2 WHERE tier = 2": {
			What: "market tier 2: number of sales", Expected: "1", Found: "3"},
		"UPDATE market_tier SET coins = coins + 5 WHERE tier = 2": {
			What: "market tier 2: coins of sales", Expected: "100", Found: "105"},
		"UPDATE market_day SET sales = sales + 3 WHERE tier = 2": {
			What: "market tier 2: number of sales by day", Expected: "1", Found: "4"},
		"UPDATE market_day SET coins = coins - 7 WHERE tier = 2": {
			What: "market tier 2: coins of sales by day", Expected: "100", Found: "93"},
	} {
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if _, err := tx.ExecContext(ctx, change); err != nil {
				return err
			}
			wrong, err := e.market.Check(ctx, tx)
			if err != nil {
				return err
			}
			if !slices.Equal(wrong, []market.Divergence{want}) {
				t.Errorf("%s: got %+v, want only %+v", change, wrong, want)
			}
			return errRollback
		})
		if !errors.Is(err, errRollback) {
			t.Error(err)
		}
	}
	e.check(t) // nothing is damaged without the changes
}
