package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/db"
	q "roshambo/internal/query/accountq"
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
}

func (s *Service) openSession(ctx context.Context, tx *db.Tx, a chain.Address) (token string, err error) {
	var secret [32]byte
	if err := s.random(secret[:]); err != nil {
		return "", err
	}
	token = base64.RawURLEncoding.EncodeToString(secret[:])
	hash, now := hashToken(token), s.Now().UnixMilli()
	err = q.New(tx).InsertSession(ctx, q.InsertSessionParams{TokenHash: hash[:], Address: a[:], CreatedAt: now, SeenAt: now})
	if err != nil {
		return "", fmt.Errorf("account: open session: %w", err)
	}
	return token, nil
}

// hashToken returns what is stored of a token. A plain hash is enough: a token has
// 256 random bits, so there is nothing to guess.
func hashToken(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// Session returns the session of a token, or ErrNoSession when there is none or it
// is over.
func (s *Service) Session(ctx context.Context, tx *db.Tx, token string) (Session, error) {
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
	now := s.Now()
	idle := now.Sub(time.UnixMilli(row.SeenAt))
	if idle > SessionIdle || now.Sub(time.UnixMilli(row.SessionCreatedAt)) > SessionMax {
		return Session{}, ErrNoSession
	}
	a := fromRow(row.Address, row.Kind, row.Username, row.CreatedAt, row.FaucetAt)
	return Session{Account: a, Stale: idle > touchEvery}, nil
}

// TouchSession notes that a session is in use.
func (s *Service) TouchSession(ctx context.Context, tx *db.Tx, token string) error {
	hash := hashToken(token)
	return q.New(tx).TouchSession(ctx, q.TouchSessionParams{Now: s.Now().UnixMilli(), TokenHash: hash[:]})
}

// DropStaleSessions deletes the sessions that are over, and returns how many.
func (s *Service) DropStaleSessions(ctx context.Context, tx *db.Tx) (int64, error) {
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
