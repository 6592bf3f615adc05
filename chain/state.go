package chain

import (
	"errors"
	"fmt"
	"math/bits"

	"roshambo/canon"
)

// Account is the state of one address. The zero value is an address that nobody
// opened and that holds nothing.
type Account struct {
	Kind       AccountKind // "" for an escrow and for what does not exist
	Balance    int64
	Nonce      int64 // of the next transaction
	Commitment Hash  // of the next run; outstanding
}

// Apply changes a as e says, or returns an error and leaves it as it was.
func (a *Account) Apply(e *AccountEffect) error {
	next := *a
	switch {
	case e.Create != "" && *a != Account{}:
		// Not even an escrow that holds stakes: whose account its address became
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

// InsufficientFundsError says that an account cannot pay.
type InsufficientFundsError struct{ Balance, Needed int64 }

func (e *InsufficientFundsError) Error() string {
	return fmt.Sprintf("%d coins are needed, the balance is %d", e.Needed, e.Balance)
}

// Token is the state of one token. The zero value is a token that was never
// created.
type Token struct {
	Tier  int64   // 0: never created
	Owner Address // none: destroyed
}

// Apply changes t as e says, or returns an error and leaves it as it was.
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

// ErrNotOwner says that a token was to move from somebody who does not own it.
var ErrNotOwner = errors.New("the token does not belong to whom it is moved from")

// Game is the state of a run, a duel or a season: of what may be decided only
// once. The zero value is one that was never heard of.
type Game struct {
	Step  GameStep // the last one taken
	A, B  Address  // the player of a run; who staked first and second in a duel
	Tier  int64    // of a run: the first tier
	Stake int64    // of each side of a duel
}

// Apply changes g as e says, or returns an error and leaves it as it was.
func (g *Game) Apply(e *GameEffect) error {
	switch e.Step {
	case StepStart, StepClose:
		if g.Step != 0 {
			return errors.New("was decided or begun before")
		}
		*g = Game{Step: e.Step, A: e.A, Tier: e.Tier}
	case StepEnd:
		switch {
		case g.Step != StepStart || g.A != e.A:
			return errors.New("ends a run that the actor has not open")
		case e.Tier < g.Tier || e.Tier-g.Tier > e.Throws:
			return errors.New("the tier reached does not fit the first tier and the throws")
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

func (g *Game) stake(e *GameEffect) error {
	switch {
	case g.Step == 0:
		*g = Game{Step: StepStake, A: e.A, Stake: e.Stake}
	case g.Step != StepStake || g.B != Address{} || g.A == e.A:
		return errors.New("the duel takes no stake from the actor")
	case g.Stake != e.Stake:
		return fmt.Errorf("the stake of the duel is %d", g.Stake)
	default:
		g.B = e.A
	}
	return nil
}

func (g *Game) settle(e *GameEffect) error {
	switch {
	case g.Step == 0 && e.Stake == 0:
		*g = Game{A: e.A, B: e.B}
	case g.Step != StepStake:
		return errors.New("the duel was settled before, or nothing was staked")
	case g.A != e.A || g.B != e.B || g.Stake != e.Stake:
		return errors.New("settles other sides or stakes than there are")
	}
	g.Step = StepSettle
	return nil
}
