package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// harness is a Service on a real database, with a team service.
type harness struct {
	*Service
	ledger    *ledgertest.Ledger
	teams     *team.Service
	published []int64 // ids of the feed items passed to Publish
}

// tester is a test, benchmark or property check.
type tester interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// listener passes team events to the Service, as the application does.
type listener struct{ *Service }

func (l listener) TeamJoined(ctx context.Context, tx *store.Tx, j team.Joined) error {
	return l.Service.TeamJoined(ctx, tx, Joined(j))
}

// Publish implements Feed.
func (h *harness) Publish(_ context.Context, tx *store.Tx, item *FeedItem) error {
	tx.AfterCommit(func() { h.published = append(h.published, item.ID) })
	return nil
}

func newHarness(t testing.TB, o ledgertest.Options) *harness {
	t.Helper()
	h := &harness{ledger: ledgertest.Open(t, o)}
	h.teams = &team.Service{}
	var err error
	h.Service, err = New(t.Context(), Config{
		DB: h.ledger.DB, Ledger: h.ledger.Ledger, Teams: h.teams, Feed: h, Now: h.ledger.Clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	h.teams.Listener = listener{h.Service}
	return h
}

// player inserts an account without a ledger balance: points need no coins.
func (h *harness) player(t tester, n int, kind chain.AccountKind) chain.Address {
	t.Helper()
	var a chain.Address
	a[0], a[18], a[19] = byte(n*37), byte(n>>8), byte(n)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at)
			VALUES ($1, $2, $3, $4, $4, 0)`,
			a[:], string(kind), fmt.Sprint("Player-", n), fmt.Sprint("player-", n))
		return err
	})
	return a
}

// update runs a use case of a caller whose address is not charged.
func (h *harness) update(t tester, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := h.DB.Update(fairshare.WithTag(t.Context(), nil), fn); err != nil {
		t.Fatal(err)
	}
}

func (h *harness) view(t tester, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := h.DB.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// claim reports that a player claims a tier now, and reduces the report.
func (h *harness) claim(t tester, a chain.Address, id string, tier int64) {
	t.Helper()
	now := h.ledger.Clock.Now()
	h.endRun(t, Run{
		ID: id, Account: a, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: tier, Throws: tier + 1,
		StartedAt: now, EndedAt: now,
	})
}

// endRun reports the end of a run, and reduces the report.
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

// line is an expected row of a board.
type line struct {
	member  string
	value   int64
	throws  int64 // of a daily run
	reached int64 // Unix seconds
}

// sortLines sorts lines in place by the order of a board.
func sortLines(list []line) []line {
	slices.SortFunc(list, func(a, b line) int {
		return cmp.Or(-cmp.Compare(a.value, b.value), cmp.Compare(a.throws, b.throws),
			cmp.Compare(a.reached, b.reached), cmp.Compare(a.member, b.member))
	})
	return list
}

// wantBoard compares a board with the expected rows: its top rows, the rank of every member,
// and the number of entries.
func (h *harness) wantBoard(t tester, id Board, want []line) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		b, err := h.openBoard(tx, id)
		if err != nil {
			return err
		}
		if got := b.Total(); got != int64(len(want)) {
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
			if row.Rank != int64(i)+1 || row.Value != w.value || row.Throws != w.throws ||
				row.Reached.Unix() != w.reached {
				t.Errorf("board %d/%d: row of %x: %+v, want rank %d of %+v", id.kind(), id.number(), w.member, *row,
					i+1, w)
			}
			if i < len(rows) {
				named := rows[i]
				if id.kind() != kindTeams && named.Username == "" {
					t.Errorf("rank %d has no name", i+1)
				}
				named.Username, named.Kind, row.Username, row.Kind = "", "", "", ""
				if named != *row {
					t.Errorf("board %d/%d: rank %d is %+v in the top rows, and %+v as a single row", id.kind(),
						id.number(), i+1, named, *row)
				}
			}
		}
		return nil
	})
}

// day returns noon of the n-th day after genesis.
func day(n int) time.Time { return time.Date(2026, time.May, 1+n, 12, 0, 0, 0, time.UTC) }

// wantValid audits the tables. The facts of these tests are no games on the chain, so tables of seasons state points
// that no game gives; nothing else may be wrong.
func (h *harness) wantValid(t testing.TB) {
	t.Helper()
	v, err := h.ledger.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Problems {
		if !strings.HasPrefix(p.What, "points of ") {
			t.Errorf("verify: %+v", p)
		}
	}
}
