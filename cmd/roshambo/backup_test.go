package main

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestBackupUnderLoad backs a service up while people play, and starts another one on the
// copy: every answer from before the backup began is true there, and all that follows
// from something else is as it should be.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server, err := serve(t.Context(), w.folder, "--rate-limit", "0")
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
		w.answers(t, server, 200*(i+1))
		answered = append(answered, w.soFar())
		copies = append(copies, filepath.Join(t.TempDir(), "backup"))
		command(t, "backup", "--data", w.folder, "--keys", copies[i])
	}
	cancel()
	wait.Wait()
	w.rest(t)
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
	for i, folder := range copies {
		command(t, "doctor", "--data", folder)
		command(t, "verify-chain", folder)
		w.holds(t, folder, answered[i])
	}
	t.Logf("%d answers, of which %d before the last backup", len(w.facts), len(answered[2]))
}

// answers waits until so many answers have come in all, or somebody met what must not be.
func (w *world) answers(t *testing.T, server *process, n int) {
	t.Helper()
	w.until(t, server, func() bool { return len(w.soFar()) >= n })
}

// holds starts a service on a folder and compares it with what was answered.
func (w *world) holds(t *testing.T, folder string, facts []*fact, args ...string) {
	t.Helper()
	server, err := serve(t.Context(), folder, append(args, "--rate-limit", "0")...)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{url: server.url, client: http.DefaultClient}
	read := map[string]runView{}
	for _, f := range facts {
		if err := f.hold(t.Context(), v, read); err != nil {
			t.Errorf("answered before the backup was %+v, but: %v", f, err)
		}
	}
	if err := server.stop(); err != nil {
		t.Errorf("the server on the backup ended with %v:\n%s", err, server.logged())
	}
}

// command runs the command until it ends well.
func command(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "roshambo", args...).CombinedOutput(); err != nil {
		t.Fatalf("roshambo %v: %v\n%s", args, err, out)
	}
}
