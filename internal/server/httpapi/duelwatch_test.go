package httpapi

import (
	"slices"
	"testing"

	"roshambo/internal/platform/event"
)

// TestDuelWatchKeepsWakeUps: a stream whose session ends while it starts to watch other duels is still
// woken.
func TestDuelWatchKeepsWakeUps(t *testing.T) {
	t.Parallel()
	a := &API{Config: Config{Hub: &event.Hub{}}}
	s := &duelWatch{api: a, extraTopics: []string{"signed:x"}, named: []string{"AAAAAAAA"}}
	for _, named := range [][]string{{"AAAAAAAA"}, {"AAAAAAAA", "BBBBBBBB"}, nil} {
		s.named = named
		if _, err := s.watch(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.streams.Wake("signed:x") // and not taken before the next watch
	}
	if _, err := s.watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if woken := s.woken.Woken(); len(s.woken.C()) != 1 || !slices.Equal(woken, []string{"signed:x"}) {
		t.Errorf("%d tokens for %v, want 1 for signed:x", len(s.woken.C()), woken)
	}
	s.close()
	if n := a.streams.Watchers("signed:x"); n != 0 || len(a.duelCache.duels) != 0 {
		t.Errorf("%d watches and %d duels are left behind", n, len(a.duelCache.duels))
	}
}
