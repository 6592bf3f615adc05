package stream

import (
	"slices"
	"testing"

	"roshambo/internal/platform/event"
)

// TestDuelWatchKeepsWakeUps: a stream whose session ends while it starts to watch other duels is still
// woken.
func TestDuelWatchKeepsWakeUps(t *testing.T) {
	t.Parallel()
	c := &duelCache{steps: &event.Hub{}}
	s := &duelWatch{cache: c, extraTopics: []string{"signed:x"}, named: []string{"AAAAAAAA"}}
	for _, named := range [][]string{{"AAAAAAAA"}, {"AAAAAAAA", "BBBBBBBB"}, nil} {
		s.named = named
		if _, err := s.watch(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.woken.Wake("signed:x") // and not taken before the next watch
	}
	if _, err := s.watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if woken := s.woken.Woken(); len(s.woken.C()) != 1 || !slices.Equal(woken, []string{"signed:x"}) {
		t.Errorf("%d tokens for %v, want 1 for signed:x", len(s.woken.C()), woken)
	}
	s.close()
	if n := c.woken.Watchers("signed:x"); n != 0 || len(c.duels) != 0 {
		t.Errorf("%d watches and %d duels are left behind", n, len(c.duels))
	}
}
