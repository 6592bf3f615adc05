//go:build nightly

package main

import (
	"context"
	"testing"
	"time"

	"roshambo/internal/store/pgtest"
)

// TestFailover loses the database's primary under load, with SIGKILL, and has its
// synchronous standby promoted. The two nodes find it by themselves, and every throw,
// claim, stake and sale that was answered is there; the chain is valid, and the log goes
// on from the last checkpoint that was handed out.
//
// Once the standby follows to the end, and once it was cut off before. Then a primary that
// waits for it answers nothing more, and one that did not would have answered something of
// every kind by the time it is killed, all of it lost.
//
// Mistakes that were made on purpose, to see it fail: a primary with synchronous_standby_names
// empty (cut off: 9 times of 9; followed: once of 3, as what is lost then is what the standby
// happens to be behind); a COMMIT whose connection was lost taken for done (cut off: 3 of 3;
// followed: 1 of 3); an answer before the COMMIT is sent (always, and without any failover).
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
	f := newFleet(t, pgtest.URL("postgres", primary, standby), 2, "--rate-limit", "0")
	w := newWorld(t).withPairs().withTraders().withTraders()
	w.away = true
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
		w.awaitEach(t, func() bool { return false }) // every kind is done again
	})
	w.look(t, f.nodes[0].url, w.facts)
	w.look(t, f.nodes[1].url, w.facts[len(w.facts)-20:])
	for _, p := range w.pairs {
		p.finish(t, f.nodes[0].url)
	}
	if len(w.facts) < 2*answers {
		t.Errorf("%d answers are too little load", len(w.facts))
	}
	t.Logf("%d answers, %v", len(w.facts), w.deeds())
	f.stop(t)
}

// waits says whether commits wait for the standby, more than one, as one may be a beat or a
// block of the service's own.
const waits = "SELECT count(*) > 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

// awaitEach waits until something of each promised kind was answered that was not when it
// was called, or until something else is true.
func (w *world) awaitEach(t *testing.T, or func() bool) {
	t.Helper()
	before := w.deeds()
	for began := time.Now(); len(w.missing(before)) > 0 && !w.wrong.Load() && !or(); <-time.After(10 * time.Millisecond) {
		if time.Since(began) > answerTime {
			t.Errorf("of %v something is missing after %v: there were %v, and are %v", promised, answerTime, before, w.deeds())
			return
		}
	}
}
