package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// The ways to say who is calling.
const (
	sessionScheme = "session"
	keyScheme     = "key"
	botScheme     = "bot"
	csrfHeader    = "X-CSRF-Token"
)

// What operations demand: a browser's session alone, or anybody who is known. An API
// key cannot do what would let its thief keep the account: keys, sessions, names.
var (
	session = []string{sessionScheme}
	anybody = []string{sessionScheme, keyScheme, botScheme}
)

func securitySchemes() []contract.SecurityScheme {
	bearer := func(name, description string) contract.SecurityScheme {
		return contract.SecurityScheme{Name: name, Type: "http", Scheme: "bearer", Description: description}
	}
	return []contract.SecurityScheme{
		{
			Name: sessionScheme, Type: "apiKey", In: "cookie", Key: plainCookie,
			Description: "The session of a browser, opened by POST /api/guest. Unsafe methods also need the header " +
				csrfHeader + " with the csrf_token of POST /api/guest or GET /api/me. Behind https the cookie is called " + secureCookie + ".",
		},
		bearer(keyScheme, "A player's API key, rsk_…, of POST /api/keys."),
		bearer(botScheme, "A bot's API key, rsb_…, of POST /api/bots."),
	}
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
	scheme  string // how it is known
	token   string // of the session, "" for a key; a secret
}

// exchange is what an operation may know of its request beside its input.
type requestState struct {
	w      http.ResponseWriter
	r      *http.Request
	caller *caller           // nil for nobody
	repeat *idempotency.Call // nil for a call without Idempotency-Key
	stored int               // bytes of the answer that is stored for it
}

type stateKey struct{}

func stateOf(ctx context.Context) *requestState {
	e, _ := ctx.Value(stateKey{}).(*requestState)
	return e
}

// callerOf returns who is calling. It panics in an operation that lets nobody in
// particular in, too: there the caller of the exchange may be nil.
func callerOf(ctx context.Context) *caller {
	c := stateOf(ctx).caller
	if c == nil {
		panic("httpapi: an operation without Security asks for its caller")
	}
	return c
}

// before finds out who is calling, before anything of the request is read: an answer
// to somebody without a session does not depend on what was sent.
func (a *API) before(op *contract.Operation, w http.ResponseWriter, r *http.Request) (context.Context, error) {
	responseOf(w).operation = op.ID
	e := &requestState{w: w, r: r}
	ctx := context.WithValue(r.Context(), stateKey{}, e)
	byKey := len(op.Security) > 0 && r.Header.Get("Authorization") != "" // no page of another site can send that
	if err := a.origin.Check(r); err != nil && !byKey {
		return ctx, errCrossOrigin
	}
	if len(op.Security) == 0 {
		var err error
		if usesSession[op.ID] {
			e.caller, err = a.optionalSession(ctx, op, r)
		}
		if errors.Is(err, errSessionOver) {
			a.dropSessionCookie(w)
		}
		return ctx, err
	}
	c, err := a.authenticate(ctx, r)
	if op.Anonymous && !byKey && (errors.Is(err, errUnauthenticated) || errors.Is(err, account.ErrNoSession)) {
		return ctx, nil // who has no session, or had one; a wrong key is an error all the same
	}
	if err != nil {
		return ctx, err
	}
	if !slices.Contains(op.Security, c.scheme) {
		return ctx, refuse(op, c)
	}
	if c.scheme == sessionScheme && !safe(r.Method) && !account.ValidCSRF(c.token, r.Header.Get(csrfHeader)) {
		return ctx, errCSRF
	}
	e.caller = c
	return ctx, nil
}

// usesSession are the operations that need no session and make use of one.
var usesSession = map[string]bool{"register": true, "login": true, "requestMagicLink": true, "redeemMagicLink": true}

// optionalSession returns the session that came with a request to an operation that
// needs none, or nil. It holds a session to its CSRF token: otherwise a page of another
// site could act on it, or sign a browser in as somebody else. Registering with a session
// that is over fails with errSessionOver: its browser means to secure the account of that
// session, and a new account would leave the balance and tokens behind without a word.
func (a *API) optionalSession(ctx context.Context, op *contract.Operation, r *http.Request) (*caller, error) {
	c, err := a.session(ctx, r)
	switch {
	case errors.Is(err, account.ErrNoSession) && op.ID == "register":
		return nil, errSessionOver
	case errors.Is(err, errUnauthenticated), errors.Is(err, account.ErrNoSession):
		return nil, nil
	}
	if err == nil && !account.ValidCSRF(c.token, r.Header.Get(csrfHeader)) {
		err = errCSRF
	}
	return c, err
}

// refuse says why somebody who is known may not call an operation.
func refuse(op *contract.Operation, c *caller) error {
	if len(op.Security) == 1 && op.Security[0] == botScheme {
		return errBotsOnly
	}
	return &schemeError{c.scheme}
}

// schemeError says that an operation is not for callers of this kind.
type schemeError struct{ scheme string }

func (e *schemeError) Error() string { return "httpapi: not for a caller with a " + e.scheme }

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// authenticate returns who is calling, by key or by session, or errUnauthenticated. A
// request with a key is the key's, whatever cookies came with it.
func (a *API) authenticate(ctx context.Context, r *http.Request) (*caller, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		return a.key(ctx, header)
	}
	return a.session(ctx, r)
}

// key returns whose key an Authorization header holds.
func (a *API) key(ctx context.Context, header string) (*caller, error) {
	scheme, secret, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, errUnauthenticated
	}
	use, err := a.Accounts.LookUpKey(ctx, strings.TrimSpace(secret))
	if errors.Is(err, account.ErrNoSession) {
		return nil, errKey
	}
	if err != nil {
		return nil, err
	}
	if use.Stale {
		err := a.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error { return a.Accounts.TouchKey(ctx, tx, use.ID) })
		if err != nil {
			return nil, err
		}
	}
	c := &caller{account: use.Account, scheme: keyScheme}
	if use.Account.Kind == chain.Bot {
		c.scheme = botScheme
	}
	return c, nil
}

// session returns whose session came with the cookie.
func (a *API) session(ctx context.Context, r *http.Request) (*caller, error) {
	cookie, err := r.Cookie(a.cookieName())
	if err != nil {
		return nil, errUnauthenticated
	}
	s, err := a.Accounts.LookUpSession(ctx, cookie.Value)
	if err != nil {
		return nil, err
	}
	if s.Stale {
		err := a.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			return a.Accounts.TouchSession(ctx, tx, cookie.Value)
		})
		if err != nil {
			return nil, err
		}
	}
	return &caller{s.Account, sessionScheme, cookie.Value}, nil
}

func (a *API) setSessionCookie(w http.ResponseWriter, token string) {
	http.SetCookie(w, &http.Cookie{
		Name: a.cookieName(), Value: token, Path: "/", MaxAge: int(account.SessionMax.Seconds()),
		HttpOnly: true, Secure: a.Secure, SameSite: http.SameSiteLaxMode,
	})
}
