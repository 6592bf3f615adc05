package account

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// TestPendingChangesExpire checks that pending changes without an outcome, such as those of
// retried transactions, do not accumulate, and that unexpired ones stay.
func TestPendingChangesExpire(t *testing.T) {
	t.Parallel()
	var c callerCache
	now := time.Unix(1_700_000_000, 0)
	const lasts, atOnce = 10, 7
	most := 0
	for i := range 10_000 {
		who := subject{account: chain.Address{byte(i >> 8), byte(i), 1}}
		c.beginChange(who, now, now.Add(lasts*time.Second))
		for range i % 3 { // retries
			c.beginChange(who, now, now.Add(lasts*time.Second))
		}
		if i%3 == 0 {
			c.endChange(who)
		}
		if i%atOnce == 0 {
			now = now.Add(time.Second)
		}
		most = max(most, len(c.pending))
	}
	if most > 2*max(minPrune, lasts*atOnce) {
		t.Errorf("%d pending changes at a time, at most %d of them unexpired", most, lasts*atOnce)
	}
	stay := subject{account: chain.Address{1}}
	c.beginChange(stay, now, now.Add(time.Hour))
	for i := range 1000 {
		c.beginChange(subject{account: chain.Address{2, byte(i >> 8), byte(i)}}, now, now.Add(time.Second))
		now = now.Add(time.Second)
	}
	if c.pending[stay].open != 1 {
		t.Error("an unexpired change is gone")
	}
}

// TestCallerCacheSize checks that the cache holds at most maxCallers entries, and that an evicted
// one leaves nothing behind.
func TestCallerCacheSize(t *testing.T) {
	t.Parallel()
	var c callerCache
	now := time.Unix(1_700_000_000, 0)
	for i := range maxCallers + 10 {
		var hash secretHash
		binary.BigEndian.PutUint32(hash[:], uint32(i))
		entry := cachedCaller{from: now, connectedUntil: now.Add(time.Hour), disconnectedUntil: now.Add(time.Hour)}
		binary.BigEndian.PutUint32(entry.account.Address[:], uint32(i))
		for range 2 { // the second call replaces the entry
			c.put(c.currentVersion(), hash, entry)
		}
		if want := min(i+1, maxCallers); len(c.entries) != want || len(c.byAccount) != want {
			t.Fatalf("after %d: %d entries of %d accounts, want %d", i+1, len(c.entries), len(c.byAccount), want)
		}
		if _, ok := c.get(hash, now, func() bool { return true }); !ok {
			t.Fatalf("entry %d is not cached", i)
		}
	}
}

// TestGenerateName checks the first and the last words and numbers of generated names.
func TestGenerateName(t *testing.T) {
	t.Parallel()
	for want, random := range map[string][]byte{
		"agile-acorn-0":      {0, 0, 0, 0x0f, 0x42, 0x40}, // a million
		"witty-yak-999999":   {63, 63, 0, 0x0f, 0x42, 0x3f},
		"agile-badger-7":     {64, 65, 0, 0, 0, 7},
		"witty-yak-967295":   {255, 255, 255, 255, 255, 255},
		"amber-acorn-967294": {1, 0, 255, 255, 255, 254},
	} {
		s := &Service{Rand: bytes.NewReader(random)}
		if got, err := s.generateName(); got != want || err != nil {
			t.Errorf("%v: name %q, error %v, want %q", random, got, err, want)
		}
	}
}

// TestErasedMeanwhile checks that an account which a concurrent call has deleted is not erased again.
func TestErasedMeanwhile(t *testing.T) {
	t.Parallel()
	s := loginService(t)
	s.Now, s.Rand = func() time.Time { return time.Unix(1_700_000_000, 0) }, bytes.NewReader(make([]byte, 64))
	err := s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := s.erase(ctx, tx, Account{Address: chain.Address{1}, Username: "erased"})
		return err
	})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want %v", err, ErrNotFound)
	}
}

// TestPendingChangesArePruned checks at how many pending changes the expired ones are removed: at minPrune,
// and then at twice as many as were left.
func TestPendingChangesArePruned(t *testing.T) {
	t.Parallel()
	var c callerCache
	now := time.Unix(1_700_000_000, 0)
	begin := func(kind byte, n int, lasts time.Duration) {
		for i := range n {
			c.beginChange(subject{account: chain.Address{kind, byte(i)}}, now, now.Add(lasts))
		}
	}
	begin(1, minPrune, time.Hour)
	begin(2, minPrune, time.Second) // at the first of these none has expired
	if len(c.pending) != 2*minPrune {
		t.Errorf("%d pending changes, want %d", len(c.pending), 2*minPrune)
	}
	now = now.Add(time.Second)
	begin(3, 1, time.Second)
	if len(c.pending) != minPrune+1 {
		t.Errorf("%d pending changes after the others expired, want %d", len(c.pending), minPrune+1)
	}
}

// TestPendingChangesOfOneSubject checks that of several pending changes of a subject the end of each but the
// last allows no caching: an entry could be outdated by one whose outcome is still unknown.
func TestPendingChangesOfOneSubject(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	entry := cachedCaller{account: Account{Address: chain.Address{1}}, from: now,
		connectedUntil: now.Add(time.Hour), disconnectedUntil: now.Add(time.Hour)}
	for _, who := range []subject{allCallers, {account: entry.account.Address}, {secret: secretHash{1}}} {
		for changes := 1; changes <= 3; changes++ {
			var c callerCache
			for range changes {
				c.beginChange(who, now, now.Add(time.Minute))
			}
			for left := changes; left >= 0; left-- {
				c.put(c.currentVersion(), secretHash{1}, entry)
				if _, ok := c.get(secretHash{1}, now, func() bool { return true }); ok != (left == 0) {
					t.Errorf("%q: cached %v while %d of %d changes are pending", who, ok, left, changes)
				}
				if left > 0 {
					c.endChange(who)
				}
			}
			if len(c.pending) != 0 {
				t.Errorf("%q: %d pending changes are left of %d that have ended", who, len(c.pending), changes)
			}
		}
	}
}

// TestMailboxOfAnother checks that a mailbox which a concurrent call has attached to another account is not
// attached again.
func TestMailboxOfAnother(t *testing.T) {
	t.Parallel()
	s := loginService(t)
	s.Now = func() time.Time { return time.Unix(1_700_000_000, 0) }
	other := chain.Address{1}
	err := s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		_, err := queries.InsertAccount(ctx, q.InsertAccountParams{
			Address: other[:], Kind: "account", Username: "Bob", UsernameKey: "bob", UsernameFold: "bob"})
		if err != nil {
			return err
		}
		_, err = queries.InsertEmail(ctx, q.InsertEmailParams{
			EmailKey: "bob@example.org", Email: "bob@example.org", Address: other[:]})
		if err != nil {
			return err
		}
		return s.attach(ctx, tx, Account{Username: "Ann"}, "Bob@example.org")
	})
	if !errors.Is(err, ErrLink) {
		t.Errorf("error %v, want %v", err, ErrLink)
	}
}

// TestInvalidatedLeavesNothing checks that the cache keeps nothing of an account that was invalidated.
func TestInvalidatedLeavesNothing(t *testing.T) {
	t.Parallel()
	var c callerCache
	entry := cachedCaller{account: Account{Address: chain.Address{1}}}
	c.put(c.currentVersion(), secretHash{1}, entry)
	c.put(c.currentVersion(), secretHash{2}, entry)
	c.invalidate(subject{account: entry.account.Address})
	if len(c.entries) != 0 || len(c.byAccount) != 0 {
		t.Errorf("%d entries of %d accounts are left", len(c.entries), len(c.byAccount))
	}
}
