package account_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/vault"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// sender is a Mailer that records the recipients. It calls before once, ahead of its first
// mail.
type sender struct {
	name   string
	mails  *[]string
	before func()
	// refused is a recipient whose mails fail; "" for none.
	refused string
}

var errRefused = errors.New("the mail is refused")

// Send implements account.Mailer.
func (s *sender) Send(_ context.Context, to, _, _ string) error {
	if to == s.refused {
		return errRefused
	}
	if f := s.before; f != nil {
		s.before = nil
		f()
	}
	*s.mails = append(*s.mails, s.name+" mails "+to)
	return nil
}

// mailFixture is two nodes that mail the links of one database, which has three in its
// queue.
type mailFixture struct {
	*fixture
	mails         []string
	first, second *sender
	one, two      *account.Links
}

func newMailFixture(t *testing.T) *mailFixture {
	t.Helper()
	r := &mailFixture{fixture: newFixture(t, ledgertest.Options{})}
	var err error
	if r.Vault, err = vault.New(make([]byte, 32), "magic link"); err != nil {
		t.Fatal(err)
	}
	r.first, r.second = &sender{name: "one", mails: &r.mails}, &sender{name: "two", mails: &r.mails}
	r.one, r.two = account.NewLinks(r.Service, r.first), account.NewLinks(r.Service, r.second)
	r.Links = r.one
	for n := range 3 {
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return r.RequestLink(ctx, tx, account.LinkRequest{Email: fmt.Sprintf("%d@example.org", n)})
		})
		r.Clock.Add(time.Millisecond)
	}
	return r
}

func send(t *testing.T, links *account.Links) {
	t.Helper()
	if err := links.Send(t.Context()); err != nil {
		t.Error(err)
	}
}

// check checks that exactly these mails were sent, and that no other follows once all
// claims have expired.
func (r *mailFixture) check(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(r.mails, want) {
		t.Errorf("%q, want %q", r.mails, want)
	}
	r.Clock.Add(2 * time.Minute)
	send(t, r.one)
	send(t, r.two)
	if again := r.mails[len(want):]; len(again) != 0 {
		t.Errorf("mailed again: %q", again)
	}
}

// TestLinkIsMailedOnce lets two nodes send the same links. The second node sends while the
// first, which has already read all links, mails the first of them for longer than a claim
// lasts: no link is sent twice.
func TestLinkIsMailedOnce(t *testing.T) {
	t.Parallel()
	r := newMailFixture(t)
	r.first.before = func() {
		send(t, r.two)
		r.Clock.Add(2 * time.Minute)
	}
	send(t, r.one)
	r.check(t, "two mails 1@example.org", "two mails 2@example.org", "one mails 0@example.org")
}

// TestUnsentLinks checks that a mail that fails, or whose token cannot be decrypted, is reported,
// does not delay the others, and is sent once it can be.
func TestUnsentLinks(t *testing.T) {
	t.Parallel()
	r := newMailFixture(t)
	damage := func(sql string) {
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, storetest.SQL(sql), "1@example.org")
			return err
		})
	}
	r.first.refused = "0@example.org"
	damage("UPDATE magic_link SET token = CAST(token || x'00' AS BLOB) WHERE email = $1")
	err := r.one.Send(t.Context())
	if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), "account: link: ") {
		t.Errorf("got error %v, want those of two links", err)
	}
	if want := []string{"one mails 2@example.org"}; !slices.Equal(r.mails, want) {
		t.Errorf("%q, want %q", r.mails, want)
	}
	r.first.refused = ""
	damage("UPDATE magic_link SET token = CAST(substr(token, 1, length(token) - 1) AS BLOB) WHERE email = $1")
	r.Clock.Add(2 * time.Minute)
	send(t, r.one)
	r.check(t, "one mails 2@example.org", "one mails 0@example.org", "one mails 1@example.org")
}

// TestLinkIsClaimedOnce lets the first node reach a link while the second node mails it: the
// first node skips the link.
func TestLinkIsClaimedOnce(t *testing.T) {
	t.Parallel()
	r := newMailFixture(t)
	mailing, done, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	r.second.before = func() {
		close(mailing)
		<-done
	}
	r.first.before = func() {
		go func() {
			defer close(ended)
			send(t, r.two)
		}()
		<-mailing
	}
	send(t, r.one)
	close(done)
	<-ended
	r.check(t, "one mails 0@example.org", "one mails 2@example.org", "two mails 1@example.org")
}

// TestMalformedAddress checks that no link is queued for a text that is not the address of one mailbox.
func TestMalformedAddress(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	for _, email := range []string{"", "x", "a@example.org,b@example.org", "Ann <a@example.org>", " a@example.org"} {
		for name, ask := range map[string]func(ctx context.Context, tx *store.Tx) error{
			"link": func(ctx context.Context, tx *store.Tx) error {
				return o.RequestLink(ctx, tx, account.LinkRequest{Email: email})
			},
			"reset": func(ctx context.Context, tx *store.Tx) error { return o.RequestReset(ctx, tx, email, "") },
		} {
			if err := o.do(t, ask); !errors.Is(err, account.ErrEmail) {
				t.Errorf("%s to %q: error %v, want %v", name, email, err, account.ErrEmail)
			}
		}
	}
	if mails := o.sent(t); len(mails) != 0 {
		t.Errorf("mails %q", mails)
	}
}
