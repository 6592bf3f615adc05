package main

import (
	"regexp"
	"testing"

	"roshambo/internal/store/pgtest"
)

// sealing is the log line of a node that seals blocks from then on.
var sealing = regexp.MustCompile(`lease=sealing fence=`)

// TestCrashesPostgres is TestCrashes on PostgreSQL. The second kill takes the database with
// it, all its processes at once and first, so that the service meets what it has left half
// done: players are answered 503 then, and find out what happened. A new node seals once the
// lease of the killed one has run out, which only the last round waits for: what is pending
// is carried from crash to crash.
//
// A COMMIT whose connection was lost, taken for done, makes TestManyCrashesPostgres fail 3
// times of 3.
func TestCrashesPostgres(t *testing.T) {
	t.Parallel()
	survivePostgres(t, pgtest.Fast, threeKills, func(round int) (seals, machine bool) { return round != 1, round == 1 })
}

// survivePostgres is survive on a PostgreSQL cluster of its own. with says what a round waits
// for and what it loses: whether the service seals blocks before it is killed, and whether
// the database's machine is lost at the same moment.
func survivePostgres(t *testing.T, settings map[string]string, kills []int, with func(round int) (seals, machine bool)) {
	t.Helper()
	cluster := pgtest.Start(t, settings)
	w := newWorld(t).withPairs().withTraders()
	w.away = true
	survive(t, w, victim{
		args:  []string{"--database", pgtest.URL("postgres", cluster)},
		kills: kills,
		asleep: func(round int, server *process) {
			if seals, _ := with(round); !seals {
				return
			}
			if _, err := server.await(sealing); err != nil {
				t.Fatal(err)
			}
		},
		fell: func(round int) {
			if _, machine := with(round); machine {
				cluster.Kill(t)
			}
		},
		rise: func(round int) {
			if _, machine := with(round); machine {
				cluster.Run(t)
			}
		},
	})
}
