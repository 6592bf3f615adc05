package chain

import (
	"errors"
	"fmt"
	"unicode/utf8"
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

// MaxThrows is the number of seeds of a run.
const MaxThrows = 256

// maxText is the longest client seed, in characters, and the longest id.
const maxText = 64

// Effects checks tx against the rules r, which must be those in force, and
// returns what it does. What can be said without knowing any account, token or
// game is checked here; the rest by applying the effects.
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
	if tx.Actor != (Address{}) {
		b.account(tx.Actor).Actor = true
		b.account(tx.Actor).Nonce = tx.Nonce
	} else if tx.Nonce != 0 {
		b.fail("the nonce of the chain's own transactions is 0")
	}
	for _, t := range tx.Transfers {
		if err := t.check(); err != nil {
			b.fail(err.Error())
		}
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
	if t.Token {
		e := TokenEffect{ID: t.TokenID, From: t.From, To: t.To}
		if t.Tier != 0 {
			b.require(t.Tier <= b.rules.Top(), "a tier beyond the highest")
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
func (b *builder) actor() Address {
	b.require(b.tx.Actor != Address{}, "needs an actor")
	return b.tx.Actor
}

// chainsOwn requires that nobody acts.
func (b *builder) chainsOwn() {
	b.require(b.tx.Actor == Address{}, "is the chain's own and has no actor")
}

// transfersAre requires exactly these transfers, in this order. Those of zero
// coins are left out.
func (b *builder) transfersAre(want ...Transfer) {
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
func (b *builder) token(i int) Transfer {
	if i >= len(b.tx.Transfers) || !b.tx.Transfers[i].Token {
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

func (b *builder) id(s string) {
	b.require(s != "" && len(s) <= maxText, "an id has 1 to 64 bytes")
}

func coins(from, to Address, amount int64) Transfer {
	return Transfer{Amount: amount, From: from, To: to}
}

func (d *Genesis) effects(b *builder) {
	b.chainsOwn()
	b.transfersAre()
	b.require(validName(d.Name), "a chain's name has 1 to 64 printable ASCII characters and no space or plus")
	if err := d.Rules.Check(); err != nil {
		b.fail(err.Error())
	}
}

// validName says whether name can be the origin of a log and the name of its key
// (c2sp.org/signed-note: no space, no plus).
func validName(name string) bool {
	for _, c := range name {
		if c <= ' ' || c > '~' || c == '+' {
			return false
		}
	}
	return name != "" && len(name) <= maxText
}

func (d *RulesChange) effects(b *builder) {
	b.chainsOwn()
	b.transfersAre()
	if err := d.Rules.Check(); err != nil {
		b.fail(err.Error())
	}
}

func (d *AccountCreate) effects(b *builder) {
	a := b.actor()
	b.require(b.tx.Nonce == 0, "opens an account, so its nonce is 0")
	b.transfersAre(coins(Address{}, a, b.rules.StartingBalance))
	b.account(a).Create = d.AccountKind
	b.publish(d.Commitment)
}

// publish makes c the actor's outstanding commitment.
func (b *builder) publish(c Hash) {
	b.require(c != Hash{}, "a commitment of zeros")
	b.account(b.tx.Actor).Publish = c
}

func (*Faucet) effects(b *builder) {
	b.transfersAre(coins(Address{}, b.actor(), b.rules.FaucetAmount))
}

func (d *RunStart) effects(b *builder) {
	a := b.actor()
	b.id(d.RunID)
	b.require(utf8.RuneCountInString(d.ClientSeed) <= maxText, "the client seed has at most 64 characters")
	if d.Entry == EntryBurn {
		b.transfersAre(Transfer{Token: true, TokenID: b.token(0).TokenID, From: a})
		b.require(d.FirstTier >= 1 && d.FirstTier <= b.rules.Top(), "the first tier is that of the burnt token")
		b.restrictTiers(1 << d.FirstTier)
	} else {
		b.require(d.FirstTier == 0, "the first tier is 0 unless a token is burnt")
		if d.Entry == EntryFee {
			b.transfersAre(coins(a, Address{}, b.rules.EntryFee))
		} else {
			b.transfersAre()
		}
	}
	b.require(d.Commitment != Hash{}, "a commitment of zeros")
	b.require(d.NextCommitment != d.Commitment, "publishes the commitment that it uses up")
	b.account(a).Spend = d.Commitment
	b.publish(d.NextCommitment)
	b.game(GameEffect{ID: "run:" + d.RunID, Step: StepStart, A: a, Tier: d.FirstTier})
}

func (d *RunEnd) effects(b *builder) {
	a := b.actor()
	b.id(d.RunID)
	b.require(d.Cleared <= b.rules.Top(), "a tier beyond the highest")
	b.require(d.Throws <= MaxThrows, "more throws than a run has seeds")
	if d.Status == RunClaimed {
		b.require(d.Cleared >= 1, "claims without a tier")
		b.transfersAre(Transfer{Token: true, TokenID: b.token(0).TokenID, Tier: d.Cleared, To: a})
	} else {
		b.transfersAre()
	}
	b.require(d.Status != RunLost || d.Throws >= 1, "lost without a throw")
	b.game(GameEffect{ID: "run:" + d.RunID, Step: StepEnd, A: a, Tier: d.Cleared, Throws: d.Throws})
}

func (d *DuelStake) effects(b *builder) {
	a := b.actor()
	b.id(d.DuelID)
	stake := int64(0)
	if len(b.tx.Transfers) == 1 {
		stake = b.tx.Transfers[0].Amount
	}
	b.require(stake >= 1 && stake <= MaxID, "a stake is 1 to 2147483647 coins")
	escrow := Escrow(d.DuelID)
	b.transfersAre(coins(a, escrow, stake))
	b.account(escrow).Escrow = true
	b.game(GameEffect{ID: "duel:" + d.DuelID, Step: StepStake, A: a, Stake: stake})
}

func (d *DuelSettle) effects(b *builder) {
	b.chainsOwn()
	b.id(d.DuelID)
	none := Address{}
	b.require(d.A != none && d.A != d.B, "a duel has two different sides")
	b.require(d.B != none || (d.Winner == "" && !d.Rated), "nobody wins against nobody")
	stake, escrow := b.settledStake(), Escrow(d.DuelID)
	switch {
	case d.B == none:
		b.transfersAre(coins(escrow, d.A, stake))
	case d.Winner == "a":
		b.transfersAre(coins(escrow, d.A, 2*stake))
	case d.Winner == "b":
		b.transfersAre(coins(escrow, d.B, 2*stake))
	default:
		b.transfersAre(coins(escrow, d.A, stake), coins(escrow, d.B, stake))
	}
	b.account(d.A) // both sides must exist, and have this in their history
	if d.B != none {
		b.account(d.B)
	}
	if stake > 0 {
		b.account(escrow).Escrow = true
		b.account(escrow).Empty = true
	}
	b.game(GameEffect{ID: "duel:" + d.DuelID, Step: StepSettle, A: d.A, B: d.B, Stake: stake})
}

// settledStake returns one side's stake, as the transfers have it.
func (b *builder) settledStake() int64 {
	d := b.tx.Data.(*DuelSettle)
	if len(b.tx.Transfers) == 0 {
		return 0
	}
	if d.Winner != "" {
		return b.tx.Transfers[0].Amount / 2
	}
	return b.tx.Transfers[0].Amount
}

func (d *MarketSale) effects(b *builder) {
	buyer := b.actor()
	token := b.token(len(b.tx.Transfers) - 1)
	seller, price := token.From, int64(0)
	b.require(seller != Address{}, "a sale without a seller")
	for _, t := range b.tx.Transfers {
		price += t.Amount
	}
	b.require(price >= 1 && price <= MaxID && d.ListingID <= MaxID, "a price is 1 to 2147483647 coins")
	if b.err != nil {
		return // the fee of such a price could overflow
	}
	fee := b.rules.MarketFee(price)
	b.transfersAre(coins(buyer, seller, price-fee), coins(buyer, Address{}, fee),
		Transfer{Token: true, TokenID: token.TokenID, From: seller, To: buyer})
}

func (d *Buyback) effects(b *builder) {
	a := b.actor()
	token, price := b.token(0), int64(0)
	if len(b.tx.Transfers) == 2 {
		price = b.tx.Transfers[1].Amount
	}
	b.require(d.OfferID <= MaxID, "an offer id beyond 2147483647")
	b.transfersAre(Transfer{Token: true, TokenID: token.TokenID, From: a}, coins(Address{}, a, price))
	var tiers uint64
	for k := int64(1); k <= b.rules.Top(); k++ {
		if b.rules.BuybackPrice(k) == price {
			tiers |= 1 << k
		}
	}
	b.restrictTiers(tiers)
}

func (d *SeasonClose) effects(b *builder) {
	b.chainsOwn()
	b.transfersAre()
	b.game(GameEffect{ID: fmt.Sprintf("season:%d", d.Season), Step: StepClose})
}
