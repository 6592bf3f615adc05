package httpapi

import (
	"context"
	"net/http"

	"roshambo/internal/account"
	"roshambo/internal/contract"
	"roshambo/internal/db"
)

// The ways to say who is calling.
const (
	sessionScheme = "session"
	csrfHeader    = "X-CSRF-Token"
)

// session is what operations for players demand.
var session = []string{sessionScheme}

func securitySchemes() []contract.SecurityScheme {
	return []contract.SecurityScheme{{
		Name: sessionScheme, Type: "apiKey", In: "cookie", Key: plainCookie,
		Description: "The session of a browser, opened by POST /api/guest. Unsafe methods also need the header " +
			csrfHeader + " with the csrf_token of POST /api/guest or GET /api/me. Behind https the cookie is called " + secureCookie + ".",
	}}
}

// The session cookie. The prefix __Host- makes browsers take it from this host, over
// https, for the whole site, and from nobody else.
const (
	plainCookie  = "roshambo_session"
	secureCookie = "__Host-roshambo_session"
)

func (a *API) cookieName() string {
	if a.Secure {
		return secureCookie
	}
	return plainCookie
}

// caller is who makes a request.
type caller struct {
	account account.Account
	token   string // of the session; a secret
}

// exchange is what an operation may know of its request beside its input.
type exchange struct {
	w      http.ResponseWriter
	r      *http.Request
	caller *caller // nil for nobody
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// callerOf returns who is calling. It panics in an operation that does not demand a
// session, as there may be nobody.
func callerOf(ctx context.Context) *caller {
	c := exchangeOf(ctx).caller
	if c == nil {
		panic("httpapi: an operation without Security asks for its caller")
	}
	return c
}

// before finds out who is calling, before anything of the request is read: an answer
// to somebody without a session does not depend on what was sent.
func (a *API) before(op *contract.Operation, w http.ResponseWriter, r *http.Request) (context.Context, error) {
	e := &exchange{w: w, r: r}
	ctx := context.WithValue(r.Context(), exchangeKey{}, e)
	if err := a.origin.Check(r); err != nil {
		return ctx, errCrossOrigin
	}
	if len(op.Security) == 0 {
		return ctx, nil
	}
	c, err := a.authenticate(ctx, r)
	if err != nil {
		return ctx, err
	}
	if !safe(r.Method) && !account.ValidCSRF(c.token, r.Header.Get(csrfHeader)) {
		return ctx, errCSRF
	}
	e.caller = c
	return ctx, nil
}

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// authenticate returns who is calling, or errUnauthenticated.
func (a *API) authenticate(ctx context.Context, r *http.Request) (*caller, error) {
	cookie, err := r.Cookie(a.cookieName())
	if err != nil {
		return nil, errUnauthenticated
	}
	s, err := read(ctx, a, func(ctx context.Context, tx *db.Tx) (*account.Session, error) {
		s, err := a.Accounts.Session(ctx, tx, cookie.Value)
		return &s, err
	})
	if err != nil {
		return nil, err
	}
	if s.Stale {
		err := a.DB.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
			return a.Accounts.TouchSession(ctx, tx, cookie.Value)
		})
		if err != nil {
			return nil, err
		}
	}
	return &caller{s.Account, cookie.Value}, nil
}

func (a *API) setSessionCookie(w http.ResponseWriter, token string) {
	http.SetCookie(w, &http.Cookie{
		Name: a.cookieName(), Value: token, Path: "/", MaxAge: int(account.SessionMax.Seconds()),
		HttpOnly: true, Secure: a.Secure, SameSite: http.SameSiteLaxMode,
	})
}
