package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// account returns the state of a player's address.
func (e *economy) account(t testing.TB, p player) (a chain.Account, published chain.Hash) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		a, published, err = e.Account(ctx, tx, p.Address)
		return err
	})
	return a, published
}

func TestPostEveryKind(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	now := e.Clock.Now()
	s := e.Everything(t)

	rules := ledgertest.Rules()
	today := now.UnixMilli() / (24 * 60 * 60 * 1000)
	want := map[string]chain.Account{
		"ann": {
			Kind: chain.Guest, Balance: 1000 + 98 - 50 - 10 + 20 - 30, Nonce: 10, Commitment: s.Ann.Next,
			Playing: chain.EntryFee, Paid: 50, FreeDay: today, Free: 2,
		},
		"bob": {
			Kind: chain.Guest, Balance: 1000 + 200 - 100 + rules.BuybackPrice(2) - 10 - 25 - 30, Bound: 200, Nonce: 10,
			Commitment: s.Bob.Next, FaucetAt: now.UnixMilli(), SecuredAt: now.UnixMilli(), FreeDay: today, Free: 1,
		},
	}
	for name, p := range map[string]player{"ann": s.Ann, "bob": s.Bob} {
		if got, _ := e.account(t, p); got != want[name] {
			t.Errorf("%s: got %+v, want %+v", name, got, want[name])
		}
	}
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := e.TokensOf(ctx, tx, s.Bob.Address, -1, 10)
		if diff := cmp.Diff([]ledger.OwnedToken{s.Token}, list); err != nil || diff != "" {
			t.Errorf("bob's tokens: %v\n%s", err, diff)
		}
		state, run, err := e.Token(ctx, tx, s.Token.ID)
		if err != nil || state != (chain.Token{Tier: 3, Owner: s.Bob.Address}) || !strings.HasPrefix(run, "id-") {
			t.Errorf("token %d: %+v, %q, %v", s.Token.ID, state, run, err)
		}
		return nil
	})
	e.WantValid(t) // while all is pending
	e.SealAll(t)
	e.WantValid(t)
	if got := e.kinds(t); len(slices.Compact(slices.Sorted(slices.Values(got)))) != 12 {
		t.Errorf("not every kind but rules, recoveries and voids is there: %v", got)
	}
}

// kinds returns the kinds of all sealed transactions, in chain order.
func (e *economy) kinds(t testing.TB) (list []chain.Kind) {
	t.Helper()
	for _, r := range e.sealed(t) {
		list = append(list, r.Parsed.Kind())
	}
	return list
}

// sealed returns all sealed transactions, in chain order.
func (e *economy) sealed(t testing.TB) (list []ledger.Record) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		list = nil
		head, err := e.Head(ctx, tx)
		if err != nil {
			return err
		}
		for height := range head.Block.Header.Height + 1 {
			b, err := e.Block(ctx, tx, height)
			if err != nil {
				return err
			}
			txs, err := e.Txs(ctx, tx, b)
			if err != nil {
				return err
			}
			list = append(list, txs...)
		}
		return nil
	})
	return list
}

// wrongDraft is a draft that Post must refuse, and its error.
type wrongDraft struct {
	name  string
	draft ledger.Draft
	text  string           // part of the error
	is    func(error) bool // when set, says whether the error is of the right kind
}

// wrongDrafts returns drafts that Post must refuse after Everything.
func wrongDrafts(e *economy, s ledgertest.Scene) []wrongDraft {
	return slices.Concat(wrongRuns(e, s), wrongTransfers(e, s))
}

// wrongRuns returns wrong drafts about accounts and runs.
func wrongRuns(e *economy, s ledgertest.Scene) []wrongDraft {
	const kind = "its transfers are not those of its kind"
	carol, next := e.NewPlayer(), e.NewHash()
	other := ledgertest.Start(s.Bob, "new", chain.EntryFree, next)
	other.Data.(*chain.RunStart).Commitment = e.NewHash()
	short := ledgertest.Lose(s.Ann, s.Run, 9)
	short.Data.(*chain.RunEnd).Throws = 8
	fromAnn := chain.Transfer{Amount: 50, From: s.Ann.Address}
	return []wrongDraft{
		{name: "an account twice", draft: ledgertest.Create(s.Ann), text: "the account exists already"},
		{
			name:  "an account with too much",
			draft: with(ledgertest.Create(carol), chain.Transfer{Amount: 1001, To: carol.Address}), text: kind,
		},
		{
			name: "a faucet with free coins", draft: ledgertest.Stake(s.Bob, "new", 1023), text: "free coins are needed",
			is: noFunds,
		},
		{
			name: "an account secured twice", draft: ledger.Draft{Actor: s.Bob.Address, Data: &chain.AccountSecure{}},
			text: "secured already",
		},
		{name: "an account without an address", draft: by(ledgertest.Create(carol), player{}), text: "needs an actor"},
		{
			name:  "an account at an escrow",
			draft: ledgertest.Create(player{Address: chain.Escrow(s.Duel), Next: next}), text: "exists already",
		},
		{name: "an actor without an account", draft: ledgertest.Faucet(carol), text: "no such account"},
		{
			name:  "a faucet of too much",
			draft: with(ledgertest.Faucet(s.Bob), chain.Transfer{Amount: 201, To: s.Bob.Address}), text: kind,
		},
		{
			name:  "a faucet for another account",
			draft: with(ledgertest.Faucet(s.Bob), chain.Transfer{Amount: 200, To: s.Ann.Address}), text: kind,
		},
		{
			name:  "a fee from another account",
			draft: with(ledgertest.Start(s.Bob, "new", chain.EntryFee, next), fromAnn), text: kind,
		},
		{name: "another commitment", draft: other, text: "outstanding"},
		{name: "a run twice", draft: ledgertest.Start(s.Bob, s.Run, chain.EntryFree, next),
			text: "started or decided before"},
		{name: "an end of another player's run", draft: ledgertest.Lose(s.Bob, s.Run, 1),
			text: "no run of the account is open"},
		{name: "an end of no run", draft: ledgertest.Lose(s.Ann, "new", 1), text: "no such open run"},
		{name: "more tiers than throws", draft: short, text: "does not follow"},
		{name: "a token that is there", draft: ledgertest.Claim(s.Ann, s.Run, s.Token), text: "created once"},
	}
}

// voided declares the result of a duel void.
func voided(duel string) ledger.Draft {
	return ledger.Draft{Data: &chain.ResultVoid{Game: chain.DuelGameID(duel)}}
}

// wrongTransfers returns wrong drafts about tokens, stakes, seasons and rules.
func wrongTransfers(e *economy, s ledgertest.Scene) []wrongDraft {
	const owner = "the token does not belong to the address it is moved from"
	next := e.NewHash()
	unfair := ledgertest.Rules()
	unfair.EntryFee = 0
	unreserved := ledger.OwnedToken{ID: 99, Tier: 1}
	resale := ledgertest.Sale(s.Ann, s.Bob, s.Token.ID)
	resale.Data = &chain.MarketSale{ListingID: s.Token.ID - 1} // of the token that Ann won and sold before
	return []wrongDraft{
		{
			name: "a token that was not reserved", draft: ledgertest.Claim(s.Ann, s.Run, unreserved),
			text: owner, is: notOwner,
		},
		{name: "a burnt token", draft: ledgertest.Burn(s.Bob, "new", next, s.Burnt), text: owner, is: notOwner},
		{name: "a second run", draft: ledgertest.Start(s.Ann, "new", chain.EntryFree, next), text: "is not over"},
		{
			name:  "a burn of another tier",
			draft: ledgertest.Burn(s.Bob, "new", next, ledger.OwnedToken{ID: s.Token.ID, Tier: 4}),
			text:  "of tier 3",
		},
		{name: "another player's token", draft: ledgertest.Buyback(s.Ann, s.Token), text: owner, is: notOwner},
		{
			name: "a sale of what is not owned", draft: ledgertest.Sale(s.Bob, s.Ann, s.Token.ID), text: owner,
			is: notOwner,
		},
		{
			name: "a stake beyond the balance", draft: ledgertest.Stake(s.Ann, "new", 5000),
			text: "5000 coins are needed", is: noFunds,
		},
		{name: "a third stake", draft: ledgertest.Stake(s.Ann, s.Duel, 30), text: "accepts no stake"},
		{name: "another stake", draft: ledgertest.Stake(s.Ann, s.Staked, 24), text: "stake of the duel is 25"},
		{
			name: "a settlement twice", draft: ledgertest.Settle(s.Ann, s.Bob, s.Settled, 10),
			text: "20 coins are needed", is: noFunds,
		},
		{
			name: "a settlement without stakes, twice", draft: ledgertest.Settle(s.Bob, s.Ann, "for honour", 0),
			text: "settled before",
		},
		{
			name: "a settlement of other stakes", draft: ledgertest.Settle(s.Bob, s.Ann, s.Duel, 29),
			text: "left in the escrow",
		},
		{name: "a listing sold twice", draft: resale, text: "started or decided before"},
		{name: "a void result of no game", draft: voided("nowhere"), text: "no such game"},
		{name: "a void result of an open duel", draft: voided(s.Duel), text: "not a settled one that is rated"},
		{
			name:  "a restored result that is not void",
			draft: ledger.Draft{Data: &chain.ResultRestore{Game: "duel:" + s.Duel}}, text: "no such game",
		},
		{
			name: "a settlement by an account", draft: by(ledgertest.Settle(s.Bob, s.Ann, s.Duel, 30), s.Ann),
			text: "chain's own",
		},
		{name: "a season twice", draft: ledgertest.CloseSeason(1), text: "started or decided before"},
		{
			name:  "rules that make no game",
			draft: ledger.Draft{Data: &chain.RulesChange{Number: 1, Rules: unfair}}, text: "entry fee",
		},
		{
			name:  "a genesis by an account",
			draft: by(ledger.Draft{Data: &chain.Genesis{Name: "x", Rules: ledgertest.Rules()}}, s.Ann),
			text:  "chain's own",
		},
	}
}

func notOwner(err error) bool { return errors.Is(err, chain.ErrNotOwner) }

func noFunds(err error) bool {
	_, ok := errors.AsType[*chain.InsufficientFundsError](err)
	return ok
}

// with returns d with one transfer in place of its own.
func with(d ledger.Draft, t chain.Transfer) ledger.Draft {
	d.Transfers = []chain.Transfer{t}
	return d
}

// by returns d with an actor.
func by(d ledger.Draft, p player) ledger.Draft {
	d.Actor = p.Address
	return d
}

func TestPostRefusesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	s := e.Everything(t)
	before := e.Dump(t)
	for _, tt := range wrongDrafts(e, s) {
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if _, err := e.Post(ctx, tx, ledgertest.Faucet(s.Bob)); err != nil { // goes with it
				return err
			}
			_, err := e.Post(ctx, tx, tt.draft)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got error %v, want one that says %q", tt.name, err, tt.text)
		}
		if tt.is != nil && !tt.is(err) {
			t.Errorf("%s: got error %v, of another kind", tt.name, err)
		}
	}
	if diff := cmp.Diff(before, e.Dump(t)); diff != "" {
		t.Errorf("something was left behind:\n%s", diff)
	}
	e.SealAll(t)
	e.WantValid(t)
}

// TestNonces checks that an account's transactions are numbered 0, 1, 2, …, also when several are
// posted in one database transaction, or concurrently.
func TestNonces(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		for i := range int64(3) {
			posted, err := e.Post(ctx, tx, ledgertest.Faucet(ann))
			if err != nil {
				return err
			}
			if want := 1000 + 200*(i+1); posted.Balance != want {
				return fmt.Errorf("balance %d after faucet %d, want %d", posted.Balance, i, want)
			}
		}
		return nil
	})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				e.MustPost(t, ledgertest.Faucet(ann))
			}
		})
	}
	all.Wait()
	e.SealAll(t)
	nonce := int64(0)
	for _, r := range e.sealed(t)[1:] {
		if r.Parsed.Actor != ann.Address || r.Parsed.Nonce != nonce {
			t.Errorf("position %d: nonce %d of %v, want %d", r.Pos, r.Parsed.Nonce, r.Parsed.Actor, nonce)
		}
		nonce++
	}
	if got, _ := e.account(t, ann); nonce != 44 || got.Nonce != nonce || got.Balance != 1000+43*200 {
		t.Errorf("after %d transactions: %+v", nonce, got)
	}
	e.WantValid(t)
}

// TestPublisher checks that an account's row names the transaction that published its commitment,
// with which a proof begins.
func TestPublisher(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.NewPlayer()
	opened := e.MustPost(t, ledgertest.Create(ann))
	if _, published := e.account(t, ann); published != opened.Hash {
		t.Errorf("after account.create: %v, want %v", published, opened.Hash)
	}
	next := e.NewHash()
	started := e.MustPost(t, ledgertest.Start(ann, "a run", chain.EntryFree, next))
	e.MustPost(t, ledgertest.Faucet(ann))
	if a, published := e.account(t, ann); published != started.Hash || a.Commitment != next {
		t.Errorf("after run.start: %v %v, want %v %v", a.Commitment, published, next, started.Hash)
	}
}

// TestPostUnderMishaps checks that under any fault of the commit a transaction is posted once or
// not at all, and that its caller gets the right error.
func TestPostUnderMishaps(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			faults := new(ledgertest.Faults)
			e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
			ann := e.join(t)
			faults.Play(m)
			err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := e.Post(ctx, tx, ledgertest.Faucet(ann))
				return err
			})
			if errors.Is(err, store.ErrUnavailable) != m.Unavailable || err != nil && !m.Unavailable {
				t.Errorf("got error %v, unavailable is %v", err, m.Unavailable)
			}
			want := int64(1000)
			if m.Stored {
				want = 1200
			}
			if got, _ := e.account(t, ann); got.Balance != want {
				t.Errorf("balance %d, want %d", got.Balance, want)
			}
			e.SealAll(t)
			e.WantValid(t)
		})
	}
}

// inOrder checks that the addresses of each transaction ascend.
type inOrder struct {
	t    *testing.T
	seen int // transactions of several accounts
}

func (o *inOrder) Posted(_ context.Context, _ *store.Tx, f *ledger.Fact) error {
	if len(f.Accounts) > 1 {
		o.seen++
	}
	if !slices.IsSortedFunc(
		f.Accounts,
		func(a, b ledger.AccountFact) int { return bytes.Compare(a.Address[:], b.Address[:]) },
	) {
		o.t.Errorf("%s writes the accounts %v", f.Tx.Kind(), f.Accounts)
	}
	return nil
}

// TestAccountsAreWrittenInOrder checks the order that prevents deadlocks between two players
// who buy from each other, and in payouts to both.
func TestAccountsAreWrittenInOrder(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	order := &inOrder{t: t}
	e.Listen(order)
	a, b := e.join(t), e.join(t)
	ofA, ofB := e.Win(t, &a, 1), e.Win(t, &b, 1)
	e.MustPost(t, ledgertest.Sale(b, a, ofA.ID))
	e.MustPost(t, ledgertest.Sale(a, b, ofB.ID))
	for _, sides := range [][2]player{{a, b}, {b, a}} {
		duel := e.NewID()
		e.MustPost(t, ledgertest.Stake(sides[0], duel, 10))
		e.MustPost(t, ledgertest.Stake(sides[1], duel, 10))
		e.MustPost(t, ledgertest.Settle(sides[0], sides[1], duel, 10))
	}
	if order.seen < 2+2*3 {
		t.Errorf("%d transactions of several accounts, want 2 sales, 4 stakes and 2 settlements", order.seen)
	}
}
