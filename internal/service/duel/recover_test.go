package duel_test

import (
	"context"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// recover performs a recovery of the duels, as the start on a restored database does.
func (h *fixture) recover(t *testing.T) {
	t.Helper()
	h.Ledger.Update(t, func(ctx context.Context, tx *store.Tx) error {
		if err := h.Ledger.Recover(ctx, tx, "a test"); err != nil {
			return err
		}
		return h.Service.Recover(ctx, tx, func(p duel.Player) bool { return strings.HasPrefix(p.Username, "house-") })
	})
}

// TestRecoverDealsAnew: a player who has seen the hands of an older state sees others after its recovery,
// and the sparring bot still reveals what it has committed to.
func TestRecoverDealsAnew(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	guest := h.join(t, "guest", chain.Guest)
	seen, err := duel.NewHandSource([]byte("of the test"), after(0))
	if err != nil {
		t.Fatal(err)
	}
	was := func(code string, round int) chain.Hash { return chain.HashHand(seen(code, round)) }

	// In one duel the bot alone has committed, in the other both have.
	d, bound := h.must(t)(h.spar(t, guest)), h.must(t)(h.spar(t, guest))
	hand := salted(game.Rock)
	h.must(t)(h.commit(t, guest, bound.Code, hand))
	if d.Hands[1].Commitment != was(d.Code, 1) {
		t.Fatalf("before: %v is not the hand of no recovery", d.Hands[1])
	}
	h.recover(t)
	if d = h.read(t, d.Code); d.Hands[1].Commitment == was(d.Code, 1) || !d.Hands[1].Committed {
		t.Errorf("after the recovery: %+v", d.Hands[1])
	}
	bound = h.must(t)(h.reveal(t, guest, bound.Code, hand))
	if got := bound.Rounds[0].Hands[1]; got.Commitment != was(bound.Code, 1) ||
		chain.HashHand(got.Move, got.Salt) != got.Commitment {
		t.Errorf("a round in which both were bound: %+v", got)
	}
	for _, d := range []*duel.Duel{d, bound} {
		for d.Status == duel.Active {
			if n := len(d.Rounds) + 1; d.Hands[1].Commitment == was(d.Code, n) {
				t.Errorf("round %d repeats a hand", n)
			}
			hand := salted(game.Move(len(d.Rounds) % 3))
			h.must(t)(h.commit(t, guest, d.Code, hand))
			d = h.must(t)(h.reveal(t, guest, d.Code, hand))
			if got := d.Rounds[len(d.Rounds)-1].Hands[1]; chain.HashHand(got.Move, got.Salt) != got.Commitment {
				t.Errorf("round %d shows %+v", len(d.Rounds), got)
			}
		}
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestRecoverForgetsHouseBots: a house bot commits again unless both are bound; other players stay bound.
func TestRecoverForgetsHouseBots(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	house, bot := h.join(t, "house-rock", chain.Bot), h.join(t, "rocky", chain.Bot)
	hand, other := salted(game.Rock), salted(game.Paper)
	first := h.must(t)(h.ranked(t, house, bot))
	second := h.must(t)(h.ranked(t, bot, house))
	both := h.must(t)(h.ranked(t, house, bot))
	h.must(t)(h.commit(t, house, first.Code, hand))
	h.must(t)(h.commit(t, bot, second.Code, other))
	h.must(t)(h.commit(t, house, both.Code, hand))
	h.must(t)(h.commit(t, bot, both.Code, other))
	h.recover(t)
	for code, want := range map[string][2]bool{first.Code: {}, second.Code: {true}, both.Code: {true, true}} {
		d := h.read(t, code)
		if got := [2]bool{d.Hands[0].Committed, d.Hands[1].Committed}; got != want {
			t.Errorf("committed %v, want %v", got, want)
		}
	}
	d := h.must(t)(h.commit(t, house, first.Code, salted(game.Scissors)))
	if !d.Hands[0].Committed {
		t.Error("the house bot cannot commit again")
	}
}

// TestRecoverVoidsStakes: a staked duel in play is void, whatever its score and its deadline, and both stakes
// go back; one that waits for an opponent goes on.
func TestRecoverVoidsStakes(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	staked := h.must(t)(h.create(t, ann, 30))
	staked = h.must(t)(h.enter(t, bob, staked.Code))
	staked = h.play(t, staked, "rs")
	open := h.must(t)(h.create(t, ann, 20))
	h.Clock.Add(duel.HumanStepTimeout)
	h.recover(t)
	d := h.read(t, staked.Code)
	if d.Status != duel.Void || d.SettleTx == nil || d.Winner != game.NoSide || len(d.Rounds) != 1 || d.Rated {
		t.Errorf("a staked duel in play: got %+v", d)
	}
	if got := h.read(t, open.Code); got.Status != duel.Open {
		t.Errorf("a duel that waits for an opponent: got %+v", got)
	}
	h.SealAll(t)
	h.WantValid(t)
}
