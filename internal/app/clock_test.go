package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/store"
)

// TestClockCheck checks that only a clock that is certainly off is reported, as an outage after which
// nothing was stored, until a comparison finds it right again.
func TestClockCheck(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	host, late, broken := at, time.Duration(0), error(nil)
	check := newClockCheck(func() time.Time { return host }, func(context.Context) (time.Time, error) {
		host = host.Add(late)
		return at, broken
	})
	for _, c := range []struct {
		name         string
		off, late    time.Duration
		broken       error
		fault, error bool
	}{
		{name: "equal"},
		{name: "ahead at most", off: offAtMost},
		{name: "behind at most", off: -offAtMost},
		{name: "ahead", off: offAtMost + 1, fault: true, error: true},
		{name: "no answer leaves the fault", broken: errors.New("away"), fault: true, error: true},
		{name: "a slow answer proves nothing", off: -2 * offAtMost, late: 3 * offAtMost},
		{name: "behind", off: -offAtMost - 1, fault: true, error: true},
		{name: "synchronized"},
	} {
		host, late, broken = at.Add(c.off), c.late, c.broken
		if err := check.compare(t.Context()); (err != nil) != c.error {
			t.Errorf("%s: compare returns %v", c.name, err)
		}
		err := check.err()
		if (err != nil) != c.fault || c.fault && !errors.Is(err, store.ErrNotStored) {
			t.Errorf("%s: reported %v", c.name, err)
		}
	}
	if alone := newClockCheck(nil, nil); alone.compare(t.Context()) != nil || alone.err() != nil {
		t.Error("a single node has a fault")
	}
}

// TestUnlessAhead: a node whose clock is ahead deletes nothing.
func TestUnlessAhead(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	away := errors.New("away")
	for name, c := range map[string]struct {
		ahead time.Duration
		err   error
		works bool
	}{
		"a day ahead":   {24 * time.Hour, nil, false},
		"a little":      {aheadAtMost, nil, true},
		"behind":        {-24 * time.Hour, nil, true},
		"without clock": {0, away, false},
	} {
		worked := false
		err := unlessAhead(
			func() time.Time { return at.Add(c.ahead) },
			func(context.Context) (time.Time, error) { return at, c.err },
			func(context.Context) error { worked = true; return nil },
		)(t.Context())
		if worked != c.works || (err == nil) != c.works {
			t.Errorf("%s: worked is %v, %v, want %v", name, worked, err, c.works)
		}
	}
}
