package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/app"
	"roshambo/internal/platform/release"
)

// TestVersionVerify checks the program against lists that name it, that do not, and that another key has
// signed.
func TestVersionVerify(t *testing.T) {
	t.Parallel()
	private, public, err := note.GenerateKey(strings.NewReader(strings.Repeat("key", 20)), "releases.example.org")
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := note.GenerateKey(strings.NewReader(strings.Repeat("not", 20)), "releases.example.org")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	own, err := ownDigest() // the command of the tests is this test binary
	if err != nil {
		t.Fatal(err)
	}
	list := func(name string, d release.Digest) string {
		signed, err := release.Sign(&release.Release{
			Version: "0.1.0", Commit: strings.Repeat("ab", 20), Go: "go1.26", Files: []release.File{{Name: name, Digest: d}},
		}, signer)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, signed, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	good, bad := list("roshambo-good", own), list("roshambo-bad", release.Digest{1})
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"version"}, 0, "roshambo " + app.Version()},
		{[]string{"version", "--verify", good, "--key", public}, 0,
			"VERIFIED: this program is roshambo-good of release 0.1.0, built from commit abab"},
		{[]string{"version", "--verify", bad, "--key", public}, 1, "NOT VERIFIED: this program has SHA-256 " + own.String()},
		{[]string{"version", "--verify", good, "--key", other}, 1, "not signed by this key"},
		{[]string{"version", "--verify", good, "--key", "x"}, 2, "not a verifier key"},
		{[]string{"version", "--verify", good}, 2, "--verify needs --key"},
		{[]string{"version", "--verify", good + "x", "--key", public}, 2, "no such file"},
	} {
		command := exec.CommandContext(t.Context(), "roshambo", c.args...)
		text, _ := command.CombinedOutput() // the exit status is compared
		if code := command.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(text), c.text) {
			t.Errorf("%q: status %d, %s", c.args, code, text)
		}
	}
}
