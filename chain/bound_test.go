package chain

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// now is a time in the middle of a UTC day, and today is its number.
const (
	now   = 20_000*dayMS + dayMS/2
	today = 20_000
)

// start returns the effect of a run.start with an entry and a fee.
func start(entry Entry, fee int64, bound bool) AccountEffect {
	return AccountEffect{Act: ActStart, Time: now, Entry: entry, Delta: -fee, RunBound: bound, Limit: 3}
}

func TestAccountActs(t *testing.T) {
	t.Parallel()
	mixed := Account{Kind: Guest, Balance: 100, Bound: 30}
	marked := Account{Kind: Guest, Balance: 100, BoundStart: true}
	secured := func(ago int64) Account {
		a := marked
		a.SecuredAt = now - ago
		return a
	}
	checkApplied(t, (*Account).Apply, []applied[Account, AccountEffect]{
		{what: "open with a bound start", effect: AccountEffect{Create: Guest, Act: ActCreate, Time: now, Delta: 100,
			Bound: 100, BoundStart: true}, after: Account{Kind: Guest, Balance: 100, Bound: 100, BoundStart: true}},
		{what: "open secured", effect: AccountEffect{Create: Full, Act: ActCreate, Time: now},
			after: Account{Kind: Full, SecuredAt: now}},
		{what: "secure", before: marked, effect: AccountEffect{Act: ActSecure, Time: now}, after: secured(0)},
		{what: "secure twice", before: secured(1), effect: AccountEffect{Act: ActSecure, Time: now}, want: "secured already"},
		{what: "secure a bot", before: Account{Kind: Bot}, effect: AccountEffect{Act: ActSecure, Time: now}, want: "a bot"},
		{what: "faucet", before: mixed, effect: AccountEffect{Act: ActFaucet, Time: now, Delta: 5, Bound: 5, Limit: 10},
			after: Account{Kind: Guest, Balance: 105, Bound: 35, FaucetAt: now}},
		{what: "faucet after the pause", before: Account{Kind: Guest, FaucetAt: now - 10},
			effect: AccountEffect{Act: ActFaucet, Time: now, Limit: 10}, after: Account{Kind: Guest, FaucetAt: now}},
		{what: "faucet too early", before: Account{Kind: Guest, FaucetAt: now - 9},
			effect: AccountEffect{Act: ActFaucet, Time: now, Limit: 10}, want: "pays the account again"},
		{what: "spend free coins", before: mixed, effect: AccountEffect{Delta: -70},
			after: Account{Kind: Guest, Balance: 30, Bound: 30}},
		{what: "spend bound coins", before: mixed, effect: AccountEffect{Delta: -71}, want: "71 free coins are needed"},
	})
	var poor *InsufficientFundsError
	err := mixed.Apply(&AccountEffect{Delta: -80})
	if !errors.As(err, &poor) || *poor != (InsufficientFundsError{Balance: 100, Bound: 30, Needed: 80, Free: true}) {
		t.Errorf("got %#v, want balance, bound coins and need", err)
	}
}

// TestEntries checks the entries of a run: what they take, what the run must win, and how often they
// can be used.
func TestEntries(t *testing.T) {
	t.Parallel()
	mixed, marked := Account{Kind: Guest, Balance: 100, Bound: 30}, Account{Kind: Guest, Balance: 100, BoundStart: true}
	secured := func(ago int64) Account {
		a := marked
		a.SecuredAt = now - ago
		return a
	}
	played := func(a Account, bound, free, daily int64) Account {
		a.Playing, a.FreeDay, a.Free, a.Daily = EntryFree, today, free, daily
		if daily > 0 {
			a.Playing, a.DailyDay = EntryDaily, today
		}
		a.Balance, a.Bound = a.Balance-(a.Bound-bound), bound
		return a
	}
	checkApplied(t, (*Account).Apply, []applied[Account, AccountEffect]{
		{what: "fee of bound coins", before: mixed, effect: start(EntryFee, 20, true),
			after: Account{Kind: Guest, Balance: 80, Bound: 10, Playing: EntryFee, Paid: 20, PaidBound: 20}},
		{what: "fee of both", before: mixed, effect: start(EntryFee, 50, true),
			after: Account{Kind: Guest, Balance: 50, Playing: EntryFee, Paid: 50, PaidBound: 30}},
		{what: "fee of bound coins, as if free", before: mixed, effect: start(EntryFee, 50, false), want: "exactly when"},
		{what: "fee of free coins, as if bound", before: marked, effect: start(EntryFee, 50, true), want: "exactly when"},
		{what: "fee with a bound start and free coins", before: marked, effect: start(EntryFee, 50, false),
			after: Account{Kind: Guest, Balance: 50, BoundStart: true, Playing: EntryFee, Paid: 50}},
		{what: "fee beyond the balance", before: mixed, effect: start(EntryFee, 101, true), want: "101 coins are needed"},
		{what: "free", before: mixed, effect: start(EntryFree, 0, false), after: played(mixed, 30, 1, 0)},
		{what: "free, bound by the service", before: mixed, effect: start(EntryFree, 0, true),
			after: played(mixed, 30, 1, 0)},
		{what: "free with a bound start", before: marked, effect: start(EntryFree, 0, true), after: played(marked, 0, 1, 0)},
		{what: "free win with a bound start", before: marked, effect: start(EntryFree, 0, false),
			want: "not secured for 3 days"},
		{what: "daily win with a bound start", before: marked, effect: start(EntryDaily, 0, false),
			want: "not secured for 3 days"},
		{what: "free win secured for less than 3 days", before: secured(SecureFor - 1), effect: start(EntryFree, 0, false),
			want: "not secured for 3 days"},
		{what: "free win secured for 3 days", before: secured(SecureFor), effect: start(EntryFree, 0, false),
			after: played(secured(SecureFor), 0, 1, 0)},
		{what: "burn", before: marked, effect: start(EntryBurn, 0, false),
			after: Account{Kind: Guest, Balance: 100, BoundStart: true, Playing: EntryBurn}},
		{what: "a fourth free run", before: Account{Kind: Guest, FreeDay: today, Free: 3}, effect: start(EntryFree, 0, false),
			want: "used up for the day"},
		{what: "a fourth free run, dated back a day", before: Account{Kind: Guest, FreeDay: today + 1, Free: 3},
			effect: start(EntryFree, 0, false), want: "used up for the day"},
		{what: "a second daily run", before: Account{Kind: Guest, DailyDay: today, Daily: 1},
			effect: start(EntryDaily, 0, false), want: "used up for the day"},
		{what: "a daily run after three free ones", before: Account{Kind: Guest, FreeDay: today, Free: 3},
			effect: start(EntryDaily, 0, false), after: played(Account{Kind: Guest}, 0, 3, 1)},
		{what: "a free run on the next day", before: Account{Kind: Guest, FreeDay: today - 1, Free: 3},
			effect: start(EntryFree, 0, false), after: played(Account{Kind: Guest}, 0, 1, 0)},
		{what: "a daily run, dated back to a day before the last free one",
			before: Account{Kind: Guest, FreeDay: today + 1, Free: 3}, effect: start(EntryDaily, 0, false),
			after: Account{Kind: Guest, Playing: EntryDaily, FreeDay: today + 1, Free: 3, DailyDay: today, Daily: 1}},
		{what: "a free run, dated back to a day before the last daily one",
			before: Account{Kind: Guest, DailyDay: today + 1, Daily: 1}, effect: start(EntryFree, 0, false),
			after: Account{Kind: Guest, Playing: EntryFree, FreeDay: today, Free: 1, DailyDay: today + 1, Daily: 1}},
		{what: "a second run", before: Account{Kind: Guest, Playing: EntryFree}, effect: start(EntryBurn, 0, false),
			want: "not over"},
		{what: "end a run", before: Account{Kind: Guest, Playing: EntryFree}, effect: AccountEffect{Act: ActEnd},
			after: Account{Kind: Guest}},
		{what: "end no run", before: Account{Kind: Guest}, effect: AccountEffect{Act: ActEnd}, want: "no run"},
	})
}

// TestRecoveredAccount checks what a recovery changes: void runs give back what their entry took, and
// each commitment is rotated once.
func TestRecoveredAccount(t *testing.T) {
	t.Parallel()
	checkApplied(t, (*Account).Apply, []applied[Account, AccountEffect]{
		{what: "start with a commitment older than a recovery", before: Account{Kind: Guest},
			effect: AccountEffect{Act: ActStart, Entry: EntryBurn, Recovery: 1}, want: "older than the last recovery"},
		{what: "end a run that a recovery made void", before: Account{Kind: Guest, Playing: EntryFree},
			effect: AccountEffect{Act: ActEnd, Recovery: 1}, want: "ends claimed or void"},
		{what: "claim a run that was in play at a recovery", before: Account{Kind: Guest, Playing: EntryFee, Paid: 5},
			effect: AccountEffect{Act: ActClaim, Recovery: 1}, after: Account{Kind: Guest}},
		{what: "void a run without a recovery", before: Account{Kind: Guest, Playing: EntryFree, Recovery: 1},
			effect: AccountEffect{Act: ActVoid, Recovery: 1}, want: "void only when"},
		{what: "void a free run", before: Account{Kind: Guest, Playing: EntryFree, FreeDay: today, Free: 2, Daily: 1},
			effect: AccountEffect{Act: ActVoid, Recovery: 1}, after: Account{Kind: Guest, FreeDay: today, Free: 1, Daily: 1}},
		{what: "void a daily run", before: Account{Kind: Guest, Playing: EntryDaily, DailyDay: today, Free: 2, Daily: 1},
			effect: AccountEffect{Act: ActVoid, Recovery: 1}, after: Account{Kind: Guest, DailyDay: today, Free: 2}},
		{what: "give back a fee as it was", before: Account{Kind: Guest, Balance: 5, Playing: EntryFee, Paid: 20,
			PaidBound: 8},
			effect: AccountEffect{Act: ActVoid, Delta: 20, Recovery: 1}, after: Account{Kind: Guest, Balance: 25, Bound: 8}},
		{what: "give back more", before: Account{Kind: Guest, Balance: 5, Playing: EntryFee, Paid: 20, PaidBound: 8},
			effect: AccountEffect{Act: ActVoid, Delta: 21, Recovery: 1}, want: "was 20 coins"},
		{what: "rotate after a recovery", before: Account{Kind: Guest, Commitment: hashOf(1)},
			effect: AccountEffect{Act: ActRotate, Spend: hashOf(1), Publish: hashOf(2), Recovery: 1},
			after:  Account{Kind: Guest, Commitment: hashOf(2), Recovery: 1}},
		{what: "rotate twice", before: Account{Kind: Guest, Commitment: hashOf(2), Recovery: 1},
			effect: AccountEffect{Act: ActRotate, Spend: hashOf(2), Publish: hashOf(3), Recovery: 1}, want: "not older than"},
		{what: "rotate during a run", before: Account{Kind: Guest, Commitment: hashOf(1), Playing: EntryBurn},
			effect: AccountEffect{Act: ActRotate, Spend: hashOf(1), Publish: hashOf(2), Recovery: 1}, want: "is not over"},
	})
}

// TestBoundNeverTurnsFree applies random transactions to one account. The bound coins stay within
// the balance, and no transaction but an entry fee reduces them: so no bound coin reaches another
// account. The free coins grow by income that is free alone.
func TestBoundNeverTurnsFree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &purse{T: t, rules: testRules(), tokens: map[int64]Token{}, at: now}
		create := &AccountCreate{
			Bound: rapid.Bool().Draw(t, "bound start"), Commitment: hashOf(1),
			AccountKind: rapid.SampledFrom([]AccountKind{Guest, Full, Bot}).Draw(t, "kind"),
		}
		if !p.try(create, coins(Address{}, alice, p.rules.StartingBalance)) {
			t.Fatal("the account cannot be opened")
		}
		for p.step = range 60 {
			p.at += rapid.Int64Range(0, dayMS).Draw(t, "later")
			before, income := p.Account, int64(0)
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0:
				p.try(&Faucet{}, coins(Address{}, alice, p.rules.FaucetAmount))
			case 1:
				p.enter()
				continue
			case 2:
				p.claim()
			case 3:
				income = p.sellToHouse()
			case 4:
				p.buy()
			case 5:
				stake := p.FreeCoins() + rapid.Int64Range(-1, 1).Draw(t, "more")
				p.try(&DuelStake{DuelID: "d"}, coins(alice, Escrow("d"), max(1, stake)))
			case 6:
				p.try(&AccountSecure{})
			}
			if p.Bound < before.Bound || p.Bound > p.Balance || p.FreeCoins() > before.FreeCoins()+income {
				t.Fatalf("step %d: %+v became %+v", p.step, before, p.Account)
			}
		}
	})
}

// purse is an account with its tokens and its run.
type purse struct {
	*rapid.T
	Account
	rules  Rules
	tokens map[int64]Token
	run    *RunStart // that is not over
	at     int64     // the time
	step   int
}

// try applies a transaction of alice, and reports whether the rules allow it.
func (p *purse) try(data Data, transfers ...Transfer) bool {
	tx := Tx{Actor: alice, Nonce: p.Nonce, Time: p.at, Data: data, Transfers: transfers}
	e, err := p.rules.Effects(&tx)
	if err != nil {
		p.Fatalf("%s: %v", tx.Raw(), err)
	}
	account := p.Account
	for i := range e.Accounts {
		if e.Accounts[i].Address == alice && account.Apply(&e.Accounts[i]) != nil {
			return false
		}
	}
	for i := range e.Tokens { // no kind has two
		token := p.tokens[e.Tokens[i].ID]
		if token.Apply(&e.Tokens[i]) != nil {
			return false
		}
		p.tokens[e.Tokens[i].ID] = token
	}
	p.Account = account
	return true
}

// enter starts a run, and checks that a fee takes bound coins first.
func (p *purse) enter() {
	before := p.Account
	next := &RunStart{
		Bound: rapid.Bool().Draw(p.T, "bound"), Commitment: p.Commitment, NextCommitment: hashOf(byte(p.step + 2)),
		RunID: "r", Entry: rapid.SampledFrom([]Entry{EntryFee, EntryFree, EntryDaily}).Draw(p.T, "entry"),
	}
	var fee []Transfer
	if next.Entry == EntryFee {
		fee = []Transfer{coins(alice, Address{}, p.rules.EntryFee)}
	}
	if p.try(next, fee...) {
		p.run = next
	}
	if spent := before.Balance - p.Balance; before.Bound-p.Bound != min(before.Bound, spent) {
		p.Fatalf("a fee of %d left %+v of %+v", spent, p.Account, before)
	}
}

// claim ends the run with a token of tier 2.
func (p *purse) claim() {
	if p.run == nil {
		return
	}
	end := &RunEnd{Bound: p.run.Bound, Cleared: 2, RunID: "r", Status: RunClaimed, Throws: 2}
	if p.try(end, Transfer{Token: true, TokenID: int64(p.step), Tier: 2, To: alice}) {
		p.run = nil
	}
}

// sellToHouse sells a token of tier 2 to the house, and returns the free coins that it brings.
func (p *purse) sellToHouse() int64 {
	bound, price := rapid.Bool().Draw(p.T, "bound"), p.rules.BuybackPrice(2)
	for _, id := range slices.Sorted(maps.Keys(p.tokens)) {
		token := p.tokens[id]
		if token.Owner != alice || token.Tier != 2 {
			continue
		}
		sold := p.try(&Buyback{Bound: bound}, Transfer{Token: true, TokenID: id, From: alice}, coins(Address{}, alice, price))
		if sold != (bound == token.Bound) {
			p.Fatalf("a sale of %+v as bound %v: %v", token, bound, sold)
		}
		if sold && !bound {
			return price
		}
		return 0
	}
	return 0
}

// buy buys a token of bob for the whole balance, or for half of it.
func (p *purse) buy() {
	price := max(1, p.Balance/rapid.Int64Range(1, 2).Draw(p.T, "part"))
	fee, id := p.rules.MarketFee(price), int64(100+p.step)
	p.tokens[id] = Token{Tier: 1, Owner: bob}
	var pay []Transfer
	for _, part := range []Transfer{coins(alice, bob, price-fee), coins(alice, Address{}, fee)} {
		if part.Amount > 0 {
			pay = append(pay, part)
		}
	}
	p.try(&MarketSale{}, append(pay, Transfer{Token: true, TokenID: id, From: bob, To: alice})...)
}
