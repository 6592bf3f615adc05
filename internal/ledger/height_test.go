package ledger

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
)

// TestCreatesGame checks which steps begin a game.
func TestCreatesGame(t *testing.T) {
	t.Parallel()
	for step := range chain.StepClose + 5 {
		want := step == chain.StepStart || step == chain.StepClose
		if got := createsGame(&chain.GameEffect{Step: step}); got != want {
			t.Error(fmt.Sprint("step ", step, ": ", got, ", want ", want))
		}
	}
}

// TestExcuses checks which trees a declared rollback voids: those above its base that it names.
func TestExcuses(t *testing.T) {
	t.Parallel()
	r := layout.Rollback{Base: 3, Size: 6, Root: tlog.Hash{1}}
	for tree, want := range map[treeHead]bool{
		{3, tlog.Hash{1}}: false, {4, tlog.Hash{2}}: true, {5, tlog.Hash{1}}: true,
		{6, tlog.Hash{1}}: true, {6, tlog.Hash{2}}: false, {7, tlog.Hash{1}}: false,
	} {
		if got := excuses(r, tree); got != want {
			t.Errorf("%+v: %v, want %v", tree, got, want)
		}
	}
}

// TestMissing checks which lines of a list another one lacks.
func TestMissing(t *testing.T) {
	t.Parallel()
	ab := []string{"a", "b"}
	for _, tt := range []struct{ lines, list, want []string }{
		{nil, nil, nil}, {nil, ab, nil}, {ab, nil, ab}, {ab, ab, nil}, {ab, []string{"b", "c"}, []string{"a"}},
		{[]string{"b"}, ab, nil},
	} {
		if got := missing(tt.lines, tt.list); !slices.Equal(got, tt.want) {
			t.Errorf("%q lacks %q of %q, want %q", tt.list, got, tt.lines, tt.want)
		}
	}
}
