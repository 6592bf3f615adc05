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

// read runs a statement in the place of other services' statements in the same transaction.
func read(ctx context.Context, tx *store.Tx) error {
	var one int
	return tx.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// FirstCommitment implements account.Commitments.
func (s *faultFixture) FirstCommitment(ctx context.Context, tx *store.Tx, _ chain.Address) (c chain.Hash, err error) {
	rand.Read(c[:])
	return c, read(ctx, tx)
}

// Renamed implements account.Listener.
func (s *faultFixture) Renamed(ctx context.Context, tx *store.Tx, _ account.Account) error {
	return read(ctx, tx)
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
func (s *faultFixture) opens(
	t *testing.T, name string, use func(ctx context.Context, tx *store.Tx) (account.Opened, error),
) (opened account.Opened) {
	t.Helper()
	s.each.Update(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
		opened, err = use(ctx, tx)
		return err
	})
	s.tokens = append(s.tokens, opened.Token)
	return opened
}

func (s *faultFixture) does(t *testing.T, name string, use func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	s.each.Update(t, name, use)
}

// TestEachStatement runs every use case once for each of its statements and lets that
// statement fail: no session or key is refused or let in by an effect that was not stored.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	guest := s.opens(t, "open a guest", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.OpenGuest(ctx, tx, "a browser", account.FreeStart)
	})
	a := guest.Account.Address
	s.does(t, "rename", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Rename(ctx, tx, a, "Ann")
		return err
	})
	s.Faucet.Below = 1 << 30
	s.does(t, "faucet", func(ctx context.Context, tx *store.Tx) error {
		_, _, err := s.Service.ClaimFaucet(ctx, tx, a)
		return err
	})
	s.opens(t, "register the guest", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		phc, err := s.Hasher.Hash(ctx, netip.Addr{}, "a password")
		if err != nil {
			return account.Opened{}, err
		}
		return s.Register(ctx, tx, account.RegisterOptions{Username: "Ann2", Password: phc, Guest: &a,
			Token: guest.Token, Agent: "a browser"})
	})
	s.opens(t, "register", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.Register(ctx, tx, account.RegisterOptions{Username: "Bob", Password: "phc"})
	})
	s.each.Refused(t, "register with a name that is taken", account.ErrUsernameTaken,
		func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Register(ctx, tx, account.RegisterOptions{Username: "bob", Password: "phc"})
			return err
		})
	var login account.Login
	s.each.Call(t, "check a login", func(ctx context.Context) (err error) {
		login, err = s.CheckLogin(ctx, account.LoginOptions{Username: "ANN2", Password: "a password",
			Client: netip.MustParseAddr("192.0.2.1")})
		if err == nil && login.Address != a {
			t.Errorf("signed in as %v, want %v", login.Address, a)
		}
		return err
	})
	if s.failures != 0 {
		t.Errorf("%d failures counted without a wrong password", s.failures)
	}
	session := s.opens(t, "sign in", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.LogIn(ctx, tx, login, s.tokens[1], "a browser")
	})
	s.proves(t, session, "a password")
	s.keys(t, a)
	s.sessions(t, a)
	s.networks(t, a)
	leaver := s.guest(t).Account.Address
	s.does(t, "delete", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Delete(ctx, tx, leaver, account.Proof{})
		return err
	})
	s.Clock.Add(account.NameHeld)
	s.does(t, "drop former names", func(ctx context.Context, tx *store.Tx) error {
		n, err := s.DropFormerNames(ctx, tx)
		if err == nil && n != 3 {
			t.Errorf("%d rows dropped, want a rename and two held names", n)
		}
		return err
	})
	s.SealAll(t)
	s.WantValid(t)
}

// networks records that an account uses a network, compares it with another, and drops the record.
func (s *faultFixture) networks(t *testing.T, a chain.Address) {
	t.Helper()
	s.does(t, "note a use", func(ctx context.Context, tx *store.Tx) error {
		return s.NoteUse(ctx, tx, a, at("192.0.2.1"))
	})
	s.each.View(t, "last network", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.LastNetwork(ctx, tx, a)
		return err
	})
	s.each.View(t, "share a network", func(ctx context.Context, tx *store.Tx) error {
		shared, err := s.ShareNetwork(ctx, tx, a, a)
		if err == nil && !shared {
			t.Error("an account shares no network with itself")
		}
		return err
	})
	s.Clock.Add(72 * time.Hour)
	s.does(t, "drop networks", func(ctx context.Context, tx *store.Tx) error {
		n, err := s.DropNetworks(ctx, tx)
		if err == nil && n == 0 {
			t.Error("no rows dropped")
		}
		return err
	})
}

// proves checks that a session may change the ways to sign in with the account's password.
func (s *faultFixture) proves(t *testing.T, session account.Opened, password string) {
	t.Helper()
	s.each.Call(t, "prove by the password", func(ctx context.Context) error {
		proof, err := s.CheckPassword(ctx, session.Account, session.Token, password, account.Origin{})
		if err != nil {
			return err
		}
		return s.Authorized(ctx, session.Account.Address, proof)
	})
}

// keys creates and revokes keys of a player and of bots.
func (s *faultFixture) keys(t *testing.T, a chain.Address) {
	t.Helper()
	var key account.Key
	var bot account.BotInfo
	makes := func(name string, use func(ctx context.Context, tx *store.Tx) (account.KeySecret, error)) {
		t.Helper()
		var secret account.KeySecret
		s.does(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
			secret, err = use(ctx, tx)
			return err
		})
		s.secrets = append(s.secrets, secret)
	}
	makes("new key", func(ctx context.Context, tx *store.Tx) (secret account.KeySecret, err error) {
		key, secret, err = s.CreateKey(ctx, tx, a, "a key", account.AllScopes)
		return secret, err
	})
	makes("new bot", func(ctx context.Context, tx *store.Tx) (secret account.KeySecret, err error) {
		bot, secret, err = s.CreateBot(ctx, tx, a, "a-bot", account.FreeStart)
		return secret, err
	})
	byKey, bySession := s.secrets[len(s.secrets)-2], s.tokens[len(s.tokens)-1]
	s.does(t, "a key made it", func(ctx context.Context, tx *store.Tx) error {
		if _, err := s.MayMakeKeys(ctx, tx, a, account.Credential{Session: bySession}); err != nil {
			return err
		}
		by, err := s.MayMakeKeys(ctx, tx, a, account.Credential{Key: byKey})
		if err != nil {
			return err
		}
		expires := s.Clock.Now().Add(time.Hour)
		_, err = s.Made(ctx, tx, bot.KeyID, by, &expires)
		return err
	})
	makes("rotate a bot's key", func(ctx context.Context, tx *store.Tx) (secret account.KeySecret, err error) {
		_, secret, err = s.RotateBotKey(ctx, tx, a, bot.Account.Address)
		return secret, err
	})
	s.does(t, "describe a bot", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Describe(ctx, tx, a, bot.Account.Address, said("1.0", "Counts."))
		return err
	})
	s.does(t, "touch a key", func(ctx context.Context, tx *store.Tx) error { return s.TouchKey(ctx, tx, key.ID, "203.0.113.0/24") })
	s.views(t, a, bot.Account.Address)
	s.does(t, "revoke", func(ctx context.Context, tx *store.Tx) error { return s.RevokeKey(ctx, tx, a, key.ID) })
	for i, name := range []string{"house bot", "house bot again", "house bot with another key"} {
		s.does(t, name, func(ctx context.Context, tx *store.Tx) error {
			_, err := s.EnsureHouseBot(ctx, tx, "house-1", account.BotKey([32]byte{byte(i / 2)}))
			return err
		})
	}
	if got := s.shown(); len(got.([]string)) != 1+len(s.tokens)+len(s.secrets) {
		t.Errorf("shown %v", got)
	}
}

// views runs the read-only use cases.
func (s *faultFixture) views(t *testing.T, a, bot chain.Address) {
	t.Helper()
	s.each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"get": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.Service.Get(ctx, tx, a)
			return got.Username == "Ann2", err
		},
		"by name": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.ByName(ctx, tx, "ann2")
			return got.Address == a, err
		},
		"bots": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.Bots(ctx, tx, a)
			return len(got) == 1, err
		},
		"party": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.Party(ctx, tx, bot)
			return got == a, err
		},
		"words": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.BotWords(ctx, tx, bot)
			return got.Version == "1.0", err
		},
		"no bot": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.Party(ctx, tx, a)
			return got == a, err
		},
		"keys": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.Keys(ctx, tx, a, math.MaxInt64, 10)
			return len(got) == 1, err
		},
		"names": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.FindNames(ctx, tx, "an", 10)
			return len(got) == 1, err
		},
		"sessions": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.Sessions(ctx, tx, a, account.SessionToken{})
			return len(got) == 1, err
		},
		"session": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.Authorise(ctx, tx, account.Credential{Session: s.tokens[3]})
			return got.Account.Address == a, err
		},
		"stats": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.Stats(ctx, tx)
			return got.Sessions == 2, err
		},
		"last seen": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := s.LastSeen(ctx, tx, a)
			return got != nil && got.Equal(s.Clock.Now()), err
		},
	})
	s.each.Shown = nil
	s.each.Call(t, "look up a session", func(ctx context.Context) error {
		_, err := s.LookUp(ctx, account.Credential{Session: s.tokens[3]}, account.Use{})
		return err
	})
	s.each.Call(t, "look up a key", func(ctx context.Context) error {
		_, err := s.LookUp(ctx, account.Credential{Key: s.secrets[0]}, account.Use{})
		return err
	})
	s.each.Shown = s.shown
}

// sessions ends sessions in each way.
func (s *faultFixture) sessions(t *testing.T, a chain.Address) {
	t.Helper()
	s.does(t, "touch a session", func(ctx context.Context, tx *store.Tx) error {
		return s.TouchSession(ctx, tx, s.tokens[3])
	})
	second := s.opens(t, "sign in again", func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return s.SignIn(ctx, tx, a, account.SessionToken{}, "another")
	})
	s.does(t, "authorise", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Authorise(ctx, tx, account.Credential{Session: second.Token})
		return err
	})
	s.does(t, "authorise by assumption", func(ctx context.Context, tx *store.Tx) error {
		assumed, err := s.AuthoriseAssumed(ctx, tx, account.Credential{Session: second.Token}, a, account.AllScopes)
		if !assumed && err == nil {
			_, err = s.Authorise(ctx, tx, account.Credential{Session: second.Token})
		}
		return err
	})
	s.does(t, "authorise an end", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.AuthoriseEnd(ctx, tx, account.Credential{Session: second.Token}, a)
		return err
	})
	s.does(t, "add to an account", func(ctx context.Context, tx *store.Tx) error { return s.AddsTo(ctx, tx, a) })
	s.does(t, "hold a player", func(ctx context.Context, tx *store.Tx) error {
		held, err := s.HoldPlayer(ctx, tx, a)
		if err == nil && !held {
			t.Error("a player is not held")
		}
		return err
	})
	s.does(t, "end a session", func(ctx context.Context, tx *store.Tx) error {
		return s.EndSession(ctx, tx, second.Token)
	})
	var id chain.Hash
	s.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := s.Sessions(ctx, tx, a, account.SessionToken{})
		id = list[0].ID
		return err
	})
	s.does(t, "end a session by its id", func(ctx context.Context, tx *store.Tx) error {
		return s.EndSessionByID(ctx, tx, a, id)
	})
	_, err := s.LookUp(t.Context(), account.Credential{Session: s.tokens[3]}, account.Use{})
	if !errors.Is(err, account.ErrNoSession) {
		t.Errorf("a session that was ended: error %v", err)
	}
	s.Clock.Add(account.SessionMax)
	s.does(t, "drop stale sessions", func(ctx context.Context, tx *store.Tx) error {
		n, err := s.DropStaleSessions(ctx, tx)
		if err == nil && n != 1 {
			t.Errorf("%d sessions dropped, want that of bob", n)
		}
		return err
	})
}

// TestEachStatementOfLinks requests, mails and redeems links; each statement fails once.
func TestEachStatementOfLinks(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	guest := s.guest(t).Account.Address
	asks := func(email string, by *chain.Address) {
		t.Helper()
		s.does(t, "ask for a link", func(ctx context.Context, tx *store.Tx) error {
			return s.RequestLink(ctx, tx, account.LinkRequest{Email: email, Requester: by})
		})
		select {
		case <-s.Links.Woken():
		default:
			t.Error("a queued link did not wake the mailer")
		}
		s.each.Steps(t, "send", func() {
			s.mails.text = ""
			s.Update(t, func(ctx context.Context, tx *store.Tx) error {
				return s.RequestLink(ctx, tx, account.LinkRequest{Email: email, Requester: by})
			})
		}, func(ctx context.Context) error {
			s.Clock.Add(time.Minute) // a claim without a mail expires
			return s.Links.Send(ctx)
		}, func() {
			if s.mails.text == "" {
				t.Fatal("no mail was sent")
			}
		})
	}
	redeems := func(name string, o account.RedeemOptions) account.Opened {
		t.Helper()
		o.Token = account.ParseLink(s.mails.token(t))
		return s.opens(t, name, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
			return s.Redeem(ctx, tx, o)
		})
	}
	asks("ann@example.org", nil)
	ann := redeems("redeem: a new account", account.RedeemOptions{}).Account.Address
	asks("ann@example.org", nil)
	if again := redeems("redeem: a known address", account.RedeemOptions{}).Account.Address; again != ann {
		t.Errorf("a known address signs in to %v, want %v", again, ann)
	}
	asks("guest@example.org", &guest)
	if got := redeems("redeem elsewhere", account.RedeemOptions{}).Account; got.Address != guest ||
		got.Kind != chain.Full {
		t.Errorf("a guest's link opened elsewhere: %+v", got)
	}
	other := s.guest(t).Account.Address
	asks("other@example.org", &other)
	if got := redeems("redeem where it was asked for",
		account.RedeemOptions{Session: &other}).Account.Address; got != other {
		t.Errorf("a guest's link: %v, want %v", got, other)
	}
	s.Clock.Add(account.LinkLife)
	s.does(t, "drop expired links", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.DropExpiredLinks(ctx, tx)
		return err
	})
	s.SealAll(t)
	s.WantValid(t)
}
