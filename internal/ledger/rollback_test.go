package ledger_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// node opens a ledger on the database of e, with its key.
func (e *economy) node(t *testing.T, f *ledger.HeadFile) (*ledger.Ledger, error) {
	t.Helper()
	return ledger.Open(t.Context(), ledger.Config{DB: e.DB, Rules: ledgertest.Rules(), Signer: e.Key.Signer,
		VerifierKey: e.Key.Verifier, File: f, Now: e.Clock.Now, Logger: slog.New(slog.DiscardHandler)})
}

// declared returns the lines of the declared rollbacks in the database.
func (e *economy) declared(t *testing.T) (lines []string) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		lines, err = layout.LoadRollbacks(ctx, tx)
		return err
	})
	return lines
}

// TestCheckHeadFile checks what a comparison of a database of two blocks with a head file reports.
func TestCheckHeadFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	e := newEconomy(t, ledgertest.Options{File: remembering(t, folder)})
	first := copied(t, folder)
	e.join(t)
	e.SealAll(t)
	other := newEconomy(t, ledgertest.Options{File: remembering(t, t.TempDir())})
	newest := remembering(t, t.TempDir())
	if err := newest.Adopt(t.Context(), e.DB); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file    *ledger.HeadFile
		change  func(f *ledger.HeadFile) error
		db      *store.DB
		lenient bool
		size    int64
		rolled  int64  // size of the tree that is lost
		what    string // in the error
		err     error
	}{
		"the newest tree":       {file: newest, size: 2},
		"an older tree":         {file: first, size: 2},
		"none":                  {file: remembering(t, t.TempDir()), size: 2, err: ledger.ErrHeadFileLost},
		"of another chain":      {file: first, db: other.DB, err: ledger.ErrOtherChain},
		"a larger tree":         {file: newest, change: remembers(3), size: 2, rolled: 3, what: "does not have all"},
		"another tree":          {file: newest, change: remembers(2), size: 2, rolled: 2, what: "its tree of 2 has"},
		"another smaller tree":  {file: newest, change: remembers(1), size: 2, rolled: 1, what: "its tree of 1 has"},
		"a signed tree":         {file: newest, change: signs(3), size: 2, rolled: 3, what: "does not have all"},
		"one that may be lost":  {file: newest, change: signs(3), size: 2, lenient: true},
		"a rollback is missing": {file: newest, change: declares("a line"), size: 2, rolled: 2, what: "the rollbacks"},
	} {
		folder := t.TempDir()
		if _, exists := c.file.Size(); exists {
			if err := c.file.Copy(filepath.Join(folder, "head.json")); err != nil {
				t.Fatal(err)
			}
		}
		f := remembering(t, folder)
		if c.change != nil {
			if err := c.change(f); err != nil {
				t.Fatal(err)
			}
		}
		if c.db == nil {
			c.db = e.DB
		}
		size, err := ledger.CheckHeadFile(t.Context(), c.db, f, !c.lenient)
		rolled, _ := errors.AsType[*ledger.RollbackError](err)
		if size != c.size || (rolled != nil) != (c.rolled > 0) || rolled == nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %d blocks, error %v, want %d", name, size, err, c.size)
		}
		if rolled != nil && (rolled.Size != c.rolled || rolled.Has != c.size || rolled.File != f.Path() ||
			!strings.Contains(rolled.What, c.what)) {
			t.Errorf("%s: %+v, want the loss of a tree of %d, because the database %s", name, rolled, c.rolled, c.what)
		}
	}
}

func declares(lines ...string) func(*ledger.HeadFile) error {
	return func(f *ledger.HeadFile) error {
		f.Declared(lines...)
		return nil
	}
}

// TestAdoptedFile checks that a head file which is made of a database has its tree and its declared
// rollbacks, and that a copy of it has the same; that what cannot be written is reported, and that the
// declaration excuses the tree in an old file.
func TestAdoptedFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	e := newEconomy(t, ledgertest.Options{File: remembering(t, folder)})
	e.join(t)
	e.SealAll(t)
	old, larger, f := copied(t, folder), copied(t, folder), copied(t, folder)
	old.SetStored(9)
	larger.SetStored(10)
	f.SetStored(9)
	line, err := ledger.AcceptRollback(t.Context(), e.DB, f, ledger.Acceptance{Size: 9, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if size, err := ledger.CheckHeadFile(t.Context(), e.DB, old, true); size != 2 || err != nil {
		t.Errorf("a file from before the declaration: %d blocks, error %v", size, err)
	}
	_, err = ledger.CheckHeadFile(t.Context(), e.DB, larger, true)
	if rolled, ok := errors.AsType[*ledger.RollbackError](err); !ok || rolled.Size != 10 {
		t.Errorf("a tree of 10 blocks, of which none was given up: error %v", err)
	}
	adopted := remembering(t, t.TempDir())
	if err := adopted.Adopt(t.Context(), e.DB); err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	if err := adopted.Copy(filepath.Join(folder, "head.json")); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*ledger.HeadFile{
		"adopted": adopted, "written": remembering(t, filepath.Dir(adopted.Path())), "copied": remembering(t, folder),
	} {
		size, exists := f.Size()
		if size != 2 || !exists || !slices.Equal(f.Declares(), []string{line}) {
			t.Errorf("%s: %d blocks, exists %v, declares %q, want 2 and %q", name, size, exists, f.Declares(), line)
		}
		if size, err := ledger.CheckHeadFile(t.Context(), e.DB, f, true); size != 2 || err != nil {
			t.Errorf("%s: %d blocks, error %v", name, size, err)
		}
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if err := adopted.Copy(filepath.Join(gone, "head.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("copied into a folder that is gone: error %v", err)
	}
	if err := remembering(t, gone).Adopt(t.Context(), e.DB); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("adopted into a folder that is gone: error %v", err)
	}
	empty := storetest.Open(t, storetest.At(storetest.New(t), store.Config{}))
	lost := remembering(t, t.TempDir())
	if err := lost.Adopt(t.Context(), empty); err == nil {
		t.Error("a database without a chain: no error")
	}
	if _, exists := lost.Size(); exists {
		t.Error("a file was made of a database without a chain")
	}
}

// acceptance is a rollback of a chain of four blocks to accept.
type acceptance struct {
	lose       func(f *ledger.HeadFile) error
	old        bool // whether the file is of two blocks only
	known      bool // whether the database declares declaredBefore
	checkpoint bool // whether a checkpoint names the tree
	size       int64
	want       string // the line that is returned
}

var declaredBefore = layout.Rollback{Size: 7, Root: tlog.Hash{7}, Base: 2}.String()

// TestEachStatementOfAcceptance compares and accepts rollbacks with each statement failing once. Nothing is
// declared then, and afterwards exactly the lines that are given up, after those declared before.
func TestEachStatementOfAcceptance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]acceptance{
		"another tree": {
			lose: remembers(2), size: 2, want: layout.Rollback{Size: 2, Root: tlog.Hash{2}}.String(),
		},
		"a signed tree after an older one": {
			lose: signs(9), old: true, size: 9, want: layout.Rollback{Size: 9, Base: 2}.String(),
		},
		"a signed tree alone": {
			lose: func(f *ledger.HeadFile) error { return errors.Join(f.Signed(9), remembers(0)(f)) },
			size: 9, want: layout.Rollback{Size: 9, Base: 4}.String(),
		},
		"by a checkpoint": {
			lose: declares(), checkpoint: true, size: 9,
			want: layout.Rollback{Size: 9, Root: tlog.Hash{9}, Base: 4}.String(),
		},
		"a rollback": {lose: declares(declaredBefore), size: 4},
		"another tree after a rollback": {
			lose: remembers(2), known: true, size: 2, want: layout.Rollback{Size: 2, Root: tlog.Hash{2}}.String(),
		},
		"another tree after a rollback that is remembered": {
			lose: func(f *ledger.HeadFile) error { f.Declared(declaredBefore); f.SetStored(2); return nil }, known: true,
			size: 2, want: layout.Rollback{Size: 2, Root: tlog.Hash{2}}.String(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.accept(t)
		})
	}
}

// accept compares and accepts the rollback with each statement failing once.
func (c acceptance) accept(t *testing.T) {
	t.Helper()
	s := scenarioOn(t, ledgertest.Options{File: remembering(t, t.TempDir())})
	ann := s.join(t)
	s.SealAll(t)
	f := remembering(t, t.TempDir())
	adopt := func() {
		if err := f.Adopt(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
	}
	adopt() // two blocks
	for range 2 {
		s.Faucets(t, ann, 1)
		s.SealAll(t)
	}
	if !c.old {
		adopt()
	}
	want := slices.DeleteFunc([]string{declaredBefore, c.want}, func(line string) bool {
		return line == "" || line == declaredBefore && !c.known && c.want != ""
	})
	if c.known {
		storetest.Exec(t, s.DB, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRollbacks, declaredBefore)
	}
	if err := c.lose(f); err != nil {
		t.Fatal(err)
	}
	o := ledger.Acceptance{Size: c.size, Strict: true}
	if c.checkpoint {
		o.Checkpoint = s.signed(t, c.size)
	}
	s.each.Run(t, []storetest.Case{
		{Name: "check", Call: func(in storetest.In) (any, error) {
			size, err := ledger.CheckHeadFile(in, s.DB, f, true)
			if rolled, ok := errors.AsType[*ledger.RollbackError](err); ok && rolled.Size == c.size && size == 4 {
				return nil, nil
			}
			return nil, err
		}},
		{Name: "accept", Call: storetest.Do(ledger.AcceptRollback, s.DB, f, o), Want: c.want},
	})
	if !slices.Equal(s.declared(t), want) || !slices.Equal(f.Declares(), want) {
		t.Errorf("declared %q, remembered %q, want %q", s.declared(t), f.Declares(), want)
	}
	if size, _ := f.Size(); size != 4 {
		t.Errorf("%d blocks are remembered, want 4", size)
	}
}

// TestStartChangesNothing checks that a start which is refused by the head file creates neither a chain nor a
// head file.
func TestStartChangesNothing(t *testing.T) {
	t.Parallel()
	of := newEconomy(t, ledgertest.Options{File: remembering(t, t.TempDir())})
	file := func(spoil func(path string) error) *ledger.HeadFile {
		f := remembering(t, t.TempDir())
		if err := spoil(f.Path()); err != nil {
			t.Fatal(err)
		}
		return f
	}
	lost := remembering(t, t.TempDir())
	if err := lost.Adopt(t.Context(), of.DB); err != nil {
		t.Fatal(err)
	}
	lost.SetStored(9)
	gone := remembering(t, t.TempDir())
	if err := errors.Join(gone.Adopt(t.Context(), of.DB), os.RemoveAll(filepath.Dir(gone.Path()))); err != nil {
		t.Fatal(err)
	}
	another := remembering(t, t.TempDir())
	if err := another.Adopt(t.Context(), newEconomy(t, ledgertest.Options{}).DB); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file  *ledger.HeadFile
		key   ledgertest.Key
		begun bool
		want  func(err error) bool
	}{
		"a database that was reset": {file: lost, key: of.Key, want: func(err error) bool {
			rolled, ok := errors.AsType[*ledger.RollbackError](err)
			return ok && rolled.Size == 9 && rolled.Has == 0
		}},
		"a file that cannot be made": {
			file: file(func(path string) error { return os.Mkdir(path, 0o700) }), key: of.Key,
			want: func(err error) bool { return err != nil },
		},
		"a folder that is gone": {
			file: gone, key: of.Key, begun: true, want: func(err error) bool { return errors.Is(err, fs.ErrNotExist) },
		},
		"the file of another chain": {
			file: another, key: of.Key, begun: true,
			want: func(err error) bool { return errors.Is(err, ledger.ErrOtherChain) },
		},
		"another key": {
			file: remembering(t, t.TempDir()), key: ledgertest.NewKey(t, "roshambo-test"), begun: true,
			want: func(err error) bool { return errors.Is(err, ledger.ErrOtherKey) },
		},
	} {
		d := of.DB
		if !c.begun {
			d = storetest.Open(t, storetest.At(storetest.New(t), store.Config{}))
		}
		_, existed := c.file.Size()
		_, err := ledger.Open(t.Context(), ledger.Config{DB: d, Rules: ledgertest.Rules(), Signer: c.key.Signer,
			VerifierKey: c.key.Verifier, File: c.file, Now: of.Clock.Now, Logger: slog.New(slog.DiscardHandler)})
		if !c.want(err) {
			t.Errorf("%s: error %v", name, err)
		}
		if begun, err := ledger.Exists(t.Context(), d); err != nil || begun != c.begun {
			t.Errorf("%s: a chain is there: %v, error %v, want %v", name, begun, err, c.begun)
		}
		if _, exists := c.file.Size(); exists != existed {
			t.Errorf("%s: the head file exists: %v, want %v", name, exists, existed)
		}
	}
}

// TestBehindTheDatabase checks that a node which another one has left behind remembers the newest tree when it
// serves it or updates its file, with each statement failing once; and that it reports a rollback until the
// database has recovered.
func TestBehindTheDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := scenarioOn(t, ledgertest.Options{File: remembering(t, folder)})
	f := copied(t, folder)
	folder = filepath.Dir(f.Path())
	node, err := s.node(t, f)
	if err != nil {
		t.Fatal(err)
	}
	node.Share()
	ann := s.join(t)
	s.SealAll(t)
	if err := f.Signed(9); err != nil { // a block that another node was first to make
		t.Fatal(err)
	}
	s.each.Run(t, []storetest.Case{{Name: "serve", View: storetest.Do(node.SignedHead)}})
	wantStored := func(want int64) {
		t.Helper()
		if stored, _ := remembering(t, folder).Sizes(); stored != want {
			t.Errorf("%d blocks are remembered, want %d", stored, want)
		}
	}
	wantStored(2)
	s.Faucets(t, ann, 1)
	s.SealAll(t)
	s.each.Run(t, []storetest.Case{{Name: "update the head file", Call: storetest.Do(node.UpdateHeadFile)}})
	wantStored(3)

	f.SetStored(9)
	rolled := func() bool {
		_, ok := errors.AsType[*ledger.RollbackError](node.RolledBack())
		return ok
	}
	if err := node.UpdateHeadFile(t.Context()); err == nil || !rolled() {
		t.Errorf("behind the head file: error %v, %v", err, node.RolledBack())
	}
	s.each.Fail(1)
	err = node.UpdateHeadFile(t.Context())
	if s.each.Failed(); !errors.Is(err, storetest.ErrStatement) || !rolled() {
		t.Errorf("unknown whether the database has recovered: error %v, %v", err, node.RolledBack())
	}
	f.SetStored(0)
	if err := node.UpdateHeadFile(t.Context()); err != nil || node.RolledBack() != nil {
		t.Errorf("recovered: error %v, %v", err, node.RolledBack())
	}
	s.with(t, place{table: "chain_head", key: "id", column: "note"}, 1, "no checkpoint", func() {
		if err := node.UpdateHeadFile(t.Context()); !errors.Is(err, layout.ErrDamaged) {
			t.Errorf("a damaged checkpoint: error %v", err)
		}
	})
	s.Faucets(t, ann, 1)
	s.SealAll(t)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := node.UpdateHeadFile(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("not remembered: error %v", err)
	}
}

// TestAnotherSignedBlock checks that a block which was signed, and which the pending transactions do not make
// again, stops the only process that seals; where others seal, it is given up, by the next block only.
func TestAnotherSignedBlock(t *testing.T) {
	t.Parallel()
	f := remembering(t, t.TempDir())
	e := newEconomy(t, ledgertest.Options{File: f})
	ann := e.join(t)
	e.SealAll(t)
	hashes := e.Faucets(t, ann, 2)
	if err := f.SignedOf(3, e.Clock.Now().UnixMilli(), hashes[1], hashes[0]); err != nil {
		t.Fatal(err)
	}
	for name, seal := range map[string]func() error{
		"seal":   func() error { _, err := e.SealBlock(t.Context()); return err },
		"resume": func() error { return e.Resume(t.Context()) },
	} {
		if !e.DB.Exclusive() {
			break
		}
		rolled, ok := errors.AsType[*ledger.RollbackError](seal())
		if !ok || rolled.Size != 3 || rolled.Has != 2 || !strings.Contains(rolled.What, "last signed block") {
			t.Errorf("%s: %+v", name, rolled)
		}
	}
	e.Share()
	if err := e.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	if h := e.Newest(t); h.Block.Header.Height != 1 || h.Pending != 2 {
		t.Errorf("block %d, %d pending, want both pending after block 1", h.Block.Header.Height, h.Pending)
	}
	if n, err := e.SealBlock(t.Context()); n != 2 || err != nil {
		t.Errorf("sealed %d, error %v", n, err)
	}
	if stored, signed := f.Sizes(); stored != 3 || signed != 0 {
		t.Errorf("%d blocks are stored, %d signed, want 3 and none", stored, signed)
	}
	e.WantValid(t)
}

// failing is a signer that fails while it is broken.
type failing struct {
	note.Signer
	broken atomic.Bool
}

// Sign implements note.Signer.
func (s *failing) Sign(text []byte) ([]byte, error) {
	if s.broken.Load() {
		return nil, errStatement
	}
	return s.Signer.Sign(text)
}

// TestSignedAgain checks that a start signs the head again once a rollback was declared, with each statement
// failing once, and that neither the head nor a block is stored without a signature.
func TestSignedAgain(t *testing.T) {
	t.Parallel()
	key := ledgertest.NewKey(t, "roshambo-test")
	signer := &failing{Signer: key.Signer}
	key.Signer = signer
	f := remembering(t, t.TempDir())
	s := scenarioOn(t, ledgertest.Options{File: f, Key: key})
	ann := s.join(t)
	s.SealAll(t)
	old := s.checkpoint(t)
	f.SetStored(9)
	line, err := ledger.AcceptRollback(t.Context(), s.DB, f, ledger.Acceptance{Size: 9, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	opens := func(context.Context) error {
		_, err := s.node(t, f)
		return err
	}
	signer.broken.Store(true)
	if err := opens(t.Context()); !errors.Is(err, errStatement) || s.checkpoint(t) != old {
		t.Errorf("opened without a signature: error %v, checkpoint\n%s", err, s.checkpoint(t))
	}
	signer.broken.Store(false)
	header, _, _ := strings.Cut(old, "\n\n")
	s.each.Run(t, []storetest.Case{{Name: "open", Before: func() {
		storetest.Exec(t, s.DB, "UPDATE chain_head SET note = $1", old)
	}, Steps: storetest.Do(opens), After: func() {
		n, err := note.Open([]byte(s.checkpoint(t)), note.VerifierList(verifier(t, key)))
		if want := header + "\n" + line + "\n"; err != nil || n.Text != want {
			t.Errorf("the checkpoint is %+v, error %v, want %s", n, err, want)
		}
	}}})
	s.Faucets(t, ann, 1)
	before := s.Dump(t)
	signer.broken.Store(true)
	if n, err := s.SealBlock(t.Context()); n != 0 || !errors.Is(err, errStatement) {
		t.Errorf("sealed %d without a signature, error %v", n, err)
	}
	signer.broken.Store(false)
	if !slices.Equal(before, s.Dump(t)) {
		t.Error("something has changed without a signature")
	}
	s.SealAll(t)
	s.WantValid(t)
}

func verifier(t *testing.T, key ledgertest.Key) note.Verifier {
	t.Helper()
	v, err := note.NewVerifier(key.Verifier)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
