package client_test

import (
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// TestDataExamplesRetry: the examples get all lines in spite of each answer that asks to come back or is cut off, and end
// with one clear line if they cannot have them. The crosstable leaves out a duel that is void and duels of people, and
// counts one that is restored.
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
	line := func(pool, player, opponent, duel, outcome string) string {
		name := func(username string) string { return fmt.Sprintf(`{"address":"at %[1]s","username":%[1]q}`, username) }
		return fmt.Sprintf(`{"cursor":"1","pool":%q,"player":%s,"opponent":%s,"duel":%q,"outcome":%q}`,
			pool, name(player), name(opponent), duel, outcome)
	}
	answers := []func(http.ResponseWriter){
		refuse(500, ""), // the example waits for half a second, and then for one
		func(w http.ResponseWriter) {
			_, _ = fmt.Fprint(w, line("bots", "one", "two", "A", "win")[:30])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		refuse(429, "0"),
		refuse(503, "Sun, 06 Nov 1994 08:49:37 GMT"),
		func(w http.ResponseWriter) {
			for duel, outcomes := range map[string][]string{
				"A": {"win"}, "B": {"win", "void", "restored"}, "C": {"win", "void"}, "D": {"draw"},
			} {
				for _, outcome := range outcomes {
					_, _ = fmt.Fprintln(w, line("bots", "one", "two", duel, outcome))
					_, _ = fmt.Fprintln(w, line("bots", "two", "one", duel, strings.Replace(outcome, "win", "loss", 1)))
				}
			}
			_, _ = fmt.Fprintln(w, line("human", "ann", "bob", "E", "win"))
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
	if err != nil || strings.Join(strings.Fields(out), " ") != "one · 2 two 0 ·" || n != len(answers) ||
		strings.TrimSpace(queries) != "after=1 after=1" {
		t.Errorf("%d answers, asked for %q: %v\n%s", n, queries, err, out)
	}
	if out, err := run(); err == nil || strings.Count(out, "\n") != 1 || !strings.Contains(out, "400 {") {
		t.Errorf("refused: %v, %q", err, out)
	}
}

// TestDataExamples runs the examples of docs/data.md against a service on which two bots have played rated duels, and
// an unrated one that is public, too: the crosstable is the service's, and beat-last wins every duel against rock.
func TestDataExamples(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	a, b := newBot(t, s.plays(s.newBot("one"), "beat-last")), newBot(t, s.plays(s.newBot("two"), "rock"))
	const duels = 3
	stop := s.hurries("one", "two")
	ended := running(t.Context(), a, duels)
	if err := b.Run(t.Context(), duels); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	stop()
	asA, asB := seat(t, a, b)
	first, second := playing(t.Context(), a, asA), playing(t.Context(), b, asB)
	if d, same := checkDuel(t, <-first), checkDuel(t, <-second); d.ID != same.ID || d.Rated || !d.Listed {
		t.Fatalf("the unrated duel is %+v", d)
	}
	example := func(name string, args ...string) string {
		out, err := exec.CommandContext(t.Context(), "python3", append([]string{"../starter/data/" + name, s.url},
			args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	s.jump(2 * time.Minute)
	want := map[[2]string]string{{"one", "two"}: strconv.Itoa(duels), {"two", "one"}: "0"}
	if got := crosstable(t, a.Client); !maps.Equal(got, want) {
		t.Errorf("the service's crosstable is %q, want %q", got, want)
	}
	got, rows := map[[2]string]string{}, strings.Split(strings.TrimSpace(example("crosstable.py")), "\n")
	for _, row := range rows {
		cells := strings.Fields(row)
		for i := 1; i < len(cells); i++ {
			if name := strings.Fields(rows[i-1])[0]; name != cells[0] {
				got[[2]string{cells[0], name}] = cells[i]
			}
		}
	}
	if !maps.Equal(got, want) {
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

// crosstable returns how many duels each bot has won against each other one, by the service's crosstable.
func crosstable(t *testing.T, c *client.Client) map[[2]string]string {
	t.Helper()
	table, err := client.Read[api.CrosstableOut](c.API.GetCrosstable(t.Context(), nil))
	if err != nil {
		t.Fatal(err)
	}
	names, won := map[string]string{}, map[[2]string]string{}
	for _, bot := range table.Bots {
		names[bot.Address] = bot.Username
	}
	for _, pair := range table.Pairs {
		won[[2]string{names[pair.Bot], names[pair.Opponent]}] = strconv.FormatInt(pair.Wins, 10)
	}
	return won
}
