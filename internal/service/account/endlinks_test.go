package account_test

import (
	"errors"
	"testing"

	"roshambo/internal/service/account"
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
