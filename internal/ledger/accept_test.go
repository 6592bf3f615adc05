package ledger_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// signed returns a signed checkpoint of a tree that the database does not have.
func (e *economy) signed(t *testing.T, size int64) []byte {
	t.Helper()
	return e.signs(t, layout.CheckpointText(e.Key.Signer.Name(), size, tlog.Hash{9}, nil))
}

// signs signs a text.
func (e *economy) signs(t *testing.T, text string) []byte {
	t.Helper()
	checkpoint, err := note.Sign(&note.Note{Text: text}, e.Key.Signer)
	if err != nil {
		t.Fatal(err)
	}
	return checkpoint
}

// TestAcceptRollback checks that a rollback is accepted only as the operator names it, whether the head
// file remembers the lost tree or a checkpoint names it; that it is declared, and excused from then on.
func TestAcceptRollback(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"by the file", "by a checkpoint", "by both"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			f := remembering(t, folder)
			e := newEconomy(t, ledgertest.Options{File: f})
			ann := e.join(t)
			e.SealAll(t)
			o := ledger.Acceptance{Size: 9, Strict: true}
			accept := func(o ledger.Acceptance) (string, error) { return ledger.AcceptRollback(t.Context(), e.DB, f, o) }
			refused := func(what string, o ledger.Acceptance) {
				t.Helper()
				if line, err := accept(o); line != "" || !errors.Is(err, ledger.ErrNothingToAccept) {
					t.Errorf("%s: declared %q, error %v", what, line, err)
				}
			}
			refused("nothing is lost", o)
			if name != "by a checkpoint" {
				f.SetStored(9)
			}
			if name != "by the file" {
				o.Checkpoint = e.signed(t, 9)
			}
			wrong, forged, smaller := o, o, o
			wrong.Size--
			refused("another size", wrong)
			forged.Checkpoint = []byte(strings.Replace(string(e.signed(t, 9)), "\n9\n", "\n10\n", 1))
			refused("a checkpoint that is not signed", forged)
			broken := o
			broken.Checkpoint = e.signs(t, "a signed text\nthat is no\ncheckpoint\n")
			if _, err := accept(broken); !errors.Is(err, layout.ErrDamaged) {
				t.Errorf("a signed text that is no checkpoint: error %v", err)
			}
			smaller.Checkpoint = e.signed(t, 1)
			refused("a checkpoint of a smaller tree", smaller)
			line, err := accept(o)
			if err != nil || line == "" {
				t.Fatalf("declared %q, error %v", line, err)
			}
			if size, _ := remembering(t, folder).Size(); size != 2 {
				t.Errorf("%d blocks are remembered, want 2", size)
			}
			e.View(t, func(ctx context.Context, tx *store.Tx) error {
				if marked, err := ledger.Marked(ctx, tx); err != nil || !marked {
					t.Errorf("marked as restored: %v, error %v", marked, err)
				}
				return nil
			})
			refused("accepted already", ledger.Acceptance{Size: 9, Strict: true})
			refused("accepted already, in the same words", o)
			if _, err := ledger.AcceptRollback(t.Context(), e.DB, remembering(t, t.TempDir()), o); !errors.Is(err,
				ledger.ErrNothingToAccept) {
				t.Errorf("accepted already, with another record: error %v", err)
			}
			e, err = e.reopen(t, ledgertest.Options{File: remembering(t, folder)})
			if err != nil {
				t.Fatal(err)
			}
			e.Faucets(t, ann, 1)
			e.SealAll(t)
			if text := e.checkpoint(t); !strings.Contains(text, line+"\n") {
				t.Errorf("the checkpoint lacks %q:\n%s", line, text)
			}
			e.WantValid(t)
		})
	}
}

// TestDeclaredBase checks down to which tree a rollback voids the signed ones: the largest that the database
// is known to share with the signed log.
func TestDeclaredBase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lose       func(f *ledger.HeadFile) error // makes f remember a tree that is lost
		before     bool                           // whether another rollback was accepted before
		size, base int64
	}{
		"the database is shorter":            {lose: remembers(9), size: 9, base: 2},
		"a tree of its size":                 {lose: remembers(2), size: 2, base: 0},
		"a signed tree follows a stored one": {lose: signs(2), size: 2, base: 1},
		"a signed tree follows a lost one":   {lose: remembersAndSigns(2, 4), size: 4, base: 1},
		"after a rollback":                   {lose: remembers(4), before: true, size: 4, base: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			e := newEconomy(t, ledgertest.Options{File: remembering(t, folder)})
			first, f := copied(t, folder), copied(t, folder) // of the first block
			ann := e.join(t)
			e.SealAll(t)
			if c.before {
				first.SetStored(3)
				if _, err := ledger.AcceptRollback(t.Context(), e.DB, first, ledger.Acceptance{Size: 3}); err != nil {
					t.Fatal(err)
				}
				var err error
				if e, err = e.reopen(t, ledgertest.Options{File: first}); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					e.Faucets(t, ann, 1)
					e.SealAll(t)
				}
			}
			if err := c.lose(f); err != nil {
				t.Fatal(err)
			}
			line, err := ledger.AcceptRollback(t.Context(), e.DB, f, ledger.Acceptance{Size: c.size, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := layout.ParseRollback(line); err != nil || r.Size != c.size || r.Base != c.base {
				t.Errorf("%q, error %v: want trees of more than %d and up to %d blocks", line, err, c.base, c.size)
			}
		})
	}
}

func remembers(size int64) func(*ledger.HeadFile) error {
	return func(f *ledger.HeadFile) error {
		f.SetStored(size)
		return nil
	}
}

func signs(size int64) func(*ledger.HeadFile) error {
	return func(f *ledger.HeadFile) error { return f.Signed(size) }
}

func remembersAndSigns(stored, signed int64) func(*ledger.HeadFile) error {
	return func(f *ledger.HeadFile) error {
		f.SetStored(stored)
		return f.Signed(signed)
	}
}

// copied opens a copy of the head file in a folder.
func copied(t *testing.T, folder string) *ledger.HeadFile {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "head.json"))
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "head.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return remembering(t, folder)
}

// TestAcceptNothing checks that a checkpoint of a tree which the database has names no rollback, with a head
// file and without one, and that no file is created then.
func TestAcceptNothing(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]ledgertest.Options{
		"with a file": {File: remembering(t, t.TempDir())}, "without one": {},
	} {
		e := newEconomy(t, options)
		e.join(t)
		e.SealAll(t)
		f := options.File
		if f == nil {
			f = remembering(t, t.TempDir())
		}
		_, before := f.Size()
		o := ledger.Acceptance{Size: 2, Checkpoint: []byte(e.checkpoint(t)), Strict: true}
		line, err := ledger.AcceptRollback(t.Context(), e.DB, f, o)
		if line != "" || !errors.Is(err, ledger.ErrNothingToAccept) {
			t.Errorf("%s: declared %q, error %v", name, line, err)
		}
		if _, after := f.Size(); after != before {
			t.Errorf("%s: the file exists: %v, then %v", name, before, after)
		}
	}
}

// TestDamagedKey checks that a checkpoint is not compared with a chain whose key cannot be read.
func TestDamagedKey(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	o := ledger.Acceptance{Size: 9, Checkpoint: e.signed(t, 9)}
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE meta SET value = 'no key' WHERE name = $1", layout.MetaChain)
		return err
	})
	line, err := ledger.AcceptRollback(t.Context(), e.DB, remembering(t, t.TempDir()), o)
	if line != "" || err == nil || errors.Is(err, ledger.ErrNothingToAccept) {
		t.Errorf("declared %q, error %v", line, err)
	}
}

// TestDamagedHeadFile checks that a head file which contradicts itself, or has more than its content, is
// not read.
func TestDamagedHeadFile(t *testing.T) {
	t.Parallel()
	root := strings.Repeat("A", 43) + "="
	tree := func(size string) string { return `{"size":` + size + `,"root":"` + root + `"` }
	signed := func(size string) string { return `,"signed":` + tree(size) + `,"time":1,"transactions":[]}` }
	path := filepath.Join(t.TempDir(), "head.json")
	for text, sound := range map[string]bool{
		`{"chain":"c","stored":` + tree("2") + `}}`:                    true,
		`{"chain":"c","stored":` + tree("2") + `}` + signed("3") + `}`: true,
		`{"chain":"c","stored":` + tree("2") + `}` + signed("2") + `}`: false,
		`{"chain":"c","stored":` + tree("-1") + `}}`:                   false,
		`{"chain":"c","stored":` + tree("2") + `}}{}`:                  false,
		`{"chain":"c","more":1,"stored":` + tree("2") + `}}`:           false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.OpenHeadFile(path); (err == nil) != sound {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
