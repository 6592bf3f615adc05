package demo

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/store"
)

// config configures a demo in a new folder, on a Saturday evening.
func config(t *testing.T) app.Config {
	t.Helper()
	now := time.Date(2026, time.May, 2, 21, 0, 0, 0, time.UTC)
	return app.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", MailFrom: app.DefaultMailFrom, LogFormat: "text",
		Log:   io.Discard,
		Drain: time.Second, HouseBots: true, Demo: true, Now: func() time.Time { return now }}
}

// check runs doctor on a demo.
func check(t *testing.T, c app.Config) {
	t.Helper()
	var out bytes.Buffer
	if n, err := app.Doctor(t.Context(), app.Store{Data: c.Data}, c.Now, &out); err != nil || n > 0 {
		t.Fatalf("doctor finds %d differences, %v:\n%s", n, err, out.String())
	}
}

// counts returns what a demo has: transactions, cups that are over, and listings and offers of the house.
func counts(t *testing.T, c app.Config) (list [3]int64) {
	t.Helper()
	s, err := app.Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test only reads
	err = s.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT (SELECT next_pos FROM chain_head),
			(SELECT count(*) FROM cup WHERE status = 'finished'),
			(SELECT count(*) FROM market_listing) + (SELECT count(*) FROM buyback_offer)`).Scan(
			&list[0], &list[1], &list[2])
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFill makes a demo of a week: doctor finds nothing, a second start adds nothing, and a service
// with a chain of its own is refused.
func TestFill(t *testing.T) {
	t.Parallel()
	c := config(t)
	if err := fill(t.Context(), c, 5); err != nil {
		t.Fatal(err)
	}
	check(t, c)
	made := counts(t, c)
	if made[0] < 150 || made[1] < 2 || made[2] == 0 { // less than half of what random runs make
		t.Errorf("the demo has %d transactions, %d cups, and %d listings and offers", made[0], made[1], made[2])
	}
	if err := Fill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if again := counts(t, c); again != made {
		t.Errorf("a second start makes %v of %v", again, made)
	}
	other := config(t)
	other.Demo = false
	s, err := app.Build(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other.Demo = true
	if err := Fill(t.Context(), other); err == nil || !strings.Contains(err.Error(), "no demo") {
		t.Errorf("a service with a chain of its own: %v", err)
	}
}
