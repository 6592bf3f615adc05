package account_test

import (
	"context"
	"strings"
	"testing"

	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestMailsSayWhatTheirLinkIsFor: adding an address is not signing in, and each mail names the account.
func TestMailsSayWhatTheirLinkIsFor(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	subjects := []string{}
	o.Links.Mailer = mailerFunc(func(to, subject, text string) {
		subjects = append(subjects, subject)
		o.mails = append(o.mails, to+"\n"+text)
	})
	guest, ann := o.guest(t), o.registered(t, "ann")
	asks := func(requester *account.Opened, email string) func(context.Context, *store.Tx) error {
		r := account.LinkRequest{Email: email}
		if requester != nil {
			r.Requester = &requester.Account.Address
		}
		return func(ctx context.Context, tx *store.Tx) error { return o.RequestLink(ctx, tx, r) }
	}
	resets := func(ctx context.Context, tx *store.Tx) error { return o.RequestReset(ctx, tx, "ann@example.org", "") }
	for _, test := range []struct {
		name             string
		request          func(context.Context, *store.Tx) error
		subject, purpose string // "" for no mail
	}{
		{"a visitor", asks(nil, "new@example.org"), "Open your Roshambo account",
			"to open a Roshambo account with this email address:\n"},
		{"a guest", asks(&guest, "new@example.org"), "Save your Roshambo account",
			"to save the Roshambo account " + guest.Account.Username + " with this email address:\n"},
		{"an account", asks(&ann, "ann@example.org"), "Add this address to your Roshambo account",
			"to add this email address to the Roshambo account ann:\n"},
		{"a reset for an unknown address", resets, "", ""},
		{"", nil, "", ""}, // ann's address is added
		{"a visitor with a known address", asks(nil, "ANN@example.org"), "Sign in to Roshambo",
			"to sign in to Roshambo as ann:\n"},
		{"an account with the address of another one", asks(&guest, "ann@example.org"), "Sign in to Roshambo",
			"to sign in to Roshambo as ann:\n"},
		{"a reset", resets, "Reset your Roshambo password",
			"to choose a new password for your Roshambo account ann:\n"},
	} {
		if test.request == nil {
			o.attach(t, ann, "ann@example.org")
			continue
		}
		subjects = nil
		o.Update(t, test.request)
		mails := o.sent(t)
		if test.subject == "" {
			if len(mails) != 0 {
				t.Errorf("%s: mailed %q", test.name, mails)
			}
			continue
		}
		if len(subjects) != 1 || subjects[0] != test.subject || !strings.Contains(mails[0], test.purpose) {
			t.Errorf("%s: got %q with %q, want %q with %q", test.name, subjects, mails, test.subject, test.purpose)
		}
	}
}

// mailerFunc is a Mailer that calls a function.
type mailerFunc func(to, subject, text string)

// Send implements account.Mailer.
func (f mailerFunc) Send(_ context.Context, to, subject, text string) error {
	f(to, subject, text)
	return nil
}
