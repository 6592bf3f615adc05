package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// killedService is a data folder whose server was killed right after it published the checkpoint
// of tree.
type killedService struct {
	folder string
	logWatch
}

// played starts a server, creates guests until the log has that many blocks, and kills it.
func played(t *testing.T, folder string, blocks int64, args ...string) *killedService {
	t.Helper()
	r := &killedService{folder: folder}
	server, err := serve(t.Context(), folder, args...)
	if err != nil {
		t.Fatal(err)
	}
	r.grow(t, server, blocks)
	if err := server.kill(); err != nil {
		t.Fatal(err)
	}
	return r
}

// grow creates guests until the log has that many blocks, each in its own block.
func (r *killedService) grow(t *testing.T, server *process, blocks int64) {
	t.Helper()
	ctx := t.Context()
	if _, err := r.checkpoint(ctx, &visitor{url: server.url, client: http.DefaultClient}); err != nil {
		t.Fatalf("%v\n%s", err, server.logged())
	}
	for r.tree.N < blocks {
		v, err := newVisitor(ctx, server.url)
		if err != nil {
			t.Fatalf("%v\n%s", err, server.logged())
		}
		for before := r.tree.N; r.tree.N == before; pause(ctx, 20*time.Millisecond) {
			if _, err := r.checkpoint(ctx, v); err != nil {
				t.Fatalf("%v\n%s", err, server.logged())
			}
		}
	}
}

// copied returns a copy of the folder.
func (r *killedService) copied(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(folder, os.DirFS(r.folder)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// tryStart starts a server and returns the error text of a refused start. It returns "" if the
// server has the whole published tree and doctor reports no difference.
func (r *killedService) tryStart(t *testing.T, folder string, args ...string) string {
	t.Helper()
	server, err := serve(t.Context(), folder, args...)
	if err != nil {
		return err.Error()
	}
	now := logWatch{key: r.key, tree: r.tree}
	v := &visitor{url: server.url, client: http.DefaultClient}
	if err := now.checkConsistency(t.Context(), v); err != nil {
		t.Errorf("it started and signs another log: %v", err)
	}
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	return ""
}

// damage is a way to damage a write-ahead log.
type damage struct {
	name string
	do   func(t *testing.T, wal string)
}

func deleted() damage {
	return damage{"deleted", func(t *testing.T, wal string) {
		if err := os.Remove(wal); err != nil {
			t.Fatal(err)
		}
	}}
}

// cut truncates the log to a part, in thousandths.
func cut(part int64) damage {
	return damage{fmt.Sprintf("cut at %d/1000", part), func(t *testing.T, wal string) {
		info, err := os.Stat(wal)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(wal, info.Size()*part/1000); err != nil {
			t.Fatal(err)
		}
	}}
}

// flipped changes one byte at a part of the log, in thousandths.
func flipped(part int) damage {
	return damage{fmt.Sprintf("flipped at %d/1000", part), func(t *testing.T, wal string) {
		text, err := os.ReadFile(wal)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)*part/1000] ^= 1
		if err := os.WriteFile(wal, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}}
}

// TestLogLost kills a server and damages the write-ahead log of its database. The next start is
// refused, or has the whole published tree; doctor agrees.
func TestLogLost(t *testing.T) {
	t.Parallel()
	r := played(t, t.TempDir(), 4)
	if why := r.tryStart(t, r.copied(t)); why != "" {
		t.Fatalf("the undamaged log is refused: %s", why)
	}
	for _, d := range []damage{deleted(), cut(0), cut(1), cut(500), flipped(1), flipped(400), flipped(999)} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			r.damageAndStart(t, d, d.name != "flipped at 999/1000") // the last page may contain unpublished entries only
		})
	}
}

// damageAndStart damages the log of a copy and starts a server on it.
func (r *killedService) damageAndStart(t *testing.T, d damage, mustRefuse bool) (refused bool) {
	t.Helper()
	folder := r.copied(t)
	d.do(t, filepath.Join(folder, "roshambo.db-wal"))
	why := r.tryStart(t, folder)
	if why == "" {
		if mustRefuse {
			t.Error("the start succeeded")
		}
		return false
	}
	if !strings.Contains(why, "the database was rolled back: a tree of") {
		t.Errorf("refused with %s", why)
	}
	// The second start must be refused as well: a refused start changes nothing.
	if r.tryStart(t, folder) == "" {
		t.Error("the second start succeeded")
	}
	out, err := exec.CommandContext(t.Context(), "roshambo", "doctor", "--data", folder).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 { //nolint:errorlint // as it is returned
		t.Errorf("doctor: %v\n%s", err, out)
	}
	return true
}

// TestRestoreOlder restores a backup that is older than the signed log: restore announces the
// consequence, the start is refused, and a second history must be accepted by size and is then
// declared in every checkpoint.
func TestRestoreOlder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	data, backup := filepath.Join(folder, "data"), filepath.Join(folder, "backup")
	played(t, data, 2)
	command(t, "backup", "--data", data, "--keys", backup)
	r := played(t, data, 4)
	removeDatabase(t, data)
	out := output(t, 0, "restore", "--data", data, backup)
	want := fmt.Sprintf("roshambo accept-rollback --size %d", r.tree.N)
	if !strings.Contains(out, "The next start is refused: ") || !strings.Contains(out, want) {
		t.Errorf("restore does not announce the refusal and %q:\n%s", want, out)
	}
	if why := r.tryStart(t, data); !strings.Contains(why, want) {
		t.Fatalf("the start: %s", why)
	}
	if out := output(t, 1, "doctor", "--data", data); !strings.Contains(out, "signed head: 1 differences") {
		t.Errorf("doctor:\n%s", out)
	}
	output(t, 2, "accept-rollback", "--data", data, "--size", fmt.Sprint(r.tree.N-1))
	line := declaration(r.tree, 2)
	if out := output(t, 0, "accept-rollback", "--data", data, "--size", fmt.Sprint(r.tree.N)); !strings.Contains(out,
		line) {
		t.Errorf("accepted: %s, want %s", out, line)
	}
	output(t, 2, "accept-rollback", "--data", data, "--size", fmt.Sprint(r.tree.N))
	r.declared(t, data, line)

	// Restore the same backup again, without the declaration: that is another rollback.
	removeDatabase(t, data)
	if out := output(t, 0, "restore", "--data", data, backup); !strings.Contains(out, "The next start is refused: ") {
		t.Errorf("the second restore:\n%s", out)
	}
	if _, err := serve(t.Context(), data); err == nil {
		t.Error("it starts on the same backup again")
	}
}

// TestRecoverByItself starts a server with --on-rollback=recover on a backup that is older than the signed
// log: it declares the loss, and goes on; the same again within the hour is refused.
func TestRecoverByItself(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	data, backup := filepath.Join(folder, "data"), filepath.Join(folder, "backup")
	played(t, data, 2)
	command(t, "backup", "--data", data, "--keys", backup)
	r := played(t, data, 4)
	removeDatabase(t, data)
	output(t, 0, "restore", "--data", data, backup)
	if why := r.tryStart(t, data, "--on-rollback=wait"); !strings.Contains(why, "roshambo accept-rollback --size") {
		t.Fatalf("the start: %s", why)
	}
	server, err := serve(t.Context(), data, "--on-rollback=recover")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	r.declared(t, data, declaration(r.tree, 2))

	removeDatabase(t, data)
	output(t, 0, "restore", "--data", data, backup)
	why := r.tryStart(t, data, "--on-rollback=recover")
	if !strings.Contains(why, "a recovery was declared less than an hour ago") {
		t.Errorf("the second start: %s", why)
	}
}

// declared starts a server after a rollback was accepted and finds the declaration in its
// checkpoints.
func (r *killedService) declared(t *testing.T, data, line string) {
	t.Helper()
	server, err := serve(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	after := &killedService{logWatch: logWatch{key: r.key}}
	for _, blocks := range []int64{2, r.tree.N + 1} {
		if blocks > 2 {
			after.grow(t, server, blocks)
		}
		text, err := fetch(t.Context(), server.url+"/log/checkpoint")
		if err != nil || !bytes.Contains(text, []byte("\n"+line+"\n\n")) {
			t.Errorf("the checkpoint is %s, %v", text, err)
		}
	}
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	command(t, "doctor", "--data", data)
	command(t, "verify-chain", data)
	file := filepath.Join(t.TempDir(), "chain.jsonl")
	command(t, "export", "--data", data, file)
	command(t, "verify-chain", file)
	if out, err := exec.CommandContext(t.Context(), "python3", "../../verify/python/verify.py",
		file).CombinedOutput(); err != nil {
		t.Errorf("Python: %v\n%s", err, out)
	}
	if server, err = serve(t.Context(), data); err != nil {
		t.Fatalf("the next start: %v", err)
	}
	if err := server.stop(); err != nil {
		t.Error(err)
	}
}

// TestForgotten checks that a folder whose memory of the log is lost does not start, until the
// size of the database is accepted explicitly.
func TestForgotten(t *testing.T) {
	t.Parallel()
	r := played(t, t.TempDir(), 2)
	if err := os.Remove(filepath.Join(r.folder, "log-head.json")); err != nil {
		t.Fatal(err)
	}
	if why := r.tryStart(t, r.folder); !strings.Contains(why,
		"log-head.json, so a rollback of the database cannot be detected") {
		t.Fatalf("the start: %s", why)
	}
	output(t, 2, "accept-rollback", "--data", r.folder, "--size", "7")
	if out := output(t, 0, "accept-rollback", "--data", r.folder, "--size", fmt.Sprint(r.tree.N)); !strings.Contains(out,
		"Nothing is given up") {
		t.Error(out)
	}
	if why := r.tryStart(t, r.folder); why != "" {
		t.Errorf("the start: %s", why)
	}

	// Only the database is lost: the keys must not sign a second chain.
	removeDatabase(t, r.folder)
	if why := r.tryStart(t, r.folder); !strings.Contains(why, "the database was rolled back") ||
		!strings.Contains(why, "use an empty folder") {
		t.Errorf("the start without a database: %s", why)
	}
}

// TestCheckpointLost declares a rollback on a machine without memory of the log, by a checkpoint
// from another source.
func TestCheckpointLost(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	data, backup := filepath.Join(folder, "data"), filepath.Join(folder, "backup")
	played(t, data, 2)
	command(t, "backup", "--data", data, "--keys", backup)
	server, err := serve(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	r := &killedService{}
	r.grow(t, server, 3)
	kept, err := fetch(t.Context(), server.url+"/log/checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	again, file := filepath.Join(folder, "again"), filepath.Join(folder, "checkpoint")
	out := output(t, 0, "restore", "--data", again, backup)
	if !strings.Contains(out, "This folder has no record of entries signed after the backup") {
		t.Errorf("restore:\n%s", out)
	}
	if err := os.WriteFile(file, bytes.Replace(kept, []byte("\n3\n"), []byte("\n4\n"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, 2, "accept-rollback", "--data", again, "--size", "4", "--checkpoint", file)
	if err := os.WriteFile(file, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	out = output(t, 0, "accept-rollback", "--data", again, "--size", "3", "--checkpoint", file)
	line := declaration(r.tree, 2)
	if !strings.Contains(out, line) {
		t.Errorf("accepted: %s, want %s", out, line)
	}
	r.declared(t, again, line)
}

func declaration(t tlog.Tree, base int64) string {
	return fmt.Sprintf("roshambo/rollback/v1 %d %v %d", t.N, t.Hash, base)
}

// output runs the command, requires an exit status, and returns the output.
func output(t *testing.T, status int, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "roshambo", args...)
	out, _ := cmd.CombinedOutput() // the error is the exit status
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("roshambo %v: exit status %d, want %d\n%s", args, got, status, out)
	}
	return string(out)
}

// removeDatabase removes the database of a data folder with its write-ahead log.
func removeDatabase(t *testing.T, data string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "roshambo.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
