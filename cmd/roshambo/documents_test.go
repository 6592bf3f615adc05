package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var (
	// spans matches a block of shell commands, or a text in the line that is code.
	spans = regexp.MustCompile("(?s)```sh\n(.*?)```|```.*?```|`([^`]+)`")
	// invoked matches a command of the program with its arguments, behind what a shell may have in front of it.
	invoked = regexp.MustCompile(`(?:^|[ /=(])roshambo ([a-z][a-z-]*(?: [^|&;#\n]*)?)`)
	// bare takes away what would look like a command of the program.
	bare = strings.NewReplacer("./cmd/roshambo ", "roshambo ", "sudo -u roshambo ", "")
	// named matches an option in a command line.
	named = regexp.MustCompile(`(?:^| )--([a-z][a-z-]*)`)
	// target matches the targets of a call of make, script a script of the repository.
	target = regexp.MustCompile(`^make ([a-z-]+)`)
	script = regexp.MustCompile(`^tools/([a-z-]+)(?: |$)`)
)

// code returns the lines of shell blocks and the code in the lines of a document.
func code(text string) (lines []string) {
	for _, m := range spans.FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Split(m[1], "\n")...)
		lines = append(lines, strings.Join(strings.Fields(m[2]), " "))
	}
	return lines
}

// documents returns the texts of README.md, CONTRIBUTING.md and of docs, by their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d documents, error %v", len(paths), err)
	}
	texts := map[string]string{}
	for _, path := range append(paths, filepath.Join(root(t), "README.md"), filepath.Join(root(t), "CONTRIBUTING.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	return texts
}

// TestDocumentedOptions: the program has each command and each option that the documents name, also those that are in
// no block and that no test types.
func TestDocumentedOptions(t *testing.T) {
	t.Parallel()
	status := 0
	parsed, err := parse(t.Context(), &cli{}, &status, []string{"man"})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for path, text := range documents(t) {
		for _, line := range code(text) {
			for _, m := range invoked.FindAllStringSubmatch(bare.Replace(line), -1) {
				node, rest := commandOf(parsed.Model.Node, strings.Fields(m[1]))
				if node == parsed.Model.Node {
					if strings.HasPrefix(line, "roshambo ") {
						t.Errorf("%s: the program has no command %q", path, m[1])
					}
					continue // another program's word, as in systemctl stop roshambo
				}
				seen++
				for _, o := range named.FindAllStringSubmatch(strings.Join(rest, " "), -1) {
					if !hasOption(node, o[1]) {
						t.Errorf("%s: %s has no option --%s: %s", path, node.FullPath(), o[1], line)
					}
				}
			}
		}
	}
	if seen < 80 {
		t.Errorf("only %d commands", seen)
	}
}

// TestReadmeOfAFreshService: README fits one screen, and says where mails go without a mail server and how a phone
// on the same network reaches the service, as docs/operations.md does in full.
func TestReadmeOfAFreshService(t *testing.T) {
	t.Parallel()
	readme, operations := readDocument(t, "README.md"), readDocument(t, "docs/operations.md")
	if n := strings.Count(readme, "\n"); n > 60 {
		t.Errorf("README.md has %d lines, want at most 60", n)
	}
	if !regexp.MustCompile("mails[^.\n]* are files in `roshambo-data/mail`").MatchString(readme) {
		t.Error("README.md does not say where the mails of a fresh service are")
	}
	const phone = "--listen 0.0.0.0:8080 --public-url http://192.168.1.20:8080"
	if !strings.Contains(readme, "serve "+phone) || !strings.Contains(operations, phone) {
		t.Errorf("README.md and docs/operations.md do not both name %s", phone)
	}
}

// commandOf follows words from a node to the command that they name, and returns the words behind it.
func commandOf(node *kong.Node, words []string) (*kong.Node, []string) {
	for len(words) > 0 {
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool {
			return c.Type == kong.CommandNode && c.Name == words[0]
		})
		if i < 0 {
			break
		}
		node, words = node.Children[i], words[1:]
	}
	return node, words
}

// hasOption reports whether a command or one above it has an option.
func hasOption(node *kong.Node, name string) bool {
	for _, group := range node.AllFlags(false) {
		for _, flag := range group {
			if flag.Name == name || flag.Tag.Negatable != "" && "no-"+flag.Name == name {
				return true
			}
		}
	}
	return false
}

// TestDocumentedTargets types make alone, which lists the targets, and requires those and the scripts that the
// documents name.
func TestDocumentedTargets(t *testing.T) {
	t.Parallel()
	if !strings.Contains(readDocument(t, "CONTRIBUTING.md"), "\nmake          # list all targets\n") {
		t.Error("CONTRIBUTING.md does not say what make alone does")
	}
	cmd := exec.CommandContext(t.Context(), "make")
	cmd.Dir = root(t)
	listed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for path, text := range documents(t) {
		for _, line := range code(text) {
			if m := target.FindStringSubmatch(line); m != nil {
				seen++
				if !regexp.MustCompile(`(?m)^` + m[1] + ` `).Match(listed) {
					t.Errorf("%s: make does not list %s", path, m[1])
				}
			}
			if m := script.FindStringSubmatch(line); m != nil {
				seen++
				if _, err := os.Stat(filepath.Join(root(t), "tools", m[1])); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d targets and scripts", seen)
	}
}
