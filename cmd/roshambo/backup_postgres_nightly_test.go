//go:build nightly

package main

import (
	"context"
	"sync"
	"testing"

	"roshambo/internal/db/pgtest"
)

// TestBackupPostgres backs a database up as docs/operations.md says, while people play,
// restores it beside itself, and starts a service on the copy with the same keys.
func TestBackupPostgres(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, nil)
	cluster.Exec(t, "postgres", "CREATE DATABASE roshambo")
	url, again := pgtest.URL("roshambo", cluster), pgtest.URL("again", cluster)
	w := newWorld(t)
	server, err := serve(t.Context(), w.folder, "--database", url, "--rate-limit", "0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wait sync.WaitGroup
	for _, g := range w.gamblers {
		wait.Go(func() { g.play(ctx, server.url) })
	}
	w.answers(t, server, 200)
	answered := w.soFar()
	cluster.Program(t, "pg_dump", "--format=custom", "--file=roshambo.dump", url)
	cluster.Program(t, "createdb", "--maintenance-db="+pgtest.URL("postgres", cluster), "--encoding=UTF8", "--template=template0", "again")
	cluster.Program(t, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+again, "roshambo.dump")
	cancel()
	wait.Wait()
	w.rest(t)
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
	command(t, "doctor", "--database", again)
	w.holds(t, w.folder, answered, "--database", again)
}
