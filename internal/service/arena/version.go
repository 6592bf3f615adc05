package arena

import (
	"context"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/arenaq"
)

// A bot's owner names the version of its program, and the history of the rating names the version that played. A
// version is kept with the number of rated duels before it, so that no duel needs to name its own. A duel counts for
// the version at its end.

// MaxVersions is how many versions of a bot are kept. Duels of older ones name none.
const MaxVersions = 100

// Version is a version of a bot.
type Version struct {
	Name      string // "" while the owner named none
	Since     time.Time
	Games     int64 // entries of the rating's history in its time
	Rating    int64 // after the last of them, in millionths of a point, as Deviation; 0 without one
	Deviation int64
}

// SetVersion stores that a bot plays its next rated duels as a version. A version that has played none is replaced.
// Only the newest MaxVersions are kept: each costs its owner a rated duel, and so few cannot store other things.
func (s *Service) SetVersion(ctx context.Context, tx *store.Tx, bot chain.Address, version string) error {
	queries := q.New(tx)
	now, err := queries.NewestVersion(ctx, bot[:])
	if err != nil {
		return wrap("newest version", err)
	}
	if now.Version == version {
		return nil
	}
	err = queries.SetVersion(ctx, q.SetVersionParams{
		Address: bot[:], AfterGame: now.Games, Version: version, Since: tx.Now().UnixMilli()})
	if err != nil {
		return wrap("version", err)
	}
	return wrap("old versions", queries.DropOldVersions(ctx, q.DropOldVersionsParams{Address: bot[:], Keep: MaxVersions}))
}

// Versions returns the kept versions of a bot, the newest first; none while an operator hides the bot's words.
func (s *Service) Versions(ctx context.Context, tx *store.Tx, bot chain.Address) ([]Version, error) {
	rows, err := q.New(tx).ListVersions(ctx, bot[:])
	if err != nil {
		return nil, wrap("versions", err)
	}
	list := make([]Version, len(rows))
	for i, r := range rows {
		list[i] = Version{Name: r.Version, Since: column.Time(r.Since)}
		if r.GameNo != nil && *r.GameNo > r.AfterGame {
			list[i].Games, list[i].Rating, list[i].Deviation = *r.GameNo-r.AfterGame, *r.Rating, *r.Deviation
		}
	}
	return list, nil
}
