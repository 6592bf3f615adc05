package app

import (
	"context"
	"testing"
	"time"

	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// TestStaleNetworks: the hourly deletion of what has expired leaves no tag of a network that an account used, or that
// its points are charged to, after two days, and keeps those that count.
func TestStaleNetworks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	c := config(t.TempDir())
	c.LimitPrivate, c.Now = true, func() time.Time { return now }
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	guestThat(t, s, "/api/runs") // from 127.0.0.1, which is charged
	err = s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO score_network (account, day, tag, times, points, at, secured, best)
			VALUES ($1, $2, $3, 1, 2, 0, 0, 1)`, make([]byte, 20), score.DayOf(now), []byte("a network"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		later time.Duration
		want  bool
	}{{0, true}, {24 * time.Hour, true}, {24 * time.Hour, false}} {
		now = now.Add(step.later)
		if err := s.dropStale(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"account_network", "score_network"} {
			n := -1
			err := s.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				return tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n)
			})
			if err != nil || (n > 0) != step.want {
				t.Errorf("%v: %s has %d tags, error %v; want some: %v", now, table, n, err, step.want)
			}
		}
	}
}
