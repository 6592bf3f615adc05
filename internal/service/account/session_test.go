package account_test

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// decode returns the secret bytes of a token.
func decode(t testing.TB, token string) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != 32 {
		t.Fatalf("token %q: %d bytes, error %v", token, len(b), err)
	}
	return string(b)
}

// session loads the session of a token.
func (d *fixture) session(t testing.TB, token account.SessionToken) (s account.Caller, err error) {
	t.Helper()
	err = d.Ledger.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		s, err = d.Authorise(ctx, tx, account.Credential{Session: token})
		return err
	})
	return s, err
}

func (d *fixture) touch(t testing.TB, token account.SessionToken) {
	t.Helper()
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.TouchSession(ctx, tx, token) })
}

func (d *fixture) dropStale(t testing.TB) (dropped int64) {
	t.Helper()
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		dropped, err = d.DropStaleSessions(ctx, tx)
		return err
	})
	return dropped
}

// TestWrongTokens checks that only an exact, issued token opens a session.
func TestWrongTokens(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	token := d.guest(t).Token
	issued := token.Text()
	other := []byte(issued)
	other[4] ^= 1
	for _, wrong := range []string{
		"", "x", issued + "=", issued + "x", issued[:46], issued[4:], " " + issued[1:], string(other),
		strings.Repeat("A", 43), strings.ToLower(issued) + "\x00", strings.Repeat("'", 43),
		strings.Repeat("\x00", 43), account.CSRFToken(token).Text(), "rsk_" + issued[4:],
	} {
		parsed, _ := account.ParseSession(wrong)
		if s, err := d.session(t, parsed); !errors.Is(err, account.ErrNoSession) {
			t.Errorf("%q opens %+v, error %v, want ErrNoSession", wrong, s, err)
		}
	}
	if _, err := d.session(t, token); err != nil {
		t.Error(err)
	}
}

// TestIdleSession checks that a session ends after exactly 30 days without use; that use
// restarts the period, and is recorded once an hour.
func TestIdleSession(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	token := d.guest(t).Token
	for _, tt := range []struct {
		wait  time.Duration
		stale bool
	}{{0, false}, {time.Hour, false}, {time.Millisecond, true}, {account.SessionIdle - time.Hour - time.Millisecond,
		true}} {
		d.Clock.Add(tt.wait)
		if s, err := d.session(t, token); err != nil || s.Stale != tt.stale {
			t.Errorf("after %v more: stale %v, error %v", tt.wait, s.Stale, err)
		}
	}
	d.touch(t, token)
	if s, err := d.session(t, token); err != nil || s.Stale {
		t.Errorf("used: stale %v, error %v", s.Stale, err)
	}
	d.Clock.Add(-time.Hour)
	d.touch(t, token) // a clock that is set back does not set the last use back
	d.Clock.Add(time.Hour + account.SessionIdle)
	if n := d.dropStale(t); n != 0 {
		t.Errorf("%d active sessions dropped", n)
	}
	if _, err := d.session(t, token); err != nil {
		t.Errorf("after 30 days: %v", err)
	}
	d.Clock.Add(time.Millisecond)
	if _, err := d.session(t, token); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("after more than 30 days: error %v", err)
	}
	if n := d.dropStale(t); n != 1 {
		t.Errorf("%d sessions dropped, want 1", n)
	}
}

// TestOldSession checks that a session ends after 90 days, however often it is used.
func TestOldSession(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	token := d.guest(t).Token
	for range 9 {
		d.Clock.Add(10 * 24 * time.Hour)
		d.touch(t, token)
	}
	if _, err := d.session(t, token); err != nil || d.dropStale(t) != 0 {
		t.Errorf("after 90 days: %v", err)
	}
	d.Clock.Add(time.Millisecond)
	if _, err := d.session(t, token); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("after more than 90 days: error %v", err)
	}
	d.touch(t, token) // does not extend it
	if n := d.dropStale(t); n != 1 {
		t.Errorf("%d sessions dropped, want 1", n)
	}
}

// TestEndSession checks that an ended session stays ended, and that the other sessions of
// the account and of other accounts stay active.
func TestEndSession(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann, bob := d.guest(t), d.guest(t)
	var second account.Opened
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		second, err = d.SignIn(ctx, tx, ann.Account.Address, account.SessionToken{}, "another browser")
		return err
	})
	list := d.sessions(t, ann.Account.Address, ann.Token)
	if len(list) != 2 || list[0].Current == list[1].Current {
		t.Fatalf("sessions %+v", list)
	}
	for _, info := range list {
		err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
			return d.EndSessionByID(ctx, tx, bob.Account.Address, info.ID)
		})
		if !errors.Is(err, account.ErrNotFound) {
			t.Errorf("bob ends ann's session: error %v", err)
		}
	}
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.Service.EndSession(ctx, tx, ann.Token) })
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.Service.EndSession(ctx, tx, ann.Token) }) // again
	for token, alive := range map[account.SessionToken]bool{ann.Token: false, second.Token: true, bob.Token: true} {
		if _, err := d.session(t, token); (err == nil) != alive {
			t.Errorf("want active: %v, error %v", alive, err)
		}
	}
	d.touch(t, ann.Token)
	if _, err := d.session(t, ann.Token); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("touched after its end: error %v", err)
	}
}

func (d *fixture) sessions(t testing.TB, who chain.Address, token account.SessionToken) (list []account.SessionInfo) {
	t.Helper()
	d.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		list, err = d.Sessions(ctx, tx, who, token)
		return err
	})
	return list
}

// TestCSRF checks that a CSRF token is valid for its own session only.
func TestCSRF(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann, bob := d.guest(t).Token, d.guest(t).Token
	right := account.CSRFToken(ann)
	if !account.ValidCSRF(ann, right) || account.CSRFToken(ann) != right {
		t.Error("the right token is refused")
	}
	text := right.Text()
	for _, wrong := range []string{"", ann.Text(), text[1:], text + "x", " " + text, strings.ToUpper(text),
		account.CSRFToken(bob).Text(), account.CSRFToken(account.SessionToken{}).Text()} {
		if account.ValidCSRF(ann, account.ParseCSRF(wrong)) {
			t.Errorf("%q is accepted in place of %q", wrong, text)
		}
	}
	if strings.Contains(text, ann.Text()[4:]) || len(text) != 47 {
		t.Errorf("the CSRF token %q reveals the session token", text)
	}
}

// TestLongUserAgent checks that a browser's name is stored in at most 200 bytes of valid UTF-8.
func TestLongUserAgent(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	a := d.guest(t)
	for sent, stored := range map[string]string{
		strings.Repeat("a", 199) + "bc":     strings.Repeat("a", 199) + "b",
		strings.Repeat("a", 199) + "\u00e9": strings.Repeat("a", 199),
		"\xffa":                             "a",
	} {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := d.SignIn(ctx, tx, a.Account.Address, a.Token, sent)
			return err
		})
		var agents []string
		for _, info := range d.sessions(t, a.Account.Address, account.SessionToken{}) {
			agents = append(agents, info.Agent)
		}
		if !slices.Contains(agents, stored) {
			t.Errorf("%q is stored as one of %q, want %q", sent, agents, stored)
		}
	}
}

// TestGuestHasNotSignedIn checks that the browser for which a guest was opened has proved nothing:
// it may not add ways to sign in as after signing in.
func TestGuestHasNotSignedIn(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	a := d.guest(t)
	err := d.Authorized(t.Context(), a.Account.Address, account.Proof{Token: a.Token})
	if !errors.Is(err, account.ErrSignInRequired) {
		t.Errorf("a new guest is authorized: error %v, want %v", err, account.ErrSignInRequired)
	}
}

// TestLastSeen checks that keys which were never used tell no time.
func TestLastSeen(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	a := d.guest(t)
	d.View(t, func(ctx context.Context, tx *store.Tx) error {
		seen, err := d.LastSeen(ctx, tx, a.Account.Address)
		if seen != nil {
			t.Errorf("last use %v of no key", seen)
		}
		return err
	})
}
