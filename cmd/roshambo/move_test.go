package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roshambo/internal/store/pgtest"
)

// TestMove kills a service on SQLite under load, moves it to PostgreSQL, goes on playing there, and moves it back to a
// new folder. On each side every answer still holds, the chain is valid, and the log extends the last checkpoint that
// was published.
func TestMove(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, pgtest.Fast)
	cluster.Exec(t, "postgres", "CREATE DATABASE roshambo")
	url := pgtest.URL("roshambo", cluster)
	w := newWorld(t).withPairs().withTraders()

	server, err := serve(t.Context(), w.folder)
	if err != nil {
		t.Fatal(err)
	}
	moveRefused(t, w.folder, url, "another process has the database open")
	w.load(t, server, func() bool { return w.sinceKill() >= 60 }, func() {})
	backup := filepath.Join(t.TempDir(), "backup")
	command(t, "backup", "--data", w.folder, backup)

	if out := output(t, 0, "move", "--from", w.folder, "--to", url); !strings.Contains(out, "transactions is valid") {
		t.Errorf("the move there:\n%s", out)
	}
	moveRefused(t, w.folder, url, "no such file")
	if _, err := serve(t.Context(), w.folder); err == nil || !strings.Contains(err.Error(), "find the database") {
		t.Errorf("a service starts on the source that was moved: %v", err)
	}
	moveRefused(t, backup, url, "the target is not empty")
	unfinishedIsRefused(t, cluster, w.folder, backup, url)
	server, err = serve(t.Context(), w.folder, "--database", url)
	if err != nil {
		t.Fatal(err)
	}
	w.checkFacts(t, server.url, w.fresh())
	moveRefused(t, url, filepath.Join(t.TempDir(), "new"), "it is in use by roshambo of postgres")
	w.load(t, server, func() bool { return w.sinceKill() >= 60 }, func() {})

	back := t.TempDir()
	copyKeys(t, w.folder, back)
	// A mark that an interruption at the end has left belongs to its target alone.
	cluster.Exec(t, "roshambo", "INSERT INTO meta (name, value) VALUES ('moved', '1')")
	moveRefused(t, url, filepath.Join(t.TempDir(), "other"), "this database was moved")
	cluster.Exec(t, "roshambo", "DELETE FROM meta WHERE name = 'moved'")
	command(t, "move", "--from", url, "--to", back)
	command(t, "doctor", "--data", back)
	if _, err := serve(t.Context(), w.folder, "--database", url); err == nil ||
		!strings.Contains(err.Error(), "this database was moved") {
		t.Errorf("a node starts on the source that was moved: %v", err)
	}
	// The SQLite file of before, put back, has fewer blocks than this folder has signed.
	for _, file := range []string{"roshambo.db", "roshambo.db-wal"} {
		path := filepath.Join(w.folder, file)
		if err := os.Rename(path+".moved", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	moveRefused(t, w.folder, url, "roshambo accept-rollback")
	server, err = serve(t.Context(), back)
	if err != nil {
		t.Fatal(err)
	}
	w.checkFacts(t, server.url, w.facts)
	for _, p := range w.pairs {
		p.finish(t, server.url)
	}
	if err := server.stop(); err != nil {
		t.Errorf("the last server ended with %v:\n%s", err, server.logged())
	}
	backupMoves(t, cluster, backup)
}

// copyKeys copies the keys of a data folder, as an operator does.
func copyKeys(t *testing.T, from, to string) {
	t.Helper()
	keys, err := os.ReadFile(filepath.Join(from, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "keys.json"), keys, 0o600); err != nil {
		t.Fatal(err)
	}
}

// backupMoves moves a backup: a service that starts on it performs a recovery, as after restore.
func backupMoves(t *testing.T, cluster *pgtest.Cluster, backup string) {
	t.Helper()
	command(t, "move", "--from", backup, "--to", pgtest.URL("postgres", cluster))
	if !cluster.QueryBool(t, "SELECT EXISTS (SELECT FROM meta WHERE name = 'restored')") {
		t.Error("the database that was moved from a backup is not marked")
	}
}

// moveRefused requires that a move does not begin, for a reason.
func moveRefused(t *testing.T, from, to, reason string) {
	t.Helper()
	if out := output(t, 2, "move", "--from", from, "--to", to); !strings.Contains(out, "nothing was moved") ||
		!strings.Contains(out, reason) {
		t.Errorf("move --from %s --to %s, want %q:\n%s", from, to, reason, out)
	}
}

// unfinishedIsRefused requires that no command uses a database with the row of an unfinished move.
func unfinishedIsRefused(t *testing.T, cluster *pgtest.Cluster, folder, other, url string) {
	t.Helper()
	const reason = "a move to this database is not finished"
	cluster.Exec(t, "roshambo", "INSERT INTO meta (name, value) VALUES ('moving', '{}')")
	if _, err := serve(t.Context(), folder, "--database", url); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("serve: %v", err)
	}
	for _, args := range [][]string{{"doctor", "--data", folder}, {"verify-chain"}, {"mark-restored"}} {
		if out := output(t, 1, append(args, "--database", url)...); !strings.Contains(out, reason) {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	moveRefused(t, url, t.TempDir(), reason)
	moveRefused(t, other, url, "unfinished move of another state")
	cluster.Exec(t, "roshambo", "DELETE FROM meta WHERE name = 'moving'")
}
