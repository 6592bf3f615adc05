package idempotency

import (
	"context"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatement checks that a failed lookup is not taken for a new call, and that an answer
// which cannot be stored rolls its effect back.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	n := openWith(t, &each)
	call := Call{Account: chain.Address{1}, Key: "k", Request: [32]byte{1}}
	find := func(want string) {
		t.Helper()
		each.View(t, "find", func(ctx context.Context, tx *store.Tx) error {
			got, err := n.one.Find(ctx, tx, call)
			if err == nil && string(got) != want || err != nil && got != nil {
				t.Errorf("found %q, error %v, want %q", got, err, want)
			}
			return err
		})
	}
	find("")
	each.Update(
		t,
		"save",
		func(ctx context.Context, tx *store.Tx) error { return n.one.Save(ctx, tx, call, []byte("answer")) },
	)
	find("answer")
	if err := n.save(t, n.one, Call{Account: call.Account, Key: "large"}, strings.Repeat("x", trimAfter)); err != nil {
		t.Fatal(err)
	}
	each.Call(t, "trim", func(ctx context.Context) error { return n.one.Trim(ctx, n.db) })
	n.now = n.now.Add(Keep + time.Millisecond)
	var dropped int64
	each.Update(t, "drop", func(ctx context.Context, tx *store.Tx) (err error) {
		dropped, err = n.one.Drop(ctx, tx)
		return err
	})
	if dropped != 2 {
		t.Errorf("%d answers dropped, want 2", dropped)
	}
	each.Update(
		t,
		"save again",
		func(ctx context.Context, tx *store.Tx) error { return n.one.Save(ctx, tx, call, []byte("again")) },
	)
	each.Update(
		t,
		"forget",
		func(ctx context.Context, tx *store.Tx) error { return n.one.Forget(ctx, tx, call.Account) },
	)
	find("")
}
