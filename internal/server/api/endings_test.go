package api_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"roshambo/chain"
	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// ending is a way in which the caller of an operation ends.
type ending struct {
	name string
	// of reports whether the callers of an operation end so.
	of func(v verdicts) bool
	// begin makes p the caller, and returns what ends it on another node; nil for a player that cannot end so.
	begin   func(t *testing.T, p *player, other *stack) func() (answer, error)
	makes   int  // keys
	devices int  // browsers that it remembers
	more    bool // it changes more than sessions and keys
}

// Operations that a session may call, and of these the ones that a key may call, too.
func ofSession(v verdicts) bool { return v.nothing == unauth && v.guest == fine }
func ofKey(v verdicts) bool     { return ofSession(v) && v.key == fine }

var endings = []ending{
	{name: "signing out", of: ofSession, begin: byPath("/api/auth/logout")},
	{name: "deletion", of: func(verdicts) bool { return true }, begin: byPath("/api/account/delete"), more: true},
	{name: "revocation", of: ofKey,
		begin: func(t *testing.T, p *player, other *stack) func() (answer, error) {
			t.Helper()
			key := p.newKey(t)
			p.bearer = key.Secret
			return p.ends(t, other, key.revokePath(), "")
		}},
	{name: "rotation", of: func(v verdicts) bool { return v.guest == bots }, makes: 1,
		begin: func(t *testing.T, p *player, other *stack) func() (answer, error) {
			t.Helper()
			owner := *p
			owner.bearer = ""
			return owner.ends(t, other, "/api/bots/"+owner.bots(t)[0].Address+"/rotate", "")
		}},
	{name: "the host of a cup", of: func(v verdicts) bool { return v.guest == bots }, more: true,
		begin: func(t *testing.T, p *player, other *stack) func() (answer, error) {
			t.Helper()
			owner := *p
			owner.bearer = ""
			name, host := owner.bots(t)[0].Username, p.s.guest(t)
			h := host.hosts(t, `{"kind":"bots","by_hand":true,"private":true}`, 0)
			p.post(t, h.path("/join"), `{"code":"`+h.code+`"}`).ok(t)
			return host.ends(t, other, h.path("/end-key"), `{"bot":"`+name+`"}`)
		}},
	{name: "the revocation of the key that made it", of: ofKey,
		begin: func(t *testing.T, p *player, other *stack) func() (answer, error) {
			t.Helper()
			maker := p.newKey(t)
			made := decode[api.NewKeyOut](t, p.s.bearer(t, maker.Secret, ended("/api/keys")).ok(t))
			p.s.tokens.add(made.Secret)
			p.bearer = made.Secret
			return p.ends(t, other, maker.revokePath(), "")
		}},
	{name: "freezing", of: func(verdicts) bool { return true }, more: true,
		begin: func(t *testing.T, p *player, other *stack) func() (answer, error) {
			t.Helper()
			address, err := chain.ParseAddress(p.address)
			if err != nil {
				t.Fatal(err)
			}
			return func() (answer, error) {
				return answer{status: http.StatusOK}, other.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					_, err := other.accounts.Freeze(ctx, tx, address)
					return err
				})
			}
		}},
	{name: "the end of all other sessions", of: ofSession, begin: byAnother("/api/sessions/end-others", "")},
	{name: "the end of the session", of: ofSession,
		begin: func(t *testing.T, p *player, other *stack) func() (answer, error) {
			t.Helper()
			owner := p.elsewhere(t)
			if owner == nil {
				return nil
			}
			for _, s := range decode[api.SessionsOut](t, p.get(t, "/api/sessions").ok(t)).Sessions {
				if s.Current {
					return owner.ends(t, other, "/api/sessions/"+s.ID+"/end", "")
				}
			}
			t.Fatal("no session is the current one")
			return nil
		}},
	{name: "a change of the password", of: ofSession, more: true,
		begin: byAnother("/api/auth/password", `{"password":"battery staple"}`)},
	{name: "a reset of the password", of: ofSession, more: true,
		begin: func(t *testing.T, p *player, other *stack) func() (answer, error) {
			t.Helper()
			if p.elsewhere(t) == nil {
				return nil
			}
			q := good["redeemPasswordReset"](t, p)
			return p.s.anonymous(t).ends(t, other, q.path, q.body)
		}},
	{name: "a link to another browser", of: ofSession, more: true, begin: byLink},
	{name: "registration", of: ofSession, more: true, begin: byRegistration},
	// Of keys, by what ends all that it does not name.
	{name: "the end of all other sessions, and of keys", of: ofKey, devices: 1,
		begin: ofItsKey(byPath("/api/sessions/end-others"))},
	{name: "a link to another browser, which ends keys", of: ofKey, more: true, begin: ofItsKey(byLink)},
	{name: "registration, which ends keys", of: ofKey, more: true, begin: ofItsKey(byRegistration)},
}

// ended is a path that ends a caller.
func ended(path string) request { return request{method: http.MethodPost, path: path} }

// ends returns the call by which p's browser ends a caller on another node.
func (p *player) ends(t *testing.T, other *stack, path, body string) func() (answer, error) {
	t.Helper()
	owner := *p
	owner.bearer, owner.s = "", other
	q := request{method: http.MethodPost, path: path, body: body, header: map[string]string{"X-CSRF-Token": p.csrf}}
	return func() (answer, error) { return owner.try(t, q) }
}

// byPath ends the caller by its own browser.
func byPath(path string) func(*testing.T, *player, *stack) func() (answer, error) {
	return func(t *testing.T, p *player, other *stack) func() (answer, error) {
		t.Helper()
		return p.ends(t, other, path, "")
	}
}

// byAnother ends the caller by another browser of its account.
func byAnother(path, body string) func(*testing.T, *player, *stack) func() (answer, error) {
	return func(t *testing.T, p *player, other *stack) func() (answer, error) {
		t.Helper()
		if owner := p.elsewhere(t); owner != nil {
			return owner.ends(t, other, path, body)
		}
		return nil
	}
}

// byLink ends a guest by a link that another browser redeems, and no other account.
func byLink(t *testing.T, p *player, other *stack) func() (answer, error) {
	t.Helper()
	if p.me(t).Account.Kind != "guest" {
		return nil
	}
	q := good["redeemMagicLink"](t, p)
	return p.s.anonymous(t).ends(t, other, q.path, q.body)
}

// byRegistration ends a guest's session, and its keys, by a registration in its own browser.
func byRegistration(t *testing.T, p *player, other *stack) func() (answer, error) {
	t.Helper()
	if p.me(t).Account.Kind != "guest" {
		return nil
	}
	return p.ends(t, other, "/api/auth/register", credentials(newName()))
}

// ofItsKey makes a key of the player's the caller, which ends with the player's own sessions.
func ofItsKey(
	end func(*testing.T, *player, *stack) func() (answer, error),
) func(*testing.T, *player, *stack) func() (answer, error) {
	return func(t *testing.T, p *player, other *stack) func() (answer, error) {
		t.Helper()
		ends := end(t, p, other)
		if ends != nil {
			p.bearer = p.newKey(t).Secret
		}
		return ends
	}
}

// elsewhere signs another browser in to the player's account, and secures a guest for that, which keeps its keys.
// It returns nil for an account without a password.
func (p *player) elsewhere(t *testing.T) *player {
	t.Helper()
	out := p.me(t).Account
	name := out.Username
	if out.Kind == "guest" {
		name = newName()
		keep := []byte("[")
		for _, k := range p.keys(t) {
			keep = fmt.Appendf(keep, "%d,", k.ID)
		}
		for _, b := range p.bots(t) {
			keep = fmt.Appendf(keep, "%d,", b.KeyID)
		}
		keep = append(keep[:max(1, len(keep)-1)], ']')
		p.signIn(t, "/api/auth/register", fmt.Sprintf(`{"username":%q,"password":"correct horse","keep":%s}`, name, keep))
	}
	owner := p.s.anonymous(t)
	a := owner.post(t, "/api/auth/login", credentials(name))
	if a.status != http.StatusOK {
		return nil
	}
	session := decode[api.SessionOut](t, a)
	owner.csrf, owner.address = session.CSRFToken, session.Account.Address
	p.s.tokens.add(owner.csrf)
	return owner
}
