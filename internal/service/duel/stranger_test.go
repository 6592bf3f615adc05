package duel_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

func (h *fixture) set(t testing.TB, p duel.Player, to duel.Setting) {
	t.Helper()
	h.Update(t, func(ctx context.Context, tx *store.Tx) error { return h.SetSetting(ctx, tx, p.Address, to) })
}

func (h *fixture) setting(t testing.TB, p duel.Player) (s duel.Setting) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		s, err = h.Setting(ctx, tx, p.Address, p.Kind)
		return err
	})
	return s
}

// TestSetting: an account has the default of its kind until it chooses, and none after its deletion.
func TestSetting(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bot := h.join(t, "ann", chain.Full), h.join(t, "bot", chain.Bot)
	night := duel.Setting{Takes: duel.TakesAll, Quiet: duel.Hours{From: 22 * 60, To: 7 * 60}}
	for _, step := range []struct {
		do       func()
		ann, bot duel.Setting
	}{
		{func() {}, duel.Setting{Takes: duel.TakesMet}, duel.Setting{Takes: duel.TakesNone}},
		{func() { h.set(t, bot, night) }, duel.Setting{Takes: duel.TakesMet}, night},
		{func() { h.set(t, ann, duel.Setting{Takes: duel.TakesNone, Quiet: duel.Hours{From: 5, To: 5}}) },
			duel.Setting{Takes: duel.TakesNone}, night},
		{func() { h.set(t, bot, duel.Setting{Takes: duel.TakesMet}) }, duel.Setting{Takes: duel.TakesNone},
			duel.Setting{Takes: duel.TakesMet}},
		{func() {
			for _, p := range []duel.Player{ann, bot} {
				h.Update(t, func(ctx context.Context, tx *store.Tx) error { return h.Forget(ctx, tx, p.Address) })
			}
		}, duel.Setting{Takes: duel.TakesMet}, duel.Setting{Takes: duel.TakesNone}},
	} {
		step.do()
		if a, b := h.setting(t, ann), h.setting(t, bot); a != step.ann || b != step.bot {
			t.Errorf("ann %+v and the bot %+v, want %+v and %+v", a, b, step.ann, step.bot)
		}
	}
}

// TestChallengeByName: a bot that takes challenges gets challenges of strangers, people and bots, outside of its quiet
// hours; it accepts them, and they are casual.
func TestChallengeByName(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bot, other := h.join(t, "ann", chain.Guest), h.join(t, "bot", chain.Bot), h.join(t, "other", chain.Bot)
	if _, err := h.challenge(t, ann, bot); !errors.Is(err, duel.ErrNoChallenge) {
		t.Errorf("a bot that has not chosen: %v", err)
	}
	minute := int64(h.Clock.Now().Hour()*60 + h.Clock.Now().Minute())
	h.set(t, bot, duel.Setting{Takes: duel.TakesAll, Quiet: duel.Hours{From: minute, To: (minute + 60) % (24 * 60)}})
	if _, err := h.challenge(t, ann, bot); !errors.Is(err, duel.ErrQuiet) {
		t.Errorf("in the quiet hours: %v", err)
	}
	h.Clock.Add(time.Hour)
	if _, err := h.challenge(t, bot, bot); !errors.Is(err, duel.ErrNoChallenge) {
		t.Errorf("of itself: %v", err)
	}
	byAnn, byOther := h.must(t)(h.challenge(t, ann, bot)), h.must(t)(h.challenge(t, other, bot))
	if byAnn.Rated || byAnn.Listed || byAnn.Kind != duel.ByCode {
		t.Errorf("the challenge is %+v", byAnn)
	}
	d := h.must(t)(h.enter(t, bot, byAnn.Code))
	if d.Rated || d.Pool() != duel.Unrated {
		t.Errorf("accepted: %+v", d)
	}
	h.play(t, d, "rs", "rs", "rs")
	h.must(t)(h.cancel(t, other, byOther.Code))
	if _, err := h.challenge(t, other, bot); !errors.Is(err, duel.ErrChallenges) {
		t.Errorf("again at once, after it was cancelled: %v", err)
	}
	h.Clock.Add(duel.ChallengePause)
	h.must(t)(h.challenge(t, other, bot))
	h.set(t, bot, duel.Setting{Takes: duel.TakesNone})
	if got := h.waiting(t, bot); len(got) != 1 {
		t.Errorf("a challenge that waits does not stay: %v", got)
	}
}

// TestBlockedStranger: a stranger to the account can be blocked after a challenge, and is listed until it is
// not.
func TestBlockedStranger(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	eve, bot := h.join(t, "eve", chain.Guest), h.join(t, "bot", chain.Bot)
	h.set(t, bot, duel.Setting{Takes: duel.TakesAll})
	if err := h.block(t, bot, eve, true); !errors.Is(err, duel.ErrNoOpponent) {
		t.Errorf("before a challenge: %v", err)
	}
	d := h.must(t)(h.challenge(t, eve, bot))
	if err := h.block(t, bot, eve, true); err != nil {
		t.Fatal(err)
	}
	if got := h.read(t, d.Code); got.Status != duel.Declined {
		t.Errorf("after the block: %s", got.Status)
	}
	if got := h.opponents(t, bot); len(got) != 1 || !got[0].Blocked || !got[0].PlayedAt.IsZero() {
		t.Errorf("listed: %+v", got)
	}
	h.Clock.Add(3 * 24 * time.Hour) // the challenge is forgotten, and the block is not
	h.sweep(t)
	if _, err := h.challenge(t, eve, bot); !errors.Is(err, duel.ErrNoChallenge) {
		t.Errorf("blocked: %v", err)
	}
	if err := h.block(t, bot, eve, false); err != nil {
		t.Fatal(err)
	}
	if got := h.opponents(t, bot); len(got) != 0 {
		t.Errorf("listed: %+v", got)
	}
	h.must(t)(h.challenge(t, eve, bot))
}

// TestStrangersInTurn: however many accounts open and cancel challenges of one player, one network and all of them
// together reach it a few times an hour; opponents of the player still do.
func TestStrangersInTurn(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	bob := h.join(t, "bob", chain.Full)
	friend := h.join(t, "friend", chain.Full)
	h.beat(t, friend, bob)
	h.set(t, bob, duel.Setting{Takes: duel.TakesAll})
	from := func(p duel.Player, address string) error {
		ctx := fairshare.With(t.Context(), &fairshare.Network{Key: []byte("key"), Address: netip.MustParseAddr(address)})
		return h.Ledger.DB.UpdateAt(ctx, duel.Isolation, func(ctx context.Context, tx *store.Tx) error {
			d, err := h.Create(ctx, tx, p, duel.Terms{Unlisted: true, Day: true, Invited: bob})
			if err == nil {
				_, err = h.Cancel(ctx, tx, p.Address, d.Code)
			}
			return err
		})
	}
	stranger := func(address string) error { return from(h.join(t, "player", chain.Guest), address) }
	reached := func(address string, most int) (n int) {
		for range most + 1 {
			err := stranger(address)
			if errors.Is(err, duel.ErrNoChallenge) {
				return n
			}
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	if n := reached("192.0.2.1", duel.MaxLatelyNear); n != duel.MaxLatelyNear {
		t.Errorf("one address reaches the player %d times, want %d", n, duel.MaxLatelyNear)
	}
	all := duel.MaxLatelyNear
	for i := 2; all < duel.MaxLately; i++ {
		all += reached(fmt.Sprintf("192.0.2.%d", i), duel.MaxLatelyNear)
	}
	if all != duel.MaxLately {
		t.Errorf("all reach the player %d times, want %d", all, duel.MaxLately)
	}
	if err := stranger("198.51.100.7"); !errors.Is(err, duel.ErrNoChallenge) {
		t.Errorf("beyond the limit: %v", err)
	}
	if err := from(friend, "192.0.2.1"); err != nil {
		t.Errorf("an opponent of the player: %v", err)
	}
	h.Clock.Add(duel.LatelyWithin)
	if err := stranger("192.0.2.1"); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

// TestChallengesAreForgotten: no challenge, and no network of one, is kept for longer than two days.
func TestChallengesAreForgotten(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bot := h.join(t, "ann", chain.Full), h.join(t, "bot", chain.Bot)
	h.set(t, bot, duel.Setting{Takes: duel.TakesAll})
	h.must(t)(h.challenge(t, ann, bot))
	rows := func() (n int) {
		h.View(t, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT count(*) FROM duel_challenger").Scan(&n)
		})
		return n
	}
	h.Clock.Add(24 * time.Hour)
	h.sweep(t)
	if n := rows(); n != 1 {
		t.Errorf("%d on the next day, want 1", n)
	}
	h.Clock.Add(24 * time.Hour)
	h.sweep(t)
	if n := rows(); n != 0 {
		t.Errorf("%d two days later, want none", n)
	}
}

// TestQuietHoursOfADay checks that quiet hours outside of a day are refused before they are stored.
func TestQuietHoursOfADay(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann := h.join(t, "ann", chain.Full)
	for _, quiet := range []duel.Hours{{From: -1, To: 60}, {From: 60, To: 24 * 60}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("quiet hours of %+v were stored", quiet)
				}
			}()
			_ = h.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				return h.SetSetting(ctx, tx, ann.Address, duel.Setting{Takes: duel.TakesNone, Quiet: quiet})
			})
		}()
	}
}
