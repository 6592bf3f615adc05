package httpapi_test

import (
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
	s.accounts.Invalidate("")
	p.holds(t, former)
	p.csrf = csrfOf(former)
	p.get(t, "/api/me").ok(t)
	p.post(t, "/api/runs", "").ok(t)
	s.bearer(t, key, request{method: "GET", path: "/api/me"}).ok(t)
	if account.ParseDevice(former).None() {
		t.Error("a browser that was known is a stranger")
	}
}
