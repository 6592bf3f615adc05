package ledger_test

import (
	"context"
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

// lossOfNodes is a database of two blocks, with nodes whose records are of a newer one.
type lossOfNodes struct {
	*economy
	t     *testing.T
	nodes []*ledger.Ledger
	files []*ledger.HeadFile
}

func newLossOfNodes(t *testing.T, nodes int) *lossOfNodes {
	t.Helper()
	s := &lossOfNodes{economy: newEconomy(t, ledgertest.Options{}), t: t}
	s.join(t)
	s.SealAll(t)
	for range nodes {
		f := remembering(t, t.TempDir())
		if err := f.Adopt(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		node, err := s.node(t, f)
		if err != nil {
			t.Fatal(err)
		}
		node.Share()
		s.nodes, s.files = append(s.nodes, node), append(s.files, f)
	}
	return s
}

// follow has a node compare the database with its record, and reports whether they agree.
func (s *lossOfNodes) follow(node int) bool {
	s.t.Helper()
	err := s.nodes[node].UpdateHeadFile(s.t.Context())
	if _, rolled := errors.AsType[*ledger.RollbackError](err); err != nil && !rolled {
		s.t.Fatal(err)
	}
	return err == nil
}

// recover has a node declare the loss, and ends the recovery.
func (s *lossOfNodes) recover(node int) {
	s.t.Helper()
	pass := func(context.Context, *store.Tx) error { return nil }
	l := s.nodes[node]
	if err := l.DeclareLost(s.t.Context(), pass, 0); err != nil {
		s.t.Fatal(err)
	}
	storetest.Exec(s.t, s.DB, "DELETE FROM meta WHERE name = $1", layout.MetaRestored)
	if err := errors.Join(l.SignDeclared(s.t.Context()), l.Resumed(s.t.Context(), pass)); err != nil {
		s.t.Fatal(err)
	}
}

// row returns the row with which nodes tell each other of a loss; "" for none.
func (s *lossOfNodes) row() (text string) {
	s.t.Helper()
	s.View(s.t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(value), '') FROM meta WHERE name = $1",
			layout.MetaRecovering).Scan(&text)
	})
	return text
}

// want fails the test unless the lines are declared, in their order.
func (s *lossOfNodes) want(lines ...string) {
	s.t.Helper()
	if got := strings.Join(s.declared(s.t), "\n"); got != strings.Join(lines, "\n") {
		s.t.Errorf("declared\n%s\nwant\n%s", got, strings.Join(lines, "\n"))
	}
}

// rollback returns the line of a tree that SetStored makes a file remember.
func rollback(size, base int64) string {
	return layout.Rollback{Size: size, Root: tlog.Hash{byte(size)}, Base: base}.String()
}

// TestOneDeclarationForAll checks that one declaration serves nodes with different records of a loss, in any order of
// their reports: the largest tree, down to the smallest one that the log shares with all of them, and the declared
// rollbacks that the database has lost.
func TestOneDeclarationForAll(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		s := newLossOfNodes(t, 3)
		before := rollback(6, 4)
		s.files[0].Declared(before)
		s.files[0].SetStored(13)
		s.files[1].SetStored(9)
		for _, node := range order {
			if node < 2 == s.follow(node) {
				t.Errorf("node %d agrees with the database: %v", node, node >= 2)
			}
		}
		s.recover(1)
		s.want(before, rollback(13, 2))
		for node := range s.nodes {
			if !s.follow(node) {
				t.Errorf("%v: node %d does not go on", order, node)
			}
		}
		if row := s.row(); row != "" {
			t.Errorf("the row is %q", row)
		}
	}
}

// TestDeclaredWithoutTheOthers checks that a node which comes back after a declaration without its knowledge is served
// by the next one, an hour later, with all that it knows: its tree is of a branch from below the first declaration,
// although the log has grown since.
func TestDeclaredWithoutTheOthers(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 2)
	before := rollback(6, 4)
	s.files[0].Declared(before)
	s.files[0].SetStored(13)
	s.files[1].SetStored(9)
	if s.follow(1) {
		t.Fatal("the database lacks nothing")
	}
	s.recover(1)
	if !s.follow(1) {
		t.Fatal("the node that has declared does not go on")
	}
	for range 2 {
		s.join(t)
		s.SealAll(t)
	}
	pass := func(context.Context, *store.Tx) error { return nil }
	if s.follow(0) {
		t.Fatal("a tree that no declaration covers is given up")
	}
	if err := s.nodes[1].DeclareLost(t.Context(), pass, 0); !errors.Is(err, ledger.ErrRecoveredBefore) {
		t.Errorf("within an hour: %v", err)
	}
	s.Clock.Add(time.Hour)
	s.recover(1)
	s.want(rollback(9, 2), before, rollback(13, 2))
	for node := range s.nodes {
		if !s.follow(node) {
			t.Errorf("node %d does not go on", node)
		}
	}
	s.SealAll(t)
	s.WantValid(t)
}

// TestDeclaredAgain checks a loss of what followed a declaration which the database has lost as well, together with a
// node that knows only the tree that was declared: one more declaration covers both.
func TestDeclaredAgain(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 2)
	before := rollback(10, 2)
	s.files[0].Declared(before)
	s.files[0].SetStored(8)
	s.files[1].SetStored(10)
	s.follow(0)
	s.follow(1)
	s.recover(1)
	s.want(before, rollback(10, 1))
	for node := range s.nodes {
		if !s.follow(node) {
			t.Errorf("node %d does not go on", node)
		}
	}
}

// TestLeastBase checks that a declaration covers the tree of a branch that shares nothing with the database, beside a
// larger one that does.
func TestLeastBase(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		s := newLossOfNodes(t, 3)
		s.files[0].SetStored(2)
		s.files[1].SetStored(9)
		for _, node := range order {
			s.follow(node)
		}
		s.recover(2)
		s.want(rollback(9, 0))
		if !s.follow(0) || !s.follow(1) {
			t.Errorf("%v: a node does not go on", order)
		}
	}
}

// TestLostBranch checks that a declaration goes down to what a lost one has left: the database may be of the branch
// that was given up.
func TestLostBranch(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 1)
	before := rollback(5, 1)
	s.files[0].Declared(before)
	s.files[0].SetStored(12)
	s.follow(0)
	s.recover(0)
	s.want(before, rollback(12, 1))
}

// TestTwoTreesOfOneSize checks that each of two lost trees of a size is declared.
func TestTwoTreesOfOneSize(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 2)
	other := tlog.Hash{1}
	storetest.Exec(t, s.DB, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRecovering,
		fmt.Sprint("9 ", other, " 2"))
	s.files[0].SetStored(9)
	s.follow(0)
	s.recover(1)
	s.want(rollback(9, 2), layout.Rollback{Size: 9, Root: other, Base: 2}.String())
	if !s.follow(0) {
		t.Error("the reporter does not go on")
	}
}

// TestRecoveryEndsDeclaredRow checks that the recovery of a start removes the row of a node that has declared a loss and
// does not run any more, and waits for one that is not declared; and that such a report is declared with the first.
func TestRecoveryEndsDeclaredRow(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 2)
	pass := func(context.Context, *store.Tx) error { return nil }
	take := func(want bool) {
		t.Helper()
		s.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, marked, err := ledger.TakeMark(ctx, tx)
			if marked != want {
				t.Errorf("the mark is taken: %v, want %v", marked, want)
			}
			return err
		})
		if row := s.row(); (row == "") != want {
			t.Errorf("the row is %q", row)
		}
	}
	for _, size := range []int64{9, 20} { // within an hour
		s.files[1].SetStored(size)
		s.follow(1)
		if size == 20 {
			take(false)
		}
		if err := s.nodes[0].DeclareLost(t.Context(), pass, 0); err != nil {
			t.Fatal(err)
		}
	}
	take(true)
}

// TestWitnessRepeats checks that a witness's number, which was given up by a checkpoint of that size, stops no writes
// again; that another number does, until the same checkpoint is accepted once more; and that the reason of an operator
// stays.
func TestWitnessRepeats(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 1)
	f := remembering(t, t.TempDir())
	s.Update(t, func(ctx context.Context, tx *store.Tx) error { return ledger.PutMark(ctx, tx, "a test") })
	o := ledger.Acceptance{Size: 20, Checkpoint: s.signed(t, 20)}
	accept := func(want bool) {
		t.Helper()
		if line, err := ledger.AcceptRollback(t.Context(), s.DB, f, o); (line != "") != want || err != nil {
			t.Errorf("declared %q, error %v", line, err)
		}
	}
	for _, size := range []int64{20, 19} {
		if err := s.nodes[0].NoteCosigned(t.Context(), size); err != nil || s.row() == "" {
			t.Errorf("cosigned %d: row %q, error %v", size, s.row(), err)
		}
		accept(size == 20)
		if err := s.nodes[0].NoteCosigned(t.Context(), 20); err != nil || s.row() != "" {
			t.Errorf("given up: row %q, error %v", s.row(), err)
		}
	}
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		reason, marked, err := ledger.TakeMark(ctx, tx)
		if !marked || reason != "a test" {
			t.Errorf("the reason is %q, marked %v", reason, marked)
		}
		return err
	})
}

// TestLateReport checks that a loss which was found before its declaration is not reported behind it, and that a node
// reports it again on a database that took the place of the one with its report.
func TestLateReport(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 2)
	s.files[0].SetStored(9)
	_, found := ledger.CheckHeadFile(t.Context(), s.DB, s.files[0], false)
	for range 2 {
		if s.follow(0) || s.row() == "" {
			t.Error("the loss is not reported")
		}
		storetest.Exec(t, s.DB, "DELETE FROM meta WHERE name = $1", layout.MetaRecovering)
	}
	if s.follow(0) {
		t.Error("the database lacks nothing")
	}
	if !s.follow(1) {
		t.Error("a record of this database differs from it")
	}
	s.recover(1)
	if err := s.nodes[0].ShareLoss(t.Context(), found); err != nil || s.row() != "" {
		t.Errorf("reported behind the declaration: %q, %v", s.row(), err)
	}
}

// TestDeclaredRowOfAnother checks that a node which goes on with the recovery of another one keeps what that does not
// cover, and that writes wait for what is reported after a declaration.
func TestDeclaredRowOfAnother(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 1)
	pass := func(context.Context, *store.Tx) error { return nil }
	storetest.Exec(t, s.DB, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRecovering,
		fmt.Sprint("9 ", tlog.Hash{9}, " 2 declared"))
	s.files[0].SetStored(20)
	if err := s.nodes[0].DeclareLost(t.Context(), pass, 0); err != nil {
		t.Fatal(err)
	}
	if stored, _ := s.files[0].Sizes(); stored != 20 {
		t.Errorf("%d blocks are remembered, want 20", stored)
	}
	if s.follow(0) {
		t.Error("the tree is covered")
	}
	if err := s.nodes[0].Resumed(t.Context(), pass); !errors.Is(err, ledger.ErrRecovering) {
		t.Errorf("writes go on: %v", err)
	}
}

// TestDamagedRow checks that a row that no node has written is an error, and no loss.
func TestDamagedRow(t *testing.T) {
	t.Parallel()
	s := newLossOfNodes(t, 1)
	root := tlog.Hash{9}.String()
	for _, text := range []string{
		"9", "9 " + root, "9 " + root + " 2 stored", "0 " + root + " 0", "9 " + root + " -1", "9 root 2",
		"nine " + root + " 2", "9 " + root + " two", "9 " + root + " 2\nno rollback", "9 " + root + " 2\n",
	} {
		storetest.Exec(t, s.DB, "DELETE FROM meta WHERE name = $1", layout.MetaRecovering)
		storetest.Exec(t, s.DB, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRecovering, text)
		if err := s.nodes[0].UpdateHeadFile(t.Context()); !errors.Is(err, layout.ErrDamaged) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
