package ledger_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// losing starts three nodes, two with files of their own, and counts how often each forgets after a loss.
func (e *economy) losing(t *testing.T) (nodes map[string]*ledger.Ledger, files map[string]*ledger.HeadFile,
	forgot map[string]int) {
	t.Helper()
	e.join(t)
	e.SealAll(t)
	nodes = map[string]*ledger.Ledger{"starting": e.Ledger.Ledger}
	files, forgot = map[string]*ledger.HeadFile{}, map[string]int{}
	for _, name := range []string{"following", "asleep"} {
		files[name] = remembering(t, t.TempDir())
		if err := files[name].Adopt(t.Context(), e.DB); err != nil {
			t.Fatal(err)
		}
		node, err := e.node(t, files[name])
		if err != nil {
			t.Fatal(err)
		}
		nodes[name] = node
	}
	for name, l := range nodes {
		l.Share()
		l.OnLoss(func() {
			forgot[name]++
			if err := e.writes(t, l); !errors.Is(err, ledger.ErrRecovering) {
				t.Errorf("%s remembers a loss and writes: %v", name, err)
			}
		})
	}
	return nodes, files, forgot
}

// TestWritesWaitForRecovery declares a loss, as a start does by itself, beside nodes that run: none writes until the
// recovery is stored, also after a crash before it. Each drops what it remembers before it may write, one that has
// not looked meanwhile as well.
func TestWritesWaitForRecovery(t *testing.T) {
	t.Parallel()
	f := remembering(t, t.TempDir())
	e := newEconomy(t, ledgertest.Options{File: f})
	nodes, files, forgot := e.losing(t)
	want := func(when string, refused bool) {
		t.Helper()
		for name, l := range nodes {
			if err := e.writes(t, l); errors.Is(err, ledger.ErrRecovering) != refused || !refused && err != nil {
				t.Errorf("%s: %s: %v", when, name, err)
			}
		}
	}
	want("before", false)
	f.SetStored(9) // which the database has lost
	files["asleep"].SetStored(9)
	if _, err := ledger.AcceptRollback(t.Context(), e.DB, f, ledger.Acceptance{Size: 9, Paced: true}); err != nil {
		t.Fatal(err)
	}
	want("declared", true)
	look := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := nodes[name].UpdateHeadFile(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	look("starting", "following")
	want("seen", true)
	if !e.Recovering() || !nodes["following"].Recovering() {
		t.Error("a node does not say that it recovers")
	}
	var err error
	if nodes["starting"], err = e.node(t, f); err != nil { // after a crash
		t.Fatal(err)
	}
	nodes["starting"].Share()
	want("started again", true)
	// A node that runs may perform the recovery as well: nothing is left to declare.
	pass := func(context.Context, *store.Tx) error { return nil }
	if err := nodes["following"].DeclareLost(t.Context(), pass, 0); err != nil || len(e.declared(t)) != 1 {
		t.Errorf("declared %q, error %v", e.declared(t), err)
	}
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		reason, marked, err := ledger.TakeMark(ctx, tx)
		if err != nil || !marked {
			t.Errorf("marked: %v, error %v", marked, err)
		}
		return errors.Join(err, nodes["starting"].Recover(ctx, tx, reason), nodes["starting"].Recovered(ctx, tx))
	})
	look("starting", "following", "asleep")
	want("recovered", false)
	if forgot["following"] == 0 || forgot["asleep"] != 1 {
		t.Errorf("forgot %v", forgot)
	}
	e.SealAll(t)
	e.WantValid(t)
}
