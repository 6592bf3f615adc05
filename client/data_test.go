package client_test

import (
	"encoding/xml"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestDataExamples runs the examples of docs/data.md against a service on which two bots have played, and compares what
// they print with the known results: beat-last wins every duel against rock.
func TestDataExamples(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	a, b := newBot(t, s.plays(s.newBot("one"), "beat-last")), newBot(t, s.plays(s.newBot("two"), "rock"))
	const duels = 3
	stop := s.hurries("one", "two")
	ended := make(chan error, 1)
	go func() { ended <- a.Run(t.Context(), duels) }()
	if err := b.Run(t.Context(), duels); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	stop()
	example := func(name string, args ...string) string {
		out, err := exec.CommandContext(t.Context(), "python3", append([]string{"../starter/data/" + name, s.url},
			args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	s.jump(2 * time.Minute)
	got := strings.Fields(example("crosstable.py"))
	if want := strings.Fields(fmt.Sprintf("one · %d two 0 ·", duels)); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the crosstable is %q, want %q", got, want)
	}
	svg := example("rating.py", "one")
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Errorf("%v in %s", err, svg)
	}
	line := regexp.MustCompile(`<polyline points="([^"]*)"`).FindStringSubmatch(svg)
	if len(line) != 2 || len(strings.Fields(line[1])) != duels ||
		!strings.Contains(svg, fmt.Sprintf("after %d duels", duels)) {
		t.Errorf("the picture is %s, want %d points", svg, duels)
	}
}
