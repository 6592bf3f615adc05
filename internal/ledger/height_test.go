package ledger

import (
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
)

// TestHeightsCached checks that the cache keeps what was added or asked for lately, and that two
// generations bound it.
func TestHeightsCached(t *testing.T) {
	t.Parallel()
	hash := func(n int) chain.Hash { return chain.Hash{byte(n), byte(n >> 8), byte(n >> 16)} }
	var h heights
	for n := range 4 * heightsKept {
		h.put(hash(n), int64(n))
		if got, ok := h.get(hash(n)); !ok || got != int64(n) {
			t.Fatalf("%d: height %d, %v", n, got, ok)
		}
		if got, ok := h.get(hash(0)); !ok || got != 0 { // asked for all the time
			t.Fatalf("after %d others: height %d, %v", n, got, ok)
		}
		if len(h.young) > heightsKept || len(h.old) > heightsKept {
			t.Fatalf("%d and %d entries", len(h.young), len(h.old))
		}
	}
	if height, ok := h.get(hash(1)); ok {
		t.Errorf("an old transaction is kept at %d", height)
	}
}

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
