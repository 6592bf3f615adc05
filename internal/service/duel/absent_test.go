package duel

import (
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
)

// TestAbsent plays duels in which sides miss deadlines, commit or resign, and checks which sides
// have missed the whole duel.
func TestAbsent(t *testing.T) {
	t.Parallel()
	commit := func(d *Duel, side game.Side) error {
		return d.commit(side, 0, Hand{game.Rock, side.String()}.commitment(), d.StartedAt.Add(time.Second))
	}
	for name, c := range map[string]struct {
		play func(d *Duel) error
		want [2]bool
	}{
		"neither comes":     {func(*Duel) error { return nil }, [2]bool{true, true}},
		"b never comes":     {func(d *Duel) error { return commit(d, game.A) }, [2]bool{false, true}},
		"a never comes":     {func(d *Duel) error { return commit(d, game.B) }, [2]bool{true, false}},
		"a resigns at once": {func(d *Duel) error { return d.resign(game.A, *d.StartedAt) }, [2]bool{}},
		"b resigns at once": {func(d *Duel) error { return d.resign(game.B, *d.StartedAt) }, [2]bool{}},
		"a resigns, b was late": {func(d *Duel) error {
			d.elapse(d.Deadline)
			return d.resign(game.A, d.Deadline)
		}, [2]bool{false, true}},
		"b committed, a resigns": {func(d *Duel) error {
			if err := commit(d, game.B); err != nil {
				return err
			}
			return d.resign(game.A, *d.StartedAt)
		}, [2]bool{}},
	} {
		d := playing(noon, "--")
		if err := c.play(d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d.elapse(noon.Add(time.Hour))
		if !d.Status.Over() {
			t.Fatalf("%s: the duel goes on", name)
		}
		if got := chain.Absent(d.Rounds); got != c.want {
			t.Errorf("%s: absent %v, want %v", name, got, c.want)
		}
	}
}
