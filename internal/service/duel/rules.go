package duel

import (
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/game"
)

// This file holds the rules of duels. A rule makes or changes a duel, or returns an error and
// leaves the duel unchanged. Callers run elapse before any other rule. No rule accesses the
// database: Service loads what a rule needs and stores its result.

// elapse applies the deadlines that have passed by now, each as of its own time, and reports
// whether it changed the duel. The result does not depend on earlier calls; a now before an
// earlier call's changes nothing.
func (d *Duel) elapse(now time.Time) (changed bool) {
	for !d.Status.Over() && !now.Before(d.Deadline) {
		changed = true
		if d.Status == Open {
			d.end(Expired, d.Deadline)
		} else {
			d.decide(d.Deadline)
		}
	}
	return changed
}

// creator is what the creation of a duel is decided by.
type creator struct {
	account    chain.Account // loaded for an unlisted duel with a stake alone
	unfinished int64         // number of unfinished duels
	challenge  *challenge    // loaded for a duel that is for one player alone
}

// mayCreate returns nil if the account may create a duel. An unlisted duel moves no stake yet, so the
// coins are checked here, and again when they move. Errors: *chain.InsufficientFundsError,
// ErrUnfinished, errors of mayChallenge.
func (c *creator) mayCreate(terms Terms, now time.Time) error {
	if a := &c.account; terms.Unlisted && a.FreeCoins() < terms.Stake {
		return &chain.InsufficientFundsError{
			Balance: a.Balance, Bound: a.Bound, Needed: terms.Stake, Free: a.Balance >= terms.Stake,
		}
	}
	if c.unfinished >= MaxUnfinished {
		return ErrUnfinished
	}
	if c.challenge != nil {
		return c.challenge.mayChallenge(now)
	}
	return nil
}

// open returns a new duel that waits for an opponent.
func open(code string, a Player, terms Terms, now time.Time) *Duel {
	d := &Duel{
		Code: code, Kind: ByCode, Status: Open, A: a, Stake: terms.Stake, Listed: !terms.Unlisted, CreatedAt: now,
		Deadline: now.Add(JoinTimeout), Invited: Player{Address: terms.Invited.Address, Username: terms.Invited.Username},
		Step: terms.Step,
	}
	if terms.Day {
		d.Deadline = now.Add(DayTimeout)
	}
	return d
}

// start begins the play against b.
func (d *Duel) start(b Player, rated bool, now time.Time) {
	d.Status, d.B, d.Rated, d.StartedAt = Active, b, rated, &now
	d.beginRound(now)
}

// join begins the play against p, with the number of p's unfinished duels. The duel is casual.
// Errors: ErrOwn, ErrFull, ErrClosed, ErrForbidden for another player than the invited one,
// ErrUnfinished.
func (d *Duel) join(p Player, unfinished int64, now time.Time) error {
	switch {
	case d.A.Address == p.Address:
		return ErrOwn
	case d.B.Address != chain.Address{}:
		return ErrFull
	case d.Status != Open:
		return ErrClosed
	case d.Invited.Address != chain.Address{} && d.Invited.Address != p.Address:
		return ErrForbidden
	case unfinished >= MaxUnfinished:
		return ErrUnfinished
	}
	if !d.Listed { // it was charged as a challenge
		d.Network = nil
	}
	d.start(p, false, now)
	return nil
}

// cancel ends an open duel: its creator cancels it, and the invited player declines it. Errors: ErrForbidden for
// other accounts, ErrFull, ErrClosed.
func (d *Duel) cancel(by chain.Address, now time.Time) error {
	end := Cancelled
	switch {
	case d.Side(by) == game.A:
	case d.Status == Open && d.Invited.Address == by && by != chain.Address{}:
		end = Declined
	default:
		return ErrForbidden
	}
	switch d.Status {
	case Open:
		d.end(end, now)
		return nil
	case Active:
		return ErrFull
	}
	return ErrClosed
}

// beginRound begins the next round. The sparring bot commits at once, before its opponent.
func (d *Duel) beginRound(at time.Time) {
	d.Hands = [2]chain.DuelHand{}
	if d.Kind == Sparring {
		d.dealSparring()
	}
	d.Deadline = at.Add(d.stepTimeout())
}

// dealSparring commits the sparring bot to its hand.
func (d *Duel) dealSparring() {
	move, salt := d.drawHand(d.Code, d.round())
	d.Hands[1] = chain.DuelHand{Committed: true, Commitment: chain.HashHand(move, salt)}
}

// round returns the number of the current round, from 1.
func (d *Duel) round() int { return len(d.Rounds) + 1 }

// bothCommitted reports whether both sides have committed in the current round.
func (d *Duel) bothCommitted() bool { return d.Hands[0].Committed && d.Hands[1].Committed }

// checkStep returns nil if side may take a step in round n; 0 is the current round. Errors:
// ErrForbidden, ErrNotYet for a later round, ErrMovedOn for an earlier one.
func (d *Duel) checkStep(side game.Side, n int) error {
	switch {
	case side == game.NoSide:
		return ErrForbidden
	case d.Status == Open:
		return ErrNotYet
	case d.Status != Active || n != 0 && n < d.round():
		return ErrMovedOn
	case n > d.round():
		return ErrNotYet
	}
	return nil
}

// commit stores a side's commitment. None is refused for what it is: a refusal would tell what the other side
// has committed. Equal commitments of both sides make the round void, because one may be a copy, whose reveal
// could be copied too. Errors: the same as of checkStep, and ErrMovedOn.
func (d *Duel) commit(side game.Side, n int, c chain.Hash, now time.Time) error {
	if err := d.checkStep(side, n); err != nil {
		return err
	}
	mine := &d.Hands[side.Index()]
	if mine.Committed {
		return ErrMovedOn
	}
	mine.Committed, mine.Commitment = true, c
	switch round := (chain.DuelRound{Hands: d.Hands}); {
	case !d.bothCommitted():
	case round.Equal():
		d.decide(now)
	default:
		d.Deadline = now.Add(d.stepTimeout())
		if d.Kind == Sparring {
			d.revealSparring(game.B)
		}
	}
	return nil
}

// committedBefore reports whether a side made the commitment c in an earlier round.
func (d *Duel) committedBefore(side game.Side, c chain.Hash) bool {
	return slices.ContainsFunc(d.Rounds, func(r chain.DuelRound) bool {
		h := r.Hands[side.Index()]
		return h.Committed && h.Commitment == c
	})
}

// Repeats reports whether a side has made the commitment c in more than one round: the other side may know
// the hand behind it.
func (d *Duel) Repeats(side game.Side, c chain.Hash) bool {
	return d.countHands(side, func(h *chain.DuelHand) bool { return h.Committed && h.Commitment == c }) > 1
}

// RepeatsSalt reports whether a side has revealed the salt in more than one round: the other side knows it
// and can try the three moves.
func (d *Duel) RepeatsSalt(side game.Side, salt string) bool {
	return d.countHands(side, func(h *chain.DuelHand) bool { return h.HasSalt && h.Salt == salt }) > 1
}

// countHands returns the number of a side's hands, the current round's included, for which is
// reports true.
func (d *Duel) countHands(side game.Side, is func(*chain.DuelHand) bool) (n int) {
	hands := []chain.DuelHand{d.Hands[side.Index()]}
	for i := range d.Rounds {
		hands = append(hands, d.Rounds[i].Hands[side.Index()])
	}
	for i := range hands {
		if is(&hands[i]) {
			n++
		}
	}
	return n
}

// revealSparring reveals the sparring bot's hand.
func (d *Duel) revealSparring(bot game.Side) {
	move, salt := d.drawHand(d.Code, d.round())
	h := &d.Hands[bot.Index()]
	h.HasMove, h.Move, h.HasSalt, h.Salt = true, move, true, salt
}

// reveal stores a side's hand. The second reveal decides the round. Without a round, the hand of an earlier
// round is a repeated call, unless the side has committed to it again; with one the call is for that round
// alone. So a side that names the round and shows the wrong hand learns of its mistake: told to read the duel
// again, it would do so until its deadline has passed. Errors: the same as of checkStep, ErrMovedOn, ErrNotYet
// before both have committed, ErrMismatch.
func (d *Duel) reveal(side game.Side, n int, shown Hand, now time.Time) error {
	if err := d.checkStep(side, n); err != nil {
		return err
	}
	mine, other := &d.Hands[side.Index()], &d.Hands[side.Other().Index()]
	c := chain.HashHand(shown.Move, shown.Salt)
	current := mine.Committed && mine.Commitment == c
	switch {
	case mine.HasMove || n == 0 && !current && d.committedBefore(side, c):
		return ErrMovedOn
	case n == 0 && !mine.Committed && len(d.Rounds) > 0:
		return ErrMovedOn // a reveal for the previous round
	case !d.bothCommitted():
		return ErrNotYet
	case !current:
		return ErrMismatch
	}
	mine.HasMove, mine.Move, mine.HasSalt, mine.Salt = true, shown.Move, true, shown.Salt
	if other.HasMove {
		d.decide(now)
	}
	return nil
}

// decide ends the current round by the steps that the sides have taken, and begins the next
// round or ends the duel.
func (d *Duel) decide(at time.Time) {
	round := chain.DuelRound{N: d.round(), Hands: d.Hands}
	round.Outcome, round.Forfeit = round.Judge()
	d.Rounds = append(d.Rounds, round)
	score := d.Score()
	if !score.Decided() {
		d.beginRound(at)
		return
	}
	d.Winner = score.Winner()
	d.end(Finished, at)
}

// resign gives up the duel: the side forfeits the current round and all that would follow, until
// the duel is over. The rounds have no hands, so a committed move stays hidden. Errors: the same
// as of checkStep.
func (d *Duel) resign(side game.Side, now time.Time) error {
	if err := d.checkStep(side, 0); err != nil {
		return err
	}
	score := d.Score()
	for !score.Decided() {
		d.Rounds = append(d.Rounds, chain.DuelRound{N: d.round(), Forfeit: side, Outcome: side.Other()})
		score.Add(side.Other(), side)
	}
	d.Winner = score.Winner()
	d.end(Finished, now)
	return nil
}

// Played reports whether a round was decided by two reveals.
func (d *Duel) Played() bool { return slices.ContainsFunc(d.Rounds, chain.DuelRound.Revealed) }

// end puts the duel into a final state. The hands of an undecided round are dropped and stay
// hidden. A finished duel without a round that two reveals decided is in no list, which duels that are
// resigned at once would fill; and a draw is not rated, because neither side has played.
func (d *Duel) end(s Status, at time.Time) {
	d.Status, d.EndedAt = s, &at
	d.Hands = [2]chain.DuelHand{}
	played := d.Played()
	d.Rated, d.Listed = d.Rated && (d.Winner != game.NoSide || played), d.Listed && (played || s != Finished)
}
