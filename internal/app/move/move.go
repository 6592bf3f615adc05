// Package move copies all tables of a stopped service from one database to an empty one on another engine, and
// compares the two. The tables come from the schema itself, so no list of them can be out of date.
//
// A row of the target's table meta, layout.MetaMoving, says how far the copy has come. It is there from the first
// write to the last one, and no service starts on a database that has it. Each batch of rows is stored together with
// that row, so a move continues after a crash where the last batch ended:
//
//	Begin   one transaction: the target is empty, and gets the row
//	Copy    one transaction for each batch, table by table, parents first, rows by primary key
//	Verify  reads only
//	Finish  one transaction: sequences continue, the row goes
package move

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

var (
	// ErrNotEmpty is returned by Begin for a target with rows, or with tables of something else.
	ErrNotEmpty = errors.New("the target is not empty")
	// ErrOtherSource is returned by Begin for a target with an unfinished move from another database, or from this
	// one before a service ran on it again.
	ErrOtherSource = errors.New("the target has an unfinished move of another state")
	// ErrDiffers is wrapped by the error of Verify when source and target differ.
	ErrDiffers = errors.New("source and target differ")
	// ErrChanged is returned by Unchanged when a service has run on the source.
	ErrChanged = errors.New("a service has run on the source since the move began")
	// ErrUnfinished is returned by Usable for the target of a move that is not finished: it has a part of the rows.
	ErrUnfinished = errors.New("a move to this database is not finished: run roshambo move again with the same source, " +
		"or empty the database")
	// ErrMoved is returned by Usable for the source of a move: its chain goes on elsewhere.
	ErrMoved = errors.New("this database was moved: start the service on the one that it was moved to; " +
		`to take the move back: DELETE FROM meta WHERE name = 'moved' (docs/operations.md, "From SQLite to PostgreSQL, and back")`)
	// ErrTakenOver is returned when another process continues the same move.
	ErrTakenOver = errors.New("another process moves to this database")
)

// Bounds of a batch: a crash repeats one, and about three are in memory.
const (
	batchRows  = 8192
	batchBytes = 4 << 20 // of texts and blobs; the last row may exceed it
)

// seeded are the tables in which migrations insert a row: a database that has served nothing has no others.
var seeded = []string{"arena_house", "event_head", "score_step"}

// state is the value of layout.MetaMoving.
type state struct {
	Source string `json:"source"` // fingerprint of the source
	Table  string `json:"table"`  // the table that is copied now; those before it are complete
	Rows   int64  `json:"rows"`   // of it that are copied
}

func (s state) text() string {
	text, _ := json.Marshal(s) // a struct of texts and numbers
	return string(text)
}

// Move is a move from one database to another. Its methods are called one after the other.
type Move struct {
	from, to *store.DB
	tables   []store.Table // of the source, parents first
	target   []store.Table // of the target
	state    state         // as it is stored in the target
	resumed  bool
	verified bool // by Verify: source and target are equal
	rows     int  // batchRows, except in tests
}

// Begin begins a move, or finds an unfinished one of the same source. No service may run on either database. Errors:
// ErrNotEmpty, ErrOtherSource.
func Begin(ctx context.Context, from, to *store.DB) (m *Move, err error) {
	m = &Move{from: from, to: to, rows: batchRows}
	if m.tables, err = from.Tables(ctx); err != nil {
		return nil, err
	}
	if m.target, err = to.Tables(ctx); err != nil {
		return nil, err
	}
	if err := sameSchema(m.tables, m.target); err != nil {
		return nil, err
	}
	source, err := m.fingerprint(ctx)
	if err != nil {
		return nil, err
	}
	// A crash before this commit leaves an empty target, after it one that no service starts on.
	err = to.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		found, there, err := load(ctx, tx)
		if err != nil {
			return err
		}
		if m.state, m.resumed = found, there; !there {
			m.state = state{Source: source, Table: m.tables[0].Name}
			return m.mark(ctx, tx)
		}
		if m.state.Source != source || m.place() < 0 {
			return fmt.Errorf("%w of the source, or of another source: empty the target and begin again", ErrOtherSource)
		}
		return nil
	})
	return m, err
}

// sameSchema compares the tables of two databases.
func sameSchema(from, to []store.Table) error {
	describe := func(tables []store.Table) map[string]string {
		all := map[string]string{}
		for _, t := range tables {
			var text strings.Builder
			fmt.Fprint(&text, t.Key)
			for _, c := range t.Columns {
				fmt.Fprint(&text, " ", c.Name, " ", c.Type)
			}
			all[t.Name] = text.String()
		}
		return all
	}
	expected, found := describe(from), describe(to)
	for _, t := range from {
		if found[t.Name] != expected[t.Name] {
			return fmt.Errorf("move: the schemas differ: table %s has %s in the source and %s in the target", t.Name,
				expected[t.Name], found[t.Name])
		}
	}
	for _, t := range to {
		if expected[t.Name] == "" {
			return fmt.Errorf("%w: it has a table %s, which is not of this service", ErrNotEmpty, t.Name)
		}
	}
	return nil
}

// fingerprint returns a digest of the tables that every start of a service changes: leases are taken, and blocks
// sealed.
func (m *Move) fingerprint(ctx context.Context) (string, error) {
	var all Digest
	for _, t := range m.tables {
		if t.Name != "lease" && t.Name != "meta" && t.Name != "chain_head" {
			continue
		}
		d, err := digest(ctx, m.from, t)
		if err != nil {
			return "", err
		}
		all.join(t.Name, d)
	}
	return all.String(), nil
}

// mark marks an empty target as the target of this move.
func (m *Move) mark(ctx context.Context, tx *store.Tx) error {
	for _, t := range m.target {
		var rows int64
		query := "SELECT count(*) FROM (SELECT 1 FROM " + t.Name + " LIMIT 2) AS few"
		if err := tx.QueryRowContext(ctx, query).Scan(&rows); err != nil {
			return err
		}
		switch {
		case slices.Contains(seeded, t.Name) && rows == 1:
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.Name); err != nil {
				return err
			}
		case rows > 0:
			return fmt.Errorf("%w: table %s has rows", ErrNotEmpty, t.Name)
		}
	}
	return q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaMoving, Value: m.state.text()})
}

// Usable returns an error when no service may use a database: ErrUnfinished, ErrMoved.
func Usable(ctx context.Context, d *store.DB) error {
	return d.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, there, err := load(ctx, tx); err != nil || there {
			return cmp.Or(err, ErrUnfinished)
		}
		if _, err := q.New(tx).GetMeta(ctx, layout.MetaMoved); !errors.Is(err, sql.ErrNoRows) {
			return cmp.Or(err, ErrMoved)
		}
		return nil
	})
}

// Fence marks a database as moved, so that no service starts on it, or takes the mark back.
func Fence(ctx context.Context, d *store.DB, moved bool) error {
	return d.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if moved {
			return q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaMoved, Value: "1"})
		}
		_, err = q.New(tx).DeleteMeta(ctx, layout.MetaMoved)
		return err
	})
}

// load returns the progress of the unfinished move to a database, and whether there is one.
func load(ctx context.Context, tx *store.Tx) (s state, there bool, err error) {
	text, err := q.New(tx).GetMeta(ctx, layout.MetaMoving)
	if errors.Is(err, sql.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, true, fmt.Errorf("move: the progress in the target: %w", err)
	}
	return s, true, nil
}

// place returns the index of the table that is copied now, -1 if there is no such table.
func (m *Move) place() int {
	return slices.IndexFunc(m.tables, func(t store.Table) bool { return t.Name == m.state.Table })
}

// Found returns how many tables an earlier call has copied completely, and the rows of the next one; resumed is false
// when there was none.
func (m *Move) Found() (complete int, table string, rows int64, resumed bool) {
	return m.place(), m.state.Table, m.state.Rows, m.resumed
}

// Copy copies the rows that are not copied yet. It calls progress, from one goroutine at a time, after each batch
// with the rows of the table so far, and once a table is complete.
func (m *Move) Copy(ctx context.Context, progress func(table string, rows int64, complete bool)) error {
	for _, t := range m.tables[m.place():] {
		rows := int64(0)
		if t.Name == m.state.Table {
			rows = m.state.Rows
		}
		err := m.copyTable(ctx, t, rows, func(stored int) {
			rows += int64(stored)
			progress(t.Name, rows, false)
		})
		if err != nil {
			return fmt.Errorf("move: table %s: %w", t.Name, err)
		}
		progress(t.Name, rows, true)
	}
	return nil
}

// copyTable copies a table behind its first rows: one goroutine reads the next batch while this one stores one. It
// calls stored with the rows of each batch.
func (m *Move) copyTable(ctx context.Context, t store.Table, rows int64, stored func(int)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, ended := make(chan [][]any), make(chan error, 1)
	go func() {
		err := m.read(ctx, t, rows, func(batch [][]any) error {
			select {
			case batches <- batch:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		close(batches)
		ended <- err
	}()
	after := state{Source: m.state.Source, Table: t.Name, Rows: rows}
	var failed error
	for batch := range batches {
		after.Rows += int64(len(batch))
		if failed = m.store(ctx, t, batch, after); failed != nil {
			cancel() // ends the reader
			break
		}
		stored(len(batch))
	}
	return cmp.Or(failed, <-ended)
}

// store stores a batch and, with it, the progress after it: after a crash both are there, or neither.
func (m *Move) store(ctx context.Context, t store.Table, batch [][]any, after state) error {
	err := m.to.UpdateAt(ctx, store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
		if err := m.own(ctx, tx); err != nil {
			return err
		}
		if err := q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaMoving, Value: after.text()}); err != nil {
			return err
		}
		return store.BulkLoad(ctx, tx, t.Name, names(t), batch)
	})
	if err == nil {
		m.state = after
	}
	return err
}

// own checks that no other process has continued the move since. The caller writes the row as well, so of two such
// transactions at the same time one runs again.
func (m *Move) own(ctx context.Context, tx *store.Tx) error {
	found, there, err := load(ctx, tx)
	if err != nil {
		return err
	}
	if !there || found != m.state {
		return ErrTakenOver
	}
	return nil
}

// Verify compares all tables of both databases, and returns the digest of them. Errors: ErrDiffers, which names the
// tables.
func (m *Move) Verify(ctx context.Context) (all Digest, err error) {
	var differing []error
	for _, t := range m.tables {
		var from, to Digest
		var both sync.WaitGroup
		var errFrom, errTo error
		both.Go(func() { from, errFrom = digest(ctx, m.from, t) })
		both.Go(func() { to, errTo = digest(ctx, m.to, t) })
		both.Wait()
		if err := errors.Join(errFrom, errTo); err != nil {
			return all, fmt.Errorf("move: comparing table %s: %w", t.Name, err)
		}
		if from != to {
			differing = append(differing, fmt.Errorf("%w: table %s has %d rows with the digest %v in the source, "+
				"and %d with %v in the target", ErrDiffers, t.Name, from.Rows, from, to.Rows, to))
		}
		all.join(t.Name, from)
	}
	m.verified = differing == nil
	return all, errors.Join(differing...)
}

// Unchanged returns ErrChanged when a service has run on the source since Begin.
func (m *Move) Unchanged(ctx context.Context) error {
	source, err := m.fingerprint(ctx)
	if err == nil && source != m.state.Source {
		err = fmt.Errorf("%w: empty the target and begin again", ErrChanged)
	}
	return err
}

// Finish ends the move: the target numbers new rows above those that it has, and a service may start on it. It calls
// also in the same transaction. A crash before the commit leaves an unfinished move, which begins again with Verify:
// sequences, which no rollback sets back, are set again.
func (m *Move) Finish(ctx context.Context, also func(ctx context.Context, tx *store.Tx) error) error {
	if !m.verified {
		panic("move: Finish without a Verify that has found no difference")
	}
	err := m.to.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := m.own(ctx, tx); err != nil {
			return err
		}
		for _, t := range m.target {
			for _, c := range t.Columns {
				if c.Advance == "" {
					continue
				}
				if err := tx.Scan(c.Advance, nil, func(store.Row) {}); err != nil {
					return fmt.Errorf("the sequence of %s: %w", t.Name, err)
				}
			}
		}
		if _, err := q.New(tx).DeleteMeta(ctx, layout.MetaMoving); err != nil {
			return err
		}
		return also(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	return nil
}

// names returns the names of a table's columns.
func names(t store.Table) []string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = c.Name
	}
	return list
}
