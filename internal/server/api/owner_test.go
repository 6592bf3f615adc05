package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"roshambo/internal/server/api"
	"roshambo/internal/service/account"
)

const passwordPath = "/api/auth/password"

// TestPasswordOverHTTP changes a password with the current one and by a recent sign-in. A stolen
// cookie ends with the change, and guesses of the current password count as failed logins.
func TestPasswordOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	name := newName()
	p.register(t, name)
	s.clock.forward(account.RecentSignIn)
	p.post(t, passwordPath, `{"password":"battery staple"}`).fails(t, http.StatusForbidden, "sign_in_required")
	p.post(t, passwordPath, `{"password":"battery staple","current_password":"wrong"}`).fails(t, http.StatusUnauthorized,
		"bad_credentials")
	stolen := p.cookie(t)
	out := p.signIn(t, passwordPath, `{"password":"battery staple","current_password":"correct horse"}`)
	if out.Account.Username != name {
		t.Errorf("changed: %+v", out)
	}
	s.cookie(t, stolen).fails(t, http.StatusUnauthorized, "unauthenticated")
	s.anonymous(t).post(t, "/api/auth/login", credentials(name)).fails(t, http.StatusUnauthorized, "bad_credentials")
	p.signIn(t, passwordPath, `{"password":"correct horse"}`) // after a recent sign-in
	for range 20 {
		a := p.post(t, passwordPath, `{"password":"battery staple","current_password":"a guess"}`)
		if a.status == http.StatusTooManyRequests {
			a.fails(t, http.StatusTooManyRequests, "rate_limited")
			return
		}
		a.fails(t, http.StatusUnauthorized, "bad_credentials")
	}
	t.Error("guesses of the current password are not limited")
}

// TestEndOthersOverHTTP signs out everywhere else: the browser continues with a new cookie, and the
// copy of the old one is worth nothing.
func TestEndOthersOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	p, elsewhere := s.guest(t), s.anonymous(t)
	name := newName()
	p.register(t, name)
	elsewhere.signIn(t, "/api/auth/login", credentials(name))
	p.signIn(t, "/api/sessions/end-others", "")
	elsewhere.get(t, "/api/me").fails(t, http.StatusUnauthorized, "unauthenticated")
	if list := decode[api.SessionsOut](t, p.get(t, "/api/sessions").ok(t)).Sessions; len(list) != 1 {
		t.Errorf("%d sessions are active, want 1", len(list))
	}
	p.start(t, "")
}

// TestStolenSession lets the thief of a cookie try each way to keep the account: later than 10
// minutes after the owner has signed in, none works.
func TestStolenSession(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.guest(t)
	mailbox := owner.attach(t) // the account signs in by mail only
	if got := decode[api.MailboxesOut](t, owner.get(t, "/api/mailboxes").ok(t)); got.RecentUntil == nil ||
		got.RecentUntil.Sub(s.clock.Now()) > account.RecentSignIn {
		t.Errorf("after signing in, no password is needed until %v", got.RecentUntil)
	}
	s.clock.forward(account.RecentSignIn)
	owner.post(t, passwordPath, `{"password":"battery staple"}`).fails(t, http.StatusForbidden, "sign_in_required")
	owner.post(t, "/api/auth/register", credentials(newName())).fails(t, http.StatusForbidden, "sign_in_required")
	owner.post(t, "/api/mailboxes/remove", `{"email":"`+mailbox+`"}`).fails(t, http.StatusForbidden, "sign_in_required")
	token := owner.mailedToken(t)
	owner.post(t, redeem, tokenBody(token)).fails(t, http.StatusForbidden, "sign_in_required")
	owner.post(t, "/api/auth/magic-link", `{"email":"thief@example.org","password":"a guess"}`).fails(t,
		http.StatusUnauthorized, "bad_credentials")
	got := decode[api.MailboxesOut](t, owner.get(t, "/api/mailboxes").ok(t))
	if len(got.Mailboxes) != 1 || got.Mailboxes[0].Email != mailbox || got.HasPassword || got.RecentUntil != nil {
		t.Errorf("mailboxes %+v", got)
	}
	// In another browser the link opens an account of its own.
	if out := s.anonymous(t).signIn(t, redeem, tokenBody(token)); out.Account.Address == owner.address {
		t.Error("the thief's mailbox signs in to the account")
	}
}

// TestFirstPasswordEndsAccess registers a password for an account that signed in by mail only: what others may have
// from before ends, as with every change of the password.
func TestFirstPasswordEndsAccess(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	mailbox := strings.ToUpper(p.attach(t))
	other := s.anonymous(t)
	other.post(t, "/api/auth/magic-link", `{"email":"`+mailbox+`"}`).ok(t)
	other.signIn(t, redeem, tokenBody(p.mailedTo(t, mailbox, "/link#")))
	kept, ended, bot := p.newKey(t), p.newKey(t), p.newBot(t, newName())
	link := p.mailedToken(t)
	name := newName()
	body := fmt.Sprintf(`{"username":%q,"password":"correct horse","keep":[%d]}`, name, kept.Key.ID)
	out := p.signIn(t, "/api/auth/register", body)
	if len(out.EndedKeys) != 2 || out.EndedKeys[0].ID != bot.Bot.KeyID || out.EndedKeys[1].ID != ended.Key.ID {
		t.Errorf("ended: %+v, want the key and the bot's", out.EndedKeys)
	}
	other.get(t, "/api/me").fails(t, http.StatusUnauthorized, "unauthenticated")
	for _, secret := range []string{ended.Secret, bot.Secret} {
		s.bearer(t, secret, me).fails(t, http.StatusUnauthorized, "unauthenticated")
	}
	p.post(t, redeem, tokenBody(link)).fails(t, http.StatusNotFound, "link_invalid")
	s.bearer(t, kept.Secret, me).ok(t)
	p.start(t, "")
}

// TestResetOverHTTP resets a password by mail. The answer to the request does not show whether the
// mailbox is known.
func TestResetOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	name := newName()
	p.register(t, name)
	mailbox := p.attach(t)
	s.clock.forward(time.Hour)
	browser := s.anonymous(t)
	for _, email := range []string{"unknown@example.org", strings.ToUpper(mailbox)} {
		a := browser.post(t, "/api/auth/password/reset", `{"email":"`+email+`"}`)
		if a.ok(t).body != `{"sent":true,"to_file":true}` {
			t.Errorf("%s: %s", email, a.body)
		}
	}
	if err := s.accounts.Links.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	token := browser.mailedTo(t, strings.ToUpper(mailbox), "/account#reset=")
	reset := `{"token":"` + token + `","password":"battery staple"}`
	out := browser.signIn(t, "/api/auth/password/reset/redeem", reset)
	if out.Account.Address != p.address {
		t.Errorf("reset: %+v, want the account of the mailbox", out)
	}
	p.get(t, "/api/me").fails(t, http.StatusUnauthorized, "unauthenticated")
	browser.post(t, "/api/auth/password/reset/redeem", reset).fails(t, http.StatusNotFound, "link_invalid")
	s.anonymous(t).post(t, "/api/auth/login", credentials(name)).fails(t, http.StatusUnauthorized, "bad_credentials")
	s.anonymous(t).post(t, "/api/auth/login", `{"username":"`+name+`","password":"battery staple"}`).ok(t)
	browser.post(t, "/api/auth/password/reset", `{"email":"not an address"}`).invalid(t,
		"body.email string_pattern_mismatch")
}
