package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
)

// fileAt returns a head file in a new folder that remembers m, and is written.
func fileAt(t *testing.T, m memory) *HeadFile {
	t.Helper()
	f := &HeadFile{path: filepath.Join(t.TempDir(), "head.json")}
	if err := f.change(func(kept *memory) bool { *kept = m; return true }); err != nil {
		t.Fatal(err)
	}
	return f
}

// wantMemory checks the memory of a file, and the written one.
func wantMemory(t *testing.T, what string, f *HeadFile, kept, written memory) {
	t.Helper()
	fields := cmp.AllowUnexported(signedBlock{})
	got, _ := f.get()
	if diff := cmp.Diff(kept, got, fields); diff != "" {
		t.Errorf("%s: remembered (-want +got)\n%s", what, diff)
	}
	got, _, err := readMemory(f.path)
	if diff := cmp.Diff(written, got, fields); diff != "" || err != nil {
		t.Errorf("%s: written, error %v (-want +got)\n%s", what, err, diff)
	}
}

// TestStored checks what a file remembers when the database has a tree: the larger tree, or the one that
// follows a declared rollback, and a signed block only while it may not be stored.
func TestStored(t *testing.T) {
	t.Parallel()
	a, b := tlog.Hash{1}, tlog.Hash{2}
	signed := func(size int64) *signedBlock {
		return &signedBlock{treeHead: treeHead{size, a}, Time: 7, Transactions: []tlog.Hash{b}}
	}
	one := []string{"one"}
	for name, c := range map[string]struct {
		was, want memory
		tree      treeHead
		declared  []string
	}{
		"a larger tree":       {memory{Stored: treeHead{3, a}}, memory{Stored: treeHead{4, b}}, treeHead{4, b}, nil},
		"the same size":       {memory{Stored: treeHead{3, a}}, memory{Stored: treeHead{3, a}}, treeHead{3, b}, nil},
		"a smaller tree":      {memory{Stored: treeHead{3, a}}, memory{Stored: treeHead{3, a}}, treeHead{2, b}, nil},
		"the signed tree":     {memory{Signed: signed(4)}, memory{Stored: treeHead{4, a}}, treeHead{4, a}, nil},
		"one above the other": {memory{Signed: signed(4)}, memory{Stored: treeHead{5, a}}, treeHead{5, a}, nil},
		"one below the signed": {
			memory{Signed: signed(4)}, memory{Stored: treeHead{3, b}, Signed: signed(4)}, treeHead{3, b}, nil,
		},
		"after a rollback": {
			memory{Stored: treeHead{3, a}, Signed: signed(4)}, memory{Stored: treeHead{2, b}, Rollbacks: one},
			treeHead{2, b}, one,
		},
		"declared before": {
			memory{Stored: treeHead{3, a}, Rollbacks: one}, memory{Stored: treeHead{3, a}, Rollbacks: one},
			treeHead{2, b}, one,
		},
	} {
		c.was.Chain, c.want.Chain = "a chain", "a chain"
		f := fileAt(t, c.was)
		if err := f.stored(c.tree, c.declared, false); err != nil {
			t.Error(err)
		}
		wantMemory(t, name+", for now", f, c.want, c.was)
		f = fileAt(t, c.was)
		if err := f.stored(c.tree, c.declared, true); err != nil {
			t.Error(err)
		}
		wantMemory(t, name, f, c.want, c.want)
	}
}

// TestSign checks that a file remembers the block that was signed last, once, beside the stored tree.
func TestSign(t *testing.T) {
	t.Parallel()
	was := memory{Chain: "a chain", Stored: treeHead{2, tlog.Hash{9}}}
	f := fileAt(t, was)
	sign := func(root byte) error {
		return f.sign(&newBlock{
			header: chain.Header{Height: 2, Time: 7}, root: tlog.Hash{root},
			txs: []pending{{hash: chain.Hash{4}}, {hash: chain.Hash{3}}},
		})
	}
	for _, root := range []byte{1, 2} { // the second where another process has made the block of the first
		if err := sign(root); err != nil {
			t.Fatal(err)
		}
		want := was
		want.Signed = &signedBlock{
			treeHead: treeHead{3, tlog.Hash{root}}, Time: 7, Transactions: []tlog.Hash{{4}, {3}},
		}
		wantMemory(t, "signed", f, want, want)
	}
	if err := os.RemoveAll(filepath.Dir(f.path)); err != nil {
		t.Fatal(err)
	}
	if err := sign(2); err != nil {
		t.Errorf("signed again, what is remembered: error %v", err)
	}
	if err := sign(3); err == nil {
		t.Error("signed, and not remembered")
	}
}

// TestRecoveredInSharedFile checks that nodes that share a data folder keep the latest time of a recovery.
func TestRecoveredInSharedFile(t *testing.T) {
	t.Parallel()
	f := fileAt(t, memory{Chain: "a chain", Stored: treeHead{Size: 2}, Recovered: 5})
	other := &HeadFile{path: f.path, kept: memory{Chain: "a chain", Stored: treeHead{Size: 2}}}
	for _, at := range []int64{0, 4, 7} {
		if err := other.recovered(at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.stored(treeHead{Size: 3}, nil, true); err != nil {
		t.Fatal(err)
	}
	want := memory{Chain: "a chain", Stored: treeHead{Size: 3}, Recovered: 7}
	wantMemory(t, "shared", f, want, want)
}

// TestFileOfAnotherChain checks that a node does not take over what a file of another chain remembers.
func TestFileOfAnotherChain(t *testing.T) {
	t.Parallel()
	f := fileAt(t, memory{Chain: "a chain", Stored: treeHead{Size: 2}})
	other := &HeadFile{path: f.path, kept: memory{Chain: "another chain"}}
	if err := other.stored(treeHead{Size: 9}, nil, true); err != nil {
		t.Fatal(err)
	}
	if err := f.stored(treeHead{Size: 3}, nil, true); err != nil {
		t.Fatal(err)
	}
	want := memory{Chain: "a chain", Stored: treeHead{Size: 3}}
	wantMemory(t, "this chain", f, want, want)
}

// TestFolderForHeadFile checks that a folder in the place of the file is neither read nor replaced.
func TestFolderForHeadFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "head.json")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := (&HeadFile{path: path}).replace(memory{Chain: "a chain"}); err == nil {
		t.Error("a folder was replaced by a file")
	}
	var wrong *os.PathError
	if _, err := OpenHeadFile(path); !errors.As(err, &wrong) {
		t.Errorf("a folder is read as a head file: error %v", err)
	}
}

// TestNoteTree checks which tree a checkpoint states, and that what states none is damaged.
func TestNoteTree(t *testing.T) {
	t.Parallel()
	root := tlog.Hash{1, 2, 3}
	for text, want := range map[string]treeHead{
		"origin\n7\n" + root.String() + "\n":                 {7, root},
		"origin\n7\n" + root.String() + "\nmore\n\n— sign\n": {7, root},
		"origin\n7\n" + root.String():                        {},
		"origin\nseven\n" + root.String() + "\n":             {},
		"origin\n7\nno root\n":                               {},
		"":                                                   {},
	} {
		got, err := noteTree(text)
		if want == (treeHead{}) {
			if !errors.Is(err, layout.ErrDamaged) {
				t.Errorf("%q: %+v, error %v", text, got, err)
			}
		} else if got != want || err != nil {
			t.Errorf("%q: %+v, error %v, want %+v", text, got, err, want)
		}
	}
}

// TestRemoveParts checks that a start removes the temporary files of its head file, and nothing else, and
// that it is refused where they cannot be removed.
func TestRemoveParts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := &HeadFile{path: filepath.Join(folder, "head.json")}
	keep := []string{"head.json", "head.json.bak", "head.jsonx.1.part", "other.1.part"}
	for _, name := range append([]string{"head.json.1.part", "head.json.22.part"}, keep...) {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.removeParts(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, file := range files {
		left = append(left, file.Name())
	}
	if diff := cmp.Diff(keep, left); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
	if err := os.MkdirAll(filepath.Join(folder, "head.json.3.part", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.removeParts(); err == nil || !strings.Contains(err.Error(), "head file") {
		t.Errorf("a part that stays: error %v", err)
	}
	f.path = filepath.Join(folder, "gone", "head.json")
	if err := f.removeParts(); err == nil {
		t.Error("no folder: no error")
	}
}
