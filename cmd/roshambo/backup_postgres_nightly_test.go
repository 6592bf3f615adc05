//go:build nightly

package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"roshambo/internal/store/pgtest"
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

	// The node's folder remembers what was signed since.
	size := refused(t, w.folder, again)
	if out := says(t, 1, "doctor", "--data", w.folder, "--database", again); !strings.Contains(out, "which was signed") {
		t.Errorf("doctor of the node:\n%s", out)
	}
	says(t, 0, "accept-rollback", "--data", w.folder, "--database", again, "--size", size)
	w.holds(t, w.folder, answered, "--database", again)
}

// refused demands that a start on a database which is behind is refused, and returns the size
// of the tree that it says was signed.
func refused(t *testing.T, folder, url string, env ...string) (size string) {
	t.Helper()
	_, err := serveWith(t.Context(), env, folder, "--database", url)
	if err == nil {
		t.Fatal("a node starts on a database from before what it has signed")
	}
	found := regexp.MustCompile(`roshambo accept-rollback --size (\d+)`).FindStringSubmatch(err.Error())
	if found == nil {
		t.Fatalf("a start on a database from before: %v", err)
	}
	return found[1]
}

// onlooker returns a folder with the keys of the world's and nothing else: of a node to look
// at an older state of the database with, which must not go on from it.
func (w *world) onlooker(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	text, err := os.ReadFile(filepath.Join(w.folder, "keys.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "keys.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}
