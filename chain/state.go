package chain

import (
	"errors"
	"fmt"
	"math/bits"

	"roshambo/canon"
)

// Account is the state of one address: an account, or the escrow of a duel, which has a
// balance alone. The zero value is an address without an account and without coins.
type Account struct {
	Kind       AccountKind // "" for an escrow, and without an account
	Balance    int64       // coins, 0 to 2^53-1
	Nonce      int64       // of the account's next transaction
	Commitment Hash        // outstanding: the account's next run must use it
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
		return &InsufficientFundsError{Balance: a.Balance, Needed: -e.Delta}
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
		next.Commitment = e.Publish
	}
	*a = next
	return nil
}

// InsufficientFundsError reports that an account cannot pay. Both amounts are in coins.
type InsufficientFundsError struct{ Balance, Needed int64 }

// Error names both amounts.
func (e *InsufficientFundsError) Error() string {
	return fmt.Sprintf("%d coins are needed, the balance is %d", e.Needed, e.Balance)
}

// Token is the state of one token. The zero value is a token that was never created. A
// destroyed token keeps its tier, so that its id cannot be created again.
type Token struct {
	Tier  int64   // 0 when never created
	Owner Address // null when destroyed
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
		t.Tier = int64(bits.TrailingZeros64(e.Tiers))
	case t.Tier == 0 || t.Owner != e.From:
		return ErrNotOwner
	case e.Tiers != 0 && e.Tiers>>t.Tier&1 == 0:
		return fmt.Errorf("the token is of tier %d", t.Tier)
	}
	t.Owner = e.To
	return nil
}

// ErrNotOwner reports a transfer of a token from an address that does not own it.
var ErrNotOwner = errors.New("the token does not belong to the address it is moved from")

// Game is the state of a run, a duel or a season, each of which is decided only once. The
// zero value is a game that does not exist.
type Game struct {
	Step  GameStep // the last one; 0 when the game does not exist
	A, B  Address  // A is a run's player; A and B staked first and second in a duel
	Tier  int64    // a run's first tier
	Stake int64    // of each side of a duel, in coins
}

// Apply applies e to g. On error g is unchanged; the error names the rule that e breaks.
func (g *Game) Apply(e *GameEffect) error {
	switch e.Step {
	case StepStart, StepClose:
		if g.Step != 0 {
			return errors.New("the game was started or decided before")
		}
		*g = Game{Step: e.Step, A: e.A, Tier: e.Tier}
	case StepEnd:
		switch {
		// Only the player ends a run, once. The tier rises by at most one per throw.
		case g.Step != StepStart || g.A != e.A:
			return errors.New("the actor has no such open run")
		case e.Tier < g.Tier || e.Tier-g.Tier > e.Throws:
			return errors.New("the tier reached does not follow from the first tier and the throws")
		}
		g.Step = StepEnd
	case StepStake:
		return g.stake(e)
	case StepSettle:
		return g.settle(e)
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
// must settle the same sides, in the order of their stakes, and the same stake.
func (g *Game) settle(e *GameEffect) error {
	switch {
	case g.Step == 0 && e.Stake == 0:
		*g = Game{A: e.A, B: e.B}
	case g.Step != StepStake:
		return errors.New("the duel was settled before, or nothing was staked")
	case g.A != e.A || g.B != e.B || g.Stake != e.Stake:
		return errors.New("the settlement names other sides or stakes than the duel has")
	}
	g.Step = StepSettle
	return nil
}
