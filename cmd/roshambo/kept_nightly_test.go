//go:build nightly

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/app"
	"roshambo/internal/store/pgtest"
	"roshambo/packaging/buildtest"
)

var keepTo = flag.String("keep.to", "", "the folder below released in which TestKeptVersions stores this version")

// kept is a stored version: a data folder, the same database as a dump of PostgreSQL, and facts about both that never
// change. Sessions expire, so they are no facts; a password is.
type kept struct {
	folder string // of the files

	Commit      string // of the program; "" for the one that is tested
	VerifierKey string // of the log
	Blocks      int64
	Root        tlog.Hash
	Duels       []*duelView // finished ones
	Username    string
	Password    string
	Address     string
	Balance     int64
}

// Files of a stored version, beside its contract (tools/apidiff).
const (
	keptFacts  = "facts.json"
	keptFolder = "folder.tar.gz"
	keptDump   = "postgres.dump"
)

// TestKeptVersions opens the data of each released version (tools/keep-version) with this program, plays on, kills
// and restarts it, and verifies the stored facts and all later answers. Then that version's program, built from its
// commit, and this one serve one database beside each other. The version under test is stored and opened in the same
// way, beside a program with a later schema.
func TestKeptVersions(t *testing.T) {
	t.Parallel()
	own := *keepTo
	if own == "" {
		own = t.TempDir()
	}
	keep(t, own)
	folders, err := filepath.Glob(filepath.Join(root(t), "released/*"))
	if err != nil {
		t.Fatal(err)
	}
	if *keepTo == "" { // else it is one of these
		folders = append(folders, own)
	}
	for _, folder := range folders {
		k := &kept{folder: folder}
		text, err := os.ReadFile(filepath.Join(folder, keptFacts))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, k); err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			k.check(t)
		})
	}
}

// keep plays with the seed of the tests and stores the data. The keys of the service and the times differ from run to
// run.
func keep(t *testing.T, folder string) {
	t.Helper()
	w := newWorld(t).withPairs().withTraders()
	survive(t, w, victim{kills: []int{60}})
	k := kept{VerifierKey: w.key, Blocks: w.tree.N, Root: w.tree.Hash, Username: "kept-player", Password: "correct horse"}
	if *keepTo != "" {
		commit, err := exec.CommandContext(t.Context(), "git", "-C", root(t), "rev-parse", "HEAD").Output()
		if err != nil {
			t.Fatal(err)
		}
		k.Commit = strings.TrimSpace(string(commit))
	}
	for _, f := range w.facts {
		if f.duel != nil && f.duel.Status == "finished" {
			k.Duels = append(k.Duels, f.duel)
		}
	}
	if len(k.Duels) == 0 {
		t.Fatal("no duel has ended")
	}
	k.register(t, w.folder)
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, keptFacts), append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	runTool(t, "tar", "-czf", filepath.Join(folder, keptFolder), "-C", w.folder, ".")

	cluster := pgtest.Start(t, pgtest.Fast)
	cluster.Exec(t, "postgres", "CREATE DATABASE kept")
	url := pgtest.URL("kept", cluster)
	command(t, "move", "--from", w.folder, "--to", url)
	cluster.Program(t, "pg_dump", "--format=custom", "--no-owner", "--file="+keptDump, url)
	copyFile(t, cluster.Path(keptDump), filepath.Join(folder, keptDump))
}

// register opens the account with a password.
func (k *kept) register(t *testing.T, data string) {
	t.Helper()
	server, err := serve(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	k.enter(t, server.url, "register")
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
}

// enter registers or signs in. The first time it stores the address and the balance; later they must be the same.
func (k *kept) enter(t *testing.T, url, how string) {
	t.Helper()
	v := &visitor{url: url, client: http.DefaultClient}
	body := fmt.Sprintf(`{"username":%q,"password":%q}`, k.Username, k.Password)
	var me struct {
		Account struct{ Address string }
		Balance int64
	}
	if err := v.call(t.Context(), "POST", "/api/auth/"+how, body, &me); err != nil {
		t.Fatal(err)
	}
	if how == "register" {
		k.Address, k.Balance = me.Account.Address, me.Balance
	}
	if me.Account.Address != k.Address || me.Balance != k.Balance {
		t.Errorf("%s has the account %+v, want %s with %d coins", k.Username, me, k.Address, k.Balance)
	}
}

// world returns players that know the facts, with a copy of the data folder.
func (k *kept) world(t *testing.T) *world {
	t.Helper()
	w := newWorld(t).withPairs().withTraders()
	w.key, w.tree = k.VerifierKey, tlog.Tree{N: k.Blocks, Hash: k.Root}
	for _, d := range k.Duels {
		w.facts = append(w.facts, &fact{action: "look", duel: d})
	}
	runTool(t, "tar", "-xzf", filepath.Join(k.folder, keptFolder), "-C", w.folder)
	return w
}

// check opens the data folder, and the dump twice: with this program, and with two versions beside each other.
func (k *kept) check(t *testing.T) {
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		k.open(t, k.world(t))
	})
	cluster := pgtest.Start(t, pgtest.Fast)
	t.Run("dump", func(t *testing.T) {
		t.Parallel()
		w := k.world(t)
		w.folder = w.newNodeFolder(t)
		k.open(t, w, "--database", k.restore(t, cluster, "alone"))
	})
	t.Run("beside", func(t *testing.T) {
		t.Parallel()
		k.beside(t, k.restore(t, cluster, "beside"))
	})
}

// restore loads the dump into a new database and returns its URL.
func (k *kept) restore(t *testing.T, cluster *pgtest.Cluster, name string) string {
	t.Helper()
	url, file := pgtest.URL(name, cluster), name+".dump"
	copyFile(t, filepath.Join(k.folder, keptDump), cluster.Path(file))
	cluster.Exec(t, "postgres", "CREATE DATABASE "+name)
	cluster.Program(t, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+url, file)
	return url
}

// open serves the data with this program: the facts hold, and games that are played on top survive a kill.
func (k *kept) open(t *testing.T, w *world, args ...string) {
	t.Helper()
	survive(t, w, victim{args: args, kills: []int{60}, beforeLoad: func(_ int, server *process) {
		if len(args) > 0 { // the leases of the stored node expire first
			if _, err := server.await(sealing); err != nil {
				t.Fatal(err)
			}
		}
		k.enter(t, server.url, "login")
	}})
	if w.tree.N <= k.Blocks {
		t.Errorf("the log has %d entries, had %d", w.tree.N, k.Blocks)
	}
	command(t, append([]string{"doctor", "--data", w.folder}, args...)...)
}

// beside serves a database with the stored version's program and then also with this one, which brings the schema up
// to date while the other one runs. For the version under test that other pair is this program and a later one.
func (k *kept) beside(t *testing.T, url string) {
	t.Helper()
	programs := []string{"roshambo", ""}
	if k.Commit == "" {
		programs[1] = buildtest.Later(t, root(t))
	} else {
		programs[0], programs[1] = buildtest.Commit(t, root(t), k.Commit), "roshambo"
	}
	w := k.world(t)
	keys, err := os.ReadFile(filepath.Join(w.folder, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{}
	for _, program := range programs {
		node, err := serveProgram(t.Context(), program, []string{app.KeysEnv + "=" + string(keys)}, t.TempDir(),
			"--database", url)
		if err != nil {
			t.Fatal(err)
		}
		f.nodes = append(f.nodes, node)
	}
	w.playing(t, f.nodes, 60, func() { w.awaitEach(t, func() bool { return false }) })
	for _, n := range f.nodes {
		w.checkFacts(t, n.url, w.facts)
		k.enter(t, n.url, "login")
	}
	for _, p := range w.pairs {
		p.finish(t, f.nodes[1].url)
	}
	f.stop(t)
	runTool(t, programs[1], "doctor", "--database", url)
}

// copyFile copies a file, for every user to read.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
