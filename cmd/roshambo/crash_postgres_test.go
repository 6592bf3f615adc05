package main

import (
	"regexp"
	"testing"

	"roshambo/internal/db/pgtest"
)

// The rounds of TestCrashesPostgres in which more happens than that the service is killed.
const (
	sealEvery    = 2 // it is killed only after it has the lease of a dead holder to seal blocks
	machineEvery = 5 // the database's machine is lost at the same moment
)

// sealing is what a node says once it seals blocks.
var sealing = regexp.MustCompile(`lease=sealing fence=`)

// TestCrashesPostgres is TestCrashes with a PostgreSQL that waits for the disk. Every few
// rounds the database is killed, too, all its processes at once and first, so that the
// service meets what it has left half done: those who play are told 503 then, and find out.
// A new node seals once the lease of the one that was killed has run out, which every second
// round does not wait for: what is pending is carried from crash to crash.
//
// A COMMIT whose connection was lost, taken for done, makes it fail 3 times of 3.
func TestCrashesPostgres(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, nil)
	w := newWorld(t).withPairs()
	w.away = true
	survive(t, w, victim{
		args: []string{"--database", pgtest.URL("postgres", cluster)},
		asleep: func(round int, server *process) {
			if round%sealEvery != 0 {
				return
			}
			if _, err := server.await(sealing); err != nil {
				t.Fatal(err)
			}
		},
		fell: func(round int) {
			if round%machineEvery == machineEvery-1 {
				cluster.Kill(t)
			}
		},
		rise: func(round int) {
			if round%machineEvery == machineEvery-1 {
				cluster.Run(t)
			}
		},
	})
}
