package chain

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"roshambo/canon"
)

// One effects method per kind of transaction, in the order of the table in section 2 of
// docs/protocol.md. Each checks the shape and the amounts of its kind, and adds the effects
// that the transfers do not imply: nonce and balance changes are added by AppendEffects.

// MaxThrows is the number of seeds of a run (fair.Length), the most throws it can have.
const MaxThrows = 256

// maxText is the limit of an id, a name or a material, in bytes.
const maxText = 64

// effects of a genesis: none on accounts, tokens or games. It sets the name and the rules; the
// caller takes the rules from the data.
func (d *Genesis) effects(b *builder) {
	b.requireNoActor()
	b.requireTransfers()
	b.require(validName(d.Name), "a chain's name has 1 to 64 printable ASCII characters and no space or plus")
	if err := d.Rules.Check(); err != nil {
		b.fail(err.Error())
	}
}

// validName reports whether name can be the origin of a log and the name of its key: 1 to 64
// characters of printable ASCII without space and plus (c2sp.org/signed-note).
func validName(name string) bool {
	for _, c := range name {
		if c <= ' ' || c > '~' || c == '+' {
			return false
		}
	}
	return name != "" && len(name) <= maxText
}

// effects of a rules transaction: none on accounts, tokens or games. Whether it may come
// here is a rule of the whole chain (InForce.Announce), which package replay checks.
func (d *RulesChange) effects(b *builder) {
	b.requireNoActor()
	b.require(isCount(d.Number), "the number of the rules is 0 to 2^53-1")
	b.requireTransfers()
	if err := d.Rules.Check(); err != nil {
		b.fail(err.Error())
	}
}

// effects of a rules.begin: none on accounts, tokens or games, as for a rules transaction. When it may come
// is InForce.Begin.
func (d *RulesBegin) effects(b *builder) {
	b.requireNoActor()
	b.require(isCount(d.Number), "the number of the rules is 0 to 2^53-1")
	b.requireTransfers()
}

// effects of an account.create: it opens the actor's account, credits the starting balance and publishes the
// first commitment. It is the account's first transaction, so its nonce is 0.
func (d *AccountCreate) effects(b *builder) {
	a := b.requireActor()
	b.require(a != SparringBot(), "the sparring bot has no account")
	b.require(b.tx.Nonce == 0, "opens an account, so its nonce is 0")
	switch d.AccountKind {
	case Guest, Full, Bot:
	default:
		b.fail("an account is a guest, an account or a bot")
	}
	b.requireTransfers(coins(Address{}, a, b.rules.StartingBalance))
	e := b.act(ActCreate)
	e.Create, e.BoundStart = d.AccountKind, d.Bound
	if d.Bound {
		e.Bound = b.rules.StartingBalance
	}
	b.publish(d.Commitment)
}

// effects of an account.secure: it records the time. Time 0 stands for never, so it has another.
func (*AccountSecure) effects(b *builder) {
	b.requireActor()
	b.require(b.tx.Time > 0, "secures an account at time 0")
	b.requireTransfers()
	b.act(ActSecure)
}

// publish makes c the actor's outstanding commitment, the one that its next run must use.
func (b *builder) publish(c Hash) {
	b.require(c != Hash{}, "a commitment of zeros")
	b.account(b.tx.Actor).Publish = c
}

// effects of a faucet: it credits the actor with the amount in the rules, in bound coins.
func (*Faucet) effects(b *builder) {
	b.requireTransfers(coins(Address{}, b.requireActor(), b.rules.FaucetAmount))
	e := b.act(ActFaucet)
	e.Bound, e.Limit = b.rules.FaucetAmount, b.rules.FaucetPause
}

// effects of a recovery: none on accounts, tokens or games. That the numbers are consecutive is a rule
// of the whole chain, which package replay checks.
func (d *Recovery) effects(b *builder) {
	b.requireNoActor()
	b.require(isCount(d.Number), "the number of a recovery is 0 to 2^53-1")
	b.require(
		d.Lost == LostTree{} || d.Lost.Size >= 1 && d.Lost.Size <= canon.MaxInt,
		"a lost tree has 1 to 2^53-1 blocks",
	)
	b.requireTransfers()
}

// effects of a commitment.rotate: it replaces the outstanding commitment.
func (d *Rotate) effects(b *builder) {
	b.requireActor()
	b.requireTransfers()
	b.require(d.Commitment != Hash{}, "a commitment of zeros")
	b.require(d.NextCommitment != d.Commitment, "publishes the commitment that it replaces")
	b.act(ActRotate).Spend = d.Commitment
	b.publish(d.NextCommitment)
}

// effects of a run.start: it pays the entry, uses up the outstanding commitment and publishes the next one.
// A burnt token sets the first tier: its tier is checked when the token effect is applied. Whether
// the run may win a free token depends on the coins, the token or the account that enters it.
func (d *RunStart) effects(b *builder) {
	a := b.requireActor()
	b.requireID(d.RunID)
	b.require(d.Entry == EntryBurn || d.FirstTier == 0, "the first tier is 0 unless a token is burnt")
	switch d.Entry {
	case EntryBurn:
		b.requireTransfers(Transfer{Token: true, TokenID: b.tokenTransfer(0).TokenID, From: a})
		// The token may be older than rules with fewer tiers, so the rules in force do not bound its tier.
		b.require(d.FirstTier >= 1 && d.FirstTier <= maxTiers, "the first tier is that of the burnt token")
		b.restrictTiers(1 << uint64(d.FirstTier))
		b.mark(d.Bound)
	case EntryFee:
		b.requireTransfers(coins(a, Address{}, b.rules.EntryFee))
	case EntryFree, EntryDaily:
		b.requireTransfers()
	default:
		b.fail("an unknown entry")
	}
	b.require(d.Commitment != Hash{}, "a commitment of zeros")
	b.require(d.NextCommitment != d.Commitment, "publishes the commitment that it uses up")
	e := b.act(ActStart)
	e.Spend, e.Entry, e.RunBound, e.Limit = d.Commitment, d.Entry, d.Bound, b.rules.FreePerDay
	b.publish(d.NextCommitment)
	b.game(GameEffect{ID: RunGameID(d.RunID), Step: StepStart, A: a, Tier: d.FirstTier, Bound: d.Bound})
}

// effects of a run.end: it closes the run. A claimed run creates one token of the tier reached, a void one
// gives back its entry; a lost or abandoned one creates nothing. Whether the tier fits the first tier and the throws is
// checked when the game effect is applied, and its highest tier, which depends on the rules at its start
// too, with its transcript (package games).
func (d *RunEnd) effects(b *builder) {
	a := b.requireActor()
	b.requireID(d.RunID)
	b.require(d.Cleared >= 0 && d.Cleared <= maxTier, "a tier beyond the highest")
	b.require(d.Throws >= 0 && d.Throws <= MaxThrows, "more throws than a run has seeds")
	switch d.Status {
	case RunClaimed:
		b.require(d.Cleared >= 1, "claims without a tier")
		b.requireTransfers(Transfer{Token: true, TokenID: b.tokenTransfer(0).TokenID, Tier: d.Cleared, To: a})
		b.mark(d.Bound)
	case RunLost:
		b.require(d.Throws >= 1, "lost without a throw")
		b.requireTransfers()
	case RunAbandoned:
		b.requireTransfers()
	case RunVoid:
		// Whether a recovery has made it void is a matter of the account, which knows the recovery
		// before its last commitment.
		back := b.giveBack(a)
		b.act(ActVoid)
		b.game(GameEffect{ID: RunGameID(d.RunID), Step: StepVoid, A: a, Tier: d.Cleared, Throws: d.Throws,
			Bound: d.Bound, Back: back})
		b.mark(d.Bound)
		return
	default:
		b.fail("an unknown status")
	}
	act := ActEnd
	if d.Status == RunClaimed {
		act = ActClaim
	}
	b.act(act)
	b.game(GameEffect{
		ID: RunGameID(d.RunID), Step: StepEnd, A: a, Tier: d.Cleared, Throws: d.Throws, Bound: d.Bound,
	})
}

// giveBack checks the transfers of a void run: none, coins or a token created for a. It returns the
// token's tier, 0 without one. The account and the game know what the entry was.
func (b *builder) giveBack(a Address) int64 {
	transfers := b.tx.Transfers
	if len(transfers) == 0 {
		return 0
	}
	t := transfers[0]
	b.requireTransfers(Transfer{Token: t.Token, Amount: t.Amount, TokenID: t.TokenID, Tier: t.Tier, To: a})
	return t.Tier
}

// effects of a duel.stake: it moves the actor's stake into the duel's escrow. The second stake must equal the
// first; the game effect checks it.
func (d *DuelStake) effects(b *builder) {
	a := b.requireActor()
	b.requireID(d.DuelID)
	stake := int64(0)
	if len(b.tx.Transfers) == 1 {
		stake = b.tx.Transfers[0].Amount
	}
	b.require(stake >= 1 && stake <= MaxID, "a stake is 1 to 2147483647 coins")
	escrow := Escrow(d.DuelID)
	b.requireTransfers(coins(a, escrow, stake))
	b.account(escrow).Escrow = true
	b.game(GameEffect{ID: "duel:" + d.DuelID, Step: StepStake, A: a, Stake: stake})
}

// effects of a duel.settle: it records the sides, the winner and the transcript of a finished duel
// and pays the escrow out: 2 stakes to the winner, or each stake back after a draw. Without an
// opponent it returns the only stake, so there must be one. The escrow must be empty afterwards.
// Both sides need an account, except that the sparring bot plays without a stake and unrated.
func (d *DuelSettle) effects(b *builder) {
	b.requireNoActor()
	b.requireID(d.DuelID)
	none := Address{}
	b.require(d.A != none && d.A != d.B, "a duel has two different sides")
	spar := d.B == SparringBot()
	b.require(d.B != none || (d.Winner == "" && !d.Rated), "without an opponent there is no winner and no rating")
	stake, escrow := d.stake(b.tx.Transfers), Escrow(d.DuelID)
	b.require(d.B != none || stake > 0, "without an opponent there is only a stake to return")
	b.require(!spar || (stake == 0 && !d.Rated), "a duel against the sparring bot has no stake and is not rated")
	b.require(!d.Void || (d.B != none && stake > 0 && d.Winner == "" && !d.Rated),
		"a void duel had two stakes, and has no winner and no rating")
	switch {
	case d.B == none:
		b.requireTransfers(coins(escrow, d.A, stake))
	case d.Winner == "a":
		b.requireTransfers(coins(escrow, d.A, 2*stake))
	case d.Winner == "b":
		b.requireTransfers(coins(escrow, d.B, 2*stake))
	case d.Winner == "":
		b.requireTransfers(coins(escrow, d.A, stake), coins(escrow, d.B, stake))
	default:
		b.fail("the winner is a, b or null")
	}
	b.account(d.A) // an empty effect: the account must exist, and lists this transaction
	if d.B != none && !spar {
		b.account(d.B)
	}
	if stake > 0 {
		b.account(escrow).Escrow = true
		b.account(escrow).Empty = true
	}
	step := StepSettle
	if d.Rated {
		step = StepRated
	}
	b.game(GameEffect{ID: "duel:" + d.DuelID, Step: step, A: d.A, B: d.B, Stake: stake})
}

// stake returns one side's stake as the transfers imply it, 0 without transfers. An odd
// payout to a winner gives a stake that does not match it, so requireTransfers refuses it.
func (d *DuelSettle) stake(transfers []Transfer) int64 {
	switch {
	case len(transfers) == 0:
		return 0
	case d.Winner != "":
		return transfers[0].Amount / 2
	}
	return transfers[0].Amount
}

// effects of a market.sale: it moves the price less the fee to the seller, destroys the fee and moves the
// token to the actor. The price is the sum of both payments; the rules set the fee. A listing is sold once.
func (d *MarketSale) effects(b *builder) {
	buyer := b.requireActor()
	token := b.tokenTransfer(len(b.tx.Transfers) - 1) // the last transfer, after price and fee
	seller, price := token.From, int64(0)
	b.require(seller != Address{}, "a sale without a seller")
	for _, t := range b.tx.Transfers {
		price += t.Amount
	}
	b.require(d.ListingID >= 0 && d.ListingID <= MaxID, "a listing id beyond 2147483647")
	b.require(price >= 1 && price <= MaxID, "a price is 1 to 2147483647 coins")
	if b.err != nil {
		return // MarketFee could overflow with a price beyond MaxID
	}
	fee := b.rules.MarketFee(price)
	b.requireTransfers(coins(buyer, seller, price-fee), coins(buyer, Address{}, fee),
		Transfer{Token: true, TokenID: token.TokenID, From: seller, To: buyer})
	b.mark(false)
	b.game(GameEffect{ID: fmt.Sprintf("listing:%d", d.ListingID), Step: StepClose})
}

// effects of a buyback: it destroys the actor's token and creates the price of its tier. The transaction does
// not state the tier, so the token must have one of the tiers with this price. An offer is accepted once.
func (d *Buyback) effects(b *builder) {
	a := b.requireActor()
	token, price := b.tokenTransfer(0), int64(0)
	if len(b.tx.Transfers) == 2 {
		price = b.tx.Transfers[1].Amount
	}
	b.require(d.OfferID >= 0 && d.OfferID <= MaxID, "an offer id beyond 2147483647")
	b.requireTransfers(Transfer{Token: true, TokenID: token.TokenID, From: a}, coins(Address{}, a, price))
	var tiers uint64
	for k := int64(1); k <= b.rules.Top(); k++ {
		if b.rules.BuybackPrice(k) == price {
			tiers |= 1 << k
		}
	}
	b.restrictTiers(tiers)
	b.mark(d.Bound)
	if d.Bound {
		b.account(a).Bound = price
	}
	b.game(GameEffect{ID: fmt.Sprintf("offer:%d", d.OfferID), Step: StepClose})
}

// SeasonDays is the length of a season in UTC days. The first one begins on the day of genesis.
const SeasonDays = 28

// SeasonEnd returns when a season is over, in Unix milliseconds. began is the time of genesis, in the
// same unit, and season counts from 1. For numbers without such a time it returns the latest one.
func SeasonEnd(began, season int64) int64 {
	if season > canon.MaxInt/(SeasonDays*dayMS)-SeasonDays {
		return canon.MaxInt
	}
	return (began/dayMS + season*SeasonDays) * dayMS
}

// effects of a season.close: it pins the hash of the final table. A season closes once.
func (d *SeasonClose) effects(b *builder) {
	b.requireNoActor()
	b.requireTransfers()
	b.require(isCount(d.Season), "the number of a season is 0 to 2^53-1")
	b.game(GameEffect{ID: fmt.Sprintf("season:%d", d.Season), Step: StepClose})
}

// effects of a cup.close: it pins the hash of the final table. A cup closes once; cups overlap, so
// they close in any order.
func (d *CupClose) effects(b *builder) {
	b.requireNoActor()
	b.requireTransfers()
	b.require(isCount(d.Cup), "the number of a cup is 0 to 2^53-1")
	b.game(GameEffect{ID: fmt.Sprintf("cup:%d", d.Cup), Step: StepClose})
}

// effects of a result.void: the result of a run, or of a rated duel that is settled, is declared void once. No
// duel of a cup is rated, so no declaration changes the table of a cup. That a run is a daily one is the
// service's rule: coins and tokens do not depend on it.
func (d *ResultVoid) effects(b *builder) { b.result("void:"+d.Game, d.Game, d.Game) }

// effects of a result.restore: a void result counts again, once. As a result is declared void once too, it
// counts from then on. That no season has closed since is a rule of the whole chain (package replay).
func (d *ResultRestore) effects(b *builder) { b.result("restore:"+d.Game, "void:"+d.Game, d.Game) }

// result adds the effects of what the chain itself decides once about the result of a game: decision is the
// id of that decision, and known the id of the game step that must precede it on the chain.
func (b *builder) result(decision, known, game string) {
	b.requireNoActor()
	b.requireTransfers()
	kind, id, _ := strings.Cut(game, ":")
	b.require(kind == "run" || kind == "duel", "a result is that of run: or duel: and an id")
	b.requireID(id)
	b.game(GameEffect{ID: decision, Step: StepClose})
	b.game(GameEffect{ID: known, Step: StepKnown})
}

// sparringBot is SHA-256 of "roshambo/sparring-bot/v1", the first 20 bytes.
var sparringBot = func() Address {
	sum := sha256.Sum256([]byte("roshambo/sparring-bot/v1"))
	return Address(sum[:len(Address{})])
}()

// SparringBot returns the address of the service's sparring bot, side b of every practice duel. It
// has no account: no key, no coins and no transactions of its own.
func SparringBot() Address { return sparringBot }
