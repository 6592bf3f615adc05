package app

import (
	"context"
	"errors"
	"time"

	"roshambo/chain"
	"roshambo/internal/app/housebot"
	"roshambo/internal/service/account"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// cupDuels implements cup.Duels with package duel.
type cupDuels struct{ *duel.Service }

// StartCup begins a game of a cup, and returns its code.
func (c cupDuels) StartCup(
	ctx context.Context, tx *store.Tx, sides [2]cup.Player, step time.Duration, listed bool,
) (string, error) {
	side := func(p cup.Player) duel.Player {
		return duel.Player{Address: p.Address, Username: p.Username, Kind: p.Kind}
	}
	d, err := c.Service.StartCup(ctx, tx, [2]duel.Player{side(sides[0]), side(sides[1])}, step, listed)
	if err != nil {
		return "", err
	}
	return d.Code, nil
}

// cupSeats implements arena.Cups with package cup.
type cupSeats struct{ s *Service }

// CupDuel returns a bot's game in a cup.
func (c cupSeats) CupDuel(ctx context.Context, tx *store.Tx, bot chain.Address) (code string, held bool, err error) {
	seat, err := c.s.Cups.SeatOf(ctx, tx, bot)
	return seat.Duel, seat.Held, err
}

// cupRecorder implements duel.Listener: it reports the results of games to the cups.
type cupRecorder struct{ s *Service }

// DuelFinished records the result of a game of a cup.
func (r cupRecorder) DuelFinished(ctx context.Context, tx *store.Tx, d *duel.Duel) error {
	if d.Kind != duel.Cup {
		return nil
	}
	result := cup.Result{Duel: d.Code, A: d.A.Address, B: d.B.Address, Absent: chain.Absent(d.Rounds), Played: d.Played(),
		At: *d.EndedAt}
	if w := d.Winner.String(); w == "a" || w == "b" {
		result.Winner = w
	}
	return r.s.Cups.DuelFinished(ctx, tx, result)
}

// wireCups builds the cups.
func (s *Service) wireCups() {
	s.Cups = &cup.Service{DB: s.DB, Ledger: s.Ledger, Events: s.Events, Duels: cupDuels{s.Duels},
		Listener: scoreReporter{s}, Keys: s.Accounts, Class: s.config.Class}
	if s.config.HouseBots {
		s.Cups.House, s.Cups.Stir = s.houseAddresses, s.attention.look
	}
}

// houseAddresses returns the house's bots that have an account.
func (s *Service) houseAddresses(ctx context.Context, tx *store.Tx) (list []chain.Address, err error) {
	for _, b := range housebot.Bots(account.HousePrefix) {
		a, err := s.Accounts.ByName(ctx, tx, b.Name)
		if errors.Is(err, account.ErrNotFound) { // the bots have not played yet
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, a.Address)
	}
	return list, nil
}
