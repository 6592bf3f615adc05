//go:build nightly

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"roshambo/internal/store/pgtest"
)

// TestMarkRestoredPostgres continues from a copy of a database after a player has seen a later seed. With
// mark-restored the run in play is void, once, and the seed is not shown again.
func TestMarkRestoredPostgres(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, nil)
	cluster.Exec(t, "postgres", "CREATE DATABASE roshambo")
	url, again := pgtest.URL("roshambo", cluster), pgtest.URL("again", cluster)
	data, fresh := t.TempDir(), t.TempDir()
	p := &seedReader{T: t, visitor: visitor{client: &http.Client{}}}
	p.serve(data, "--database", url)
	if err := p.arrive(t.Context()); err != nil {
		t.Fatal(err)
	}
	open := p.start()
	p.end()
	cluster.Exec(t, "postgres", "CREATE DATABASE again TEMPLATE roshambo")
	p.serve(data, "--database", url)
	seen := p.throw(open)
	p.end()

	output(t, 1, "mark-restored", "--database", pgtest.URL("none", cluster))
	command(t, "mark-restored", "--database", again)
	// A node with the keys alone has no record of the later log, as a new machine has none.
	keys, err := os.ReadFile(filepath.Join(data, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(fresh, "keys.json"), keys, 0o600); err != nil {
		t.Fatal(err)
	}
	commitments := map[string]bool{}
	for range 2 { // the second start has nothing to recover
		p.serve(fresh, "--database", again)
		var run struct{ Run runView }
		if p.ask("GET", "/api/runs/"+open, "", &run); run.Run.Status != "void" {
			t.Errorf("the run in play is %s", run.Run.Status)
		}
		commitments[p.me().NextCommitment.Commitment] = true
		p.end()
	}
	p.serve(fresh, "--database", again)
	if seed := p.throw(p.start()); seed == seen || len(commitments) != 1 {
		t.Errorf("the run shows seed %s, seen is %s; commitments %v", seed, seen, commitments)
	}
	p.end()
	command(t, "verify-chain", "--database", again)
}
