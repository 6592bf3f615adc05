//go:build unix && nightly

package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
)

// TestTwoFirstStarts starts two nodes concurrently on an empty database, each without keys: the
// second one names the remedy, and leaves no useless keys behind.
func TestTwoFirstStarts(t *testing.T) {
	t.Parallel()
	url := pgtest.URL("postgres", pgtest.Start(t, nil))
	node := func() Config {
		return Config{Data: t.TempDir(), Database: url, Log: io.Discard, LogFormat: "text", Now: time.Now}
	}
	first, second := node(), node()
	made := second.keysMissing()
	d, k, err := second.openStore(t.Context(), store.Config{}) // there is no chain yet
	if err != nil {
		t.Fatal(err)
	}
	a, err := Build(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	b := &Service{config: second, log: second.logger(), DB: d}
	err = second.otherKeys(b.wire(t.Context(), k), made)
	if err == nil || !strings.Contains(err.Error(), "another node has begun the chain") ||
		!strings.Contains(err.Error(), KeysEnv) {
		t.Errorf("the second start: %v", err)
	}
	file := filepath.Join(second.Data, keysFile)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the second node's keys: %v", err)
	}
	// Existing keys are not removed.
	if err := writeSecret(file, k); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), second); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a start with other keys: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("keys that were there before: %v", err)
	}
	// The remedy of the message works.
	text, err := os.ReadFile(filepath.Join(first.Data, keysFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Build(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*store.DB{d, a.DB, again.DB} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
