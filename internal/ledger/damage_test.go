package ledger_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestDamageIsNotAnswered damages one value of one row at a time, so that it cannot be parsed: every read
// method that parses it answers as before, or returns an error. Checkpoints and pages of the log are served
// as they are stored, and verified by their readers.
func TestDamageIsNotAnswered(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	scene := e.Everything(t)
	e.SealAll(t)
	waiting := e.Faucets(t, scene.Ann, 1)[0]
	reads := e.reads(t, scene, waiting)
	sound := map[string]any{}
	for name, read := range reads {
		e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
			sound[name], err = read(ctx, tx)
			return err
		})
	}
	noTxs := layout.JoinChunk([][]byte{[]byte("no transaction"), []byte("none either")})
	damaged, refused := 0, map[string]bool{}
	for _, place := range []place{
		{"chain_block", "height", "header", []any{[]byte{}, []byte("no header")}},
		{"chain_block", "height", "hash", []any{[]byte{}}},
		{"chain_chunk", "first_pos", "body", []any{[]byte{}, []byte{1}, noTxs, layout.JoinChunk(nil)}},
		{"chain_head", "id", "hash", []any{[]byte{}}},
		{"chain_pending", "seq", "raw", []any{[]byte{}, []byte("no transaction")}},
		{"log_hash", "idx", "hash", []any{[]byte{}}},
	} {
		for _, row := range e.keys(t, place.table, place.key) {
			for _, value := range place.values {
				damaged++
				e.with(t, place, row, value, func() {
					for name, read := range reads {
						// The transaction only reads: its error ends nothing.
						_ = e.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
							got, err := read(ctx, tx)
							if err != nil {
								refused[place.table+"."+place.column] = true
							} else if !reflect.DeepEqual(got, sound[name]) {
								t.Errorf("%s of row %d in %s is %q: %s answers %v, want %v or an error",
									place.column, row, place.table, value, name, got, sound[name])
							}
							return err
						})
					}
				})
			}
		}
	}
	if damaged < 20 || len(refused) != 6 {
		t.Errorf("%d values were damaged, and reads refused those in %v", damaged, refused)
	}
	e.WantValid(t)
}

// keys returns the keys of the rows of a table.
func (e *economy) keys(t *testing.T, table, key string) (list []int64) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, storetest.SQL("SELECT "+key+" FROM "+table))
		if err != nil {
			return err
		}
		defer rows.Close()
		list = nil
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				return err
			}
			list = append(list, id)
		}
		return rows.Err()
	})
	return list
}

// place is a column, and values that damage it.
type place struct {
	table, key, column string
	values             []any
}

// with runs fn while a value of a row is another one.
func (e *economy) with(t *testing.T, p place, row int64, value any, fn func()) {
	t.Helper()
	set := storetest.SQL(fmt.Sprintf("UPDATE %s SET %s = $1 WHERE %s = $2", p.table, p.column, p.key))
	var was any
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		get := storetest.SQL(fmt.Sprintf("SELECT %s FROM %s WHERE %s = $1", p.column, p.table, p.key))
		if err := tx.QueryRowContext(ctx, get, row).Scan(&was); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, set, value, row)
		return err
	})
	fn()
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, set, was, row)
		return err
	})
}

type read = func(ctx context.Context, tx *store.Tx) (any, error)

// reads returns the read methods that parse stored values, by name.
func (e *economy) reads(t *testing.T, scene ledgertest.Scene, waiting chain.Hash) map[string]read {
	t.Helper()
	p := scene.Ann
	var sealed ledger.Record
	var block ledger.Block
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := e.History(ctx, tx, p.Address, all, 100)
		if err != nil {
			return err
		}
		sealed = list[len(list)-1]
		block, err = e.Block(ctx, tx, sealed.Height)
		return err
	})
	return map[string]read{
		"head":    func(ctx context.Context, tx *store.Tx) (any, error) { return e.Head(ctx, tx) },
		"block":   func(ctx context.Context, tx *store.Tx) (any, error) { return e.Block(ctx, tx, 1) },
		"blocks":  func(ctx context.Context, tx *store.Tx) (any, error) { return e.Blocks(ctx, tx, all, 10) },
		"txs":     func(ctx context.Context, tx *store.Tx) (any, error) { return e.Txs(ctx, tx, block) },
		"sealed":  func(ctx context.Context, tx *store.Tx) (any, error) { return e.Ledger.Tx(ctx, tx, sealed.Hash) },
		"waiting": func(ctx context.Context, tx *store.Tx) (any, error) { return e.Ledger.Tx(ctx, tx, waiting) },
		"history": func(ctx context.Context, tx *store.Tx) (any, error) { return e.History(ctx, tx, p.Address, all, 100) },
		"pending": func(ctx context.Context, tx *store.Tx) (any, error) { return e.Pending(ctx, tx, p.Address, 100) },
		"anchors": func(ctx context.Context, tx *store.Tx) (any, error) {
			list, _, err := e.Anchors(ctx, tx, sealed.Hash)
			return list, err
		},
		"token": func(ctx context.Context, tx *store.Tx) (any, error) {
			return e.TokenHistory(ctx, tx, scene.Burnt.ID)
		},
		"backlog":     func(ctx context.Context, tx *store.Tx) (any, error) { return e.Backlog(ctx, tx) },
		"consistency": func(ctx context.Context, tx *store.Tx) (any, error) { return e.Consistency(ctx, tx, 1, 2) },
		"each": func(ctx context.Context, tx *store.Tx) (any, error) {
			var list []chain.Hash
			err := e.Each(ctx, tx, func(t *chain.Tx, _ []byte) { list = append(list, chain.HashTx(t.Raw())) })
			return list, err
		},
		"log games": func(ctx context.Context, tx *store.Tx) (any, error) {
			list, _, err := e.LogGames(ctx, tx, 0)
			return list, err
		},
		"tile":    func(ctx context.Context, tx *store.Tx) (any, error) { return e.Tile(ctx, tx, "tile/0/000.p/2") },
		"periods": func(ctx context.Context, tx *store.Tx) (any, error) { return e.Periods(ctx, tx, time.Hour, all, 10) },
		"find txs": func(ctx context.Context, tx *store.Tx) (any, error) {
			return e.FindTxs(ctx, tx, sealed.Hash.String()[:8], 10)
		},
	}
}
