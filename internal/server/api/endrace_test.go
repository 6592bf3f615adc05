package api_test

import (
	"context"
	"runtime"
	"testing"

	"roshambo/internal/store"
)

// TestRematchWithTheDeleted accepts a rematch that its other side offered before it deleted its account: no
// duel with a deleted account begins.
func TestRematchWithTheDeleted(t *testing.T) {
	t.Parallel()
	s := shared(t)
	ann, bob, path := s.offeredRematch(t)
	bob.post(t, "/api/account/delete", "").ok(t)
	ann.post(t, path, "").fails(t, 409, "no_rematch")
}

// offeredRematch returns two players of a finished duel and its path for a rematch, which bob has offered.
func (s *stack) offeredRematch(t *testing.T) (ann, bob *player, path string) {
	t.Helper()
	ann, bob = s.guest(t), s.guest(t)
	g := s.joined(t, 10, ann, bob)
	bob.post(t, g.path+"/resign", "").ok(t)
	bob.post(t, g.path+"/rematch", "").ok(t)
	return ann, bob, g.path + "/rematch"
}

// TestRematchDuringTheDeletion deletes the account that offered a rematch before each statement of its
// acceptance: the deletion waits for the rematch, or the rematch is refused. SQLite has one writer, so there
// TestRematchWithTheDeleted shows all that can happen.
func TestRematchDuringTheDeletion(t *testing.T) {
	t.Parallel()
	s := start(t)
	if s.db.Exclusive() {
		return // updates do not run concurrently
	}
	s.each.Use(t, s.db, s.place)
	outcomes := map[int]int{}
	for n := 1; ; n++ {
		ann, bob, path := s.offeredRematch(t)
		deleted, first := make(chan answer, 1), false
		s.each.Pause(n, func() {
			go func() {
				a, err := bob.try(t, request{"POST", "/api/account/delete", "", map[string]string{"X-CSRF-Token": bob.csrf}})
				if err != nil {
					t.Error(err)
				}
				deleted <- a
			}()
			for len(deleted) == 0 && s.lockWaits(t) == 0 {
				runtime.Gosched()
			}
			first = len(deleted) == 1
		})
		a, err := ann.try(t, request{"POST", path, "", map[string]string{"X-CSRF-Token": ann.csrf}})
		if err != nil {
			t.Fatal(err)
		}
		query := s.each.Failed()
		if query == "" {
			break
		}
		if d := <-deleted; d.status != 200 {
			t.Errorf("statement %d: the deletion answers %d %s", n, d.status, d.body)
		}
		if first && a.outcome() != "no_rematch" || a.status != 200 && a.outcome() != "no_rematch" {
			t.Errorf("statement %d: deleted first: %v, and the rematch answers %d %s\n%s", n, first, a.status, a.body, query)
		}
		outcomes[a.status]++
	}
	if outcomes[200] == 0 || outcomes[409] == 0 {
		t.Errorf("only one order was seen: %v", outcomes)
	}
}

// lockWaits returns how many connections to the database wait for a lock.
func (s *stack) lockWaits(t *testing.T) (n int) {
	err := s.db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
	})
	if err != nil {
		t.Error(err)
		return 1
	}
	return n
}
