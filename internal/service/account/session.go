package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

const (
	// SessionIdle is the lifetime of a session after its last use.
	SessionIdle = 30 * 24 * time.Hour
	// SessionMax is the maximum lifetime of a session.
	SessionMax = 90 * 24 * time.Hour
	// touchEvery is the precision of a session's last-use time; it saves a write per
	// request.
	touchEvery = time.Hour
)

// openSession stores a new session and returns its token. signedIn states that the browser
// has proved to own the account; a guest's browser has not.
func (s *Service) openSession(
	ctx context.Context, tx *store.Tx, a chain.Address, agent string, signedIn bool,
) (token SessionToken, err error) {
	if token, err = newSecret[sessionKind](s); err != nil {
		return SessionToken{}, err
	}
	hash, now := token.hash(), tx.Now().UnixMilli()
	p := q.InsertSessionParams{TokenHash: hash[:], Address: a[:], CreatedAt: now, SeenAt: now, Agent: shorten(agent)}
	if signedIn {
		p.SignedInAt = now
	}
	err = writes(tx).InsertSession(ctx, p)
	if err != nil {
		return SessionToken{}, fmt.Errorf("account: open session: %w", err)
	}
	return token, nil
}

// nextSession opens a session for an account that may have others. It ends the sessions
// beyond maxSessions, least recently used first. Errors: ErrFrozen.
func (s *Service) nextSession(
	ctx context.Context, tx *store.Tx, a chain.Address, agent string,
) (token SessionToken, err error) {
	if err := s.lock(ctx, tx, a); err != nil {
		return SessionToken{}, err
	}
	if err := s.notFrozen(ctx, tx, a); err != nil {
		return SessionToken{}, err
	}
	err = q.New(tx).DeleteOldSessionsOf(ctx, q.DeleteOldSessionsOfParams{Address: a[:], Keep: maxSessions - 1})
	if err != nil {
		return SessionToken{}, fmt.Errorf("account: sessions of %v: %w", a, err)
	}
	return s.openSession(ctx, tx, a, agent, true)
}

// maxAgent is the maximum stored length of a User-Agent, in bytes.
const maxAgent = 200

// shorten truncates a client's User-Agent to maxAgent bytes of valid UTF-8.
func shorten(agent string) string {
	if len(agent) > maxAgent {
		agent = agent[:maxAgent]
	}
	return strings.ToValidUTF8(agent, "")
}

// TouchSession records the current time as the last use of a session.
func (s *Service) TouchSession(ctx context.Context, tx *store.Tx, token SessionToken) error {
	hash := token.hash()
	return q.New(tx).TouchSession(ctx, q.TouchSessionParams{Now: tx.Now().UnixMilli(), TokenHash: hash[:]})
}

// EndSession ends the session of a token, if there is one.
func (s *Service) EndSession(ctx context.Context, tx *store.Tx, token SessionToken) error {
	_, err := s.endSession(ctx, tx, token)
	return err
}

// endSession ends the session of a token and reports whether there was one.
func (s *Service) endSession(ctx context.Context, tx *store.Tx, token SessionToken) (ended bool, err error) {
	hash := token.hash()
	n, err := q.New(tx).DeleteSession(ctx, hash[:])
	if err != nil {
		return false, fmt.Errorf("account: end session: %w", err)
	}
	return n > 0, nil
}

// SessionInfo is a session as its account sees it. ID is the stored hash of the token: it
// identifies the session but does not grant access.
type SessionInfo struct {
	ID        chain.Hash
	CreatedAt time.Time
	SeenAt    time.Time // last use, with the precision of touchEvery
	Agent     string    // the browser's User-Agent
	Current   bool      // the session of the calling browser
}

// maxSessions is the maximum number of sessions of an account, so that the owner can list
// and end all of them. Opening one more ends the least recently used one.
const maxSessions = 100

// Sessions returns the sessions of an account, most recently used first, at most
// maxSessions. token is the token of the calling session, zero for none.
func (s *Service) Sessions(
	ctx context.Context, tx *store.Tx, a chain.Address, token SessionToken,
) ([]SessionInfo, error) {
	rows, err := q.New(tx).ListSessions(ctx, q.ListSessionsParams{Address: a[:], Count: maxSessions})
	if err != nil {
		return nil, fmt.Errorf("account: sessions of %v: %w", a, err)
	}
	current := token.hash()
	list := make([]SessionInfo, len(rows))
	for i, r := range rows {
		list[i] = SessionInfo{CreatedAt: column.Time(r.CreatedAt), SeenAt: column.Time(r.SeenAt), Agent: r.Agent}
		copy(list[i].ID[:], r.TokenHash)
		list[i].Current = list[i].ID == current
	}
	return list, nil
}

// EndSessionByID ends a session of the account. Errors: ErrNotFound if the account has no
// such session.
func (s *Service) EndSessionByID(ctx context.Context, tx *store.Tx, a chain.Address, id chain.Hash) error {
	n, err := q.New(tx).DeleteSessionOf(ctx, q.DeleteSessionOfParams{Address: a[:], TokenHash: id[:]})
	if err != nil {
		return fmt.Errorf("account: end session of %v: %w", a, err)
	}
	if n == 0 {
		return ErrNotFound
	}
	return nil
}

// DropStaleSessions deletes expired sessions and returns their number.
func (s *Service) DropStaleSessions(ctx context.Context, tx *store.Tx) (int64, error) {
	now := tx.Now()
	return q.New(tx).DeleteStaleSessions(ctx, q.DeleteStaleSessionsParams{
		IdleSince: now.Add(-SessionIdle).UnixMilli(), MadeBefore: now.Add(-SessionMax).UnixMilli(),
	})
}

// CSRFToken returns the token that a browser must send in a header with every unsafe
// request of a session. It is an HMAC keyed with the session's token: another site can make
// a browser send that token but cannot read it.
func CSRFToken(token SessionToken) CSRF {
	var k csrfKind
	_, prefixes := k.form()
	mac := hmac.New(sha256.New, []byte(token.text))
	mac.Write([]byte("roshambo/csrf/v1"))
	return formatSecret[csrfKind](prefixes[0], [sha256.Size]byte(mac.Sum(nil)))
}

// ValidCSRF reports whether sent is the CSRF token of a session. It takes constant time.
func ValidCSRF(token SessionToken, sent CSRF) bool {
	return hmac.Equal([]byte(CSRFToken(token).text), []byte(sent.text))
}
