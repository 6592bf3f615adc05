package ledger

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
)

// decideRules are the rules of these tests, with a market fee of 2.5 %.
func decideRules() *inForce {
	r := chain.Rules{BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FreePerDay: 3, MarketFeeBPS: 250,
		StartingBalance: 1000}
	for k := range int64(16) {
		r.Tiers = append(r.Tiers, chain.Tier{Material: string(rune('a' + k)), Value: 48 << (k + 1)})
	}
	return newInForce(layout.RulesRow{InForce: chain.InForce{Latest: r}})
}

var low, high = chain.Address{1}, chain.Address{2}

// account returns the row of an account with a number of transactions and a balance.
func account(nonce, balance int64) accountRow {
	return accountRow{
		exists: true, state: chain.Account{Kind: chain.Guest, Nonce: nonce, Balance: balance, Commitment: chain.Hash{5}},
		commitmentTx: bytes.Repeat([]byte{6}, 32),
	}
}

// sale is the draft with which low buys token 7 from high for 100 coins.
func sale() Draft {
	return Draft{Actor: low, Data: &chain.MarketSale{ListingID: 3}, Transfers: []chain.Transfer{
		{Amount: 98, From: low, To: high}, {Amount: 2, From: low}, {Token: true, TokenID: 7, From: high, To: low},
	}}
}

// sold are the rows of a sale.
func sold(buyer, seller accountRow, token tokenRow) rows {
	return rows{accounts: []accountRow{buyer, seller}, tokens: []tokenRow{token}}
}

func proposed(t *testing.T, d Draft) *proposal {
	t.Helper()
	p, err := propose(d, decideRules(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

// TestDecide checks what a sale makes of its rows, and what it reports.
func TestDecide(t *testing.T) {
	t.Parallel()
	before := sold(account(4, 150), account(9, 10), tokenRow{state: chain.Token{Tier: 2, Owner: high}})
	o, err := proposed(t, sale()).decide(before)
	if err != nil {
		t.Fatal(err)
	}
	want := sold(account(5, 50), account(9, 108), tokenRow{state: chain.Token{Tier: 2, Owner: low}})
	if !reflect.DeepEqual(o.after, want) {
		t.Errorf("after: %+v, want %+v", o.after, want)
	}
	tx, err := chain.ParseTx(o.raw)
	if err != nil || tx.Nonce != 4 || tx.Time != 1000 || chain.HashTx(o.raw) != o.fact.Hash {
		t.Errorf("raw %s, error %v", o.raw, err)
	}
	posted := Posted{Hash: o.fact.Hash, Balance: 50, State: ActorState{Account: want.accounts[0].state}, tx: o.posted.tx}
	copy(posted.State.CommitmentTx[:], want.accounts[0].commitmentTx)
	if o.posted != posted {
		t.Errorf("posted %+v, want %+v", o.posted, posted)
	}
	accounts := []AccountFact{{low, chain.Guest, -100, 50}, {high, chain.Guest, 98, 108}}
	tokens := []TokenFact{{ID: 7, Tier: 2, From: high, To: low}}
	if !reflect.DeepEqual(o.fact.Accounts, accounts) || !reflect.DeepEqual(o.fact.Tokens, tokens) {
		t.Errorf("fact %+v", o.fact)
	}
}

// TestDecidePublishes checks that the transaction with a commitment becomes its publisher, of an
// account that it opens, too.
func TestDecidePublishes(t *testing.T) {
	t.Parallel()
	open := Draft{Actor: low, Data: &chain.AccountCreate{Commitment: chain.Hash{5}, AccountKind: chain.Guest},
		Transfers: []chain.Transfer{{Amount: 1000, To: low}}}
	start := Draft{Actor: low, Data: &chain.RunStart{Commitment: chain.Hash{5}, Entry: chain.EntryFree,
		NextCommitment: chain.Hash{8}, RunID: "r"}}
	for name, c := range map[string]struct {
		draft  Draft
		before accountRow
		want   chain.Hash
	}{"open": {open, accountRow{}, chain.Hash{5}}, "start": {start, account(3, 0), chain.Hash{8}}} {
		p := proposed(t, c.draft)
		o, err := p.decide(rows{accounts: []accountRow{c.before}, games: make([]gameRow, len(p.effects.Games))})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		state := o.posted.State
		if state.Account.Commitment != c.want || state.CommitmentTx != o.posted.Hash ||
			state.Account.Nonce != c.before.state.Nonce+1 ||
			!bytes.Equal(o.after.accounts[0].commitmentTx, o.posted.Hash[:]) {
			t.Errorf("%s: %+v", name, state)
		}
	}
}

// TestDecideRefuses checks the refusals of a sale, and their order.
func TestDecideRefuses(t *testing.T) {
	t.Parallel()
	token := tokenRow{state: chain.Token{Tier: 2, Owner: high}}
	locked, other, bound := token, token, token
	locked.locked, other.state.Owner, bound.state.Bound = true, low, true
	lockedOther := other
	lockedOther.locked = true
	for name, c := range map[string]struct {
		before rows
		want   error // nil for one of no kind
		poor   bool
	}{
		"no coins":              {before: sold(account(0, 99), account(0, 0), locked), poor: true},
		"a locked token":        {before: sold(account(0, 100), account(0, 0), locked), want: ErrLocked},
		"another's token":       {before: sold(account(0, 100), account(0, 0), other), want: chain.ErrNotOwner},
		"another's, locked":     {before: sold(account(0, 100), account(0, 0), lockedOther), want: chain.ErrNotOwner},
		"no such token":         {before: sold(account(0, 100), account(0, 0), tokenRow{}), want: chain.ErrNotOwner},
		"a bound token":         {before: sold(account(0, 100), account(0, 0), bound), want: chain.ErrTokenBound},
		"a seller that is none": {before: sold(account(0, 100), accountRow{}, token)},
	} {
		_, err := proposed(t, sale()).decide(c.before)
		_, poor := errors.AsType[*chain.InsufficientFundsError](err)
		if err == nil || poor != c.poor || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestDecideKeepsRows checks, for random stakes and sales, that a decision leaves its input as it
// was, that coins only leave by the fee, and that accounts are in ascending order.
func TestDecideKeepsRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		address := rapid.Custom(func(r *rapid.T) chain.Address {
			return chain.Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(r, "address"))
		}).Filter(func(a chain.Address) bool { return a != chain.Address{} })
		coins := rapid.Int64Range(1, 500)
		a, b := address.Draw(r, "a"), address.Draw(r, "b")
		if a == b {
			r.Skip("one account")
		}
		amount := coins.Draw(r, "amount")
		d := Draft{Actor: a, Data: &chain.DuelStake{DuelID: "d"}, Transfers: []chain.Transfer{
			{Amount: amount, From: a, To: chain.Escrow("d")}}}
		burnt := int64(0)
		if rapid.Bool().Draw(r, "sale") {
			burnt = decideRules().Latest.MarketFee(amount)
			d.Data, d.Transfers = &chain.MarketSale{ListingID: 1}, nil
			if amount > burnt {
				d.Transfers = append(d.Transfers, chain.Transfer{Amount: amount - burnt, From: a, To: b})
			}
			if burnt > 0 {
				d.Transfers = append(d.Transfers, chain.Transfer{Amount: burnt, From: a})
			}
			d.Transfers = append(d.Transfers, chain.Transfer{Token: true, TokenID: 1, From: b, To: a})
		}
		p, err := propose(d, decideRules(), 1)
		if err != nil {
			r.Fatal(err)
		}
		load := func() (before rows) {
			for _, e := range p.effects.Accounts {
				row := account(1, 250)
				if e.Escrow {
					row = accountRow{}
				}
				before.accounts = append(before.accounts, row)
			}
			for range p.effects.Tokens {
				before.tokens = append(before.tokens, tokenRow{state: chain.Token{Tier: 1, Owner: b}})
			}
			before.games = make([]gameRow, len(p.effects.Games))
			return before
		}
		before := load()
		o, err := p.decide(before)
		if !reflect.DeepEqual(before, load()) {
			r.Fatalf("the rows changed to %+v", before)
		}
		if (err != nil) != (amount > 250) {
			r.Fatalf("%d of 250 coins: %v", amount, err)
		}
		if err != nil {
			return
		}
		sum := burnt
		for i, f := range o.fact.Accounts {
			sum += f.Delta
			if i > 0 && bytes.Compare(o.fact.Accounts[i-1].Address[:], f.Address[:]) >= 0 {
				r.Fatalf("accounts in the order %v", o.fact.Accounts)
			}
		}
		if sum != 0 {
			r.Fatalf("%d coins appear: %+v", sum, o.fact.Accounts)
		}
	})
}
