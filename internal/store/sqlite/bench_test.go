//go:build unix

package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"roshambo/internal/store"
)

const benchRows = 10_000

// benchDB opens a SQLite database with benchRows rows of about 600 bytes.
func benchDB(b *testing.B) *store.DB {
	b.Helper()
	d := With(store.Config{}).Open(b)
	err := d.Update(b.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `CREATE TABLE bench_run (
			id INTEGER PRIMARY KEY, account TEXT NOT NULL, version INTEGER NOT NULL,
			status TEXT NOT NULL, cleared INTEGER NOT NULL, started INTEGER NOT NULL, body TEXT NOT NULL) STRICT`)
		if err != nil {
			return err
		}
		rows := make([][]any, benchRows)
		for i := range rows {
			rows[i] = []any{i, fmt.Sprintf("0x%040d", i), 0, "active", 0, 1700000000000, strings.Repeat("x", 500)}
		}
		columns := []string{"id", "account", "version", "status", "cleared", "started", "body"}
		return store.BulkInsert(ctx, tx, "bench_run", columns, rows)
	})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

type benchRun struct {
	id                        int64
	account, status, body     string
	version, cleared, started int64
}

func (r *benchRun) load(ctx context.Context, tx *store.Tx, id int64) error {
	const query = "SELECT id, account, version, status, cleared, started, body FROM bench_run WHERE id = $1"
	return tx.QueryRowContext(ctx, query, id).
		Scan(&r.id, &r.account, &r.version, &r.status, &r.cleared, &r.started, &r.body)
}

// throw is a small use case: one read and one compare-and-swap of a row of 600 bytes.
func throw(ctx context.Context, d *store.DB, id int64) error {
	return d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		var r benchRun
		if err := r.load(ctx, tx, id); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `UPDATE bench_run SET version = version + 1, cleared = $3, body = $4
			WHERE id = $1 AND version = $2`,
			id, r.version, r.cleared+1, r.body)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return fmt.Errorf("%d rows, %w", n, err)
		}
		return nil
	})
}

func BenchmarkUpdate(b *testing.B) {
	for _, callers := range []int{1, 8, 32, 128} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			d := benchDB(b)
			b.ReportAllocs()
			b.ResetTimer()
			var next atomic.Int64
			var wg sync.WaitGroup
			elapsed := make([]time.Duration, b.N)
			cpu := cpuTime(b)
			for range callers {
				wg.Go(func() {
					for {
						i := next.Add(1)
						if i > int64(b.N) {
							return
						}
						start := time.Now()
						if err := throw(b.Context(), d, i*7919%benchRows); err != nil {
							b.Error(err)
						}
						elapsed[i-1] = time.Since(start)
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64((cpuTime(b)-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
			s := d.Stats()
			slices.Sort(elapsed)
			b.ReportMetric(float64(elapsed[b.N*99/100].Microseconds()), "µs-p99")
			b.ReportMetric(float64(elapsed[b.N*999/1000].Microseconds()), "µs-p999")
			b.ReportMetric(float64(elapsed[b.N-1].Microseconds()), "µs-max")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
			b.ReportMetric(float64(s.Updates)/float64(s.Batches), "batch")
			b.ReportMetric(float64(s.CommitTime.Microseconds())/float64(s.Batches), "µs/commit")
		})
	}
}

func BenchmarkView(b *testing.B) {
	d := benchDB(b)
	b.ReportAllocs()
	b.ResetTimer()
	cpu := cpuTime(b)
	var next atomic.Int64
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			err := d.View(b.Context(), func(ctx context.Context, tx *store.Tx) error {
				var r benchRun
				return r.load(ctx, tx, next.Add(1)*7919%benchRows)
			})
			if err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64((cpuTime(b)-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "views/s")
}

// cpuTime returns the processor time of this process: unlike the elapsed time it is comparable
// on a busy machine.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
