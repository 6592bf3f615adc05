package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
)

// callers remembers whose sessions and keys are, so that not every request has to read
// it again. What it must never do is to let somebody in after an answer has said that
// a session or a key has ended. That rests on four things:
//
//   - Whatever ends or changes what is remembered calls forgetWith, which forgets from
//     Tx.AfterCommit: after its effect is durable, and before Update returns, so before
//     anybody is answered. Which statements those are is held by TestForgetting.
//   - A lookup may have read before such a commit and come here after it, with what is
//     no longer true. So it takes the number of changes before its snapshot begins, and
//     what it found is kept only if nothing has been forgotten since: either it is
//     refused here, or it was here before forget, which has then removed it.
//   - AfterCommit does not run when the outcome of a commit is unknown. So what is about
//     to end is dropped before the commit, too, and not remembered again until the commit
//     has succeeded, or for as long as anything is remembered: meanwhile the database is asked each time.
//   - Other nodes are told with the commit itself. One that cannot hear does not know:
//     what it has looked up counts for Service.Remember from when the lookup began. As long
//     as it hears that is Service.RememberHeard, and never beyond its own end. Whether it
//     hears is asked each time, and it forgets everything when it may have missed something.
//
// A request that was looked up before a session's end was answered may finish after it,
// as it might without a memory.
type callers struct {
	mu      sync.Mutex // guards what follows
	changes uint64     // how often something was forgotten
	known   map[secretHash]caller
	of      map[chain.Address][]secretHash // which of them are an account's
	doubted map[subject]doubt              // of whom nothing is kept
	crowded int                            // how many of doubted are too many to carry on without a look
}

// doubt is that somebody is about to change, and nobody knows yet whether.
type doubt struct {
	open  int       // transactions of which it is not known how they ended
	until time.Time // what was remembered before has lapsed by then
}

// subject is whom something is remembered of: an account, or who has a secret; the other
// one is zero.
type subject struct {
	account chain.Address
	secret  secretHash
}

// everybody is for what ends the keys of accounts that are not named.
var everybody subject

// String is what nodes tell one another to forget: an address, or the hash of a secret
// behind a prefix, or nothing for everything.
func (s subject) String() string {
	switch {
	case s == everybody:
		return ""
	case s.account != chain.Address{}:
		return s.account.String()
	}
	return secretWord + hex.EncodeToString(s.secret[:])
}

const secretWord = "secret="

// secretHash is the SHA-256 of a session's token or of a key: secrets themselves are not
// kept in memory.
type secretHash [sha256.Size]byte

// caller is what a lookup has found.
type caller struct {
	account Account
	key     int64 // id; 0 for a session
	from    time.Time
	until   time.Time // where this node hears what ends
	deaf    time.Time // until where it does not; not after until
}

// maxCallers bounds the memory: one takes some 300 bytes.
const maxCallers = 8192

// minCrowded is how many doubts there may be before those that have lapsed are dropped.
const minCrowded = 64

// get returns what is remembered of a secret; hears says whether this node hears what ends.
// Who does not hear keeps what he has, as he may find that he has heard all there was, only
// later than usual.
func (c *callers) get(hash secretHash, now time.Time, hears func() bool) (caller, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.known[hash]
	// A clock that was put back makes nothing live longer.
	if !ok || now.Before(found.from) || !now.Before(found.until) || !now.Before(found.deaf) && !hears() {
		return caller{}, false
	}
	return found, true
}

// refuse forgets a secret of which the database knows nothing any more.
func (c *callers) refuse(hash secretHash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(hash)
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
	for _, who := range []subject{everybody, {account: found.account.Address}, {secret: hash}} {
		if found.from.Before(c.doubted[who].until) {
			return
		}
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

// forget drops all that is remembered of somebody.
func (c *callers) forget(who subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(who)
}

// doubt drops all that is remembered of somebody, and keeps nothing until then, or until
// settle is called. It runs before a commit.
func (c *callers) doubt(who subject, now, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(who)
	if c.doubted == nil {
		c.doubted = make(map[subject]doubt)
	}
	// Of a transaction that was run again or taken back nobody tells: its doubt lapses.
	if len(c.doubted) >= max(c.crowded, minCrowded) {
		maps.DeleteFunc(c.doubted, func(_ subject, d doubt) bool { return !now.Before(d.until) })
		c.crowded = 2 * len(c.doubted) // so that looking costs each one a constant
	}
	c.doubted[who] = doubt{c.doubted[who].open + 1, until}
}

// settle ends a doubt: it runs after the commit.
func (c *callers) settle(who subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(who)
	d := c.doubted[who]
	if d.open--; d.open > 0 {
		c.doubted[who] = d
		return
	}
	delete(c.doubted, who)
}

func (c *callers) drop(who subject) {
	c.changes++
	if who == everybody {
		clear(c.known)
		clear(c.of)
		return
	}
	for _, hash := range c.of[who.account] {
		delete(c.known, hash)
	}
	delete(c.of, who.account)
	c.remove(who.secret)
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

// forgetWith drops what is remembered of somebody as tx changes it: now, as nobody knows
// yet how tx will end, and on every node once it is committed.
func (s *Service) forgetWith(tx *store.Tx, who subject) error {
	now := s.Now()
	s.callers.doubt(who, now, now.Add(max(s.Remember, s.RememberHeard)))
	tx.AfterCommit(func() { s.callers.settle(who) })
	if s.Tell == nil {
		return nil
	}
	return s.Tell(tx, who.String())
}

// found returns what is to be remembered of what a lookup has found that began at a time,
// and that is over by itself at the end.
func (s *Service) found(a Account, key int64, from, end time.Time) caller {
	until := s.Remember
	if s.Hears != nil {
		until = max(until, s.RememberHeard)
	}
	return caller{account: a, key: key, from: from, until: earlier(from.Add(until), end), deaf: earlier(from.Add(s.Remember), end)}
}

// hears says whether this node hears of what ends on others.
func (s *Service) hears() bool { return s.Hears != nil && s.Hears() }

// Forget drops what another node has told to forget. What cannot be understood, as of a
// newer node, drops everything.
func (s *Service) Forget(what string) {
	if a, err := chain.ParseAddress(what); err == nil {
		s.callers.forget(subject{account: a})
		return
	}
	var hash secretHash
	if text, ok := strings.CutPrefix(what, secretWord); ok && len(text) == hex.EncodedLen(len(hash)) {
		if _, err := hex.Decode(hash[:], []byte(text)); err == nil {
			s.callers.forget(subject{secret: hash})
			return
		}
	}
	s.callers.forget(everybody)
}

// LookUpSession returns the session of a token, from memory when it was looked up just
// now. Errors: ErrNoSession.
func (s *Service) LookUpSession(ctx context.Context, token string) (Session, error) {
	hash, now := secretHash(hashToken(token)), s.Now()
	if found, ok := s.callers.get(hash, now, s.hears); ok {
		return Session{Account: found.account}, nil
	}
	changes := s.callers.begin()
	var session Session
	err := s.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		session, err = s.Session(ctx, tx, token)
		return err
	})
	switch {
	case errors.Is(err, ErrNoSession):
		s.callers.refuse(hash)
	case err == nil && !session.Stale: // a stale one is about to be touched
		s.callers.keep(changes, hash, s.found(session.Account, 0, now, session.Until))
	}
	return session, err
}

// LookUpKey returns whose key a secret is, from memory when it was looked up just now.
// Errors: ErrNoSession.
func (s *Service) LookUpKey(ctx context.Context, secret string) (KeyUse, error) {
	hash, now := secretHash(sha256.Sum256([]byte(secret))), s.Now()
	if found, ok := s.callers.get(hash, now, s.hears); ok {
		return KeyUse{ID: found.key, Account: found.account}, nil
	}
	changes := s.callers.begin()
	var use KeyUse
	err := s.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		use, err = s.Key(ctx, tx, secret)
		return err
	})
	switch {
	case errors.Is(err, ErrNoSession):
		s.callers.refuse(hash)
	case err == nil && !use.Stale:
		s.callers.keep(changes, hash, s.found(use.Account, use.ID, now, use.Until))
	}
	return use, err
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
