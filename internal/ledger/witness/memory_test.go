package witness

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMemoryLost checks that a witness does not start when its state was changed, truncated,
// emptied or lost, and that it cosigns no other tree when one of its two files was restored from
// an older state.
func TestMemoryLost(t *testing.T) {
	t.Parallel()
	log := newForest(t, "log.example").grow(t, "a")
	w := serve(t, log.verifier)
	if _, err := w.add(t.Context(), log.request(t, 0)); err != nil {
		t.Fatal(err)
	}
	paths := []string{w.config.File, copyOf(w.config.File)}
	old := files(t, paths)
	log.grow(t, "b", "c")
	if _, err := w.add(t.Context(), log.request(t, 1)); err != nil {
		t.Fatal(err)
	}
	now := files(t, paths)
	for i, path := range paths {
		for at := range now[i] {
			flipped := bytes.Clone(now[i])
			flipped[at] ^= 1
			for name, text := range map[string][]byte{"flipped": flipped, "cut": now[i][:at]} {
				put(t, path, text)
				if again, err := New(w.config); err == nil &&
					(again.latest["log.example"] != w.witness.latest["log.example"] || len(again.latest) != 1) {
					t.Errorf("%s %s at %d: it starts, and knows %+v", path, name, at, again.latest)
				}
			}
		}
		for _, text := range []string{"", "{}", "null", `{"logs": {}}`} {
			put(t, path, []byte(text))
			if _, err := New(w.config); err == nil {
				t.Errorf("%s: it starts with %q", path, text)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := New(w.config); err == nil {
			t.Errorf("%s: it starts without", path)
		}
		put(t, path, old[i])
		again, err := New(w.config)
		if err != nil || again.latest["log.example"].Size != 3 {
			t.Errorf("%s: it knows %+v, %v", path, again, err)
		}
		put(t, path, now[i])
	}
	w.restart(t)
	other := *log
	other.hashes, other.size = nil, 0
	other.grow(t, "a", "x", "y", "z")
	if lines, err := w.add(t.Context(), other.request(t, 1)); err == nil {
		t.Errorf("another tree is cosigned: %s", lines)
	}
}

// TestForgetfulWitness checks that the collector requests nothing from a witness that knows a
// smaller tree than its stored cosignature, and logs the reason.
func TestForgetfulWitness(t *testing.T) {
	t.Parallel()
	log := newForest(t, "log.example").grow(t, "a")
	w := serve(t, log.verifier)
	if _, err := w.add(t.Context(), log.request(t, 0)); err != nil {
		t.Fatal(err)
	}
	log.grow(t, "b", "c")
	log.had = 2
	said := &heard{what: make(chan string, 100)}
	c := &Collector{
		Log: log, Witnesses: []*Client{w.Client}, Logger: slog.New(slog.NewTextHandler(said, nil)),
		First: time.Hour, Watch: func() (<-chan struct{}, func()) { return nil, func() {} },
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Run(ctx) }()
	select {
	case line := <-said.what:
		if !strings.Contains(line, "it has lost its memory") {
			t.Error(line)
		}
	case lines := <-log.kept:
		t.Errorf("kept %s", lines)
	}
	stop()
	<-ended
	if got := w.witness.latest["log.example"].Size; got != 1 {
		t.Errorf("it has cosigned %d", got)
	}
}

// heard passes on the lines of a log.
type heard struct{ what chan string }

func (h *heard) Write(line []byte) (int, error) {
	h.what <- string(line)
	return len(line), nil
}

func files(t *testing.T, paths []string) (texts [][]byte) {
	t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
