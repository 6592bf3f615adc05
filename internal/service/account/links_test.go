package account_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/vault"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// sender is a Mailer that notes whom it mails, and calls meanwhile once before it does.
type sender struct {
	name      string
	mails     *[]string
	meanwhile func()
}

// Send implements account.Mailer.
func (s *sender) Send(_ context.Context, to, _, _ string) error {
	if f := s.meanwhile; f != nil {
		s.meanwhile = nil
		f()
	}
	*s.mails = append(*s.mails, s.name+" mails "+to)
	return nil
}

// postRoom is two nodes that mail the links of one database, of which three wait.
type postRoom struct {
	*door
	mails         []string
	first, second *sender
	one, two      *account.Links
}

func newPostRoom(t *testing.T) *postRoom {
	t.Helper()
	r := &postRoom{door: newDoor(t, ledgertest.Options{})}
	var err error
	if r.Vault, err = vault.New(make([]byte, 32), "magic link"); err != nil {
		t.Fatal(err)
	}
	r.first, r.second = &sender{name: "one", mails: &r.mails}, &sender{name: "two", mails: &r.mails}
	r.one, r.two = account.NewLinks(r.Service, r.first), account.NewLinks(r.Service, r.second)
	r.Links = r.one
	for n := range 3 {
		r.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return r.RequestLink(ctx, tx, fmt.Sprintf("%d@example.org", n), nil)
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

// want demands these mails, and that no other follows once all claims are over.
func (r *postRoom) want(t *testing.T, want ...string) {
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

// TestLinkIsMailedOnce has two nodes send the same links. The second one sends while the first,
// which has read all links already, mails the first of them, and takes longer than a claim
// lasts: what was sent meanwhile is not sent again.
func TestLinkIsMailedOnce(t *testing.T) {
	t.Parallel()
	r := newPostRoom(t)
	r.first.meanwhile = func() {
		send(t, r.two)
		r.Clock.Add(2 * time.Minute)
	}
	send(t, r.one)
	r.want(t, "two mails 1@example.org", "two mails 2@example.org", "one mails 0@example.org")
}

// TestLinkIsClaimedOnce has the second node be in the middle of a mail when the first one comes
// to the same link: it leaves it to the second.
func TestLinkIsClaimedOnce(t *testing.T) {
	t.Parallel()
	r := newPostRoom(t)
	mailing, done, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	r.second.meanwhile = func() {
		close(mailing)
		<-done
	}
	r.first.meanwhile = func() {
		go func() {
			defer close(ended)
			send(t, r.two)
		}()
		<-mailing
	}
	send(t, r.one)
	close(done)
	<-ended
	r.want(t, "one mails 0@example.org", "one mails 2@example.org", "two mails 1@example.org")
}
