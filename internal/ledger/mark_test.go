package ledger_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestMark checks that a database is marked as restored from the first mark on until it is taken.
func TestMark(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	want := func(what string, want bool) {
		t.Helper()
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			marked, err := ledger.Marked(ctx, tx)
			if err == nil && marked != want {
				t.Errorf("%s: marked is %v", what, marked)
			}
			return err
		})
	}
	take := func(what string, want bool) {
		t.Helper()
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, taken, err := ledger.TakeMark(ctx, tx)
			if err == nil && taken != want {
				t.Errorf("%s: taken is %v", what, taken)
			}
			return err
		})
	}
	want("new", false)
	take("new", false)
	for range 2 {
		if err := ledger.MarkRestored(t.Context(), e.DB, "a test"); err != nil {
			t.Fatal(err)
		}
	}
	want("restored", true)
	take("restored", true)
	want("taken", false)
	take("taken", false)
}

// TestRecoveriesOfProofs checks that a recovery names the largest declared lost tree that no earlier one has named and
// that is as large as the chain, and that a game which crosses two recoveries gets the first.
func TestRecoveriesOfProofs(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	e.join(t)
	e.SealAll(t) // two blocks
	root := tlog.RecordHash([]byte("lost"))
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		var lines []string
		for _, size := range []int64{1, 2, 3} {
			lines = append(lines, layout.Rollback{Size: size, Root: root}.String())
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRollbacks,
			strings.Join(lines, "\n"))
		return err
	})
	e, err := e.reopen(t, ledgertest.Options{}) // it signs the head with the lines
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]chain.Hash
	for i := range ends {
		ann := e.join(t)
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			state, err := e.LoadActor(ctx, tx, ann.Address)
			ends[i] = state.CommitmentTx
			return err
		})
		for range 3 - 3*i {
			e.Update(t, func(ctx context.Context, tx *store.Tx) error { return e.Recover(ctx, tx, "a test") })
		}
	}
	e.SealAll(t)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		crossed, err := e.CrossedRecovery(ctx, tx, ends[0], ends[1])
		if err != nil || crossed == nil {
			return errors.Join(err, errors.New("no recovery between the two accounts"))
		}
		since, err := e.RecoverySince(ctx, tx, time.UnixMilli(0), &ends[1])
		if err != nil || since == nil || *since != *crossed {
			return errors.Join(err, errors.New("another recovery is the first one by its time"))
		}
		if since, err = e.RecoverySince(ctx, tx, tx.Now().Add(time.Hour), nil); err != nil || since != nil {
			return errors.Join(err, errors.New("a recovery of a later time"))
		}
		first, err := e.Tx(ctx, tx, *crossed)
		if err != nil {
			return err
		}
		lost := make([]int64, 3)
		for i := range lost {
			row := tx.QueryRowContext(ctx, "SELECT lost_size FROM chain_recovery WHERE number = $1", i+1)
			if err := row.Scan(&lost[i]); err != nil {
				return err
			}
		}
		if d := first.Parsed.Data.(*chain.Recovery); d.Number != 1 || !slices.Equal(lost, []int64{3, 2, 0}) {
			t.Errorf("recovery %d, lost trees of %v blocks", d.Number, lost)
		}
		return nil
	})
	e.WantValid(t)
}

// TestRecoveryElsewhere checks that a recovery that was rolled back takes no number, that another node
// learns of one by Reload, and that a new account's commitment is of the last one.
func TestRecoveryElsewhere(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	other, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: ledgertest.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier, Now: e.Clock.Now,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := e.Recover(ctx, tx, "a test"); err != nil {
			t.Error(err)
		}
		return errStatement
	})
	e.Update(t, func(ctx context.Context, tx *store.Tx) error { return e.Recover(ctx, tx, "a test") })
	e.View(t, other.Reload)
	if a, b := e.Recovery(), other.Recovery(); a != 1 || b != 1 {
		t.Errorf("recovery %d, elsewhere %d, want 1", a, b)
	}
	if got, _ := e.account(t, e.join(t)); got.Recovery != 1 {
		t.Errorf("an account of recovery %d, want 1", got.Recovery)
	}
	e.SealAll(t)
	e.WantValid(t)
}
