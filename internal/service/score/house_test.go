package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// house is the package over a real database, with the teams beside it.
type harness struct {
	*Service
	ledger *ledgertest.Ledger
	teams  *team.Service
}

// tester is a test, or one check of a property.
type tester interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// listener hands on what teams report, as httpapi.Facts does.
type listener struct{ *Service }

func (l listener) TeamJoined(ctx context.Context, tx *store.Tx, j team.Joined) error {
	return l.Service.TeamJoined(ctx, tx, Joined(j))
}

// Notable implements Feed.
func (h *harness) Publish(context.Context, *store.Tx, *FeedItem) error { return nil }

func newHarness(t testing.TB, o ledgertest.Options) *harness {
	t.Helper()
	h := &harness{ledger: ledgertest.Open(t, o)}
	h.teams = &team.Service{Now: h.ledger.Clock.Now}
	var err error
	h.Service, err = New(t.Context(), Config{DB: h.ledger.DB, Ledger: h.ledger.Ledger, Teams: h.teams, Feed: h, Now: h.ledger.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	h.teams.Listener = listener{h.Service}
	return h
}

// player opens an account that the ledger knows nothing of: points need no coins.
func (h *harness) player(t tester, n int, kind chain.AccountKind) chain.Address {
	t.Helper()
	var a chain.Address
	a[0], a[18], a[19] = byte(n*37), byte(n>>8), byte(n)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO account (address, kind, username, username_key, created_at) VALUES ($1, $2, $3, $4, 0)`,
			a[:], string(kind), fmt.Sprint("Player-", n), fmt.Sprint("player-", n))
		return err
	})
	return a
}

func (h *harness) update(t tester, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := h.DB.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func (h *harness) view(t tester, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := h.DB.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// claim has a player claim a tier, now.
func (h *harness) claim(t tester, a chain.Address, id string, tier int64) {
	t.Helper()
	now := h.ledger.Clock.Now()
	h.endRun(t, Run{ID: id, Account: a, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: tier, Throws: tier + 1, StartedAt: now, EndedAt: now})
}

// end has a run end, and everybody see it.
func (h *harness) endRun(t tester, r Run) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error { return h.RunEnded(ctx, tx, r) })
	h.drainAll(t)
}

func (h *harness) drainAll(t tester) {
	t.Helper()
	if err := h.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// line is a row as the model knows it.
type line struct {
	member  string
	value   int64
	throws  int64 // of a daily run
	reached int64 // second
}

// sortLines puts lines into the order of a board.
func sortLines(list []line) []line {
	slices.SortFunc(list, func(a, b line) int {
		return cmp.Or(-cmp.Compare(a.value, b.value), cmp.Compare(a.throws, b.throws), cmp.Compare(a.reached, b.reached), cmp.Compare(a.member, b.member))
	})
	return list
}

// wantBoard holds a board against the model: its rows, the rank of every member and how
// many there are.
func (h *harness) wantBoard(t tester, id Board, want []line) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		b, err := h.openBoard(ctx, tx, id)
		if err != nil {
			return err
		}
		if got := b.total(); got != int64(len(want)) {
			t.Errorf("board %d/%d: %d entries, want %d", id.kind(), id.number(), got, len(want))
		}
		top, err := h.top(ctx, b)
		if err != nil {
			return err
		}
		rows := top.rows
		if n := min(len(want), MaxRows); len(rows) != n {
			t.Fatalf("board %d/%d: %d rows, want %d", id.kind(), id.number(), len(rows), n)
		}
		for i, w := range want {
			row, err := b.row(ctx, []byte(w.member))
			if err != nil || row == nil {
				t.Fatalf("board %d/%d: row of %x: %v, error %v", id.kind(), id.number(), w.member, row, err)
			}
			if row.Rank != int64(i)+1 || row.Value != w.value || row.Throws != w.throws || row.Reached.Unix() != w.reached {
				t.Errorf("board %d/%d: row of %x: %+v, want rank %d of %+v", id.kind(), id.number(), w.member, *row, i+1, w)
			}
			if i < len(rows) {
				named := rows[i]
				if id.kind() != kindTeams && named.Username == "" {
					t.Errorf("row %d without a name", i+1)
				}
				named.Username, named.Kind, row.Username, row.Kind = "", "", "", ""
				if named != *row {
					t.Errorf("board %d/%d: place %d is %+v, and looked for alone %+v", id.kind(), id.number(), i+1, named, *row)
				}
			}
		}
		return nil
	})
}

// day is noon of the n-th day of the house.
func day(n int) time.Time { return time.Date(2026, time.May, 1+n, 12, 0, 0, 0, time.UTC) }
