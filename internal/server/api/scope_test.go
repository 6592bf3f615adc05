package api_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roshambo/game"
	"roshambo/internal/server/api"
)

// scopedKey creates a key with the given scopes, as JSON.
func (p *player) scopedKey(t *testing.T, scopes string) newKey {
	t.Helper()
	out := decode[api.NewKeyOut](t, p.post(t, "/api/keys", `{"scopes":`+scopes+`}`).ok(t))
	p.s.tokens.add(out.Secret)
	return newKey{out}
}

// roles returns the scopes that the contract lists for a player's key.
func (o operation) roles() (list []string, accepts bool) {
	security, _ := o.object["security"].([]any)
	for _, s := range security {
		if roles, ok := s.(object)["key"].([]any); ok {
			for _, r := range roles {
				list = append(list, r.(string))
			}
			return list, true
		}
	}
	return nil, false
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// TestScopes calls every operation of the contract that accepts a player's key with a key for each
// scope: the contract names one scope, a key with another is refused before anything is read or
// stored, and a key with that scope is not.
func TestScopes(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	secrets := map[string]string{}
	for _, scope := range []string{"read", "play", "trade"} {
		secrets[scope] = p.scopedKey(t, `["`+scope+`"]`).Secret
		s.bearer(t, secrets[scope], request{method: "POST", path: "/api/arena/leave"}) // the first use of a key is stored
	}
	count := map[string]int{}
	for _, o := range s.doc.operations {
		roles, accepts := o.roles()
		if !accepts {
			continue
		}
		makes := o.id == "createKey" || o.id == "createBot" || o.id == "rotateBotKey"
		if makes && len(roles) == len(secrets) {
			roles = []string{strings.Join(roles, " ")} // which no key of one scope has
		} else if len(roles) != 1 || secrets[roles[0]] == "" || (o.method == "GET") != (roles[0] == "read") {
			t.Errorf("%s (%s) needs the scopes %v, want read for GET, and play or trade otherwise", o.id, o.method, roles)
			continue
		}
		count[roles[0]]++
		q := request{method: o.method, path: pathParameter.ReplaceAllString(o.path, "1")}
		if o.id == "followEvents" {
			q.path += "?follow=false"
		}
		for scope, secret := range secrets {
			before := s.db.Stats().Updates
			a := s.bearer(t, secret, q)
			refused := a.status == 403 && strings.Contains(a.body, `"scope":`)
			if want := scope != roles[0]; refused != want {
				t.Errorf("%s with a key for %s: %d %s; refused %t, want %t", o.id, scope, a.status, a.body, refused, want)
			}
			if refused && !strings.Contains(a.body, `"scope":"`+roles[0]+`"`) {
				t.Errorf("%s with a key for %s: %s, want the scope %s", o.id, scope, a.body, roles[0])
			}
			if after := s.db.Stats().Updates; refused && after != before {
				t.Errorf("%s with a key for %s: %d updates by a refused call", o.id, scope, after-before)
			}
		}
	}
	if count["read"] < 15 || count["play"] < 15 || count["trade"] < 5 {
		t.Errorf("operations by scope: %v", count)
	}
}

// TestScopesOfKeys: the list shows scopes, a key without a choice has all, and a bot is not limited.
func TestScopesOfKeys(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	for body, want := range map[string]string{
		"":                                    "read play trade",
		`{"scopes":null}`:                     "read play trade",
		`{"scopes":["play","read"]}`:          "read play",
		`{"scopes":["trade","trade"]}`:        "trade",
		`{"label":"watch","scopes":["read"]}`: "read",
	} {
		out := decode[api.NewKeyOut](t, p.post(t, "/api/keys", body).ok(t))
		s.tokens.add(out.Secret)
		i := slices.IndexFunc(p.keys(t), func(k api.APIKey) bool { return k.ID == out.Key.ID })
		if got, listed := strings.Join(out.Key.Scopes, " "), strings.Join(p.keys(t)[i].Scopes, " "); got != want ||
			listed != want {
			t.Errorf("%s: scopes %q, listed %q, want %q", body, got, listed, want)
		}
	}
	other := s.guest(t)
	for body, problem := range map[string]string{
		`{"scopes":[]}`:         "body.scopes too_short",
		`{"scopes":["admin"]}`:  "body.scopes.0 enum",
		`{"scopes":"read"}`:     "body.scopes list_type",
		`{"scopes":["read",7]}`: "body.scopes.1 enum",
	} {
		other.post(t, "/api/keys", body).invalid(t, problem)
	}
	bot := other.newBot(t, newName())
	s.bearer(t, bot.Secret, request{method: "POST", path: "/api/duels", body: `{"stake":1}`}).ok(t)
}

// TestStakesNeedTrade: a key without trade plays for nothing, opens no duel with a stake and joins
// none; a refused join leaves the duel open.
func TestStakesNeedTrade(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p, other := s.guest(t), s.guest(t)
	secret := p.scopedKey(t, `["read","play"]`).Secret
	create := func(stake int) answer {
		return s.bearer(t, secret, request{method: "POST", path: "/api/duels", body: fmt.Sprintf(`{"stake":%d}`, stake)})
	}
	create(0).ok(t)
	create(1).fails(t, 403, "forbidden")
	join := func(secret, code string) answer {
		return s.bearer(t, secret, request{method: "POST", path: "/api/duels/" + code + "/join"})
	}
	staked := other.open(t, 5)
	join(secret, staked.ID).fails(t, 403, "forbidden")
	if d := decode[api.DuelOut](t, other.get(t, "/api/duels/"+staked.ID).ok(t)).Duel; d.Status != "open" {
		t.Errorf("after a refused join the duel is %s", d.Status)
	}
	if got := decode[api.MeOut](t, p.get(t, "/api/me").ok(t)).Balance; got != 1000 {
		t.Errorf("a refused stake left %d coins", got)
	}
	join(secret, other.open(t, 0).ID).ok(t)
	trader := p.scopedKey(t, `["play","trade"]`).Secret
	join(trader, staked.ID).ok(t)
	resign := request{method: "POST", path: "/api/duels/" + staked.ID + "/resign"}
	s.bearer(t, secret, resign).fails(t, 403, "forbidden")
	if d := decode[api.DuelOut](t, other.get(t, "/api/duels/"+staked.ID).ok(t)).Duel; d.Status != "active" {
		t.Errorf("after a refused resignation the duel is %s", d.Status)
	}
	s.bearer(t, trader, resign).ok(t)
}

// TestBurnsNeedTrade: a key without trade burns no token, and the token stays.
func TestBurnsNeedTrade(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	token := p.win(t)
	burn := request{method: "POST", path: "/api/runs", body: fmt.Sprintf(`{"entry":"burn","token_id":%d}`, token.TokenID)}
	s.bearer(t, p.scopedKey(t, `["read","play"]`).Secret, burn).fails(t, 403, "forbidden")
	s.bearer(t, p.scopedKey(t, `["play","trade"]`).Secret, burn).ok(t)
}

// TestAbandoningNeedsTrade: a key without trade abandons no run that has reached a tier or burned a token, and the
// run goes on; it abandons another one.
func TestAbandoningNeedsTrade(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	player, trader := p.scopedKey(t, `["read","play"]`).Secret, p.scopedKey(t, `["play","trade"]`).Secret
	abandon := func(secret string, r api.Run) answer {
		return s.bearer(t, secret, request{method: "POST", path: "/api/runs/" + r.ID + "/abandon"})
	}
	abandon(player, p.start(t, "")).ok(t)
	won := p.play(t, p.start(t, ""), game.Win)
	abandon(player, won).fails(t, 403, "forbidden")
	if got := decode[api.RunOut](t, p.get(t, "/api/runs/"+won.ID).ok(t)).Run.Status; got != "deciding" {
		t.Errorf("after a refused call the run is %s", got)
	}
	risked := decode[api.RunOut](t, p.post(t, "/api/runs/"+won.ID+"/continue", "").ok(t)).Run
	abandon(player, risked).fails(t, 403, "forbidden")
	abandon(trader, risked).ok(t)
	token := p.win(t)
	burned := p.start(t, fmt.Sprintf(`{"entry":"burn","token_id":%d}`, token.TokenID))
	abandon(player, burned).fails(t, 403, "forbidden")
	abandon(trader, burned).ok(t)
}

// TestGuestKeysAtRegistration: securing a guest ends its keys and its bots' keys except those that the caller
// keeps, whichever way it is secured; nothing ends when it fails.
func TestGuestKeysAtRegistration(t *testing.T) {
	t.Parallel()
	s := start(t)
	secure := map[string]func(p *player, keep string) answer{
		"register": func(p *player, keep string) answer {
			body := strings.TrimSuffix(credentials(newName()), "}") + keep + "}"
			return p.post(t, "/api/auth/register", body)
		},
		"link": func(p *player, keep string) answer {
			return p.post(t, "/api/auth/magic-link/redeem", `{"token":"`+p.mailedToken(t)+`"`+keep+`}`)
		},
	}
	for name, use := range secure {
		p, other := s.guest(t), s.guest(t)
		kept, ended := p.newKey(t), p.scopedKey(t, `["trade"]`)
		foreign := other.newKey(t)
		bot, endedBot := p.newBot(t, newName()), p.newBot(t, newName())
		use(p, fmt.Sprintf(`,"keep":[%d]`, foreign.Key.ID)).fails(t, 404, "not_found")
		s.bearer(t, endedBot.Secret, me).ok(t)
		out := decode[api.SessionOut](t, use(p, fmt.Sprintf(`,"keep":[%d,%d]`, kept.Key.ID, bot.Bot.KeyID)).ok(t))
		p.csrf = out.CSRFToken
		if out.Account.Kind != "account" || len(out.EndedKeys) != 2 || out.EndedKeys[0].ID != endedBot.Bot.KeyID ||
			out.EndedKeys[1].ID != ended.Key.ID || out.EndedKeys[1].RevokedAt == nil {
			t.Errorf("%s: %+v, want the end of keys %d and %d", name, out, ended.Key.ID, endedBot.Bot.KeyID)
		}
		s.bearer(t, kept.Secret, me).ok(t)
		s.bearer(t, foreign.Secret, me).ok(t)
		s.bearer(t, bot.Secret, me).ok(t)
		s.bearer(t, ended.Secret, me).fails(t, 401, "unauthenticated")
		s.bearer(t, endedBot.Secret, me).fails(t, 401, "unauthenticated")
		// A registered account's keys end by its owner alone.
		p.post(t, "/api/auth/logout", "").ok(t)
		s.bearer(t, kept.Secret, me).ok(t)
	}
}
