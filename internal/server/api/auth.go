package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// Sessions. A session is a random token in a cookie that scripts cannot read; the database holds
// its hash. Unsafe methods need the session's CSRF token as well, which is derived from the session
// and returned by GET /api/me. Signing in, registering and redeeming a link always open a new
// session, so that a token planted in a browser before is worth nothing afterwards.
//
// Ending a session or a key also ends the streams that it opened, on every node: the node that ends
// it wakes its own streams and asks the others to wake theirs.

// authOperations registers the operations on credentials, links and sessions.
func (a *API) authOperations() {
	op := func(id, method, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: method, Path: path, Tag: "Authentication", Summary: summary,
			Errors: may(errors...)}
	}
	// register gives the guest of the session a username and a password, or opens a new account. It
	// hashes the password before the transaction, which must stay short.
	register := op("register", "POST", "/api/auth/register", "Secure the guest's account, or open a new one",
		"unauthenticated", "csrf_failed", "username_taken", "already_registered", "sign_in_required", "not_found",
		"unavailable", "weak_password")
	register.Description = fmt.Sprintf("With a guest's session that same account gets the credentials, and keeps its "+
		"balance, tokens and history; the header %s is then needed. Without a session it opens a new account; with an "+
		"expired session it answers 401 and clears the cookie. The answer opens a new session. A registered account "+
		"without a password gets its first one within %d minutes of signing in, and its other sessions end. The account's "+
		"API keys and its bots' keys end, except those in keep: a former user of the browser may have made them.",
		csrfHeader, account.RecentSignIn/time.Minute)
	register.Errors = append(register.Errors, accountLimited())
	add(a, register, (*call).register)
	// login checks the password outside of the transaction, and then opens a session.
	login := op("login", "POST", "/api/auth/login", "Sign in", "csrf_failed", "bad_credentials", "account_frozen",
		"rate_limited")
	login.Description = "Opens a session. The error does not show which half was wrong. Failures are limited by " +
		"account and by network address."
	add(a, login, (*call).login)
	link := op("requestMagicLink", "POST", "/api/auth/magic-link", "Request a sign-in link by mail", "csrf_failed",
		"bad_credentials", "rate_limited")
	link.Description = fmt.Sprintf("The answer is the same whether the address is known or not. The link signs in for "+
		"%d minutes, once. With a guest's session the address is attached to that account once the link is redeemed; in "+
		"another browser, that ends the guest's sessions and keys. To a registered account it is attached only by the "+
		"browser that requested the link, with the password or within %d minutes of signing in, at the request; the "+
		"mailboxes known before receive a notice. An account has at most %d mailboxes.",
		account.LinkLife/time.Minute, account.RecentSignIn/time.Minute, account.MaxMailboxes)
	add(a, link, (*call).requestMagicLink)
	redeem := op("redeemMagicLink", "POST", "/api/auth/magic-link/redeem", "Sign in with the token of a link",
		"csrf_failed", "link_invalid", "sign_in_required", "limit_reached", "not_found",
		"account_frozen")
	redeem.Description = "A guest's keys and its bots' keys end, except those in keep; in another browser than the " +
		"guest's all end. 403 sign_in_required: the link was requested without the password or a recent sign-in. Sign in " +
		"again and request another."
	redeem.Errors = append(redeem.Errors, accountLimited())
	add(a, redeem, (*call).redeemMagicLink)
	// logout ends the session of the call and clears its cookie.
	logout := op("logout", "POST", "/api/auth/logout", "End the session", "unauthenticated", "forbidden", "csrf_failed")
	logout.Security = session
	add(a, logout, (*call).logout)
	// rename changes the caller's username. Errors: account.ErrUsernameTaken, *account.RenameLimitError.
	rename := op("rename", "POST", "/api/auth/rename", "Change the username", "unauthenticated", "forbidden",
		"csrf_failed", "username_taken", "limit_reached")
	rename.Description = "At most 3 times in 30 days; see next_at of limit_reached. For 30 days no one else can take the " +
		"former name."
	rename.Security = session
	add(a, rename, (*call).rename)
	list := op("listSessions", "GET", "/api/sessions", "The account's sessions", "unauthenticated", "forbidden")
	list.Security = session
	add(a, list, (*call).listSessions)
	end := op("endSession", "POST", "/api/sessions/{session_id}/end", "End another session", "unauthenticated",
		"forbidden", "csrf_failed", "not_found")
	end.Security = session
	add(a, end, (*call).endSession)
}

// Credentials are the username and password of a new account.
type Credentials struct {
	Username string `json:"username" required:"true" minLength:"3" maxLength:"32" pattern:"^[A-Za-z0-9_-]*$" doc:"Letters, digits, _ and -; unique without regard to case, _ and -."`
	Password string `json:"password" required:"true" minLength:"8" maxLength:"256" secret:"true"`
	Kept
}

// SessionOut is the answer of operations that open a session.
type SessionOut struct {
	GuestOut
	EndedKeys []APIKey `json:"ended_keys,omitempty" doc:"The API keys and bots' keys that have ended with this call."`
}

// register gives the caller's account a username and a password, or opens a new account with them. Only a
// new account counts against the limit of its network address.
func (a *call) register(ctx context.Context, in *body[Credentials]) (*SessionOut, error) {
	start, end := account.FreeStart, func(error) {}
	if a.caller == nil { // a new account
		var err error
		if start, end, err = a.countAccount(ctx); err != nil {
			return nil, err
		}
	}
	out, err := a.registerCounted(ctx, in, start)
	end(err)
	return out, err
}

// registerCounted is register after the new account, if there is one, was counted.
func (a *call) registerCounted(ctx context.Context, in *body[Credentials], start account.Start) (*SessionOut, error) {
	o := account.RegisterOptions{Username: in.Body.Username, Agent: a.r.UserAgent(), Start: start,
		Keep: deref(in.Body.Keep)}
	if c := a.caller; c != nil {
		o.Guest, o.Token = &c.address, c.Session
	}
	if err := a.Accounts.CheckRegister(ctx, o); err != nil {
		return nil, err
	}
	err := a.Accounts.CheckNewPassword(in.Body.Password, in.Body.Username)
	if err != nil {
		return nil, err
	}
	o.Password, err = a.Accounts.Hasher.Hash(ctx, a.w.Client.Address, in.Body.Password)
	if err != nil {
		return nil, err
	}
	opened, err := a.signIn(ctx, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return a.Accounts.Register(ctx, tx, o)
	})
	if errors.Is(err, account.ErrNoSession) { // the session ended after the request was authenticated
		a.dropSessionCookie(a.w)
		return nil, errSessionOver
	}
	if err != nil {
		return nil, err
	}
	return a.signedIn(opened), nil
}

// signedIn sets the cookie of a new session, and makes the streams of ended sessions close.
func (a *call) signedIn(opened *account.Opened) *SessionOut {
	a.setSessionCookie(a.w, opened.Token)
	a.setDeviceCookie()
	a.w.Account = opened.Account.Address
	a.publishSignedOut(opened.Account.Address) // redeeming or registering may have ended other sessions
	if a.caller != nil {
		a.publishSignedOut(a.caller.address)
	}
	out := &SessionOut{GuestOut: guestOut(opened.Account, opened.Balance, opened.Token)}
	for _, k := range opened.EndedKeys {
		if k.Address != opened.Account.Address { // of a bot, whose streams end
			a.publishSignedOut(k.Address)
		}
		out.EndedKeys = append(out.EndedKeys, wireKey(k))
	}
	return out
}

// Login is a username and a password.
type Login struct {
	Username string `json:"username" required:"true" maxLength:"32"`
	Password string `json:"password" required:"true" maxLength:"256" secret:"true"`
}

// login opens a session by username and password.
func (a *call) login(ctx context.Context, in *body[Login]) (*SessionOut, error) {
	r, before := a.r, account.SessionToken{}
	if c := a.caller; c != nil {
		before = c.Session // a signed-in browser gets a new session in place of the old one
	}
	login, err := a.Accounts.CheckLogin(ctx, account.LoginOptions{
		Username: in.Body.Username, Password: in.Body.Password, Client: a.w.Client.Address, Device: a.knownDevice()})
	if err != nil {
		return nil, err
	}
	opened, err := a.signIn(ctx, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return a.Accounts.LogIn(ctx, tx, login, before, r.UserAgent())
	})
	if err != nil {
		return nil, err
	}
	return a.signedIn(opened), nil
}

// ResetRequest is the mailbox for a reset link.
type ResetRequest struct {
	Email string `json:"email" required:"true" maxLength:"254" pattern:"^[^@\\s\\x00]+@[^@\\s\\x00]+$"`
}

// Email is the mailbox for a magic link.
type Email struct {
	Email    string  `json:"email" required:"true" maxLength:"254" pattern:"^[^@\\s\\x00]+@[^@\\s\\x00]+$"`
	Password *string `json:"password" maxLength:"256" secret:"true" doc:"The session's account's. It lets the link attach the mailbox to a registered account; not needed within 10 minutes of signing in."`
}

// SentOut reports that a mail was queued, or would be if the address had an account: it does not
// show which.
type SentOut struct {
	Sent   bool `json:"sent"`
	ToFile bool `json:"to_file" doc:"The service has no mail server: it writes its mails to files in its data folder."`
}

// requestMagicLink queues a mail with a link. A wrong password is an error, as the caller relies on
// it to attach the mailbox later.
func (a *call) requestMagicLink(ctx context.Context, in *body[Email]) (*SentOut, error) {
	r := account.LinkRequest{Email: in.Body.Email, RequestID: a.requestID()}
	c := a.caller
	if c != nil {
		r.Requester = &c.address
	}
	if c != nil && c.account.Kind != chain.Guest {
		var err error
		if r.Proof, err = a.proof(ctx, in.Body.Password); err != nil {
			return nil, err
		}
	}
	return a.sendLink(ctx, in.Body.Email, func(ctx context.Context, tx *store.Tx) error {
		return a.Accounts.RequestLink(ctx, tx, r)
	})
}

// MagicToken is the token of a link, its part after the #.
type MagicToken struct {
	Token string `json:"token" required:"true" maxLength:"64" secret:"true"`
	Kept
}

// redeemMagicLink opens a session with the token of a link, which works once.
func (a *call) redeemMagicLink(ctx context.Context, in *body[MagicToken]) (*SessionOut, error) {
	o := account.RedeemOptions{Token: account.ParseLink(in.Body.Token), Agent: a.r.UserAgent(),
		ExistingOnly: true, Keep: deref(in.Body.Keep)}
	if c := a.caller; c != nil {
		o.Session, o.Before = &c.address, c.Session
	}
	opened, err := a.redeem(ctx, o)
	if errors.Is(err, account.ErrNewAccount) { // rolled back: the link is valid again
		// Counted between two transactions, as the limiter may wait for Redis.
		start, end, errLimit := a.countAccount(ctx)
		if errLimit != nil {
			return nil, errLimit
		}
		o.ExistingOnly, o.Start = false, start
		opened, err = a.redeem(ctx, o)
		end(err)
	}
	if err != nil {
		return nil, err
	}
	return a.signedIn(opened), nil
}

// redeem redeems a link in one transaction. Errors: the same as of account.Service.Redeem.
func (a *call) redeem(ctx context.Context, o account.RedeemOptions) (*account.Opened, error) {
	return a.signIn(ctx, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return a.Accounts.Redeem(ctx, tx, o)
	})
}

// logout ends the caller's session and its streams.
func (a *call) logout(ctx context.Context, _ *none) (*DoneOut, error) {
	c := a.caller
	out, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*DoneOut, error) {
		return &DoneOut{true}, a.Accounts.EndSession(ctx, tx, c.Session)
	})
	a.sessionsMayHaveEnded(err, c.address)
	if err != nil {
		return nil, err
	}
	a.dropSessionCookie(a.w)
	return out, nil
}

// dropSessionCookie makes the browser delete the session cookie.
func (a *API) dropSessionCookie(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: a.cookie(sessionCookie), Path: "/", MaxAge: -1, HttpOnly: true, Secure: a.Secure,
		SameSite: http.SameSiteLaxMode,
	})
}

// Rename is a new username.
type Rename struct {
	Username string `json:"username" required:"true" minLength:"3" maxLength:"32" pattern:"^[A-Za-z0-9_-]*$"`
}

// AccountOut is an account alone.
type AccountOut struct {
	Account Account `json:"account"`
}

// rename changes the caller's username; the old one is held for the caller.
func (a *call) rename(ctx context.Context, in *body[Rename]) (*AccountOut, error) {
	address := a.caller.address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*AccountOut, error) {
		renamed, err := a.Accounts.Rename(ctx, tx, address, in.Body.Username)
		return &AccountOut{wireAccount(renamed)}, err
	})
}

// SessionInfo is one of the account's sessions.
type SessionInfo struct {
	ID        string `json:"id"`
	CreatedAt Time   `json:"created_at"`
	SeenAt    Time   `json:"seen_at" doc:"When it was last used, to the hour."`
	Agent     string `json:"agent" doc:"The browser's User-Agent."`
	Current   bool   `json:"current" doc:"The session of this call."`
}

// SessionsOut is the answer to GET /api/sessions.
type SessionsOut struct {
	Sessions []SessionInfo `json:"sessions" doc:"The last used first, at most 100."`
	Next     *string       `json:"next"`
}

// listSessions reads the account's sessions, the last used first.
func (a *call) listSessions(ctx context.Context, _ *none) (*SessionsOut, error) {
	c := a.caller
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*SessionsOut, error) {
		list, err := a.Accounts.Sessions(ctx, tx, c.address, c.Session)
		return &SessionsOut{Sessions: mapped(list, func(s account.SessionInfo) SessionInfo {
			return SessionInfo{ID: s.ID.String(), CreatedAt: Time{s.CreatedAt}, SeenAt: Time{s.SeenAt}, Agent: s.Agent,
				Current: s.Current}
		})}, err
	})
}

// endSessionIn names a session by its id, the hash of its token.
type endSessionIn struct {
	SessionID string `path:"session_id"`
}

// endSession ends one of the caller's sessions. Errors: account.ErrNotFound.
func (a *call) endSession(ctx context.Context, in *endSessionIn) (*DoneOut, error) {
	id, err := chain.ParseHash(in.SessionID)
	if err != nil {
		return nil, account.ErrNotFound
	}
	address := a.caller.address
	out, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*DoneOut, error) {
		return &DoneOut{true}, a.Accounts.EndSessionByID(ctx, tx, address, id)
	})
	a.sessionsMayHaveEnded(err, address)
	return out, err
}

// Kept names the keys that outlive a change of the ways to sign in.
type Kept struct {
	Keep *[]int64 `json:"keep" min:"0" max:"2147483647" maxItems:"8" doc:"Ids of the API keys and bots' keys that stay valid; all others end."`
}

// proof returns the caller's proof of ownership from its session and an optional password. Errors:
// account.ErrCredentials, *account.ThrottledError.
func (a *call) proof(ctx context.Context, password *string) (account.Proof, error) {
	c, text := a.caller, ""
	if err := a.authoriseAlone(ctx, c); err != nil { // before a hash is computed
		return account.Proof{}, err
	}
	if password != nil {
		text = *password
	}
	return a.Accounts.CheckPassword(ctx, c.account, c.Session, text, account.Origin{
		Client: a.w.Client.Address, Device: a.knownDevice()})
}

// sendLink runs a use case that queues a mail to a mailbox, within the limits on mails. The limit
// on mails to a mailbox is not reported, because it would show that others have asked for links to
// it.
func (a *call) sendLink(ctx context.Context, email string, queue func(ctx context.Context, tx *store.Tx) error) (
	*SentOut, error) {
	if a.ClientMailLimit != nil {
		if d := a.ClientMailLimit.Take(ctx, "", a.w.Client.Address); !d.OK {
			return nil, &RateLimitError{Wait: d.Wait}
		}
	}
	if a.MailLimit != nil {
		d, err := a.MailLimit.Take(ctx, "mailbox "+account.MailboxKey(email))
		if err != nil {
			return nil, err
		}
		if !d.OK {
			a.w.Mail = mailWithheld // in the log alone: the answer is indistinguishable from success
			return &SentOut{true, a.MailsToFiles}, nil
		}
	}
	queued := false // not by a repetition, which has the stored answer
	out, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*SentOut, error) {
		queued = true
		return &SentOut{true, a.MailsToFiles}, queue(ctx, tx)
	})
	if errors.Is(err, account.ErrEmail) {
		return nil, contract.InvalidValue([]any{"body", "email"}, "this is no address of a mailbox", email)
	}
	if err == nil && queued {
		a.w.Mail = mailQueued
	}
	return out, err
}
