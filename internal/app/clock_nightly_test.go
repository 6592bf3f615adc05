//go:build unix && nightly

package app

import (
	"io"
	"strings"
	"testing"
	"time"

	"roshambo/internal/store/pgtest"
)

// TestClockOffAtStart checks that a node on PostgreSQL whose clock is off does not start, and names both
// the distance and the remedy.
func TestClockOffAtStart(t *testing.T) {
	t.Parallel()
	config := Config{
		Data: t.TempDir(), Database: pgtest.URL("postgres", pgtest.Start(t, nil)),
		Log: io.Discard, LogFormat: "text", Now: time.Now,
		Overrides: Overrides{HostClock: func() time.Time { return time.Now().Add(-time.Minute) }},
	}
	_, err := Build(t.Context(), config)
	if err == nil || !strings.Contains(err.Error(), "behind the database's") || !strings.Contains(err.Error(), "NTP") {
		t.Errorf("started: %v", err)
	}
	config.Overrides.HostClock = nil
	s, err := Build(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
