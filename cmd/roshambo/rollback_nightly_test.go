//go:build nightly

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/store/pgtest"
)

// TestLogLostAnywhere is TestLogLost at many positions of the log.
func TestLogLostAnywhere(t *testing.T) {
	t.Parallel()
	random := testseed.Rand(t)
	r := played(t, t.TempDir(), 6)
	refused := 0
	for range 40 {
		d := flipped(random.IntN(1000))
		if random.IntN(2) == 0 {
			d = cut(random.Int64N(1000))
		}
		t.Log(d.name)
		if r.damageAndStart(t, d, false) {
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("%d of 40 damaged logs refused", refused)
	}
}

// TestKilledAnywhere repeatedly kills a server at random moments of its start and of sealing:
// each next start succeeds and has all published entries.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	random := testseed.Rand(t)
	r := &killedService{folder: t.TempDir()}
	for range 50 {
		server, err := serve(t.Context(), r.folder)
		if err != nil {
			t.Fatal(err)
		}
		before := r.tree
		v := &visitor{url: server.url, client: http.DefaultClient}
		if err := r.checkConsistency(t.Context(), v); err != nil {
			t.Fatalf("after %d blocks: %v", before.N, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(1200))*time.Millisecond)
		for ctx.Err() == nil {
			if _, err := newVisitor(ctx, server.url); err == nil {
				_, _ = r.checkpoint(ctx, v) // without a response nothing was published
			}
			pause(ctx, 10*time.Millisecond)
		}
		cancel()
		if err := server.kill(); err != nil {
			t.Fatal(err)
		}
	}
	if r.tree.N < 10 {
		t.Errorf("the log has %d blocks", r.tree.N)
	}
}

// TestRollbackPostgres replaces a PostgreSQL database by an older state while two nodes use it:
// both detect it, and no block is added. Neither starts again until the loss is accepted, and
// then both continue.
func TestRollbackPostgres(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, nil)
	cluster.Exec(t, "postgres", "CREATE DATABASE roshambo")
	url, older := pgtest.URL("roshambo", cluster), pgtest.URL("older", cluster)
	folders := []string{t.TempDir(), t.TempDir()}
	r := &killedService{}
	var nodes []*process
	var env []string
	for _, folder := range folders {
		node, err := serveWith(t.Context(), env, folder, "--database", url, "--admin-listen", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, node)
		text, err := os.ReadFile(filepath.Join(folders[0], "keys.json"))
		if err != nil {
			t.Fatal(err)
		}
		env = []string{app.KeysEnv + "=" + string(text)}
	}
	r.grow(t, nodes[1], 3)
	cluster.Program(t, "pg_dump", "--format=custom", "--file=roshambo.dump", url)
	cluster.Exec(t, "postgres", "CREATE DATABASE older ENCODING 'UTF8' TEMPLATE template0")
	cluster.Program(t, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+older, "roshambo.dump")
	r.grow(t, nodes[0], 6)

	for _, statement := range []string{
		"ALTER DATABASE roshambo WITH ALLOW_CONNECTIONS false",
		"SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname = 'roshambo'",
		"ALTER DATABASE roshambo RENAME TO newer",
		"ALTER DATABASE older RENAME TO roshambo",
	} {
		cluster.Exec(t, "postgres", statement)
	}
	for i, node := range nodes {
		if _, err := node.await(regexp.MustCompile(`nothing is sealed, because the database is behind`)); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
	}
	refuseGuests(t, nodes)
	for i, node := range nodes {
		if err := node.stop(); err != nil { // seals pending transactions, if allowed
			t.Errorf("node %d: %v", i, err)
		}
	}
	for i, folder := range folders {
		if size := refused(t, folder, url, env...); size != fmt.Sprint(r.tree.N) {
			t.Errorf("node %d has stored %s blocks, want %d", i, size, r.tree.N)
		}
	}
	out := output(t, 0, "accept-rollback", "--data", folders[1], "--database", url, "--size", fmt.Sprint(r.tree.N))
	if line := declaration(r.tree, 3); !strings.Contains(out, line) {
		t.Errorf("accepted: %s, want %s", out, line)
	}
	for i, folder := range folders {
		node, err := serveWith(t.Context(), env, folder, "--database", url)
		if err != nil {
			t.Fatalf("node %d after the rollback was accepted: %v", i, err)
		}
		after := &killedService{logWatch: logWatch{key: r.key}}
		after.grow(t, node, int64(7+i))
		if err := node.stop(); err != nil {
			t.Error(err)
		}
	}
	command(t, "doctor", "--data", folders[0], "--database", url)
}

// refuseGuests requires that no node creates an account while the service recovers.
func refuseGuests(t *testing.T, nodes []*process) {
	t.Helper()
	for i, node := range nodes {
		_, err := newVisitor(t.Context(), node.url)
		if refused, ok := errors.AsType[*statusError](err); !ok || refused.code != "recovering" {
			t.Errorf("node %d, a guest: %v", i, err)
		}
	}
}
