package run

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

var noon = time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)

// moveFor returns the move that gives throw n of the seed chain the wanted outcome.
func moveFor(c *fair.Chain, n int, want game.Outcome) game.Move {
	theirs := game.Rock
	if n <= fair.Length {
		theirs = fair.HouseMove(c.Seed(n), n, fair.HashText(""), fair.HashText(""))
	}
	for _, ours := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		if ours.Against(theirs) == want {
			return ours
		}
	}
	panic("no such outcome")
}

// paths lead to each state of a run: throws with the given outcomes, and then an action.
var paths = map[string]struct {
	outcomes []game.Outcome
	then     func(*Run, time.Time) error
	status   Status
	cleared  int64
}{
	"begun":     {status: Active},
	"tied":      {outcomes: []game.Outcome{game.Tie}, status: Active},
	"won":       {outcomes: []game.Outcome{game.Tie, game.Win}, status: Deciding, cleared: 1},
	"continued": {outcomes: []game.Outcome{game.Win}, then: (*Run).proceed, status: Active, cleared: 1},
	"claimed":   {outcomes: []game.Outcome{game.Win}, then: (*Run).claim, status: Claimed, cleared: 1},
	"lost":      {outcomes: []game.Outcome{game.Loss}, status: Lost},
	"abandoned": {then: (*Run).abandon, status: Abandoned},
}

// reach returns a run at the end of a path, an hour before noon.
func reach(t *testing.T, c *fair.Chain, path string) *Run {
	t.Helper()
	r := &Run{Status: Active, Transcript: []byte(chain.EmptyTranscript), StartedAt: noon.Add(-2 * time.Hour),
		ActedAt: noon.Add(-2 * time.Hour)}
	w := paths[path]
	for i, outcome := range w.outcomes {
		at := noon.Add(-time.Hour + time.Duration(i)*ThrowInterval)
		if _, err := r.throw(at, Play{Move: moveFor(c, i+1, outcome)}, seedsOf(c), 16); err != nil {
			t.Fatal(err)
		}
	}
	if w.then != nil {
		if err := w.then(r, noon.Add(-time.Hour/2)); err != nil {
			t.Fatal(err)
		}
	}
	if r.Status != w.status || r.Cleared != w.cleared || r.Throws != int64(len(w.outcomes)) ||
		r.Status.Over() != (r.EndedAt != nil) {
		t.Fatalf("%s: got %+v", path, r)
	}
	return r
}

// TestStatesAndActions checks the result of every action in every state.
func TestStatesAndActions(t *testing.T) {
	t.Parallel()
	c := fair.NewChain(fair.Seed{1})
	toss := func(want game.Outcome) func(*Run) error {
		return func(r *Run) error {
			_, err := r.throw(noon, Play{Move: moveFor(c, int(r.Throws)+1, want)}, seedsOf(c), 16)
			return err
		}
	}
	expire := func(at time.Time) func(*Run) error {
		return func(r *Run) error {
			if !r.expire(at) {
				return errors.New("it does not expire")
			}
			return nil
		}
	}
	actions := map[string]func(*Run) error{
		"win": toss(game.Win), "tie": toss(game.Tie), "lose": toss(game.Loss),
		"continue": func(r *Run) error { return r.proceed(noon) },
		"claim":    func(r *Run) error { return r.claim(noon) },
		"abandon":  func(r *Run) error { return r.abandon(noon) },
		"wait":     expire(noon.Add(21 * time.Hour)), "wait long": expire(noon.Add(24 * time.Hour)),
	}
	// The status and the reached tier after an action. An action that is not listed is
	// refused and changes nothing.
	type end struct {
		status  Status
		cleared int64
	}
	want := map[string]map[string]end{
		"begun": {"win": {Deciding, 1}, "tie": {Active, 0}, "lose": {Lost, 0}, "abandon": {Abandoned, 0},
			"wait long": {Abandoned, 0}},
		"tied": {"win": {Deciding, 1}, "tie": {Active, 0}, "lose": {Lost, 0}, "abandon": {Abandoned, 0},
			"wait long": {Abandoned, 0}},
		"won": {"continue": {Active, 1}, "claim": {Claimed, 1}, "abandon": {Abandoned, 1}, "wait long": {Claimed, 1}},
		"continued": {"win": {Deciding, 2}, "tie": {Active, 1}, "lose": {Lost, 1}, "abandon": {Abandoned, 1},
			"wait long": {Abandoned, 1}},
		"claimed": {}, "lost": {}, "abandoned": {},
	}
	for path := range paths {
		for action, act := range actions {
			r, before := reach(t, c, path), reach(t, c, path)
			err := act(r)
			expected, allowed := want[path][action]
			switch {
			case allowed != (err == nil):
				t.Errorf("%s, %s: error %v, want success: %v", path, action, err, allowed)
			case !allowed && !reflect.DeepEqual(r, before):
				t.Errorf("%s, %s: refused, but changed to %+v", path, action, r)
			case allowed && (end{r.Status, r.Cleared} != expected || r.Status.Over() != (r.EndedAt != nil)):
				t.Errorf("%s, %s: got %s, tier %d, ended %v, want %+v", path, action, r.Status, r.Cleared, r.EndedAt, expected)
			}
			wantRefusal(t, fmt.Sprint(path, ", ", action), before.Status, action, err)
		}
	}
}

// wantRefusal checks that the error of a refused action contains the run's state.
func wantRefusal(t *testing.T, name string, status Status, action string, err error) {
	t.Helper()
	if err == nil || action == "wait" || action == "wait long" {
		return
	}
	if status == Claimed && action == "claim" {
		if !errors.Is(err, ErrClaimed) {
			t.Errorf("%s: error %v, want ErrClaimed", name, err)
		}
		return
	}
	if s, ok := errors.AsType[*StateError](err); !ok || s.Status != status {
		t.Errorf("%s: error %v, want a StateError with status %s", name, err, status)
	}
}

// TestThrowInterval checks that a throw is accepted 250 ms after the previous one, the first
// at the start of the run, and that continuing does not shorten the interval.
func TestThrowInterval(t *testing.T) {
	t.Parallel()
	c := fair.NewChain(fair.Seed{1})
	for _, tt := range []struct {
		path string
		last time.Time
	}{{"begun", noon.Add(-2*time.Hour - ThrowInterval)}, {"tied", noon.Add(-time.Hour)}, {"continued",
		noon.Add(-time.Hour)}} {
		for _, wait := range []time.Duration{0, time.Millisecond, ThrowInterval - time.Millisecond, ThrowInterval,
			time.Hour} {
			r, before := reach(t, c, tt.path), reach(t, c, tt.path)
			_, err := r.throw(tt.last.Add(wait), Play{}, seedsOf(c), 16)
			fast, ok := errors.AsType[*TooFastError](err)
			if ok != (wait < ThrowInterval) || !ok && err != nil {
				t.Errorf("%s, %v after the last throw: error %v", tt.path, wait, err)
			}
			if ok && (fast.Wait != ThrowInterval-wait || !reflect.DeepEqual(r, before)) {
				t.Errorf("%s, %v after the last throw: wait %v, run %+v", tt.path, wait, fast.Wait, r)
			}
		}
	}
}

// TestTopClaims checks that reaching the highest tier claims it, from every first tier.
func TestTopClaims(t *testing.T) {
	t.Parallel()
	c := fair.NewChain(fair.Seed{2})
	for first := range int64(16) {
		r := &Run{Status: Active, FirstTier: first, Cleared: first, Transcript: []byte(chain.EmptyTranscript),
			StartedAt: noon}
		at := noon
		for r.Cleared < 16 {
			if r.Status == Deciding {
				if err := r.proceed(at); err != nil {
					t.Fatal(err)
				}
			}
			at = at.Add(ThrowInterval)
			if _, err := r.throw(at, Play{Move: moveFor(c, int(r.Throws)+1, game.Win)}, seedsOf(c), 16); err != nil {
				t.Fatal(err)
			}
		}
		if r.Status != Claimed || r.Throws != 16-first || r.EndedAt == nil || !r.EndedAt.Equal(at) {
			t.Errorf("from tier %d: %+v", first, r)
		}
	}
}

// TestSeedsRunOut checks that the throw with the last seed claims the reached tier, or
// abandons the run if none was reached.
func TestSeedsRunOut(t *testing.T) {
	t.Parallel()
	c := fair.NewChain(fair.Seed{3})
	for _, tt := range []struct {
		first int64
		last  game.Outcome
		want  Status
	}{
		{0, game.Tie, Abandoned}, {3, game.Tie, Claimed}, {0, game.Win, Claimed}, {3, game.Win, Claimed},
		{15, game.Win, Claimed}, {0, game.Loss, Lost}, {3, game.Loss, Lost},
	} {
		r := &Run{Status: Active, FirstTier: tt.first, Cleared: tt.first, Transcript: []byte(chain.EmptyTranscript),
			StartedAt: noon}
		at := noon
		for n := 1; n <= fair.Length; n++ {
			if r.Status != Active || r.NextThrowAt().After(at) {
				t.Fatalf("before throw %d: %s, next at %v", n, r.Status, r.NextThrowAt())
			}
			outcome := game.Tie
			if n == fair.Length {
				outcome = tt.last
			}
			if _, err := r.throw(at, Play{Move: moveFor(c, n, outcome)}, seedsOf(c), 16); err != nil {
				t.Fatal(err)
			}
			at = at.Add(ThrowInterval)
		}
		if r.Status != tt.want || r.EndedAt == nil {
			t.Errorf("from tier %d, last %v: %s, want %s", tt.first, tt.last, r.Status, tt.want)
		}
		if throws, err := chain.ParseTranscript(r.Transcript); err != nil || len(throws) != fair.Length {
			t.Errorf("transcript of %d throws: %v", len(throws), err)
		}
		// An active run without a seed left refuses the throw.
		r.Status = Active
		if _, err := r.throw(at, Play{}, seedsOf(c), 16); !errors.Is(err, errNoSeed) {
			t.Errorf("one throw more: error %v", err)
		}
	}
}

// seedsOf returns the seeds of a chain as the rules need them.
func seedsOf(c *fair.Chain) seedSource {
	return func(n int) (fair.Seed, error) { return c.Seed(n), nil }
}

// TestTooFast checks that a throw a nanosecond before its time is refused, with the remaining time.
func TestTooFast(t *testing.T) {
	t.Parallel()
	r := &Run{Status: Active, StartedAt: noon.Add(-time.Minute), ThrownAt: noon}
	_, err := r.throw(noon.Add(ThrowInterval-1), Play{}, nil, 16)
	if fast, ok := errors.AsType[*TooFastError](err); !ok || fast.Wait != 1 || r.Throws != 0 {
		t.Errorf("error %v, %d throws", err, r.Throws)
	}
}
