package api_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// signIn sends a request that opens a session, and uses the session from then on.
func (p *player) signIn(t *testing.T, path, body string) api.SessionOut {
	t.Helper()
	before := p.cookie(t)
	a := p.post(t, path, body).ok(t)
	out := decode[api.SessionOut](t, a)
	if after := p.cookie(t); after == "" || after == before {
		t.Errorf("%v: the session's token is %q after %q, want a new one", a.request, after, before)
	}
	if before != "" {
		p.s.cookie(t, before).fails(t, 401, "unauthenticated")
	}
	p.csrf, p.address = out.CSRFToken, out.Account.Address
	p.s.tokens.add(p.csrf)
	return out
}

func (p *player) register(t *testing.T, name string) api.SessionOut {
	t.Helper()
	return p.signIn(t, "/api/auth/register", credentials(name))
}

// cookie returns the session's token in the browser's cookie, "" for none.
func (p *player) cookie(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(p.s.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.client.Jar.Cookies(u) {
		return c.Value
	}
	return ""
}

// token returns the token of the browser's session.
func (p *player) token(t *testing.T) account.SessionToken {
	t.Helper()
	token, ok := account.ParseSession(p.cookie(t))
	if !ok {
		t.Fatal("the browser has no session")
	}
	return token
}

// csrfOf returns the CSRF token of a session's token.
func csrfOf(text string) string {
	token, _ := account.ParseSession(text)
	return account.CSRFToken(token).Text()
}

// cookie calls GET /api/me with a session's token.
func (s *stack) cookie(t *testing.T, token string) answer {
	t.Helper()
	return s.anonymous(t).send(t, me.with(map[string]string{"Cookie": "roshambo_session=" + token}))
}

// TestSecureAGuest: registering keeps everything that the guest had, also after signing in
// elsewhere.
func TestSecureAGuest(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	r := p.play(t, p.start(t, `{"entry":"fee"}`), game.Win)
	claimed := decode[api.ClaimOut](t, p.post(t, "/api/runs/"+r.ID+"/claim", "").ok(t))
	key := p.newKey(t)
	address, name := p.address, newName()

	out := p.register(t, name)
	if out.Account.Address != address || out.Account.Username != name || out.Account.Kind != "account" ||
		out.Balance != 950 {
		t.Errorf("registered: %+v, want the guest's account with its 950 coins", out)
	}
	p.post(t, "/api/auth/register", credentials(newName())).fails(t, 409, "already_registered")
	s.bearer(t, key.Secret, me).fails(t, 401, "unauthenticated") // it was not kept

	elsewhere := s.anonymous(t)
	if out := elsewhere.signIn(t, "/api/auth/login", credentials(strings.ToUpper(name))); out.Account.Address != address ||
		out.Account.Username != name {
		t.Errorf("signed in: %+v", out)
	}
	runs := decode[api.RunsOut](t, elsewhere.get(t, "/api/runs").ok(t)).Runs
	wallet := decode[api.AddressOut](t, elsewhere.get(t, "/api/chain/address/"+address).ok(t)).Address
	if len(runs) != 1 || runs[0].ID != r.ID || len(wallet.Tokens) != 1 ||
		wallet.Tokens[0].TokenID != claimed.Token.TokenID {
		t.Errorf("elsewhere there are the runs %+v and the tokens %+v", runs, wallet.Tokens)
	}
	elsewhere.start(t, "") // the new CSRF token works
	s.seal(t)
	p.chainIsValid(t)
}

func TestNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	name := newName()
	p := s.anonymous(t)
	p.register(t, name)
	other := s.guest(t)
	for _, taken := range []string{name, strings.ToUpper(name)} {
		other.post(t, "/api/auth/register", credentials(taken)).fails(t, 409, "username_taken")
		other.post(t, "/api/auth/rename", `{"username":"`+taken+`"}`).fails(t, 409, "username_taken")
		other.post(t, "/api/bots", `{"name":"`+taken+`"}`).fails(t, 409, "username_taken")
	}
	if got := other.me(t).Account; got.Kind != "guest" || strings.EqualFold(got.Username, name) {
		t.Errorf("after being refused the guest is %+v", got)
	}
	// The caller's own name in other letter case is available, and the old name is available to
	// all after 30 days.
	p.post(t, "/api/auth/rename", `{"username":"`+strings.ToUpper(name)+`"}`).ok(t)
	renamed := decode[api.AccountOut](t, p.post(t, "/api/auth/rename", `{"username":"`+newName()+`"}`).ok(t)).Account
	if got := p.me(t).Account.Username; got != renamed.Username {
		t.Errorf("renamed to %s, is %s", renamed.Username, got)
	}
	s.clock.forward(account.NameHeld)
	other.post(t, "/api/auth/rename", `{"username":"`+name+`"}`).ok(t)
	s.anonymous(t).post(t, "/api/auth/login", credentials(name)).fails(t, 401, "bad_credentials")
	s.anonymous(t).post(t, "/api/auth/login", credentials(renamed.Username)).ok(t)
}

// TestRegistrationsAtOnce: of eight concurrent registrations of one name one gets it, and one
// account is opened.
func TestRegistrationsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	body, players := credentials(newName()), make([]*player, 8)
	for i := range players {
		players[i] = s.anonymous(t)
	}
	got := outcomes(t, s, len(players), func(i int) (answer, error) {
		return players[i].try(t, request{method: "POST", path: "/api/auth/register", body: body})
	})
	if got[fine] != 1 || got["username_taken"] != 7 {
		t.Errorf("8 registrations at once: %v, want one account and seven times username_taken", got)
	}
	s.seal(t)
	if text := players[0].get(t, "/api/chain/blocks/1").ok(t).body; strings.Count(text, `"account.create"`) != 1 {
		t.Errorf("the chain knows of %d new accounts, want 1", strings.Count(text, `"account.create"`))
	}
}

// TestPasswords tries the shortest and the longest password, counted in characters.
func TestPasswords(t *testing.T) {
	t.Parallel()
	s := start(t)
	body := func(name, password string) string {
		return fmt.Sprintf(`{"username":%q,"password":%q}`, name, password)
	}
	for password, want := range map[string]string{
		"1234567": "body.password string_too_short", strings.Repeat("ä", 257): "body.password string_too_long",
	} {
		a := s.anonymous(t).post(t, "/api/auth/register", body(newName(), password))
		a.invalid(t, want)
		if strings.Contains(a.body, password) {
			t.Errorf("a password is repeated: %s", a.body)
		}
	}
	for _, password := range []string{"12345678", strings.Repeat("ä", 255) + "!"} {
		name := newName()
		s.anonymous(t).post(t, "/api/auth/register", body(name, password)).ok(t)
		s.anonymous(t).post(t, "/api/auth/login", body(name, password)).ok(t)
		wrong := s.anonymous(t).post(t, "/api/auth/login", body(name, password[:len(password)-1]))
		unknown := s.anonymous(t).post(t, "/api/auth/login", body(newName(), password))
		if e, f := wrong.fails(t, 401, "bad_credentials"), unknown.fails(t, 401, "bad_credentials"); e.Message != f.Message {
			t.Errorf("a wrong password is %q, an unknown name %q: they must not differ", e.Message, f.Message)
		}
	}
}

// TestLogout ends the session, and takes the cookie away.
func TestLogout(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	token := p.cookie(t)
	a := p.post(t, "/api/auth/logout", "").ok(t)
	if set := a.header.Get("Set-Cookie"); !strings.HasPrefix(set, "roshambo_session=;") ||
		!strings.Contains(set, "Max-Age=0") {
		t.Errorf("Set-Cookie %q, want one that ends the cookie", set)
	}
	s.cookie(t, token).fails(t, 401, "unauthenticated")
	if p.cookie(t) != "" {
		t.Error("the browser still has a cookie")
	}
	p.get(t, "/api/me").fails(t, 401, "unauthenticated")
}

func (p *player) sessions(t *testing.T) []api.SessionInfo {
	t.Helper()
	return decode[api.SessionsOut](t, p.get(t, "/api/sessions").ok(t)).Sessions
}

// TestSessions: an account lists its sessions, and ends them.
func TestSessions(t *testing.T) {
	t.Parallel()
	s := start(t)
	name := newName()
	here, there := s.anonymous(t), s.anonymous(t)
	here.register(t, name)
	s.clock.forward(time.Minute)
	there.signIn(t, "/api/auth/login", credentials(name))
	list := here.sessions(t)
	if len(list) != 2 || list[0].Current || !list[1].Current || !strings.HasPrefix(list[0].Agent, "Go-http-client") {
		t.Fatalf("the sessions are %+v, want the other one first", list)
	}
	here.post(t, "/api/sessions/"+list[0].ID+"/end", "").ok(t)
	there.get(t, "/api/me").fails(t, 401, "unauthenticated")
	here.post(t, "/api/sessions/"+list[0].ID+"/end", "").fails(t, 404, "not_found")
	here.post(t, "/api/sessions/none/end", "").fails(t, 404, "not_found")
	if got := here.sessions(t); len(got) != 1 || !got[0].Current {
		t.Errorf("after ending the other one: %+v", got)
	}
	here.post(t, "/api/sessions/"+list[1].ID+"/end", "").ok(t)
	here.get(t, "/api/me").fails(t, 401, "unauthenticated")
}

// TestSessionsEnd: a session ends 30 days after its last use, and 90 days after it began in any
// case.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	idle, used := s.guest(t), s.guest(t)
	for range 4 {
		s.clock.forward(29 * 24 * time.Hour / 2)
		used.get(t, "/api/me").ok(t)
	}
	idle.get(t, "/api/me").fails(t, 401, "unauthenticated")
	for range 2 {
		s.clock.forward(15 * 24 * time.Hour)
		used.get(t, "/api/me").ok(t)
	}
	s.clock.forward(3 * 24 * time.Hour)
	used.get(t, "/api/me").fails(t, 401, "unauthenticated")
}

// TestSessionsAreBounded: the hundred and first session ends the one that was unused longest, so
// that all sessions fit into one list.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	p.register(t, newName())
	first := p.cookie(t)
	address, err := chain.ParseAddress(p.address)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if i == 99 { // a hundred so far
			s.cookie(t, first).ok(t)
		}
		s.clock.forward(time.Millisecond)
		err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := s.accounts.SignIn(ctx, tx, address, account.SessionToken{}, "a browser")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.cookie(t, first).fails(t, 401, "unauthenticated")
}

// from returns the header that sets a request's address, for a stack that trusts it.
func from(address string) map[string]string { return map[string]string{"X-Forwarded-For": address} }

// throttled starts a stack behind a proxy with these limits on failed logins.
func throttled(t *testing.T, byNameAndClient, byName, byClient int, window time.Duration) *stack {
	t.Helper()
	return start(t, func(c *edge.Config) {
		c.TrustedProxies = []string{"127.0.0.1"}
		for _, l := range []struct {
			throttle *account.Throttle
			max      int
		}{{&c.Accounts.Failures.ByNameAndClient, byNameAndClient}, {&c.Accounts.Failures.ByName, byName},
			{&c.Accounts.Failures.ByClient, byClient}} {
			budget, err := limit.NewBudget(limit.Rate{Max: l.max, Window: window})
			if err != nil {
				t.Fatal(err)
			}
			*l.throttle = throttle{budget}
		}
	})
}

func (s *stack) login(t *testing.T, address, name, password string) answer {
	t.Helper()
	body := `{"username":"` + name + `","password":"` + password + `"}`
	return s.anonymous(t).send(t, request{"POST", "/api/auth/login", body, from(address)})
}

const rightPassword = "correct horse" // of credentials

// TestFailedLogins counts failures for a name from one address, for a name from all addresses, and
// for an address; none of them locks an owner out at another address.
func TestFailedLogins(t *testing.T) {
	t.Parallel()
	s := throttled(t, 2, 4, 5, time.Hour)
	name := newName()
	s.anonymous(t).post(t, "/api/auth/register", credentials(name)).ok(t)
	for _, n := range []string{name, newName()} { // the outcome must not show whether the name exists
		s.login(t, "198.51.100.1", n, "a guess").fails(t, 401, "bad_credentials")
		s.login(t, "198.51.100.1", strings.ToUpper(n), "a guess").fails(t, 401, "bad_credentials")
		a := s.login(t, "198.51.100.1", n, rightPassword)
		e := a.fails(t, 429, "rate_limited")
		if e.RetryAfterMS < 1 || a.header.Get("Retry-After") == "" {
			t.Errorf("429 without when to try again: %s", a.body)
		}
	}
	// The address has one failure left, for any name.
	s.login(t, "198.51.100.1", newName(), "a guess").fails(t, 401, "bad_credentials")
	s.login(t, "198.51.100.1", newName(), "a guess").fails(t, 429, "rate_limited")
	// The owner signs in from another address without limit: successes do not count.
	for range 5 {
		s.login(t, "198.51.100.2", name, rightPassword).ok(t)
	}
	// Many addresses together reach the limit of the name; refused attempts did not count.
	s.login(t, "198.51.100.3", name, "a guess").fails(t, 401, "bad_credentials")
	s.login(t, "198.51.100.4", name, "a guess").fails(t, 401, "bad_credentials")
	s.login(t, "198.51.100.5", name, "a guess").fails(t, 429, "rate_limited")
	s.login(t, "198.51.100.5", newName(), "a guess").fails(t, 401, "bad_credentials")
}

// TestFailuresAtOnce: attempts count before the password is checked, so concurrent attempts do not
// exceed the limit.
func TestFailuresAtOnce(t *testing.T) {
	t.Parallel()
	s := throttled(t, 3, 100, 100, time.Hour)
	body := `{"username":"` + newName() + `","password":"a guess"}`
	p := s.anonymous(t)
	got := outcomes(t, s, 12, func(int) (answer, error) {
		return p.try(t, request{"POST", "/api/auth/login", body, from("198.51.100.1")})
	})
	if got["bad_credentials"] != 3 || got["rate_limited"] != 9 {
		t.Errorf("12 guesses at once: %v, want 3 tried and 9 refused", got)
	}
}

// TestThrottleRecovers waits for retry_after_ms, and then signs in.
func TestThrottleRecovers(t *testing.T) {
	t.Parallel()
	s := throttled(t, 1, 100, 100, 300*time.Millisecond)
	name := newName()
	s.anonymous(t).post(t, "/api/auth/register", credentials(name)).ok(t)
	s.login(t, "198.51.100.1", name, "a guess").fails(t, 401, "bad_credentials")
	deadline := time.Now().Add(testTimeout)
	for a := s.login(t, "198.51.100.1", name, rightPassword); a.status != 200; a = s.login(t, "198.51.100.1", name,
		rightPassword) {
		a.fails(t, 429, "rate_limited")
		if time.Now().After(deadline) {
			t.Fatal("the limit never ended")
		}
	}
}

// TestExistingNames: an account whose name is reserved today has it from before. It signs in with the name in any
// spelling, keeps it, and may take another one; no other account takes it.
func TestExistingNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	name, p := newName(), s.guest(t)
	p.register(t, name)
	s.within(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE account SET username = 'Support-1', username_key = 'support1',
			username_fold = 'supporti' WHERE username = $1`, name)
		return err
	})
	for _, spelling := range []string{"Support-1", "support1", "SUPPORT_1"} {
		browser := s.anonymous(t)
		out := decode[api.SessionOut](t, browser.post(t, "/api/auth/login", credentials(spelling)).ok(t))
		if out.Account.Username != "Support-1" || out.Account.Address != p.address {
			t.Errorf("signing in as %s opens %+v", spelling, out.Account)
		}
	}
	if got := p.me(t).Account.Username; got != "Support-1" {
		t.Errorf("the name is now %s", got)
	}
	s.guest(t).post(t, "/api/auth/register", credentials("support1")).fails(t, 409, "username_taken")
	p.post(t, "/api/auth/rename", `{"username":"`+newName()+`"}`).ok(t)
}
