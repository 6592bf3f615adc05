package event

import (
	"context"
	"slices"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestCorrections: a text that is replaced and an event that is retracted reach the streams of a node that
// has them in memory, and of one that starts afterwards, numbered or not; positions stay valid.
func TestCorrections(t *testing.T) {
	t.Parallel()
	b := open(t)
	type named struct {
		ID       int    `json:"id"`
		Username string `json:"username"`
	}
	bad := []Event{
		{Feed, FeedItem, named{1, "bad_name"}}, {Feed, FeedItem, named{17, "other"}},
		{Market, ListingChanged, named{1, "bad_name"}},
	}
	if err := b.post(t.Context(), nil, bad...); err != nil {
		t.Fatal(err)
	}
	running := b.tail(t, false)
	if err := running.round(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	first, at, err := running.Read(t.Context(), Position{}, []string{Feed})
	if err != nil || len(first) != 2 {
		t.Fatalf("%d events, error %v", len(first), err)
	}
	if err := b.post(t.Context(), nil, Event{Feed, FeedItem, named{2, "bad_name"}}); err != nil { // not numbered yet
		t.Fatal(err)
	}
	err = b.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := b.Retract(ctx, tx, Feed, `{"id":17,`); err != nil {
			return err
		}
		return b.Replace(ctx, tx, Feed, `"bad_name"`, `"good"`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := running.round(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	for name, tail := range map[string]*Tail{"running": running, "new": b.tail(t, false)} {
		list, _, err := tail.Read(t.Context(), Position{}, []string{Feed, Market})
		got := make([]string, len(list))
		for i, e := range list {
			got[i] = e.Topic + e.Body
		}
		want := []string{`feed{"id":1,"username":"good"}`, `market{"id":1,"username":"bad_name"}`,
			`feed{"id":2,"username":"good"}`}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, error %v; want %q", name, got, err, want)
		}
		if list, _, err := tail.Read(t.Context(), at, []string{Feed}); err != nil || len(list) != 1 {
			t.Errorf("%s, from the old position: %d events, error %v", name, len(list), err)
		}
	}
}

// TestEachStatementOfCorrections runs the corrections with each statement failing once.
func TestEachStatementOfCorrections(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	b := openAt(t, place)
	each.Use(t, b.DB, place)
	tail := b.tail(t, false)
	each.Run(t, []storetest.Case{
		{Name: "replace", Update: storetest.Do(b.Replace, Feed, "a", "b")},
		{Name: "retract", Update: storetest.Do(b.Retract, Feed, "a")},
		{Name: "correct", Update: storetest.Do(b.Correct)},
		{Name: "read a correction", Before: func() {
			if err := b.post(t.Context(), nil, Event{Feed, FeedItem, "a"}); err != nil {
				t.Fatal(err)
			}
			if err := b.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				return b.Replace(ctx, tx, Feed, "a", "b")
			}); err != nil {
				t.Fatal(err)
			}
			if err := b.tail(t, false).round(t.Context(), true); err != nil {
				t.Fatal(err)
			}
		}, Call: storetest.Do(tail.catchUp)},
	})
}
