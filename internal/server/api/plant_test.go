package api_test

import (
	"bytes"
	"strings"
	"testing"

	"roshambo/internal/server/api"
	"roshambo/internal/store/storetest"
)

// TestSecretsStayHidden uses every kind of secret, and then searches everything that must not
// contain it: the database's files, the log, and all answers but the one that returns it. The log
// is searched again when the stack ends.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, true)
	const password = "planted-password-4711"
	name := newName()
	body := `{"username":"` + name + `","password":"` + password + `"}`
	s.tokens.add(password)
	p := s.guest(t)
	p.signIn(t, "/api/auth/register", body)
	p.signIn(t, "/api/auth/login", body)
	token := office.ask(t, p, "planted@example.org")
	key := p.keyed(t, "for-a-key", request{method: "POST", path: "/api/keys"}).ok(t)
	bot := p.newBot(t, newName())
	rotated := p.keyed(t, "for-a-bot", request{method: "POST", path: "/api/bots/" + bot.Bot.Address + "/rotate"}).ok(t)
	s.tokens.add(decode[api.NewKeyOut](t, key).Secret, decode[api.NewBotOut](t, rotated).Secret, p.cookie(t))

	for _, a := range p.snoop(t, name, token) {
		for _, secret := range s.tokens.list() {
			own := secret == p.csrf && a.request.path == "/api/me" // where the page reads it
			if strings.Contains(a.body, secret) && !own {
				t.Errorf("%v: the answer holds the secret %q:\n%s", a.request, secret, a.body)
			}
		}
	}
	p.databaseHidesSeeds(t)
	// The search works: it finds the username, which is no secret.
	if !bytes.Contains(storetest.Content(t, s.place), []byte(name)) {
		t.Error("the search does not even find the username")
	}
	// Replays return the secrets from their encrypted store.
	p.keyed(t, "for-a-key", request{method: "POST", path: "/api/keys"}).sameAs(t, key)
}

// snoop reads everything about an account, and makes every mistake with its secrets.
func (p *player) snoop(t *testing.T, name, token string) []answer {
	t.Helper()
	var all []answer
	for _, path := range []string{
		"/api/me", "/api/keys", "/api/bots", "/api/sessions", "/api/runs", "/api/chain/address/" + p.address,
		"/api/chain/search?q=" + name, "/api/chain/blocks", "/api/limits",
	} {
		all = append(all, p.get(t, path).ok(t))
	}
	for _, q := range []request{
		{method: "POST", path: "/api/auth/login", body: `{"username":"` + name + `","password":["planted-password-4711"]}`},
		{method: "POST", path: "/api/auth/login", body: `{"username":"` + strings.Repeat(name,
			9) + `","password":"planted-password-4711"}`},
		{method: "POST", path: "/api/auth/register", body: `{"username":"?","password":"planted-password-4711"}`},
		{method: "POST", path: "/api/auth/register", body: `{"password":"planted-password-4711"}`},
		{method: "POST", path: "/api/auth/register", body: `{"username":"` + name + `","password":"planted-password-4711"}`},
		{method: "POST", path: "/api/auth/magic-link/redeem", body: `{"token":"` + token + strings.Repeat("x", 60) + `"}`},
		{method: "POST", path: "/api/auth/magic-link/redeem", body: `{"token":{"` + token + `":1}}`},
		{method: "POST", path: "/api/auth/magic-link/redeem", body: `{"token":"` + token[1:] + `"}`},
	} {
		a := p.send(t, q.with(map[string]string{"X-CSRF-Token": p.csrf}))
		if a.status == 200 {
			t.Errorf("%v: succeeded", q)
		}
		all = append(all, a)
	}
	return all
}
