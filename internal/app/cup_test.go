package app

import (
	"bytes"
	"context"
	"net/netip"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
)

// TestCupIsCharged: a finished cup is charged to the last network of the account that opened it. One whose creator has
// used none for a day makes no item, unless the creator's address is one that is never charged.
func TestCupIsCharged(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	c := config(t.TempDir())
	c.LimitPrivate, c.Now = true, func() time.Time { return now }
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	guestThat(t, s, "/api/runs") // from 127.0.0.1
	var guest []byte
	// view reads one value.
	view := func(query string, into any) {
		err := s.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, query).Scan(into)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	view("SELECT account FROM run", &guest)
	creator := chain.Address(guest)
	opened := fairshare.Network{Key: s.Accounts.NetworkKey, Address: netip.MustParseAddr("127.0.0.1")}.
		Tag(fairshare.Days(now))
	today := fairshare.Network{Key: s.Accounts.NetworkKey, Address: netip.MustParseAddr("127.0.0.1")}.
		Tag(fairshare.Scope{fairshare.Day(now), fairshare.Day(now)})
	for _, step := range []struct {
		name    string
		after   time.Duration // since the last step
		created time.Duration // before now
		creator *chain.Address
		opened  fairshare.Tag // as the cup has it
		items   int64         // so far
		charged []byte
	}{
		{"on the same day", 0, time.Hour, &creator, opened, 1, today},
		{"of the service", 0, time.Hour, nil, nil, 2, nil},
		{"without a use for a day", 36 * time.Hour, 20 * time.Hour, &creator, opened, 2, nil},
		{"of an address that is not charged", 0, 20 * time.Hour, &creator, nil, 3, nil},
		{"once the tag is deleted", 0, 72 * time.Hour, &creator, nil, 3, nil},
	} {
		now = now.Add(step.after)
		finished := &cup.Cup{Terms: cup.Terms{Kind: cup.People}, Number: 1, Creator: step.creator,
			CreatedAt: now.Add(-step.created), EndedAt: &now, Hash: &chain.Hash{1}, Tx: &chain.Hash{2}}
		err := s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return scoreReporter{s}.CupFinished(fairshare.WithTag(ctx, step.opened), tx, finished,
				[]tables.Row{{Address: creator, Rank: 1}})
		})
		if err != nil {
			t.Fatal(err)
		}
		var items int64
		view("SELECT count(*) FROM score_inbox WHERE kind = 'cup'", &items)
		var network []byte
		if items > 0 {
			view("SELECT network FROM score_inbox WHERE kind = 'cup' ORDER BY id DESC LIMIT 1", &network)
		}
		if items != step.items || !bytes.Equal(network, step.charged) {
			t.Errorf("%s: %d items, the last one charged to %x, want %d and %x", step.name, items, network, step.items,
				step.charged)
		}
	}
}
