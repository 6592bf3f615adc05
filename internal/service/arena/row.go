package arena

import (
	"time"

	"roshambo/chain"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/arenaq"
)

// This file converts rows into the types of this package.

// newWaiter returns the waiting bot of a row.
func newWaiter(r q.ListWaitingRow) *waiter {
	w := &waiter{
		address: chain.Address(r.Address), owner: column.OptionalAddress(r.Owner), rating: r.Rating,
		last: column.OptionalAddress(r.LastOpponent), version: r.Version, network: string(r.Network),
		charged: r.Charged,
	}
	if r.Since != nil {
		w.since = time.UnixMilli(*r.Since)
	}
	return w
}

// fromTop returns the player of a row with a rating.
func fromTop(r q.TopRow) Player {
	return Player{
		Address: chain.Address(r.Address), Kind: chain.AccountKind(r.Kind), Username: r.Username, Owner: deref(r.Owner),
		Version: r.Version, CreatedAt: column.Time(r.CreatedAt),
		Record: &Record{
			Rating: glicko.Fixed{Rating: r.Rating, Deviation: r.Deviation, Volatility: r.Volatility},
			Games:  r.Wins + r.Losses + r.Draws, Wins: r.Wins, Losses: r.Losses, Draws: r.Draws,
			Rivals: r.Rivals, Standing: r.Standing,
			Peak: r.Peak, PeakAt: column.OptionalTime(r.PeakAt), LastPlayed: column.Time(r.LastPlayed),
		},
	}
}

// fromStanding returns the player of a row that may have no rating.
func fromStanding(r q.GetStandingRow) Player {
	if r.Rating == nil {
		return Player{
			Address: chain.Address(r.Address), Kind: chain.AccountKind(r.Kind), Username: r.Username, Owner: deref(r.Owner),
			Version: r.Version, CreatedAt: column.Time(r.CreatedAt),
		}
	}
	return fromTop(q.TopRow{
		Address: r.Address, Kind: r.Kind, Username: r.Username, Owner: r.Owner, CreatedAt: r.CreatedAt,
		Version: r.Version,
		Rating:  *r.Rating, Deviation: *r.Deviation, Volatility: *r.Volatility, Games: *r.Games, Wins: *r.Wins,
		Losses: *r.Losses, Draws: *r.Draws, Rivals: *r.Rivals, Standing: *r.Standing, Peak: r.Peak, PeakAt: r.PeakAt,
		LastPlayed: *r.LastPlayed,
	})
}

// deref returns *s, "" for nil.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
