package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/client/strategy"
	"roshambo/game"
)

// options returns the options of a tournament between the strategies named.
func options(tb testing.TB, duels int, names ...string) Options {
	tb.Helper()
	o := Options{Duels: duels, Exploit: 100, Seed: strategy.Seed{7}}
	for _, name := range names {
		e, err := Named(name)
		if err != nil {
			tb.Fatal(err)
		}
		o.Entrants = append(o.Entrants, e)
	}
	return o
}

// run returns the result and the replays.
func run(tb testing.TB, o Options) (*Result, string) {
	tb.Helper()
	var replays bytes.Buffer
	o.Replays = &replays
	r, err := Run(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	return r, replays.String()
}

func TestTheSameSeedIsTheSameTournament(t *testing.T) {
	t.Parallel()
	o := options(t, 12, "random", "iocaine", "rock", "hedge", "switch", "markov-2")
	o.Workers = 1
	want, wantReplays := run(t, o)
	for _, workers := range []int{2, 7, 100} {
		o.Workers = workers
		got, replays := run(t, o)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers: different result (-want +got):\n%s", workers, diff)
		}
		if replays != wantReplays {
			t.Errorf("%d workers: different replays", workers)
		}
	}
	o.Seed = strategy.Seed{8}
	if _, replays := run(t, o); replays == wantReplays {
		t.Error("another seed gave the same replays")
	}
}

func TestAMatchDoesNotDependOnWhoElsePlays(t *testing.T) {
	t.Parallel()
	many, _ := run(t, options(t, 8, "random", "rock", "hedge", "switch"))
	two, _ := run(t, options(t, 8, "random", "switch"))
	for _, m := range many.Matches {
		if m.A.Name == "random" && m.B.Name == "switch" && m != two.Matches[0] {
			t.Errorf("with four entrants %+v, with two %+v", m, two.Matches[0])
		}
	}
}

// TestReplaysMatchTheResult replays all duels by the rules and compares with the result.
func TestReplaysMatchTheResult(t *testing.T) {
	t.Parallel()
	result, replays := run(t, options(t, 9, "iocaine", "random", "rock", "paper"))
	got := map[[2]string]Match{}
	lines := json.NewDecoder(strings.NewReader(replays))
	lines.DisallowUnknownFields()
	for lines.More() {
		var r Replay
		if err := lines.Decode(&r); err != nil {
			t.Fatal(err)
		}
		m := got[[2]string{r.A, r.B}]
		m.A.Name, m.B.Name = r.A, r.B
		if want := m.A.Duels + m.B.Duels + m.Drawn + 1; r.Duel != want {
			t.Errorf("%s against %s: duel %d, want %d", r.A, r.B, r.Duel, want)
		}
		again := Replay{}
		m.add(replayed(t, r), &again)
		if !cmp.Equal(again.Winner, r.Winner) {
			t.Errorf("%+v: wrong winner", r)
		}
		got[[2]string{r.A, r.B}] = m
	}
	if len(got) != 6 {
		t.Errorf("replays of %d matches, want 6", len(got))
	}
	for _, m := range result.Matches {
		got := got[[2]string{m.A.Name, m.B.Name}]
		got.measure(9)
		if got != m {
			t.Errorf("the replays give %+v, the result %+v", got, m)
		}
	}
}

// replayed counts the rounds of a replay, each judged by its moves.
func replayed(t *testing.T, r Replay) game.BestOfFive {
	t.Helper()
	var d game.BestOfFive
	for i, round := range r.Rounds {
		a, errA := game.ParseMove(round.MoveA)
		b, errB := game.ParseMove(round.MoveB)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		who := map[game.Outcome]game.Side{game.Win: game.A, game.Loss: game.B, game.Tie: game.Tied}[a.Against(b)]
		if round.Round != i+1 || round.Outcome != who.String() {
			t.Errorf("%+v: want round %d, outcome %v", round, i+1, who)
		}
		d.Add(who, game.NoSide)
	}
	if !d.Decided() {
		t.Errorf("%+v ends before it is decided", r)
	}
	return d
}

func TestStandings(t *testing.T) {
	t.Parallel()
	result, _ := run(t, options(t, 10, "rock", "paper", "scissors", "beat-last"))
	first := result.Standings[0]
	if first.Name != "beat-last" || first.Score != 1 || first.Points < 0.9 || first.Exploitability < 0.98 {
		t.Errorf("first is %+v, want beat-last with every duel", first)
	}
	for _, s := range result.Standings[1:] {
		// Each of the three beats one of the others, and loses to beat-last.
		if s.Score != 0.3333 || s.Worst != -1 || s.Exploitability != 1 {
			t.Errorf("%+v: want a third of the duels, and its worst opponent to win each round", s)
		}
	}
}

// TestDraws plays copy-last against rock: all rounds tie, and a duel ends drawn after 60 rounds.
func TestDraws(t *testing.T) {
	t.Parallel()
	o := options(t, 4, "copy-last", "rock")
	// The first move is random: choose a seed with which it is rock.
	result, replays := run(t, o)
	for o.Seed[0] = 1; strings.Contains(replays, "paper") || strings.Contains(replays, "scissors"); o.Seed[0]++ {
		result, replays = run(t, o)
	}
	if m := result.Matches[0]; m.Drawn != 4 || m.Rounds != 240 || m.A.Duels != 0 || m.B.Duels != 0 {
		t.Errorf("got %+v, want 4 draws of 60 rounds", m)
	}
	for _, s := range result.Standings {
		if s.Score != 0.5 || s.Points != 0 {
			t.Errorf("%+v: want half of the duels, as a draw counts half", s)
		}
	}
	if got, interval := result.cell("rock", "copy-last"); got != "50" || interval != "15–85" {
		t.Errorf("in the crosstable: %s %% (%s), want 50 (15–85)", got, interval)
	}
}

// TestExploit compares with the known exploitability of each strategy.
func TestExploit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		want, off float64
	}{
		{"rock", 1, 0},
		{"rotate", 1, 0},
		{"markov-3", 1, 0.01}, // its first move is random
		{"random", 0, 0.1},
		{"switch", 0.5, 0.1},       // one of two moves: tie with one, beat the other
		{"mostly-rock", 0.4, 0.13}, // paper wins 0.6, loses 0.2
		{"hedge", 0, 0.15},         // its regret bound
	} {
		e, err := Named(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := Exploit(t.Context(), e, ExploitRounds, strategy.Seed{3}); math.Abs(got-tt.want) > tt.off {
			t.Errorf("%s: %.3f, want %.1f ± %.2f", tt.name, got, tt.want, tt.off)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	unmeasured, idle := options(t, 1, "rock", "paper"), options(t, 1, "rock", "paper")
	unmeasured.Exploit, idle.Workers = 0, -1
	for want, o := range map[string]Options{
		"0 rounds":                unmeasured,
		"-1 workers":              idle,
		"at least two strategies": options(t, 1, "rock"),
		"0 duels":                 options(t, 0, "rock", "paper"),
		`"rock" is entered twice`: options(t, 1, "rock", "paper", "rock"),
	} {
		if r, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, %v, want an error with %q", r, err, want)
		}
	}
	if e, err := Named("none"); err == nil {
		t.Errorf("Named(none): got %v, want an error", e)
	}
}

// broken is a writer on a full disk.
type broken struct{}

var errFull = errors.New("no space left")

func (broken) Write([]byte) (int, error) { return 0, errFull }

func TestEndsEarly(t *testing.T) {
	t.Parallel()
	o := options(t, 3, "rock", "paper", "random", "switch")
	o.Replays = broken{}
	if r, err := Run(t.Context(), o); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: got %v, %v, want %v", r, err, errFull)
	}
	o.Replays = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, %v, want %v", r, err, context.Canceled)
	}
}

func TestAllTakePart(t *testing.T) {
	t.Parallel()
	if got, want := len(All()), len(strategy.Catalogue()); got != want {
		t.Errorf("%d entrants, want %d", got, want)
	}
}

// row matches a row of the table in docs/bots.md.
var row = regexp.MustCompile(`(?m)^\| ([a-z0-9-]+) \| ([0-9.]+) % \| ([+−0-9.]+) \| ([+−0-9.]+) \| ([0-9.]+) \|$`)

// TestDocumentedTable plays the tournament that docs/bots.md shows.
func TestDocumentedTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/bots.md")
	if err != nil {
		t.Fatal(err)
	}
	exploit, columns := ExploitRounds, 4
	if testing.Short() { // slow, and covered by TestExploit
		exploit, columns = 1, 3
	}
	result, err := Run(t.Context(), Options{Entrants: All(), Duels: 100, Exploit: exploit,
		Seed: strategy.Seed{}.Derive("roshambo")})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, s := range result.Standings {
		want[s.Name] = strings.Fields(strings.ReplaceAll(fmt.Sprintf("%.1f %+.2f %+.2f %.2f", 100*s.Score, s.Points, s.Worst,
			s.Exploitability), "-", "−"))
	}
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) == 0 {
		t.Fatal("docs/bots.md has no table")
	}
	for _, r := range rows {
		if got, want := r[2:2+columns], want[r[1]]; want == nil || !slices.Equal(got, want[:columns]) {
			t.Errorf("docs/bots.md has %s: %s, want %s", r[1], got, want)
		}
	}
}
