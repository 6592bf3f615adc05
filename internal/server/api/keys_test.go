package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// newKey is an API key with its secret.
type newKey struct{ api.NewKeyOut }

func (k newKey) revokePath() string { return fmt.Sprintf("/api/keys/%d/revoke", k.Key.ID) }

func (p *player) newKey(t *testing.T) newKey {
	t.Helper()
	out := decode[api.NewKeyOut](t, p.post(t, "/api/keys", "").ok(t))
	p.s.tokens.add(out.Secret)
	return newKey{out}
}

func (p *player) newBot(t *testing.T, name string) api.NewBotOut {
	t.Helper()
	out := decode[api.NewBotOut](t, p.post(t, "/api/bots", `{"name":"`+name+`"}`).ok(t))
	p.s.tokens.add(out.Secret)
	return out
}

// bearer sends a request with a key only.
func (s *stack) bearer(t *testing.T, secret string, q request) answer {
	t.Helper()
	return s.anonymous(t).send(t, q.with(map[string]string{"Authorization": "Bearer " + secret}))
}

func (p *player) keys(t *testing.T) []api.APIKey {
	t.Helper()
	return decode[api.KeysOut](t, p.get(t, "/api/keys").ok(t)).Keys
}

func (p *player) bots(t *testing.T) []api.OwnBot {
	t.Helper()
	return decode[api.BotsOut](t, p.get(t, "/api/bots").ok(t)).Bots
}

// outcomes counts the outcomes of n concurrent calls.
func outcomes(t *testing.T, s *stack, n int, call func(i int) (answer, error)) map[string]int {
	t.Helper()
	answers, errs := make([]answer, n), make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { answers[i], errs[i] = call(i) })
	}
	wait.Wait()
	count := map[string]int{}
	for i, a := range answers {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		a.check(t, s)
		count[a.outcome()]++
	}
	return count
}

var me = request{method: "GET", path: "/api/me"}

func TestKeyLife(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	key := decode[api.NewKeyOut](t, p.post(t, "/api/keys", `{"label":"my laptop"}`).ok(t))
	s.tokens.add(key.Secret)
	if !strings.HasPrefix(key.Secret, "rsk_") || len(key.Secret) != 47 || key.Key.Prefix != key.Secret[:12] ||
		key.Key.Label != "my laptop" {
		t.Errorf("a new key is %+v", key)
	}
	list := p.get(t, "/api/keys").ok(t)
	if got := p.keys(t); len(got) != 1 || got[0].UsedAt != nil || got[0].RevokedAt != nil ||
		strings.Contains(list.body, key.Secret) {
		t.Fatalf("the list is %s, want the key, unused, without its secret", list.body)
	}
	used := s.clock.Now()
	s.bearer(t, key.Secret, me).ok(t)
	s.clock.forward(30 * time.Second)
	s.bearer(t, key.Secret, me).ok(t) // not worth a write
	if got := p.keys(t)[0].UsedAt; got == nil || !got.Equal(used) {
		t.Errorf("last used %v, want %v", got, used)
	}
	s.clock.forward(time.Minute)
	s.bearer(t, key.Secret, me).ok(t)
	if got := p.keys(t)[0].UsedAt; got == nil || !got.Equal(s.clock.Now()) {
		t.Errorf("last used %v, want %v", got, s.clock.Now())
	}
	p.post(t, newKey{key}.revokePath(), "").ok(t)
	s.bearer(t, key.Secret, me).fails(t, 401, "unauthenticated")
	p.post(t, newKey{key}.revokePath(), "").fails(t, 404, "not_found")
	if got := p.keys(t); len(got) != 1 || got[0].RevokedAt == nil {
		t.Errorf("after revoking: %+v", got)
	}
}

// TestKeysSayWhereUsed uses keys and a bot's from several networks: their owner sees the shortened network of the
// last use, to the minute, also of a refused call. No one else sees it, and it goes with the account.
func TestKeysSayWhereUsed(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.TrustedProxies = []string{"127.0.0.1"} })
	p, name := s.guest(t), newName()
	p.register(t, name)
	key, bot := p.newKey(t), p.newBot(t, newName())
	if k := p.keys(t)[0]; k.UsedFrom != "" {
		t.Errorf("an unused key was used from %q", k.UsedFrom)
	}
	use := func(secret, address string, q request) answer {
		return s.anonymous(t).send(t, q.with(map[string]string{"Authorization": "Bearer " + secret,
			"X-Forwarded-For": address}))
	}
	use(bot.Secret, "2001:db8:1:2::9", me).ok(t)
	use(key.Secret, "203.0.113.77", request{method: "POST", path: key.revokePath()}).fails(t, 403, "forbidden")
	use(key.Secret, "198.51.100.4", me).ok(t) // in the same minute
	if k, b := p.keys(t)[0], p.bots(t)[0]; k.UsedFrom != "203.0.113.0/24" || b.LastSeenFrom != "2001:db8:1::/48" {
		t.Errorf("the key was used from %q, the bot's from %q", k.UsedFrom, b.LastSeenFrom)
	}
	s.clock.forward(2 * time.Minute)
	use(key.Secret, "198.51.100.4", me).ok(t)
	if k := p.keys(t)[0]; k.UsedFrom != "198.51.100.0/24" || k.UsedAt == nil || !k.UsedAt.Equal(s.clock.Now()) {
		t.Errorf("the key was used from %q at %v", k.UsedFrom, k.UsedAt)
	}
	exported := p.get(t, "/api/account/export").ok(t).body
	public := s.anonymous(t).get(t, "/api/arena/bots/"+bot.Bot.Username).ok(t).body
	for text, shown := range map[string]bool{"198.51.100.0/24": true, "2001:db8:1::/48": true, "198.51.100.4": false,
		"203.0.113": false, "db8:1:2": false} {
		if strings.Contains(exported, text) != shown || strings.Contains(public, text) {
			t.Errorf("%s: in the export %v, in public %v", text, !shown, strings.Contains(public, text))
		}
	}
	out := decode[api.SessionOut](t, p.post(t, passwordPath, `{"password":"battery staple"}`).ok(t))
	if p.csrf = out.CSRFToken; len(out.EndedKeys) != 2 || out.EndedKeys[0].UsedFrom != "2001:db8:1::/48" ||
		out.EndedKeys[1].UsedFrom != "198.51.100.0/24" {
		t.Errorf("ended keys %+v", out.EndedKeys)
	}
	p.post(t, "/api/account/delete", "{}").ok(t)
	if n := s.count(t, "SELECT count(*) FROM api_key WHERE used_from <> ''"); n != 0 {
		t.Errorf("%d keys of a deleted account say from where they were used", n)
	}
}

// TestBrokenKeys sends malformed keys.
func TestBrokenKeys(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	secret := p.newKey(t).Secret
	for _, header := range []string{
		"Bearer", "Bearer ", secret, "Basic " + secret, "Bearer rsb_" + secret[4:], "Bearer " + secret[:46],
		"Bearer " + secret + "A",
		"Bearer " + strings.ToUpper(secret), "Bearer " + p.csrf, "Bearer " + strings.Repeat("x", 20<<10),
	} {
		s.anonymous(t).send(t, me.with(map[string]string{"Authorization": header})).fails(t, 401, "unauthenticated")
	}
	for _, header := range []string{"bearer " + secret, "BEARER   " + secret} {
		s.anonymous(t).send(t, me.with(map[string]string{"Authorization": header})).ok(t)
	}
}

// TestLimitsAtOnce creates more keys and bots concurrently than an account may have.
func TestLimitsAtOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	header := map[string]string{"X-CSRF-Token": p.csrf}
	got := outcomes(t, s, 8, func(int) (answer, error) {
		return p.try(t, request{"POST", "/api/keys", "", header})
	})
	if got[fine] != 5 || got["limit_reached"] != 3 {
		t.Errorf("8 keys at once: %v, want 5 made and 3 refused", got)
	}
	got = outcomes(t, s, 8, func(int) (answer, error) {
		return p.try(t, request{"POST", "/api/bots", `{"name":"` + newName() + `"}`, header})
	})
	if got[fine] != 3 || got["limit_reached"] != 5 {
		t.Errorf("8 bots at once: %v, want 3 made and 5 refused", got)
	}
	// One free slot allows one key.
	p.post(t, newKey{api.NewKeyOut{Key: p.keys(t)[0]}}.revokePath(), "").ok(t)
	p.post(t, "/api/keys", "").ok(t)
	p.post(t, "/api/keys", "").fails(t, 409, "limit_reached")
	if keys, bots := len(p.keys(t)), len(p.bots(t)); keys != 6 || bots != 3 {
		t.Errorf("%d keys and %d bots are listed, want 6 with the revoked one, and 3", keys, bots)
	}
}

func TestBotLife(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	name := newName()
	made := p.newBot(t, name)
	if !strings.HasPrefix(made.Secret, "rsb_") || made.Bot.Username != name || made.Bot.LastSeenAt != nil ||
		made.Bot.KeyPrefix != made.Secret[:12] {
		t.Errorf("a new bot is %+v", made)
	}
	bot := decode[api.MeOut](t, s.bearer(t, made.Secret, me).ok(t))
	if bot.Account.Kind != "bot" || bot.Account.Address != made.Bot.Address || bot.Account.Address == p.address ||
		bot.Balance != 1000 {
		t.Errorf("the bot is %+v, want an account of its own", bot)
	}
	s.bearer(t, made.Secret, request{method: "POST", path: "/api/runs"}).ok(t)
	if p.me(t).ActiveRun != nil {
		t.Error("the bot's run is its owner's")
	}
	if got := p.bots(t); len(got) != 1 || got[0].LastSeenAt == nil {
		t.Errorf("the list is %+v, want the bot, seen", got)
	}
	p.post(t, "/api/bots", `{"name":"`+strings.ToUpper(name)+`"}`).fails(t, 409, "username_taken")

	rotated := decode[api.NewBotOut](t, p.post(t, "/api/bots/"+made.Bot.Address+"/rotate", "").ok(t))
	s.tokens.add(rotated.Secret)
	s.bearer(t, made.Secret, me).fails(t, 401, "unauthenticated")
	if got := decode[api.MeOut](t, s.bearer(t, rotated.Secret, me).ok(t)); got.Account.Address != made.Bot.Address ||
		got.ActiveRun == nil {
		t.Errorf("with its new key the bot is %+v", got)
	}
	if got := p.bots(t); len(got) != 1 || got[0].KeyPrefix != rotated.Secret[:12] {
		t.Errorf("after rotating: %+v, want one bot with the new key", got)
	}
	if got := p.keys(t); len(got) != 0 {
		t.Errorf("a bot's keys are listed as its owner's: %+v", got)
	}
}

// TestRotationsAtOnce: of many concurrent rotations one key is in force.
func TestRotationsAtOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	bot := p.newBot(t, newName())
	var mu sync.Mutex
	secrets := []string{bot.Secret}
	got := outcomes(t, s, 6, func(int) (answer, error) {
		a, err := p.try(t, request{"POST", "/api/bots/" + bot.Bot.Address + "/rotate", "",
			map[string]string{"X-CSRF-Token": p.csrf}})
		if err == nil && a.status == http.StatusOK {
			mu.Lock()
			defer mu.Unlock()
			secrets = append(secrets, decode[api.NewBotOut](t, a).Secret)
		}
		return a, err
	})
	if got[fine] != 6 {
		t.Errorf("rotations at once: %v", got)
	}
	s.tokens.add(secrets...)
	alive := 0
	for _, secret := range secrets {
		if s.bearer(t, secret, me).status == http.StatusOK {
			alive++
		}
	}
	if alive != 1 {
		t.Errorf("%d of %d keys are in force, want 1", alive, len(secrets))
	}
}
