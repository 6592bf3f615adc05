package account_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/vault"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// faultFixture is a fixture on which each statement of a use case fails once.
type faultFixture struct {
	*fixture
	each     storetest.Statements
	mails    mailbox
	tokens   []account.SessionToken
	secrets  []account.KeySecret
	failures int // failed logins, as the throttles count them
}

// FirstCommitment implements account.Commitments.
func (s *faultFixture) FirstCommitment(ctx context.Context, tx *store.Tx, _ chain.Address) (c chain.Hash, err error) {
	rand.Read(c[:])
	return c, storetest.Listen(ctx, tx, func() {})
}

// Renamed implements account.Listener.
func (s *faultFixture) Renamed(ctx context.Context, tx *store.Tx, _ account.Account) error {
	return storetest.Listen(ctx, tx, func() {})
}

// Take implements account.Throttle.
func (s *faultFixture) Take(context.Context, account.FailureKey) (time.Duration, error) {
	s.failures++
	return 0, nil
}

// Refund implements account.Throttle.
func (s *faultFixture) Refund(context.Context, account.FailureKey) error { s.failures--; return nil }

func newFaultFixture(t *testing.T) *faultFixture {
	t.Helper()
	s := &faultFixture{}
	s.fixture = newFixture(t, ledgertest.Options{DB: store.Config{Faults: s.each.Faults()}})
	s.each.Use(t, s.Ledger.DB, s.Location)
	s.Commitments, s.Listener = s, s
	s.Failures = account.Failures{ByNameAndClient: s, ByName: s, ByClient: s}
	var err error
	if s.Vault, err = vault.New(make([]byte, 32), "test"); err != nil {
		t.Fatal(err)
	}
	if s.Hasher, err = account.NewHasher(account.Cost{KiB: 8, Passes: 1, Lanes: 1}, 1); err != nil {
		t.Fatal(err)
	}
	s.Links = account.NewLinks(s.Service, &s.mails)
	s.each.Shown = s.shown
	return s
}

// shown returns the number of failed logins and, for each session and key, the account that
// a request with it gets.
func (s *faultFixture) shown() any {
	list := []string{fmt.Sprint(s.failures)}
	var credentials []account.Credential
	for _, token := range s.tokens {
		credentials = append(credentials, account.Credential{Session: token})
	}
	for _, key := range s.secrets {
		credentials = append(credentials, account.Credential{Key: key})
	}
	for _, c := range credentials {
		err := s.Ledger.DB.View(context.Background(), func(ctx context.Context, tx *store.Tx) error {
			got, err := s.Authorise(ctx, tx, c)
			list = append(list, fmt.Sprint(got.Account, err))
			return err
		})
		if err != nil && !errors.Is(err, account.ErrNoSession) && !errors.Is(err, account.ErrFrozen) {
			panic(err)
		}
	}
	return list
}

// opens runs a use case that opens a session.
func (s *faultFixture) opens(t *testing.T, name string, use any, args ...any) (opened account.Opened) {
	t.Helper()
	s.each.Run(t, []storetest.Case{{Name: name, Update: storetest.Do(use, args...), Keep: &opened}})
	s.tokens = append(s.tokens, opened.Token)
	return opened
}

// once runs a use case of which no statement fails.
func (s *faultFixture) once(t *testing.T, use any, args ...any) (got any) {
	t.Helper()
	s.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		got, err = storetest.Do(use, args...)(storetest.In{Context: ctx, Tx: tx})
		return err
	})
	return got
}

// mail sends the mails that are queued.
func (s *faultFixture) mail(t *testing.T) {
	t.Helper()
	s.mails.text = ""
	if err := s.Links.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// asks asks for a mail, and sends one, by a use case.
func (s *faultFixture) asks(t *testing.T, use any, args ...any) {
	t.Helper()
	s.each.Run(t, []storetest.Case{
		{Name: "ask for a mail", Update: storetest.Do(use, args...), After: func() {
			select {
			case <-s.Links.Woken():
			default:
				t.Error("a queued mail did not wake the mailer")
			}
		}},
		{Name: "send", Before: func() {
			s.mails.text = ""
			s.once(t, use, args...)
		}, Steps: func(c storetest.In) (any, error) {
			s.Clock.Add(time.Minute) // a claim without a mail expires
			return nil, s.Links.Send(c)
		}, After: func() {
			if s.mails.text == "" {
				t.Fatal("no mail was sent")
			}
		}},
	})
}

// TestEachStatement runs every use case once for each of its statements and lets that
// statement fail: no session or key is refused or let in by an effect that was not stored.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	guest := s.opens(t, "open a guest", s.OpenGuest, "a browser", account.FreeStart)
	do, a := storetest.Do, guest.Account.Address
	s.Faucet.Below = 1 << 30
	s.each.Run(t, []storetest.Case{
		{Name: "rename", Update: do(s.Rename, a, "Ann")},
		{Name: "faucet", Update: do(s.Service.ClaimFaucet, a)},
	})
	phc, err := s.Hasher.Hash(t.Context(), netip.Addr{}, "a password")
	if err != nil {
		t.Fatal(err)
	}
	s.opens(t, "register the guest", s.Register, account.RegisterOptions{Username: "Ann2", Password: phc, Guest: &a,
		Token: guest.Token, Agent: "a browser"})
	s.opens(t, "register", s.Register, account.RegisterOptions{Username: "Bob", Password: "phc"})
	var login account.Login
	s.each.Run(t, []storetest.Case{
		{Name: "register with a name that is taken", Refused: account.ErrUsernameTaken,
			Update: do(s.Register, account.RegisterOptions{Username: "bob", Password: "phc"})},
		{Name: "check a login", Call: do(s.CheckLogin, account.LoginOptions{Username: "ANN2", Password: "a password",
			Client: netip.MustParseAddr("192.0.2.1")}), Keep: &login},
	})
	if s.failures != 0 || login.Address != a {
		t.Errorf("signed in as %v, want %v; %d failures counted without a wrong password", login.Address, a, s.failures)
	}
	session := s.opens(t, "sign in", s.LogIn, login, s.tokens[1], "a browser")
	s.each.Run(t, []storetest.Case{{Name: "prove by the password", Call: func(c storetest.In) (any, error) {
		proof, err := s.CheckPassword(c, session.Account, session.Token, "a password", account.Origin{})
		if err != nil {
			return nil, err
		}
		return nil, s.Authorized(c, a, proof)
	}}})
	s.keys(t, a)
	s.sessions(t, a)
	s.networks(t, a)
	leaver := s.guest(t).Account.Address
	s.each.Run(t, []storetest.Case{
		{Name: "delete", Update: do(s.Delete, leaver, account.Proof{}), After: func() { s.Clock.Add(account.NameHeld) }},
		{Name: "drop former names", Update: do(s.DropFormerNames), Want: int64(3)}, // a rename and two held names
	})
	s.SealAll(t)
	s.WantValid(t)
}

// networks records that an account uses a network, compares it with another, and drops the record.
func (s *faultFixture) networks(t *testing.T, a chain.Address) {
	t.Helper()
	do := storetest.Do
	s.each.Run(t, []storetest.Case{
		{Name: "note a use", Update: do(s.NoteUse, a, at("192.0.2.1"))},
		{Name: "last network", View: do(s.LastNetwork, a)},
		{Name: "share a network", View: do(s.ShareNetwork, a, a), After: func() { s.Clock.Add(72 * time.Hour) }},
		{Name: "drop networks", Update: do(s.DropNetworks), Want: func(n int64) bool { return n > 0 }},
		{Name: "forget networks", Update: do(s.ForgetNetworks, a)},
	})
}

// keys creates and revokes keys of a player and of bots.
func (s *faultFixture) keys(t *testing.T, a chain.Address) {
	t.Helper()
	var key account.Key
	var bot account.BotInfo
	var secret account.KeySecret
	do, note := storetest.Do, func() { s.secrets = append(s.secrets, secret) }
	house := func(key byte) func(c storetest.In) (any, error) {
		return do(s.EnsureHouseBot, "house-1", account.BotKey([32]byte{key}))
	}
	s.each.Run(t, []storetest.Case{
		{Name: "new key", Update: do(s.CreateKey, a, "a key", account.AllScopes), Keep: []any{&key, &secret}, After: note},
		{Name: "new bot", Update: do(s.CreateBot, a, "a-bot", account.FreeStart), Keep: []any{&bot, &secret}, After: note},
	})
	byKey, bySession := account.Credential{Key: s.secrets[0]}, account.Credential{Session: s.tokens[len(s.tokens)-1]}
	address := bot.Account.Address
	made := func(c storetest.In) (any, error) {
		if _, err := s.MayMakeKeys(c, c.Tx, a, bySession); err != nil {
			return nil, err
		}
		by, err := s.MayMakeKeys(c, c.Tx, a, byKey)
		if err != nil {
			return nil, err
		}
		expires := s.Clock.Now().Add(time.Hour)
		return s.Made(c, c.Tx, bot.KeyID, by, &expires)
	}
	s.each.Run(t, []storetest.Case{
		{Name: "a key made it", Update: made},
		{Name: "rotate a bot's key", Update: do(s.RotateBotKey, a, address), Keep: []any{&bot, &secret}, After: note},
		{Name: "describe a bot", Update: do(s.Describe, a, address, said("1.0", "Counts."))},
		{Name: "touch a key", Update: do(s.TouchKey, key.ID, "203.0.113.0/24")},
	})
	s.views(t, a, address)
	s.each.Run(t, []storetest.Case{
		{Name: "revoke", Update: do(s.RevokeKey, a, key.ID)},
		{Name: "house bot", Update: house(0)},
		{Name: "house bot again", Update: house(0)},
		{Name: "house bot with another key", Update: house(1)},
	})
	if got := s.shown(); len(got.([]string)) != 1+len(s.tokens)+len(s.secrets) {
		t.Errorf("shown %v", got)
	}
}

// views runs the read-only use cases.
func (s *faultFixture) views(t *testing.T, a, bot chain.Address) {
	t.Helper()
	do, session := storetest.Do, account.Credential{Session: s.tokens[3]}
	s.each.Run(t, []storetest.Case{
		{Name: "get", View: do(s.Service.Get, a), Want: func(got account.Account) bool { return got.Username == "Ann2" }},
		{Name: "by name", View: do(s.ByName, "ann2"), Want: func(got account.Account) bool { return got.Address == a }},
		{Name: "bots", View: do(s.Bots, a), Want: storetest.Len(1)},
		{Name: "party", View: do(s.Party, bot), Want: a},
		{Name: "words", View: do(s.BotWords, bot), Want: func(w account.Words) bool { return w.Version == "1.0" }},
		{Name: "no bot", View: do(s.Party, a), Want: a},
		{Name: "keys", View: do(s.Keys, a, int64(math.MaxInt64), 10), Want: storetest.Len(1)},
		{Name: "names", View: do(s.FindNames, "an", 10), Want: storetest.Len(1)},
		{Name: "sessions", View: do(s.Sessions, a, account.SessionToken{}), Want: storetest.Len(1)},
		{Name: "session", View: do(s.Authorise, session),
			Want: func(got account.Caller) bool { return got.Account.Address == a }},
		{Name: "stats", View: do(s.Stats), Want: func(st account.Stats) bool { return st.Sessions == 2 }},
		{Name: "last seen", View: do(s.LastSeen, a),
			Want: func(got *time.Time) bool { return got != nil && got.Equal(s.Clock.Now()) }},
	})
	s.each.Shown = nil
	s.each.Run(t, []storetest.Case{
		{Name: "look up a session", Call: do(s.LookUp, session, account.Use{})},
		{Name: "look up a key", Call: do(s.LookUp, account.Credential{Key: s.secrets[0]}, account.Use{})},
	})
	s.each.Shown = s.shown
}

// sessions ends sessions in each way.
func (s *faultFixture) sessions(t *testing.T, a chain.Address) {
	t.Helper()
	do, session := storetest.Do, s.tokens[3]
	s.each.Run(t, []storetest.Case{{Name: "touch a session", Update: do(s.TouchSession, session)}})
	second := s.opens(t, "sign in again", s.SignIn, a, account.SessionToken{}, "another").Token
	by := account.Credential{Session: second}
	assumed := func(c storetest.In) (any, error) {
		assumed, err := s.AuthoriseAssumed(c, c.Tx, by, a, account.AllScopes)
		if !assumed && err == nil {
			_, err = s.Authorise(c, c.Tx, by)
		}
		return nil, err
	}
	var list []account.SessionInfo
	s.each.Run(t, []storetest.Case{
		{Name: "authorise", Update: do(s.Authorise, by)},
		{Name: "authorise by assumption", Update: assumed},
		{Name: "authorise an end", Update: do(s.AuthoriseEnd, by, a)},
		{Name: "add to an account", Update: do(s.AddsTo, a)},
		{Name: "hold a player", Update: do(s.HoldPlayer, a)},
		{Name: "end a session", Update: do(s.EndSession, second)},
		{Name: "the other session", View: do(s.Sessions, a, account.SessionToken{}), Keep: &list},
	})
	s.each.Run(t, []storetest.Case{{Name: "end a session by its id", Update: do(s.EndSessionByID, a, list[0].ID)}})
	_, err := s.LookUp(t.Context(), account.Credential{Session: session}, account.Use{})
	if !errors.Is(err, account.ErrNoSession) {
		t.Errorf("a session that was ended: error %v", err)
	}
	s.Clock.Add(account.SessionMax)
	s.each.Run(t, []storetest.Case{{Name: "drop bob's stale session", Update: do(s.DropStaleSessions), Want: int64(1)}})
}

// TestEachStatementOfLinks requests, mails and redeems links; each statement fails once.
func TestEachStatementOfLinks(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	guest := s.guest(t).Account.Address
	asks := func(email string, by *chain.Address) {
		t.Helper()
		s.asks(t, s.RequestLink, account.LinkRequest{Email: email, Requester: by})
	}
	redeems := func(name string, session *chain.Address) account.Account {
		t.Helper()
		o := account.RedeemOptions{Token: account.ParseLink(s.mails.token(t)), Session: session}
		return s.opens(t, name, s.Redeem, o).Account
	}
	asks("ann@example.org", nil)
	ann := redeems("redeem: a new account", nil).Address
	asks("ann@example.org", nil)
	if again := redeems("redeem: a known address", nil).Address; again != ann {
		t.Errorf("a known address signs in to %v, want %v", again, ann)
	}
	asks("guest@example.org", &guest)
	if got := redeems("redeem elsewhere", nil); got.Address != guest || got.Kind != chain.Full {
		t.Errorf("a guest's link opened elsewhere: %+v", got)
	}
	other := s.guest(t).Account.Address
	asks("other@example.org", &other)
	if got := redeems("redeem where it was asked for", &other).Address; got != other {
		t.Errorf("a guest's link: %v, want %v", got, other)
	}
	s.Clock.Add(account.LinkLife)
	s.each.Run(t, []storetest.Case{{Name: "drop expired links", Update: storetest.Do(s.DropExpiredLinks)}})
	s.SealAll(t)
	s.WantValid(t)
}
