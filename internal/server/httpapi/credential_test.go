package httpapi_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strings"
	"testing"

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

// TestEndedCallersStoreNothing ends the session of a caller that this node remembers, as another node does,
// before each operation that changes something: it is refused, and nothing is stored.
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
		p := s.guest(t)
		q := good[o.id](t, p)
		p.bearer = ""
		p.get(t, "/api/me").ok(t)
		c := account.Credential{Session: p.token(t)}
		s.within(t, func(ctx context.Context, tx *store.Tx) error { return s.accounts.EndSession(ctx, tx, c.Session) })
		before := s.each.Content(t)
		if _, known := s.accounts.Remembered(c); !known {
			t.Errorf("%s: the caller is not remembered: the test shows nothing", o.id)
		}
		p.send(t, q.with(map[string]string{"X-CSRF-Token": p.csrf})).fails(t, 401, "unauthenticated")
		if !bytes.Equal(before, s.each.Content(t)) {
			t.Errorf("%s: something is stored for an ended session", o.id)
		}
	}
	if tried < 30 {
		t.Errorf("%d operations were tried", tried)
	}
}
