package duel

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// Takes says whose challenges an account takes.
type Takes string

// Whose challenges an account takes.
const (
	TakesNone Takes = "none"
	TakesMet  Takes = "met" // of people that it has played within ChallengeWithin
	TakesAll  Takes = "all"
)

// DefaultTakes returns whose challenges an account takes that has not chosen: a bot takes none, because its program
// may know nothing of challenges.
func DefaultTakes(kind chain.AccountKind) Takes {
	if kind == chain.Bot {
		return TakesNone
	}
	return TakesMet
}

// Hours are the quiet hours of each day, in minutes after midnight UTC: from From until To, over midnight when To is
// lower. Equal ones are none.
type Hours struct{ From, To int64 }

// contain reports whether a time is in the hours.
func (h Hours) contain(at time.Time) bool {
	at = at.UTC()
	minute := int64(at.Hour()*60 + at.Minute())
	if h.From <= h.To {
		return h.From <= minute && minute < h.To
	}
	return h.From <= minute || minute < h.To
}

// Setting is what an account has chosen about challenges of it.
type Setting struct {
	Takes Takes
	Quiet Hours // in which it takes none
}

// QuietAt reports whether a time is in the quiet hours.
func (s Setting) QuietAt(at time.Time) bool { return s.Quiet.contain(at) }

// settingOf returns the setting of a row, whose columns are nil without one, for an account of a kind.
func settingOf(takes *string, from, to *int64, kind chain.AccountKind) Setting {
	s := Setting{Takes: DefaultTakes(kind)}
	if takes != nil {
		s.Takes = Takes(*takes)
	}
	if from != nil && to != nil {
		s.Quiet = Hours{*from, *to}
	}
	return s
}

// Setting returns what an account of a kind has chosen about challenges, or the default.
func (s *Service) Setting(
	ctx context.Context, tx *store.Tx, account chain.Address, kind chain.AccountKind,
) (Setting, error) {
	row, err := q.New(tx).GetSetting(ctx, account[:])
	if err != nil {
		return settingOf(nil, nil, nil, kind), store.Absent(err, nil, "duel: setting of %v", account)
	}
	return settingOf(&row.Takes, row.QuietFrom, row.QuietTo, kind), nil
}

// minutesOfDay is the length of a day in minutes.
const minutesOfDay = 24 * 60

// SetSetting stores what an account has chosen about challenges. Those that wait for it stay.
func (s *Service) SetSetting(ctx context.Context, tx *store.Tx, account chain.Address, to Setting) error {
	p := q.SetSettingParams{Account: account[:], Takes: string(to.Takes)}
	if h := to.Quiet; h.From != h.To {
		if min(h.From, h.To) < 0 || max(h.From, h.To) >= minutesOfDay {
			panic("duel: quiet hours outside of a day")
		}
		p.QuietFrom, p.QuietTo = &h.From, &h.To
	}
	if err := q.New(tx).SetSetting(ctx, p); err != nil {
		return fmt.Errorf("duel: setting of %v: %w", account, err)
	}
	return nil
}
