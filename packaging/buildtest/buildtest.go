// Package buildtest builds programs for tests of packages and of upgrades: one from the sources, one of an earlier
// commit, and one of a later release.
package buildtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// LaterVersion is the version of the program of Later.
const LaterVersion = "99.0.0"

// Migration is the part of a name that the migration of Later has, by which a log names it.
const Migration = "later_release"

// Program builds the program of the sources below root, the folder of the module, and returns its path.
func Program(t testing.TB, root string) string {
	t.Helper()
	return build(t, root)
}

// Commit builds the program of a commit of the repository at root. It fails in a shallow clone that lacks the commit.
func Commit(t testing.TB, root, commit string) string {
	t.Helper()
	folder := t.TempDir()
	sources := filepath.Join(folder, "sources.tar")
	for _, args := range [][]string{
		{"git", "-C", root, "archive", "--output", sources, commit},
		{"tar", "-xf", sources, "-C", folder},
	} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v (a shallow clone? git fetch --unshallow)\n%s", args, err, out)
		}
	}
	return build(t, folder)
}

// Later builds the program of a later release: the sources below root with the version LaterVersion, and with a table
// more in the schema of both engines. It returns its path.
func Later(t testing.TB, root string) string {
	t.Helper()
	root, err := filepath.Abs(root)
	check(t, err)
	folder, replaced := t.TempDir(), map[string]string{}
	replace := func(file, text string) {
		to := filepath.Join(folder, fmt.Sprint(len(replaced)))
		check(t, os.WriteFile(to, []byte(text), 0o600))
		replaced[filepath.Join(root, file)] = to
	}
	for engine, strict := range map[string]string{"sqlite": " STRICT", "postgres": ""} {
		migrations := filepath.Join("internal/store/migrations", engine)
		there, err := os.ReadDir(filepath.Join(root, migrations))
		check(t, err)
		replace(filepath.Join(migrations, fmt.Sprintf("%04d_%s.sql", len(there)+1, Migration)),
			"-- +goose Up\nCREATE TABLE later (id INTEGER PRIMARY KEY)"+strict+";\n")
	}
	const file, before, after = "internal/server/api/api.go", "\nconst Version = \"", "\""
	text, err := os.ReadFile(filepath.Join(root, file))
	check(t, err)
	start, rest, found := strings.Cut(string(text), before)
	_, end, ended := strings.Cut(rest, after)
	if !found || !ended {
		t.Fatalf("%s has no version", file)
	}
	replace(file, start+before+LaterVersion+after+end)
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	check(t, err)
	list := filepath.Join(folder, "overlay.json")
	check(t, os.WriteFile(list, overlay, 0o600))
	return build(t, root, "-overlay", list)
}

// build builds the program with further arguments of go build.
func build(t testing.TB, root string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "roshambo")
	args = slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-o", path}, args, []string{"./cmd/roshambo"})
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir, c.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
