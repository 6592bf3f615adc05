//go:build nightly

package main

import (
	"context"
	"testing"
	"time"

	"roshambo/internal/store/pgtest"
)

// TestFailover kills the database's primary with SIGKILL under load and promotes its synchronous
// standby. Both nodes find the new primary, and every answered throw, claim, stake and sale is in
// the database; the chain is valid, and the log extends the last checkpoint that was published.
//
// The test runs twice: with a standby that follows to the end, and with one that was disconnected
// before. In the second case the primary must stop answering, because it waits for the standby; a
// primary that did not wait would answer requests of every kind until it is killed, and lose all
// of them.
//
// The test detects these faults: an empty synchronous_standby_names (disconnected: 9 of 9 runs;
// following: 1 of 3, since the loss is then only the standby's delay); a COMMIT on a lost
// connection treated as done (disconnected: 3 of 3; following: 1 of 3); a response before COMMIT
// is sent (always, without any failover).
func TestFailover(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]bool{"followed": false, "cut off": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failOver(t, cut)
		})
	}
}

func failOver(t *testing.T, cut bool) {
	primary := pgtest.Start(t, nil)
	standby := primary.Standby(t)
	f := newFleet(t, pgtest.URL("postgres", primary, standby), 2)
	w := newWorld(t).withPairs().withTraders().withTraders()
	w.outages = true
	answers := 150
	if testing.Short() {
		answers = 60
	}
	w.loadAll(t, f.urls(), answers, func(context.Context) {
		w.awaitEach(t, func() bool { return false })
		if cut {
			standby.StopReplication(t)
			w.awaitEach(t, func() bool { return primary.QueryBool(t, waits) })
		}
		primary.Kill(t)
		standby.Promote(t)
		w.awaitEach(t, func() bool { return false }) // answers of all kinds after the failover
	})
	w.checkFacts(t, f.nodes[0].url, w.facts)
	w.checkFacts(t, f.nodes[1].url, w.facts[len(w.facts)-20:])
	for _, p := range w.pairs {
		p.finish(t, f.nodes[0].url)
	}
	if len(w.facts) < 2*answers {
		t.Errorf("%d answers, want more load", len(w.facts))
	}
	t.Logf("%d answers, %v", len(w.facts), w.counts())
	f.stop(t)
}

// waits is the condition that commits wait for the standby: more than one, since one may be a
// lease renewal or a block of the service itself.
const waits = "SELECT count(*) > 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

// awaitEach waits for a new answer of each durable kind, or until another condition holds.
func (w *world) awaitEach(t *testing.T, or func() bool) {
	t.Helper()
	before := w.counts()
	for began := time.Now(); len(w.missing(before)) > 0 && !w.failed.Load() && !or(); <-time.After(10 * time.Millisecond) {
		if time.Since(began) > answerTime {
			t.Errorf("some of %v missing after %v: got %v, then %v", survivors, answerTime, before, w.counts())
			return
		}
	}
}
