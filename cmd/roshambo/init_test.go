package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWriteNew: a file is there as a whole, for others to read, and is never written over.
func TestWriteNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "roshambo.toml")
	if err := writeNew(path, "first"); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(path, "second"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "first" {
		t.Errorf("the file has %q, error %v", text, err)
	}
	there, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(there) != 1 {
		t.Fatalf("there is %v, error %v", there, err)
	}
	if info, err := there[0].Info(); err != nil || info.Mode().Perm()&0o444 != 0o444 {
		t.Errorf("its mode is %v, error %v", info.Mode(), err)
	}
}

// TestCommentedOptions: the file of init has each option once, and its defaults are the defaults of serve.
func TestCommentedOptions(t *testing.T) {
	t.Parallel()
	effective := func(args ...string) (*cli, string) {
		commands, code := &cli{}, 0
		if _, err := parse(t.Context(), commands, &code, append([]string{"serve"}, args...)); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := commands.Serve.printOptions(&text); err != nil {
			t.Fatal(err)
		}
		return commands, text.String()
	}
	commands, want := effective()
	code := 0
	parsed, err := parse(t.Context(), &cli{}, &code, []string{"init", t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	text := commentedOptions(parsed.Model)
	var set strings.Builder
	for _, o := range commands.Serve.options() {
		if n := strings.Count(text, "\n#"+o.key+" = "); n != 1 {
			t.Errorf("the option %s is there %d times", o.key, n)
		}
		_, line, _ := strings.Cut(text, "\n#"+o.key+" = ")
		line, _, _ = strings.Cut(line, "\n")
		if strings.Contains(want, o.key+" = "+line+"\n") || o.key == "data" { // a path, which serve makes absolute
			set.WriteString(o.key + " = " + line + "\n")
		} else if !o.value.IsZero() {
			t.Errorf("%s has the default %s, and its comment says %s", o.key, o.text(), line)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 121 || line != "\n" && line[0] != '#' {
			t.Errorf("the line %q is too long, or not commented out", line)
		}
	}
	path := filepath.Join(t.TempDir(), "set.toml")
	if err := os.WriteFile(path, []byte(set.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, got := effective("--config", path); got != want || set.Len() == 0 {
		t.Errorf("the defaults as a file give\n%s\nwant\n%s", got, want)
	}
}
