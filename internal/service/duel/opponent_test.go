package duel_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// challenge creates an invitation of a day for b alone.
func (h *fixture) challenge(t testing.TB, a, b duel.Player) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return h.Create(ctx, tx, a, duel.Terms{Unlisted: true, Day: true, Invited: b})
	})
}

// beat plays a duel that a wins.
func (h *fixture) beat(t testing.TB, a, b duel.Player) *duel.Duel {
	t.Helper()
	return h.play(t, h.must(t)(h.enter(t, b, h.must(t)(h.create(t, a, 0)).Code)), "rs", "rs", "rs")
}

func (h *fixture) opponents(t testing.TB, of duel.Player) (list []duel.Opponent) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		list, err = h.Opponents(ctx, tx, of.Address, 10)
		return err
	})
	return list
}

func (h *fixture) block(t testing.TB, by, opponent duel.Player, blocked bool) error {
	t.Helper()
	return h.Ledger.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return h.Block(ctx, tx, by.Address, opponent.Address, blocked)
	})
}

// waiting returns the codes of the open challenges of a player.
func (h *fixture) waiting(t testing.TB, p duel.Player) (codes []string) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := h.List(ctx, tx, duel.Filter{For: p.Address, Before: 1 << 60, Count: 10})
		codes = nil
		for _, d := range list {
			if d.Status == duel.Open {
				codes = append(codes, d.Code)
			}
		}
		return err
	})
	return codes
}

// TestOpponents counts the results of duels between people from both sides, and no practice, no duels of bots, and
// none that neither side has played.
func TestOpponents(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob, cyd := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Guest), h.join(t, "cyd", chain.Full)
	bot := h.join(t, "bot", chain.Bot)
	h.beat(t, ann, bob)
	h.Clock.Add(time.Hour)
	h.beat(t, bob, ann)
	h.beat(t, bob, ann)
	first := *h.beat(t, ann, bob).EndedAt
	h.play(t, h.must(t)(h.spar(t, ann)), "r-", "r-", "r-")
	h.beat(t, ann, bot)
	h.must(t)(h.resign(t, cyd, h.must(t)(h.enter(t, ann, h.must(t)(h.create(t, cyd, 0)).Code)).Code))
	want := []duel.Opponent{{Address: bob.Address, Wins: 2, Losses: 2, PlayedAt: first}}
	if got := h.opponents(t, ann); !cmp.Equal(got, want) {
		t.Errorf("of ann: %+v, want %+v", got, want)
	}
	h.Clock.Add(time.Hour)
	last := *h.beat(t, cyd, bob).EndedAt
	want = []duel.Opponent{{Address: cyd.Address, Losses: 1, PlayedAt: last},
		{Address: ann.Address, Wins: 2, Losses: 2, PlayedAt: first}}
	if got := h.opponents(t, bob); !cmp.Equal(got, want) {
		t.Errorf("of bob: %+v, want %+v", got, want)
	}
	if got := h.opponents(t, bot); len(got) > 0 {
		t.Errorf("of a bot: %+v", got)
	}
}

// TestChallenge follows challenges from the event to each of their ends.
func TestChallenge(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob, cyd := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full), h.join(t, "cyd", chain.Full)
	if _, err := h.challenge(t, ann, bob); !errors.Is(err, duel.ErrNoChallenge) {
		t.Errorf("before a duel: %v", err)
	}
	h.beat(t, ann, bob)
	h.posted(t)
	d := h.must(t)(h.challenge(t, ann, bob))
	if diff := cmp.Diff([]string{"account:bob duel_challenge", "account:ann duel_created"}, h.posted(t)); diff != "" {
		t.Errorf("challenged:\n%s", diff)
	}
	stored := h.read(t, d.Code)
	if stored.Invited != (duel.Player{Address: bob.Address, Username: "bob"}) || stored.Deadline.Sub(
		stored.CreatedAt) != duel.DayTimeout || stored.Listed {
		t.Errorf("stored %+v", stored)
	}
	for _, by := range []duel.Player{ann, bob} {
		other := map[string]duel.Player{"ann": bob, "bob": ann}[by.Username]
		if _, err := h.challenge(t, by, other); !errors.Is(err, duel.ErrChallenges) {
			t.Errorf("%s challenges while one is open: %v", by.Username, err)
		}
	}
	if _, err := h.enter(t, cyd, d.Code); !errors.Is(err, duel.ErrForbidden) {
		t.Errorf("another player joins: %v", err)
	}
	if _, err := h.cancel(t, cyd, d.Code); !errors.Is(err, duel.ErrForbidden) {
		t.Errorf("another player declines: %v", err)
	}
	if got := h.waiting(t, bob); !slices.Equal(got, []string{d.Code}) {
		t.Errorf("for bob: %v", got)
	}
	if d = h.must(t)(h.cancel(t, bob, d.Code)); d.Status != duel.Declined || len(h.waiting(t, bob)) > 0 {
		t.Errorf("declined: %s, for bob %v", d.Status, h.waiting(t, bob))
	}
	if diff := cmp.Diff([]string{"account:ann duel_cancelled", "account:bob duel_cancelled"}, h.posted(t)); diff != "" {
		t.Errorf("declined:\n%s", diff)
	}
	if got := h.read(t, d.Code); got.Status != duel.Declined || got.Invited != (duel.Player{}) {
		t.Errorf("stored %+v", got)
	}
	if _, err := h.challenge(t, ann, bob); !errors.Is(err, duel.ErrChallenges) {
		t.Errorf("too soon after the last one: %v", err)
	}
	h.Clock.Add(duel.ChallengePause)
	d = h.must(t)(h.challenge(t, ann, bob))
	h.Clock.Add(time.Hour)
	d = h.must(t)(h.enter(t, bob, d.Code))
	if d.Status != duel.Active || d.Deadline.Sub(*d.StartedAt) != duel.ArriveTimeout || len(h.waiting(t, bob)) > 0 {
		t.Errorf("accepted: %+v, for bob %v", d, h.waiting(t, bob))
	}
	if got := h.opponents(t, ann)[0]; got.Losses != 0 || h.play(t, d, "sr", "sr", "sr").Status != duel.Finished ||
		h.opponents(t, ann)[0].Losses != 1 {
		t.Errorf("played: %+v, then %+v", got, h.opponents(t, ann))
	}
	h.Clock.Add(duel.ChallengeWithin + time.Second)
	if _, err := h.challenge(t, ann, bob); !errors.Is(err, duel.ErrNoChallenge) {
		t.Errorf("long after the last duel: %v", err)
	}
}

// TestChallengeExpires: both learn of the end of a challenge that was not answered.
func TestChallengeExpires(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	h.beat(t, ann, bob)
	d := h.must(t)(h.challenge(t, ann, bob))
	h.posted(t)
	h.Clock.Add(duel.DayTimeout - time.Millisecond)
	h.sweep(t)
	if got := h.read(t, d.Code); got.Status != duel.Open || len(h.posted(t)) > 0 {
		t.Errorf("just before its end: %s", got.Status)
	}
	h.Clock.Add(time.Millisecond)
	h.sweep(t)
	if diff := cmp.Diff([]string{"account:ann duel_expired", "account:bob duel_expired"}, h.posted(t)); diff != "" {
		t.Errorf("expired:\n%s", diff)
	}
}

// TestBlock: a blocked opponent's challenge is declined, and later ones are refused until the block ends. An account
// that is deleted declines what waits for it, and keeps no opponents.
func TestBlock(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob, cyd := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full), h.join(t, "cyd", chain.Full)
	if err := h.block(t, bob, ann, true); !errors.Is(err, duel.ErrNoOpponent) {
		t.Errorf("before a duel: %v", err)
	}
	h.beat(t, ann, bob)
	h.beat(t, cyd, bob)
	byAnn, byCyd := h.must(t)(h.challenge(t, ann, bob)), h.must(t)(h.challenge(t, cyd, bob))
	if err := h.block(t, bob, ann, true); err != nil {
		t.Fatal(err)
	}
	got, declined := h.waiting(t, bob), h.read(t, byAnn.Code)
	if declined.Status != duel.Declined || !slices.Equal(got, []string{byCyd.Code}) {
		t.Errorf("after the block: %s, for bob %v", declined.Status, got)
	}
	h.Clock.Add(duel.ChallengePause)
	if _, err := h.challenge(t, ann, bob); !errors.Is(err, duel.ErrNoChallenge) {
		t.Errorf("blocked: %v", err)
	}
	if got := h.opponents(t, bob); !got[0].Blocked && !got[1].Blocked || h.opponents(t, ann)[0].Blocked {
		t.Errorf("blocked: %+v", got)
	}
	h.must(t)(h.challenge(t, bob, ann))
	if err := h.block(t, bob, ann, false); err != nil {
		t.Fatal(err)
	}
	h.Clock.Add(duel.DayTimeout)
	h.sweep(t)
	h.must(t)(h.challenge(t, ann, bob))
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		if err := h.CancelOpen(ctx, tx, bob.Address); err != nil {
			return err
		}
		return h.Forget(ctx, tx, bob.Address)
	})
	if got := h.opponents(t, bob); len(got) > 0 || len(h.waiting(t, bob)) > 0 || len(h.opponents(t, ann)) != 1 {
		t.Errorf("after the deletion: %+v, challenges %v", got, h.waiting(t, bob))
	}
}

// TestChallengeOfALeaver: a deleted opponent is challenged no more.
func TestChallengeOfALeaver(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	h.beat(t, ann, bob)
	h.HoldOpponent = func(context.Context, *store.Tx, chain.Address) error { return duel.ErrNoRematch }
	if _, err := h.challenge(t, ann, bob); !errors.Is(err, duel.ErrNoChallenge) {
		t.Errorf("of a deleted account: %v", err)
	}
}

// TestEmote posts an emote to the people of a duel.
func TestEmote(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	emote := func(by duel.Player, code string) error {
		return h.Ledger.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return h.Emote(ctx, tx, by.Address, code, "nice")
		})
	}
	d := h.must(t)(h.enter(t, bob, h.must(t)(h.create(t, ann, 0)).Code))
	spar := h.must(t)(h.spar(t, ann))
	h.posted(t)
	for _, err := range []error{emote(bob, d.Code), emote(ann, spar.Code)} {
		if err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"account:ann emote", "account:bob emote", "account:ann emote"}, h.posted(t)); diff != "" {
		t.Error(diff)
	}
	if err := emote(bob, spar.Code); !errors.Is(err, duel.ErrForbidden) {
		t.Errorf("a spectator: %v", err)
	}
	if err := emote(bob, "00000000"); !errors.Is(err, duel.ErrNotFound) {
		t.Errorf("no duel: %v", err)
	}
}
