// Package ledgertest opens ledgers for tests: on a real database in a temporary folder, with a new
// key and a manual clock.
//
//	l := ledgertest.Open(t, ledgertest.Options{})
//	l.Update(t, func(ctx context.Context, tx *store.Tx) error { … l.Post(ctx, tx, draft) … })
//	l.Clock.Add(time.Second)
//	l.SealAll(t)
//	l.WantValid(t)
//
// Players (Join, Win, Burn, Pay) act by the rules; drafts (Faucet, Start, Sale …) may also break
// them.
package ledgertest

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// Clock is a clock that only tests move.
type Clock struct {
	Reading func() // called when the time is read; nil for nothing. No other goroutine may read it then
	ms      atomic.Int64
}

// NewClock returns a clock set to 12:00 UTC on 1 May 2026.
func NewClock() *Clock {
	c := new(Clock)
	c.Set(time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC))
	return c
}

// Now returns the time of the clock, in whole milliseconds.
func (c *Clock) Now() time.Time {
	if c.Reading != nil {
		c.Reading()
	}
	return time.UnixMilli(c.ms.Load()).UTC()
}

// Add moves the clock forward, or back for d below 0.
func (c *Clock) Add(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// Set sets the clock to t.
func (c *Clock) Set(t time.Time) { c.ms.Store(t.UnixMilli()) }

// Key is the key of a log.
type Key struct {
	Signer   note.Signer
	Verifier string // the public half
}

// NewKey generates a key for a chain of a name.
func NewKey(t testing.TB, name string) Key {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return Key{signer, public}
}

// Rules returns the rules of the service.
func Rules() chain.Rules {
	r := chain.Rules{BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FreePerDay: 1000, MarketFeeBPS: 250,
		StartingBalance: 1000}
	for k := range 16 {
		r.Tiers = append(r.Tiers, chain.Tier{Material: fmt.Sprint("Material ", k+1), Value: 48 << (k + 1)})
	}
	return r
}

// Options configure a ledger. Zero fields get defaults.
type Options struct {
	DB    store.Config // a new database unless it has a path or URL; with a HostClock it is dated by that
	Rules *chain.Rules
	Key   Key
	Clock *Clock
	Now   func() time.Time // replaces Clock.Now
	Log   io.Writer        // discarded when nil
	File  *ledger.HeadFile // nil for none
	// Witnesses are names of witnesses. Quorum of them must have cosigned a checkpoint that is kept, 0 without any.
	Witnesses []string
	Quorum    int
}

// Ledger is an open ledger with its configuration.
type Ledger struct {
	*ledger.Ledger
	DB       *store.DB
	Auditor  *audit.Auditor
	Clock    *Clock
	Key      Key
	Location store.Config  // of the database
	made     atomic.Uint64 // number of hashes and ids so far
	played   *played
}

// Open opens a ledger. It closes the database when t ends.
func Open(t testing.TB, o Options) *Ledger {
	t.Helper()
	l, err := TryOpen(t, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TryOpen is Open, but returns the error of ledger.Open.
func TryOpen(t testing.TB, o Options) (*Ledger, error) {
	t.Helper()
	if o.DB.Path == "" && o.DB.URL == "" {
		o.DB = storetest.At(storetest.New(t), o.DB)
	}
	o.DB = storetest.At(o.DB, o.DB)
	if o.Clock == nil {
		o.Clock = NewClock()
	}
	if o.Key.Signer == nil {
		o.Key = NewKey(t, "roshambo-test")
	}
	if o.Now == nil {
		o.Now = o.Clock.Now
	}
	if o.DB.HostClock == nil {
		o.DB.Now = o.Now
	}
	rules := Rules()
	if o.Rules != nil {
		rules = *o.Rules
	}
	logger := slog.New(slog.DiscardHandler)
	if o.Log != nil {
		logger = slog.New(slog.NewTextHandler(o.Log, nil))
	}
	d, err := storetest.TryOpen(t.Context(), o.DB)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if o.DB.HostClock != nil {
		o.Now = d.Now
	}
	// Their names are enough: the keys follow from them.
	var witnesses []string
	for _, name := range o.Witnesses {
		_, key := witnessKey(t, name)
		witnesses = append(witnesses, key)
	}
	l, err := ledger.Open(t.Context(), ledger.Config{
		DB: d, Rules: rules, Signer: o.Key.Signer, VerifierKey: o.Key.Verifier, File: o.File, Now: o.Now,
		Logger: logger, Witnesses: witnesses, Quorum: o.Quorum,
	})
	return &Ledger{
		Ledger: l, DB: d, Auditor: audit.New(d, o.Key.Verifier, o.Now), Clock: o.Clock, Key: o.Key,
		Location: o.DB, played: newPlayed(),
	}, err
}

// Reopen closes the database and opens a ledger on it, with the same clock and, unless o has
// one, the same key.
func (l *Ledger) Reopen(t testing.TB, o Options) (*Ledger, error) {
	t.Helper()
	l.Close(t)
	o.DB, o.Clock = storetest.At(l.Location, o.DB), l.Clock
	if o.Key.Signer == nil {
		o.Key = l.Key
	}
	again, err := TryOpen(t, o)
	again.made.Store(l.made.Load())
	again.played = l.played
	return again, err
}

// Close closes the database before the test ends.
func (l *Ledger) Close(t testing.TB) {
	t.Helper()
	if err := l.DB.Close(); err != nil {
		t.Fatal(err)
	}
}

// Update runs fn in store.Update, and fails the test on error.
func (l *Ledger) Update(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := l.DB.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// View runs fn in store.View, and fails the test on error.
func (l *Ledger) View(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := l.DB.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// MustPost posts a draft in a database transaction of its own.
func (l *Ledger) MustPost(t testing.TB, d ledger.Draft) (p ledger.Posted) {
	t.Helper()
	l.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		p, err = l.Post(ctx, tx, d)
		return err
	})
	return p
}

// SealAll makes blocks until nothing is pending, and returns the number of sealed transactions.
func (l *Ledger) SealAll(t testing.TB) (sealed int) {
	t.Helper()
	for {
		n, err := l.SealBlock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return sealed
		}
		sealed += n
	}
}

// Verify audits the tables, as Auditor does.
func (l *Ledger) Verify(ctx context.Context) (audit.Verification, error) {
	return l.Auditor.Verify(ctx)
}

// WantValid audits the tables and fails the test with every difference.
func (l *Ledger) WantValid(t testing.TB) audit.Verification {
	t.Helper()
	v, err := l.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Problems {
		t.Errorf("verify: height %d %s: %s: expected %s, found %s", p.Height, p.Hash, p.What, p.Expected, p.Found)
	}
	return v
}
