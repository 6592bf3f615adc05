package app

import (
	"bytes"
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// TestLeftRunIsCharged: what the feed shows of a run that its player left is charged to the network that the player
// used last, with the tag of the day on which the run ends.
func TestLeftRunIsCharged(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	c := config(t.TempDir())
	c.LimitPrivate, c.Now = true, func() time.Time { return now }
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	guestThat(t, s, "/api/runs") // from 127.0.0.1
	now = now.Add(run.IdleTimeout)
	if n, err := s.Runs.Sweep(t.Context()); n != 1 || err != nil {
		t.Fatalf("swept %d runs, error %v", n, err)
	}
	want := fairshare.Network{Key: s.Accounts.NetworkKey, Address: netip.MustParseAddr("127.0.0.1")}.
		Tag(fairshare.Scope{fairshare.Day(now), fairshare.Day(now)})
	var got []byte
	err = s.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT network FROM score_inbox WHERE kind = 'run'").Scan(&got)
	})
	if !bytes.Equal(got, want) || err != nil {
		t.Errorf("charged to %x, error %v, want %x", got, err, want)
	}
}

// TestLeftRunOfNoNetwork: a run that its player has left is in the feed without a network if the player's address is
// not charged. Once a service that paused has forgotten what addresses players used, no such run is.
func TestLeftRunOfNoNetwork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		after time.Duration
		shown bool
	}{{run.IdleTimeout, true}, {72 * time.Hour, false}} {
		now := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
		config := config(t.TempDir())
		config.Now = func() time.Time { return now }
		s, err := Build(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		guestThat(t, s, "/api/runs")
		now = now.Add(c.after)
		if n, err := s.Runs.Sweep(t.Context()); n != 1 || err != nil {
			t.Fatalf("swept %d runs, error %v", n, err)
		}
		var body string
		err = s.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT body FROM score_inbox WHERE kind = 'run' AND network IS NULL").Scan(&body)
		})
		if shown := !strings.Contains(body, `"unlisted":true`); shown != c.shown || err != nil {
			t.Errorf("after %v: %s, error %v, want an item of the feed: %v", c.after, body, err, c.shown)
		}
	}
}
