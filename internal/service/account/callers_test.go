package account_test

import (
	"context"
	"errors"
	"fmt"
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

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/vault"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// remembered is a door at which somebody was looked up just now.
type remembered struct {
	*door
	opened account.Opened // a guest
	key    string         // of the guest
	keyID  int64
	bot    account.BotInfo // of the guest
	botKey string
}

func newRemembered(t *testing.T) *remembered {
	t.Helper()
	d := newDoor(t, ledgertest.Options{})
	var err error
	if d.Vault, err = vault.New(make([]byte, 32), "test"); err != nil {
		t.Fatal(err)
	}
	d.Links = account.NewLinks(d.Service, nil)
	r := &remembered{door: d, opened: d.guest(t)}
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		k, secret, err := d.NewKey(ctx, tx, r.opened.Account.Address, "a key")
		if err != nil {
			return err
		}
		r.key, r.keyID = secret, k.ID
		r.bot, r.botKey, err = d.NewBot(ctx, tx, r.opened.Account.Address, "a-bot")
		return err
	})
	for _, secret := range []string{r.key, r.botKey} {
		use, err := d.LookUpKey(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.TouchKey(ctx, tx, use.ID) }) // stale ones are not remembered
	}
	r.want(t, true, true, true)
	return r
}

// want checks who is let in, and whether that is what the database says.
func (r *remembered) want(t *testing.T, session, key, bot bool) {
	t.Helper()
	got, err := r.LookUpSession(t.Context(), r.opened.Token)
	if (err == nil) != session || err != nil && !errors.Is(err, account.ErrNoSession) {
		t.Errorf("session: %v, want let in %v", err, session)
	}
	if err == nil {
		r.View(t, func(ctx context.Context, tx *store.Tx) error {
			if now, err := r.Get(ctx, tx, got.Account.Address); err != nil || now != got.Account {
				t.Errorf("session is %+v, the account %+v, error %v", got.Account, now, err)
			}
			return nil
		})
	}
	for secret, want := range map[string]bool{r.key: key, r.botKey: bot} {
		if _, err := r.LookUpKey(t.Context(), secret); (err == nil) != want || err != nil && !errors.Is(err, account.ErrNoSession) {
			t.Errorf("key %.4s: %v, want let in %v", secret, err, want)
		}
	}
}

// TestForgotten: what ends, or changes an account, is heard of by the very next request.
func TestForgotten(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do                 func(ctx context.Context, tx *store.Tx, r *remembered) error
		session, key, bots bool // who is still let in
	}{
		"logout": {func(ctx context.Context, tx *store.Tx, r *remembered) error {
			return r.EndSession(ctx, tx, r.opened.Token)
		}, false, true, true},
		"session ended by its account": {func(ctx context.Context, tx *store.Tx, r *remembered) error {
			list, err := r.Sessions(ctx, tx, r.opened.Account.Address, r.opened.Token)
			if err != nil {
				return err
			}
			return r.EndSessionByID(ctx, tx, r.opened.Account.Address, list[0].ID)
		}, false, true, true},
		"registered": {func(ctx context.Context, tx *store.Tx, r *remembered) error {
			_, err := r.Register(ctx, tx, account.RegisterOptions{
				Username: "registered", Password: "$", Guest: &r.opened.Account.Address, Token: r.opened.Token})
			return err
		}, false, true, true},
		"signed in by the same browser": {func(ctx context.Context, tx *store.Tx, r *remembered) error {
			_, err := r.SignIn(ctx, tx, r.opened.Account.Address, r.opened.Token, "")
			return err
		}, false, true, true},
		"signed in elsewhere, a hundred times": {func(ctx context.Context, tx *store.Tx, r *remembered) error {
			for range 100 {
				r.Clock.Add(time.Millisecond)
				if _, err := r.SignIn(ctx, tx, r.opened.Account.Address, "", ""); err != nil {
					return err
				}
			}
			return nil
		}, false, true, true},
		"renamed": {func(ctx context.Context, tx *store.Tx, r *remembered) error {
			_, err := r.Rename(ctx, tx, r.opened.Account.Address, "renamed")
			return err
		}, true, true, true},
		"key revoked": {func(ctx context.Context, tx *store.Tx, r *remembered) error {
			return r.Revoke(ctx, tx, r.opened.Account.Address, r.keyID)
		}, true, false, true},
		"bot's key rotated": {func(ctx context.Context, tx *store.Tx, r *remembered) error {
			_, _, err := r.RotateBotKey(ctx, tx, r.opened.Account.Address, r.bot.Account.Address)
			return err
		}, true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRemembered(t)
			r.Update(t, func(ctx context.Context, tx *store.Tx) error { return tt.do(ctx, tx, r) })
			r.want(t, tt.session, tt.key, tt.bots)
		})
	}
}

// TestForgottenOtherwise: the same for what needs more than one transaction.
func TestForgottenOtherwise(t *testing.T) {
	t.Parallel()
	t.Run("faucet", func(t *testing.T) {
		t.Parallel()
		r := newRemembered(t)
		r.Faucet.Below = 1 << 30
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, _, err := r.Service.Drip(ctx, tx, r.opened.Account.Address)
			return err
		})
		r.want(t, true, true, true)
	})
	t.Run("link redeemed elsewhere", func(t *testing.T) {
		t.Parallel()
		r := newRemembered(t)
		mailbox := &mailbox{}
		r.Links.Mailer = mailbox
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return r.RequestLink(ctx, tx, "ann@example.org", &r.opened.Account.Address)
		})
		if err := r.Links.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Redeem(ctx, tx, account.RedeemOptions{Token: mailbox.token(t)})
			return err
		})
		r.want(t, false, false, false)
	})
}

// mailbox keeps the last mail.
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

// TestNotRemembered: a lookup that read before a session or key ended, and comes back
// after it, is not remembered.
func TestNotRemembered(t *testing.T) {
	t.Parallel()
	d := newDoor(t, ledgertest.Options{DB: store.Config{Faults: storetest.ViewsOnce()}}) // as it counts how often the time is asked for
	opened := d.guest(t)
	var secret string
	var id int64
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		k, s, err := d.NewKey(ctx, tx, opened.Account.Address, "a key")
		if err != nil {
			return err
		}
		secret, id = s, k.ID
		return d.TouchKey(ctx, tx, id)
	})
	var meanwhile func()
	asked := 0
	d.Now = func() time.Time {
		if asked++; asked == 2 && meanwhile != nil { // a lookup asks again once it has read its row
			fn := meanwhile
			meanwhile = nil
			fn()
		}
		return d.Clock.Now()
	}
	asked, meanwhile = 0, func() {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.EndSession(ctx, tx, opened.Token) })
	}
	if _, err := d.LookUpSession(t.Context(), opened.Token); err != nil || meanwhile != nil {
		t.Fatalf("the session has not ended while it was looked up, but before: error %v", err)
	}
	if _, err := d.LookUpSession(t.Context(), opened.Token); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("the session has ended, and is let in: error %v", err)
	}
	asked, meanwhile = 0, func() {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.Revoke(ctx, tx, opened.Account.Address, id) })
	}
	if _, err := d.LookUpKey(t.Context(), secret); err != nil || meanwhile != nil {
		t.Fatalf("the key was not revoked while it was looked up, but before: error %v", err)
	}
	if _, err := d.LookUpKey(t.Context(), secret); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("the key was revoked, and is let in: error %v", err)
	}
}

// TestEndedWhileAsked: many ask for a session, without a pause, while it ends. Nobody
// whose lookup begins after that was answered is let in.
func TestEndedWhileAsked(t *testing.T) {
	t.Parallel()
	d := newDoor(t, ledgertest.Options{})
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		opened := d.guest(t)
		var ended atomic.Bool
		var asked atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for after := 0; after < 3; {
					over := ended.Load()
					_, err := d.LookUpSession(t.Context(), opened.Token)
					asked.Add(1)
					if over {
						after++
					}
					if over && !errors.Is(err, account.ErrNoSession) || err != nil && !errors.Is(err, account.ErrNoSession) {
						t.Errorf("ended %v, error %v", over, err)
						return
					}
				}
			})
		}
		for asked.Load() < 20 { // until it is remembered, and asked for
			if _, err := d.LookUpSession(t.Context(), opened.Token); err != nil {
				t.Fatal(err)
			}
		}
		d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.EndSession(ctx, tx, opened.Token) })
		ended.Store(true)
		all.Wait()
	}
}

// in reports whether the guest is let in.
func (r *remembered) in(t *testing.T) bool {
	t.Helper()
	_, err := r.LookUpSession(t.Context(), r.opened.Token)
	return err == nil
}

// endElsewhere ends all sessions as another node does.
func (r *remembered) endElsewhere(t *testing.T) {
	t.Helper()
	r.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM session")
		return err
	})
}

// TestHears: who hears other nodes remembers for longer, until it ceases to hear.
func TestHears(t *testing.T) {
	t.Parallel()
	r := newRemembered(t)
	hears := true
	r.Remember, r.RememberHeard, r.Hears = time.Second, 10*time.Second, func() bool { return hears }
	r.Forget("")
	if !r.in(t) {
		t.Error("not let in")
	}
	r.endElsewhere(t)
	hears = false
	if r.Clock.Add(r.Remember - time.Millisecond); !r.in(t) {
		t.Error("nothing is remembered by who does not hear")
	}
	if r.Clock.Add(time.Millisecond); r.in(t) {
		t.Error("remembered for too long by who does not hear")
	}
	if hears = true; r.in(t) {
		t.Error("let in again once the database has said no")
	}
	opened := r.guest(t)
	r.opened.Token = opened.Token
	if !r.in(t) {
		t.Error("not let in")
	}
	r.endElsewhere(t)
	hears = false
	r.Clock.Add(r.Remember)
	if hears = true; !r.in(t) {
		t.Error("forgotten by who has heard all there was, a little late")
	}
	if r.Clock.Add(r.RememberHeard - r.Remember - time.Millisecond); !r.in(t) {
		t.Error("nothing is remembered by who hears")
	}
	if r.Clock.Add(time.Millisecond); r.in(t) {
		t.Error("remembered for too long by who hears")
	}
}

// TestRememberedFor: of what ends on another node this one hears after Remember; of a
// session that ends by itself, at its end; a clock put back prolongs nothing.
func TestRememberedFor(t *testing.T) {
	t.Parallel()
	t.Run("ended elsewhere", func(t *testing.T) {
		t.Parallel()
		r := newRemembered(t)
		r.endElsewhere(t)
		if r.Clock.Add(r.Remember - time.Millisecond); !r.in(t) {
			t.Error("nothing is remembered")
		}
		if r.Clock.Add(time.Millisecond); r.in(t) {
			t.Error("remembered for too long")
		}
	})
	t.Run("clock put back", func(t *testing.T) {
		t.Parallel()
		r := newRemembered(t)
		r.endElsewhere(t)
		if r.Clock.Add(-time.Millisecond); r.in(t) {
			t.Error("remembered from the future")
		}
	})
	t.Run("over", func(t *testing.T) {
		t.Parallel()
		r := newRemembered(t)
		seen := r.Clock.Now()
		for r.Clock.Now().Sub(seen) < account.SessionMax-time.Second {
			r.Clock.Add(24 * time.Hour)
			r.Clock.Set(time.UnixMilli(min(r.Clock.Now().UnixMilli(), seen.Add(account.SessionMax-time.Second).UnixMilli())))
			r.Update(t, func(ctx context.Context, tx *store.Tx) error { return r.TouchSession(ctx, tx, r.opened.Token) })
		}
		if !r.in(t) {
			t.Error("over before its time")
		}
		if r.Clock.Add(2 * time.Second); r.in(t) {
			t.Error("not over after its time")
		}
	})
	t.Run("nothing at all", func(t *testing.T) {
		t.Parallel()
		r := newRemembered(t)
		r.Remember = 0
		r.Clock.Add(time.Minute)
		if !r.in(t) {
			t.Error("not let in")
		}
		if r.endElsewhere(t); r.in(t) {
			t.Error("remembered")
		}
	})
}

// TestManyRemembered: however many come, those remembered are bounded, and what ends is
// still heard of.
func TestManyRemembered(t *testing.T) {
	t.Parallel()
	d := newDoor(t, ledgertest.Options{})
	var tokens []string
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
				t.Errorf("session %d after %d have ended: error %v", j, i+1, err)
			}
		}
	}
}

// TestForgetting: every function that ends or changes what is remembered forgets it.
func TestForgetting(t *testing.T) {
	t.Parallel()
	queries, err := os.ReadFile("queries.sql")
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]bool{}
	for text := range strings.SplitSeq(string(queries), "-- name: ") {
		name, _, _ := strings.Cut(text, " ")
		if regexp.MustCompile(`(?m)^(UPDATE (account|api_key|session|bot)|DELETE FROM (account|api_key|session|bot))\b`).MatchString(text) {
			changes[name] = true
		}
	}
	// These change nothing that is remembered: when it was last used; what is over;
	// nothing at all.
	for _, harmless := range []string{"TouchSession", "TouchKey", "DeleteStaleSessions", "LockAccount"} {
		if !changes[harmless] {
			t.Errorf("there is no %s", harmless)
		}
		delete(changes, harmless)
	}
	if len(changes) < 8 {
		t.Errorf("found only %v: the search is wrong", changes)
	}
	sources, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // no types are needed
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
			forgets, change := false, ""
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					forgets = forgets || strings.HasPrefix(s.Sel.Name, "forget")
					if changes[s.Sel.Name] {
						change, called[s.Sel.Name] = s.Sel.Name, true
					}
				}
				return true
			})
			if change != "" && !forgets {
				t.Errorf("%s calls %s and forgets nothing", f.Name.Name, change)
			}
			return false
		})
	}
	if len(called) != len(changes) {
		t.Errorf("of %v only %v are called", changes, called)
	}
}

// TestLookUpNobody: what is no secret is nobody's, and remembered for nobody.
func TestLookUpNobody(t *testing.T) {
	t.Parallel()
	d := newDoor(t, ledgertest.Options{})
	for _, secret := range []string{"", "x", "a-secret-that-was-never-given-out", strings.Repeat("A", 43), "rsk_" + strings.Repeat("A", 43)} {
		for range 2 {
			_, errSession := d.LookUpSession(t.Context(), secret)
			_, errKey := d.LookUpKey(t.Context(), secret)
			if !errors.Is(errSession, account.ErrNoSession) || !errors.Is(errKey, account.ErrNoSession) {
				t.Errorf("%q: %v, %v", secret, errSession, errKey)
			}
		}
	}
}

// TestLimitsAtOnce: of many who make keys and bots of one account at the same time, as
// many succeed as it may have, and nobody's account has none.
func TestLimitsAtOnce(t *testing.T) {
	t.Parallel()
	d := newDoor(t, ledgertest.Options{})
	ann := d.guest(t).Account.Address
	var keys, bots atomic.Int64
	count := func(n *atomic.Int64, add func(ctx context.Context, tx *store.Tx) error) {
		switch err := d.do(t, add); {
		case err == nil:
			n.Add(1)
		case !errors.Is(err, account.ErrLimit):
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			count(&keys, func(ctx context.Context, tx *store.Tx) error { _, _, err := d.NewKey(ctx, tx, ann, "x"); return err })
			count(&bots, func(ctx context.Context, tx *store.Tx) error {
				_, _, err := d.NewBot(ctx, tx, ann, fmt.Sprint("bot-", i))
				return err
			})
		})
	}
	all.Wait()
	if keys.Load() != account.MaxKeys || bots.Load() != account.MaxBots {
		t.Errorf("%d keys and %d bots", keys.Load(), bots.Load())
	}
	if err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, _, err := d.NewKey(ctx, tx, chain.Address{1}, "x")
		return err
	}); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("a key of nobody: error %v", err)
	}
}

// TestEndedUnderMishaps: whatever happens to the commit, who has signed out is not let in
// by memory, although somebody asked while it was under way.
func TestEndedUnderMishaps(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			faults := new(ledgertest.Faults)
			d := newDoor(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
			opened := d.guest(t)
			letIn := func() bool {
				_, err := d.LookUpSession(t.Context(), opened.Token)
				if err != nil && !errors.Is(err, account.ErrNoSession) {
					t.Error(err)
				}
				return err == nil
			}
			if !letIn() {
				t.Fatal("the session is not let in")
			}
			faults.Play(m)
			err := d.Service.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				if err := d.EndSession(ctx, tx, opened.Token); err != nil {
					return err
				}
				asked := make(chan bool)
				go func() { asked <- letIn() }()
				if !<-asked {
					t.Error("the session has ended before the commit")
				}
				return nil
			})
			if errors.Is(err, store.ErrUnavailable) != m.Unavailable || err != nil && !m.Unavailable {
				t.Errorf("sign-out: error %v, want unavailable %v", err, m.Unavailable)
			}
			if got := letIn(); got == m.Stored {
				t.Errorf("let in: %v, the end is stored: %v", got, m.Stored)
			}
		})
	}
}
