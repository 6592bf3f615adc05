package api_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"

	"roshambo/chain"
	"roshambo/internal/store"
)

// rivals returns two players with a finished duel between them.
func (s *stack) rivals(t *testing.T) (ann, bob *player) {
	t.Helper()
	ann, bob = s.guest(t), s.guest(t)
	s.joined(t, 0, ann, bob).play(t, "rs", "rs", "rs")
	return ann, bob
}

// challenging returns the request by which a player challenges an opponent.
func (p *player) challenging(opponent *player) request {
	return request{"POST", "/api/duels", fmt.Sprintf(`{"listed":false,"lives":"day","opponent":%q}`, opponent.address),
		map[string]string{"X-CSRF-Token": p.csrf}}
}

// TestChallengeOfTheFrozen: a player whose account is frozen gets no challenge and no rematch.
func TestChallengeOfTheFrozen(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob, path := s.offeredRematch(t)
	s.joined(t, 0, ann, bob).play(t, "rs", "rs", "rs")
	change := func(use func(context.Context, *store.Tx, chain.Address) ([]chain.Address, error)) {
		address, err := chain.ParseAddress(bob.address)
		if err != nil {
			t.Fatal(err)
		}
		err = s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := use(ctx, tx, address)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	send := func() answer {
		a, err := ann.try(t, ann.challenging(bob))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	change(s.accounts.Freeze)
	send().fails(t, 409, "no_challenge")
	ann.post(t, path, "").fails(t, 409, "no_rematch")
	change(s.accounts.Unfreeze)
	send().ok(t)
}

// TestBlockDuringTheChallenge blocks the challenger before each statement of its challenge: the block waits for the
// challenge and declines it, or the challenge is refused. SQLite has one writer, so there TestChallengeOverHTTP shows
// all that can happen.
func TestBlockDuringTheChallenge(t *testing.T) {
	t.Parallel()
	s := start(t)
	if s.db.Exclusive() {
		return // updates do not run concurrently
	}
	s.each.Use(t, s.db, s.place)
	outcomes := map[string]int{}
	for n := 1; ; n++ {
		ann, bob := s.rivals(t)
		blocked := make(chan answer, 1)
		s.each.Pause(n, func() {
			go func() {
				a, err := bob.try(t, request{"POST", "/api/duels/opponents/" + ann.address + "/block", "",
					map[string]string{"X-CSRF-Token": bob.csrf}})
				if err != nil {
					t.Error(err)
				}
				blocked <- a
			}()
			for len(blocked) == 0 && s.lockWaits(t) == 0 {
				runtime.Gosched()
			}
		})
		a, err := ann.try(t, ann.challenging(bob))
		if err != nil {
			t.Fatal(err)
		}
		query := s.each.Failed()
		if query == "" {
			break
		}
		if b := <-blocked; b.status != 200 {
			t.Errorf("statement %d: the block answers %d %s", n, b.status, b.body)
		}
		if waits := bob.challenges(t); waits != nil || a.status != 200 && a.outcome() != "no_challenge" {
			t.Errorf("statement %d: %v waits for the player who blocks, and the challenge answers %d %s\n%s", n, waits,
				a.status, a.body, query)
		}
		outcomes[a.outcome()]++
	}
	if outcomes["200"] == 0 || outcomes["no_challenge"] == 0 {
		t.Errorf("only one order was seen: %v", outcomes)
	}
}

// TestChallengeLocksInOrder: a challenge that waits for the account of its opponent, whose address is the lower one,
// has not locked its own: two players do not wait in a circle when they challenge each other.
func TestChallengeLocksInOrder(t *testing.T) {
	t.Parallel()
	s := start(t)
	if s.db.Exclusive() {
		return // updates do not run concurrently
	}
	high, low := s.rivals(t)
	parse := func(p *player) chain.Address {
		address, err := chain.ParseAddress(p.address)
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	if a, b := parse(high), parse(low); bytes.Compare(a[:], b[:]) < 0 {
		high, low = low, high
	}
	own, held := parse(high), parse(low)
	answers, free := make(chan answer, 1), 0
	err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := s.accounts.AddsTo(ctx, tx, held); err != nil {
			return err
		}
		if _, err := s.accounts.Get(ctx, tx, held); err != nil { // sends the lock, too
			return err
		}
		go func() {
			a, err := high.try(t, high.challenging(low))
			if err != nil {
				t.Error(err)
			}
			answers <- a
		}()
		for len(answers) == 0 && s.lockWaits(t) == 0 {
			runtime.Gosched()
		}
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM
			(SELECT 1 FROM account WHERE address = $1 FOR UPDATE SKIP LOCKED) AS a`, own[:]).Scan(&free)
	})
	if err != nil {
		t.Fatal(err)
	}
	(<-answers).ok(t)
	if free != 1 {
		t.Error("the challenge holds its own account while it waits for its opponent's")
	}
}
