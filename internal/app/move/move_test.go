package move

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// rowsOf is the number of rows that fill inserts into each table that may have several.
const rowsOf = 100

// batch is the number of rows of a batch in these tests: two for a table.
const batch = 64

// TestThereAndBack moves filled tables to PostgreSQL and back, through failures at every batch, and compares what
// returns with the original, value by value.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	first := filepath.Join(t.TempDir(), "first.db")
	fill(t, first)

	there := server.create(t)
	moveThrough(t, opener(t, store.Config{Path: first}), opener(t, there))
	checkNumbers(t, there)

	second := filepath.Join(t.TempDir(), "second.db")
	moveThrough(t, opener(t, there), opener(t, store.Config{Path: second}))
	want, got := content(t, first), content(t, second)
	for table, rows := range want {
		if len(rows) == 0 {
			t.Errorf("table %s has no rows to compare", table)
		}
		if diff := cmp.Diff(rows, got[table]); diff != "" {
			t.Errorf("table %s (-first +second): %.2000s", table, diff)
		}
	}
	if len(want) != len(got) {
		t.Errorf("%d tables, want %d", len(got), len(want))
	}
}

// moveThrough moves from one database to another in many attempts: each stores one batch, and fails at the next one,
// after which it is stored in every second attempt. Every attempt must find what is stored.
func moveThrough(t *testing.T, openFrom, openTo func(*store.Faults) *store.DB) {
	t.Helper()
	from := openFrom(nil)
	begun := int64(-1) // rows, and a million for each table, from which the attempt before went on
	for attempt := 0; ; attempt++ {
		var commits atomic.Int64 // of batches
		commits.Store(math.MinInt64)
		fails := errors.New("as injected")
		faults := &store.Faults{
			Statement: func(query string) error {
				bulk := strings.HasPrefix(query, "COPY ") || strings.HasPrefix(query, "INSERT INTO ")
				if bulk && attempt%2 == 0 && commits.Load() > 0 {
					return fails
				}
				return nil
			},
			Commit: func() store.Fault {
				if commits.Add(1) > 1 && attempt%2 == 1 {
					return store.Stored
				}
				return store.NoFault
			},
		}
		to := openTo(faults)
		m, err := Begin(t.Context(), from, to)
		if err != nil {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
		m.rows = batch
		commits.Store(0)
		complete, _, rows, resumed := m.Found()
		if resumed != (attempt > 0) {
			t.Fatalf("attempt %d: resumed is %v", attempt, resumed)
		}
		now := int64(complete)*1_000_000 + rows
		if attempt > 0 && now <= begun {
			t.Fatalf("attempt %d goes on from %d, the one before from %d", attempt, now, begun)
		}
		begun = now
		err = m.Copy(t.Context(), func(string, int64, bool) {})
		if err == nil {
			commits.Store(math.MinInt64)
			finish(t, m)
			if least := len(m.tables) / 2; attempt < least {
				t.Errorf("only %d attempts, want %d", attempt, least)
			}
			return
		}
		if !errors.Is(err, fails) && !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
		if err := Usable(t.Context(), to); !errors.Is(err, ErrUnfinished) {
			t.Fatalf("attempt %d: %v, want ErrUnfinished", attempt, err)
		}
		closeNow(t, to)
	}
}

// finish verifies and finishes a move.
func finish(t *testing.T, m *Move) {
	t.Helper()
	all, err := m.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if least := int64(rowsOf * len(m.tables) * 3 / 4); all.Rows < least {
		t.Errorf("only %d rows were compared, want %d", all.Rows, least)
	}
	if err := m.Finish(t.Context(), nothing); err != nil {
		t.Fatal(err)
	}
	if err := Usable(t.Context(), m.to); err != nil {
		t.Fatalf("after Finish: %v", err)
	}
}

func nothing(context.Context, *store.Tx) error { return nil }

// TestRefused checks each reason for which Begin refuses a target, which stays as it is.
func TestRefused(t *testing.T) {
	t.Parallel()
	source := opener(t, storetest.NewSQLite(t))(nil)
	other := opener(t, storetest.NewSQLite(t))(nil)
	storetest.Exec(t, other, "INSERT INTO lease (name, holder, fence, beat) VALUES ('sealing', '', 1, 1)")
	for _, test := range []struct {
		name  string
		rows  string
		begin *store.DB // a move that has begun before
		want  error
	}{
		{name: "empty"},
		{name: "its own move", begin: source},
		{name: "a row", rows: "INSERT INTO meta (name, value) VALUES ('chain', 'x')", want: ErrNotEmpty},
		{name: "a second row", rows: "INSERT INTO score_feed (at, kind, account, body) VALUES (1, 'x', x'01', '{}')",
			want: ErrNotEmpty},
		{name: "another table", rows: "CREATE TABLE users (id INTEGER PRIMARY KEY)", want: ErrNotEmpty},
		{name: "the move of another source", begin: other, want: ErrOtherSource},
	} {
		target := opener(t, storetest.NewSQLite(t))(nil)
		if test.rows != "" {
			storetest.Exec(t, target, test.rows)
		}
		if test.begin != nil {
			if _, err := Begin(t.Context(), test.begin, target); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Begin(t.Context(), source, target)
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
		// A target that was refused for its rows is not marked.
		err = Usable(t.Context(), target)
		if errors.Is(err, ErrUnfinished) == errors.Is(test.want, ErrNotEmpty) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	// A service that ran on the source in between has taken a lease.
	target := opener(t, storetest.NewSQLite(t))(nil)
	if _, err := Begin(t.Context(), source, target); err != nil {
		t.Fatal(err)
	}
	storetest.Exec(t, source, "INSERT INTO lease (name, holder, fence, beat) VALUES ('sealing', '', 1, 1)")
	if _, err := Begin(t.Context(), source, target); !errors.Is(err, ErrOtherSource) {
		t.Errorf("after a start of the source: error %v, want ErrOtherSource", err)
	}
}

// TestEachStatement begins, verifies and finishes a move with each statement failing once. TestThereAndBack has Copy.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	from, to := opener(t, storetest.NewSQLite(t))(nil), storetest.Open(t, place)
	each.Use(t, to, place)
	do, m := storetest.Do, Move{}
	each.Run(t, []storetest.Case{
		{Name: "begin", Call: do(Begin, from, to)},
		{Name: "begin again", Call: do(Begin, from, to), Keep: &m},
	})
	if err := m.Copy(t.Context(), func(string, int64, bool) {}); err != nil {
		t.Fatal(err)
	}
	each.Run(t, []storetest.Case{
		{Name: "verify", Call: do(m.Verify)},
		{Name: "finish", Call: do(m.Finish, nothing)},
		{Name: "fence", Call: do(Fence, to, true)},
		{Name: "take the fence back", Call: do(Fence, to, false)},
	})
}

// TestFence: a fenced source is refused, without a change to what a move compares, until the fence is taken back; a
// service that came and went on it is found.
func TestFence(t *testing.T) {
	t.Parallel()
	from, to := opener(t, storetest.NewSQLite(t))(nil), opener(t, storetest.NewSQLite(t))(nil)
	m, err := Begin(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, moved := range []bool{true, false} {
		if err := Fence(t.Context(), from, moved); err != nil {
			t.Fatal(err)
		}
		if err := Usable(t.Context(), from); errors.Is(err, ErrMoved) != moved || (err != nil) != moved {
			t.Errorf("fenced %v: %v", moved, err)
		}
		if err := m.Unchanged(t.Context()); err != nil {
			t.Errorf("fenced %v: %v", moved, err)
		}
	}
	storetest.Exec(t, from, "INSERT INTO lease (name, holder, fence, beat) VALUES ('sealing', '', 1, 1)")
	if err := m.Unchanged(t.Context()); !errors.Is(err, ErrChanged) {
		t.Errorf("after a start on the source: %v, want ErrChanged", err)
	}
}

// TestTwoAtOnce continues one move by two processes: the slower one stops without an effect.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "source.db")
	fill(t, path)
	from, to := opener(t, store.Config{Path: path})(nil), opener(t, storetest.NewSQLite(t))(nil)
	begin := func() *Move {
		m, err := Begin(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	slow, fast := begin(), begin()
	if err := fast.Copy(t.Context(), func(string, int64, bool) {}); err != nil {
		t.Fatal(err)
	}
	slow.verified = true
	for name, err := range map[string]error{
		"Copy":   slow.Copy(t.Context(), func(string, int64, bool) {}),
		"Finish": slow.Finish(t.Context(), nothing),
	} {
		if !errors.Is(err, ErrTakenOver) {
			t.Errorf("%s of the slower one: %v, want ErrTakenOver", name, err)
		}
	}
	finish(t, fast)
	if err := fast.Finish(t.Context(), nothing); !errors.Is(err, ErrTakenOver) {
		t.Errorf("a second Finish: %v, want ErrTakenOver", err)
	}
}

// TestVerify changes, adds, deletes and exchanges values in the target, one at a time: each change is found, and names
// its table.
func TestVerify(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "source.db")
	fill(t, path)
	server := newServer(t)
	to := opener(t, server.create(t))(nil)
	m, err := Begin(t.Context(), opener(t, store.Config{Path: path})(nil), to)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Copy(t.Context(), func(string, int64, bool) {}); err != nil {
		t.Fatal(err)
	}
	const key = `'\x00ff00035c'` // blob(3)
	for _, change := range []struct{ table, do, undo string }{
		{"ledger_account", "UPDATE ledger_account SET balance = balance + 1 WHERE address = " + key,
			"UPDATE ledger_account SET balance = balance - 1 WHERE address = " + key},
		{"account", "UPDATE account SET username = username || 'x' WHERE address = " + key,
			"UPDATE account SET username = left(username, -1) WHERE address = " + key},
		{"chain_chunk", "UPDATE chain_chunk SET body = set_bit(body, 3, 1 - get_bit(body, 3)) WHERE first_pos = 9",
			"UPDATE chain_chunk SET body = set_bit(body, 3, 1 - get_bit(body, 3)) WHERE first_pos = 9"},
		{"idempotency", "UPDATE idempotency SET request = '' WHERE account = " + key,
			"UPDATE idempotency SET request = account WHERE account = " + key},
		{"session", "UPDATE session SET seen_at = 5, signed_in_at = 3 WHERE address = " + key, // the same sum
			"UPDATE session SET seen_at = 4, signed_in_at = 4 WHERE address = " + key},
		{"chain_address", "INSERT INTO chain_address (address, pos) VALUES (" + key + ", 77)",
			"DELETE FROM chain_address WHERE address = " + key + " AND pos = 77"},
		{"chain_address", "DELETE FROM chain_address WHERE address = " + key,
			"INSERT INTO chain_address (address, pos) VALUES (" + key + ", 4)"},
	} {
		storetest.Exec(t, to, change.do)
		_, err := m.Verify(t.Context())
		if !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "table "+change.table+" has") ||
			strings.Count(err.Error(), "table ") != 1 {
			t.Errorf("%s: %v, want that %s differs", change.do, err, change.table)
		}
		storetest.Exec(t, to, change.undo)
	}
	finish(t, m)
}

// TestSeeded compares the list of tables that migrations fill with a new database, on both engines.
func TestSeeded(t *testing.T) {
	t.Parallel()
	for _, place := range []store.Config{storetest.NewSQLite(t), newServer(t).create(t)} {
		d := opener(t, place)(nil)
		tables, err := d.Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, table := range tables {
			if n := storetest.Number(t, d, "SELECT count(*) FROM "+table.Name); n > 0 {
				found = append(found, table.Name)
			}
		}
		slices.Sort(found)
		if diff := cmp.Diff(seeded, found); diff != "" || len(tables) < 40 {
			t.Errorf("of %d tables (-listed +filled): %s", len(tables), diff)
		}
	}
}

// TestDigest pins the encoding: values that are easily confused have different digests, the order of rows has no
// effect, and rows that occur twice count twice.
func TestDigest(t *testing.T) {
	t.Parallel()
	table := store.Table{Name: "x", Columns: []store.Column{
		{Name: "i", Type: store.Integer}, {Name: "t", Type: store.Text}, {Name: "b", Type: store.Blob},
	}}
	of := func(rows string) Digest {
		t.Helper()
		d := opener(t, store.Config{Path: filepath.Join(t.TempDir(), "x.db"),
			Migrations: storetest.Migrations("CREATE TABLE x (i INTEGER, t TEXT, b BLOB) STRICT")})(nil)
		storetest.Exec(t, d, "INSERT INTO x (i, t, b) VALUES "+rows)
		sum, err := digest(t.Context(), d, table)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	seen := map[Digest]string{}
	for _, rows := range []string{"(0, '', x'')", "(NULL, '', x'')", "(0, NULL, x'')", "(0, '', NULL)", "(1, '', x'')",
		"(-1, '', x'')", "(0, 'a', x'')", "(0, '', x'61')", "(0, 'ab', x'')", "(0, 'a', x'62')", "(0, '', x''), (0, '', x'')",
		"(0, '', x''), (0, '', x''), (0, '', x'')"} {
		d := of(rows)
		if seen[d] != "" {
			t.Errorf("%s and %s have the same digest", rows, seen[d])
		}
		seen[d] = rows
	}
	if a, b := of("(1, 'a', NULL), (2, 'b', x'00')"), of("(2, 'b', x'00'), (1, 'a', NULL)"); a != b || a.Rows != 2 {
		t.Errorf("two orders of two rows: %d rows %v, %d rows %v", a.Rows, a, b.Rows, b)
	}
	// printf nnn | sha256sum
	const nulls = "e8702ecd939e3ace89e85e0df11878c76de38bc8c4ed42f1d842abb05e9b511a"
	if got := of("(NULL, NULL, NULL)").String(); got != nulls {
		t.Errorf("the digest of three NULLs is %s, want %s", got, nulls)
	}
}
