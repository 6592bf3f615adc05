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

// TestBackupPostgres backs up a database under load as docs/operations.md describes, restores it
// as a second database, and starts a service on the copy with the same keys.
func TestBackupPostgres(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, nil)
	cluster.Exec(t, "postgres", "CREATE DATABASE roshambo")
	url, again := pgtest.URL("roshambo", cluster), pgtest.URL("again", cluster)
	w := newWorld(t)
	server, err := serve(t.Context(), w.folder, "--database", url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wait sync.WaitGroup
	for _, g := range w.gamblers {
		wait.Go(func() { g.play(ctx, server.url) })
	}
	w.awaitAnswers(t, server, 200)
	answered := w.factsSoFar()
	cluster.Program(t, "pg_dump", "--format=custom", "--file=roshambo.dump", url)
	cluster.Program(t, "createdb", "--maintenance-db="+pgtest.URL("postgres", cluster), "--encoding=UTF8",
		"--template=template0", "again")
	cluster.Program(t, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+again, "roshambo.dump")
	cancel()
	wait.Wait()
	w.stopPlayers(t)
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
	command(t, "doctor", "--database", again)

	// The node's folder remembers the entries signed since the backup.
	size := refused(t, w.folder, again)
	if out := output(t, 1, "doctor", "--data", w.folder, "--database", again); !strings.Contains(out, "which was signed") {
		t.Errorf("doctor of the node:\n%s", out)
	}
	output(t, 0, "accept-rollback", "--data", w.folder, "--database", again, "--size", size)
	w.checkRestored(t, w.folder, answered, "--database", again)
}

// TestDoctorWithoutChecksums: a node warns at its start of a server that keeps no checksums of its pages, and doctor
// says so; of one that keeps them neither says anything.
func TestDoctorWithoutChecksums(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, pgtest.Fast)
	cluster.Exec(t, "postgres", "CREATE DATABASE roshambo")
	url, folder := pgtest.URL("roshambo", cluster), t.TempDir()
	for _, keeps := range []bool{true, false} {
		if !keeps {
			cluster.Stop(t)
			cluster.Program(t, "pg_checksums", "--disable", "--no-sync", "--pgdata="+cluster.Path("data"))
			cluster.Run(t)
		}
		server, err := serve(t.Context(), folder, "--database", url)
		if err != nil {
			t.Fatal(err)
		}
		if err := server.stop(); err != nil {
			t.Fatal(err)
		}
		said := map[string]string{"the log": server.logged(),
			"doctor": output(t, 0, "doctor", "--data", folder, "--database", url)}
		for what, text := range said {
			if strings.Contains(text, "keeps no checksums of its pages") == keeps {
				t.Errorf("with checksums %v, %s says %s", keeps, what, text)
			}
		}
	}
}

// refused requires that a start on a database behind the signed log is refused, and returns the
// size of the signed tree from the error.
func refused(t *testing.T, folder, url string, env ...string) (size string) {
	t.Helper()
	_, err := serveWith(t.Context(), env, folder, "--database", url)
	if err == nil {
		t.Fatal("a node starts on a database behind the signed log")
	}
	found := regexp.MustCompile(`roshambo accept-rollback --size (\d+)`).FindStringSubmatch(err.Error())
	if found == nil {
		t.Fatalf("a start on an older database: %v", err)
	}
	return found[1]
}

// newNodeFolder returns a folder with the keys and without memory of the log: a node that can
// open an older state of the database. It must not continue from it.
func (w *world) newNodeFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	text, err := os.ReadFile(filepath.Join(w.folder, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "keys.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}
