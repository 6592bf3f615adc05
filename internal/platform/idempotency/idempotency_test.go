package idempotency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// nodes are two nodes on one database.
type nodes struct {
	db       *store.DB
	now      time.Time
	one, two *Answers
}

func open(t *testing.T) *nodes {
	t.Helper()
	return openWith(t, nil)
}

// openWith opens nodes on a database whose statements fail as each says; nil for none.
func openWith(t *testing.T, each *storetest.Statements) *nodes {
	t.Helper()
	n := &nodes{now: time.UnixMilli(1_800_000_000_000)}
	place, c := storetest.New(t), store.Config{Now: func() time.Time { return n.now }}
	if each != nil {
		c.Faults = each.Faults()
	}
	var err error
	if n.db, err = storetest.TryOpen(t.Context(), storetest.At(place, c)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.db.Close(); err != nil {
			t.Error(err)
		}
	})
	if each != nil {
		each.Use(t, n.db, place)
	}
	secret := bytes.Repeat([]byte{1}, 32)
	for _, a := range []**Answers{&n.one, &n.two} {
		if *a, err = New(secret); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// save stores an answer at a node.
func (n *nodes) save(t *testing.T, a *Answers, c Call, answer string) error {
	t.Helper()
	return n.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return a.Save(ctx, tx, c, []byte(answer))
	})
}

// find returns the answer that a node finds, "" for none.
func (n *nodes) find(t *testing.T, a *Answers, c Call) (answer string, err error) {
	t.Helper()
	err = n.db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		found, err := a.Find(ctx, tx, c)
		answer = string(found)
		return err
	})
	return answer, err
}

// TestTwoNodes checks a call that two nodes process concurrently: it has its effect once, and
// the other attempt is rolled back.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	n := open(t)
	call := Call{Account: chain.Address{1}, Key: "k", Request: [32]byte{1}}
	if got, err := n.find(t, n.one, call); got != "" || err != nil {
		t.Fatalf("before: got %q, %v", got, err)
	}
	if err := n.save(t, n.two, call, "the answer"); err != nil {
		t.Fatal(err)
	}
	if err := n.save(t, n.one, call, "another"); !errors.Is(err, ErrInFlight) {
		t.Errorf("the second to store: got %v, want ErrInFlight", err)
	}
	for _, a := range []*Answers{n.one, n.two} {
		if got, err := n.find(t, a, call); got != "the answer" || err != nil {
			t.Errorf("after: got %q, %v, want the first answer", got, err)
		}
	}
	n.now = n.now.Add(Keep + time.Millisecond)
	if err := n.save(t, n.one, call, "a new one"); err != nil {
		t.Errorf("when the first is too old: got %v", err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	n := open(t)
	call := Call{Account: chain.Address{1}, Key: "k", Request: [32]byte{1}}
	if err := n.save(t, n.one, call, "the answer"); err != nil {
		t.Fatal(err)
	}
	other := call
	other.Request[0] = 2
	if got, err := n.find(t, n.one, other); got != "" || !errors.Is(err, ErrKeyReused) {
		t.Errorf("another request: got %q, %v, want ErrKeyReused", got, err)
	}
	for name, c := range map[string]Call{
		"another account": {Account: chain.Address{2}, Key: "k", Request: call.Request},
		"another key":     {Account: call.Account, Key: "K", Request: call.Request},
	} {
		if got, err := n.find(t, n.one, c); got != "" || err != nil {
			t.Errorf("%s: got %q, %v, want nothing", name, got, err)
		}
	}
	// An answer moved to another row by a writer of the database does not decrypt.
	err := n.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE idempotency SET name = 'moved'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	call.Key = "moved"
	if got, err := n.find(t, n.one, call); got != "" || err == nil {
		t.Errorf("a moved answer: got %q, %v, want an error", got, err)
	}
}

func TestDrop(t *testing.T) {
	t.Parallel()
	n := open(t)
	call := Call{Account: chain.Address{1}, Key: "k"}
	if err := n.save(t, n.one, call, "old"); err != nil {
		t.Fatal(err)
	}
	n.now = n.now.Add(Keep + time.Millisecond)
	call.Key = "l"
	if err := n.save(t, n.one, call, "new"); err != nil {
		t.Fatal(err)
	}
	err := n.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		dropped, err := n.one.Drop(ctx, tx)
		if dropped != 1 {
			t.Errorf("%d dropped, want the old one", dropped)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := n.find(t, n.one, call); got != "new" || err != nil {
		t.Errorf("got %q, %v, want what is not old", got, err)
	}
}

func TestBegin(t *testing.T) {
	t.Parallel()
	n := open(t)
	call := Call{Account: chain.Address{1}, Key: "k"}
	end, err := n.one.Begin(call)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.one.Begin(call); !errors.Is(err, ErrInFlight) {
		t.Errorf("a second one: got %v, want ErrInFlight", err)
	}
	other, err := n.one.Begin(Call{Account: chain.Address{2}, Key: "k"})
	if err != nil {
		t.Fatalf("another account's: got %v", err)
	}
	end()
	other()
	if again, err := n.one.Begin(call); err != nil {
		t.Errorf("after the first has ended: got %v", err)
	} else {
		again()
	}
	if len(n.one.running) != 0 {
		t.Errorf("%d calls are running, want none", len(n.one.running))
	}
}

// TestShortSecret checks that answers are never encrypted with a key that can be guessed.
func TestShortSecret(t *testing.T) {
	t.Parallel()
	if a, err := New(make([]byte, 31)); err == nil {
		t.Errorf("a secret of 31 bytes: %v", a)
	}
}

// TestTrim checks that the answers of an account have a bound, also when it stores no more; that the newest ones
// stay, and all of the last ten minutes whatever their size.
func TestTrim(t *testing.T) {
	t.Parallel()
	n := open(t)
	const size, row = 1<<19 - rowBytes, 1 << 19
	answer := strings.Repeat("x", size)
	call := func(account byte, i int) Call { return Call{Account: chain.Address{account}, Key: fmt.Sprint(i)} }
	kept := func(account byte, from, to int) (found int) {
		t.Helper()
		for i := from; i < to; i++ {
			got, err := n.find(t, n.one, call(account, i))
			if err != nil {
				t.Fatal(err)
			}
			if got != "" {
				found++
			}
		}
		return found
	}
	save := func(account byte, from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			if err := n.save(t, n.one, call(account, i), answer); err != nil {
				t.Fatal(err)
			}
		}
	}
	trim := func() {
		t.Helper()
		if err := n.one.Trim(t.Context(), n.db); err != nil {
			t.Fatal(err)
		}
	}
	save(2, 0, 3)
	const many = maxBytes/row + 5
	save(1, 0, many)
	trim()
	if got := kept(1, 0, many); got != many {
		t.Errorf("within ten minutes %d of %d answers are kept", got, many)
	}
	n.now = n.now.Add(keepAtLeast + time.Millisecond)
	trim() // for the last time: nothing came meanwhile
	const most = keptBytes / row
	if got := kept(1, 0, many); got < most-1 || got > most {
		t.Errorf("ten minutes later %d of %d answers are kept, want %d", got, many, most)
	}
	if len(n.one.saved) != 0 {
		t.Errorf("%d accounts are noted, whose answers take less than their bound", len(n.one.saved))
	}
	for i := range many {
		n.now = n.now.Add(keepAtLeast + time.Millisecond)
		save(1, many+i, many+i+1)
		trim()
	}
	got := kept(1, 0, 2*many)
	if got > most+2 || got < most-1 || kept(1, 2*many-got, 2*many) != got {
		t.Errorf("%d answers are kept, %d of them of the newest; want the newest %d", got, kept(1, 2*many-got, 2*many), most)
	}
	if got := kept(2, 0, 3); got != 3 {
		t.Errorf("%d of 3 answers of another account are kept", got)
	}
}

// TestNotesAreBounded checks that a node notes no more accounts than it must, and none twice.
func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	a, err := New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	much := chain.Address{1}
	a.note(much, trimAfter, time.UnixMilli(1))
	for i := range 2 * mostNoted {
		a.note(chain.Address{2, byte(i), byte(i >> 8), byte(i >> 16)}, 1, time.UnixMilli(1))
	}
	if len(a.saved) > mostNoted || a.saved[much].bytes != trimAfter {
		t.Errorf("%d accounts are noted, %d bytes of the first", len(a.saved), a.saved[much].bytes)
	}
	// Of those that have stored little, none is trimmed, however long ago it was.
	if due := a.due(time.UnixMilli(1).Add(2 * keepAtLeast)); len(due) != 1 || due[much].bytes != trimAfter {
		t.Errorf("%d accounts are trimmed, want the one with much", len(due))
	}
}

// TestTrimWithoutDatabase checks that a trim that cannot read the time says so, also with nothing to trim.
func TestTrimWithoutDatabase(t *testing.T) {
	t.Parallel()
	n := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.one.Trim(ctx, n.db); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
