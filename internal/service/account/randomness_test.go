package account_test

import (
	"context"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// drawing is a use case of an owner that reads randomness.
type drawing struct {
	name  string
	reads int // at least
	use   func(ctx context.Context, tx *store.Tx, a account.Opened, bot chain.Address) error
}

// drawings returns the use cases that read randomness.
func (o *ownerFixture) drawings() []drawing {
	return []drawing{
		{"a key", 1, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			_, _, err := o.CreateKey(ctx, tx, a.Account.Address, "a key", account.AllScopes)
			return err
		}},
		{"a bot", 2, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			_, _, err := o.CreateBot(ctx, tx, a.Account.Address, "another", account.FreeStart)
			return err
		}},
		{"a bot's key", 1, func(ctx context.Context, tx *store.Tx, a account.Opened, bot chain.Address) error {
			_, _, err := o.RotateBotKey(ctx, tx, a.Account.Address, bot)
			return err
		}},
		{"a link", 1, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			return o.RequestLink(ctx, tx, account.LinkRequest{Email: "x@example.org", Requester: &a.Account.Address})
		}},
		{"a sign-in", 1, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			_, err := o.SignIn(ctx, tx, a.Account.Address, account.SessionToken{}, "")
			return err
		}},
		{"a registration", 2, func(ctx context.Context, tx *store.Tx, _ account.Opened, _ chain.Address) error {
			_, err := o.Register(ctx, tx, account.RegisterOptions{Username: "newcomer", Password: "phc"})
			return err
		}},
		{"a new token", 1, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			_, err := o.EndOtherSessions(ctx, tx, a.Account.Address, a.Token, nil)
			return err
		}},
		{"a password", 2, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			_, err := o.ChangePassword(ctx, tx, account.ChangeOptions{
				Address: a.Account.Address, Proof: account.Proof{Token: a.Token}, Password: "phc"})
			return err
		}},
		{"a removed mailbox", 1, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			list, _, err := o.Service.Mailboxes(ctx, tx, a.Account.Address)
			if err != nil {
				return err
			}
			return o.RemoveMailbox(ctx, tx, a.Account.Address, account.Proof{Token: a.Token}, list[0].Email)
		}},
		{"a withdrawn name", 1, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			_, err := o.WithdrawName(ctx, tx, a.Account.Address)
			return err
		}},
		{"a deletion", 3, func(ctx context.Context, tx *store.Tx, a account.Opened, _ chain.Address) error {
			_, err := o.Delete(ctx, tx, a.Account.Address, account.Proof{Token: a.Token})
			return err
		}},
	}
}

// TestNoRandomnessForOwners lets each read of randomness of each use case fail once: the call fails with it,
// instead of going on with a secret, an identifier or a name that can be guessed.
func TestNoRandomnessForOwners(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	chance := o.Rand
	for i, c := range o.drawings() {
		a := o.attach(t, o.registered(t, fmt.Sprintf("ann%02d", i)), fmt.Sprintf("%d@example.org", i))
		var bot account.BotInfo
		o.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
			bot, _, err = o.CreateBot(ctx, tx, a.Account.Address, fmt.Sprintf("bot%02d", i), account.FreeStart)
			return err
		})
		for n := 0; ; n++ {
			source := &interrupted{chance, n}
			o.Rand = source
			err := o.do(t, func(ctx context.Context, tx *store.Tx) error { return c.use(ctx, tx, a, bot.Account.Address) })
			o.Rand = chance
			if source.left >= 0 { // fewer reads than n
				if err != nil || n < c.reads {
					t.Errorf("%s: %d reads of randomness, error %v, want %d at least", c.name, n, err, c.reads)
				}
				break
			}
			if err == nil {
				t.Errorf("%s: succeeds although read %d of randomness fails", c.name, n+1)
			}
		}
		o.sent(t) // so that the next one receives its own mail alone
	}
}
