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
	for name, c := range map[string]struct {
		challenge challenge
		want      error
	}{
		"the last allowed": {challenge{
			playedAt: noon.Add(-ChallengeWithin), open: MaxChallenges - 1, waiting: MaxWaiting - 1,
			near: MaxNear - 1, around: MaxAround - 1}, nil},
		"never played":       {challenge{}, ErrNoChallenge},
		"played long ago":    {challenge{playedAt: noon.Add(-ChallengeWithin - 1)}, ErrNoChallenge},
		"blocked":            {challenge{playedAt: noon, blocked: true}, ErrNoChallenge},
		"too many wait":      {challenge{playedAt: noon, waiting: MaxWaiting}, ErrNoChallenge},
		"too many near":      {challenge{playedAt: noon, near: MaxNear}, ErrNoChallenge},
		"too many around":    {challenge{playedAt: noon, around: MaxAround}, ErrNoChallenge},
		"another is open":    {challenge{playedAt: noon, between: 1}, ErrChallenges},
		"too many are open":  {challenge{playedAt: noon, open: MaxChallenges}, ErrChallenges},
		"blocked before all": {challenge{playedAt: noon, blocked: true, between: 1}, ErrNoChallenge},
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
