package httpapi_test

import (
	"bytes"
	"strings"
	"testing"

	"roshambo/internal/server/httpapi"
	"roshambo/internal/store/storetest"
)

// TestSecretsStayHidden uses every kind of secret, and then looks for each in all that
// must not hold it: the database's files, the log, and every answer but the one that
// hands it out. The log is searched again when the stack ends.
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
	s.tokens.add(decode[httpapi.NewKeyOut](t, key).Secret, decode[httpapi.NewBotOut](t, rotated).Secret, p.cookie(t))

	for _, a := range p.snoop(t, name, token) {
		for _, secret := range s.tokens.list() {
			own := secret == p.csrf && a.request.path == "/api/me" // which is where a page reads it
			if strings.Contains(a.body, secret) && !own {
				t.Errorf("%v: the answer holds the secret %q:\n%s", a.request, secret, a.body)
			}
		}
	}
	p.databaseHidesSeeds(t)
	// The search finds what is there: the username is no secret.
	if !bytes.Contains(storetest.Content(t, s.place), []byte(name)) {
		t.Error("the search does not even find the username")
	}
	// Repeated, the secrets come back from where they are stored encrypted.
	p.keyed(t, "for-a-key", request{method: "POST", path: "/api/keys"}).sameAs(t, key)
}

// snoop asks for all that there is about an account, and makes every mistake with its
// secrets.
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
		{method: "POST", path: "/api/auth/login", body: `{"username":"` + strings.Repeat(name, 9) + `","password":"planted-password-4711"}`},
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
