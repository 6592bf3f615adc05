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

// callerCache caches the accounts of sessions and keys, so that not every request reads the
// database. Once the end of a session or key has been acknowledged, the cache must not let
// it in. Four rules ensure that:
//
//   - Every statement that ends or changes a cached caller goes with invalidateWith, which
//     invalidates from Tx.AfterCommit: after the effect is durable and before Update
//     returns, so before any response. TestInvalidating finds statements that do not.
//   - A lookup may read before such a commit and return after it, with outdated data. It
//     takes the cache's version before its snapshot begins, and its result is stored only
//     if that version is still current. A result stored before the invalidation is removed
//     by it. The same holds for a new guest's session, which is stored after its commit.
//   - AfterCommit does not run if the outcome of a commit is unknown. Therefore the entries
//     are dropped before the commit, too, and nothing is cached for the subject until the
//     commit has succeeded or every entry from before it would have expired. Meanwhile each
//     lookup reads the database.
//   - Other nodes receive the invalidation with the commit itself. A node that may not
//     receive invalidations trusts an entry for Service.CacheTTL from the start of its
//     lookup, a connected one for Service.ConnectedCacheTTL; neither beyond the session's
//     own end. The node checks Service.Connected on each hit, and clears the cache when it
//     may have missed an invalidation.
//
// A request that was let in before the end of its session may finish afterwards, as it
// might without a cache.
type callerCache struct {
	mu        sync.Mutex // guards the fields below
	version   uint64     // number of invalidations so far
	entries   map[secretHash]cachedCaller
	byAccount map[chain.Address][]secretHash // the keys of entries, by account
	pending   map[subject]pendingChange      // subjects that must not be cached
	pruneAt   int                            // size of pending at which expired changes are removed
}

// pendingChange marks a subject whose transactions have not reported their outcome.
type pendingChange struct {
	open  int       // transactions with an unknown outcome
	until time.Time // entries from before the change have expired by then
}

// subject names the cached callers of one account, or the one of a secret; the other field
// is zero. The zero subject stands for all callers.
type subject struct {
	account chain.Address
	secret  secretHash
}

// allCallers is the subject of a change that ends keys of accounts that it does not name.
var allCallers subject

// String returns the argument of Invalidate for s: an address, the hexadecimal hash of a
// secret behind secretPrefix, or "" for all callers.
func (s subject) String() string {
	switch {
	case s == allCallers:
		return ""
	case s.account != chain.Address{}:
		return s.account.String()
	}
	return secretPrefix + hex.EncodeToString(s.secret[:])
}

const secretPrefix = "secret="

// secretHash is the SHA-256 of a session token or a key. The cache never holds the secrets
// themselves.
type secretHash [sha256.Size]byte

// hashOf returns the hash of a session token or a key.
func hashOf[K kind](s Secret[K]) secretHash { return s.hash() }

// cachedCaller is the result of a lookup.
type cachedCaller struct {
	account           Account
	key               int64 // id; 0 for a session
	scopes            Scopes
	from              time.Time
	connectedUntil    time.Time // expiry while the node receives invalidations
	disconnectedUntil time.Time // expiry otherwise; not after connectedUntil
}

// maxCallers bounds the size of the cache. An entry takes about 300 bytes.
const maxCallers = 16384

// minPrune is the smallest number of pending changes at which expired ones are removed.
const minPrune = 64

// get returns the cached caller of a secret. connected reports whether the node receives
// invalidations. A disconnected node keeps entries beyond disconnectedUntil without using
// them: it may turn out that no invalidation was lost, only delayed.
func (c *callerCache) get(hash secretHash, now time.Time, connected func() bool) (cachedCaller, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[hash]
	if !ok || now.Before(entry.from) { // a clock that was set back extends no entry
		return cachedCaller{}, false
	}
	if !now.Before(entry.connectedUntil) || !now.Before(entry.disconnectedUntil) && !connected() {
		return cachedCaller{}, false
	}
	return entry, true
}

// dropSecret removes a secret that the database no longer has.
func (c *callerCache) dropSecret(hash secretHash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(hash)
}

// currentVersion returns the version for put. A lookup calls it before its snapshot begins.
func (c *callerCache) currentVersion() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// put stores the result of a lookup, unless an invalidation came after version or the
// subject has a pending change.
func (c *callerCache) put(version uint64, hash secretHash, entry cachedCaller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version != c.version {
		return
	}
	for _, s := range []subject{allCallers, {account: entry.account.Address}, {secret: hash}} {
		if entry.from.Before(c.pending[s].until) {
			return
		}
	}
	if c.entries == nil {
		c.entries, c.byAccount = make(map[secretHash]cachedCaller), make(map[chain.Address][]secretHash)
	}
	if _, exists := c.entries[hash]; !exists {
		if len(c.entries) >= maxCallers {
			for h := range c.entries { // evict any one
				c.remove(h)
				break
			}
		}
		a := entry.account.Address
		c.byAccount[a] = append(c.byAccount[a], hash)
	}
	c.entries[hash] = entry
}

// invalidate drops the entries of a subject.
func (c *callerCache) invalidate(s subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(s)
}

// beginChange drops the entries of a subject and caches nothing for it until the given time
// or the matching endChange. It runs before the commit of a change.
func (c *callerCache) beginChange(s subject, now, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(s)
	if c.pending == nil {
		c.pending = make(map[subject]pendingChange)
	}
	// A transaction that is retried or rolled back never calls endChange: its change expires.
	if len(c.pending) >= max(c.pruneAt, minPrune) {
		maps.DeleteFunc(c.pending, func(_ subject, p pendingChange) bool { return !now.Before(p.until) })
		c.pruneAt = 2 * len(c.pending) // keeps the amortised cost of pruning constant
	}
	c.pending[s] = pendingChange{open: c.pending[s].open + 1, until: until}
}

// endChange drops the entries of a subject again and allows caching once no other change of
// it is pending. It runs after the commit.
func (c *callerCache) endChange(s subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(s)
	p := c.pending[s]
	if p.open--; p.open > 0 {
		c.pending[s] = p
		return
	}
	delete(c.pending, s)
}

// drop removes the entries of a subject and advances the version. The caller holds mu.
func (c *callerCache) drop(s subject) {
	c.version++
	if s == allCallers {
		clear(c.entries)
		clear(c.byAccount)
		return
	}
	for _, hash := range c.byAccount[s.account] {
		delete(c.entries, hash)
	}
	delete(c.byAccount, s.account)
	c.remove(s.secret)
}

// remove removes one entry from both maps. The caller holds mu.
func (c *callerCache) remove(hash secretHash) {
	entry, ok := c.entries[hash]
	if !ok {
		return
	}
	delete(c.entries, hash)
	a := entry.account.Address
	rest := c.byAccount[a][:0]
	for _, h := range c.byAccount[a] {
		if h != hash {
			rest = append(rest, h)
		}
	}
	if len(rest) == 0 {
		delete(c.byAccount, a)
		return
	}
	c.byAccount[a] = rest
}

// invalidateWith invalidates the cached callers of a subject that tx changes: at once on
// this node, as the outcome of tx is not known yet, and on every node when tx commits.
func (s *Service) invalidateWith(tx *store.Tx, changed subject) error {
	now := s.Now()
	s.cache.beginChange(changed, now, now.Add(max(s.CacheTTL, s.ConnectedCacheTTL)))
	tx.AfterCommit(func() { s.cache.endChange(changed) })
	if s.PublishInvalidation == nil {
		return nil
	}
	return s.PublishInvalidation(tx, changed.String())
}

// newCachedCaller returns the cache entry of a lookup that began at from, for a session or
// key that expires at end by itself. key is 0 for a session.
func (s *Service) newCachedCaller(a Account, key int64, from, end time.Time) cachedCaller {
	ttl := s.CacheTTL
	if s.Connected != nil {
		ttl = max(ttl, s.ConnectedCacheTTL)
	}
	return cachedCaller{
		account: a, key: key, from: from,
		connectedUntil: earlier(from.Add(ttl), end), disconnectedUntil: earlier(from.Add(s.CacheTTL), end),
	}
}

// connected reports whether this node receives the invalidations of other nodes.
func (s *Service) connected() bool { return s.Connected != nil && s.Connected() }

// Invalidate drops the cached callers that another node has invalidated. text is the
// argument of that node's PublishInvalidation. A text that this version does not know, such
// as one of a newer node, drops all callers.
func (s *Service) Invalidate(text string) {
	if a, err := chain.ParseAddress(text); err == nil {
		s.cache.invalidate(subject{account: a})
		return
	}
	var hash secretHash
	if digits, ok := strings.CutPrefix(text, secretPrefix); ok && len(digits) == hex.EncodedLen(len(hash)) {
		if _, err := hex.Decode(hash[:], []byte(digits)); err == nil {
			s.cache.invalidate(subject{secret: hash})
			return
		}
	}
	s.cache.invalidate(allCallers)
}

// LookUpSession returns the session of a token, from the cache if possible. Errors:
// ErrNoSession.
func (s *Service) LookUpSession(ctx context.Context, token SessionToken) (Session, error) {
	hash, now := hashOf(token), s.Now()
	if entry, ok := s.cache.get(hash, now, s.connected); ok && entry.key == 0 {
		return Session{Account: entry.account}, nil
	}
	version := s.cache.currentVersion()
	var session Session
	err := s.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		session, err = s.LoadSession(ctx, tx, token)
		return err
	})
	switch {
	case errors.Is(err, ErrNoSession):
		s.cache.dropSecret(hash)
	case err == nil && !session.Stale: // a stale session is about to be touched
		s.cache.put(version, hash, s.newCachedCaller(session.Account, 0, now, session.Until))
	}
	return session, err
}

// LookUpKey returns the key with a secret, from the cache if possible. Errors:
// ErrNoSession.
func (s *Service) LookUpKey(ctx context.Context, secret KeySecret) (KeyUse, error) {
	hash, now := hashOf(secret), s.Now()
	if entry, ok := s.cache.get(hash, now, s.connected); ok && entry.key != 0 {
		return KeyUse{ID: entry.key, Account: entry.account, Scopes: entry.scopes}, nil
	}
	version := s.cache.currentVersion()
	var use KeyUse
	err := s.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		use, err = s.LoadKey(ctx, tx, secret)
		return err
	})
	switch {
	case errors.Is(err, ErrNoSession):
		s.cache.dropSecret(hash)
	case err == nil && !use.Stale:
		entry := s.newCachedCaller(use.Account, use.ID, now, use.Until)
		entry.scopes = use.Scopes
		s.cache.put(version, hash, entry)
	}
	return use, err
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
