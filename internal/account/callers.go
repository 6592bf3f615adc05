package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/internal/db"
)

// callers remembers whose sessions and keys are, so that not every request has to read
// it again. What it must never do is to let somebody in after an answer has said that
// a session or a key has ended. That rests on three things:
//
//   - Whatever ends or changes what is remembered calls forget from Tx.AfterCommit:
//     after its effect is durable, and before Update returns, so before anybody is
//     answered. Which statements those are is held by TestForgetting.
//   - A lookup may have read before such a commit and come here after it, with what is
//     no longer true. So it takes the number of changes before its snapshot begins, and
//     what it found is kept only if nothing has been forgotten since: either it is
//     refused here, or it was here before forget, which has then removed it.
//   - Only AfterCommit is not enough: it does not run when the outcome of a commit is
//     unknown, nor on other nodes, which are told a moment later, if they can be. So
//     nothing is remembered for longer than Service.Remember from when its lookup began,
//     and nothing beyond its own end.
//
// A request that was looked up before a session's end was answered may finish after it,
// as it might without a memory.
type callers struct {
	mu      sync.Mutex // guards what follows
	changes uint64     // how often something was forgotten
	known   map[secretHash]caller
	of      map[chain.Address][]secretHash // which of them are an account's
}

// secretHash is the SHA-256 of a session's token or of a key: secrets themselves are not
// kept in memory.
type secretHash [sha256.Size]byte

// caller is what a lookup has found.
type caller struct {
	account     Account
	key         int64 // id; 0 for a session
	from, until time.Time
}

// maxCallers bounds the memory: one takes some 300 bytes.
const maxCallers = 8192

// get returns what is remembered of a secret.
func (c *callers) get(hash secretHash, now time.Time) (caller, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.known[hash]
	// A clock that was put back makes nothing live longer.
	if !ok || now.Before(found.from) || !now.Before(found.until) {
		return caller{}, false
	}
	return found, true
}

// begin returns the number of changes, for keep. It is called before the snapshot of the
// lookup begins.
func (c *callers) begin() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// keep remembers what a lookup has found, unless something was forgotten since it began.
func (c *callers) keep(changes uint64, hash secretHash, found caller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if changes != c.changes {
		return
	}
	if c.known == nil {
		c.known, c.of = make(map[secretHash]caller), make(map[chain.Address][]secretHash)
	}
	if _, again := c.known[hash]; !again {
		if len(c.known) >= maxCallers {
			for h := range c.known { // any one
				c.remove(h)
				break
			}
		}
		a := found.account.Address
		c.of[a] = append(c.of[a], hash)
	}
	c.known[hash] = found
}

// forget drops all that is remembered of an account. It runs after a commit.
func (c *callers) forget(a chain.Address) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	for _, hash := range c.of[a] {
		delete(c.known, hash)
	}
	delete(c.of, a)
}

// forgetSecret drops what is remembered of one secret. It runs after a commit.
func (c *callers) forgetSecret(hash secretHash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.remove(hash)
}

// forgetAll drops everything: for what ends the keys of accounts that are not named. It
// runs after a commit.
func (c *callers) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	clear(c.known)
	clear(c.of)
}

func (c *callers) remove(hash secretHash) {
	found, ok := c.known[hash]
	if !ok {
		return
	}
	delete(c.known, hash)
	a := found.account.Address
	rest := c.of[a][:0]
	for _, h := range c.of[a] {
		if h != hash {
			rest = append(rest, h)
		}
	}
	if len(rest) == 0 {
		delete(c.of, a)
		return
	}
	c.of[a] = rest
}

// What nodes tell one another to forget: an address, or the hash of a secret behind this
// prefix, or nothing for everything.
const secretWord = "secret="

// forget drops all that is remembered of an account, on every node.
func (s *Service) forget(a chain.Address) {
	s.callers.forget(a)
	s.tell(a.String())
}

// forgetSecret drops what is remembered of one secret, on every node.
func (s *Service) forgetSecret(hash secretHash) {
	s.callers.forgetSecret(hash)
	s.tell(secretWord + hex.EncodeToString(hash[:]))
}

// forgetAll drops everything, on every node.
func (s *Service) forgetAll() {
	s.callers.forgetAll()
	s.tell("")
}

func (s *Service) tell(what string) {
	if s.Tell != nil {
		s.Tell(what)
	}
}

// Forget drops what another node has told to forget. What cannot be understood, as of a
// newer node, drops everything.
func (s *Service) Forget(what string) {
	if a, err := chain.ParseAddress(what); err == nil {
		s.callers.forget(a)
		return
	}
	var hash secretHash
	if text, ok := strings.CutPrefix(what, secretWord); ok && len(text) == hex.EncodedLen(len(hash)) {
		if _, err := hex.Decode(hash[:], []byte(text)); err == nil {
			s.callers.forgetSecret(hash)
			return
		}
	}
	s.callers.forgetAll()
}

// LookUpSession returns the session of a token, from memory when it was looked up just
// now. Errors: ErrNoSession.
func (s *Service) LookUpSession(ctx context.Context, token string) (Session, error) {
	hash, now := secretHash(hashToken(token)), s.Now()
	if found, ok := s.callers.get(hash, now); ok {
		return Session{Account: found.account}, nil
	}
	changes := s.callers.begin()
	var session Session
	err := s.DB.View(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		session, err = s.Session(ctx, tx, token)
		return err
	})
	if err == nil && !session.Stale { // a stale one is about to be touched
		s.callers.keep(changes, hash, caller{session.Account, 0, now, earlier(now.Add(s.Remember), session.Until)})
	}
	return session, err
}

// LookUpKey returns whose key a secret is, from memory when it was looked up just now.
// Errors: ErrNoSession.
func (s *Service) LookUpKey(ctx context.Context, secret string) (KeyUse, error) {
	hash, now := secretHash(sha256.Sum256([]byte(secret))), s.Now()
	if found, ok := s.callers.get(hash, now); ok {
		return KeyUse{ID: found.key, Account: found.account}, nil
	}
	changes := s.callers.begin()
	var use KeyUse
	err := s.DB.View(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		use, err = s.Key(ctx, tx, secret)
		return err
	})
	if err == nil && !use.Stale {
		s.callers.keep(changes, hash, caller{use.Account, use.ID, now, earlier(now.Add(s.Remember), use.Until)})
	}
	return use, err
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
