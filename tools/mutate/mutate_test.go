package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// planted is a package with a mistake of each kind.
const planted = `package tiny

import (
	"errors"
	"log/slog"
)

var errSmall = errors.New("small")

type T struct {
	n   int
	log *slog.Logger
}

func (t *T) Add(k int) error {
	if err := check(k); err != nil {
		return err
	}
	if k >= 100 && !t.full() {
		t.n = 0
	}
	t.n += k
	return nil
}

func (t *T) tell() {
	if t.n > 7 {
		t.log.Warn("large", "n", 8)
	}
}

func (t *T) full() bool { return t.n > 9 }

func check(k int) error {
	if k < 1 {
		return errSmall
	}
	return nil
}
`

// TestMutants checks which mistakes are found, and their text.
func TestMutants(t *testing.T) {
	t.Parallel()
	list, err := mutantsIn("tiny", "tiny/tiny.go", []byte(planted))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, m.function+" "+m.kind+": "+m.was+" => "+m.is)
		if m.function == "T.tell" {
			t.Errorf("%s: what is only logged", got[len(got)-1])
		}
		text := planted[:m.from] + m.text + planted[m.to:]
		if text == planted {
			t.Errorf("%s changes nothing", got[len(got)-1])
		}
		if again, err := mutantsIn("tiny", "tiny/tiny.go", []byte(text)); err != nil || len(again) == 0 {
			t.Errorf("%s does not parse: %v", got[len(got)-1], err)
		}
	}
	for _, want := range []string{
		"T.Add drop: if err := check(k); err != nil { return err } => if err := check(k); err != nil { _ = err }",
		"T.Add drop: return err => return nil",
		"T.Add negate: if k >= 100 && !t.full() { => if !(k >= 100 && !t.full()) {",
		"T.Add negate: if k >= 100 && !t.full() { => if k >= 100 || !t.full() {",
		"T.Add bound: if k >= 100 && !t.full() { => if k > 100 && !t.full() {",
		"T.Add constant: if k >= 100 && !t.full() { => if k >= 101 && !t.full() {",
		"T.Add remove: t.n = 0 => ",
		"T.Add arithmetic: t.n += k => t.n -= k",
		"T.full bound: func (t *T) full() bool { return t.n > 9 } => func (t *T) full() bool { return t.n >= 9 }",
		"check bound: if k < 1 { => if k <= 1 {",
		"check drop: return errSmall => return nil",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("not found: %s", want)
		}
	}
	if len(got) < 15 || len(got) > 25 {
		t.Errorf("%d mistakes:\n%s", len(got), strings.Join(got, "\n"))
	}
}

func TestEquivalents(t *testing.T) {
	t.Parallel()
	list, err := mutantsIn("tiny", "tiny/tiny.go", []byte(planted))
	if err != nil {
		t.Fatal(err)
	}
	known, err := parseEquivalents(
		"# a remark\n\ntiny T.Add\n- t.n += k\n+\nNo reason at all.\n\ntiny check\n- if k < 1 {\n+ if k <= 1 {\nNor here,\nin two lines.\n")
	if err != nil || len(known) != 2 || known[1].reason != "Nor here, in two lines." {
		t.Fatalf("read %+v, error %v", known, err)
	}
	left, err := without(list, known, "tiny")
	if err != nil || len(left) != len(list)-2 {
		t.Errorf("%d of %d left, error %v", len(left), len(list), err)
	}
	for name, text := range map[string]string{
		"no reason":   "tiny T.Add\n- t.n += k\n+",
		"no function": "tiny\n- a\n+ b\nreason",
		"no lines":    "tiny T.Add\na\nb\nreason",
	} {
		if _, err := parseEquivalents(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	known[0].was = "t.n += l"
	if _, err := without(list, known, "tiny"); err == nil {
		t.Error("an entry that fits nothing: no error")
	}
	if _, err := without(list, known, "another"); err != nil {
		t.Errorf("of another package: error %v", err)
	}
}

// tree writes a module with the package and a test.
func tree(t *testing.T, test string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module tiny\n\ngo 1.26\n", "tiny/tiny.go": planted,
		"tiny/tiny_test.go": test} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestMeasure measures a package whose tests detect some mistakes, and one whose tests detect
// none. The tree must not change.
func TestMeasure(t *testing.T) {
	t.Parallel()
	const sees = `package tiny

import "testing"

func TestAdd(t *testing.T) {
	x := &T{}
	for k, want := range map[int]bool{-1: false, 0: false, 1: true} {
		if err := x.Add(k); (err == nil) != want {
			t.Error(k, err)
		}
	}
	if x.n != 1 {
		t.Error(x.n)
	}
}
`
	measured := func(test string, n int) (string, error) {
		root := tree(t, test)
		var out bytes.Buffer
		err := measure(context.Background(), options{
			root: root, packages: []string{"tiny"}, n: n, seed: 1, parallel: 2, limit: time.Minute, min: 100,
			equivalent: filepath.Join(root, "none"), only: "bound",
		}, &out)
		if text, _ := os.ReadFile(filepath.Join(root, "tiny", "tiny.go")); string(text) != planted {
			t.Error("the tree has changed")
		}
		return out.String(), err
	}
	out, err := measured(sees, 100)
	if !errors.Is(err, errLow) || !strings.Contains(out, "+ if k > 100 && !t.full() {") ||
		strings.Contains(out, "+ if k <= 1 {") ||
		!strings.Contains(out, "tiny     3        1       33 %") {
		t.Errorf("with some tests: error %v\n%s", err, out)
	}
	out, err = measured("package tiny\n", 1)
	if !errors.Is(err, errLow) || !strings.Contains(out, "tiny     1        0       0 %") {
		t.Errorf("without tests: error %v\n%s", err, out)
	}
	if _, err = measured(strings.Replace(sees, "x.n != 1", "x.n != 2", 1), 1); err == nil || errors.Is(err, errLow) {
		t.Errorf("with a test that fails as it is: error %v", err)
	}
}

// TestPostgres checks that a mistake which the tests miss on SQLite is tried on PostgreSQL.
func TestPostgres(t *testing.T) {
	t.Parallel()
	root := tree(t, `package tiny

import (
	"os"
	"testing"
)

func TestFull(t *testing.T) {
	if at := os.Getenv("ROSHAMBO_TEST_POSTGRES"); at != "" && (at != "there" || (&T{n: 9}).full()) {
		t.Error(at)
	}
}
`)
	for address, killed := range map[string]bool{"": false, "there": true} {
		var out bytes.Buffer
		err := measure(t.Context(), options{
			root: root, packages: []string{"tiny"}, n: 100, seed: 1, parallel: 2, limit: time.Minute, min: 1,
			equivalent: filepath.Join(root, "none"), only: "bound", postgres: address,
		}, &out)
		if killed != (err == nil) || killed == strings.Contains(out.String(), "return t.n >= 9") {
			t.Errorf("at %q: error %v\n%s", address, err, &out)
		}
	}
}

// TestShuffle checks that the sample follows from the seed and the package, and that an edit moves no other mutant.
func TestShuffle(t *testing.T) {
	t.Parallel()
	order := func(seed uint64, pkg string, lines []int) string {
		var list []*mutant
		for at, i := range lines {
			list = append(list, &mutant{pkg: pkg, line: at, was: fmt.Sprint("line ", i)})
		}
		shuffle(list, seed)
		var b strings.Builder
		for _, m := range list {
			fmt.Fprint(&b, m.was, ", ")
		}
		return b.String()
	}
	var lines []int
	for i := range 100 {
		lines = append(lines, i)
	}
	first := order(1, "a", lines)
	if order(1, "a", lines) != first || order(2, "a", lines) == first || order(1, "b", lines) == first {
		t.Error("the order does not follow from the seed and the package")
	}
	if got := order(1, "a", lines[1:]); got != strings.Replace(first, "line 0, ", "", 1) {
		t.Errorf("without its first line the order is\n%s, and with it\n%s", got, first)
	}
}

// shapes has a function of each shape that calls its copies differently.
const shapes = `package tiny

type pair[K comparable, V any] struct{ n int }

func (p *pair[K, V]) Set(_ K, v ...V) { p.n = len(v) + 1 }

func (pair[K, V]) Size(int, string) (n int, _ error) { n = 2; return n, nil }

func zero[T any](n int) (v T, ok bool) { ok = n > 1; return v, ok }

func sum(_ int, list ...int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

var started bool

func init() { started = true }
`

// TestShapes checks that mistakes are planted in functions of every shape.
func TestShapes(t *testing.T) {
	t.Parallel()
	const sees = `package tiny

import "testing"

func TestAll(t *testing.T) {
	p := &pair[string, int]{}
	p.Set("a", 1, 2)
	size, _ := p.Size(1, "")
	_, ok := zero[string](2)
	_, no := zero[string](1)
	if p.n != 3 || size != 2 || !ok || no || sum(1, 2, 3) != 5 || !started {
		t.Error(p.n, size, ok, no, sum(1, 2, 3), started)
	}
}
`
	root := tree(t, sees)
	if err := os.WriteFile(filepath.Join(root, "tiny", "tiny.go"), []byte(shapes), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := measure(context.Background(), options{
		root: root, packages: []string{"tiny"}, n: 100, seed: 1, parallel: 2, limit: time.Minute, min: 100,
		equivalent: filepath.Join(root, "none"),
	}, &out)
	if err != nil || !strings.Contains(out.String(), "100 %") || !strings.Contains(out.String(), "11 of 11") {
		t.Errorf("error %v\n%s", err, &out)
	}
}

// TestEquivalentsFit checks that each recorded mistake without effect is one of a measured package.
func TestEquivalentsFit(t *testing.T) {
	t.Parallel()
	known, err := readEquivalents("equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range known {
		if !slices.Contains(measured, e.pkg) {
			t.Errorf("the package of %s %s is not measured", e.pkg, e.function)
		}
	}
	for _, pkg := range measured {
		list, err := mutantsOf("../..", pkg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := without(list, known, pkg); err != nil {
			t.Error(err)
		}
	}
}

// TestOtherBuilds checks that no mistake is planted in a file that the tests are built without.
func TestOtherBuilds(t *testing.T) {
	root := t.TempDir()
	for name, head := range map[string]string{"built.go": "", "filler.go": "//go:build nightly\n\n"} {
		text := head + "package tiny\n\nfunc of" + name[:5] + "(a, b int) bool { return a < b }\n"
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := mutantsOf(root, ".")
	if err != nil || len(list) == 0 {
		t.Fatalf("%d mistakes, %v", len(list), err)
	}
	for _, m := range list {
		if m.file != "built.go" {
			t.Errorf("a mistake in %s", m.file)
		}
	}
}
