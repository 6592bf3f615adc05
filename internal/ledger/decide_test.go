package ledger

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
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
	return accountRow{exists: true, ActorState: ActorState{
		Account:      chain.Account{Kind: chain.Guest, Nonce: nonce, Balance: balance, Commitment: chain.Hash{5}},
		CommitmentTx: chain.Hash{6},
	}}
}

// sale is the draft with which low buys token 7 from high for 100 coins.
func sale() Draft {
	return Draft{Actor: low, Data: &chain.MarketSale{ListingID: 3}, Transfers: []chain.Transfer{
		{Amount: 98, From: low, To: high}, {Amount: 2, From: low}, {Token: true, TokenID: 7, From: high, To: low},
	}}
}

// sold are the rows of a sale.
func sold(buyer, seller accountRow, token tokenRow) rows {
	return rows{accounts: []accountRow{buyer, seller}, tokens: []tokenRow{token}, games: make([]gameRow, 1)}
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
	want.games[0].state.Step = chain.StepClose // the listing
	if !reflect.DeepEqual(o.after, want) {
		t.Errorf("after: %+v, want %+v", o.after, want)
	}
	tx, err := chain.ParseTx(o.raw)
	if err != nil || tx.Nonce != 4 || tx.Time != 1000 || chain.HashTx(o.raw) != o.fact.Hash {
		t.Errorf("raw %s, error %v", o.raw, err)
	}
	posted := Posted{Hash: o.fact.Hash, Balance: 50, State: want.accounts[0].ActorState, tx: o.posted.tx}
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
			state.Account.Nonce != c.before.Account.Nonce+1 ||
			o.after.accounts[0].CommitmentTx != o.posted.Hash {
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

// TestDecideWholeGame checks that a game is decided at once only if start and end concern one account and
// one game, which the start creates, and no token that would have to be read.
func TestDecideWholeGame(t *testing.T) {
	t.Parallel()
	const other, unread = "not the start and the end", "has not loaded"
	for name, c := range map[string]struct {
		change func(start, end *chain.Effects)
		text   string // of the error; "" for none
	}{
		"a game":                    {change: func(_, _ *chain.Effects) {}},
		"two accounts at the start": {func(s, _ *chain.Effects) { s.Accounts = append(s.Accounts, s.Accounts[0]) }, other},
		"two accounts at the end":   {func(_, e *chain.Effects) { e.Accounts = append(e.Accounts, e.Accounts[0]) }, other},
		"another account":           {func(_, e *chain.Effects) { e.Accounts[0].Address = high }, other},
		"two games at the start":    {func(s, _ *chain.Effects) { s.Games = append(s.Games, s.Games[0]) }, other},
		"two games at the end":      {func(_, e *chain.Effects) { e.Games = append(e.Games, e.Games[0]) }, other},
		"another game":              {func(_, e *chain.Effects) { e.Games[0].ID = "run:another" }, other},
		"a game that is there":      {func(s, e *chain.Effects) { s.Games[0].Step = e.Games[0].Step }, unread},
		"a token to be read": {
			func(_, e *chain.Effects) { e.Tokens = []chain.TokenEffect{{ID: 7, From: low}} }, unread,
		},
		"a start that is refused": {func(s, _ *chain.Effects) { s.Accounts[0].Delta = -100 }, "100 coins are needed"},
		"an end that is refused":  {func(_, e *chain.Effects) { e.Accounts[0].Delta = -100 }, "100 coins are needed"},
	} {
		transcript := []byte(chain.EmptyTranscript)
		g := wholeGame{
			start: *proposed(t, Draft{Actor: low, Data: &chain.RunStart{Commitment: chain.Hash{5}, Entry: chain.EntryFree,
				NextCommitment: chain.Hash{8}, RunID: "r"}}),
			end: *proposed(t, Draft{Actor: low, Transcript: transcript, Data: &chain.RunEnd{RunID: "r",
				Status: chain.RunLost, Throws: 1, TranscriptHash: chain.HashTranscript(transcript)}}),
		}
		c.change(&g.start.effects, &g.end.effects)
		for range g.start.effects.Accounts {
			g.before.accounts = append(g.before.accounts, account(3, 0))
		}
		g.before.games = make([]gameRow, len(g.start.effects.Games))
		err := g.decide()
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %q", name, err, c.text)
		}
		if err == nil && (g.started.posted.State.Account.Nonce != 4 || g.ended.posted.State.Account.Nonce != 5) {
			t.Errorf("%s: started %+v, ended %+v", name, g.started.posted, g.ended.posted)
		}
	}
}

// changedRules are rules with an entry fee of 50, and announced ones of 60 that can begin at a time; 0 when
// they have begun.
func changedRules(from int64) *inForce {
	before, latest := decideRules().Latest, decideRules().Latest
	latest.EntryFee = 60
	return newInForce(layout.RulesRow{
		InForce:  chain.InForce{Before: before, Latest: latest, Number: 1, From: from},
		BeforeTx: chain.Hash{1}, LatestTx: chain.Hash{2},
	})
}

// TestRulesTakeEffect checks which rules are in force, and which are announced, before and after their
// beginning.
func TestRulesTakeEffect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, fee     int64
		tx, announced chain.Hash
	}{{5000, 50, chain.Hash{1}, chain.Hash{2}}, {0, 60, chain.Hash{2}, chain.Hash{}}} {
		l := &Ledger{}
		l.rules.Store(changedRules(c.from))
		tx, from := l.Announced()
		if tx != c.announced || l.Rules().EntryFee != c.fee || l.RulesTx() != c.tx {
			t.Errorf("from %d: a fee of %d by %v, announced %v", c.from, l.Rules().EntryFee, l.RulesTx(), tx)
		}
		if want := c.from != 0; from.IsZero() == want || want && from.UnixMilli() != c.from {
			t.Errorf("from %d: announced for %v", c.from, from)
		}
	}
}

// TestWriterChecksNoRules checks that a writer whose outcomes are not assumed leaves the row of the rules
// to checkRules, on a node of several as well.
func TestWriterChecksNoRules(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		l := &Ledger{shared: shared}
		if w := l.writer(t.Context(), new(store.Tx), decideRules()); w.rules != "" {
			t.Errorf("shared %v: the writer compares the rules with %q", shared, w.rules)
		}
	}
}

// TestRefusal checks the error of an insert that met a row: a conflict, unless the row refuses the effect.
func TestRefusal(t *testing.T) {
	t.Parallel()
	if err := refusal(nil); !errors.Is(err, ErrConflict) {
		t.Errorf("nothing is refused: %v", err)
	}
	if err := refusal(chain.ErrNotOwner); !errors.Is(err, chain.ErrNotOwner) || errors.Is(err, ErrConflict) {
		t.Errorf("the row refuses: %v", err)
	}
}
