package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/duelq"
)

// Limits of challenges, which reach their player without being asked for: an account says whose it takes, each
// challenges another rarely, either may block the other, and strangers, which it has not met, have a part of
// its places.
const (
	// ChallengeWithin is how long after their last duel two people have met.
	ChallengeWithin = 30 * 24 * time.Hour
	// MaxChallenges is the maximum number of open challenges of an account.
	MaxChallenges = 5
	// MaxWaiting is the maximum number of open challenges that wait for an account.
	MaxWaiting = 20
	// MaxNear is how many of those may come from one address or /64: others find a place.
	MaxNear = 5
	// MaxAround is how many of those may come from one /48.
	MaxAround = 10
	// ChallengePause is the time between two challenges of an account to the same opponent.
	ChallengePause = 10 * time.Minute

	// MaxStrange is how many open challenges may wait for an account so that a stranger to it finds a place:
	// strangers leave half of the places to others.
	MaxStrange = MaxWaiting / 2
	// MaxLately is how many accounts may have challenged an account within LatelyWithin so that a stranger to it
	// may, too. Challenges that were cancelled count.
	MaxLately = 40
	// MaxLatelyNear is how many of those may have called from one address or /64, and MaxLatelyAround from one /48.
	MaxLatelyNear   = 10
	MaxLatelyAround = 20
	// LatelyWithin is the time in which they count.
	LatelyWithin = time.Hour
)

// Errors of opponents and challenges.
var (
	ErrNoOpponent  = errors.New("duel: the account has not played this opponent, nor been challenged by it lately")
	ErrNoChallenge = errors.New("duel: the opponent takes no challenge of the account")
	ErrQuiet       = errors.New("duel: the opponent has quiet hours")
	ErrChallenges  = errors.New("duel: too many challenges")
)

// Opponent is a person that an account has played, or a player that it blocks, with the results from the account's
// side.
type Opponent struct {
	Address             chain.Address
	Username            string // its present name
	Wins, Losses, Draws int64
	PlayedAt            time.Time // the end of the last duel; the zero time for none
	Blocked             bool      // the account takes no challenges of the opponent
}

// challenge is what a challenge is decided by.
type challenge struct {
	own      bool      // it is for the account itself
	setting  Setting   // of the opponent
	playedAt time.Time // the end of the last duel with the opponent; the zero time for none
	blocked  bool      // the opponent takes no challenges of the account
	open     int64     // number of the account's open challenges
	between  int64     // number of open challenges from one of the two to the other
	waiting  int64     // number of challenges that wait for the opponent
	near     int64     // number of them from the caller's address or /64
	around   int64     // number of them from the caller's /48
	lately   [3]int64  // accounts that have challenged the opponent within LatelyWithin: all, near, around
}

// mayChallenge returns nil if the account may challenge the opponent. Errors: ErrNoChallenge, ErrQuiet,
// ErrChallenges.
func (c *challenge) mayChallenge(now time.Time) error {
	met := now.Sub(c.playedAt) <= ChallengeWithin
	switch {
	case c.own || c.blocked || c.setting.Takes == TakesNone || c.setting.Takes != TakesAll && !met:
		return ErrNoChallenge
	case c.waiting >= MaxWaiting || c.near >= MaxNear || c.around >= MaxAround:
		return ErrNoChallenge
	case !met && !c.takesStranger():
		return ErrNoChallenge
	case c.setting.QuietAt(now):
		return ErrQuiet
	case c.between > 0 || c.open >= MaxChallenges:
		return ErrChallenges
	}
	return nil
}

// takesStranger reports whether the opponent has a place for an account that it has not met. A thousand accounts in
// turn, which open and cancel challenges, do not disturb it more often than one network and all may.
func (c *challenge) takesStranger() bool {
	return c.waiting < MaxStrange && c.lately[0] < MaxLately && c.lately[1] < MaxLatelyNear &&
		c.lately[2] < MaxLatelyAround
}

// loadChallenge loads what a challenge is decided by.
func (s *Service) loadChallenge(
	ctx context.Context, tx *store.Tx, account chain.Address, opponent Player,
) (*challenge, error) {
	c := &challenge{own: account == opponent.Address}
	// The opponent's row holds whether it takes challenges.
	row, err := q.New(tx).GetChallenged(ctx, q.GetChallengedParams{Account: opponent.Address[:], Opponent: account[:]})
	if err != nil {
		return nil, fmt.Errorf("duel: challenge of %v by %v: %w", opponent.Address, account, err)
	}
	c.setting = settingOf(row.Takes, row.QuietFrom, row.QuietTo, opponent.Kind)
	if row.PlayedAt != nil {
		c.playedAt = column.TimeOrZero(*row.PlayedAt)
	}
	c.blocked = row.Blocked != nil && *row.Blocked != 0
	p := q.CountChallengesParams{Account: account[:], Opponent: opponent.Address[:],
		Since: tx.Now().Add(-LatelyWithin).UnixMilli()}
	for i, level := range fairshare.From(ctx, fairshare.Days(tx.Now())).Levels() {
		*[...]*[]byte{&p.Narrow, &p.Wide}[i] = []byte(level[0])
	}
	n, err := q.New(tx).CountChallenges(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("duel: challenges of %v: %w", account, err)
	}
	c.open, c.between, c.waiting, c.near, c.around = n.Mine, n.Paired, n.Waiting, n.Near, n.Around
	c.lately = [...]int64{n.Lately, n.LatelyNear, n.LatelyAround}
	return c, nil
}

// holdInvited keeps the account of a challenge's opponent. Errors: ErrNoChallenge if it was deleted or frozen.
func (s *Service) holdInvited(ctx context.Context, tx *store.Tx, opponent chain.Address) error {
	if s.HoldOpponent == nil {
		return nil
	}
	err := s.HoldOpponent(ctx, tx, opponent)
	if errors.Is(err, ErrNoRematch) {
		return ErrNoChallenge
	}
	return err
}

// noteChallenge stores the time and the network of a challenge, by which the next one of the same opponent has to
// wait. Errors: ErrChallenges.
func noteChallenge(ctx context.Context, tx *store.Tx, account, opponent chain.Address) error {
	now := tx.Now()
	n, err := q.New(tx).NoteChallenge(ctx, q.NoteChallengeParams{
		Account: account[:], Opponent: opponent[:], At: now.UnixMilli(),
		Network: fairshare.From(ctx, fairshare.Days(now)), Latest: now.Add(-ChallengePause).UnixMilli()})
	if err != nil {
		return fmt.Errorf("duel: challenge of %v by %v: %w", opponent, account, err)
	}
	if n == 0 {
		return ErrChallenges
	}
	return nil
}

// addMeeting adds the result of a finished duel between people to the opponents of both, unless their account was
// deleted. A duel that neither has played gives no right to challenge.
func addMeeting(ctx context.Context, tx *store.Tx, d *Duel) error {
	if d.A.Kind == chain.Bot || d.B.Kind == chain.Bot || !d.Played() {
		return nil
	}
	// In the order of the addresses, so that two duels of a pair that end concurrently do not wait for each other.
	first, _ := ordered(d.A.Address, d.B.Address)
	side := d.Side(first)
	for _, side := range [...]game.Side{side, side.Other()} {
		account, opponent := d.player(side).Address, d.player(side.Other()).Address
		p := q.AddMeetingParams{Account: account[:], Opponent: opponent[:], PlayedAt: d.EndedAt.UnixMilli()}
		switch d.Winner {
		case side:
			p.Wins = 1
		case side.Other():
			p.Losses = 1
		default:
			p.Draws = 1
		}
		if err := writes(tx).AddMeeting(ctx, p); err != nil {
			return fmt.Errorf("duel: opponents of %s: %w", d.Code, err)
		}
	}
	return nil
}

// Opponents returns at most count people that an account has played, the last played first, and players that it
// blocks, without deleted accounts.
func (s *Service) Opponents(
	ctx context.Context, tx *store.Tx, account chain.Address, count int64,
) ([]Opponent, error) {
	rows, err := q.New(tx).ListOpponents(ctx, q.ListOpponentsParams{Account: account[:], Count: count})
	if err != nil {
		return nil, fmt.Errorf("duel: opponents of %v: %w", account, err)
	}
	list := make([]Opponent, len(rows))
	for i, r := range rows {
		list[i] = Opponent{
			Address: chain.Address(r.Opponent), Username: r.Username, Wins: r.Wins, Losses: r.Losses, Draws: r.Draws,
			PlayedAt: column.TimeOrZero(r.PlayedAt), Blocked: r.Blocked != 0,
		}
	}
	return list, nil
}

// Block sets whether an account takes challenges of an opponent that it has played, or that has challenged it within
// two days. Blocking declines an open one. Errors: ErrNoOpponent.
func (s *Service) Block(ctx context.Context, tx *store.Tx, account, opponent chain.Address, blocked bool) error {
	n, err := q.New(tx).BlockOpponent(ctx, q.BlockOpponentParams{
		Account: account[:], Opponent: opponent[:], Blocked: column.Bool(blocked)})
	if err != nil {
		return fmt.Errorf("duel: block %v: %w", opponent, err)
	}
	if n == 0 {
		return ErrNoOpponent
	}
	if !blocked {
		return nil
	}
	return s.decline(ctx, tx, account, func(d *Duel) bool { return d.A.Address == opponent })
}

// decline declines the open challenges of an account for which is reports true.
func (s *Service) decline(ctx context.Context, tx *store.Tx, account chain.Address, is func(*Duel) bool) error {
	list, err := s.List(ctx, tx, Filter{For: account, Before: chain.MaxID, Count: MaxWaiting})
	if err != nil {
		return err
	}
	for _, d := range list { // at most MaxWaiting
		if d.Status != Open || !is(d) { // if its time has passed, the sweep ends it
			continue
		}
		if _, err := s.Cancel(ctx, tx, account, d.Code); err != nil {
			return fmt.Errorf("duel: decline %s for %v: %w", d.Code, account, err)
		}
	}
	return nil
}

// Forget deletes the opponents of an account that is being deleted, the challenges of it and by it, and what it has
// chosen about them. Its opponents keep their results.
func (s *Service) Forget(ctx context.Context, tx *store.Tx, account chain.Address) error {
	queries := q.New(tx)
	for _, forget := range []func(context.Context, []byte) error{
		queries.DropOpponents, queries.ForgetChallenges, queries.ForgetSetting,
	} {
		if err := forget(ctx, account[:]); err != nil {
			return fmt.Errorf("duel: delete the opponents of %v: %w", account, err)
		}
	}
	return nil
}

// EmoteTime is how long after the end of a duel its sides may send emotes.
const EmoteTime = 15 * time.Minute

// mayEmote returns nil if a side may send an emote. Errors: ErrForbidden, ErrNotYet, ErrClosed.
func (d *Duel) mayEmote(side game.Side, now time.Time) error {
	switch {
	case side == game.NoSide:
		return ErrForbidden
	case d.Status == Open:
		return ErrNotYet
	case d.Status != Active && (d.Status != Finished || now.Sub(*d.EndedAt) > EmoteTime):
		return ErrClosed
	}
	return nil
}

// emoteBody is the body of an emote's event.
type emoteBody struct {
	Code  string `json:"code"`
	Side  string `json:"side"`
	Emote string `json:"emote"`
}

// Emote publishes an emote of the caller to both sides of a duel. It is stored as the event alone. Errors:
// ErrNotFound, ErrForbidden, ErrNotYet, ErrClosed.
func (s *Service) Emote(ctx context.Context, tx *store.Tx, caller chain.Address, code, emote string) error {
	d, _, err := s.Get(ctx, tx, code)
	if err != nil {
		return err
	}
	side := d.Side(caller)
	if err := d.mayEmote(side, tx.Now()); err != nil {
		return err
	}
	body := emoteBody{Code: d.Code, Side: side.String(), Emote: emote}
	for _, p := range []Player{d.A, d.B} {
		if p.SparringBot() {
			continue
		}
		err := s.Events.Post(ctx, tx, event.Event{Topic: event.Account(p.Address), Kind: event.Emote, Body: body})
		if err != nil {
			return err
		}
	}
	return nil
}
