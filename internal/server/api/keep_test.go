package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"roshambo/internal/server/api"
	"roshambo/internal/service/account"
)

// TestKeysNeedASignIn lets a cookie that was stolen from a registered player try to make keys: 10 minutes after
// the sign-in it can make or rotate none, nor repeat a call of the owner for its stored answer. A guest has nothing
// to sign in with, and may.
func TestKeysNeedASignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	guest, owner := s.guest(t), s.guest(t)
	owner.register(t, newName())
	bot := owner.newBot(t, newName())
	stored, answers := map[string]request{
		"a key":      {method: "POST", path: "/api/keys", body: `{"label":"stored"}`},
		"a bot":      {method: "POST", path: "/api/bots", body: `{"name":"` + newName() + `"}`},
		"a rotation": {method: "POST", path: "/api/bots/" + bot.Bot.Address + "/rotate"},
	}, map[string]answer{}
	for key, q := range stored {
		answers[key] = owner.keyed(t, key, q).ok(t)
		owner.keyed(t, key, q).sameAs(t, answers[key]) // while the sign-in is recent, a lost answer can be had again
	}
	bot = decode[api.NewBotOut](t, answers["a rotation"])
	guests := guest.keyed(t, "a key", stored["a key"]).ok(t)
	s.clock.forward(account.RecentSignIn)
	guest.newKey(t)
	for path, body := range map[string]string{
		"/api/keys": "", "/api/bots": `{"name":"` + newName() + `"}`, "/api/bots/" + bot.Bot.Address + "/rotate": "",
	} {
		owner.post(t, path, body).fails(t, http.StatusForbidden, "sign_in_required")
	}
	for key, q := range stored { // a stored answer has the secret of a valid key
		owner.keyed(t, key, q).fails(t, http.StatusForbidden, "sign_in_required")
	}
	guest.keyed(t, "a key", stored["a key"]).sameAs(t, guests)
	if len(owner.keys(t)) != 1 || len(owner.bots(t)) != 2 {
		t.Error("a refused call made a key or a bot")
	}
	s.bearer(t, bot.Secret, me).ok(t)
}

// byKey sends a request with a key, and returns the new key, or the new bot's key, in the answer.
func byKey[T api.NewKeyOut | api.NewBotOut](t *testing.T, s *stack, secret, path, body string) (made T) {
	t.Helper()
	made = decode[T](t, s.bearer(t, secret, request{method: "POST", path: path, body: body}).ok(t))
	switch made := any(made).(type) {
	case api.NewKeyOut:
		s.tokens.add(made.Secret)
	case api.NewBotOut:
		s.tokens.add(made.Secret)
	}
	return made
}

// TestMadeKeysEnd checks that what a key has made ends with it: keys, their keys and the keys of bots.
func TestMadeKeysEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.guest(t)
	own, first := owner.newKey(t), owner.newKey(t)
	bot := owner.newBot(t, newName())
	second := byKey[api.NewKeyOut](t, s, first.Secret, "/api/keys", "")
	third := byKey[api.NewKeyOut](t, s, second.Secret, "/api/keys", "")
	made := byKey[api.NewBotOut](t, s, third.Secret, "/api/bots", `{"name":"`+newName()+`"}`)
	rotated := byKey[api.NewBotOut](t, s, third.Secret, "/api/bots/"+bot.Bot.Address+"/rotate", "")
	reading := decode[api.NewKeyOut](t, owner.post(t, "/api/keys", `{"scopes":["read","play"]}`).ok(t))
	s.tokens.add(reading.Secret)
	s.bearer(t, reading.Secret, request{method: "POST", path: "/api/keys"}).fails(t, http.StatusForbidden, "forbidden")

	owner.post(t, first.revokePath(), "").ok(t)
	for name, secret := range map[string]string{"first": first.Secret, "second": second.Secret, "third": third.Secret,
		"a bot's": made.Secret, "a rotated one": rotated.Secret} {
		if a := s.bearer(t, secret, me); a.status != http.StatusUnauthorized {
			t.Errorf("%s key after its maker has ended: %d", name, a.status)
		}
	}
	s.bearer(t, own.Secret, me).ok(t)
}

// TestKeysExpire checks that an expired key is refused, takes no place, and that what it made expires with it.
func TestKeysExpire(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.guest(t)
	key := decode[api.NewKeyOut](t, owner.post(t, "/api/keys", `{"expires_in_days":2}`).ok(t))
	s.tokens.add(key.Secret)
	long := byKey[api.NewKeyOut](t, s, key.Secret, "/api/keys", `{"expires_in_days":9}`)
	short := byKey[api.NewKeyOut](t, s, key.Secret, "/api/keys", `{"expires_in_days":1}`)
	bot := byKey[api.NewBotOut](t, s, key.Secret, "/api/bots", `{"name":"`+newName()+`"}`)
	end := s.clock.Now().Add(48 * time.Hour)
	if got := key.Key.ExpiresAt; got == nil || !got.Equal(end) || !long.Key.ExpiresAt.Equal(end) ||
		!short.Key.ExpiresAt.Equal(end.Add(-24*time.Hour)) {
		t.Errorf("the keys expire at %v, %v, %v", got, long.Key.ExpiresAt, short.Key.ExpiresAt)
	}
	s.clock.forward(48*time.Hour - time.Millisecond)
	s.bearer(t, key.Secret, me).ok(t)
	s.bearer(t, bot.Secret, me).ok(t)
	if got := owner.bots(t)[0].KeyEndedAt; got != nil {
		t.Errorf("the key of the bot has ended at %v", got)
	}
	s.bearer(t, short.Secret, me).fails(t, http.StatusUnauthorized, "unauthenticated")
	s.clock.forward(time.Millisecond)
	if got := owner.bots(t)[0].KeyEndedAt; got == nil || !got.Equal(end) {
		t.Errorf("the key of the bot has ended at %v, want %v", got, end)
	}
	for _, secret := range []string{key.Secret, long.Secret, bot.Secret} {
		s.bearer(t, secret, me).fails(t, http.StatusUnauthorized, "unauthenticated")
		s.bearer(t, secret, request{method: "POST", path: "/api/runs"}).fails(t, http.StatusUnauthorized, "unauthenticated")
	}
	for range account.MaxKeys { // the expired ones do not count
		owner.newKey(t)
	}
	owner.post(t, "/api/keys", `{"expires_in_days":0}`).invalid(t, "body.expires_in_days greater_than_equal")
}

// TestKeep changes the password, resets it and signs out everywhere else: all keys end, bots' keys too, but
// the ones that the call names. The answer lists the ended ones.
func TestKeep(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(p *player, keep string) answer{
		"password": func(p *player, keep string) answer {
			return p.post(t, passwordPath, `{"password":"battery staple"`+keep+`}`)
		},
		"everywhere else": func(p *player, keep string) answer {
			return p.post(t, "/api/sessions/end-others", `{"x":0`+keep+`}`)
		},
		"reset": func(p *player, keep string) answer {
			mailbox := p.attach(t)
			p.post(t, "/api/auth/password/reset", `{"email":"`+mailbox+`"}`).ok(t)
			return p.post(t, "/api/auth/password/reset/redeem", fmt.Sprintf(`{"token":%q,"password":"battery staple"%s}`,
				p.mailedTo(t, mailbox, "#reset="), keep))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			p := s.guest(t)
			p.register(t, newName())
			bots := []api.NewBotOut{p.newBot(t, newName()), p.newBot(t, newName())}
			ended, maker := p.newKey(t), p.newKey(t)
			kept := byKey[api.NewKeyOut](t, s, maker.Secret, "/api/keys", "")
			use(p, `,"keep":[999999]`).fails(t, http.StatusNotFound, "not_found")
			s.bearer(t, ended.Secret, me).ok(t)
			link := p.mailedToken(t)
			out := decode[api.SessionOut](t, use(p, fmt.Sprintf(`,"keep":[%d,%d]`, kept.Key.ID, bots[1].Bot.KeyID)).ok(t))
			if len(out.EndedKeys) != 3 || out.EndedKeys[0].ID != maker.Key.ID || out.EndedKeys[0].RevokedAt == nil {
				t.Errorf("ended: %+v, want the two keys and a bot's", out.EndedKeys)
			}
			for _, secret := range []string{ended.Secret, maker.Secret, bots[0].Secret} {
				s.bearer(t, secret, me).fails(t, http.StatusUnauthorized, "unauthenticated")
			}
			s.anonymous(t).post(t, redeem, tokenBody(link)).fails(t, http.StatusNotFound, "link_invalid")
			for _, secret := range []string{kept.Secret, bots[1].Secret} {
				s.bearer(t, secret, me).ok(t)
			}
		})
	}
}
