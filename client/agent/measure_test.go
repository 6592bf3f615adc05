package agent_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"roshambo/client/agent"
	"roshambo/docs"
)

// lockedBuffer is a file of measures.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// lines returns the lines so far.
func (l *lockedBuffer) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSpace(l.b.String()), "\n")
}

// members returns the names of the members of a line.
func members(t *testing.T, line string) []string {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(line), &object); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return slices.Sorted(maps.Keys(object))
}

// TestMeasures: each round and each verdict is a line, as docs/agents.md shows them.
func TestMeasures(t *testing.T) {
	t.Parallel()
	s := startService(t)
	out := &lockedBuffer{}
	o := s.options(s.newBot("agent-a"))
	o.Measures = out
	a, b := s.connect(o), s.connect(s.options(s.newBot("agent-b")))
	duel := match(t, a, b)
	finish(t, duel, a, b)
	verified(t, a, arguments{"duel": duel})
	lines := out.lines()
	if len(lines) < 4 { // PENDING may come before VALID
		t.Fatalf("the lines are %q", lines)
	}
	for i, line := range lines[:3] {
		var m agent.MoveLine
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m.Kind != "move" || m.Duel != duel || m.Round != int64(i+1) || m.Move != "rock" || m.TheirMove != "paper" ||
			m.Result != "lost" || m.Player == m.Opponent || m.At.IsZero() {
			t.Errorf("line %d: %s", i, line)
		}
		if m.ThoughtMS == nil || *m.ThoughtMS < 0 || m.SecondsLeft == nil || *m.SecondsLeft > 15 || m.RoundMS <= 0 {
			t.Errorf("the times of line %d: %s", i, line)
		}
	}
	var v agent.VerdictLine
	last := lines[len(lines)-1]
	if err := json.Unmarshal([]byte(last), &v); err != nil || v.Kind != "verdict" || v.Duel != duel ||
		v.Verdict != "VALID" || len(v.Failed) != 0 {
		t.Errorf("the verdict: %s, %v", last, err)
	}
	block := regexp.MustCompile("(?s)```ndjson\n(.*?)\n```").FindStringSubmatch(string(docs.All()["agents.md"]))
	if block == nil {
		t.Fatal("docs/agents.md shows no lines")
	}
	for i, line := range strings.Split(block[1], "\n") {
		written := []string{lines[0], last}[i]
		if got, want := members(t, line), members(t, written); !slices.Equal(got, want) {
			t.Errorf("docs/agents.md shows a line with %v, want %v", got, want)
		}
	}
}
