package duel

import (
	"testing"
	"time"

	"roshambo/chain"
)

// TestHours checks quiet hours at their ends, over midnight too, and in another time zone.
func TestHours(t *testing.T) {
	t.Parallel()
	night, noonHour := Hours{22 * 60, 7 * 60}, Hours{12 * 60, 12*60 + 30}
	for _, c := range []struct {
		hours Hours
		at    string
		want  bool
	}{
		{night, "21:59:59", false}, {night, "22:00:00", true}, {night, "23:59:59", true}, {night, "00:00:00", true},
		{night, "06:59:59", true}, {night, "07:00:00", false},
		{noonHour, "11:59:59", false}, {noonHour, "12:00:00", true}, {noonHour, "12:29:59", true},
		{noonHour, "12:30:00", false}, {Hours{}, "00:00:00", false}, {Hours{60, 60}, "01:00:00", false},
	} {
		clock, err := time.Parse(time.TimeOnly, c.at)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []time.Time{clock, clock.In(time.FixedZone("", 5*3600))} {
			if got := (Setting{Quiet: c.hours}).QuietAt(at); got != c.want {
				t.Errorf("%+v at %v: %v, want %v", c.hours, at, got, c.want)
			}
		}
	}
}

// TestDefaultTakes: a program that knows nothing of challenges gets none, and people get challenges of their
// past opponents.
func TestDefaultTakes(t *testing.T) {
	t.Parallel()
	for kind, want := range map[chain.AccountKind]Takes{
		chain.Bot: TakesNone, chain.Guest: TakesMet, chain.Full: TakesMet,
	} {
		if got := settingOf(nil, nil, nil, kind); got != (Setting{Takes: want}) {
			t.Errorf("%s: %+v, want %s", kind, got, want)
		}
	}
}
