package duel

import (
	"errors"
	"testing"
	"time"

	"roshambo/game"
)

// TestMayChallenge checks each limit of challenges at its bound.
func TestMayChallenge(t *testing.T) {
	t.Parallel()
	met, all, none := Setting{Takes: TakesMet}, Setting{Takes: TakesAll}, Setting{Takes: TakesNone}
	quiet := Setting{Takes: TakesAll, Quiet: Hours{12 * 60, 13 * 60}}
	for name, c := range map[string]struct {
		challenge challenge
		want      error
	}{
		"the last allowed": {challenge{setting: met,
			playedAt: noon.Add(-ChallengeWithin), open: MaxChallenges - 1, waiting: MaxWaiting - 1,
			near: MaxNear - 1, around: MaxAround - 1,
			lately: [3]int64{MaxLately, MaxLatelyNear, MaxLatelyAround}}, nil},
		"never played":       {challenge{setting: met}, ErrNoChallenge},
		"played long ago":    {challenge{setting: met, playedAt: noon.Add(-ChallengeWithin - 1)}, ErrNoChallenge},
		"blocked":            {challenge{setting: met, playedAt: noon, blocked: true}, ErrNoChallenge},
		"too many wait":      {challenge{setting: met, playedAt: noon, waiting: MaxWaiting}, ErrNoChallenge},
		"too many near":      {challenge{setting: met, playedAt: noon, near: MaxNear}, ErrNoChallenge},
		"too many around":    {challenge{setting: met, playedAt: noon, around: MaxAround}, ErrNoChallenge},
		"another is open":    {challenge{setting: met, playedAt: noon, between: 1}, ErrChallenges},
		"too many are open":  {challenge{setting: met, playedAt: noon, open: MaxChallenges}, ErrChallenges},
		"blocked before all": {challenge{setting: met, playedAt: noon, blocked: true, between: 1}, ErrNoChallenge},

		"the last stranger": {challenge{setting: all, open: MaxChallenges - 1, waiting: MaxStrange - 1,
			near: MaxNear - 1, around: MaxAround - 1,
			lately: [3]int64{MaxLately - 1, MaxLatelyNear - 1, MaxLatelyAround - 1}}, nil},
		"a stranger who is blocked":       {challenge{setting: all, blocked: true}, ErrNoChallenge},
		"half of the places":              {challenge{setting: all, waiting: MaxStrange}, ErrNoChallenge},
		"the other half":                  {challenge{setting: all, playedAt: noon, waiting: MaxStrange}, nil},
		"too many lately":                 {challenge{setting: all, lately: [3]int64{MaxLately, 0, 0}}, ErrNoChallenge},
		"too many lately near":            {challenge{setting: all, lately: [3]int64{1, MaxLatelyNear, 0}}, ErrNoChallenge},
		"too many lately around":          {challenge{setting: all, lately: [3]int64{1, 0, MaxLatelyAround}}, ErrNoChallenge},
		"no challenges":                   {challenge{setting: none, playedAt: noon}, ErrNoChallenge},
		"the account itself":              {challenge{setting: all, own: true}, ErrNoChallenge},
		"quiet hours":                     {challenge{setting: quiet}, ErrQuiet},
		"quiet hours, for an opponent":    {challenge{setting: quiet, playedAt: noon}, ErrQuiet},
		"quiet hours, for one who is not": {challenge{setting: quiet, blocked: true}, ErrNoChallenge},
	} {
		if err := c.challenge.mayChallenge(noon); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		by := creator{challenge: &c.challenge}
		if err := by.mayCreate(Terms{Unlisted: true, Invited: bob}, noon); !errors.Is(err, c.want) {
			t.Errorf("%s: creates with %v, want %v", name, err, c.want)
		}
	}
}

// TestMayEmote checks when a side may send an emote.
func TestMayEmote(t *testing.T) {
	t.Parallel()
	long := ended(Finished)
	for name, c := range map[string]struct {
		d    *Duel
		side game.Side
		at   time.Time
		want error
	}{
		"in play":              {playing(in(), "--"), game.B, noon, nil},
		"a spectator":          {playing(in(), "--"), game.NoSide, noon, ErrForbidden},
		"before it begins":     {opened(in()), game.A, noon, ErrNotYet},
		"as long as allowed":   {long, game.A, long.EndedAt.Add(EmoteTime), nil},
		"later":                {long, game.A, long.EndedAt.Add(EmoteTime + 1), ErrClosed},
		"of a cancelled duel":  {ended(Cancelled), game.A, noon, ErrClosed},
		"of a duel made void":  {ended(Void), game.A, noon, ErrClosed},
		"of a declined duel":   {ended(Declined), game.A, noon, ErrClosed},
		"of an expired duel":   {ended(Expired), game.A, noon, ErrClosed},
		"of a finished duel":   {ended(Finished), game.B, noon, nil},
		"spectator at the end": {ended(Finished), game.NoSide, noon, ErrForbidden},
	} {
		if err := c.d.mayEmote(c.side, c.at); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestSeriesOfRematches follows the score over three duels with swapped sides: ann wins, a draw, bob wins.
func TestSeriesOfRematches(t *testing.T) {
	t.Parallel()
	d := playing(in(), "--")
	names := func() string { return d.A.Username + d.B.Username }
	for i, step := range []struct {
		winner game.Side
		sides  string
		want   [2]int64
	}{{game.A, "annbob", [2]int64{1, 0}}, {game.NoSide, "bobann", [2]int64{0, 1}}, {game.B, "annbob", [2]int64{1, 1}}} {
		d.Winner = step.winner
		d.end(Finished, noon)
		if names() != step.sides || d.SeriesScore() != step.want {
			t.Errorf("duel %d of %s: %v, want %s and %v", i+1, names(), d.SeriesScore(), step.sides, step.want)
		}
		d = d.rematch("HGFEDCBA", game.B, d.B, noon)
	}
	if d.Series != [2]int64{1, 1} || d.SeriesScore() != d.Series {
		t.Errorf("the fourth duel begins with %v and %v", d.Series, d.SeriesScore())
	}
}
