package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestKeyIsNoSession presents keys as session cookies, after calls with the keys: a key of any scope
// would otherwise have all of them, a CSRF token, and the operations of the owner's browser.
func TestKeyIsNoSession(t *testing.T) {
	t.Parallel()
	s := shared(t)
	owner := s.guest(t)
	bot := owner.newBot(t, newName())
	for _, secret := range []string{
		owner.newKey(t).Secret, owner.scopedKey(t, `["read"]`).Secret, bot.Secret,
	} {
		for range 2 { // the second call may be answered from memory
			s.bearer(t, secret, request{method: "GET", path: "/api/me"}).ok(t)
		}
		thief := s.anonymous(t)
		thief.holds(t, secret)
		thief.get(t, "/api/me").fails(t, 401, "unauthenticated")
		thief.csrf = csrfOf(secret)
		thief.post(t, "/api/auth/rename", `{"username":"`+newName()+`"}`).fails(t, 401, "unauthenticated")
		thief.post(t, "/api/auth/register", credentials(newName())).fails(t, 401, "unauthenticated")
	}
	for range 2 {
		owner.get(t, "/api/me").ok(t)
	}
	// A link that is asked for with a key as the cookie opens another account.
	thief := s.anonymous(t)
	thief.holds(t, owner.scopedKey(t, `["read"]`).Secret)
	mailbox := newName() + "@example.org"
	thief.post(t, "/api/auth/magic-link", `{"email":"`+mailbox+`"}`).ok(t)
	link := thief.mailedTo(t, mailbox, "/link#")
	if out := thief.signIn(t, "/api/auth/magic-link/redeem", tokenBody(link)); out.Account.Address == owner.address {
		t.Error("a key took the account over by a mailed link")
	}
	s.bearer(t, owner.cookie(t), request{method: "GET", path: "/api/me"}).fails(t, 401, "unauthenticated")
}

// TestSecretsOfAnOlderFolder opens a data folder of before secrets had prefixes: its sessions, keys and
// browsers work.
func TestSecretsOfAnOlderFolder(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	key := p.newKey(t).Secret
	former := strings.Repeat("q", 43) // as openSession made them
	hash := sha256.Sum256([]byte(former))
	s.within(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE session SET token_hash = $1", hash[:])
		return err
	})
	p.holds(t, former)
	p.csrf = csrfOf(former)
	p.get(t, "/api/me").ok(t)
	p.post(t, "/api/runs", "").ok(t)
	s.bearer(t, key, request{method: "GET", path: "/api/me"}).ok(t)
	if account.ParseDevice(former).None() {
		t.Error("a browser that was known is a stranger")
	}
}

// TestOtherKindsAreNotLookedUp: in each position of a secret a text of another kind is refused before any statement of
// the database. One of the position's own kind, which was never issued, is looked up.
func TestOtherKindsAreNotLookedUp(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.anonymous(t)
	for name, at := range map[string]struct {
		kinds   []string
		carries func(text string) request
	}{
		"cookie": {[]string{"rss_", ""}, func(text string) request {
			return me.with(map[string]string{"Cookie": "roshambo_session=" + text})
		}},
		"bearer": {[]string{"rsk_", "rsb_"}, func(text string) request {
			return me.with(map[string]string{"Authorization": "Bearer " + text})
		}},
		"link": {[]string{"rsl_"}, func(text string) request {
			return request{"POST", "/api/auth/magic-link/redeem", tokenBody(text), nil}
		}},
		"reset": {[]string{"rsr_"}, func(text string) request {
			return request{"POST", "/api/auth/password/reset/redeem", resetBody(text), nil}
		}},
	} {
		for _, kind := range []string{"rss_", "rsc_", "rsk_", "rsb_", "rsl_", "rsr_", "rsd_", "rso_", ""} {
			looked := ""
			for n := 1; n == 1 || strings.Contains(looked, "name: Continues"); n++ { // that is of the transaction, on PostgreSQL
				s.each.Pause(n, func() {})
				a := p.send(t, at.carries(kind+strings.Repeat("A", 43)))
				looked = s.each.Failed()
				if a.status != 401 && a.status != 404 {
					t.Errorf("%s as %s: %d %s", kind, name, a.status, a.body)
				}
			}
			if own := slices.Contains(at.kinds, kind); own != (looked != "") {
				t.Errorf("%s as %s is looked up: %v; %q", kind, name, !own, looked)
			}
		}
	}
}

// TestUnauthenticatedFirst: a stranger's call is answered 401, whatever is wrong with its body.
func TestUnauthenticatedFirst(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for name, body := range map[string]string{"too large": strings.Repeat(" ", 300<<10), "malformed": "{",
		"no UTF-8": "\xff", "unfit": `{"scopes":[1]}`} {
		for _, kind := range []string{"application/json", "text/plain"} {
			a := s.anonymous(t).send(t, request{"POST", "/api/keys", body, map[string]string{"Content-Type": kind}})
			if a.status != 401 {
				t.Errorf("%s, %s: %d %s", name, kind, a.status, a.body)
			}
		}
	}
}

// endUnseen ends the session of a player that this node goes on remembering, as another node does, and returns
// the stored bytes of that time.
func (s *stack) endUnseen(t *testing.T, p *player) (stored []byte) {
	t.Helper()
	p.bearer = ""
	p.get(t, "/api/me").ok(t)
	c := account.Credential{Session: p.token(t)}
	s.within(t, func(ctx context.Context, tx *store.Tx) error { return s.accounts.EndSession(ctx, tx, c.Session) })
	if _, known := s.accounts.Remembered(c); !known {
		t.Error("the caller is not remembered: the test shows nothing")
	}
	return s.each.Content(t)
}

// TestEndedFirst: a caller that this node remembers, and whose session another node has ended, is answered 401 as a
// stranger is, whatever else is wrong with the request: size, encoding or content of its body, a parameter, the CSRF
// token, the scheme, or a limit that is used up. Nothing is stored. To a caller that lives, the answer is the other
// error.
func TestEndedFirst(t *testing.T) {
	t.Parallel()
	budget, err := limit.NewBudget(limit.Rate{Max: 1, Window: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *edge.Config) { c.DuelLimit = budget })
	s.each.Use(t, s.db, s.place)
	s.guest(t).post(t, "/api/duels", "").ok(t) // the budget of the address
	long := strings.Repeat("k", 300)
	for name, c := range map[string]struct {
		q      request
		csrf   bool
		status int
	}{
		"too large":     {request{"POST", "/api/keys", strings.Repeat(" ", 64<<10+1), nil}, true, 413},
		"compressed":    {request{"POST", "/api/keys", "{}", map[string]string{"Content-Encoding": "gzip"}}, true, 415},
		"malformed":     {request{"POST", "/api/keys", "{", nil}, true, 422},
		"no UTF-8":      {request{"POST", "/api/keys", "{\"label\":\"\xff\"}", nil}, true, 400},
		"unfit":         {request{"POST", "/api/keys", `{"scopes":[1]}`, nil}, true, 422},
		"parameter":     {request{"GET", "/api/runs?limit=0", "", nil}, true, 422},
		"no CSRF token": {request{"POST", "/api/keys", "{}", nil}, false, 403},
		"for bots":      {request{"POST", "/api/arena/queue", "", nil}, true, 403},
		"repetition":    {request{"POST", "/api/keys", "{}", map[string]string{"Idempotency-Key": long}}, true, 400},
		"limit":         {request{"POST", "/api/duels", "", nil}, true, 429},
	} {
		p := s.guest(t)
		if c.csrf {
			c.q = c.q.with(map[string]string{"X-CSRF-Token": p.csrf})
		}
		if a := p.send(t, c.q); a.status != c.status {
			t.Errorf("%s, of a caller that lives: %d %s, want %d", name, a.status, a.body, c.status)
		}
		before := s.endUnseen(t, p)
		if a := p.send(t, c.q); a.status != 401 || !strings.Contains(a.body, "unauthenticated") {
			t.Errorf("%s, of a caller that has ended: %d %s, want 401", name, a.status, a.body)
		}
		if !bytes.Equal(before, s.each.Content(t)) {
			t.Errorf("%s: something is stored for an ended session", name)
		}
	}
}

// TestEndedCallersStoreNothing ends callers before each operation that changes something, and before its
// repetition: it is refused without the stored answer, and nothing is stored.
func TestEndedCallersStoreNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.each.Use(t, s.db, s.place)
	tried := 0
	for _, o := range s.doc.operations {
		if o.method != "POST" || access[o.id].nothing != unauth || access[o.id].guest == bots {
			continue
		}
		tried++
		p, again := s.guest(t), s.guest(t)
		q, repeated := good[o.id](t, p), good[o.id](t, again)
		before := s.endUnseen(t, p)
		p.keyed(t, "k", q).fails(t, 401, "unauthenticated")
		if !bytes.Equal(before, s.each.Content(t)) {
			t.Errorf("%s: something is stored for an ended session", o.id)
		}
		if unrepeatable[o.id] {
			continue
		}
		again.keyed(t, "k", repeated).ok(t)
		before = s.endUnseen(t, again)
		again.keyed(t, "k", repeated).isNew(t).fails(t, 401, "unauthenticated")
		if !bytes.Equal(before, s.each.Content(t)) {
			t.Errorf("%s: something is stored for a repetition of an ended session", o.id)
		}
	}
	if tried < 30 {
		t.Errorf("%d operations were tried", tried)
	}
}

// TestExpiredKeysStoreNothing: a key that expires while the node remembers it is refused by each operation that a key
// may call to change something, and nothing is stored.
func TestExpiredKeysStoreNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.each.Use(t, s.db, s.place)
	tried := 0
	for _, o := range s.doc.operations {
		if o.method != "POST" || !ofKey(access[o.id]) {
			continue
		}
		tried++
		p := s.guest(t)
		q := good[o.id](t, p) // which may let time pass
		key := decode[api.NewKeyOut](t, p.post(t, "/api/keys", `{"expires_in_days":1}`).ok(t)).Secret
		s.tokens.add(key)
		s.clock.forward(24*time.Hour - 30*time.Second)
		s.bearer(t, key, me).ok(t)
		s.clock.forward(31 * time.Second)
		secret, _ := account.ParseKey(key)
		if _, known := s.accounts.Remembered(account.Credential{Key: secret}); !known {
			t.Error("the key is not remembered: the test shows nothing")
		}
		before := s.each.Content(t)
		s.bearer(t, key, q).fails(t, 401, "unauthenticated")
		if !bytes.Equal(before, s.each.Content(t)) {
			t.Errorf("%s: something is stored for an expired key", o.id)
		}
	}
	if tried < 20 {
		t.Errorf("%d operations were tried", tried)
	}
}
