package ledger_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// writes runs a transaction that a node's guard permits or refuses.
func (e *economy) writes(t *testing.T, l *ledger.Ledger) error {
	t.Helper()
	return e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := l.CheckWritable(ctx, tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE meta SET value = value WHERE name = $1", layout.MetaChain)
		return err
	})
}

// TestRecovering checks that no node writes from the moment at which one sees that the database lacks
// signed blocks, until the loss is declared and its recovery is stored.
func TestRecovering(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := newEconomy(t, ledgertest.Options{File: remembering(t, t.TempDir()), Log: &log})
	e.join(t)
	e.SealAll(t)
	behind := remembering(t, t.TempDir())
	if err := behind.Adopt(t.Context(), e.DB); err != nil {
		t.Fatal(err)
	}
	other, err := e.node(t, behind)
	if err != nil {
		t.Fatal(err)
	}
	e.Share()
	other.Share()
	nodes := []*ledger.Ledger{e.Ledger.Ledger, other}
	want := func(when string, refused bool) {
		t.Helper()
		for i, l := range nodes {
			if err := e.writes(t, l); errors.Is(err, ledger.ErrRecovering) != refused || !refused && err != nil {
				t.Errorf("%s: node %d: %v", when, i, err)
			}
		}
	}
	want("before", false)
	if err := behind.Stored(9); err != nil { // which the database has lost
		t.Fatal(err)
	}
	if err := e.writes(t, other); !errors.Is(err, ledger.ErrRecovering) || other.Recovering() {
		t.Errorf("a node that knows more blocks has not compared the database yet, and writes: %v", err)
	}
	if err := e.writes(t, e.Ledger.Ledger); err != nil {
		t.Errorf("a node that knows nothing of them: %v", err)
	}
	if _, rolled := errors.AsType[*ledger.RollbackError](other.UpdateHeadFile(t.Context())); !rolled {
		t.Error("the node does not see the loss")
	}
	want("seen by one node", true)
	if err := e.UpdateHeadFile(t.Context()); err != nil || !e.Recovering() || !other.Recovering() {
		t.Errorf("%v; %v and %v know", err, e.Recovering(), other.Recovering())
	}
	if !strings.Contains(log.String(), "roshambo accept-rollback --size 9") {
		t.Errorf("logged %s", &log)
	}

	pass, lost := func(context.Context, *store.Tx) error { return nil }, errors.New("the lease is lost")
	if err := e.DeclareLost(
		t.Context(),
		func(context.Context, *store.Tx) error { return lost },
		0,
	); !errors.Is(
		err,
		lost,
	) {
		t.Errorf("declared without the lease: %v", err)
	}
	if err := e.DeclareLost(t.Context(), pass, 3); err == nil || !strings.Contains(err.Error(), "cosigned") {
		t.Errorf("declared below a cosigned tree: %v", err)
	}
	e.takesBack(t)
}

// takesBack deletes the row that a wrong record of the log caused, with that record, as operators do while all
// nodes are stopped: then a node writes.
func (e *economy) takesBack(t *testing.T) {
	t.Helper()
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM meta WHERE name = $1", layout.MetaRecovering)
		return err
	})
	emptied := remembering(t, t.TempDir())
	if err := emptied.Adopt(t.Context(), e.DB); err != nil {
		t.Fatal(err)
	}
	other, err := e.node(t, emptied)
	if err != nil {
		t.Fatal(err)
	}
	other.Share()
	if err := errors.Join(other.UpdateHeadFile(t.Context()), e.writes(t, other)); err != nil || other.Recovering() {
		t.Errorf("after a wrong record was taken back: %v", err)
	}
}

// TestDeclareLost declares lost blocks in running nodes, with a crash after each step, and once an hour.
func TestDeclareLost(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{File: remembering(t, t.TempDir())})
	e.join(t)
	e.SealAll(t)
	e.Share()
	pass := func(context.Context, *store.Tx) error { return nil }
	root := tlog.RecordHash([]byte("lost"))
	lose := func() {
		t.Helper()
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRecovering,
				strings.Join([]string{"3", root.String(), "2"}, " "))
			return err
		})
		if err := e.UpdateHeadFile(t.Context()); err != nil || !e.Recovering() {
			t.Fatalf("recovering is %v, %v", e.Recovering(), err)
		}
	}
	lose()
	for range 2 { // the second call continues after a crash
		if err := e.DeclareLost(t.Context(), pass, 2); err != nil {
			t.Fatal(err)
		}
		if err := e.Resumed(t.Context(), pass); !errors.Is(err, ledger.ErrRecovering) {
			t.Errorf("resumed before the recovery: %v", err)
		}
	}
	if lines := e.declared(t); len(lines) != 1 || !strings.HasPrefix(lines[0], "roshambo/rollback/v1 3 "+root.String()) {
		t.Errorf("declared %q", lines)
	}
	recovered := func() {
		t.Helper()
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM meta WHERE name = $1", layout.MetaRestored)
			return err
		})
		if err := errors.Join(e.SignDeclared(t.Context()), e.Resumed(t.Context(), pass),
			e.UpdateHeadFile(t.Context())); err != nil || e.Recovering() {
			t.Errorf("resumed: %v, recovering is %v", err, e.Recovering())
		}
	}
	recovered()
	if err := e.writes(t, e.Ledger.Ledger); err != nil {
		t.Error(err)
	}
	root = tlog.RecordHash([]byte("lost again"))
	lose()
	e.Clock.Add(time.Hour - time.Millisecond)
	if err := e.DeclareLost(t.Context(), pass, 0); !errors.Is(err, ledger.ErrRecoveredBefore) {
		t.Errorf("a second time within an hour: %v", err)
	}
	e.Clock.Add(time.Millisecond)
	if err := e.DeclareLost(t.Context(), pass, 0); err != nil {
		t.Error(err)
	}
	recovered()
	e.SealAll(t)
	e.WantValid(t)
}

// TestNoteCosigned checks that a node without a record of the log stops all writes when a witness has
// cosigned more than the database has, and that no program then decides what to give up.
func TestNoteCosigned(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := remembering(t, t.TempDir())
	e := newEconomy(t, ledgertest.Options{File: f, Log: &log})
	e.join(t)
	e.SealAll(t)
	e.Share()
	for size, refused := range map[int64]bool{0: false, 2: false} {
		if err := e.NoteCosigned(t.Context(), size); err != nil || e.Recovering() != refused {
			t.Errorf("cosigned %d: %v, recovering is %v", size, err, e.Recovering())
		}
	}
	if err := e.NoteCosigned(t.Context(), 3); err != nil || !e.Recovering() {
		t.Errorf("cosigned 3: %v, recovering is %v", err, e.Recovering())
	}
	if err := e.writes(t, e.Ledger.Ledger); !errors.Is(err, ledger.ErrRecovering) {
		t.Errorf("wrote: %v", err)
	}
	pass := func(context.Context, *store.Tx) error { return nil }
	if err := e.DeclareLost(t.Context(), pass, 0); err == nil || !strings.Contains(err.Error(), "an operator decides") {
		t.Errorf("declared: %v", err)
	}

	// The record of this node was made from this database, so the refusal without the checkpoint names the
	// command to type.
	const command = "roshambo accept-rollback --size 3 --checkpoint FILE"
	o := ledger.Acceptance{Size: 3}
	_, err := ledger.AcceptRollback(t.Context(), e.DB, f, o)
	if !errors.Is(err, ledger.ErrNothingToAccept) || !strings.Contains(err.Error(), command) ||
		!strings.Contains(log.String(), command) {
		t.Errorf("typed without the checkpoint: %v, logged %s", err, &log)
	}
	o.Checkpoint = e.signed(t, 3)
	e.accepts(t, f, o)
}

// TestAcceptWhatOthersKnow checks that what all nodes log to be typed works on a node whose own record was made from
// a database that another node knows to be behind, on one that has signed a block of that size which was not stored, on
// one that knows a smaller lost tree, and on one that has no record.
func TestAcceptWhatOthersKnow(t *testing.T) {
	t.Parallel()
	for _, record := range []string{"of this database", "signed", "smaller", "none"} {
		var log bytes.Buffer
		f := remembering(t, t.TempDir())
		e := newEconomy(t, ledgertest.Options{File: f, Log: &log})
		e.join(t)
		e.SealAll(t)
		e.Share()
		root := sha256.Sum256([]byte("a tree"))
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRecovering,
				fmt.Sprint("9 ", tlog.Hash(root), " 2"))
			return err
		})
		if err := e.UpdateHeadFile(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), `"roshambo accept-rollback --size 9"`) {
			t.Errorf("logged %s", &log)
		}
		switch record {
		case "signed":
			if err := f.Signed(9); err != nil {
				t.Fatal(err)
			}
		case "smaller":
			f.SetStored(5)
			_, err := ledger.CheckHeadFile(t.Context(), e.DB, f, false)
			rolled, ok := errors.AsType[*ledger.RollbackError](err)
			if !ok || rolled.Command() != "roshambo accept-rollback --size 9" {
				t.Errorf("the refusal of a start: %v", err)
			}
		case "none":
			f = remembering(t, t.TempDir())
		}
		e.accepts(t, f, ledger.Acceptance{Size: 9})
	}
}

// TestAcceptLargestByItself checks that a program at a start gives up the largest tree that any node has reported, and
// nothing where only a witness knows of a larger one.
func TestAcceptLargestByItself(t *testing.T) {
	t.Parallel()
	f := remembering(t, t.TempDir())
	e := newEconomy(t, ledgertest.Options{File: f})
	e.join(t)
	e.SealAll(t)
	f.SetStored(5)
	if err := e.NoteCosigned(t.Context(), 9); err != nil {
		t.Fatal(err)
	}
	_, err := ledger.AcceptRollback(t.Context(), e.DB, f, ledger.Acceptance{Paced: true})
	if err == nil || !strings.Contains(err.Error(), "an operator decides") || len(e.declared(t)) > 0 {
		t.Errorf("a witness knows more: %v, declared %q", err, e.declared(t))
	}
	storetest.Exec(t, e.DB, "DELETE FROM meta WHERE name = $1", layout.MetaRecovering)
	for _, size := range []int64{5, 9, 7} { // nodes report in any order
		if err := e.ReportLost(t.Context(), size); err != nil {
			t.Fatal(err)
		}
	}
	line, err := ledger.AcceptRollback(t.Context(), e.DB, f, ledger.Acceptance{Paced: true})
	if want := fmt.Sprint("roshambo/rollback/v1 9 ", tlog.Hash{9}, " 2"); err != nil || line != want {
		t.Errorf("declared %q, %v; want %q", line, err, want)
	}
}

// TestDeclareBeyondSigned checks that a running node that has signed a block, which was not stored, declares the lost
// tree of the same size that another node has reported.
func TestDeclareBeyondSigned(t *testing.T) {
	t.Parallel()
	f := remembering(t, t.TempDir())
	e := newEconomy(t, ledgertest.Options{File: f})
	e.join(t)
	e.SealAll(t)
	e.Share()
	if err := f.Signed(9); err != nil {
		t.Fatal(err)
	}
	if err := e.ReportLost(t.Context(), 9); err != nil {
		t.Fatal(err)
	}
	pass := func(context.Context, *store.Tx) error { return nil }
	if err := e.DeclareLost(t.Context(), pass, 0); err != nil || len(e.declared(t)) != 1 {
		t.Errorf("declared %q, %v", e.declared(t), err)
	}
}

// accepts accepts a rollback, as an operator does while all nodes are stopped: then a node with the same record
// writes, once the recovery is stored.
func (e *economy) accepts(t *testing.T, f *ledger.HeadFile, o ledger.Acceptance) {
	t.Helper()
	line, err := ledger.AcceptRollback(t.Context(), e.DB, f, o)
	if want := fmt.Sprintf("roshambo/rollback/v1 %d ", o.Size); err != nil || !strings.HasPrefix(line, want) {
		t.Errorf("accepted: %q, error %v", line, err)
	}
	again, err := e.node(t, f)
	if err != nil {
		t.Fatal(err)
	}
	again.Share()
	if err := e.writes(t, again); !errors.Is(err, ledger.ErrRecovering) {
		t.Errorf("wrote before the recovery: %v", err)
	}
	storetest.Exec(t, e.DB, "DELETE FROM meta WHERE name = $1", layout.MetaRestored)
	if err := errors.Join(again.UpdateHeadFile(t.Context()), e.writes(t, again)); err != nil {
		t.Errorf("wrote: %v", err)
	}
}

// TestPacedOnceAnHour checks that a program that has declared a loss does so again only after an hour, also on a
// database that was restored once more and does not know of it, and also on another node.
func TestPacedOnceAnHour(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := remembering(t, folder)
	e := newEconomy(t, ledgertest.Options{File: f})
	e.join(t)
	e.SealAll(t)
	forget := func() {
		for _, name := range []string{layout.MetaRecovered, layout.MetaRollbacks, layout.MetaRestored} {
			storetest.Exec(t, e.DB, "DELETE FROM meta WHERE name = $1", name)
		}
		f = remembering(t, folder) // as a process that starts
	}
	o := ledger.Acceptance{Strict: true, Paced: true}
	f.SetStored(9)
	learned := remembering(t, t.TempDir())
	if err := learned.Adopt(t.Context(), e.DB); err != nil {
		t.Fatal(err)
	}
	other, err := e.node(t, learned)
	if err != nil {
		t.Fatal(err)
	}
	other.Share()
	for _, c := range []struct {
		later time.Duration
		want  error
	}{{0, nil}, {time.Hour - time.Millisecond, ledger.ErrRecoveredBefore}, {time.Millisecond, nil}} {
		e.Clock.Add(c.later)
		if _, err := ledger.AcceptRollback(t.Context(), e.DB, f, o); !errors.Is(err, c.want) {
			t.Errorf("%v later: error %v, want %v", c.later, err, c.want)
		}
		if c.want == nil {
			if err := other.UpdateHeadFile(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		forget() // from then on, the record has a declaration that the database lacks
		if _, err := ledger.AcceptRollback(t.Context(), e.DB, learned, o); !errors.Is(err, ledger.ErrRecoveredBefore) {
			t.Errorf("%v later, by another node: error %v", c.later, err)
		}
	}
}
