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
		a, published, err = e.Account(ctx, tx, p.address)
		return err
	})
	return a, published
}

func TestPostEveryKind(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	s := e.everything(t)

	rules := ledgertest.Rules()
	want := map[string]chain.Account{
		"ann": {Kind: chain.Guest, Balance: 1000 + 98 - 50 - 10 + 20 - 30, Nonce: 10, Commitment: s.ann.next},
		"bob": {Kind: chain.Guest, Balance: 1000 + 200 - 100 + rules.BuybackPrice(2) - 10 - 25 - 30, Nonce: 9, Commitment: s.bob.next},
	}
	for name, p := range map[string]player{"ann": s.ann, "bob": s.bob} {
		if got, _ := e.account(t, p); got != want[name] {
			t.Errorf("%s: got %+v, want %+v", name, got, want[name])
		}
	}
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := e.TokensOf(ctx, tx, s.bob.address, -1, 10)
		if diff := cmp.Diff([]ledger.OwnedToken{s.token}, list); err != nil || diff != "" {
			t.Errorf("bob's tokens: %v\n%s", err, diff)
		}
		state, run, err := e.Token(ctx, tx, s.token.ID)
		if err != nil || state != (chain.Token{Tier: 3, Owner: s.bob.address}) || !strings.HasPrefix(run, "id-") {
			t.Errorf("token %d: %+v, %q, %v", s.token.ID, state, run, err)
		}
		return nil
	})
	e.WantValid(t) // while all is pending
	e.SealAll(t)
	e.WantValid(t)
	if got := e.kinds(t); len(slices.Compact(slices.Sorted(slices.Values(got)))) != 10 {
		t.Errorf("not every kind but rules is there: %v", got)
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

// wrongDraft is a draft that must not be posted, and what its error must be.
type wrongDraft struct {
	name  string
	draft ledger.Draft
	text  string           // part of the error
	is    func(error) bool // when set, says whether the error is of the right kind
}

// wrongDrafts are drafts that must not be posted after everything.
func wrongDrafts(e *economy, s scene) []wrongDraft {
	const kind, owner = "its transfers are not those of its kind", "the token does not belong to the address it is moved from"
	carol, next := e.newPlayer(), e.hash()
	unfair := ledgertest.Rules()
	unfair.EntryFee = 0
	other := start(s.bob, "new", chain.EntryFree, next)
	other.Data.(*chain.RunStart).Commitment = e.hash()
	short := lose(s.ann, s.run, 9)
	short.Data.(*chain.RunEnd).Throws = 8
	fromAnn := chain.Transfer{Amount: 50, From: s.ann.address}
	unreserved := ledger.OwnedToken{ID: 99, Tier: 1}
	return []wrongDraft{
		{name: "an account twice", draft: create(s.ann), text: "the account exists already"},
		{name: "an account with too much", draft: with(create(carol), chain.Transfer{Amount: 1001, To: carol.address}), text: kind},
		{name: "an account of nobody", draft: by(create(carol), player{}), text: "needs an actor"},
		{name: "an account at an escrow", draft: create(player{chain.Escrow(s.duel), next}), text: "exists already"},
		{name: "somebody without an account", draft: faucet(carol), text: "no such account"},
		{name: "a faucet of too much", draft: with(faucet(s.bob), chain.Transfer{Amount: 201, To: s.bob.address}), text: kind},
		{name: "a faucet for somebody else", draft: with(faucet(s.bob), chain.Transfer{Amount: 200, To: s.ann.address}), text: kind},
		{name: "a fee from somebody else", draft: with(start(s.bob, "new", chain.EntryFee, next), fromAnn), text: kind},
		{name: "another commitment", draft: other, text: "outstanding"},
		{name: "a run twice", draft: start(s.bob, s.run, chain.EntryFree, next), text: "started or decided before"},
		{name: "an end of somebody else's run", draft: lose(s.bob, s.run, 1), text: "no such open run"},
		{name: "an end of no run", draft: lose(s.bob, "new", 1), text: "no such open run"},
		{name: "more tiers than throws", draft: short, text: "does not follow"},
		{name: "a token that is there", draft: claim(s.ann, s.run, s.token), text: "created once"},
		{name: "a token that was not reserved", draft: claim(s.ann, s.run, unreserved), text: owner, is: notOwner},
		{name: "a burnt token", draft: burn(s.ann, "new", next, s.burnt), text: owner, is: notOwner},
		{name: "a burn of another tier", draft: burn(s.bob, "new", next, ledger.OwnedToken{ID: s.token.ID, Tier: 4}), text: "of tier 3"},
		{name: "somebody else's token", draft: buyback(s.ann, s.token), text: owner, is: notOwner},
		{name: "a sale of what is not owned", draft: sale(s.bob, s.ann, s.token.ID), text: owner, is: notOwner},
		{name: "a stake beyond the balance", draft: stake(s.ann, "new", 5000), text: "5000 coins are needed", is: noFunds},
		{name: "a third stake", draft: stake(s.ann, s.duel, 30), text: "accepts no stake"},
		{name: "another stake", draft: stake(s.ann, s.staked, 24), text: "stake of the duel is 25"},
		{name: "a settlement twice", draft: settle(s.ann, s.bob, s.settled, 10), text: "20 coins are needed", is: noFunds},
		{name: "a settlement without stakes, twice", draft: settle(s.bob, s.ann, "for honour", 0), text: "settled before"},
		{name: "a settlement of other stakes", draft: settle(s.bob, s.ann, s.duel, 29), text: "left in the escrow"},
		{name: "a settlement of other sides", draft: settle(s.ann, s.bob, s.duel, 30), text: "other sides"},
		{name: "a settlement by somebody", draft: by(settle(s.bob, s.ann, s.duel, 30), s.ann), text: "chain's own"},
		{name: "a season twice", draft: closeSeason(1), text: "started or decided before"},
		{name: "rules that make no game", draft: ledger.Draft{Data: &chain.RulesChange{Number: 1, Rules: unfair}}, text: "entry fee"},
		{name: "a genesis by somebody", draft: by(ledger.Draft{Data: &chain.Genesis{Name: "x", Rules: ledgertest.Rules()}}, s.ann), text: "chain's own"},
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
	d.Actor = p.address
	return d
}

func TestPostRefusesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	s := e.everything(t)
	before := e.Dump(t)
	for _, tt := range wrongDrafts(e, s) {
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if _, err := e.Post(ctx, tx, faucet(s.bob)); err != nil { // goes with it
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
		if diff := cmp.Diff(before, e.Dump(t)); diff != "" {
			t.Fatalf("%s: something was left behind:\n%s", tt.name, diff)
		}
	}
	e.SealAll(t)
	e.WantValid(t)
}

// TestNonces: an account's transactions are numbered 0, 1, 2, …, also when several
// are posted in one database transaction, and by many at the same time.
func TestNonces(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		for i := range int64(3) {
			posted, err := e.Post(ctx, tx, faucet(ann))
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
	for range 8 {
		all.Go(func() {
			for range 5 {
				e.MustPost(t, faucet(ann))
			}
		})
	}
	all.Wait()
	e.SealAll(t)
	nonce := int64(0)
	for _, r := range e.sealed(t)[1:] {
		if r.Parsed.Actor != ann.address || r.Parsed.Nonce != nonce {
			t.Errorf("position %d: nonce %d of %v, want %d", r.Pos, r.Parsed.Nonce, r.Parsed.Actor, nonce)
		}
		nonce++
	}
	if got, _ := e.account(t, ann); nonce != 44 || got.Nonce != nonce || got.Balance != 1000+43*200 {
		t.Errorf("after %d transactions: %+v", nonce, got)
	}
	e.WantValid(t)
}

// TestPublisher: an account's row knows which transaction published its commitment,
// which is what a proof begins with.
func TestPublisher(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.newPlayer()
	opened := e.MustPost(t, create(ann))
	if _, published := e.account(t, ann); published != opened.Hash {
		t.Errorf("after account.create: %v, want %v", published, opened.Hash)
	}
	next := e.hash()
	started := e.MustPost(t, start(ann, "a run", chain.EntryFree, next))
	e.MustPost(t, faucet(ann))
	if a, published := e.account(t, ann); published != started.Hash || a.Commitment != next {
		t.Errorf("after run.start: %v %v, want %v %v", a.Commitment, published, next, started.Hash)
	}
}

// TestPostUnderMishaps: whatever happens to the commit, a transaction is posted once
// or not at all, and its caller is told nothing wrong.
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
				_, err := e.Post(ctx, tx, faucet(ann))
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

// inOrder demands that the addresses of each transaction ascend.
type inOrder struct {
	t    *testing.T
	seen int // transactions of several accounts
}

func (o *inOrder) Posted(_ context.Context, _ *store.Tx, f *ledger.Fact) error {
	if len(f.Accounts) > 1 {
		o.seen++
	}
	if !slices.IsSortedFunc(f.Accounts, func(a, b ledger.AccountFact) int { return bytes.Compare(a.Address[:], b.Address[:]) }) {
		o.t.Errorf("%s writes the accounts %v", f.Tx.Kind(), f.Accounts)
	}
	return nil
}

// TestAccountsAreWrittenInOrder: of two who buy from one another, and of a payout to both, none
// waits for a row that the other has written while it holds one that the other waits for.
func TestAccountsAreWrittenInOrder(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	order := &inOrder{t: t}
	e.Listen(order)
	a, b := e.join(t), e.join(t)
	ofA, ofB := e.win(t, &a, 1), e.win(t, &b, 1)
	e.MustPost(t, sale(b, a, ofA.ID))
	e.MustPost(t, sale(a, b, ofB.ID))
	for _, sides := range [][2]player{{a, b}, {b, a}} {
		duel := e.id()
		e.MustPost(t, stake(sides[0], duel, 10))
		e.MustPost(t, stake(sides[1], duel, 10))
		e.MustPost(t, settle(sides[0], sides[1], duel, 10))
	}
	if order.seen < 2+2*3 {
		t.Errorf("%d transactions of several accounts, want 2 sales, 4 stakes and 2 settlements", order.seen)
	}
}
