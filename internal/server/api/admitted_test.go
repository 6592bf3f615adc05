package api_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// This file tests calls that are admitted, and whose right ends before they take effect.

// within runs a use case in a transaction of its own.
func (s *stack) within(t *testing.T, use func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := s.db.Update(t.Context(), use); err != nil {
		t.Error(err)
	}
}

// TestLoginOverAChange: a password that its owner changes while a login hashes it opens no session,
// nor does the password of an account that is deleted meanwhile. The thief of a password would
// otherwise keep a login in the queue until the change.
func TestLoginOverAChange(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(ctx context.Context, tx *store.Tx, s *stack, a chain.Address,
		token account.SessionToken, phc string) error{
		"changed": func(ctx context.Context, tx *store.Tx, s *stack, a chain.Address,
			token account.SessionToken, phc string) error {
			_, err := s.accounts.ChangePassword(ctx, tx, account.ChangeOptions{
				Address: a, Proof: account.Proof{Token: token}, Password: phc})
			return err
		},
		"deleted": func(ctx context.Context, tx *store.Tx, s *stack, a chain.Address,
			token account.SessionToken, _ string) error {
			_, err := s.accounts.Delete(ctx, tx, a, account.Proof{Token: token})
			return err
		},
	} {
		s := start(t)
		p, owner := s.anonymous(t), s.guest(t)
		user := newName()
		owner.register(t, user)
		address, err := chain.ParseAddress(owner.address)
		if err != nil {
			t.Fatal(err)
		}
		phc, err := s.accounts.Hasher.Hash(t.Context(), netip.MustParseAddr("192.0.2.7"), "another horse")
		if err != nil {
			t.Fatal(err)
		}
		token, ended := owner.token(t), false
		s.accounts.Hasher.Freed = func() { // the password is verified, the session not open yet
			if !ended {
				ended = true
				s.within(t, func(ctx context.Context, tx *store.Tx) error { return end(ctx, tx, s, address, token, phc) })
			}
		}
		p.post(t, "/api/auth/login", credentials(user)).fails(t, 401, "bad_credentials")
		if !ended {
			t.Errorf("%s: the login hashed nothing", name)
		}
	}
}

// TestEndedSessionMakesNoKey: a call that a node has admitted by a session which another node has
// ended makes no key, no bot, and no new key of a bot.
func TestEndedSessionMakesNoKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	bot := p.newBot(t, newName())
	p.get(t, "/api/me").ok(t)
	other := &account.Service{DB: s.db, Now: s.accounts.Now} // as on another node
	s.within(t, func(ctx context.Context, tx *store.Tx) error { return other.EndSession(ctx, tx, p.token(t)) })
	p.get(t, "/api/me").fails(t, 401, "unauthenticated")
	p.post(t, "/api/keys", "").fails(t, 401, "unauthenticated")
	p.post(t, "/api/bots", `{"name":"`+newName()+`"}`).fails(t, 401, "unauthenticated")
	p.post(t, "/api/bots/"+bot.Bot.Address+"/rotate", "").fails(t, 401, "unauthenticated")
	s.bearer(t, bot.Secret, me).ok(t)
}

// TestDeletedAccountHasNoAccess: what gives access to an account refuses one that is deleted.
func TestDeletedAccountHasNoAccess(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	address, err := chain.ParseAddress(p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.post(t, "/api/account/delete", "").ok(t)
	for name, call := range map[string]func(ctx context.Context, tx *store.Tx) error{
		"a key": func(ctx context.Context, tx *store.Tx) error {
			_, _, err := s.accounts.CreateKey(ctx, tx, address, "", account.AllScopes)
			return err
		},
		"a bot": func(ctx context.Context, tx *store.Tx) error {
			_, _, err := s.accounts.CreateBot(ctx, tx, address, newName(), account.FreeStart)
			return err
		},
		"a name": func(ctx context.Context, tx *store.Tx) error {
			_, err := s.accounts.Rename(ctx, tx, address, newName())
			return err
		},
		"a session": func(ctx context.Context, tx *store.Tx) error {
			_, err := s.accounts.SignIn(ctx, tx, address, account.SessionToken{}, "")
			return err
		},
	} {
		if err := s.db.Update(t.Context(), call); err == nil {
			t.Errorf("a deleted account gets %s", name)
		}
	}
}

// TestDeleteLeavesQueuesAndCups: a deleted account waits in no queue, is in no unfinished cup, and its
// name is not kept with its last quick match.
func TestDeleteLeavesQueuesAndCups(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.moveCups(t)
	p, other := s.secured(t), s.guest(t)
	cup := p.openCup(t).Cup.Number
	bot := p.newBot(t, newName())
	s.bearer(t, bot.Secret, request{method: "POST", path: "/api/cups/1/join"}).ok(t)
	later := s.guest(t)
	fighter := later.newBot(t, newName())
	s.bearer(t, fighter.Secret, request{method: "POST", path: "/api/arena/queue"}).ok(t)
	p.quick(t)
	p.post(t, "/api/account/delete", "").ok(t)
	later.post(t, "/api/account/delete", "").ok(t)
	if got := other.cup(t, cup).Cup.Players; got != 0 {
		t.Errorf("the people's cup has %d players", got)
	}
	if got := other.cup(t, 1).Cup.Players; got != 0 {
		t.Errorf("the bots' cup has %d players", got)
	}
	if got := other.quick(t); got.Status != "waiting" {
		t.Errorf("a stranger is %s with the deleted account", got.Status)
	}
	if got := s.bot(t).queue(t); got.Status != "waiting" {
		t.Errorf("a bot is %s with the deleted bot", got.Status)
	}
	// The row of a match that was found keeps the name of its time.
	a, b := s.guest(t), s.guest(t)
	other.post(t, "/api/duels/quick/leave", "").ok(t)
	s.paired(t, a, b)
	name := a.me(t).Account.Username
	a.post(t, "/api/account/delete", "").ok(t)
	for _, row := range (&ledgertest.Ledger{DB: s.db}).Dump(t) {
		if strings.Contains(row, name) {
			t.Errorf("a row has the name of a deleted account: %s", row)
		}
	}
}
