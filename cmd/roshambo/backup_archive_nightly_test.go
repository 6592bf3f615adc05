//go:build nightly

package main

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"roshambo/internal/store/pgtest"
)

// shellBlock matches a block of shell commands in a document.
var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// nextHeading matches the heading that ends a section of a document.
var nextHeading = regexp.MustCompile(`(?m)^##+ `)

// documented returns the shell blocks below a heading of a document.
func documented(t *testing.T, document, heading string) (blocks []string) {
	t.Helper()
	_, below, _ := strings.Cut(readDocument(t, document), "# "+heading+"\n")
	for _, m := range shellBlock.FindAllStringSubmatch(nextHeading.Split(below, 2)[0], -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// TestRecoveryFromArchive follows docs/operations.md for archiving, base backups and recovery,
// under load. Then the load stops, and the last transactions reach the archive by archive_timeout
// alone, which is one second here and not the recommended minute. Then the primary's disk is
// lost. The archive is recovered on another machine, once to its end and once to an earlier
// moment: every answer from before that moment is in the database, and no later one.
func TestRecoveryFromArchive(t *testing.T) {
	t.Parallel()
	blocks := documented(t, "docs/operations.md", "PostgreSQL, to any moment")
	if len(blocks) != 6 {
		t.Fatalf("%d blocks of commands, want 6: %q", len(blocks), blocks)
	}
	names, archive, base, recovery, moment, await := blocks[0], blocks[1], blocks[2], blocks[3], blocks[4], blocks[5]
	for _, name := range []string{"PRIMARY", "ARCHIVE", "BASE", "PGDATA"} {
		if !strings.Contains(names, "export "+name+"=") {
			t.Errorf("%s is missing in %q", name, names)
		}
	}
	primary, archiveFolder := pgtest.Start(t, nil), pgtest.Empty(t)
	env := []string{"PRIMARY=" + pgtest.URL("postgres", primary), "ARCHIVE=" + archiveFolder.Path("wal"),
		"BASE=" + archiveFolder.Path("base")}
	archiveFolder.Shell(t, archive, env...)
	primary.Stop(t)
	primary.Run(t)

	w := newWorld(t).withPairs()
	server, err := serve(t.Context(), w.folder, "--database", pgtest.URL("postgres", primary))
	if err != nil {
		t.Fatal(err)
	}
	w.playing(t, []*process{server}, 150, func() {
		archiveFolder.Shell(t, base, env...)
		w.awaitAnswers(t, server, 300)
	})
	early, then := w.factsSoFar(), primary.QueryText(t, "SELECT clock_timestamp()::text")
	// Accounts with a run in progress act first, so a new account may take a while to appear.
	w.playing(t, []*process{server}, len(early)+100, func() {
		before := w.counts()["arrive"]
		w.until(t, server, func() bool { return w.counts()["arrive"] > before })
	})
	late := w.factsSoFar()[len(early):]
	if err := server.kill(); err != nil {
		t.Fatal(err)
	}
	// Set it only now: each second of load would add a segment of 16 MB to the archive.
	primary.AwaitArchive(t, "1s")
	primary.Destroy(t)

	recovered := func(blocks ...string) (url string) {
		c := pgtest.Empty(t)
		url = pgtest.URL("postgres", c)
		env := append(env, "PRIMARY="+url, "PGDATA="+c.Path("data"), "MOMENT="+then)
		c.Shell(t, strings.Join(blocks, ""), env...)
		c.Set(t, map[string]string{"unix_socket_directories": "'" + c.Path("") + "'"})
		c.Run(t)
		c.Shell(t, await, env...)
		command(t, "doctor", "--database", url)
		return url
	}
	w.checkRestored(t, w.newNodeFolder(t), early, "--database", recovered(recovery, moment))
	w.checkAbsent(t, late, recovered(recovery, moment))
	again, err := serve(t.Context(), w.folder, "--database", recovered(recovery))
	if err != nil {
		t.Fatal(err)
	}
	w.checkFacts(t, again.url, w.facts) // including the last published checkpoint
	for _, p := range w.pairs {
		p.finish(t, again.url)
	}
	if err := again.stop(); err != nil {
		t.Errorf("the recovered service ended with %v:\n%s", err, again.logged())
	}
	t.Logf("%d answers, of which %d until %s; %d blocks", len(w.facts), len(early), then, w.tree.N)
}

// playing runs the load until there are that many answers in all, and then calls meanwhile. It
// lets requests in flight complete: on a service that continues, a cancelled request could still
// take effect.
func (w *world) playing(t *testing.T, nodes []*process, answers int, meanwhile func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.stopping.Store(false)
	var wait, watch sync.WaitGroup
	at := func(i int) string { return nodes[i%len(nodes)].url }
	for i, g := range w.gamblers {
		wait.Go(func() { g.play(ctx, at(i)) })
	}
	for i, p := range w.pairs {
		wait.Go(func() { p.play(ctx, at(i)) })
	}
	for i, tr := range w.traders {
		wait.Go(func() { tr.play(ctx, at(i)) })
	}
	watch.Go(func() { w.followLog(ctx, at(0)) })
	w.awaitAnswers(t, nodes[0], answers)
	meanwhile()
	w.stopping.Store(true)
	wait.Wait()
	cancel()
	watch.Wait()
	w.stopPlayers(t)
}

// checkAbsent starts a service on a database from before all of the facts and checks that it has
// none of the guests that were created with them.
func (w *world) checkAbsent(t *testing.T, facts []*fact, url string) {
	t.Helper()
	server, err := serve(t.Context(), w.newNodeFolder(t), "--database", url)
	if err != nil {
		t.Fatal(err)
	}
	guests := 0
	for _, f := range facts {
		if f.action != "arrive" {
			continue
		}
		guests++
		v := &visitor{url: server.url, client: http.DefaultClient, cookie: f.seat.cookie}
		var refused *statusError
		if err := v.call(t.Context(), "GET", "/api/me", "", &struct{}{}); !errors.As(err, &refused) ||
			refused.status != http.StatusUnauthorized {
			t.Errorf("a later guest gets %v", err)
		}
	}
	if guests == 0 {
		t.Error("no guest came later")
	}
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
}
