package chain

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"roshambo/canon"
)

// Effects lists the effects of one transaction by the state that each changes. The lists are
// independent: a caller may apply them in any order and in any partition. A caller that
// applies a transaction as a whole computes all new states before it stores any of them.
type Effects struct {
	Accounts []AccountEffect // each address once
	Tokens   []TokenEffect   // each token once
	Games    []GameEffect    // each game once
}

// AccountEffect is the effect of a transaction on one address: its requirements on the
// account and its changes. The zero value but for Address requires that the account exists.
type AccountEffect struct {
	Address Address
	// Create is the kind of the account that is opened, "" when the account must exist.
	Create AccountKind
	// Escrow marks the address of a duel's stakes, which must not have an account.
	Escrow bool
	// Empty requires a balance of 0 afterwards: a settled duel leaves no coin in escrow.
	Empty bool
	// Actor marks the transaction's actor, whose nonce must be Nonce and rises by one.
	Actor bool
	Nonce int64
	// Delta is added to the balance, in coins. The balance must stay within 0 and 2^53-1.
	Delta int64
	// Bound is the part of Delta that is added as bound coins.
	Bound int64
	// BoundStart marks an account that is opened with a bound start.
	BoundStart bool
	// Act is what the account does beyond moving coins, at the transaction's time, Time. Only the
	// actor's effect has one.
	Act  AccountAct
	Time int64
	// Recovery is the number of the last recovery of the chain, 0 for none (see Effects.At).
	Recovery int64
	// Entry, RunBound and Limit belong to ActStart: the entry, whether the run wins a bound token,
	// and the number of free entries a day. In an ActFaucet, Limit is the faucet's pause.
	Entry    Entry
	RunBound bool
	Limit    int64
	// Spend is the commitment that must be outstanding, Publish the one that is outstanding
	// afterwards. The zero Hash means none. A run.start has both.
	Spend, Publish Hash
}

// AccountAct is an act of an account that its state limits or records.
type AccountAct uint8

// The acts, with the kind that takes each. 0 is no act.
const (
	ActCreate AccountAct = iota + 1 // account.create
	ActSecure                       // account.secure
	ActFaucet                       // faucet
	ActStart                        // run.start
	ActEnd                          // a lost or abandoned run.end
	ActClaim                        // a claimed run.end
	ActVoid                         // a void run.end
	ActRotate                       // commitment.rotate
)

// Mark restricts whether a token is bound.
type Mark uint8

// The marks. The zero value allows both.
const (
	MarkFree  Mark = iota + 1 // the token must be free
	MarkBound                 // the token must be bound
)

// markOf returns the mark for a token that is bound, or not.
func markOf(bound bool) Mark {
	if bound {
		return MarkBound
	}
	return MarkFree
}

// TokenEffect is the effect of a transaction on one token.
type TokenEffect struct {
	ID       int64
	From, To Address // null From: created; null To: destroyed
	// Tiers is the set of tiers that the token may have, bit k for tier k; 0 allows any. For
	// a token that is created it has exactly the bit of its tier.
	Tiers uint64
	// Mark is whether the token must be bound; a token that is created has one.
	Mark Mark
}

// GameStep is a step in the life of a game. A game is anything that is decided only once: a
// run, a duel, a season, a cup, the sale of a listing, the acceptance of an offer, that a result is
// void, or that it is restored.
type GameStep uint8

// The steps, with the kind that takes each. StepEnd, StepSettle, StepRated and StepClose are final. StepVoid and
// StepKnown are steps of an effect alone: StepVoid ends the game as StepEnd does, StepKnown requires that
// the game exists, and of a duel that it is rated, and changes nothing. 0 is the step of a game that does not exist.
const (
	StepStart  GameStep = iota + 1 // run.start
	StepEnd                        // run.end
	StepStake                      // duel.stake
	StepSettle                     // duel.settle, unrated
	StepRated                      // duel.settle of a rated duel
	StepClose                      // season.close, cup.close, market.sale, buyback, result.void, result.restore
	StepVoid                       // a void run.end
	StepKnown                      // result.void and result.restore, of what they name
)

// GameEffect is the effect of a transaction on one game.
type GameEffect struct {
	ID     string // "run:…", "duel:…", "season:…", "cup:…", "listing:…", "offer:…", "void:…" or "restore:…"
	Step   GameStep
	A, B   Address // A is the player or the staking side; a settlement has both sides
	Tier   int64   // the first tier at a run's start, the tier reached at its end
	Throws int64   // at a run's end
	Stake  int64   // of each side of a duel, in coins
	Bound  bool    // of a run: it wins a bound token
	Back   int64   // the tier of the token that a void run gives back; 0 for none
}

// At sets the number of the last recovery before the transaction, 0 for none: accounts distinguish the
// commitments before it from those after it. Effects leaves it 0, because the number is of the chain.
func (e *Effects) At(recovery int64) {
	for i := range e.Accounts {
		e.Accounts[i].Recovery = recovery
	}
}

// RunGameID returns the GameEffect.ID of a run.
func RunGameID(id string) string { return "run:" + id }

// DuelGameID returns the GameEffect.ID of a duel.
func DuelGameID(code string) string { return "duel:" + code }

// Effects checks tx against the rules r, which must be the rules in force, and returns its
// effects. It makes every check that needs no account, token or game; the Apply methods make
// the others. If Effects accepts tx, then tx.Raw does not panic and ParseTx reads its result.
// The error names the kind and the first rule that tx breaks.
func (r *Rules) Effects(tx *Tx) (Effects, error) {
	var e Effects
	err := r.AppendEffects(tx, &e)
	return e, err
}

// AppendEffects is Effects for callers that reuse memory: it truncates the lists of e and
// appends to them. On error e holds no usable effects.
func (r *Rules) AppendEffects(tx *Tx, e *Effects) error {
	e.Accounts, e.Tokens, e.Games = e.Accounts[:0], e.Tokens[:0], e.Games[:0]
	b := builder{rules: r, tx: tx, out: e}
	b.require(isCount(tx.Nonce) && isCount(tx.Time), "nonce and time are 0 to 2^53-1")
	if tx.Actor != (Address{}) {
		b.account(tx.Actor).Actor = true
		b.account(tx.Actor).Nonce = tx.Nonce // the pointer of account is valid until the next call
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

// builder collects the effects of one transaction. The first error sticks, so that checks
// need no return after each other.
type builder struct {
	rules *Rules
	tx    *Tx
	out   *Effects
	err   error
}

// fail records the broken rule, unless there is one already.
func (b *builder) fail(reason string) {
	if b.err == nil {
		b.err = errors.New(reason)
	}
}

// require fails with the reason unless ok.
func (b *builder) require(ok bool, reason string) {
	if !ok {
		b.fail(reason)
	}
}

// isCount reports whether n is 0 to 2^53-1, the range of every number in a raw.
func isCount(n int64) bool { return n >= 0 && n <= canon.MaxInt }

// account returns the effect on a and adds it when there is none. The pointer is valid until
// the next call. A transaction has few addresses, so a linear search is fastest.
func (b *builder) account(a Address) *AccountEffect {
	for i := range b.out.Accounts {
		if b.out.Accounts[i].Address == a {
			return &b.out.Accounts[i]
		}
	}
	b.out.Accounts = append(b.out.Accounts, AccountEffect{Address: a})
	return &b.out.Accounts[len(b.out.Accounts)-1]
}

// game adds an effect on a game. No kind has two on one game, so there is nothing to merge.
func (b *builder) game(g GameEffect) { b.out.Games = append(b.out.Games, g) }

// transfer adds the effects of one transfer: on the token, and on the balance of both ends. A
// token's transfer adds effects of Delta 0, so that both accounts must exist.
func (b *builder) transfer(t Transfer) {
	if err := t.Check(); err != nil {
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

// requireActor fails without an actor, and returns the actor.
func (b *builder) requireActor() Address {
	b.require(b.tx.Actor != Address{}, "needs an actor")
	return b.tx.Actor
}

// requireNoActor fails when there is an actor: the chain itself acts.
func (b *builder) requireNoActor() {
	b.require(b.tx.Actor == Address{}, "is the chain's own and has no actor")
}

// requireTransfers fails unless the transfers are exactly want, in this order. Transfers of 0
// coins in want are skipped: the chain does not record them.
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

// tokenTransfer returns transfer i and fails unless it moves a token. On failure it returns a
// token transfer between null addresses.
func (b *builder) tokenTransfer(i int) Transfer {
	if i < 0 || i >= len(b.tx.Transfers) || !b.tx.Transfers[i].Token {
		b.fail("its transfers are not those of its kind")
		return Transfer{Token: true}
	}
	return b.tx.Transfers[i]
}

// restrictTiers limits the tiers of the transaction's only token to the set, and fails when
// the set is empty. An existing token's tier is known only when the effect is applied.
func (b *builder) restrictTiers(tiers uint64) {
	b.require(tiers != 0, "no tier has this price")
	if len(b.out.Tokens) == 1 {
		b.out.Tokens[0].Tiers = tiers
	}
}

// act adds an act of the actor, at the transaction's time. The pointer is valid until the next call
// of account.
func (b *builder) act(act AccountAct) *AccountEffect {
	e := b.account(b.tx.Actor)
	e.Act, e.Time = act, b.tx.Time
	return e
}

// mark requires that the transaction's only token is bound, or free.
func (b *builder) mark(bound bool) {
	if len(b.out.Tokens) == 1 {
		b.out.Tokens[0].Mark = markOf(bound)
	}
}

// requireID fails unless s is an id: 1 to 64 bytes of UTF-8.
func (b *builder) requireID(s string) {
	b.require(s != "" && len(s) <= maxText && utf8.ValidString(s), "an id has 1 to 64 bytes of UTF-8")
}

// coins returns a transfer of coins. The zero Address creates or destroys them.
func coins(from, to Address, amount int64) Transfer {
	return Transfer{Amount: amount, From: from, To: to}
}
