package main

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestBackupUnderLoad backs up a service under load and starts another one on the copy: every
// answer from before the backup is in it, and the audit of the copy finds nothing.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server, err := serve(t.Context(), w.folder)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wait sync.WaitGroup
	for _, g := range w.gamblers {
		wait.Go(func() { g.play(ctx, server.url) })
	}
	var copies []string
	var answered [][]*fact
	for i := range 3 {
		w.awaitAnswers(t, server, 200*(i+1))
		answered = append(answered, w.factsSoFar())
		copies = append(copies, filepath.Join(t.TempDir(), "backup"))
		command(t, "backup", "--data", w.folder, "--keys", copies[i])
	}
	cancel()
	wait.Wait()
	w.stopPlayers(t)
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
	for i, folder := range copies {
		command(t, "doctor", "--data", folder)
		command(t, "verify-chain", folder)
		w.checkRestored(t, folder, answered[i])
	}
	t.Logf("%d answers, of which %d before the last backup", len(w.facts), len(answered[2]))
}

// awaitAnswers waits until there are n answers in all, or a player has failed.
func (w *world) awaitAnswers(t *testing.T, server *process, n int) {
	t.Helper()
	w.until(t, server, func() bool { return len(w.factsSoFar()) >= n })
}

// checkRestored starts a service on a folder and compares it with the facts.
func (w *world) checkRestored(t *testing.T, folder string, facts []*fact, args ...string) {
	t.Helper()
	server, err := serve(t.Context(), folder, args...)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{url: server.url, client: http.DefaultClient}
	read := map[string]runView{}
	for _, f := range facts {
		if err := f.check(t.Context(), v, read); err != nil {
			t.Errorf("the response before the backup was %+v, now: %v", f, err)
		}
	}
	if err := server.stop(); err != nil {
		t.Errorf("the server on the backup ended with %v:\n%s", err, server.logged())
	}
}

// command runs the command and requires exit status 0.
func command(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "roshambo", args...).CombinedOutput(); err != nil {
		t.Fatalf("roshambo %v: %v\n%s", args, err, out)
	}
}
