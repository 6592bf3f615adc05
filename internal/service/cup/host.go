package cup

import (
	"context"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/cupq"
)

// This file holds what the host of a cup may do. Each act loads the cup, checks that the caller is its host, and
// swaps the cup's row in the same transaction: a concurrent round, end or act of the host conflicts with it. Acts
// only change what Advance decides by, so the loop that moves cups on stays the one place where rounds begin. EndKey
// changes no cup, and only reads it.

const (
	// MaxHosted is how many unfinished cups an account may have opened.
	MaxHosted = 6
	// MaxPause is how long after its start a cup can be paused, and all pauses end: players of a paused cup are in no
	// other one, and verifiers forget its seed.
	MaxPause = 24 * time.Hour
	// Call is the time from the host's start of a cup for bots to its first round, and from the end of a pause to the
	// next one, so that bots finish the ranked duels that they play.
	Call = 15 * time.Second
)

// HostedBy returns the unfinished cups that an account has opened, newest first.
func (s *Service) HostedBy(ctx context.Context, tx *store.Tx, host chain.Address) ([]*Cup, error) {
	rows, err := q.New(tx).HostCups(ctx, host[:])
	list := make([]*Cup, len(rows))
	for i := range rows {
		list[i] = fromRow(&rows[i])
	}
	return list, wrap("hosted", err)
}

// Start starts an open cup before its time, or one by hand. Errors: ErrNotFound, ErrNotHost, ErrState, ErrFew,
// ledger.ErrConflict.
func (s *Service) Start(ctx context.Context, tx *store.Tx, host chain.Address, number int64) (*Cup, error) {
	return s.act(ctx, tx, host, number, func(c *Cup) error { return c.startNow(tx.Now()) })
}

// Pause keeps the next round of a running cup from beginning, until MaxPause after its start. Games in progress go on.
// Errors: ErrNotFound, ErrNotHost, ErrState, ledger.ErrConflict.
func (s *Service) Pause(ctx context.Context, tx *store.Tx, host chain.Address, number int64) (*Cup, error) {
	return s.act(ctx, tx, host, number, func(c *Cup) error { return c.pause(tx.Now()) })
}

// Resume ends a pause: the next round begins as soon as no game goes on, of bots after Call. Errors: ErrNotFound,
// ErrNotHost, ErrState, ledger.ErrConflict.
func (s *Service) Resume(ctx context.Context, tx *store.Tx, host chain.Address, number int64) (*Cup, error) {
	return s.act(ctx, tx, host, number, func(c *Cup) error { return c.resume(tx.Now()) })
}

// End cancels an open cup, and makes the current round of a running one its last. Errors: ErrNotFound, ErrNotHost,
// ErrState, ledger.ErrConflict.
func (s *Service) End(ctx context.Context, tx *store.Tx, host chain.Address, number int64) (*Cup, error) {
	c, err := s.hosted(ctx, tx, host, number)
	if err != nil {
		return nil, err
	}
	if c.Status == Open {
		if err := s.end(ctx, tx, c, Cancelled); err != nil {
			return nil, err
		}
		return s.Get(ctx, tx, number)
	}
	c.Rounds, c.pausedUntil = c.Round, nil
	return s.hostChanged(ctx, tx, c)
}

// Remove takes a player out of a cup: before the start for good, later from the next round on. Errors: ErrNotFound,
// ErrNotHost, ErrState, ErrNotIn, ledger.ErrConflict.
func (s *Service) Remove(ctx context.Context, tx *store.Tx, host, player chain.Address, number int64) (*Cup, error) {
	c, err := s.hosted(ctx, tx, host, number)
	if err != nil {
		return nil, err
	}
	players, err := s.Players(ctx, tx, number)
	if err != nil {
		return nil, err
	}
	// The swap of the row protects the cup's status, by which Leave decides, until the commit.
	if _, err := s.hostChanged(ctx, tx, c); err != nil {
		return nil, err
	}
	for _, p := range players {
		if p.Address != player || c.Status != Open || p.party() == host {
			continue
		}
		party := p.party()
		if err := q.New(tx).InsertRemoved(ctx, q.InsertRemovedParams{Cup: number, Account: party[:]}); err != nil {
			return nil, wrap("remove", err)
		}
	}
	return s.Leave(ctx, tx, player, number)
}

// EndKey ends the key of a bot in an open cup of a host, so that its owner fetches a fresh one, which the host never
// sees. Only a bot whose side has chosen the host may lose its key so: the cup is private, and the bot has entered with
// the host's code, or the service is a class's. The owner receives an event. The cup's row is only read: a start at the
// same time comes before this use case or after it. Errors: ErrNotFound, ErrNotHost, ErrState, ErrNotIn.
func (s *Service) EndKey(ctx context.Context, tx *store.Tx, host, bot chain.Address, number int64) (*Cup, error) {
	c, err := s.hosted(ctx, tx, host, number)
	if err != nil {
		return nil, err
	}
	if c.Status != Open || !c.Private() && !s.Class {
		return nil, ErrState
	}
	players, err := s.Players(ctx, tx, number)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(players, func(p Player) bool { return p.Address == bot && p.Owner != nil })
	if i < 0 {
		return nil, ErrNotIn
	}
	ended, err := s.Keys.EndBotKey(ctx, tx, bot)
	if err != nil || !ended {
		return c, wrap("end a key", err)
	}
	return c, s.Events.Post(ctx, tx, event.Event{Topic: event.Account(*players[i].Owner), Kind: event.KeyEnded,
		Body: keyEnded{Bot: bot.String(), Cup: number}})
}

// keyEnded is the body of the event of a bot's key that a host has ended.
type keyEnded struct {
	Bot string `json:"bot"`
	Cup int64  `json:"cup"`
}

// Abandon lets the unfinished cups of an account that is deleted or frozen go on without a host: open ones are
// cancelled, running ones play their rounds, and wait for no host. Errors: ledger.ErrConflict.
func (s *Service) Abandon(ctx context.Context, tx *store.Tx, host chain.Address) error {
	list, err := s.HostedBy(ctx, tx, host)
	for i := 0; err == nil && i < len(list); i++ {
		switch c := list[i]; {
		case c.Status == Open:
			err = s.end(ctx, tx, c, Cancelled)
		case c.Paused(tx.Now()):
			_, err = s.Resume(ctx, tx, host, c.Number)
		}
	}
	return err
}

// act runs an act of a host that only changes the cup's row.
func (s *Service) act(
	ctx context.Context, tx *store.Tx, host chain.Address, number int64, change func(c *Cup) error,
) (*Cup, error) {
	c, err := s.hosted(ctx, tx, host, number)
	if err != nil {
		return nil, err
	}
	if err := change(c); err != nil {
		return nil, err
	}
	return s.hostChanged(ctx, tx, c)
}

// hosted returns an unfinished cup of a host. Errors: ErrNotFound, ErrNotHost, ErrState.
func (s *Service) hosted(ctx context.Context, tx *store.Tx, host chain.Address, number int64) (*Cup, error) {
	c, err := s.Get(ctx, tx, number)
	switch {
	case err != nil:
		return nil, err
	case c.Creator == nil || *c.Creator != host:
		return nil, ErrNotHost
	case c.EndedAt != nil:
		return nil, ErrState
	}
	return c, nil
}

// hostChanged stores what a host has decided. A crash before the commit leaves the cup as it was, after it Advance
// goes by the new row. Errors: ledger.ErrConflict.
func (s *Service) hostChanged(ctx context.Context, tx *store.Tx, c *Cup) (*Cup, error) {
	err := ledger.OneRow(q.New(tx).HostCup(ctx, q.HostCupParams{ID: c.Number, Version: c.version, Rounds: c.Rounds,
		StartsAt: c.StartsAt.UnixMilli(), ByHand: column.Bool(c.ByHand), PausedUntil: column.Millis(c.pausedUntil)}))
	if err != nil {
		return nil, err
	}
	return s.changed(ctx, tx, c.Number, event.CupChanged)
}
