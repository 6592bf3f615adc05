package arena_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
)

// TestBook checks which duels count for which ratings.
func TestBook(t *testing.T) {
	t.Parallel()
	ann, bob, bot, other := addressOf(1), addressOf(2), addressOf(3), addressOf(4)
	cyd := addressOf(5)
	book := arena.NewBook()
	for address, kind := range map[chain.Address]chain.AccountKind{ann: chain.Guest, bob: chain.Full, bot: chain.Bot,
		other: chain.Bot} {
		book.Add(&chain.Tx{Actor: address, Data: &chain.AccountCreate{AccountKind: kind}}, nil)
	}
	won, lost := glicko.Game(glicko.Newcomer, glicko.Newcomer, glicko.Win)
	for _, d := range []chain.DuelSettle{
		{A: ann, B: bob, Winner: "a", Rated: false}, // only staked
		{A: ann, B: bob, Winner: "b", Rated: true},
		{A: bot, B: other, Winner: "a", Rated: true},
		{A: cyd, B: bot, Winner: "a", Rated: true}, // a person among bots
	} {
		book.Add(&chain.Tx{Data: &d}, transcript(&d))
	}
	book.Add(&chain.Tx{Actor: ann, Data: &chain.Faucet{}}, nil)
	if bots := book.Ratings()[arena.PlayerKey{Pool: arena.Bots, Address: bot}]; bots != won {
		t.Errorf("a duel against a person counts among bots: %v", bots)
	}
	want := map[arena.PlayerKey]glicko.Fixed{
		{Pool: arena.Human, Address: ann}: lost, {Pool: arena.Human, Address: bob}: won,
		{Pool: arena.Human, Address: cyd}: won, {Pool: arena.Human, Address: bot}: lost,
		{Pool: arena.Bots, Address: bot}: won, {Pool: arena.Bots, Address: other}: lost,
	}
	if got := book.Ratings(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestForfeits checks that a winner gains nothing unless two reveals decided two of its rounds, and that
// the loser loses all the same.
func TestForfeits(t *testing.T) {
	t.Parallel()
	won, lost := glicko.Game(glicko.Newcomer, glicko.Newcomer, glicko.Win)
	d := chain.DuelSettle{A: addressOf(1), B: addressOf(2), Winner: "a", Rated: true}
	for _, tt := range []struct {
		revealed int // the rounds before b stops
		want     glicko.Fixed
	}{{0, glicko.Newcomer}, {1, glicko.Newcomer}, {2, won}, {3, won}} {
		played, err := chain.ParseDuelTranscript(transcript(&d))
		if err != nil {
			t.Fatal(err)
		}
		for i := tt.revealed; i < len(played.Rounds); i++ {
			r := &played.Rounds[i]
			r.Hands[1], r.Forfeit = chain.DuelHand{Committed: true, Commitment: r.Hands[1].Commitment}, game.B
		}
		book := arena.NewBook()
		book.Add(&chain.Tx{Data: &d}, played.Raw())
		got := book.Ratings()
		if a := got[arena.PlayerKey{Pool: arena.Human, Address: d.A}]; a != tt.want {
			t.Errorf("won with %d rounds by reveals: %+v, want %+v", tt.revealed, a, tt.want)
		}
		if b := got[arena.PlayerKey{Pool: arena.Human, Address: d.B}]; b != lost {
			t.Errorf("lost with %d rounds by reveals: %+v, want %+v", tt.revealed, b, lost)
		}
	}
}

// TestAuditFinds checks that the audit names a rating that differs from the chain's, one that the chain
// does not have, and one that is not stored.
func TestAuditFinds(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	ann, bob, cyd := h.player(t, 1, chain.Full, 0), h.player(t, 2, chain.Full, 0), h.player(t, 3, chain.Full, 0)
	book := arena.NewBook()
	book.Add(&chain.Tx{Data: &chain.DuelSettle{A: ann, B: cyd, Winner: "a", Rated: true}}, nil)
	for _, a := range []chain.Address{ann, bob} {
		h.exec(t, `INSERT INTO arena_rating (pool, address, rating, deviation, volatility, games, wins, losses, draws, rivals,
			standing, last_played) VALUES ('human', $1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1)`, a[:])
	}
	found := map[string]string{}
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := h.Audit(ctx, tx, book, 10)
		for _, d := range list {
			if d.What == "rating" {
				found[d.Where] = strings.Join([]string{d.Expected, d.Found}, ", ")
			}
		}
		return err
	})
	if len(found) != 3 || !strings.HasPrefix(found[bob.String()], "none, 0.0") ||
		!strings.HasSuffix(found[cyd.String()], ", none") || strings.Contains(found[ann.String()], "none") {
		t.Errorf("found %q", found)
	}
}
