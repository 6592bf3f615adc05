package game

import "testing"

func TestAgainst(t *testing.T) {
	t.Parallel()
	want := map[[2]Move]Outcome{
		{Rock, Rock}: Tie, {Rock, Paper}: Loss, {Rock, Scissors}: Win,
		{Paper, Rock}: Win, {Paper, Paper}: Tie, {Paper, Scissors}: Loss,
		{Scissors, Rock}: Loss, {Scissors, Paper}: Win, {Scissors, Scissors}: Tie,
	}
	for moves, outcome := range want {
		if got := moves[0].Against(moves[1]); got != outcome {
			t.Errorf("%v against %v: got %v, want %v", moves[0], moves[1], got, outcome)
		}
	}
}

func TestParseMove(t *testing.T) {
	t.Parallel()
	for _, m := range []Move{Rock, Paper, Scissors} {
		if got, err := ParseMove(m.String()); err != nil || got != m {
			t.Errorf("ParseMove(%q): got %v, %v", m, got, err)
		}
	}
	for _, s := range []string{"", "r", "Rock", "rock ", "lizard", "Move(3)"} {
		if got, err := ParseMove(s); err == nil {
			t.Errorf("ParseMove(%q): got %v, want an error", s, got)
		}
	}
}

func TestNamesBeyondTheTables(t *testing.T) {
	t.Parallel()
	if got := Move(7).String(); got != "Move(7)" {
		t.Errorf("Move(7): got %q", got)
	}
	if got := Outcome(9).String(); got != "Outcome(9)" {
		t.Errorf("Outcome(9): got %q", got)
	}
}
