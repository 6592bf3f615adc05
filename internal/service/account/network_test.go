package account_test

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// at returns the networks of an address of IPv4.
func at(address string) []account.Network {
	return []account.Network{{Prefix: netip.PrefixFrom(netip.MustParseAddr(address), 32), Times: 1}}
}

// TestManyNetworks checks that an account at 200 networks of one /56 has the rows of 94 of them, of the /56 and of the
// /48 on each day, and no more, and that it is still charged to both, also by an account's last use.
func TestManyNetworks(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	d.NetworkKey = []byte("of the test")
	ann := d.guest(t).Account.Address
	d.Clock.Set(time.Date(2026, time.May, 3, 12, 0, 0, 0, time.UTC))
	middle := account.Network{Prefix: netip.MustParsePrefix("2001:db8::/56"), Times: 4}
	wide := account.Network{Prefix: netip.MustParsePrefix("2001:db8::/48"), Times: 16}
	var rows int
	for i := range 200 {
		narrow := netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 7: byte(i)}), 64)
		err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
			err := d.NoteUse(ctx, tx, ann, []account.Network{{Prefix: narrow, Times: 1}, middle, wide})
			if err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, "SELECT count(*) FROM account_network WHERE account = $1", ann[:]).Scan(&rows)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if rows != 2*96 { // of two days
		t.Errorf("%d rows, want 96 on each of two days", rows)
	}
	d.Clock.Add(25 * time.Hour) // the rows of this day are full already, and rows of the day before count no more
	hash := func(n account.Network) []byte {
		return fairshare.Hash(d.NetworkKey, fairshare.Day(d.Clock.Now()), n.Prefix)
	}
	if err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
		narrow := account.Network{Prefix: netip.MustParsePrefix("2001:db8:0:ff::/64"), Times: 1}
		if err := d.NoteUse(ctx, tx, ann, []account.Network{narrow, middle, wide}); err != nil {
			return err
		}
		got, err := d.LastNetwork(ctx, tx, ann)
		if want := fairshare.Join(hash(middle), hash(middle), hash(wide), hash(wide)); !bytes.Equal(got, want) {
			t.Errorf("charged to %x, want the /56 and the /48, %x", got, want)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestLastNetwork checks that what an account did not cause by a call is charged to the network of its last use, as a
// call from there would be, on this day, and to none where many people share an address or the use is two days old.
func TestLastNetwork(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	d.NetworkKey = []byte("of the test")
	ann := d.guest(t).Account.Address
	wants := func(when, address string) {
		t.Helper()
		var want fairshare.Tag
		if address != "" {
			day := fairshare.Day(d.Clock.Now())
			want = fairshare.Network{Key: d.NetworkKey, Address: netip.MustParseAddr(address)}.Tag(fairshare.Scope{day, day})
		}
		if err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
			got, err := d.LastNetwork(ctx, tx, ann)
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %x, want %x", when, got, want)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	wants("before any use", "")
	v6 := func(address string) (list []account.Network) {
		for bits, times := range map[int]int64{64: 1, 56: 4, 48: 16} {
			prefix := netip.PrefixFrom(netip.MustParseAddr(address), bits).Masked()
			list = append(list, account.Network{Prefix: prefix, Times: times})
		}
		slices.SortFunc(list, func(a, b account.Network) int { return int(a.Times - b.Times) })
		return list
	}
	shared := at("192.0.2.3")
	shared[0].Times = 16
	for _, use := range []struct {
		networks []account.Network
		charged  string
	}{
		{at("192.0.2.1"), "192.0.2.1"}, {v6("2001:db8:1:2::3"), "2001:db8:1:2::3"}, {at("192.0.2.2"), "192.0.2.2"},
		{shared, ""}, {at("192.0.2.1"), "192.0.2.1"},
	} {
		d.Clock.Add(time.Hour)
		if err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
			return d.NoteUse(ctx, tx, ann, use.networks)
		}); err != nil {
			t.Fatal(err)
		}
		wants(fmt.Sprint("at ", use.networks), use.charged)
	}
	d.Clock.Add(24 * time.Hour)
	wants("a day later", "192.0.2.1")
	d.Clock.Add(24 * time.Hour)
	wants("two days later", "")
}

// TestShareNetwork checks that two accounts share a network for 24 hours after both have used it, on either side of a
// midnight, that rows of different days have different tags, and that all are dropped after two days.
func TestShareNetwork(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	d.NetworkKey = []byte("of the test")
	ann, bob := d.guest(t).Account.Address, d.guest(t).Account.Address
	use := func(a chain.Address, address string) {
		if err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
			return d.NoteUse(ctx, tx, a, at(address))
		}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, want bool) {
		t.Helper()
		err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
			got, err := d.ShareNetwork(ctx, tx, ann, bob)
			if got != want {
				t.Errorf("%s: share a network %v, want %v", when, got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	number := func(sql string) (n int) {
		if err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, sql).Scan(&n)
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	d.Clock.Set(time.Date(2026, time.May, 3, 23, 0, 0, 0, time.UTC))
	use(ann, "192.0.2.1")
	use(bob, "192.0.2.2")
	want("at two addresses", false)
	use(bob, "192.0.2.1")
	want("at one address", true)
	if rows, tags := number("SELECT count(*) FROM account_network"), number(
		"SELECT count(DISTINCT tag) FROM account_network"); rows != 6 || tags != 4 {
		t.Errorf("%d rows with %d tags, want 3 uses on 2 days each, with a tag for each address and day", rows, tags)
	}
	d.Clock.Add(24 * time.Hour)
	use(ann, "192.0.2.3")
	want("24 hours later", true)
	d.Clock.Add(time.Hour)
	want("25 hours later", false)
	d.Clock.Add(49 * time.Hour)
	if err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.DropNetworks(ctx, tx)
		return err
	}); err != nil || number("SELECT count(*) FROM account_network") != 0 {
		t.Errorf("rows are kept after two days, error %v", err)
	}
}
