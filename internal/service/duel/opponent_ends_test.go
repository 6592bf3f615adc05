package duel_test

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// TestNoOpponentsAfterTheDeletion: a duel in play that ends after the deletion of an account leaves no past opponent of
// it, and its opponent keeps the result. The sweep deletes what an earlier version has left.
func TestNoOpponentsAfterTheDeletion(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	d := h.must(t)(h.enter(t, bob, h.must(t)(h.create(t, ann, 0)).Code))
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at,
			deleted_at) VALUES ($1, 'account', 'deleted-1', 'deleted-1', 'deleted-1', 1, 2)`, bob.Address[:])
		return err
	})
	h.play(t, d, "rs", "rs", "rs")
	rows := func(of duel.Player) (n int) {
		h.View(t, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT count(*) FROM duel_opponent WHERE account = $1", of.Address[:]).Scan(&n)
		})
		return n
	}
	if rows(ann) != 1 || rows(bob) != 0 {
		t.Errorf("past opponents: ann has %d and bob, who has left, %d", rows(ann), rows(bob))
	}
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO duel_opponent (account, opponent, wins, losses, draws, played_at, blocked)
			VALUES ($1, $2, 0, 1, 0, 1, 0)`, bob.Address[:], ann.Address[:])
		return err
	})
	h.sweep(t)
	if rows(ann) != 1 || rows(bob) != 0 {
		t.Errorf("after the sweep: ann has %d past opponents and bob %d", rows(ann), rows(bob))
	}
}

// TestChallengesOfANetwork: one network takes a share of the places of waiting challenges, also over midnight, and
// others find one.
func TestChallengesOfANetwork(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	bob := h.join(t, "bob", chain.Full)
	from := func(address string) error {
		p := h.join(t, "player", chain.Guest)
		h.beat(t, p, bob)
		ctx := fairshare.With(t.Context(), &fairshare.Network{Key: []byte("key"), Address: netip.MustParseAddr(address)})
		return h.Ledger.DB.UpdateAt(ctx, duel.Isolation, func(ctx context.Context, tx *store.Tx) error {
			_, err := h.Create(ctx, tx, p, duel.Terms{Unlisted: true, Day: true, Invited: bob})
			return err
		})
	}
	for _, step := range []struct {
		address string
		after   time.Duration
		free    int // places
	}{{"192.0.2.1", 0, duel.MaxNear}, {"192.0.2.1", 13 * time.Hour, 0}, {"192.0.2.2", 0, 1},
		{"2001:db8::1", 0, duel.MaxNear}, {"2001:db8:0:1::1", 0, duel.MaxAround - duel.MaxNear}, {"2001:db8:0:2::1", 0, 0},
		{"2001:db8:1::1", 0, 1}} {
		h.Clock.Add(step.after)
		for range step.free {
			if err := from(step.address); err != nil {
				t.Fatalf("%s finds no place: %v", step.address, err)
			}
		}
		if step.free == 1 {
			continue // it has more places
		}
		if err := from(step.address); !errors.Is(err, duel.ErrNoChallenge) {
			t.Errorf("%s takes more than its share: %v", step.address, err)
		}
	}
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := h.List(ctx, tx, duel.Filter{For: bob.Address, Before: 1 << 60, Count: 1})
		if err == nil && len(list[0].Network) == 0 {
			t.Error("an open challenge is charged to no network")
		}
		return err
	})
	d := h.must(t)(h.enter(t, bob, h.waiting(t, bob)[0]))
	if d = h.read(t, d.Code); len(d.Network) != 0 {
		t.Error("a challenge in play is charged to a network")
	}
}

// TestChallengeLocksInOrder: a challenge that waits for the row of its account in the ledger, which the end of a duel
// has changed, holds no past opponents, which that end changes next. SQLite has one writer.
func TestChallengeLocksInOrder(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	if h.Ledger.DB.Exclusive() {
		return // updates do not run concurrently
	}
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	h.beat(t, ann, bob)
	challenged := make(chan error, 1)
	free := 0
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		if err := h.TouchAccount(ctx, tx, ann.Address); err != nil {
			return err
		}
		var one int
		if err := tx.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil { // sends the statement before
			return err
		}
		if len(challenged) == 0 {
			go func() {
				_, err := h.challenge(t, ann, bob)
				challenged <- err
			}()
		}
		for waits := 0; len(challenged) == 0 && waits == 0; runtime.Gosched() {
			h.View(t, func(ctx context.Context, tx *store.Tx) error {
				return tx.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waits)
			})
		}
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM
			(SELECT 1 FROM duel_opponent FOR UPDATE SKIP LOCKED) AS o`).Scan(&free)
	})
	if err := <-challenged; err != nil {
		t.Error(err)
	}
	if free != 2 {
		t.Errorf("%d of 2 past opponents are free while the challenge waits", free)
	}
}
