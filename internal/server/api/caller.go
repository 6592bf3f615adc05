package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// The authentication schemes, and the header of the session's CSRF token.
const (
	sessionScheme = "session"
	keyScheme     = "key"
	botScheme     = "bot"
	csrfHeader    = "X-CSRF-Token"
)

// The schemes that an operation accepts: session is a browser's session only, anyScheme also an API
// key. Operations that would let the thief of a key keep the account (ending keys, sessions, names)
// accept a session only; what a key makes ends with it.
var (
	session   = []string{sessionScheme}
	anyScheme = []string{sessionScheme, keyScheme, botScheme}
)

// securitySchemes describes the schemes in the contract.
func securitySchemes() []contract.SecurityScheme {
	bearer := func(name, description string) contract.SecurityScheme {
		return contract.SecurityScheme{Name: name, Type: "http", Scheme: "bearer", Description: description}
	}
	return []contract.SecurityScheme{
		{
			Name: sessionScheme, Type: "apiKey", In: "cookie", Key: sessionCookie,
			Description: "The session of a browser, opened by POST /api/guest. Unsafe methods also need the header " +
				csrfHeader + " with the csrf_token of POST /api/guest or GET /api/me. Behind https the cookie is called " +
				"__Host-" + sessionCookie + ".",
		},
		bearer(keyScheme, "A player's API key, rsk_…, of POST /api/keys. It needs the listed scope: read, play or trade."),
		bearer(botScheme, "A bot's API key, rsb_…, of POST /api/bots."),
	}
}

// sessionCookie is the name of the session cookie.
const sessionCookie = "roshambo_session"

// cookie returns the name under which a cookie is set. Over https, its prefix __Host- makes browsers accept
// it only from this host, over https, for the whole site.
func (a *API) cookie(name string) string {
	if a.Secure {
		return "__Host-" + name
	}
	return name
}

// asksNoSnapshot are the operations whose callers may be anonymous and that read no snapshot as their caller.
var asksNoSnapshot = map[string]bool{"followEvents": true, "getTV": true, "verifyChain": true}

// recognise sets the address of a caller, from memory if it was seen within the last minute. The
// operations of asksNoSnapshot look their caller up, and those that need a key's scope to change something.
func (a *call) recognise(ctx context.Context, c *caller, safe bool) error {
	scoped := c.scheme == keyScheme && !safe // a lack of scope is refused before the transaction
	if address, ok := a.Accounts.Remembered(c.Credential); ok && !asksNoSnapshot[a.w.Operation] && !scoped {
		c.address = address
		return nil
	}
	return a.authoriseAlone(ctx, c)
}

// refusal returns the error for a caller that an operation does not accept, whatever its identity.
func refusal(op *contract.Operation, c *caller, r *http.Request) error {
	switch {
	case !slices.Contains(op.Security, c.scheme):
		return refuse(op, c)
	case c.scheme == keyScheme && c.needed == 0: // no key suffices
		return &scopeError{}
	case c.scheme == sessionScheme && !safe(r.Method) && !hasCSRF(r, c):
		return errCSRF
	}
	return nil
}

// authoriseAlone authorises a caller outside of any transaction: for refusals before it, for operations
// without one, and before work that a transaction must not do. Errors: account.ErrNoSession, errKey,
// account.ErrFrozen, *scopeError.
func (a *call) authoriseAlone(ctx context.Context, c *caller) error {
	found, err := a.Accounts.LookUp(ctx, c.Credential, a.useOf(a.w.Client))
	return c.admit(found, nil, err)
}

// callerIn authorises the caller of an operation in the transaction of its use case, once.
func (a *call) callerIn(ctx context.Context, tx *store.Tx) (*caller, error) {
	c := a.caller
	if c.known && c.tx == tx {
		return c, nil
	}
	found, err := a.Accounts.Authorise(ctx, tx, c.Credential)
	err = c.admit(found, tx, err)
	return c, err
}

// admit stores the outcome of an authorisation.
func (c *caller) admit(found account.Caller, tx *store.Tx, err error) error {
	c.known, c.settled = false, false
	if errors.Is(err, account.ErrNoSession) && c.scheme != sessionScheme {
		return errKey
	}
	if err != nil {
		return err
	}
	if !found.Scopes.Has(c.needed) { // of a player's key, as sessions and bots have all
		return &scopeError{c.needed}
	}
	c.account, c.scopes, c.address = found.Account, found.Scopes, found.Account.Address
	c.tx, c.known, c.settled, c.met = tx, true, true, true
	return nil
}

// isRefusal reports whether an error is about the caller.
func isRefusal(err error) bool {
	_, scope := errors.AsType[*scopeError](err)
	return scope || errors.Is(err, account.ErrNoSession) || errors.Is(err, errKey) || errors.Is(err, account.ErrFrozen)
}

// usesSession are the operations that need no session but use one.
var usesSession = map[string]bool{"register": true, "login": true, "requestMagicLink": true, "redeemMagicLink": true,
	"requestPasswordReset": true, "redeemPasswordReset": true}

// optionalSession returns the caller of an operation that needs no session, or nil. It requires the
// session's CSRF token: otherwise another site's page could act on the session, or sign a browser
// in to another account. Registering with an expired session fails with errSessionOver: the browser
// means to secure the account of that session, and a new account would silently abandon its balance
// and tokens.
func (a *call) optionalSession(ctx context.Context, op *contract.Operation) (*caller, error) {
	c, err := a.presentedSession(a.r)
	if err == nil {
		err = a.authoriseAlone(ctx, c)
	}
	switch {
	case errors.Is(err, account.ErrNoSession) && op.ID == "register":
		return nil, errSessionOver
	case errors.Is(err, account.ErrFrozen) && op.ID == "register": // likewise
		return nil, err
	case errors.Is(err, errUnauthenticated), errors.Is(err, account.ErrNoSession), errors.Is(err, account.ErrFrozen):
		return nil, nil // a frozen account does not keep its browser from signing in to another one
	}
	if err != nil {
		return nil, err
	}
	// A page of another site can send the cookie, and does not know the token.
	if !hasCSRF(a.r, c) {
		return c, errCSRF
	}
	return c, nil
}

// refuse returns the error for a caller whose scheme the operation does not accept.
func refuse(op *contract.Operation, c *caller) error {
	if len(op.Security) == 1 && op.Security[0] == botScheme {
		return errBotsOnly
	}
	return &schemeError{c.scheme}
}

// hasCSRF reports whether a request has the CSRF token of its session.
func hasCSRF(r *http.Request, c *caller) bool {
	return account.ValidCSRF(c.Session, account.ParseCSRF(r.Header.Get(csrfHeader)))
}

// safe reports whether a method changes nothing, so that it needs no CSRF token.
func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// presented returns the caller that a request names, by key or by session. A key takes precedence over
// cookies. Errors: errUnauthenticated, errKey, account.ErrNoSession.
func (a *API) presented(r *http.Request) (*caller, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return a.presentedSession(r)
	}
	scheme, text, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, errUnauthenticated
	}
	key, ok := account.ParseKey(strings.TrimSpace(text))
	if !ok {
		return nil, errKey
	}
	c := &caller{Credential: account.Credential{Key: key}, scheme: keyScheme}
	if account.OfBot(key) {
		c.scheme = botScheme
	}
	return c, nil
}

// Proven returns what identifies the session or key of a request from a shared address, if it was valid;
// otherwise "". A session or key that the node does not remember is looked up first, or a flood of calls
// without one would keep all later callers out. Only look-ups that find nothing use up the budget of the
// address for them, so random secrets buy no more; beyond it a call counts by the address.
func (a *API) Proven(r *http.Request, client Client) string {
	c, err := a.presented(r)
	if err != nil {
		return ""
	}
	if known := a.Accounts.RememberedHash(c.Credential); known != "" {
		return known
	}
	ctx := r.Context()
	if !a.RateLimit.TakeLookUp(ctx, client.Address) {
		return ""
	}
	if _, err := a.Accounts.LookUp(ctx, c.Credential, a.useOf(client)); err != nil {
		return ""
	}
	a.RateLimit.RefundLookUp(context.WithoutCancel(ctx), client.Address)
	return a.Accounts.RememberedHash(c.Credential)
}

// presentedSession returns the caller whose session the cookie names. Errors: errUnauthenticated,
// account.ErrNoSession.
func (a *API) presentedSession(r *http.Request) (*caller, error) {
	cookie, err := r.Cookie(a.cookie(sessionCookie))
	if err != nil {
		return nil, errUnauthenticated
	}
	token, ok := account.ParseSession(cookie.Value)
	if !ok {
		return nil, account.ErrNoSession
	}
	return &caller{Credential: account.Credential{Session: token}, scheme: sessionScheme}, nil
}

// setSessionCookie stores a session's token in the browser, out of reach of scripts.
func (a *API) setSessionCookie(w http.ResponseWriter, token account.SessionToken) {
	http.SetCookie(w, &http.Cookie{
		Name: a.cookie(sessionCookie), Value: token.Text(), Path: "/", MaxAge: int(account.SessionMax.Seconds()),
		HttpOnly: true, Secure: a.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// Scopes of API keys. Every operation that accepts a player's key needs exactly one scope, which
// before checks for all of them: reading needs read, everything else the scope in this table. An
// operation that is missing here refuses every player's key. TestScopes calls each operation with
// each scope.

// unsafeScopes are the scopes of the operations that change something, by operation id.
var unsafeScopes = map[string]account.Scopes{
	"useFaucet": account.ScopePlay, "startRun": account.ScopePlay, "throw": account.ScopePlay,
	"continueRun": account.ScopePlay, "claimRun": account.ScopePlay, "abandonRun": account.ScopePlay,
	"startDaily": account.ScopePlay,
	// A stake needs trade as well, also to resign: see staking. So does burning a token, and abandoning a run that
	// has reached a tier or burned one: see startRun and abandonRun.
	"createDuel": account.ScopePlay, "joinDuel": account.ScopePlay, "spar": account.ScopePlay,
	"cancelDuel": account.ScopePlay, "commitDuel": account.ScopePlay, "revealDuel": account.ScopePlay,
	"resignDuel": account.ScopePlay, "rematchDuel": account.ScopePlay,
	"startCup": account.ScopePlay, "pauseCup": account.ScopePlay, "resumeCup": account.ScopePlay,
	"endCup": account.ScopePlay, "removeCupPlayer": account.ScopePlay,
	"createCup": account.ScopePlay, "joinCup": account.ScopePlay, "leaveCup": account.ScopePlay,
	"quickMatch": account.ScopePlay, "leaveQuickMatch": account.ScopePlay,
	"emoteDuel": account.ScopePlay, "blockOpponent": account.ScopePlay, "setChallenges": account.ScopePlay,
	"describeBot": account.ScopePlay,
	"createTeam":  account.ScopePlay, "joinTeam": account.ScopePlay, "leaveTeam": account.ScopePlay,
	"listToken": account.ScopeTrade, "buyListing": account.ScopeTrade, "cancelListing": account.ScopeTrade,
	"createKey": account.AllScopes, "createBot": account.AllScopes, "rotateBotKey": account.AllScopes,
	"offerBuyback": account.ScopeTrade, "respondBuyback": account.ScopeTrade,
}

// scopeOf returns the scope that a player's key needs for an operation; 0 if no key suffices.
func scopeOf(op *contract.Operation) account.Scopes {
	switch {
	case !slices.Contains(op.Security, keyScheme):
		return 0
	case safe(op.Method):
		return account.ScopeRead
	}
	return unsafeScopes[op.ID]
}

// documentScope adds the scope of an operation to the contract.
func documentScope(op *contract.Operation) {
	scope := scopeOf(op)
	if scope == 0 {
		return
	}
	op.Roles = map[string][]string{keyScheme: scope.Names()}
	known := func(d contract.ErrorDoc) bool { return d.Code == "forbidden" }
	if !slices.ContainsFunc(op.Errors, known) {
		op.Errors = append(op.Errors, contract.ErrorDoc{Status: 403, Code: "forbidden",
			When: "The API key lacks the scope " + scope.Names()[0] + "; see scope."})
	}
}

// staking requires that the caller may stake coins; a stake of 0 needs nothing. Errors: *scopeError.
func (a *call) staking(stake int64) error {
	if stake == 0 {
		return nil
	}
	return a.trading()
}

// trading requires that the caller may give value away. A caller that was authorised already is checked at
// once, the others in the transaction. Errors: *scopeError.
func (a *call) trading() error {
	c := a.caller
	c.needed |= account.ScopeTrade
	if c.known && !c.scopes.Has(account.ScopeTrade) {
		return &scopeError{account.ScopeTrade}
	}
	return nil
}

// SecurityEvents are the operations on access to accounts, by operation id, with the name of their line in
// the log. Every unsafe operation that takes no API key is one of them: TestSecurityLog.
var SecurityEvents = map[string]string{
	"register": "registered", "login": "sign_in", "logout": "sign_out",
	"requestMagicLink": "link_requested", "redeemMagicLink": "sign_in_by_link",
	"requestPasswordReset": "reset_requested", "redeemPasswordReset": "password_reset",
	"changePassword": "password_changed", "removeMailbox": "mailbox_removed",
	"endSession": "session_ended", "endOtherSessions": "sessions_ended",
	"createKey": "key_made", "revokeKey": "key_ended", "createBot": "bot_made", "rotateBotKey": "bot_key_made",
	"endCupBotKey": "bot_key_ended",
	"rename":       "renamed", "exportAccount": "exported", "deleteAccount": "account_deleted",
}

// viewer returns the caller's address; the zero address when not signed in.
func (a *call) viewer() (address chain.Address) {
	if a.caller != nil {
		address = a.caller.address
	}
	return address
}
