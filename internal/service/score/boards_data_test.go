package score

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// past reads the rows of the boards that are over, in pages, and returns a text for each.
func (h *harness) past(t *testing.T, after string, count int64) (texts, cursors []string) {
	t.Helper()
	for {
		var list []PastRow
		h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
			list, err = h.PastRows(ctx, tx, after, count)
			return err
		})
		for _, r := range list {
			after = r.Cursor
			cursors = append(cursors, r.Cursor)
			texts = append(texts, fmt.Sprintf("%s %s %d %d. %s %d", r.Board, r.StartsAt.Format(time.DateOnly), r.Season, r.Rank,
				r.Username, r.Value))
		}
		if int64(len(list)) < count {
			return texts, cursors
		}
	}
}

// TestPastRows: the boards of days, weeks and seasons come in the order of their ends, each a day after it, a season
// once it is closed, and from the cursor of any row on.
func TestPastRows(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Full)
	h.ledger.Clock.Set(day(1)) // 2 May 2026, a Saturday
	h.claim(t, ann, "one", 3)
	h.claim(t, bob, "two", 2)
	now := h.ledger.Clock.Now()
	for i, who := range []chain.Address{ann, bob} {
		h.endRun(t, Run{ID: fmt.Sprint("daily", i), Account: who, Entry: chain.EntryDaily, Status: chain.RunLost,
			Cleared: int64(i) + 1, Throws: 5, StartedAt: now, EndedAt: now})
	}
	at := func(text string) {
		when, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		h.ledger.Clock.Set(when)
	}
	want := func(want ...string) (cursors []string) {
		t.Helper()
		for count := int64(1); count < 6; count++ {
			var got []string
			if got, cursors = h.past(t, "", count); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("at %v in pages of %d:\n got %q\nwant %q", h.ledger.Clock.Now(), count, got, want)
			}
		}
		return cursors
	}
	daily := []string{"daily 2026-05-02 0 1. Player-2 2", "daily 2026-05-02 0 2. Player-1 1"}
	week := []string{"week 2026-04-27 0 1. Player-1 8", "week 2026-04-27 0 2. Player-2 4"}
	season := []string{"season 2026-05-01 1 1. Player-1 8", "season 2026-05-01 1 2. Player-2 4"}
	at("2026-05-04 00:59:59")
	want()
	at("2026-05-04 01:00:00")
	want(daily...)
	at("2026-05-05 01:00:00")
	cursors := want(append(daily, week...)...)
	for i, cursor := range cursors {
		if got, _ := h.past(t, cursor, 100); len(got) != len(cursors)-1-i {
			t.Errorf("behind row %d there are %q", i, got)
		}
	}
	at("2026-05-30 01:00:00") // that day and week are kept no longer
	want()
	if _, err := h.CloseSeasons(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(season...)
	if got, _ := h.past(t, cursors[len(cursors)-1], 100); strings.Join(got, "\n") != strings.Join(season, "\n") {
		t.Errorf("behind the last row of the week there are %q", got)
	}
	for _, cursor := range []string{"x", strings.Replace(cursors[0], ":", ":0", 1),
		boardAll.cursor(position{Member: "a"}) + ":1", cursors[0][:len(cursors[0])-1] + "0",
		cursors[0] + "0000000000000000000000"} {
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			if _, err := h.PastRows(ctx, tx, cursor, 1); !errors.Is(err, ErrCursor) {
				t.Errorf("%q: %v", cursor, err)
			}
			return nil
		})
	}
}
