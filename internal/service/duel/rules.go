package duel

import (
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/game"
)

// The rules: what becomes of a duel. An action changes the duel it is called on, or
// returns an error and leaves it as it was. Before any action, elapse brings the duel to
// the time of the action; nothing here touches a database.

// elapse applies the deadlines that have passed by now, each as of itself, and says
// whether anything changed. It comes to the same however often and whenever it is called
// on the way to now; when now goes back, nothing happens.
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

// start begins the play against b.
func (d *Duel) start(b Player, rated bool, now time.Time) {
	d.Status, d.B, d.Rated, d.StartedAt = Active, b, rated, &now
	d.begin(now)
}

// joinable returns why p cannot join the duel, if so.
func (d *Duel) joinable(p Player) error {
	switch {
	case d.A.Address == p.Address:
		return ErrOwn
	case d.B.Address != chain.Address{}:
		return ErrFull
	case d.Status != Open:
		return ErrClosed
	}
	return nil
}

// cancel takes an open duel back.
func (d *Duel) cancel(by game.Side, now time.Time) error {
	switch {
	case by != game.A:
		return ErrForbidden
	case d.Status == Active:
		return ErrFull
	case d.Status != Open:
		return ErrClosed
	}
	d.end(Cancelled, now)
	return nil
}

// begin begins the next round. The sparring bot commits at once: its hand is fixed
// before its opponent's.
func (d *Duel) begin(at time.Time) {
	d.Hands = [2]chain.DuelHand{}
	if d.Kind == Sparring {
		move, salt := d.deal(d.Code, d.round())
		d.Hands[1] = chain.DuelHand{Committed: true, Commitment: chain.HashHand(move, salt)}
	}
	d.Deadline = at.Add(d.patience())
}

// round returns the number of the round that is played.
func (d *Duel) round() int { return len(d.Rounds) + 1 }

// both says whether both sides have committed.
func (d *Duel) both() bool { return d.Hands[0].Committed && d.Hands[1].Committed }

// playing returns why side cannot take a step of round n (0 is whichever is played), if so.
func (d *Duel) playing(side game.Side, n int) error {
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

// commit binds a side to a hand. A commitment that the side has made in this duel before
// is a call that was repeated, and binds to nothing: by now the other side may know what
// is behind it.
func (d *Duel) commit(side game.Side, n int, c chain.Hash, now time.Time) error {
	if err := d.playing(side, n); err != nil {
		return err
	}
	mine, other := &d.Hands[side.Index()], &d.Hands[side.Other().Index()]
	switch {
	case mine.Committed || d.committedBefore(side, c):
		return ErrMovedOn
	case other.Committed && other.Commitment == c || d.committedBefore(side.Other(), c):
		return ErrCopied
	}
	mine.Committed, mine.Commitment = true, c
	if d.both() {
		d.Deadline = now.Add(d.patience())
		if d.Kind == Sparring {
			d.show(game.B)
		}
	}
	return nil
}

// committedBefore says whether a side has made a commitment in an earlier round.
func (d *Duel) committedBefore(side game.Side, c chain.Hash) bool {
	return slices.ContainsFunc(d.Rounds, func(r chain.DuelRound) bool {
		h := r.Hands[side.Index()]
		return h.Committed && h.Commitment == c
	})
}

// show reveals the sparring bot's hand.
func (d *Duel) show(bot game.Side) {
	move, salt := d.deal(d.Code, d.round())
	h := &d.Hands[bot.Index()]
	h.HasMove, h.Move, h.HasSalt, h.Salt = true, move, true, salt
}

// reveal shows a side's hand. The second reveal decides the round.
func (d *Duel) reveal(side game.Side, n int, shown Hand, now time.Time) error {
	if err := d.playing(side, n); err != nil {
		return err
	}
	mine, other := &d.Hands[side.Index()], &d.Hands[side.Other().Index()]
	c := chain.HashHand(shown.Move, shown.Salt)
	switch {
	case mine.HasMove || d.committedBefore(side, c):
		return ErrMovedOn
	case !mine.Committed && len(d.Rounds) > 0:
		return ErrMovedOn // from the round before
	case !d.both():
		return ErrNotYet
	case mine.Commitment != c:
		return ErrMismatch
	}
	mine.HasMove, mine.Move, mine.HasSalt, mine.Salt = true, shown.Move, true, shown.Salt
	if other.HasMove {
		d.decide(now)
	}
	return nil
}

// decide ends the round with what the sides have done, and begins the next one or ends
// the duel.
func (d *Duel) decide(at time.Time) {
	outcome, forfeit := game.Judge(d.Hands[0].Hand(), d.Hands[1].Hand())
	d.Rounds = append(d.Rounds, chain.DuelRound{N: d.round(), Hands: d.Hands, Forfeit: forfeit, Outcome: outcome})
	score := d.Score()
	if !score.Decided() {
		d.begin(at)
		return
	}
	d.Winner = score.Winner()
	d.end(Finished, at)
}

// end ends the duel. What was committed to in a round that nobody decided stays hidden
// for ever.
func (d *Duel) end(s Status, at time.Time) {
	d.Status, d.EndedAt = s, &at
	d.Hands = [2]chain.DuelHand{}
}
