package account_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestPasswordChangeEndsLinks: links that were requested before a change of the password sign in no longer,
// of any requester and in any letter case.
func TestPasswordChangeEndsLinks(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.attach(t, o.registered(t, "ann"), "ann@example.org")
	ann = o.attach(t, o.attach(t, ann, "änn@example.org"), "ÄRGER@example.org")
	bob := o.registered(t, "bob")
	links := map[string]string{
		"to the mailbox":            o.link(t, bob, account.Proof{}, "ann@example.org"),
		"to it in another case":     o.link(t, bob, account.Proof{}, "ANN@Example.org"),
		"to it beyond ASCII":        o.link(t, bob, account.Proof{}, "ÄNN@example.org"),
		"to one entered otherwise":  o.link(t, bob, account.Proof{}, "Ärger@example.org"),
		"that attaches another one": o.link(t, ann, account.Proof{Token: ann.Token}, "second@example.org"),
	}
	other := o.link(t, bob, account.Proof{}, "cid@example.org")
	ann, err := o.change(t, ann, account.Proof{Token: ann.Token}, "second password")
	if err != nil {
		t.Fatal(err)
	}
	for name, link := range links {
		if _, err := o.redeem(t, ann, link); !errors.Is(err, account.ErrLink) {
			t.Errorf("a link %s: error %v", name, err)
		}
	}
	if _, err := o.redeem(t, bob, other); errors.Is(err, account.ErrLink) {
		t.Errorf("a link of another account: error %v", err)
	}
}

// TestSecuringEndsLinks: links that a guest's session has requested attach no mailbox once the guest is secured, by
// whichever way. A thief of the guest's cookie could have requested one, and send it to the owner, whose browser would
// redeem it.
func TestSecuringEndsLinks(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]func(o *ownerFixture, guest account.Opened, own string) (account.Opened, error){
		"by a password": func(o *ownerFixture, guest account.Opened, _ string) (account.Opened, error) {
			return o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
				return o.Register(ctx, tx, account.RegisterOptions{Username: "ann", Password: o.hash(t, "first password"),
					Guest: &guest.Account.Address, Token: guest.Token})
			})
		},
		"by a link": func(o *ownerFixture, guest account.Opened, own string) (account.Opened, error) {
			return o.redeem(t, guest, own)
		},
		"by a link in another browser": func(o *ownerFixture, _ account.Opened, own string) (account.Opened, error) {
			return o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
				return o.Redeem(ctx, tx, account.RedeemOptions{Token: account.ParseLink(own)})
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwnerFixture(t)
			guest, other := o.guest(t), o.guest(t)
			thiefs := o.link(t, guest, account.Proof{}, "thief@example.org")
			own := o.link(t, guest, account.Proof{}, "ann@example.org")
			others := o.link(t, other, account.Proof{}, "bob@example.org")
			ann, err := secure(o, guest, own)
			if err != nil || ann.Account.Address != guest.Account.Address {
				t.Fatalf("secured %v, error %v", ann.Account.Address, err)
			}
			o.sent(t)
			if _, err := o.redeem(t, ann, thiefs); !errors.Is(err, account.ErrLink) {
				t.Errorf("a link that was requested before: error %v", err)
			}
			if _, err := o.redeem(t, other, others); err != nil {
				t.Errorf("a link of another guest: error %v", err)
			}
			// The owner's own links, requested afterwards, attach mailboxes as before: one does not void the other.
			second := o.link(t, ann, account.Proof{Token: ann.Token}, "second@example.org")
			third := o.link(t, ann, account.Proof{Token: ann.Token}, "third@example.org")
			if ann, err = o.redeem(t, ann, second); err != nil {
				t.Errorf("a link that was requested afterwards: error %v", err)
			}
			if _, err = o.redeem(t, ann, third); err != nil {
				t.Errorf("another link that was requested afterwards: error %v", err)
			}
		})
	}
}
