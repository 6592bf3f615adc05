package account_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/vault"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// ownerFixture is a fixture whose mails the test reads.
type ownerFixture struct {
	*fixture
	mails []string // recipient and text, the oldest first
}

// Send implements account.Mailer.
func (o *ownerFixture) Send(_ context.Context, to, _, text string) error {
	o.mails = append(o.mails, to+"\n"+text)
	return nil
}

// noLimit is a Throttle that refuses nothing.
type noLimit struct{}

// Take implements account.Throttle.
func (noLimit) Take(context.Context, account.FailureKey) (time.Duration, error) { return 0, nil }

// Refund implements account.Throttle.
func (noLimit) Refund(context.Context, account.FailureKey) error { return nil }

func newOwnerFixture(t *testing.T) *ownerFixture {
	t.Helper()
	o := &ownerFixture{fixture: newFixture(t, ledgertest.Options{})}
	var err error
	if o.Vault, err = vault.New(make([]byte, 32), "test"); err != nil {
		t.Fatal(err)
	}
	if o.Hasher, err = account.NewHasher(account.Cost{KiB: 8, Passes: 1, Lanes: 1}, 1); err != nil {
		t.Fatal(err)
	}
	o.Failures = account.Failures{ByNameAndClient: noLimit{}, ByName: noLimit{}, ByClient: noLimit{}}
	o.Links = account.NewLinks(o.Service, o)
	o.Links.Base = "https://play.example.org"
	return o
}

func (o *ownerFixture) hash(t *testing.T, password string) string {
	t.Helper()
	phc, err := o.Hasher.Hash(t.Context(), netip.Addr{}, password)
	if err != nil {
		t.Fatal(err)
	}
	return phc
}

// open runs a use case that opens a session.
func (o *ownerFixture) open(
	t *testing.T, use func(ctx context.Context, tx *store.Tx) (account.Opened, error),
) (opened account.Opened, err error) {
	t.Helper()
	err = o.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		opened, err = use(ctx, tx)
		return err
	})
	return opened, err
}

// registered returns a new account with the password "first password".
func (o *ownerFixture) registered(t *testing.T, name string) account.Opened {
	t.Helper()
	opened, err := o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.Register(ctx, tx, account.RegisterOptions{Username: name, Password: o.hash(t, "first password")})
	})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// proof returns the proof of a session and a password, "" for none.
func (o *ownerFixture) proof(t *testing.T, a account.Opened, password string) account.Proof {
	t.Helper()
	p, err := o.CheckPassword(t.Context(), a.Account, a.Token, password,
		account.Origin{Client: netip.MustParseAddr("192.0.2.1")})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (o *ownerFixture) change(
	t *testing.T, a account.Opened, p account.Proof, password string,
) (account.Opened, error) {
	t.Helper()
	phc := o.hash(t, password)
	return o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.ChangePassword(ctx, tx, account.ChangeOptions{Address: a.Account.Address, Proof: p, Password: phc})
	})
}

// sent sends all mails and returns the new ones, "recipient\ntext" each.
func (o *ownerFixture) sent(t *testing.T) []string {
	t.Helper()
	o.mails = nil
	if err := o.Links.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(o.mails)
	return o.mails
}

// link requests a magic link in the session of a and returns its token.
func (o *ownerFixture) link(t *testing.T, a account.Opened, p account.Proof, email string) string {
	t.Helper()
	o.Update(t, func(ctx context.Context, tx *store.Tx) error {
		return o.RequestLink(ctx, tx, account.LinkRequest{Email: email, Requester: &a.Account.Address, Proof: p})
	})
	return o.token(t, `/link#`)
}

// token returns the token behind prefix in the only new mail, "" if there is no mail.
func (o *ownerFixture) token(t *testing.T, prefix string) string {
	t.Helper()
	mails := o.sent(t)
	if len(mails) == 0 {
		return ""
	}
	found := regexp.MustCompile(prefix + `(rs[lr]_[A-Za-z0-9_-]{43})\n`).FindStringSubmatch(mails[0])
	if len(mails) != 1 || found == nil {
		t.Fatalf("mails %q, want one with %s", mails, prefix)
	}
	return found[1]
}

func (o *ownerFixture) redeem(t *testing.T, a account.Opened, token string) (account.Opened, error) {
	t.Helper()
	return o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.Redeem(ctx, tx, account.RedeemOptions{
			Token: account.ParseLink(token), Session: &a.Account.Address, Before: a.Token})
	})
}

// attach attaches a mailbox to a, which has signed in recently, and drops the notices.
func (o *ownerFixture) attach(t *testing.T, a account.Opened, email string) account.Opened {
	t.Helper()
	opened, err := o.redeem(t, a, o.link(t, a, account.Proof{Token: a.Token}, email))
	if err != nil || opened.Account.Address != a.Account.Address {
		t.Fatalf("attach %s: %+v, error %v", email, opened, err)
	}
	o.sent(t)
	return opened
}

func (o *ownerFixture) remove(t *testing.T, a account.Opened, p account.Proof, email string) error {
	t.Helper()
	return o.do(t, func(ctx context.Context, tx *store.Tx) error {
		return o.RemoveMailbox(ctx, tx, a.Account.Address, p, email)
	})
}

func (o *ownerFixture) resetLink(t *testing.T, email string) string {
	t.Helper()
	o.Update(t, func(ctx context.Context, tx *store.Tx) error { return o.RequestReset(ctx, tx, email, "") })
	return o.token(t, `/account#reset=`)
}

func (o *ownerFixture) reset(t *testing.T, token, password string) (account.Opened, error) {
	t.Helper()
	phc := o.hash(t, password)
	return o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.RedeemReset(ctx, tx, account.ResetOptions{Token: account.ParseReset(token), Password: phc})
	})
}

// logsIn reports whether a name and a password sign in.
func (o *ownerFixture) logsIn(t *testing.T, name, password string) bool {
	t.Helper()
	_, err := o.CheckLogin(t.Context(), account.LoginOptions{Username: name, Password: password,
		Client: netip.MustParseAddr("192.0.2.1")})
	if err != nil && !errors.Is(err, account.ErrCredentials) {
		t.Fatal(err)
	}
	return err == nil
}

func (o *ownerFixture) active(t *testing.T, token account.SessionToken) bool {
	t.Helper()
	_, err := o.LookUp(t.Context(), account.Credential{Session: token}, account.Use{})
	return err == nil
}

// TestChangePassword changes a password by a recent sign-in and by the current password: all
// sessions end, the calling one included, and the old password is worth nothing.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.registered(t, "ann")
	other, err := o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.SignIn(ctx, tx, ann.Account.Address, account.SessionToken{}, "")
	})
	if err != nil || !o.active(t, ann.Token) || !o.active(t, other.Token) {
		t.Fatal(err)
	}
	o.Clock.Add(account.RecentSignIn - time.Millisecond)
	second, err := o.change(t, ann, account.Proof{Token: ann.Token}, "second password")
	if err != nil || o.active(t, ann.Token) || o.active(t, other.Token) || !o.active(t, second.Token) {
		t.Fatalf("changed after a recent sign-in: error %v, or wrong sessions are active", err)
	}
	if o.logsIn(t, "ann", "first password") || !o.logsIn(t, "ann", "second password") {
		t.Error("the old password signs in, or the new one does not")
	}
	o.Clock.Add(account.RecentSignIn)
	if _, err := o.change(t, second, account.Proof{Token: second.Token}, "x"); !errors.Is(err, account.ErrSignInRequired) {
		t.Errorf("10 minutes after signing in: error %v", err)
	}
	if _, err := o.CheckPassword(t.Context(), second.Account, second.Token, "first password",
		account.Origin{}); !errors.Is(err,
		account.ErrCredentials) {
		t.Errorf("with the old password: error %v", err)
	}
	proof := o.proof(t, second, "second password")
	third, err := o.change(t, second, proof, "third password")
	if err != nil {
		t.Fatal(err)
	}
	// The proof is void: its session has ended, and its password is no longer the current one.
	if _, err := o.change(t, second, proof, "x"); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("with an ended session: error %v", err)
	}
	stale := o.proof(t, third, "third password")
	o.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE credential SET password = 'changed elsewhere'")
		return err
	})
	if err := o.Authorized(t.Context(), third.Account.Address, stale); !errors.Is(err, account.ErrCredentials) {
		t.Errorf("with a password that changed after it was verified: error %v", err)
	}
}

// TestProofOfAnother checks that neither the session nor the password of one account is a
// proof for another, and that a guest has no proof.
func TestProofOfAnother(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann, bob, guest := o.registered(t, "ann"), o.registered(t, "bob"), o.guest(t)
	if _, err := o.change(t, ann, account.Proof{Token: bob.Token}, "x"); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("bob's session changes ann's password: error %v", err)
	}
	if _, err := o.change(t, guest, account.Proof{Token: guest.Token}, "x"); !errors.Is(err, account.ErrSignInRequired) {
		t.Errorf("a guest sets a password: error %v", err)
	}
	if _, err := o.CheckPassword(t.Context(), guest.Account, guest.Token, "first password",
		account.Origin{}); !errors.Is(err,
		account.ErrCredentials) {
		t.Errorf("a guest with a password: error %v", err)
	}
	// A cached account may have a name that another account has by now.
	renamed := ann.Account
	renamed.Username = "bob"
	if _, err := o.CheckPassword(t.Context(), renamed, ann.Token, "first password", account.Origin{}); !errors.Is(err,
		account.ErrCredentials) {
		t.Errorf("the password of the account that has the name: error %v", err)
	}
}

// TestEndOtherSessions ends the other sessions: the calling one continues under a new token,
// with its age and its time of signing in.
func TestEndOtherSessions(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann, bob := o.registered(t, "ann"), o.registered(t, "bob")
	other, err := o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.SignIn(ctx, tx, ann.Account.Address, account.SessionToken{}, "")
	})
	if err != nil || !o.active(t, ann.Token) || !o.active(t, other.Token) {
		t.Fatal(err)
	}
	o.Clock.Add(account.RecentSignIn)
	end := func(token account.SessionToken) (account.Opened, error) {
		return o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
			return o.EndOtherSessions(ctx, tx, ann.Account.Address, token, nil)
		})
	}
	next, err := end(ann.Token)
	if err != nil || o.active(t, ann.Token) || o.active(t, other.Token) || !o.active(t, next.Token) ||
		!o.active(t, bob.Token) {
		t.Fatalf("error %v, or wrong sessions are active", err)
	}
	if list := o.sessions(t, ann.Account.Address, next.Token); len(list) != 1 || !list[0].Current ||
		!list[0].CreatedAt.Equal(o.Clock.Now().Add(-account.RecentSignIn)) {
		t.Errorf("sessions %+v", list)
	}
	if err := o.Authorized(t.Context(), ann.Account.Address, account.Proof{Token: next.Token}); !errors.Is(err,
		account.ErrSignInRequired) {
		t.Errorf("the new token counts as a sign-in: error %v", err)
	}
	for _, token := range []account.SessionToken{ann.Token, bob.Token, {}} {
		if _, err := end(token); !errors.Is(err, account.ErrNoSession) {
			t.Errorf("with another token: error %v", err)
		}
	}
}

// TestAttachNeedsOwner lets the thief of a session request a link to a mailbox: it never attaches, also when the
// owner has signed in again and opens it. A link that the owner requests does, after signing in or with the password.
func TestAttachNeedsOwner(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.registered(t, "ann")
	o.Clock.Add(account.RecentSignIn)
	token := o.link(t, ann, account.Proof{Token: ann.Token}, "thief@example.org")
	for range 2 {
		if _, err := o.redeem(t, ann, token); !errors.Is(err, account.ErrSignInRequired) {
			t.Fatalf("attached without the owner: error %v", err)
		}
	}
	again, err := o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.SignIn(ctx, tx, ann.Account.Address, ann.Token, "")
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.redeem(t, again, token); !errors.Is(err, account.ErrSignInRequired) {
		t.Errorf("the thief's link, after the owner has signed in: error %v", err)
	}
	token = o.link(t, again, account.Proof{Token: again.Token}, "first@example.org")
	if _, err := o.redeem(t, again, token); err != nil {
		t.Errorf("requested after signing in: error %v", err)
	}
	// With the password at the request, the redemption may come later.
	o.Clock.Add(account.RecentSignIn)
	again, err = o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.SignIn(ctx, tx, ann.Account.Address, account.SessionToken{}, "")
	})
	if err != nil {
		t.Fatal(err)
	}
	o.sent(t)
	o.Clock.Add(account.RecentSignIn)
	token = o.link(t, again, o.proof(t, again, "first password"), "second@example.org")
	o.Clock.Add(account.LinkLife - time.Millisecond)
	if _, err := o.redeem(t, again, token); err != nil {
		t.Errorf("requested with the password: error %v", err)
	}
}

// TestMailboxes attaches mailboxes up to the limit and removes all but the last credential;
// the mailboxes known before receive a notice of each change.
func TestMailboxes(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.attach(t, o.guest(t), "0@example.org") // a guest, now a full account without a password
	name := ann.Account.Username
	fresh := func() account.Proof { return account.Proof{Token: ann.Token} }
	for i := 1; i < account.MaxMailboxes; i++ {
		o.Clock.Add(time.Second)
		var err error
		if ann, err = o.redeem(t, ann, o.link(t, ann, fresh(), fmt.Sprintf("%d@example.org", i))); err != nil {
			t.Fatal(err)
		}
		mails := o.sent(t)
		if len(mails) != i || !strings.HasPrefix(mails[0], "0@example.org\n") || !strings.Contains(mails[0], name) ||
			!strings.Contains(mails[0], fmt.Sprintf("mailbox %d@example.org was attached", i)) ||
			strings.Count(mails[0], "https://play.example.org/account\n") != 1 {
			t.Errorf("notices %q, want one to each of %d mailboxes", mails, i)
		}
	}
	token := o.link(t, ann, fresh(), "5@example.org")
	if _, err := o.redeem(t, ann, token); !errors.Is(err, account.ErrLimit) {
		t.Errorf("one mailbox too many: error %v", err)
	}
	if err := o.remove(t, ann, fresh(), "missing@example.org"); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("remove an unknown mailbox: error %v", err)
	}
	bob := o.registered(t, "bob")
	if err := o.remove(t, bob, account.Proof{Token: bob.Token}, "0@example.org"); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("remove the mailbox of another account: error %v", err)
	}
	for i := range account.MaxMailboxes - 1 {
		if err := o.remove(t, ann, fresh(), fmt.Sprintf("%d@EXAMPLE.org", i)); err != nil {
			t.Fatal(err)
		}
		if mails := o.sent(t); len(mails) != account.MaxMailboxes-i ||
			!strings.Contains(mails[0], fmt.Sprintf("mailbox %d@example.org was removed", i)) {
			t.Errorf("notices of a removal: %q", mails)
		}
	}
	if err := o.remove(t, ann, fresh(), "4@example.org"); !errors.Is(err, account.ErrLastCredential) {
		t.Errorf("remove the last way to sign in: error %v", err)
	}
	ann, err := o.change(t, ann, fresh(), "a first password")
	if mails := o.sent(t); err != nil || len(mails) != 1 || !strings.Contains(mails[0], "password was changed") {
		t.Fatalf("first password: error %v, notices %q", err, mails)
	}
	o.Clock.Add(account.RecentSignIn)
	if err := o.remove(t, ann, fresh(), "4@example.org"); !errors.Is(err, account.ErrSignInRequired) {
		t.Errorf("remove 10 minutes after signing in: error %v", err)
	}
	if err := o.remove(t, ann, o.proof(t, ann, "a first password"), "4@example.org"); err != nil {
		t.Error(err)
	}
	o.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, password, err := o.Service.Mailboxes(ctx, tx, ann.Account.Address)
		if err != nil || len(list) != 0 || !password {
			t.Errorf("mailboxes %+v, password %v, error %v", list, password, err)
		}
		return nil
	})
}

// TestReset resets a password by mail: the link works once, within 15 minutes, for the account
// that has the mailbox at that time, unless the password has changed since its request.
func TestReset(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.attach(t, o.registered(t, "ann"), "ann@example.org")
	if token := o.resetLink(t, "unknown@example.org"); token != "" {
		t.Errorf("a mail to an unknown address has the token %s", token)
	}
	first, second := o.resetLink(t, "ANN@example.org"), o.resetLink(t, "ann@example.org")
	if !strings.Contains(o.mails[0], "account ann:") {
		t.Errorf("the mail does not name the account: %q", o.mails)
	}
	if err := o.CheckReset(t.Context(), account.ParseReset(first), "a new password"); err != nil {
		t.Error(err)
	}
	if _, err := o.redeem(t, ann, first); !errors.Is(err, account.ErrLink) {
		t.Errorf("a reset link signs in: error %v", err)
	}
	o.Clock.Add(time.Second)
	reset, err := o.reset(t, first, "second password")
	if err != nil || reset.Account.Address != ann.Account.Address || o.active(t, ann.Token) || !o.active(t, reset.Token) ||
		o.logsIn(t, "ann", "first password") || !o.logsIn(t, "ann", "second password") {
		t.Errorf("reset %+v, error %v, or wrong sessions and passwords are valid", reset, err)
	}
	if mails := o.sent(t); len(mails) != 1 || !strings.Contains(mails[0], "password was changed") {
		t.Errorf("notices %q", mails)
	}
	for name, token := range map[string]string{"used": first, "older than the password": second, "unknown": "x"} {
		if _, err := o.reset(t, token, "x"); !errors.Is(err, account.ErrLink) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	late := o.resetLink(t, "ann@example.org")
	o.Clock.Add(account.LinkLife)
	if err := o.CheckReset(t.Context(), account.ParseReset(late), "a new password"); !errors.Is(err, account.ErrLink) {
		t.Errorf("after 15 minutes: error %v", err)
	}
	if _, err := o.reset(t, late, "x"); !errors.Is(err, account.ErrLink) {
		t.Errorf("after 15 minutes: error %v", err)
	}
	// A link in a removed mailbox is void.
	removed := o.resetLink(t, "ann@example.org")
	if err := o.remove(t, reset, o.proof(t, reset, "second password"), "ann@example.org"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.reset(t, removed, "x"); !errors.Is(err, account.ErrLink) {
		t.Errorf("in a removed mailbox: error %v", err)
	}
	o.sent(t)
	token := o.link(t, reset, account.Proof{}, "new@example.org")
	if err := o.CheckReset(t.Context(), account.ParseReset(token), "a new password"); !errors.Is(err, account.ErrLink) {
		t.Errorf("a magic link resets: error %v", err)
	}
}

// TestFirstPasswordNeedsOwner lets the thief of a session register a password for an account
// that signs in by mail only.
func TestFirstPasswordNeedsOwner(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.attach(t, o.guest(t), "ann@example.org")
	register := func() error {
		phc := o.hash(t, "a password")
		_, err := o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
			return o.Register(ctx, tx, account.RegisterOptions{Username: "ann", Password: phc,
				Guest: &ann.Account.Address, Token: ann.Token})
		})
		return err
	}
	o.Clock.Add(account.RecentSignIn)
	if err := register(); !errors.Is(err, account.ErrSignInRequired) {
		t.Errorf("10 minutes after signing in: error %v", err)
	}
	var err error
	ann, err = o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.SignIn(ctx, tx, ann.Account.Address, account.SessionToken{}, "")
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := register(); err != nil {
		t.Error(err)
	}
	if mails := o.sent(t); len(mails) != 1 || !strings.HasPrefix(mails[0], "ann@example.org\n") {
		t.Errorf("notices %q", mails)
	}
}

// failingMailer sends nothing.
type failingMailer struct{}

// Send implements account.Mailer.
func (failingMailer) Send(context.Context, string, string, string) error {
	return errors.New("no mail server")
}

// TestReservedNames checks that callers cannot choose names that pass for the service, and
// that names which differ in case, - and _ alone are one name.
func TestReservedNames(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	rename := func(a chain.Address, name string) error {
		return o.do(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := o.Rename(ctx, tx, a, name)
			return err
		})
	}
	ann, bob := o.guest(t).Account.Address, o.guest(t).Account.Address
	for _, name := range []string{"admin", "4dm1n", "Roshambo-Support", "roshambo_official", "VERIFIED-Roshambo",
		"adrnin", "support1", "GameMaster", "House-Paper", "sparring-bot", "deleted-7", "de1eted", "---", "_-_"} {
		if err := rename(ann, name); !errors.Is(err, account.ErrUsernameTaken) {
			t.Errorf("%s: error %v, want it reserved", name, err)
		}
	}
	for _, name := range []string{"household", "Warehouse", "supporter", "ann_lee"} {
		o.Clock.Add(account.NameHeld / account.MaxRenames) // an account has so many renames
		if err := rename(ann, name); err != nil {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, name := range []string{"annIee", "annl33"} { // look alike, and find no account
		if err := rename(bob, name); !errors.Is(err, account.ErrUsernameTaken) {
			t.Errorf("%s beside ann_lee: error %v", name, err)
		}
	}
	for _, name := range []string{"annlee", "Ann-Lee", "a_n_n_l_e_e", "_annlee-"} {
		if err := rename(bob, name); !errors.Is(err, account.ErrUsernameTaken) {
			t.Errorf("%s beside ann_lee: error %v", name, err)
		}
		o.View(t, func(ctx context.Context, tx *store.Tx) error {
			if a, err := o.ByName(ctx, tx, name); err != nil || a.Address != ann || a.Username != "ann_lee" {
				t.Errorf("by name %s: %+v, error %v", name, a, err)
			}
			return nil
		})
	}
	o.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := o.FindNames(ctx, tx, "Ann-L", 10)
		none, errNone := o.FindNames(ctx, tx, "-", 10)
		if err != nil || errNone != nil || len(list) != 1 || len(none) != 0 {
			t.Errorf("found %+v and %+v, errors %v and %v", list, none, err, errNone)
		}
		return nil
	})
	if err := rename(ann, "Ann-Lee"); err != nil {
		t.Errorf("another spelling of one's own name: error %v", err)
	}
}
