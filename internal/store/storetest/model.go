package storetest

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"roshambo/internal/store"
)

// sequence is the entry that every use case of the model test increments: its value is the
// position of the use case in the serial order that must explain all results.
const sequence = 1000

// none is the result of an operation on a missing entry.
const none = -1

// op is one operation on an entry.
type op struct {
	Kind string // add, insert or remove
	ID   int64
	N    int64
}

// useCase is an Update of a few operations, and the result of its last run.
type useCase struct {
	Token int64 // id in dbtest_value, present if the use case is stored
	Ops   []op
	End   string // ok, refuse or panic

	place int64   // position in the sequence
	reads []int64 // result of each operation
	err   error
}

// testModel runs random batches of concurrent use cases under random faults. It then applies
// the stored ones to a map in the order of their sequence numbers, and checks that each use
// case has read the values of the model and that the final tables are equal to it.
func testModel(t *testing.T, open Opener) {
	var s Script
	d := fresh(t, open, store.Config{Faults: s.Config()})
	token := int64(0)
	rapid.Check(t, func(r *rapid.T) {
		// Each history starts without faults on tables that contain only the sequence.
		s.Play(false)
		must(t, d.Update(t.Context(), reset))
		h := history{model: map[int64]int64{}}
		// Each step runs up to 12 use cases concurrently under up to 6 faults, and checks them
		// before the next one.
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			cases := rapid.SliceOfN(drawUseCase, 1, 12).Draw(r, "use cases")
			kinds := rapid.SampledFrom([]store.Fault{store.NoFault, store.NotStored, store.Stored})
			faults := rapid.SliceOfN(kinds, 0, 6).Draw(r, "faults")
			s.Play(rapid.Bool().Draw(r, "twice"), faults...)
			// Tokens are unique across histories: a token in the table proves that its use case
			// was stored.
			for i := range cases {
				token++
				cases[i].Token = token
			}
			runAll(t.Context(), d, cases)
			h.check(t.Context(), r, d, cases)
		}
	})
}

// drawUseCase generates use cases of up to five operations on five entries.
var drawUseCase = rapid.Custom(func(r *rapid.T) useCase {
	return useCase{
		Ops: rapid.SliceOfN(rapid.Custom(func(r *rapid.T) op {
			return op{
				Kind: rapid.SampledFrom([]string{"add", "insert", "remove"}).Draw(r, "kind"),
				ID:   rapid.Int64Range(1, 5).Draw(r, "id"),
				N:    rapid.Int64Range(0, 9).Draw(r, "n"),
			}
		}), 0, 5).Draw(r, "ops"),
		End: rapid.SampledFrom([]string{"ok", "ok", "ok", "refuse", "panic"}).Draw(r, "end"),
	}
})

// reset empties the tables and inserts the sequence.
func reset(ctx context.Context, tx *store.Tx) error {
	for _, text := range []string{"DELETE FROM dbtest_entry", "DELETE FROM dbtest_value"} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return insert(ctx, tx, sequence, "sequence", 0)
}

// runAll runs the use cases concurrently and stores their errors; a panic becomes an error.
func runAll(ctx context.Context, d *store.DB, cases []useCase) {
	var wg sync.WaitGroup
	for i := range cases {
		u := &cases[i]
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					u.err = fmt.Errorf("panic: %v", v)
				}
			}()
			u.err = d.Update(ctx, u.run)
		})
	}
	wg.Wait()
}

// run is the closure of the use case.
func (u *useCase) run(ctx context.Context, tx *store.Tx) (err error) {
	u.reads = nil
	// The first operation draws the position, which orders all use cases.
	if u.place, err = add(ctx, tx, sequence, 1); err != nil {
		return err
	}
	for _, o := range u.Ops {
		read, err := o.perform(ctx, tx)
		if err != nil {
			return err
		}
		u.reads = append(u.reads, read)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO dbtest_value (id, i) VALUES ($1, $2)", u.Token, u.place); err != nil {
		return err
	}
	switch u.End {
	case "refuse":
		return errRefused
	case "panic":
		panic("as drawn")
	}
	return nil
}

// perform executes the operation in the database and returns its result.
func (o op) perform(ctx context.Context, tx *store.Tx) (read int64, err error) {
	switch o.Kind {
	case "add":
		read, err = add(ctx, tx, o.ID, o.N)
	case "insert":
		var res sql.Result
		res, err = tx.ExecContext(ctx, `INSERT INTO dbtest_entry (id, name, value) VALUES ($1, $2, $3)
			ON CONFLICT (id) DO NOTHING`, o.ID, fmt.Sprint(o.ID), o.N)
		if err != nil {
			return 0, err
		}
		read, err = res.RowsAffected()
	case "remove":
		err = tx.QueryRowContext(ctx, "DELETE FROM dbtest_entry WHERE id = $1 RETURNING value", o.ID).Scan(&read)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return none, nil
	}
	return read, err
}

// apply executes the operation in the model and returns its result.
func (o op) apply(model map[int64]int64) int64 {
	v, ok := model[o.ID]
	switch {
	case o.Kind == "insert" && ok:
		return 0
	case o.Kind == "insert":
		model[o.ID] = o.N
		return 1
	case !ok:
		return none
	case o.Kind == "add":
		model[o.ID] += o.N
		return model[o.ID]
	}
	delete(model, o.ID)
	return v
}

// history is the expected state after the use cases so far.
type history struct {
	model map[int64]int64 // entries by id
	place int64           // position of the last stored use case
}

// check compares a step with the model, and advances the model.
func (h *history) check(ctx context.Context, r *rapid.T, d *store.DB, cases []useCase) {
	var actual, tokens map[int64]int64
	err := d.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if actual, err = entries(ctx, tx); err != nil {
			return err
		}
		tokens, err = pairs(ctx, tx, "SELECT id, i FROM dbtest_value")
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	// Of two use cases at the same position, the refused one read the state before the other.
	slices.SortFunc(cases, func(a, b useCase) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(tokens[a.Token], tokens[b.Token]))
	})
	for _, u := range cases {
		_, stored := tokens[u.Token]
		// Only ErrUnavailable may leave it open whether a use case is stored.
		if !errors.Is(u.err, store.ErrUnavailable) && (stored != (u.err == nil) || stored != (u.End == "ok")) {
			r.Fatalf("%+v: stored %v", u, stored)
		}
		switch {
		// A stored use case read the state after all earlier ones.
		case stored:
			h.replay(r, u, h.model)
			h.place++
		// A refused one read a consistent state too, and changed nothing.
		case errors.Is(u.err, errRefused):
			h.replay(r, u, maps.Clone(h.model))
		}
	}
	// The sequence counts stored use cases only: no position is skipped.
	if actual[sequence] != h.place {
		r.Fatalf("the sequence is at %d after %d use cases", actual[sequence], h.place)
	}
	delete(actual, sequence)
	if diff := gocmp.Diff(h.model, actual); diff != "" {
		r.Fatalf("(-model +stored): %s", diff)
	}
}

// replay applies u to the model and compares what it read.
func (h *history) replay(r *rapid.T, u useCase, model map[int64]int64) {
	if u.place != h.place+1 {
		r.Fatalf("%+v: came after %d others", u, h.place)
	}
	for i, o := range u.Ops {
		if want := o.apply(model); u.reads[i] != want {
			r.Fatalf("%+v: operation %d has read %d, want %d", u, i, u.reads[i], want)
		}
	}
}
