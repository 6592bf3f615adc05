package archtest

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
)

// commandRow says which test types lines in the shell blocks of a document, or why none does. A command that no test
// types goes wrong unseen: an option is renamed, a file moves, a variable of an earlier line changes what a later one
// does.
type commandRow struct {
	document string
	section  string // the heading above the lines; "" for any
	line     string // the beginning of the lines; "" for any
	// by is a test, as folder.TestName, that reads the document and types its lines, or the path of a script that has
	// the line's beginning.
	by     string
	reason string // why no test types the lines, in place of by
}

// Tests that type the commands of a document.
const (
	typesReadme     = "cmd/roshambo.TestReadmeDocument"
	typesVerify     = "cmd/roshambo.TestVerifyDocument"
	typesBots       = "cmd/roshambo.TestBotsCommands"
	typesOperations = "cmd/roshambo.TestOperationsDocument"
	typesArchive    = "cmd/roshambo.TestRecoveryFromArchive"
)

const (
	operations = "docs/operations.md"
	bots       = "docs/bots.md"

	needsSystemd = "needs systemd, as root: TestPackage installs the same unit and runs its command"
	needsEngine  = "needs a container engine and its registry: TestCompose takes these steps where docker compose is"
)

// commands has rows for each line of the shell blocks. The first row that fits a line counts, so the narrow ones come
// first.
var commands = []commandRow{
	{document: "README.md", line: "make test", reason: "is the gate, of which this test is a part"},
	{document: "README.md", line: "go run ./cmd/roshambo verify ", by: typesVerify},
	{document: "README.md", line: "python3 verify/python/verify.py ", by: typesVerify},
	{document: "README.md", by: typesReadme},

	{document: "CONTRIBUTING.md", line: "make run", reason: "is the first command of README.md, typed there"},
	{document: "CONTRIBUTING.md", line: "make check", reason: "is lint and tests of the gate"},
	{document: "CONTRIBUTING.md", line: "make test", reason: "is the gate, of which this test is a part"},
	{document: "CONTRIBUTING.md", line: "make nightly", reason: "is the night, of which the typing tests are a part"},
	{document: "CONTRIBUTING.md", line: "make ", by: "cmd/roshambo.TestDocumentedTargets"},
	{document: "CONTRIBUTING.md", line: "tools/with-postgres go -C tools/mutate run .", by: "tools/nightly"},

	{document: "docs/verify.md", by: typesVerify},
	{document: "docs/fair.md", by: "cmd/roshambo.TestFairDocument"},
	{document: "docs/class.md", by: "cmd/roshambo.TestClassDocument"},

	{document: bots, section: "House runs", by: "cmd/roshambo.TestBotsDocument"},
	{document: bots, by: typesBots},

	{document: operations, section: "Verify a build", line: "go run ./packaging/release --new-key", by: "tools/reproduce"},
	{document: operations, section: "Verify a build", line: "go run ./packaging/release --key", by: "tools/reproduce"},
	{document: operations, section: "Verify a build", line: "roshambo version --verify ",
		reason: "needs a release of this very program: tools/reproduce makes and verifies one"},
	{document: operations, section: "Verify a build", line: "roshambo verify-page ",
		reason: "names a public service: TestVerifyPage compares one of its own"},
	{document: operations, section: "As a service of systemd", line: "sudo roshambo init ", by: typesOperations},
	{document: operations, section: "As a service of systemd", reason: needsSystemd},
	{document: operations, section: "In containers", reason: needsEngine},
	{document: operations, line: "createuser roshambo ", by: typesOperations},
	{document: operations, section: "PostgreSQL, and several nodes", line: "export ROSHAMBO_DATABASE=",
		reason: "names the hosts of its reader: TestFailover gives nodes a URL of two hosts"},
	{document: operations, section: "PostgreSQL, to any moment", by: typesArchive},
	{document: operations, section: "The page", line: "ssh ", reason: "reaches another machine"},
	{document: operations, section: "The page", line: "sudo -u roshambo roshambo admin open",
		reason: "asks the service of systemd: testdata/admin.txt asks one of its own"},
	{document: operations, by: typesOperations},
}

// commandFile is where problems with the rows themselves are.
const commandFile = "internal/archtest/commands.go"

// Commands checks that each line in the shell blocks of the documents for readers at a terminal is typed by a test, or
// has a reason why it is not. All their blocks name a language, so that none with commands goes unseen.
func Commands(t *Tree) []Problem {
	used := make([]bool, len(commands))
	problems := checkLines(t, commands, used)
	if t.file(commandFile) == nil { // a sample, without the tests that the rows name
		return problems
	}
	return append(problems, checkRows(t, commands, used)...)
}

// checkLines finds the lines without a row in the documents of the rows, and marks the rows that are used.
func checkLines(t *Tree, rows []commandRow, used []bool) []Problem {
	var problems []Problem
	read := map[string]bool{}
	for _, row := range rows {
		if f := t.file(row.document); f != nil && !read[row.document] {
			problems = append(problems, typedLines(f, rows, used)...)
		}
		read[row.document] = true
	}
	return problems
}

// checkRows finds rows without a line, and rows whose test or script does not type it. So the table shrinks with the
// documents, and a test that is renamed or reads another document fails the rule.
func checkRows(t *Tree, rows []commandRow, used []bool) []Problem {
	var problems []Problem
	tests := testFiles(t)
	for i, row := range rows {
		var what string
		switch {
		case !used[i]:
			what = row.document + " has no line for the row " + strings.TrimSpace(row.section+" "+row.line)
		case (row.by != "") == (row.reason != ""):
			what = row.document + ", " + row.line + ": either a test or a reason"
		case row.by != "" && !row.typed(t, tests):
			what = row.by + " does not type the commands of " + row.document
		default:
			continue
		}
		problems = append(problems, Problem{Path: commandFile, What: what})
	}
	return problems
}

// typed reports whether the row's test is there and reads the document, or its script has the line. A test reads a
// document when a text in its file is the document's path; a mention in a comment does not count.
func (row commandRow) typed(t *Tree, tests map[string]*File) bool {
	if !strings.Contains(row.by, ".Test") {
		script := t.file(row.by)
		return script != nil && row.line != "" && strings.Contains(script.Text, row.line)
	}
	f := tests[row.by]
	reads := false
	if f != nil {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				value, _ := text(lit)
				reads = reads || path.Base(value) == path.Base(row.document)
			}
			return !reads
		})
	}
	return reads
}

// testFiles returns the file of each test, by folder.TestName. Those of the nightly run are among them.
func testFiles(t *Tree) map[string]*File {
	tests := map[string]*File{}
	for f := range t.goFiles {
		if f.Test() {
			for _, m := range goTest.FindAllStringSubmatch(f.Text, -1) {
				tests[f.Package()+"."+m[1]] = f
			}
		}
	}
	return tests
}

var (
	// fence opens or closes a block; group 1 is its language.
	fence = regexp.MustCompile("^ *```([a-z]*)$")
	// headed matches a heading; group 1 is its text.
	headed = regexp.MustCompile(`^#+ (.*)`)
)

// typedLines marks the rows of the lines in the shell blocks of a document, and finds lines without one. It knows
// nothing of the shell: a command of several lines is several lines, and one row may cover a section.
func typedLines(f *File, rows []commandRow, used []bool) []Problem {
	var problems []Problem
	section, language, inside := "", "", false
	for i, line := range strings.Split(f.Text, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil {
			inside, language = !inside, m[1]
			if inside && language == "" {
				problems = append(problems, Problem{f.Path, i + 1, "a block without a language: sh for commands, or text"})
			}
			continue
		}
		if m := headed.FindStringSubmatch(line); m != nil && !inside {
			section = m[1]
		}
		line = strings.TrimSpace(line)
		if !inside || language != "sh" || line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if !markRow(rows, used, f.Path, section, line) {
			problems = append(problems, Problem{f.Path, i + 1, "no test types " + line + ": give it a row in " + commandFile})
		}
	}
	return problems
}

// markRow marks the first row that fits a line.
func markRow(rows []commandRow, used []bool, document, section, line string) bool {
	for i, row := range rows {
		if row.document == document && (row.section == "" || row.section == section) && strings.HasPrefix(line, row.line) {
			used[i] = true
			return true
		}
	}
	return false
}
