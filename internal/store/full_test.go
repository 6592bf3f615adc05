package store_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestFullInCommit checks that a commit that finds the disk full is a certain failure on every
// engine, and that members of a shared commit are retried one by one.
func TestFullInCommit(t *testing.T) {
	t.Parallel()
	full := 0
	faults := &store.Faults{Commit: func() store.Fault {
		if full == 0 {
			return store.NoFault
		}
		full--
		return store.Full
	}}
	d := storetest.Open(t, storetest.At(storetest.New(t), store.Config{Faults: faults}))
	storetest.Exec(t, d, "CREATE TABLE b (body BYTEA)")
	full = 1000
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO b (body) VALUES (NULL)")
		return err
	})
	if !errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnavailable) || !d.Full() {
		t.Errorf("got error %v, Full %v; want ErrFull, true", err, d.Full())
	}
	if n := storetest.Number(t, d, "SELECT count(*) FROM b"); n != 0 {
		t.Errorf("%d rows are stored after a refused insert, want none", n)
	}
}
