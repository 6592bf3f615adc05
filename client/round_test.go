package client_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/game"
)

// spar begins a practice duel.
func spar(t *testing.T, b *client.Bot) *api.Duel {
	t.Helper()
	out, err := client.Read[api.DuelOut](b.Client.API.Spar(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return &out.Duel
}

// TestPlayRound plays a duel round by round, by a bot without a strategy.
func TestPlayRound(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	b := newBot(t, client.BotOptions{Client: newClient(t, client.Options{URL: s.url, Key: s.newBot("one")})})
	if hand, ok := b.Sealed(); ok {
		t.Errorf("before the first round: %+v", hand)
	}
	d := spar(t, b)
	for n := int64(1); d.Status == api.DuelStatusActive; n++ {
		next, err := b.PlayRound(t.Context(), d, game.Paper)
		if err != nil {
			t.Fatal(err)
		}
		r := next.Rounds[n-1]
		if r.Round != n || r.MoveA == nil || *r.MoveA != "paper" || r.Outcome == api.DuelRoundOutcomePending {
			t.Errorf("round %d: %+v, want one that is decided, with paper", n, r)
		}
		if hand, ok := b.Sealed(); !ok || hand != (client.Sealed{Duel: d.ID, Round: n, Move: game.Paper}) {
			t.Errorf("after round %d the hand is %+v", n, hand)
		}
		d = next
	}
	if again, err := b.PlayRound(t.Context(), d, game.Rock); err != nil || again != d {
		t.Errorf("a duel that is over: got %+v, %v", again, err)
	}
	if _, err := b.Play(t.Context(), spar(t, b)); err == nil || !strings.Contains(err.Error(), "need a Strategy") {
		t.Errorf("Play without a strategy: got %v", err)
	}
}

// TestPlayRoundKeepsTheHand: after a crash the hand that is stored is played, whatever move is asked for.
func TestPlayRoundKeepsTheHand(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	key, state := s.newBot("one"), filepath.Join(t.TempDir(), "hand.json")
	bot := func(through http.RoundTripper) *client.Bot {
		return newBot(t, client.BotOptions{State: state,
			Client: newClient(t, client.Options{URL: s.url, Key: key, Transport: through, RetryBudget: time.Millisecond})})
	}
	killed := bot(&stopAfter{path: "/commit"})
	d := spar(t, killed)
	if _, err := killed.PlayRound(t.Context(), d, game.Paper); !errors.Is(err, errKilled) {
		t.Fatalf("got %v, want %v", err, errKilled)
	}
	next, err := bot(nil).PlayRound(t.Context(), d, game.Rock)
	if err != nil {
		t.Fatal(err)
	}
	if r := next.Rounds[0]; r.MoveA == nil || *r.MoveA != "paper" || r.ForfeitedBy != nil {
		t.Errorf("the round is %+v, want it played with paper", r)
	}
}
