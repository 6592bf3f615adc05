package client_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestDataExamplesRetry: the examples get all lines in spite of each answer that asks to come back or is cut off, and end
// with one clear line if they cannot have them.
func TestDataExamplesRetry(t *testing.T) {
	t.Parallel()
	refuse := func(status int, wait string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if wait != "" {
				w.Header().Set("Retry-After", wait)
			}
			w.WriteHeader(status)
		}
	}
	answers := []func(http.ResponseWriter){
		refuse(500, ""), // the example waits for half a second, and then for one
		func(w http.ResponseWriter) {
			_, _ = fmt.Fprint(w, `{"cursor":"1","duel":{"a":{"ki`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		refuse(429, "0"),
		refuse(503, "Sun, 06 Nov 1994 08:49:37 GMT"),
		func(w http.ResponseWriter) {
			_, _ = fmt.Fprintln(w, `{"cursor":"1","duel":{"a":{"kind":"bot","address":"x","username":"one"},`+
				`"b":{"kind":"bot","address":"y","username":"two"},"winner":"a"}}`)
		},
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		func(http.ResponseWriter) {},
	}
	n, queries := 0, ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n == len(answers) {
			w.WriteHeader(400)
			_, _ = fmt.Fprint(w, `{"code":"bad_request"}`)
			return
		}
		queries += r.URL.RawQuery + " "
		n++
		answers[n-1](w)
	}))
	t.Cleanup(s.Close)
	run := func() (string, error) {
		out, err := exec.CommandContext(t.Context(), "python3", "../starter/data/crosstable.py", s.URL).CombinedOutput()
		return string(out), err
	}
	out, err := run()
	if err != nil || strings.Join(strings.Fields(out), " ") != "one · 1 two 0 ·" || n != len(answers) ||
		strings.TrimSpace(queries) != "after=1 after=1" {
		t.Errorf("%d answers, asked for %q: %v\n%s", n, queries, err, out)
	}
	if out, err := run(); err == nil || strings.Count(out, "\n") != 1 || !strings.Contains(out, "400 {") {
		t.Errorf("refused: %v, %q", err, out)
	}
}

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
