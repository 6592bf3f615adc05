//go:build unix

package postgres_test

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
	"roshambo/internal/store/postgres"
	"roshambo/internal/store/storetest"
)

// cut is a proxy filter that cuts a connection once at an armed position.
type cut struct{ at atomic.Int32 }

// Positions of a cut.
const (
	nowhere      int32 = iota
	behindCommit       // the server has committed; its response is dropped
	beforeStatement
	behindGarbage // a malformed message precedes the response; nothing is cut
	behindTag     // the client has read that COMMIT is done, and nothing after that
)

// committed is in the server's response to COMMIT.
var committed = []byte("COMMIT\x00")

// pass implements pgtest.Filter.
func (c *cut) pass(up bool, message []byte) (relayed []byte, more bool) {
	switch {
	case up && c.at.CompareAndSwap(beforeStatement, nowhere):
		return nil, false
	case up, !bytes.Contains(message, committed):
	case c.at.CompareAndSwap(behindCommit, nowhere):
		return nil, false
	case c.at.CompareAndSwap(behindGarbage, nowhere):
		row := []byte{'D', 0, 0, 0, 6, 0, 0} // belongs to no statement
		return append(row, message...), true
	case c.at.CompareAndSwap(behindTag, nowhere):
		return message[:bytes.Index(message, committed)+len(committed)], false
	}
	return message, true
}

// disconnect describes the loss of a connection when a closure is about to return, and the
// expected result of its Update.
type disconnect struct {
	name    string
	lose    func(w *pgtest.Proxy, c *cut)
	unknown bool // the outcome is unknown
	known   bool // the closure does not run again
	stored  int64
}

var disconnects = []disconnect{
	{name: "response", lose: func(_ *pgtest.Proxy, c *cut) { c.at.Store(behindCommit) }, unknown: true, stored: 1},
	{name: "request", lose: func(_ *pgtest.Proxy, c *cut) { c.at.Store(beforeStatement) }, unknown: true, stored: 0},
	{
		name: "malformed response", unknown: true, stored: 1,
		lose: func(_ *pgtest.Proxy, c *cut) { c.at.Store(behindGarbage) },
	},
	{name: "rest of the response", lose: func(_ *pgtest.Proxy, c *cut) { c.at.Store(behindTag) }, known: true, stored: 1},
	{name: "connection before", lose: func(w *pgtest.Proxy, _ *cut) { w.CloseAll() }, stored: 1},
}

// postgresCut loses the connection of an Update around its COMMIT, which travels with the whole
// transaction or after it. The Update is retried only if the server cannot have received
// COMMIT. Otherwise its closure has run once, and its outcome is unknown unless the server said
// that it has committed.
func postgresCut(t *testing.T, server *pgtest.Cluster) {
	for i, c := range disconnects {
		for way, ask := range map[string]bool{"in one trip": false, "in several": true} {
			database := fmt.Sprintf("cut_%d_%v", i, ask)
			server.Exec(t, "postgres", "CREATE DATABASE "+database)
			t.Run(c.name+" "+way, func(t *testing.T) {
				t.Parallel()
				var at cut
				w := pgtest.NewProxy(t, server.Path(""), at.pass, nil)
				d := storetest.Open(t, store.Config{URL: w.URL(database) + pgtest.Patient})
				c.check(t, d, ask, func() { c.lose(w, &at) })
			})
		}
	}
}

// postgresIdle loses the connection of an Update of one round trip after an idle time: the
// begin of the transaction is sent before COMMIT then, and the Update is retried.
func postgresIdle(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE idle")
	var at cut
	w := pgtest.NewProxy(t, server.Path(""), at.pass, nil)
	d, err := postgres.OpenIdle(t.Context(), store.Config{URL: w.URL("idle") + pgtest.Patient}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	disconnect{stored: 1}.check(t, d, false, func() { at.at.Store(beforeStatement) })
}

// postgresTerminated makes the server end the connection cleanly before an Update of one round
// trip: the server announces it, and the Update is retried. So is a View.
func postgresTerminated(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE ended")
	d := storetest.Open(t, store.Config{URL: pgtest.URL("ended", server)})
	end := func() {
		server.Exec(t, "postgres", "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = 'ended'")
	}
	disconnect{stored: 1}.check(t, d, false, end)
	count := func(ctx context.Context, tx *store.Tx) error {
		var n int64
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM entry").Scan(&n)
	}
	views := []func(context.Context, func(context.Context, *store.Tx) error) error{d.View, d.ViewOnce}
	for i, view := range views {
		if err := view(t.Context(), count); err != nil { // leaves an idle connection
			t.Fatal(err)
		}
		end()
		if err := view(t.Context(), count); err != nil {
			t.Errorf("view %d on a connection that was ended: %v", i, err)
		}
	}
}

// check runs an Update that meets the loss. With ask its transaction has begun before.
func (c disconnect) check(t *testing.T, d *store.DB, ask bool, lose func()) {
	t.Helper()
	storetest.Exec(t, d, "CREATE TABLE entry (n BIGINT NOT NULL)")
	for n := int64(1); ; n++ {
		began, runs := time.Now(), 0
		insert := func(ctx context.Context, tx *store.Tx) error {
			if runs++; ask {
				if _, err := tx.ExecContext(ctx, "SELECT 1"); err != nil {
					return err
				}
			}
			_, err := tx.Deferred().ExecContext(ctx, "INSERT INTO entry (n) VALUES ($1)", n)
			if runs == 2 { // the first run has prepared the statements
				lose()
			}
			return err
		}
		if err := d.Update(t.Context(), insert); err != nil {
			t.Fatal(err)
		}
		err := d.Update(t.Context(), insert)
		if time.Since(began) > time.Second {
			continue // a connection idle for so long is probed before COMMIT
		}
		wantRuns := 3
		if c.unknown || c.known {
			wantRuns = 2
		}
		stored := storetest.Number(t, d, fmt.Sprintf("SELECT count(*) FROM entry WHERE n = %d", n))
		unknown := errors.Is(err, store.ErrUnavailable)
		if unknown != c.unknown || err != nil && !c.unknown || runs != wantRuns || stored != 1+c.stored {
			t.Errorf("%d runs, %d rows stored, error %v; want %d runs, %d rows, unknown %v",
				runs, stored, err, wantRuns, 1+c.stored, c.unknown)
		}
		return
	}
}
