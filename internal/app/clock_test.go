package app

import (
	"context"
	"errors"
	"testing"
	"time"
)

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
