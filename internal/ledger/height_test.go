package ledger

import (
	"fmt"
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

// TestIsPrefix checks lists that begin alike, and those that do not.
func TestIsPrefix(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, list []string
		want        bool
	}{
		{nil, nil, true}, {nil, []string{"a"}, true}, {[]string{"a"}, nil, false}, {[]string{"a"}, []string{"a", "b"}, true},
		{[]string{"b"}, []string{"a", "b"}, false}, {[]string{"a", "b"}, []string{"a"}, false},
	} {
		if got := isPrefix(tt.first, tt.list); got != tt.want {
			t.Errorf("%q begins with %q: %v, want %v", tt.list, tt.first, got, tt.want)
		}
	}
}
