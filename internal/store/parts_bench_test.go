//go:build unix

package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// BenchmarkParts measures on the engine of the tests what the store's own ways save, each beside
// the plain one: queries announced and outcomes assumed (Tx.Prefetch, Tx.Deferred) against one
// statement after the other, with callers that share no rows and with callers that share 48; and
// reading many rows by Scan against database/sql.
//
//	tools/with-postgres go test ./internal/store -run '^$' -bench Parts -benchtime 1s
func BenchmarkParts(b *testing.B) {
	d := partsDB(b)
	for _, rows := range []int{partsRows, 48} {
		for _, reads := range []int{0, 1, 4} { // a blind swap, a throw, a claim
			for _, assumed := range []bool{true, false} {
				writes := reads + 1 + reads/4
				name := fmt.Sprintf("rows=%d/reads=%d/writes=%d/assumed=%v", rows, reads, writes, assumed)
				b.Run(name, func(b *testing.B) { benchUse(b, d, useCase{rows, reads, writes, assumed}) })
			}
		}
	}
	b.Run("read/scan", func(b *testing.B) { benchRead(b, d, readByScan) })
	b.Run("read/rows", func(b *testing.B) { benchRead(b, d, readByRows) })
}

// partsRows is the number of rows of the table, each of some 200 bytes.
const partsRows = 8192

// partsDB opens a database with a table of partsRows rows.
func partsDB(b *testing.B) *store.DB {
	b.Helper()
	d := storetest.Open(b, store.Config{})
	err := d.Update(b.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx,
			"CREATE TABLE part (id BIGINT PRIMARY KEY, version BIGINT NOT NULL, body TEXT NOT NULL)")
		if err != nil {
			return err
		}
		rows := make([][]any, partsRows)
		for i := range rows {
			rows[i] = []any{i, 0, strings.Repeat("x", 200)}
		}
		return store.BulkInsert(ctx, tx, "part", []string{"id", "version", "body"}, rows)
	})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// useCase reads rows and changes rows, among a number of them.
type useCase struct {
	rows, reads, writes int
	assumed             bool
}

const (
	getPart  = "SELECT id, version, body FROM part WHERE id = $1"
	swapPart = "UPDATE part SET version = version + 1, body = $2 WHERE id = $1"
)

// benchUse runs a use case from 16 callers.
func benchUse(b *testing.B, d *store.DB, u useCase) {
	before, busy := d.Stats(), processorTime()
	var callers atomic.Uint64
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		random := rand.New(rand.NewPCG(1, callers.Add(1)))
		for pb.Next() {
			first := random.IntN(u.rows - u.reads - u.writes)
			if err := d.UpdateAt(b.Context(), store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
				return u.run(ctx, tx, int64(first))
			}); err != nil {
				b.Error(err)
			}
		}
	})
	now := d.Stats()
	b.ReportMetric(float64((processorTime()-busy).Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(now.UpdateTrips-before.UpdateTrips)/float64(b.N), "trips/op")
	b.ReportMetric(float64(now.Reruns-before.Reruns)/float64(b.N), "reruns/op")
}

// processorTime returns the processor time of this process, without the database server's.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// run reads and changes consecutive rows, in ascending order as the services do.
func (u useCase) run(ctx context.Context, tx *store.Tx, first int64) error {
	exec := tx.ExecContext
	if u.assumed {
		exec = tx.Deferred().ExecContext
		for i := range u.reads {
			tx.Prefetch(getPart, first+int64(i))
		}
	}
	body := strings.Repeat("y", 200)
	for i := range u.reads {
		var id, version int64
		if err := tx.QueryRowContext(ctx, getPart, first+int64(i)).Scan(&id, &version, &body); err != nil {
			return err
		}
	}
	for i := range u.writes {
		r, err := exec(ctx, swapPart, first+int64(i), body)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n != 1 {
			return fmt.Errorf("%d rows changed, %w", n, err)
		}
	}
	return nil
}

const readParts = "SELECT id, version, body FROM part"

// benchRead reads the whole table.
func benchRead(b *testing.B, d *store.DB, read func(ctx context.Context, tx *store.Tx) (rows int, err error)) {
	busy := processorTime()
	for b.Loop() {
		err := d.Views(b.Context(), 1, func(ctx context.Context, txs []*store.Tx) error {
			n, err := read(ctx, txs[0])
			if err == nil && n != partsRows {
				err = fmt.Errorf("read %d rows", n)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((processorTime()-busy).Nanoseconds())/float64(b.N*partsRows), "cpu-ns/row")
}

func readByScan(_ context.Context, tx *store.Tx) (n int, err error) {
	length := 0
	err = tx.Scan(readParts, nil, func(r store.Row) {
		n++
		length += int(r.Int(0)+r.Int(1)) + len(r.Bytes(2))
	})
	return n, err
}

func readByRows(ctx context.Context, tx *store.Tx) (n int, err error) {
	rows, err := tx.QueryContext(ctx, readParts)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	length := 0
	for rows.Next() {
		var id, version int64
		var body string
		if err := rows.Scan(&id, &version, &body); err != nil {
			return n, err
		}
		n++
		length += int(id+version) + len(body)
	}
	return n, rows.Err()
}
