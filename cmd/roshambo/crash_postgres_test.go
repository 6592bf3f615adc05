package main

import (
	"regexp"
	"testing"

	"roshambo/internal/store/pgtest"
)

// sealing is the log line of a node that has become the sealing node.
var sealing = regexp.MustCompile(`lease=sealing fence=`)

// TestCrashesPostgres is TestCrashes on PostgreSQL. The second kill first ends all processes of
// the database, so that the service meets interrupted transactions: it responds with 503, and the
// players read the outcome. A new node seals once the lease of the killed one has expired; only
// the last round waits for that, so pending transactions survive several crashes.
//
// If a COMMIT on a lost connection were treated as done, TestManyCrashesPostgres would fail: 3 of
// 3 runs did.
func TestCrashesPostgres(t *testing.T) {
	t.Parallel()
	survivePostgres(t, pgtest.Fast, threeKills, func(round int) (seals, machine bool) { return round != 1, round == 1 })
}

// survivePostgres is survive on a PostgreSQL cluster of its own. With returns for each round
// whether to wait until the service seals blocks, and whether the database's machine fails, too.
func survivePostgres(t *testing.T, settings map[string]string, kills []int,
	with func(round int) (seals, machine bool)) {
	t.Helper()
	cluster := pgtest.Start(t, settings)
	w := newWorld(t).withPairs().withTraders()
	w.outages = true
	survive(t, w, victim{
		args:  []string{"--database", pgtest.URL("postgres", cluster)},
		kills: kills,
		beforeLoad: func(round int, server *process) {
			if seals, _ := with(round); !seals {
				return
			}
			if _, err := server.await(sealing); err != nil {
				t.Fatal(err)
			}
		},
		beforeKill: func(round int) {
			if _, machine := with(round); machine {
				cluster.Kill(t)
			}
		},
		beforeStart: func(round int) {
			if _, machine := with(round); machine {
				cluster.Run(t)
			}
		},
	})
}
