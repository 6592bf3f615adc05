package account_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// owner is a full account with two mailboxes, a bot and a recent sign-in.
func (s *faultFixture) owner(t *testing.T) (a account.Opened, bot chain.Address) {
	t.Helper()
	s.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		a, err = s.Register(ctx, tx, account.RegisterOptions{Username: "Ann", Password: "phc"})
		return err
	})
	address := a.Account.Address
	for _, email := range []string{"ann@example.org", "ann@example.com"} {
		s.Update(t, func(ctx context.Context, tx *store.Tx) error {
			return s.RequestLink(ctx, tx, account.LinkRequest{
				Email: email, Requester: &address, Proof: account.Proof{Token: a.Token}})
		})
		if err := s.Links.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		token := s.mails.token(t)
		s.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
			a, err = s.Redeem(ctx, tx, account.RedeemOptions{
				Token: account.ParseLink(token), Session: &address, Before: a.Token})
			return err
		})
	}
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		info, secret, err := s.CreateBot(ctx, tx, address, "a-bot", account.FreeStart)
		bot, s.secrets = info.Account.Address, []account.KeySecret{secret}
		return err
	})
	s.tokens = []account.SessionToken{a.Token}
	return a, bot
}

// TestEachStatementOfOwner runs what only an owner may do; each statement fails once.
func TestEachStatementOfOwner(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	ann, bot := s.owner(t)
	a := ann.Account.Address
	s.each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"mailboxes": func(ctx context.Context, tx *store.Tx) (bool, error) {
			list, password, err := s.Mailboxes(ctx, tx, a)
			return len(list) == 2 && password, err
		},
		"recent sign-in": func(ctx context.Context, tx *store.Tx) (bool, error) {
			until, err := s.SignedInUntil(ctx, tx, a, ann.Token)
			return until != nil, err
		},
		"load a key": func(ctx context.Context, tx *store.Tx) (bool, error) {
			use, err := s.Authorise(ctx, tx, account.Credential{Key: s.secrets[0]})
			return use.Account.Address == bot, err
		},
	})
	ann = s.opens(t, "end other sessions", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.EndOtherSessions(ctx, tx, a, ann.Token, nil)
	})
	ann = s.opens(t, "change a password", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.ChangePassword(ctx, tx, account.ChangeOptions{
			Address: a, Proof: account.Proof{Token: ann.Token}, Password: "another phc"})
	})
	s.Clock.Add(time.Second) // a link that is older than the password does not replace it
	s.does(t, "ask for a reset", func(ctx context.Context, tx *store.Tx) error {
		return s.RequestReset(ctx, tx, "ann@example.org", "")
	})
	s.each.Steps(t, "mail a reset", func() {
		s.mails.text = ""
		s.Update(t, func(ctx context.Context, tx *store.Tx) error { return s.RequestReset(ctx, tx, "ann@example.org", "") })
	}, func(ctx context.Context) error {
		s.Clock.Add(time.Minute) // a claim without a mail expires
		return s.Links.Send(ctx)
	}, func() {
		if s.mails.text == "" {
			t.Fatal("no mail was sent")
		}
	})
	s.Update(t, func(ctx context.Context, tx *store.Tx) error { return s.RequestReset(ctx, tx, "ann@example.com", "") })
	if err := s.Links.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	token := account.ParseReset(regexp.MustCompile(`#reset=(\S+)`).FindStringSubmatch(s.mails.text)[1])
	s.each.Call(t, "check a reset", func(ctx context.Context) error { return s.CheckReset(ctx, token, "a new password") })
	ann = s.opens(t, "redeem a reset", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.RedeemReset(ctx, tx, account.ResetOptions{Token: token, Password: "a third phc", Before: ann.Token})
	})
	s.does(t, "remove a mailbox", func(ctx context.Context, tx *store.Tx) error {
		return s.RemoveMailbox(ctx, tx, a, account.Proof{Token: ann.Token}, "ANN@example.com")
	})
	s.does(t, "remember a device", func(ctx context.Context, tx *store.Tx) error {
		return s.RememberDevice(ctx, tx, a, account.ParseDevice("rsd_"+strings.Repeat("A", 43)))
	})
	deleted := 0
	s.does(t, "delete", func(ctx context.Context, tx *store.Tx) error {
		list, err := s.Delete(ctx, tx, a, account.Proof{Token: ann.Token})
		deleted = len(list)
		return err
	})
	if deleted != 2 {
		t.Errorf("%d accounts deleted, want the owner and the bot", deleted)
	}
	s.SealAll(t)
	s.WantValid(t)
}

// TestEachStatementOfFirstPassword gives an account that signed in by a link its first password; each
// statement fails once, and the mailbox gets a notice.
func TestEachStatementOfFirstPassword(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		return s.RequestLink(ctx, tx, account.LinkRequest{Email: "ann@example.org"})
	})
	if err := s.Links.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	link := s.mails.token(t)
	ann := s.opens(t, "redeem a link", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.Redeem(ctx, tx, account.RedeemOptions{Token: account.ParseLink(link)})
	})
	s.opens(t, "a first password", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.Register(ctx, tx, account.RegisterOptions{
			Username: "Ann", Password: "phc", Guest: &ann.Account.Address, Token: ann.Token})
	})
	s.mails.text = ""
	if err := s.Links.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.mails.text, "password") {
		t.Errorf("the mailbox got %q, want a notice about the password", s.mails.text)
	}
}

// TestEachStatementOfOperator runs what only an operator may do; each statement fails once.
func TestEachStatementOfOperator(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	ann, bot := s.owner(t)
	a := ann.Account.Address
	s.each.View(t, "standing", func(ctx context.Context, tx *store.Tx) error {
		got, err := s.Standing(ctx, tx, ann.Account)
		if err == nil && (got.Sessions != 1 || got.Mailboxes != 2 || !got.HasPassword || len(got.Bots) != 1 ||
			got.Owner != nil) {
			t.Errorf("standing %+v", got)
		}
		return err
	})
	s.each.View(t, "standing of a bot", func(ctx context.Context, tx *store.Tx) error {
		got, err := s.Standing(ctx, tx, account.Account{Address: bot})
		if err == nil && (got.Keys != 1 || got.HasPassword || len(got.Bots) != 0 || got.Owner == nil || *got.Owner != a) {
			t.Errorf("standing of the bot %+v", got)
		}
		return err
	})
	for name, change := range map[string]func(context.Context, *store.Tx, chain.Address) ([]chain.Address, error){
		"freeze": s.Freeze, "unfreeze": s.Unfreeze,
	} {
		if name == "unfreeze" {
			s.Update(t, func(ctx context.Context, tx *store.Tx) error { _, err := s.Freeze(ctx, tx, a); return err })
		}
		var changed []chain.Address
		s.does(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
			changed, err = change(ctx, tx, a)
			return err
		})
		if len(changed) != 2 || changed[0] != a || changed[1] != bot {
			t.Errorf("%s changed %v, want the owner and the bot", name, changed)
		}
		s.Update(t, func(ctx context.Context, tx *store.Tx) error { _, err := s.Unfreeze(ctx, tx, a); return err })
	}
	var name string
	s.View(t, func(ctx context.Context, tx *store.Tx) error {
		owner, err := s.Get(ctx, tx, a)
		name = owner.Username
		return err
	})
	s.does(t, "withdraw a name", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.WithdrawName(ctx, tx, a)
		return err
	})
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Describe(ctx, tx, a, bot, said("1.0", "Words"))
		return err
	})
	s.does(t, "hide words", func(ctx context.Context, tx *store.Tx) error { return s.HideWords(ctx, tx, bot, "an insult") })
	s.does(t, "show words", func(ctx context.Context, tx *store.Tx) error { return s.ShowWords(ctx, tx, bot) })
	s.does(t, "restore a name", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.RestoreName(ctx, tx, a, name)
		return err
	})
}

// TestEachStatementOfUpkeep runs what deletes old rows; each statement fails once.
func TestEachStatementOfUpkeep(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	ann, _ := s.owner(t)
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		return s.RememberDevice(ctx, tx, ann.Account.Address, account.ParseDevice("rsd_"+strings.Repeat("A", 43)))
	})
	guest := s.guest(t).Account.Address
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.ChangePassword(ctx, tx, account.ChangeOptions{ // queues notices
			Address: ann.Account.Address, Proof: account.Proof{Token: ann.Token}, Password: "another phc"})
		return err
	})
	s.Clock.Add(account.DeviceLife + time.Millisecond)
	s.Update(t, func(ctx context.Context, tx *store.Tx) error { _, err := s.DropStaleSessions(ctx, tx); return err })
	for name, drop := range map[string]func(context.Context, *store.Tx) (int64, error){
		"devices": s.DropStaleDevices, "notices": s.DropExpiredNotices,
	} {
		var n int64
		s.does(t, "drop "+name, func(ctx context.Context, tx *store.Tx) (err error) { n, err = drop(ctx, tx); return err })
		if n == 0 {
			t.Errorf("no %s dropped", name)
		}
	}
	s.each.View(t, "idle guests", func(ctx context.Context, tx *store.Tx) error {
		list, err := s.IdleGuests(ctx, tx)
		if err == nil && (len(list) != 1 || list[0] != guest) {
			t.Errorf("idle: %v, want %v", list, guest)
		}
		return err
	})
	s.does(t, "remove a guest", func(ctx context.Context, tx *store.Tx) error { return s.RemoveGuest(ctx, tx, guest) })
}

// TestRegisteredMeanwhile checks that the second of two registrations of one account is refused by
// the row of the first, and that a proof without a session asks for a link as without it.
func TestRegisteredMeanwhile(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	guest := o.guest(t)
	o.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO credential (address, password, changed_at) VALUES ($1, 'phc', 1)",
			guest.Account.Address[:])
		return err
	})
	_, err := o.open(t, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return o.Register(ctx, tx, account.RegisterOptions{
			Username: "ann", Password: "another", Guest: &guest.Account.Address, Token: guest.Token})
	})
	if !errors.Is(err, account.ErrRegistered) {
		t.Errorf("registered twice: error %v, want %v", err, account.ErrRegistered)
	}
	o.Update(t, func(ctx context.Context, tx *store.Tx) error {
		return o.RequestLink(ctx, tx, account.LinkRequest{Email: "ann@example.org",
			Proof: account.Proof{Token: guest.Token}})
	})
	if mails := o.sent(t); len(mails) != 1 {
		t.Errorf("mails %q, want a link", mails)
	}
}

// TestEachStatementOfEndBotKey ends the key of a bot once per statement, with that statement failing.
func TestEachStatementOfEndBotKey(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	_, bot := s.owner(t)
	s.does(t, "end a bot's key", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.EndBotKey(ctx, tx, bot)
		return err
	})
}
