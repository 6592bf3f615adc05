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
	"roshambo/internal/store/storetest"
)

// owner is a full account with two mailboxes, a bot and a recent sign-in.
func (s *faultFixture) owner(t *testing.T) (a account.Opened, bot chain.Address) {
	t.Helper()
	a = s.once(t, s.Register, account.RegisterOptions{Username: "Ann", Password: "phc"}).(account.Opened)
	address := a.Account.Address
	for _, email := range []string{"ann@example.org", "ann@example.com"} {
		s.once(t, s.RequestLink, account.LinkRequest{
			Email: email, Requester: &address, Proof: account.Proof{Token: a.Token}})
		s.mail(t)
		a = s.once(t, s.Redeem, account.RedeemOptions{
			Token: account.ParseLink(s.mails.token(t)), Session: &address, Before: a.Token}).(account.Opened)
	}
	made := s.once(t, s.CreateBot, address, "a-bot", account.FreeStart).([]any)
	s.tokens, s.secrets = []account.SessionToken{a.Token}, []account.KeySecret{made[1].(account.KeySecret)}
	return a, made[0].(account.BotInfo).Account.Address
}

// device is the token of a device that an account remembers.
var device = account.ParseDevice("rsd_" + strings.Repeat("A", 43))

// TestEachStatementOfOwner runs what only an owner may do; each statement fails once.
func TestEachStatementOfOwner(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	ann, bot := s.owner(t)
	do, a := storetest.Do, ann.Account.Address
	s.each.Run(t, []storetest.Case{
		{Name: "mailboxes", View: do(s.Mailboxes, a),
			Want: func(list []account.Mailbox, password bool) bool { return len(list) == 2 && password }},
		{Name: "recent sign-in", View: do(s.SignedInUntil, a, ann.Token),
			Want: func(until *time.Time) bool { return until != nil }},
		{Name: "load a key", View: do(s.Authorise, account.Credential{Key: s.secrets[0]}),
			Want: func(use account.Caller) bool { return use.Account.Address == bot }},
	})
	ann = s.opens(t, "end other sessions", s.EndOtherSessions, a, ann.Token, nil)
	ann = s.opens(t, "change a password", s.ChangePassword, account.ChangeOptions{
		Address: a, Proof: account.Proof{Token: ann.Token}, Password: "another phc"})
	s.Clock.Add(time.Second) // a link that is older than the password does not replace it
	s.asks(t, s.RequestReset, "ann@example.org", "")
	s.once(t, s.RequestReset, "ann@example.com", "")
	s.mail(t)
	token := account.ParseReset(regexp.MustCompile(`#reset=(\S+)`).FindStringSubmatch(s.mails.text)[1])
	s.each.Run(t, []storetest.Case{{Name: "check a reset", Call: do(s.CheckReset, token, "a new password")}})
	ann = s.opens(t, "redeem a reset", s.RedeemReset, account.ResetOptions{
		Token: token, Password: "a third phc", Before: ann.Token})
	proof := account.Proof{Token: ann.Token}
	s.each.Run(t, []storetest.Case{
		{Name: "remove a mailbox", Update: do(s.RemoveMailbox, a, proof, "ANN@example.com")},
		{Name: "remember a device", Update: do(s.RememberDevice, a, device)},
		{Name: "delete", Update: do(s.Delete, a, proof), Want: storetest.Len(2)}, // the owner and the bot
	})
	s.SealAll(t)
	s.WantValid(t)
}

// TestEachStatementOfFirstPassword gives an account that signed in by a link its first password; each
// statement fails once, and the mailbox gets a notice.
func TestEachStatementOfFirstPassword(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	s.once(t, s.RequestLink, account.LinkRequest{Email: "ann@example.org"})
	s.mail(t)
	link := account.ParseLink(s.mails.token(t))
	ann := s.opens(t, "redeem a link", s.Redeem, account.RedeemOptions{Token: link})
	s.opens(t, "a first password", s.Register, account.RegisterOptions{
		Username: "Ann", Password: "phc", Guest: &ann.Account.Address, Token: ann.Token})
	s.mail(t)
	if !strings.Contains(s.mails.text, "password") {
		t.Errorf("the mailbox got %q, want a notice about the password", s.mails.text)
	}
}

// TestEachStatementOfOperator runs what only an operator may do; each statement fails once.
func TestEachStatementOfOperator(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	ann, bot := s.owner(t)
	do, a := storetest.Do, ann.Account.Address
	name := ann.Account.Username
	both := []chain.Address{a, bot}
	s.each.Run(t, []storetest.Case{
		{Name: "standing", View: do(s.Standing, ann.Account), Want: func(got account.Standing) bool {
			return got.Sessions == 1 && got.Mailboxes == 2 && got.HasPassword && len(got.Bots) == 1 && got.Owner == nil
		}},
		{Name: "standing of a bot", View: do(s.Standing, account.Account{Address: bot}),
			Want: func(got account.Standing) bool {
				return got.Keys == 1 && !got.HasPassword && len(got.Bots) == 0 && got.Owner != nil && *got.Owner == a
			}},
		{Name: "freeze", Update: do(s.Freeze, a), Want: both},
		{Name: "unfreeze", Update: do(s.Unfreeze, a), Want: both},
		{Name: "freeze a bot", Update: do(s.Freeze, bot), Want: []chain.Address{bot}},
		{Name: "unfreeze a bot", Update: do(s.Unfreeze, bot), Want: []chain.Address{bot}},
		{Name: "withdraw a name", Update: do(s.WithdrawName, a),
			After: func() { s.once(t, s.Describe, a, bot, said("1.0", "Words")) }},
		{Name: "hide words", Update: do(s.HideWords, bot, "an insult")},
		{Name: "show words", Update: do(s.ShowWords, bot)},
		{Name: "restore a name", Update: do(s.RestoreName, a, name)},
	})
}

// TestEachStatementOfUpkeep runs what deletes old rows; each statement fails once.
func TestEachStatementOfUpkeep(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	ann, _ := s.owner(t)
	s.once(t, s.RememberDevice, ann.Account.Address, device)
	guest := s.guest(t).Account.Address
	s.once(t, s.ChangePassword, account.ChangeOptions{ // queues notices
		Address: ann.Account.Address, Proof: account.Proof{Token: ann.Token}, Password: "another phc"})
	s.Clock.Add(account.DeviceLife + time.Millisecond)
	s.once(t, s.DropStaleSessions)
	do, some := storetest.Do, func(n int64) bool { return n > 0 }
	s.each.Run(t, []storetest.Case{
		{Name: "drop devices", Update: do(s.DropStaleDevices), Want: some},
		{Name: "drop notices", Update: do(s.DropExpiredNotices), Want: some},
		{Name: "idle guests", View: do(s.IdleGuests), Want: []chain.Address{guest}},
		{Name: "remove a guest", Update: do(s.RemoveGuest, guest)},
	})
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
	s.each.Run(t, []storetest.Case{{Name: "end a bot's key", Update: storetest.Do(s.EndBotKey, bot)}})
}
