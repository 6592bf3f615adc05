package chain

import (
	"errors"
	"fmt"
	"math/bits"

	"roshambo/canon"
)

// Account is the state of one address: an account, or the escrow of a duel, which has a
// balance alone. The zero value is an address without an account and without coins.
//
// The state holds all that the rules of an account need, so that they need no other transaction:
// when the faucet paid, whether a run is open, and what entries the day has seen.
type Account struct {
	Kind       AccountKind // "" for an escrow, and without an account
	Balance    int64       // coins, 0 to 2^53-1
	Bound      int64       // the bound coins in Balance, 0 to Balance: they pay entry fees alone
	Nonce      int64       // of the account's next transaction
	Commitment Hash        // outstanding: the account's next run must use it
	Recovery   int64       // number of the last recovery before Commitment was published; 0 for none
	BoundStart bool        // opened with a bound start
	SecuredAt  int64       // Unix milliseconds of the account.secure; 0 for never
	FaucetAt   int64       // Unix milliseconds of the last faucet; 0 for never
	Playing    Entry       // of the run that is not over; "" for none
	Paid       int64       // coins of that entry
	PaidBound  int64       // the bound coins in Paid
	FreeDay    int64       // of the last free entry: UTC days since 1970
	Free       int64       // free entries on that day
	DailyDay   int64       // of the last daily entry
	Daily      int64       // daily entries on that day
}

// SecureFor is how long an account with a bound start must have been secured until its free and
// daily entries win free tokens, in milliseconds: 3 days.
const SecureFor = 3 * dayMS

// dayMS is the length of a UTC day in milliseconds.
const dayMS = 24 * 60 * 60 * 1000

// FreeCoins returns the coins that can be staked and spent on the market.
func (a *Account) FreeCoins() int64 { return a.Balance - a.Bound }

// Used returns how many free and daily entries the account has used on the UTC day of a time in
// Unix milliseconds. A time before the day of the last entry of the same kind counts as of that day.
func (a *Account) Used(at int64) (free, daily int64) {
	if at/dayMS <= a.FreeDay {
		free = a.Free
	}
	if at/dayMS <= a.DailyDay {
		daily = a.Daily
	}
	return free, daily
}

// WinsBound reports whether a run that the account enters with e at a time in Unix milliseconds
// wins a bound token by the account's state. fee is the entry fee. A burnt token decides for
// itself, so the answer is false.
func (a *Account) WinsBound(e Entry, at, fee int64) bool {
	switch e {
	case EntryFee:
		return min(a.Bound, fee) > 0
	case EntryFree, EntryDaily:
		return a.BoundStart && (a.SecuredAt == 0 || at < a.SecuredAt+SecureFor)
	}
	return false
}

// Apply applies e to a. On error a is unchanged; the error names the rule that e breaks, and
// is an *InsufficientFundsError when the balance is too low.
func (a *Account) Apply(e *AccountEffect) error {
	next := *a
	switch {
	case e.Create != "" && *a != Account{}:
		// This includes an escrow that holds stakes: the owner of an account at its address
		// could spend them.
		return errors.New("the account exists already")
	case e.Create != "":
		next.Kind = e.Create
	case a.Kind == "" && !e.Escrow:
		return errors.New("there is no such account")
	case a.Kind != "" && e.Escrow:
		return errors.New("an account cannot be an escrow")
	}
	if e.Actor {
		if e.Nonce != a.Nonce {
			return fmt.Errorf("the nonce is %d, and must be %d", e.Nonce, a.Nonce)
		}
		next.Nonce++
	}
	// The sum cannot overflow: the balance and the amounts in Delta, at most three, are each
	// below 2^53.
	if next.Balance += e.Delta; next.Balance < 0 {
		return &InsufficientFundsError{Balance: a.Balance, Bound: a.Bound, Needed: -e.Delta}
	}
	next.Bound += e.Bound
	if err := a.act(e, &next); err != nil {
		return err
	}
	if next.Bound > next.Balance { // only an entry fee takes bound coins
		return &InsufficientFundsError{Balance: a.Balance, Bound: a.Bound, Needed: -e.Delta, Free: true}
	}
	if next.Balance > canon.MaxInt {
		return errors.New("the balance would pass 2^53")
	}
	if e.Empty && next.Balance != 0 {
		return fmt.Errorf("%d coins are left in the escrow", next.Balance)
	}
	if e.Spend != (Hash{}) && e.Spend != a.Commitment {
		return fmt.Errorf("uses the commitment %v, outstanding is %v", e.Spend, a.Commitment)
	}
	if e.Publish != (Hash{}) {
		next.Commitment, next.Recovery = e.Publish, e.Recovery
	}
	*a = next
	return nil
}

// act applies the act of e to next, which is a with the coins of e moved. Times come from the
// transactions, which the house writes: package replay compares them with the blocks.
func (a *Account) act(e *AccountEffect, next *Account) error {
	switch e.Act {
	case ActCreate:
		next.BoundStart = e.BoundStart
		if e.Create == Full {
			next.SecuredAt = e.Time
		}
	case ActSecure:
		if a.SecuredAt != 0 || a.Kind == Bot {
			return errors.New("the account is secured already, or a bot")
		}
		next.SecuredAt = e.Time
	case ActFaucet:
		if a.FaucetAt != 0 && e.Limit > 0 && e.Time < a.FaucetAt+e.Limit {
			return fmt.Errorf("the faucet pays the account again at %d", a.FaucetAt+e.Limit)
		}
		next.FaucetAt = e.Time
	case ActStart:
		switch {
		case a.Playing != "":
			return errors.New("another run of the account is not over")
		case a.Recovery != e.Recovery:
			return errors.New("the commitment is older than the last recovery")
		}
		return a.enter(e, next)
	case ActEnd, ActClaim, ActVoid:
		return a.leave(e, next)
	case ActRotate:
		// Spend has named the outstanding commitment; a run in play would still reveal its seeds.
		switch {
		case a.Playing != "":
			return errors.New("a run of the account is not over")
		case a.Recovery >= e.Recovery:
			return errors.New("the commitment is not older than the last recovery")
		}
	}
	return nil
}

// leave applies the end of the open run. The commitment that its start has published says whether a
// recovery came between: then the run is claimed, or void and its entry given back. Which of the two
// follows from the transcript (package games).
func (a *Account) leave(e *AccountEffect, next *Account) error {
	crossed, void := a.Recovery < e.Recovery, e.Act == ActVoid
	switch {
	case a.Playing == "":
		return errors.New("no run of the account is open")
	case void && !crossed:
		return errors.New("a run is void only when it was in play at a recovery")
	case crossed && e.Act == ActEnd:
		return errors.New("a run that was in play at a recovery ends claimed or void")
	case void && e.Delta != a.Paid:
		return fmt.Errorf("the entry of the void run was %d coins", a.Paid)
	}
	if void {
		next.Bound += a.PaidBound
		switch a.Playing { // the day counts from this run: a later entry was not possible
		case EntryFree:
			next.Free--
		case EntryDaily:
			next.Daily--
		case EntryFee, EntryBurn: // given back by the transfer
		}
	}
	next.Playing, next.Paid, next.PaidBound = "", 0, 0
	return nil
}

// enter applies the entry of a run: the uses of the day, the bound coins of a fee, and whether the
// run must win a bound token. A free or daily run may win one in any case: the service decides so
// beyond a number of runs of one network address, which the chain does not know.
func (a *Account) enter(e *AccountEffect, next *Account) error {
	bound := a.WinsBound(e.Entry, e.Time, -e.Delta)
	next.Playing = e.Entry // with what it costs, for a recovery that makes the run void
	switch e.Entry {
	case EntryFee:
		next.Paid, next.PaidBound = -e.Delta, min(a.Bound, -e.Delta)
		next.Bound -= next.PaidBound
		if bound != e.RunBound {
			return errors.New("a run wins a bound token exactly when bound coins pay its entry")
		}
	case EntryFree, EntryDaily:
		if bound && !e.RunBound {
			return errors.New("wins a free token, with a bound start and not secured for 3 days")
		}
		free, daily := a.Used(e.Time)
		limit, used := e.Limit, &next.Free
		if e.Entry == EntryFree {
			next.FreeDay, next.Free = max(a.FreeDay, e.Time/dayMS), free+1
		} else {
			next.DailyDay, next.Daily = max(a.DailyDay, e.Time/dayMS), daily+1
			limit, used = 1, &next.Daily
		}
		if *used > limit {
			return errors.New("the entry is used up for the day")
		}
	}
	return nil
}

// InsufficientFundsError reports that an account cannot pay. All amounts are in coins.
type InsufficientFundsError struct {
	Balance, Bound int64 // Bound is part of Balance
	Needed         int64
	Free           bool // the balance would suffice, but its bound coins cannot pay for this
}

// Error names the amounts.
func (e *InsufficientFundsError) Error() string {
	if e.Free {
		return fmt.Sprintf("%d free coins are needed, of the balance of %d are %d bound", e.Needed, e.Balance, e.Bound)
	}
	return fmt.Sprintf("%d coins are needed, the balance is %d", e.Needed, e.Balance)
}

// Token is the state of one token. The zero value is a token that was never created. A
// destroyed token keeps its tier, so that its id cannot be created again.
type Token struct {
	Tier  int64   // 0 when never created
	Owner Address // null when destroyed
	Bound bool    // cannot be sold to another account
}

// Apply applies e to t. On error t is unchanged; the error is ErrNotOwner when the token does
// not belong to e.From.
func (t *Token) Apply(e *TokenEffect) error {
	switch {
	case e.From == (Address{}):
		if t.Tier != 0 {
			return errors.New("a token is created once")
		}
		if bits.OnesCount64(e.Tiers) != 1 {
			return errors.New("a token is created with one tier")
		}
		if e.Mark == 0 {
			return errors.New("a token is created bound or free")
		}
		t.Tier, t.Bound = int64(bits.TrailingZeros64(e.Tiers)), e.Mark == MarkBound
	case t.Tier == 0 || t.Owner != e.From:
		return ErrNotOwner
	case e.Tiers != 0 && e.Tiers>>t.Tier&1 == 0:
		return fmt.Errorf("the token is of tier %d", t.Tier)
	case e.Mark == MarkFree && t.Bound:
		return ErrTokenBound
	case e.Mark == MarkBound && !t.Bound:
		return errors.New("the token is not bound")
	}
	t.Owner = e.To
	return nil
}

// ErrNotOwner reports a transfer of a token from an address that does not own it.
var ErrNotOwner = errors.New("the token does not belong to the address it is moved from")

// ErrTokenBound reports a bound token where a free one is required.
var ErrTokenBound = errors.New("the token is bound")

// Game is the state of anything that is decided only once (GameStep). The zero value is a game that does
// not exist.
type Game struct {
	Step  GameStep // the last one; 0 when the game does not exist
	A, B  Address  // A is a run's player; A and B staked first and second in a duel, until it is settled
	Tier  int64    // a run's first tier
	Stake int64    // of each side of a duel, in coins
	Bound bool     // of a run: it wins a bound token
}

// Apply applies e to g. On error g is unchanged; the error names the rule that e breaks.
func (g *Game) Apply(e *GameEffect) error {
	switch e.Step {
	case StepStart, StepClose:
		if g.Step != 0 {
			return errors.New("the game was started or decided before")
		}
		*g = Game{Step: e.Step, A: e.A, Tier: e.Tier, Bound: e.Bound}
	case StepEnd, StepVoid:
		switch {
		// Only the player ends a run, once. The tier rises by at most one per throw.
		case g.Step != StepStart || g.A != e.A:
			return errors.New("the actor has no such open run")
		case e.Tier < g.Tier || e.Tier-g.Tier > e.Throws:
			return errors.New("the tier reached does not follow from the first tier and the throws")
		case e.Bound != g.Bound:
			return errors.New("a run ends bound exactly when it started so")
		case e.Step == StepVoid && e.Back != g.Tier:
			return errors.New("a void run gives back a token exactly when one was burnt, of its tier")
		}
		g.Step = StepEnd
	case StepStake:
		return g.stake(e)
	case StepSettle, StepRated:
		return g.settle(e)
	case StepKnown:
		if g.Step == 0 {
			return errors.New("the chain has no such game")
		}
		if g.Step == StepStake || g.Step == StepSettle {
			return errors.New("the duel is not a settled one that is rated")
		}
	default:
		return errors.New("an unknown step")
	}
	return nil
}

// stake applies a duel.stake: the first one sets the stake, the second must equal it and come
// from another account.
func (g *Game) stake(e *GameEffect) error {
	switch {
	case g.Step == 0:
		*g = Game{Step: StepStake, A: e.A, Stake: e.Stake}
	case g.Step != StepStake || g.B != Address{} || g.A == e.A:
		return errors.New("the duel accepts no stake from the actor")
	case g.Stake != e.Stake:
		return fmt.Errorf("the stake of the duel is %d", g.Stake)
	default:
		g.B = e.A
	}
	return nil
}

// settle applies a duel.settle. A duel without a stake has no earlier step; one with a stake
// must settle the same sides, whichever staked first, and the same stake.
func (g *Game) settle(e *GameEffect) error {
	switch {
	case g.Step == 0 && e.Stake == 0:
		*g = Game{A: e.A, B: e.B}
	case g.Step != StepStake:
		return errors.New("the duel was settled before, or nothing was staked")
	case (g.A != e.A || g.B != e.B) && (g.A != e.B || g.B != e.A) || g.Stake != e.Stake:
		return errors.New("the settlement names other sides or stakes than the duel has")
	}
	g.Step, g.A, g.B = e.Step, e.A, e.B
	return nil
}
