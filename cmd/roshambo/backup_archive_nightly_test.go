//go:build nightly

package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"roshambo/internal/store/pgtest"
)

// shellBlock is what a document says to type.
var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// documented returns the commands that stand in docs/operations.md below a heading.
func documented(t *testing.T, heading string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, below, _ := strings.Cut(string(text), "\n### "+heading+"\n")
	below, _, _ = strings.Cut(below, "\n### ")
	for _, m := range shellBlock.FindAllStringSubmatch(below, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// TestRecoveryFromArchive does what docs/operations.md says about archiving, base backups
// and recovery, while people play. Then nobody does, and what came last reaches the archive
// by archive_timeout alone, which is a second here and not the operator's minute. Then the
// primary's disk is gone. What the archive has is recovered on another machine, once up to
// the last moment and once up to an earlier one: every answer from before is true there,
// and of what came later nothing is.
func TestRecoveryFromArchive(t *testing.T) {
	t.Parallel()
	blocks := documented(t, "PostgreSQL, to any moment")
	if len(blocks) != 6 {
		t.Fatalf("there are %d blocks of commands, and this test knows 6: %q", len(blocks), blocks)
	}
	names, archive, base, recovery, moment, await := blocks[0], blocks[1], blocks[2], blocks[3], blocks[4], blocks[5]
	for _, name := range []string{"PRIMARY", "ARCHIVE", "BASE", "PGDATA"} {
		if !strings.Contains(names, "export "+name+"=") {
			t.Errorf("%s is not named in %q", name, names)
		}
	}
	primary, elsewhere := pgtest.Start(t, nil), pgtest.Empty(t)
	env := []string{"PRIMARY=" + pgtest.URL("postgres", primary), "ARCHIVE=" + elsewhere.Path("wal"), "BASE=" + elsewhere.Path("base")}
	elsewhere.Shell(t, archive, env...)
	primary.Stop(t)
	primary.Run(t)

	w := newWorld(t).withPairs()
	server, err := serve(t.Context(), w.folder, "--database", pgtest.URL("postgres", primary), "--rate-limit", "0")
	if err != nil {
		t.Fatal(err)
	}
	w.playing(t, []*process{server}, 150, func() {
		elsewhere.Shell(t, base, env...)
		w.answers(t, server, 300)
	})
	early, then := w.soFar(), primary.QueryText(t, "SELECT clock_timestamp()::text")
	// Who has runs under way plays these first: somebody new may take a while to come.
	w.playing(t, []*process{server}, len(early)+100, func() {
		before := w.deeds()["arrive"]
		w.until(t, server, func() bool { return w.deeds()["arrive"] > before })
	})
	late := w.soFar()[len(early):]
	if err := server.kill(); err != nil {
		t.Fatal(err)
	}
	// Only now: each second of play would fill the archive with a segment of 16 MB.
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
	w.holds(t, w.onlooker(t), early, "--database", recovered(recovery, moment))
	w.lacks(t, late, recovered(recovery, moment))
	again, err := serve(t.Context(), w.folder, "--database", recovered(recovery), "--rate-limit", "0")
	if err != nil {
		t.Fatal(err)
	}
	w.look(t, again.url, w.facts) // with the last checkpoint that was handed out
	for _, p := range w.pairs {
		p.finish(t, again.url)
	}
	if err := again.stop(); err != nil {
		t.Errorf("the recovered service ended with %v:\n%s", err, again.logged())
	}
	t.Logf("%d answers, of which %d until %s; %d blocks", len(w.facts), len(early), then, w.tree.N)
}

// playing lets everybody play until so many answers have come in all, and something else
// was done. Nobody is cut off: on a service that lives on, what was cut off would go on.
func (w *world) playing(t *testing.T, nodes []*process, answers int, meanwhile func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.evening.Store(false)
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
	w.answers(t, nodes[0], answers)
	meanwhile()
	w.evening.Store(true)
	wait.Wait()
	cancel()
	watch.Wait()
	w.rest(t)
}

// lacks starts a service on a database from before all of the facts, which has none of the
// guests that came with them.
func (w *world) lacks(t *testing.T, facts []*fact, url string) {
	t.Helper()
	server, err := serve(t.Context(), w.onlooker(t), "--database", url, "--rate-limit", "0")
	if err != nil {
		t.Fatal(err)
	}
	guests := 0
	for _, f := range facts {
		if f.deed != "arrive" {
			continue
		}
		guests++
		v := &visitor{url: server.url, client: http.DefaultClient, cookie: f.seat.cookie}
		var refused *statusError
		if err := v.call(t.Context(), "GET", "/api/me", "", &struct{}{}); !errors.As(err, &refused) || refused.status != http.StatusUnauthorized {
			t.Errorf("a guest who came later is answered %v", err)
		}
	}
	if guests == 0 {
		t.Error("nobody came later")
	}
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
}
