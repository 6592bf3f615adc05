package account_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/vault"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// cachedFixture is a fixture whose cache holds a guest's session, key and bot key.
type cachedFixture struct {
	*fixture
	opened account.Opened    // the guest
	key    account.KeySecret // of the guest
	keyID  int64
	bot    account.BotInfo   // of the guest
	botKey account.KeySecret // of the bot
}

func newCachedFixture(t *testing.T) *cachedFixture {
	t.Helper()
	d := newFixture(t, ledgertest.Options{})
	var err error
	if d.Vault, err = vault.New(make([]byte, 32), "test"); err != nil {
		t.Fatal(err)
	}
	d.Links = account.NewLinks(d.Service, nil)
	r := &cachedFixture{fixture: d, opened: d.guest(t)}
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		k, secret, err := d.CreateKey(ctx, tx, r.opened.Account.Address, "a key", account.AllScopes)
		if err != nil {
			return err
		}
		r.key, r.keyID = secret, k.ID
		r.bot, r.botKey, err = d.CreateBot(ctx, tx, r.opened.Account.Address, "a-bot", account.FreeStart)
		return err
	})
	for _, secret := range []account.KeySecret{r.key, r.botKey} {
		use, err := d.LookUpKey(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		// A stale key is not cached.
		d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.TouchKey(ctx, tx, use.ID) })
	}
	r.check(t, true, true, true)
	return r
}

// check checks whether the session, the key and the bot's key are let in as expected, and
// that a cached account equals the stored one.
func (r *cachedFixture) check(t *testing.T, session, key, bot bool) {
	t.Helper()
	got, err := r.LookUpSession(t.Context(), r.opened.Token)
	if (err == nil) != session || err != nil && !errors.Is(err, account.ErrNoSession) {
		t.Errorf("session: error %v, want let in: %v", err, session)
	}
	if err == nil {
		r.View(t, func(ctx context.Context, tx *store.Tx) error {
			if now, err := r.Get(ctx, tx, got.Account.Address); err != nil || now != got.Account {
				t.Errorf("session's account is %+v, stored is %+v, error %v", got.Account, now, err)
			}
			return nil
		})
	}
	for secret, want := range map[account.KeySecret]bool{r.key: key, r.botKey: bot} {
		_, err := r.LookUpKey(t.Context(), secret)
		if (err == nil) != want || err != nil && !errors.Is(err, account.ErrNoSession) {
			t.Errorf("key %.4s: error %v, want let in: %v", secret, err, want)
		}
	}
}

// TestInvalidation checks that the next request after a change sees the change: it is
// refused if its session or key has ended, and gets the changed account otherwise.
func TestInvalidation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do                 func(ctx context.Context, tx *store.Tx, r *cachedFixture) error
		session, key, bots bool // still let in
	}{
		"logout": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			return r.EndSession(ctx, tx, r.opened.Token)
		}, false, true, true},
		"session ended by its account": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			list, err := r.Sessions(ctx, tx, r.opened.Account.Address, r.opened.Token)
			if err != nil {
				return err
			}
			return r.EndSessionByID(ctx, tx, r.opened.Account.Address, list[0].ID)
		}, false, true, true},
		"registered": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			_, err := r.Register(ctx, tx, account.RegisterOptions{
				Username: "registered", Password: "$", Guest: &r.opened.Account.Address, Token: r.opened.Token})
			return err
		}, false, false, true},
		"registered, with the key kept": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			_, err := r.Register(ctx, tx, account.RegisterOptions{Username: "registered", Password: "$",
				Guest: &r.opened.Account.Address, Token: r.opened.Token, KeepKeys: []int64{r.keyID}})
			return err
		}, false, true, true},
		"signed in by the same browser": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			_, err := r.SignIn(ctx, tx, r.opened.Account.Address, r.opened.Token, "")
			return err
		}, false, true, true},
		"signed in elsewhere, a hundred times": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			for range 100 {
				r.Clock.Add(time.Millisecond)
				if _, err := r.SignIn(ctx, tx, r.opened.Account.Address, account.SessionToken{}, ""); err != nil {
					return err
				}
			}
			return nil
		}, false, true, true},
		"renamed": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			_, err := r.Rename(ctx, tx, r.opened.Account.Address, "renamed")
			return err
		}, true, true, true},
		"key revoked": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			return r.RevokeKey(ctx, tx, r.opened.Account.Address, r.keyID)
		}, true, false, true},
		"bot's key rotated": {func(ctx context.Context, tx *store.Tx, r *cachedFixture) error {
			_, _, err := r.RotateBotKey(ctx, tx, r.opened.Account.Address, r.bot.Account.Address)
			return err
		}, true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newCachedFixture(t)
			r.Update(t, func(ctx context.Context, tx *store.Tx) error { return tt.do(ctx, tx, r) })
			r.check(t, tt.session, tt.key, tt.bots)
		})
	}
}

// TestInvalidationInSteps is TestInvalidation for changes that take more than one
// transaction.
func TestInvalidationInSteps(t *testing.T) {
	t.Parallel()
	t.Run("faucet", func(t *testing.T) {
		t.Parallel()
		r := newCachedFixture(t)
		r.Faucet.Below = 1 << 30
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, _, err := r.Service.ClaimFaucet(ctx, tx, r.opened.Account.Address)
			return err
		})
		r.check(t, true, true, true)
	})
	t.Run("link redeemed elsewhere", func(t *testing.T) {
		t.Parallel()
		r := newCachedFixture(t)
		mailbox := &mailbox{}
		r.Links.Mailer = mailbox
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return r.RequestLink(ctx, tx, account.LinkRequest{Email: "ann@example.org", Requester: &r.opened.Account.Address})
		})
		if err := r.Links.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Redeem(ctx, tx, account.RedeemOptions{Token: account.ParseLink(mailbox.token(t))})
			return err
		})
		r.check(t, false, false, false)
	})
}

// mailbox is a Mailer that stores the text of the last mail.
type mailbox struct{ text string }

func (m *mailbox) Send(_ context.Context, _, _, text string) error {
	m.text = text
	return nil
}

func (m *mailbox) token(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`/link#(\S+)`).FindStringSubmatch(m.text)
	if found == nil {
		t.Fatalf("no link in %q", m.text)
	}
	return found[1]
}

// TestOutdatedLookupIsNotCached checks that a lookup that reads before the end of a session
// or key, and returns after it, is not cached.
func TestOutdatedLookupIsNotCached(t *testing.T) {
	t.Parallel()
	// The test counts the reads of the clock, so views must not be retried.
	d := newFixture(t, ledgertest.Options{DB: store.Config{Faults: storetest.ViewsOnce()}})
	opened := d.guest(t)
	var secret account.KeySecret
	var id int64
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		k, s, err := d.CreateKey(ctx, tx, opened.Account.Address, "a key", account.AllScopes)
		if err != nil {
			return err
		}
		secret, id = s, k.ID
		return d.TouchKey(ctx, tx, id)
	})
	var duringLookup func()
	reads := 0
	d.Now = func() time.Time {
		if reads++; reads == 2 && duringLookup != nil { // a lookup reads the clock again after its row
			fn := duringLookup
			duringLookup = nil
			fn()
		}
		return d.Clock.Now()
	}
	d.Invalidate("") // the new session is cached
	reads, duringLookup = 0, func() {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.EndSession(ctx, tx, opened.Token) })
	}
	if _, err := d.LookUpSession(t.Context(), opened.Token); err != nil || duringLookup != nil {
		t.Fatalf("the session did not end during the lookup: error %v", err)
	}
	if _, err := d.LookUpSession(t.Context(), opened.Token); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("ended session: error %v, want ErrNoSession", err)
	}
	reads, duringLookup = 0, func() {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return d.RevokeKey(ctx, tx, opened.Account.Address, id)
		})
	}
	if _, err := d.LookUpKey(t.Context(), secret); err != nil || duringLookup != nil {
		t.Fatalf("the key was not revoked during the lookup: error %v", err)
	}
	if _, err := d.LookUpKey(t.Context(), secret); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("revoked key: error %v, want ErrNoSession", err)
	}
}

// TestEndDuringLookups looks up a session from several goroutines while it ends. No lookup
// that begins after the end was acknowledged succeeds.
func TestEndDuringLookups(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		opened := d.guest(t)
		var ended atomic.Bool
		var lookups atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for after := 0; after < 3; {
					over := ended.Load()
					_, err := d.LookUpSession(t.Context(), opened.Token)
					lookups.Add(1)
					if over {
						after++
					}
					if over && !errors.Is(err, account.ErrNoSession) || err != nil && !errors.Is(err, account.ErrNoSession) {
						t.Errorf("ended: %v, error %v", over, err)
						return
					}
				}
			})
		}
		for lookups.Load() < 20 { // until the session is cached and in use
			if _, err := d.LookUpSession(t.Context(), opened.Token); err != nil {
				t.Fatal(err)
			}
		}
		d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.EndSession(ctx, tx, opened.Token) })
		ended.Store(true)
		all.Wait()
	}
}

// in reports whether the guest's session is let in.
func (r *cachedFixture) in(t *testing.T) bool {
	t.Helper()
	_, err := r.LookUpSession(t.Context(), r.opened.Token)
	return err == nil
}

// endElsewhere ends all sessions as another node does whose invalidation is lost.
func (r *cachedFixture) endElsewhere(t *testing.T) {
	t.Helper()
	r.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM session")
		return err
	})
}

// TestConnected checks that a connected node caches for longer, until it loses the
// connection.
func TestConnected(t *testing.T) {
	t.Parallel()
	r := newCachedFixture(t)
	connected := true
	r.CacheTTL, r.ConnectedCacheTTL, r.Connected = time.Second, 10*time.Second, func() bool { return connected }
	r.Invalidate("")
	if !r.in(t) {
		t.Error("not let in")
	}
	r.endElsewhere(t)
	connected = false
	if r.Clock.Add(r.CacheTTL - time.Millisecond); !r.in(t) {
		t.Error("disconnected, before CacheTTL: not cached")
	}
	if r.Clock.Add(time.Millisecond); r.in(t) {
		t.Error("disconnected, after CacheTTL: still cached")
	}
	if connected = true; r.in(t) {
		t.Error("let in again after the database had refused it")
	}
	opened := r.guest(t)
	r.opened.Token = opened.Token
	if !r.in(t) {
		t.Error("not let in")
	}
	r.endElsewhere(t)
	connected = false
	r.Clock.Add(r.CacheTTL)
	if connected = true; !r.in(t) {
		t.Error("connected again without a lost invalidation: not cached")
	}
	if r.Clock.Add(r.ConnectedCacheTTL - r.CacheTTL - time.Millisecond); !r.in(t) {
		t.Error("connected, before ConnectedCacheTTL: not cached")
	}
	if r.Clock.Add(time.Millisecond); r.in(t) {
		t.Error("connected, after ConnectedCacheTTL: still cached")
	}
}

// TestCacheTTL checks that an end on another node takes effect after CacheTTL, the expiry
// of a session at its time, and that a clock that is set back extends nothing.
func TestCacheTTL(t *testing.T) {
	t.Parallel()
	t.Run("ended elsewhere", func(t *testing.T) {
		t.Parallel()
		r := newCachedFixture(t)
		r.endElsewhere(t)
		if r.Clock.Add(r.CacheTTL - time.Millisecond); !r.in(t) {
			t.Error("before CacheTTL: not cached")
		}
		if r.Clock.Add(time.Millisecond); r.in(t) {
			t.Error("after CacheTTL: still cached")
		}
	})
	t.Run("clock set back", func(t *testing.T) {
		t.Parallel()
		r := newCachedFixture(t)
		r.endElsewhere(t)
		if r.Clock.Add(-time.Millisecond); r.in(t) {
			t.Error("an entry from the future is used")
		}
	})
	t.Run("expired", func(t *testing.T) {
		t.Parallel()
		r := newCachedFixture(t)
		seen := r.Clock.Now()
		for r.Clock.Now().Sub(seen) < account.SessionMax-time.Second {
			r.Clock.Add(24 * time.Hour)
			r.Clock.Set(time.UnixMilli(min(r.Clock.Now().UnixMilli(), seen.Add(account.SessionMax-time.Second).UnixMilli())))
			r.Update(t, func(ctx context.Context, tx *store.Tx) error { return r.TouchSession(ctx, tx, r.opened.Token) })
		}
		if !r.in(t) {
			t.Error("refused before SessionMax")
		}
		if r.Clock.Add(2 * time.Second); r.in(t) {
			t.Error("let in after SessionMax")
		}
	})
	t.Run("no cache", func(t *testing.T) {
		t.Parallel()
		r := newCachedFixture(t)
		r.CacheTTL = 0
		r.Clock.Add(time.Minute)
		if !r.in(t) {
			t.Error("not let in")
		}
		if r.endElsewhere(t); r.in(t) {
			t.Error("cached with a CacheTTL of 0")
		}
	})
}

// TestEndOneOfSeveral ends several sessions one by one: each end affects that session only.
func TestEndOneOfSeveral(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	var tokens []account.SessionToken
	for range 3 {
		tokens = append(tokens, d.guest(t).Token)
	}
	for i, token := range tokens {
		if _, err := d.LookUpSession(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.EndSession(ctx, tx, token) })
		for j, other := range tokens {
			if _, err := d.LookUpSession(t.Context(), other); (err == nil) != (j > i) {
				t.Errorf("session %d after the end of %d: error %v", j, i+1, err)
			}
		}
	}
}

// TestInvalidating checks that every function that runs a statement which ends or changes
// cached callers also calls an invalidate function.
func TestInvalidating(t *testing.T) {
	t.Parallel()
	queries, err := os.ReadFile("queries.sql")
	if err != nil {
		t.Fatal(err)
	}
	changing := regexp.MustCompile(
		`(?m)^(UPDATE (account|api_key|session|bot)|DELETE FROM (account|api_key|session|bot))\b`)
	changes := map[string]bool{}
	for text := range strings.SplitSeq(string(queries), "-- name: ") {
		name, _, _ := strings.Cut(text, " ")
		if changing.MatchString(text) {
			changes[name] = true
		}
	}
	// These change nothing that is cached: a last-use time, expired sessions, nothing at all.
	for _, harmless := range []string{"TouchSession", "TouchKey", "DeleteStaleSessions", "LockAccount"} {
		if !changes[harmless] {
			t.Errorf("query %s does not exist", harmless)
		}
		delete(changes, harmless)
	}
	if len(changes) < 8 {
		t.Errorf("the search finds only %v", changes)
	}
	noTests := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	sources, err := parser.ParseDir(token.NewFileSet(), ".", noTests, 0) //nolint:staticcheck // types are not needed
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, source := range sources {
		ast.Inspect(source, func(n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			if !ok {
				return true
			}
			invalidates, change := false, ""
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					invalidates = invalidates || strings.HasPrefix(s.Sel.Name, "invalidate")
					if changes[s.Sel.Name] {
						change, called[s.Sel.Name] = s.Sel.Name, true
					}
				}
				return true
			})
			if change != "" && !invalidates {
				t.Errorf("%s calls %s and invalidates nothing", f.Name.Name, change)
			}
			return false
		})
	}
	if len(called) != len(changes) {
		t.Errorf("of the queries %v only %v are called", changes, called)
	}
}

// TestLookUpUnknown checks that an unknown secret is refused, also when it is repeated.
func TestLookUpUnknown(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	unknown := []string{
		"", "x", "a-secret-that-was-never-issued", strings.Repeat("A", 43), "rsk_" + strings.Repeat("A", 43),
	}
	for _, secret := range unknown {
		for range 2 {
			session, _ := account.ParseSession(secret)
			key, _ := account.ParseKey(secret)
			_, errSession := d.LookUpSession(t.Context(), session)
			_, errKey := d.LookUpKey(t.Context(), key)
			if !errors.Is(errSession, account.ErrNoSession) || !errors.Is(errKey, account.ErrNoSession) {
				t.Errorf("%q: errors %v and %v, want ErrNoSession twice", secret, errSession, errKey)
			}
		}
	}
}

// TestKeyIsCached checks that a key is read on each request until its use was recorded, which is
// due then, and that it is cached afterwards, until its next use is to be recorded.
func TestKeyIsCached(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	d := newFixture(t, ledgertest.Options{DB: store.Config{Faults: &store.Faults{
		Statement: func(string) error { reads.Add(1); return nil },
		ViewTwice: func() bool { return false },
	}}})
	d.CacheTTL = 2 * time.Minute
	a := d.guest(t).Account.Address
	var secret account.KeySecret
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		_, secret, err = d.CreateKey(ctx, tx, a, "a key", account.ScopeRead)
		return err
	})
	use := func(step string, stale bool, want int64) {
		t.Helper()
		before := reads.Load()
		k, err := d.LookUpKey(t.Context(), secret)
		if n := reads.Load() - before; err != nil || k.Account.Address != a || k.Scopes != account.ScopeRead ||
			k.Stale != stale ||
			n != want {
			t.Errorf("%s: %+v with %d statements, error %v; want stale %v with %d", step, k, n, err, stale, want)
		}
		if k.Stale {
			return
		}
		if _, err := d.LookUpKey(t.Context(), account.BotKey([32]byte{1})); !errors.Is(err, account.ErrNoSession) {
			t.Errorf("%s: an unknown key: error %v", step, err)
		}
	}
	touch := func() {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error {
			k, err := d.LoadKey(ctx, tx, secret)
			if err != nil {
				return err
			}
			return d.TouchKey(ctx, tx, k.ID)
		})
	}
	use("new", true, 1)
	use("new, again", true, 1)
	touch()
	use("touched", false, 1)
	use("cached", false, 0)
	d.Clock.Add(time.Minute + time.Millisecond)
	use("a minute later", true, 1)
	touch()
	use("touched again", false, 1)
	use("cached again", false, 0)
}
