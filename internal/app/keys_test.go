package app

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// loadKeys reads the keys of a data folder, and creates them when there are none.
func loadKeys(folder string) (keys, error) {
	return readOrMakeKeys(filepath.Join(folder, keysFile), chainPrefix, func() error { return begun(folder) })
}

// TestKeysFromEnvironment: a node with the keys in its environment needs no file and creates none;
// keys that differ from the folder's, or are malformed, stop the start.
func TestKeysFromEnvironment(t *testing.T) {
	t.Parallel()
	made, err := loadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Data: t.TempDir(), Keys: string(text), Log: io.Discard, LogFormat: "text", Now: time.Now}
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Ledger.VerifierKey(); got != made.VerifierKey {
		t.Errorf("the chain is signed by %s, want %s", got, made.VerifierKey)
	}
	if err := s.DB.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.Data, keysFile)); !os.IsNotExist(err) {
		t.Errorf("a file with keys was made: %v", err)
	}
	if err := writeSecret(filepath.Join(c.Data, keysFile), made); err != nil {
		t.Fatal(err)
	}
	if k, err := c.keys(nil); err != nil || k != made {
		t.Errorf("the same keys in both places: %v", err)
	}
	other := made
	other.SeedKey = strings.Repeat("0a", 32)
	if text, err = json.Marshal(other); err != nil {
		t.Fatal(err)
	}
	c.Keys = string(text)
	if _, err := c.keys(nil); err == nil || !strings.Contains(err.Error(), keysFile) {
		t.Errorf("other keys than those of the folder: %v", err)
	}
}

// TestKeysThatAreNone: malformed keys in the environment are refused before anything is opened, and
// are not repeated in the error.
func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()
	made, err := loadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	another, err := loadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	change := func(by func(*keys)) string {
		k := made
		by(&k)
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, text := range map[string]string{
		"no JSON":           "secret",
		"more than JSON":    change(func(*keys) {}) + "{}",
		"no log key":        change(func(k *keys) { k.LogKey = "" }),
		"another's log key": change(func(k *keys) { k.LogKey = another.LogKey }),
		"a short seed key":  change(func(k *keys) { k.SeedKey = k.SeedKey[:8] }),
		"no hex":            change(func(k *keys) { k.SeedKey = strings.Repeat("xy", 32) }),
		"another member":    `{"log":"secret"}`,
	} {
		c := Config{Listen: DefaultListen, Data: "data", LogFormat: "text", Drain: time.Second, Keys: text}
		err := c.Check()
		if err == nil || !strings.Contains(err.Error(), KeysEnv) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		for _, secret := range []string{"secret", made.LogKey, made.SeedKey[:8]} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error repeats the keys: %v", name, err)
			}
		}
	}
}

// TestWideKeys starts a service whose keys other users can read, which is logged, and one whose keys they cannot.
func TestWideKeys(t *testing.T) {
	t.Parallel()
	for mode, warns := range map[os.FileMode]bool{0o600: false, 0o640: true} {
		var log bytes.Buffer
		c := Config{Data: t.TempDir(), Log: &log, LogFormat: "text", Now: time.Now}
		path := filepath.Join(c.Data, keysFile)
		for range 2 { // the first start makes the keys
			s, err := Build(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Contains(log.String(), "can read a key"); got != warns {
			t.Errorf("mode %v: the log warns: %v, want %v", mode, got, warns)
		}
	}
}
