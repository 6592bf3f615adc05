package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

const (
	// SessionIdle is how long a session lives unused.
	SessionIdle = 30 * 24 * time.Hour
	// SessionMax is how long a session lives at most.
	SessionMax = 90 * 24 * time.Hour
	// touchEvery is how exactly the last use of a session is known: a write for
	// every request would cost more than it tells.
	touchEvery = time.Hour
)

// tokenLength is that of a session token in text: 256 bits in base64url.
const tokenLength = 43

// Session is a session in use.
type Session struct {
	Account Account
	// Stale says that TouchSession is due.
	Stale bool
	Until time.Time // when it is over, unless it is used
}

func (s *Service) openSession(ctx context.Context, tx *store.Tx, a chain.Address, agent string) (token string, err error) {
	var secret [32]byte
	if err := s.random(secret[:]); err != nil {
		return "", err
	}
	token = base64.RawURLEncoding.EncodeToString(secret[:])
	hash, now := hashToken(token), s.Now().UnixMilli()
	err = q.New(tx.Deferred()).InsertSession(ctx, q.InsertSessionParams{
		TokenHash: hash[:], Address: a[:], CreatedAt: now, SeenAt: now, Agent: shorten(agent)})
	if err != nil {
		return "", fmt.Errorf("account: open session: %w", err)
	}
	return token, nil
}

// nextSession opens a session beside others, and ends those that are too many.
func (s *Service) nextSession(ctx context.Context, tx *store.Tx, a chain.Address, agent string) (token string, err error) {
	if err := s.lock(ctx, tx, a); err != nil {
		return "", err
	}
	err = q.New(tx).DeleteOldSessionsOf(ctx, q.DeleteOldSessionsOfParams{Address: a[:], Keep: maxSessions - 1})
	if err != nil {
		return "", fmt.Errorf("account: sessions of %v: %w", a, err)
	}
	if err := s.forgetWith(tx, subject{account: a}); err != nil {
		return "", err
	}
	return s.openSession(ctx, tx, a, agent)
}

// maxAgent bounds what is kept of a browser's name, in bytes.
const maxAgent = 200

// shorten cuts a text of a client's making to what is kept, at a character's end.
func shorten(agent string) string {
	if len(agent) > maxAgent {
		agent = agent[:maxAgent]
	}
	return strings.ToValidUTF8(agent, "")
}

// hashToken returns what is stored of a token. A plain hash is enough: a token has
// 256 random bits, so there is nothing to guess.
func hashToken(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// Session returns the session of a token, or ErrNoSession when there is none or it
// is over.
func (s *Service) Session(ctx context.Context, tx *store.Tx, token string) (Session, error) {
	if len(token) != tokenLength {
		return Session{}, ErrNoSession
	}
	hash := hashToken(token)
	row, err := q.New(tx).GetSession(ctx, hash[:])
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, ErrNoSession
	}
	if err != nil {
		return Session{}, fmt.Errorf("account: session: %w", err)
	}
	now, seen := s.Now(), time.UnixMilli(row.SeenAt)
	until := earlier(seen.Add(SessionIdle), time.UnixMilli(row.SessionCreatedAt).Add(SessionMax))
	if now.After(until) {
		return Session{}, ErrNoSession
	}
	a := fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt)
	return Session{Account: a, Stale: now.Sub(seen) > touchEvery, Until: until}, nil
}

// TouchSession notes that a session is in use.
func (s *Service) TouchSession(ctx context.Context, tx *store.Tx, token string) error {
	hash := hashToken(token)
	return q.New(tx).TouchSession(ctx, q.TouchSessionParams{Now: s.Now().UnixMilli(), TokenHash: hash[:]})
}

// EndSession ends the session of a token.
func (s *Service) EndSession(ctx context.Context, tx *store.Tx, token string) error {
	_, err := s.endSession(ctx, tx, token)
	return err
}

// endSession ends the session of a token and reports whether there was one.
func (s *Service) endSession(ctx context.Context, tx *store.Tx, token string) (ended bool, err error) {
	hash := hashToken(token)
	n, err := q.New(tx).DeleteSession(ctx, hash[:])
	if err != nil {
		return false, fmt.Errorf("account: end session: %w", err)
	}
	return n > 0, s.forgetWith(tx, subject{secret: hash})
}

// SessionInfo is a session as its account sees it. ID is the stored hash of its token:
// it names the session, and opens nothing.
type SessionInfo struct {
	ID        chain.Hash
	CreatedAt time.Time
	SeenAt    time.Time
	Agent     string // what the browser called itself
	Current   bool   // the one that asks
}

// maxSessions bounds the sessions of an account, so that all of them can be listed and
// ended. The one more makes the one that was unused longest end.
const maxSessions = 100

// Sessions returns the sessions of an account, the last used first, at most 100.
func (s *Service) Sessions(ctx context.Context, tx *store.Tx, a chain.Address, token string) ([]SessionInfo, error) {
	rows, err := q.New(tx).ListSessions(ctx, q.ListSessionsParams{Address: a[:], Count: maxSessions})
	if err != nil {
		return nil, fmt.Errorf("account: sessions of %v: %w", a, err)
	}
	current := hashToken(token)
	list := make([]SessionInfo, len(rows))
	for i, r := range rows {
		list[i] = SessionInfo{CreatedAt: column.Time(r.CreatedAt), SeenAt: column.Time(r.SeenAt), Agent: r.Agent}
		copy(list[i].ID[:], r.TokenHash)
		list[i].Current = list[i].ID == current
	}
	return list, nil
}

// EndSessionByID ends a session of the account. Errors: ErrNotFound, also for
// somebody else's.
func (s *Service) EndSessionByID(ctx context.Context, tx *store.Tx, a chain.Address, id chain.Hash) error {
	n, err := q.New(tx).DeleteSessionOf(ctx, q.DeleteSessionOfParams{Address: a[:], TokenHash: id[:]})
	if err != nil {
		return fmt.Errorf("account: end session of %v: %w", a, err)
	}
	if n == 0 {
		return ErrNotFound
	}
	return s.forgetWith(tx, subject{account: a})
}

// DropStaleSessions deletes the sessions that are over, and returns how many.
func (s *Service) DropStaleSessions(ctx context.Context, tx *store.Tx) (int64, error) {
	now := s.Now()
	return q.New(tx).DeleteStaleSessions(ctx, q.DeleteStaleSessionsParams{
		IdleSince: now.Add(-SessionIdle).UnixMilli(), MadeBefore: now.Add(-SessionMax).UnixMilli(),
	})
}

// CSRFToken returns the token that a browser must send in a header with every unsafe
// request of a session. It follows from the session's token, which other sites can
// make a browser send but cannot read.
func CSRFToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("roshambo/csrf/v1"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// ValidCSRF compares in constant time.
func ValidCSRF(token, sent string) bool {
	return hmac.Equal([]byte(CSRFToken(token)), []byte(sent))
}
