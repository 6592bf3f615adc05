//go:build unix

package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// cut is where a wire cuts a connection, once it was told to.
type cut struct{ at atomic.Int32 }

// Where a wire cuts.
const (
	nowhere      int32 = iota
	behindCommit       // the server has done it, and its answer is not passed on
	beforeStatement
	behindGarbage // the answer is passed on, behind something that is none; nothing is cut
)

// pass is the wire's.
func (c *cut) pass(up bool, said []byte) (through []byte, more bool) {
	switch {
	case up && c.at.CompareAndSwap(beforeStatement, nowhere):
		return nil, false
	case up, !bytes.Contains(said, []byte("COMMIT\x00")):
	case c.at.CompareAndSwap(behindCommit, nowhere):
		return nil, false
	case c.at.CompareAndSwap(behindGarbage, nowhere):
		row := []byte{'D', 0, 0, 0, 6, 0, 0} // of no statement
		return append(row, said...), true
	}
	return said, true
}

// cutting is how a connection is lost when a closure is about to return, and what becomes
// of its Update then.
type cutting struct {
	name    string
	lose    func(w *pgtest.Proxy, c *cut)
	unknown bool // nobody can say whether it was stored
	stored  int64
}

var cuttings = []cutting{
	{name: "the answer", lose: func(_ *pgtest.Proxy, c *cut) { c.at.Store(behindCommit) }, unknown: true, stored: 1},
	{name: "the way there", lose: func(_ *pgtest.Proxy, c *cut) { c.at.Store(beforeStatement) }, unknown: true, stored: 0},
	{name: "what the answer means", lose: func(_ *pgtest.Proxy, c *cut) { c.at.Store(behindGarbage) }, unknown: true, stored: 1},
	{name: "the connection before", lose: func(w *pgtest.Proxy, _ *cut) { w.CloseAll() }, stored: 1},
}

// postgresCut loses the connection of an Update around its COMMIT: one that the whole
// transaction goes out with, and one behind it. It runs again only if the server cannot have
// had the COMMIT; otherwise its caller is told that nobody knows, and it has run once.
func postgresCut(t *testing.T, server *pgtest.Cluster) {
	for i, c := range cuttings {
		for way, ask := range map[string]bool{"in one trip": false, "in several": true} {
			database := fmt.Sprintf("cut_%d_%v", i, ask)
			server.Exec(t, "postgres", "CREATE DATABASE "+database)
			t.Run(c.name+" "+way, func(t *testing.T) {
				t.Parallel()
				var at cut
				w := pgtest.NewProxy(t, server.Path(""), at.pass, nil)
				d := storetest.Open(t, store.Config{URL: w.URL(database)})
				c.meet(t, d, ask, func() { c.lose(w, &at) })
			})
		}
	}
}

// postgresTerminated has the server end the connection in order before an Update that
// goes out in one trip: it says so, and the Update runs again.
func postgresTerminated(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE ended")
	d := storetest.Open(t, store.Config{URL: pgtest.URL("ended", server)})
	cutting{stored: 1}.meet(t, d, false, func() {
		server.Exec(t, "postgres", "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = 'ended'")
	})
}

// meet has an Update meet with the cutting. With ask it has begun its transaction before.
func (c cutting) meet(t *testing.T, d *store.DB, ask bool, lose func()) {
	t.Helper()
	exec(t, d, "CREATE TABLE entry (n BIGINT NOT NULL)")
	for n := int64(1); ; n++ {
		began, runs := time.Now(), 0
		insert := func(ctx context.Context, tx *store.Tx) error {
			if runs++; ask {
				if _, err := tx.ExecContext(ctx, "SELECT 1"); err != nil {
					return err
				}
			}
			_, err := tx.Deferred().ExecContext(ctx, "INSERT INTO entry (n) VALUES ($1)", n)
			if runs == 2 { // the first has prepared the statements
				lose()
			}
			return err
		}
		if err := d.Update(t.Context(), insert); err != nil {
			t.Fatal(err)
		}
		err := d.Update(t.Context(), insert)
		if time.Since(began) > time.Second {
			continue // a connection that was idle for so long is asked whether it is there
		}
		wantRuns := 3
		if c.unknown {
			wantRuns = 2
		}
		stored := one(t, d, fmt.Sprintf("SELECT count(*) FROM entry WHERE n = %d", n))
		if errors.Is(err, store.ErrUnavailable) != c.unknown || err != nil && !c.unknown || runs != wantRuns || stored != 1+c.stored {
			t.Errorf("after %d runs, of which the first was stored, %d are, error %v", runs, stored, err)
		}
		return
	}
}
