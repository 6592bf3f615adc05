package main

import (
	"bytes"
	"context"
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

// remembered is a data folder whose server was killed right after it had handed out the
// checkpoint of a tree.
type remembered struct {
	folder string
	logWatch
}

// played starts a server, has guests arrive until the log has so many blocks, and kills it.
func played(t *testing.T, folder string, blocks int64, args ...string) *remembered {
	t.Helper()
	r := &remembered{folder: folder}
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

// grow has guests arrive until the log has so many blocks.
func (r *remembered) grow(t *testing.T, server *process, blocks int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		v, err := newVisitor(ctx, server.url)
		if err != nil {
			t.Fatalf("%v\n%s", err, server.logged())
		}
		for before := r.tree.N; r.tree.N == before && ctx.Err() == nil; pause(ctx, 20*time.Millisecond) {
			if _, err := r.checkpoint(ctx, v); err != nil {
				t.Fatalf("%v\n%s", err, server.logged())
			}
		}
		if r.tree.N >= blocks {
			return
		}
	}
	t.Fatalf("the log has %d blocks in a minute, want %d\n%s", r.tree.N, blocks, server.logged())
}

// copied returns a copy of the folder.
func (r *remembered) copied(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(folder, os.DirFS(r.folder)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// starts starts a server, and returns what it says as it refuses to; "" when it goes on with
// all of the tree that was handed out, and doctor finds nothing.
func (r *remembered) starts(t *testing.T, folder string, args ...string) string {
	t.Helper()
	server, err := serve(t.Context(), folder, args...)
	if err != nil {
		return err.Error()
	}
	now := logWatch{key: r.key, tree: r.tree}
	v := &visitor{url: server.url, client: http.DefaultClient}
	if err := now.goesOn(t.Context(), v); err != nil {
		t.Errorf("it started, and signs another log: %v", err)
	}
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	return ""
}

// damage is what becomes of a write-ahead log.
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

// cut leaves the first part of it, in thousandths.
func cut(part int64) damage {
	return damage{fmt.Sprintf("cut at %d/1000", part), func(t *testing.T, wal string) {
		info, err := os.Stat(wal)
		if err == nil {
			err = os.Truncate(wal, info.Size()*part/1000)
		}
		if err != nil {
			t.Fatal(err)
		}
	}}
}

// flipped changes one byte of it.
func flipped(part int) damage {
	return damage{fmt.Sprintf("flipped at %d/1000", part), func(t *testing.T, wal string) {
		text, err := os.ReadFile(wal)
		if err == nil {
			text[len(text)*part/1000] ^= 1
			err = os.WriteFile(wal, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}}
}

// TestLogLost kills a server and damages the write-ahead log of its database. The next start
// refuses, or has all of the tree that was handed out; doctor says the same.
func TestLogLost(t *testing.T) {
	t.Parallel()
	r := played(t, t.TempDir(), 4)
	if why := r.starts(t, r.copied(t)); why != "" {
		t.Fatalf("undamaged it refuses: %s", why)
	}
	for _, d := range []damage{deleted(), cut(0), cut(1), cut(500), flipped(1), flipped(400), flipped(999)} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			r.lose(t, d, d.name != "flipped at 999/1000") // the last page may be of what was not handed out
		})
	}
}

// lose damages the log of a copy, and starts on it.
func (r *remembered) lose(t *testing.T, d damage, mustRefuse bool) (refused bool) {
	t.Helper()
	folder := r.copied(t)
	d.do(t, filepath.Join(folder, "roshambo.db-wal"))
	why := r.starts(t, folder)
	if why == "" {
		if mustRefuse {
			t.Error("it starts")
		}
		return false
	}
	if !strings.Contains(why, "the database was rolled back: a tree of") {
		t.Errorf("it refuses with %s", why)
	}
	// A second start is refused as the first was: nothing has healed by itself.
	if r.starts(t, folder) == "" {
		t.Error("the second start goes on")
	}
	out, err := exec.CommandContext(t.Context(), "roshambo", "doctor", "--data", folder).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 { //nolint:errorlint // as it is returned
		t.Errorf("doctor: %v\n%s", err, out)
	}
	return true
}

// TestRestoreOlder restores a backup that is older than what was signed since: restore says
// what that means, the start refuses, a second history needs to be accepted by name, and is
// then declared in every checkpoint.
func TestRestoreOlder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	data, backup := filepath.Join(folder, "data"), filepath.Join(folder, "backup")
	played(t, data, 2)
	command(t, "backup", "--data", data, "--keys", backup)
	r := played(t, data, 4)
	removeDatabase(t, data)
	out := says(t, 0, "restore", "--data", data, backup)
	want := fmt.Sprintf("roshambo accept-rollback --size %d", r.tree.N)
	if !strings.Contains(out, "The next start refuses: ") || !strings.Contains(out, want) {
		t.Errorf("restore does not say that the next start refuses, and %q:\n%s", want, out)
	}
	if why := r.starts(t, data); !strings.Contains(why, want) {
		t.Fatalf("the start: %s", why)
	}
	if out := says(t, 1, "doctor", "--data", data); !strings.Contains(out, "signed head: 1 differences") {
		t.Errorf("doctor:\n%s", out)
	}
	says(t, 2, "accept-rollback", "--data", data, "--size", fmt.Sprint(r.tree.N-1))
	line := declaration(r.tree, 2)
	if out := says(t, 0, "accept-rollback", "--data", data, "--size", fmt.Sprint(r.tree.N)); !strings.Contains(out, line) {
		t.Errorf("what is accepted: %s, want %s", out, line)
	}
	says(t, 2, "accept-rollback", "--data", data, "--size", fmt.Sprint(r.tree.N))
	r.declared(t, data, line)

	// The same backup once more, without what was declared: it is a rollback again.
	removeDatabase(t, data)
	if out := says(t, 0, "restore", "--data", data, backup); !strings.Contains(out, "The next start refuses: ") {
		t.Errorf("the second restore:\n%s", out)
	}
	if _, err := serve(t.Context(), data); err == nil {
		t.Error("it starts on the same backup once more")
	}
}

// declared starts a server after a rollback was accepted, and looks for the line that
// declares it in the checkpoints of then and later.
func (r *remembered) declared(t *testing.T, data, line string) {
	t.Helper()
	server, err := serve(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	after := &remembered{logWatch: logWatch{key: r.key}}
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
	if out, err := exec.CommandContext(t.Context(), "python3", "../../verify/python/verify.py", file).CombinedOutput(); err != nil {
		t.Errorf("Python: %v\n%s", err, out)
	}
	if _, err := serve(t.Context(), data); err != nil {
		t.Errorf("the next start: %v", err)
	}
}

// TestForgotten: a folder whose memory of the log is lost does not start, and is made to
// remember what the database has by name.
func TestForgotten(t *testing.T) {
	t.Parallel()
	r := played(t, t.TempDir(), 2)
	if err := os.Remove(filepath.Join(r.folder, "log-head.json")); err != nil {
		t.Fatal(err)
	}
	if why := r.starts(t, r.folder); !strings.Contains(why, "log-head.json, so a rollback of the database cannot be detected") {
		t.Fatalf("the start: %s", why)
	}
	says(t, 2, "accept-rollback", "--data", r.folder, "--size", "7")
	if out := says(t, 0, "accept-rollback", "--data", r.folder, "--size", fmt.Sprint(r.tree.N)); !strings.Contains(out, "Nothing is given up") {
		t.Error(out)
	}
	if why := r.starts(t, r.folder); why != "" {
		t.Errorf("the start: %s", why)
	}

	// The database alone is lost: another chain is not begun with the same keys.
	removeDatabase(t, r.folder)
	if why := r.starts(t, r.folder); !strings.Contains(why, "the database was rolled back") || !strings.Contains(why, "use an empty folder") {
		t.Errorf("the start without a database: %s", why)
	}
}

// TestCheckpointLost declares a rollback on a machine that knows nothing of what was signed,
// by a checkpoint that somebody has kept.
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
	r := &remembered{}
	r.grow(t, server, 3)
	kept, err := fetch(t.Context(), server.url+"/log/checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	again, file := filepath.Join(folder, "again"), filepath.Join(folder, "checkpoint")
	out := says(t, 0, "restore", "--data", again, backup)
	if !strings.Contains(out, "This folder does not know what was signed after the backup") {
		t.Errorf("restore:\n%s", out)
	}
	if err := os.WriteFile(file, bytes.Replace(kept, []byte("\n3\n"), []byte("\n4\n"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	says(t, 2, "accept-rollback", "--data", again, "--size", "4", "--checkpoint", file)
	if err := os.WriteFile(file, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	out = says(t, 0, "accept-rollback", "--data", again, "--size", "3", "--checkpoint", file)
	line := declaration(r.tree, 2)
	if !strings.Contains(out, line) {
		t.Errorf("accepted: %s, want %s", out, line)
	}
	r.declared(t, again, line)
}

func declaration(t tlog.Tree, base int64) string {
	return fmt.Sprintf("roshambo/rollback/v1 %d %v %d", t.N, t.Hash, base)
}

// says runs the command, demands an exit status, and returns what it says.
func says(t *testing.T, status int, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "roshambo", args...)
	out, _ := cmd.CombinedOutput() // its error is the status
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("roshambo %v: exit status %d, want %d\n%s", args, got, status, out)
	}
	return string(out)
}

// removeDatabase removes the database of a data folder, and its log.
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
