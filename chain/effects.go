package chain

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"roshambo/canon"
)

// Effects is what one transaction does, taken apart by what it does it to.
type Effects struct {
	Accounts []AccountEffect // each address once
	Tokens   []TokenEffect   // each token once
	Games    []GameEffect
}

// AccountEffect is what a transaction does to one address.
type AccountEffect struct {
	Address Address
	// Create is the kind of account opened, "" when it must exist already.
	Create AccountKind
	// Escrow marks the address of a duel's stakes: it needs no account.
	Escrow bool
	// Empty demands that nothing is left: a settled duel keeps no coin.
	Empty bool
	// Actor marks the address whose action this is; its nonce must be Nonce.
	Actor bool
	Nonce int64
	// Delta is added to the balance, which must not fall below zero.
	Delta int64
	// Spend is the commitment that must be outstanding, and Publish the one
	// that is from now on. Zero hashes: none. A run.start has both.
	Spend, Publish Hash
}

// TokenEffect is what a transaction does to one token.
type TokenEffect struct {
	ID       int64
	From, To Address // none: created, destroyed
	// Tiers are the tiers that the token may have, bit k for tier k; 0 is any.
	// For a token that is created it holds the one bit of its tier.
	Tiers uint64
}

// GameStep is what a transaction does to a game. A game is whatever may be
// decided only once: a run, a duel, a season's close.
type GameStep uint8

// The steps.
const (
	StepStart  GameStep = iota + 1 // run.start
	StepEnd                        // run.end
	StepStake                      // duel.stake
	StepSettle                     // duel.settle
	StepClose                      // season.close
)

// GameEffect is what a transaction does to one game.
type GameEffect struct {
	ID     string // "run:…", "duel:…" or "season:…"
	Step   GameStep
	A, B   Address // the player; for a settlement both sides
	Tier   int64   // of a run: first tier at its start, cleared at its end
	Throws int64   // of a run's end
	Stake  int64   // of one side of a duel
}

// RunGameID returns what a run is called in a GameEffect.
func RunGameID(id string) string { return "run:" + id }

// Effects checks tx against the rules r, which must be those in force, and
// returns what it does. What can be said without knowing any account, token or
// game is checked here; the rest by applying the effects. A transaction that has
// effects has a raw, and ParseTx takes that raw.
func (r *Rules) Effects(tx *Tx) (Effects, error) {
	var e Effects
	err := r.AppendEffects(tx, &e)
	return e, err
}

// AppendEffects is Effects for callers that reuse the space in e, which it
// empties first.
func (r *Rules) AppendEffects(tx *Tx, e *Effects) error {
	e.Accounts, e.Tokens, e.Games = e.Accounts[:0], e.Tokens[:0], e.Games[:0]
	b := builder{rules: r, tx: tx, out: e}
	b.require(isCount(tx.Nonce) && isCount(tx.Time), "nonce and time are 0 to 2^53-1")
	if tx.Actor != (Address{}) {
		b.account(tx.Actor).Actor = true
		b.account(tx.Actor).Nonce = tx.Nonce
	} else if tx.Nonce != 0 {
		b.fail("the nonce of the chain's own transactions is 0")
	}
	for _, t := range tx.Transfers {
		b.transfer(t)
	}
	tx.Data.effects(&b)
	if b.err != nil {
		return fmt.Errorf("chain: %s: %w", tx.Kind(), b.err)
	}
	return nil
}

// builder gathers the effects of one transaction. The first failure sticks.
type builder struct {
	rules *Rules
	tx    *Tx
	out   *Effects
	err   error
}

func (b *builder) fail(what string) {
	if b.err == nil {
		b.err = errors.New(what)
	}
}

func (b *builder) require(ok bool, what string) {
	if !ok {
		b.fail(what)
	}
}

// isCount says whether n may stand in a document as a number of things.
func isCount(n int64) bool { return n >= 0 && n <= canon.MaxInt }

// account returns the effect on a, adding one at first sight.
func (b *builder) account(a Address) *AccountEffect {
	for i := range b.out.Accounts {
		if b.out.Accounts[i].Address == a {
			return &b.out.Accounts[i]
		}
	}
	b.out.Accounts = append(b.out.Accounts, AccountEffect{Address: a})
	return &b.out.Accounts[len(b.out.Accounts)-1]
}

func (b *builder) game(g GameEffect) { b.out.Games = append(b.out.Games, g) }

func (b *builder) transfer(t Transfer) {
	if err := t.check(b.rules.Top()); err != nil {
		b.fail(err.Error())
		return
	}
	if t.Token {
		e := TokenEffect{ID: t.TokenID, From: t.From, To: t.To}
		if t.Tier != 0 {
			e.Tiers = 1 << t.Tier
		}
		b.out.Tokens = append(b.out.Tokens, e)
	}
	for _, side := range [2]struct {
		address Address
		delta   int64
	}{{t.From, -t.Amount}, {t.To, t.Amount}} {
		if side.address != (Address{}) {
			b.account(side.address).Delta += side.delta
		}
	}
}

// actor requires an actor and returns its address.
func (b *builder) requireActor() Address {
	b.require(b.tx.Actor != Address{}, "needs an actor")
	return b.tx.Actor
}

// requireNoActor requires that nobody acts.
func (b *builder) requireNoActor() {
	b.require(b.tx.Actor == Address{}, "is the chain's own and has no actor")
}

// requireTransfers requires exactly these transfers, in this order. Those of zero
// coins are left out.
func (b *builder) requireTransfers(want ...Transfer) {
	got := b.tx.Transfers
	for _, w := range want {
		if !w.Token && w.Amount == 0 {
			continue
		}
		if len(got) == 0 || got[0] != w {
			b.fail("its transfers are not those of its kind")
			return
		}
		got = got[1:]
	}
	b.require(len(got) == 0, "its transfers are not those of its kind")
}

// token returns the transfer at position i, which must be of a token.
func (b *builder) tokenTransfer(i int) Transfer {
	if i < 0 || i >= len(b.tx.Transfers) || !b.tx.Transfers[i].Token {
		b.fail("its transfers are not those of its kind")
		return Transfer{Token: true}
	}
	return b.tx.Transfers[i]
}

// restrictTiers says which tiers the only token of the transaction may have.
func (b *builder) restrictTiers(tiers uint64) {
	b.require(tiers != 0, "no tier fits")
	if len(b.out.Tokens) == 1 {
		b.out.Tokens[0].Tiers = tiers
	}
}

func (b *builder) requireID(s string) {
	b.require(s != "" && len(s) <= maxText && utf8.ValidString(s), "an id has 1 to 64 bytes of UTF-8")
}

func coins(from, to Address, amount int64) Transfer {
	return Transfer{Amount: amount, From: from, To: to}
}
