package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/platform/limit"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

func (a *API) authOperations() {
	op := func(id, method, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: method, Path: path, Tag: "Authentication", Summary: summary, Errors: may(errors...)}
	}
	register := op("register", "POST", "/api/auth/register", "Secure the guest's account, or open a new one",
		"unauthenticated", "csrf_failed", "username_taken", "already_registered", "unavailable")
	register.Description = "With a guest's session that same account gets the credentials, and keeps its balance, tokens and history; " +
		"the header " + csrfHeader + " is then needed. Without a session it opens a new account; with a session that is over it answers 401 " +
		"and clears the cookie. The answer opens a new session."
	contract.Add(a.contract, register, a.register)
	login := op("login", "POST", "/api/auth/login", "Sign in", "csrf_failed", "bad_credentials", "rate_limited")
	login.Description = "Opens a session. Which half was wrong is not told. Failures are limited by account and by network address."
	contract.Add(a.contract, login, a.login)
	link := op("requestMagicLink", "POST", "/api/auth/magic-link", "Ask for a link by mail", "csrf_failed")
	link.Description = "The answer is the same whether the address is known or not. The link signs in for 15 minutes, once. " +
		"With a guest's session the address is attached to that account once the link is redeemed; in another browser, " +
		"that ends the guest's sessions and keys. To an account that is no guest's it is attached only by the browser that asked."
	contract.Add(a.contract, link, a.requestMagicLink)
	redeem := op("redeemMagicLink", "POST", "/api/auth/magic-link/redeem", "Sign in with the token of a link", "csrf_failed", "link_invalid")
	contract.Add(a.contract, redeem, a.redeemMagicLink)
	logout := op("logout", "POST", "/api/auth/logout", "End the session", "unauthenticated", "forbidden", "csrf_failed")
	logout.Security = session
	contract.Add(a.contract, logout, a.logout)
	rename := op("rename", "POST", "/api/auth/rename", "Take another username", "unauthenticated", "forbidden", "csrf_failed", "username_taken")
	rename.Security = session
	contract.Add(a.contract, rename, a.rename)
	list := op("listSessions", "GET", "/api/sessions", "Where the account is signed in", "unauthenticated", "forbidden")
	list.Security = session
	contract.Add(a.contract, list, a.listSessions)
	end := op("endSession", "POST", "/api/sessions/{session_id}/end", "Sign out elsewhere", "unauthenticated", "forbidden", "csrf_failed", "not_found")
	end.Security = session
	contract.Add(a.contract, end, a.endSession)
}

// Credentials are what an account is signed in to with, when it is made.
type Credentials struct {
	Username string `json:"username" required:"true" minLength:"3" maxLength:"32" pattern:"^[A-Za-z0-9_-]*$" doc:"Letters, digits, _ and -; unique without regard to case."`
	Password string `json:"password" required:"true" minLength:"8" maxLength:"256" secret:"true"`
}

type registerIn struct{ Body Credentials }

// SessionOut is the answer to what opens a session.
type SessionOut struct {
	Account   Account `json:"account"`
	Balance   int64   `json:"balance"`
	CSRFToken string  `json:"csrf_token" doc:"For the header X-CSRF-Token."`
}

func (a *API) register(ctx context.Context, in *registerIn) (*SessionOut, error) {
	hash, err := a.Accounts.Hasher.Hash(ctx, in.Body.Password)
	if err != nil {
		return nil, err
	}
	o := account.RegisterOptions{Username: in.Body.Username, Password: hash, Agent: stateOf(ctx).r.UserAgent()}
	if c := stateOf(ctx).caller; c != nil {
		o.Guest, o.Token = &c.account.Address, c.token
	}
	opened, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*account.Opened, error) {
		opened, err := a.Accounts.Register(ctx, tx, o)
		return &opened, err
	})
	if errors.Is(err, account.ErrNoSession) { // it ended after before looked it up
		a.dropSessionCookie(stateOf(ctx).w)
		return nil, errSessionOver
	}
	if err != nil {
		return nil, err
	}
	return a.signedIn(ctx, opened), nil
}

// signedIn hands over a new session.
func (a *API) signedIn(ctx context.Context, opened *account.Opened) *SessionOut {
	e := stateOf(ctx)
	a.setSessionCookie(e.w, opened.Token)
	a.publishSignedOut(opened.Account.Address) // of the sessions that ended for this one
	if e.caller != nil {
		a.publishSignedOut(e.caller.account.Address)
	}
	return &SessionOut{wireAccount(opened.Account), opened.Balance, account.CSRFToken(opened.Token)}
}

// Login is what somebody signs in with.
type Login struct {
	Username string `json:"username" required:"true" maxLength:"32"`
	Password string `json:"password" required:"true" maxLength:"256" secret:"true"`
}

type loginIn struct{ Body Login }

func (a *API) login(ctx context.Context, in *loginIn) (*SessionOut, error) {
	r, before := stateOf(ctx).r, ""
	if c := stateOf(ctx).caller; c != nil {
		before = c.token // a browser that is signed in already signs in anew
	}
	address, err := a.Accounts.CheckLogin(ctx, account.LoginOptions{
		Username: in.Body.Username, Password: in.Body.Password, Client: a.clients.key(r)})
	if err != nil {
		return nil, err
	}
	opened, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*account.Opened, error) {
		opened, err := a.Accounts.SignIn(ctx, tx, address, before, r.UserAgent())
		return &opened, err
	})
	if err != nil {
		return nil, err
	}
	return a.signedIn(ctx, opened), nil
}

// Email is where a link is mailed to.
type Email struct {
	Email string `json:"email" required:"true" maxLength:"254" pattern:"^[^@\\s\\x00]+@[^@\\s\\x00]+$"`
}

type magicLinkIn struct{ Body Email }

// SentOut says that a mail is on its way, if there is anybody to get it.
type SentOut struct {
	Sent bool `json:"sent"`
}

func (a *API) requestMagicLink(ctx context.Context, in *magicLinkIn) (*SentOut, error) {
	e := stateOf(ctx)
	if err := a.countMail(ctx, "client "+a.clients.key(e.r), a.ClientMailLimit); err != nil {
		return nil, err
	}
	err := a.countMail(ctx, "mailbox "+strings.ToLower(in.Body.Email), a.MailLimit)
	if _, limited := errors.AsType[*rateLimitError](err); limited {
		return &SentOut{true}, nil // enough mails for this mailbox; the caller learns nothing
	}
	if err != nil {
		return nil, err
	}
	var asks *chain.Address
	if e.caller != nil {
		asks = &e.caller.account.Address
	}
	out, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*SentOut, error) {
		return &SentOut{true}, a.Accounts.RequestLink(ctx, tx, in.Body.Email, asks)
	})
	if errors.Is(err, account.ErrEmail) {
		return nil, contract.Invalid([]any{"body", "email"}, "value_error", "Input should be the address of a mailbox", in.Body.Email, nil)
	}
	return out, err
}

// countMail counts a mail that is asked for. Errors: *rateLimitError.
func (a *API) countMail(ctx context.Context, key string, l *limit.Limiter) error {
	if l == nil {
		return nil
	}
	d, err := l.Take(ctx, key)
	if err == nil && !d.OK {
		err = &rateLimitError{wait: d.Wait}
	}
	return err
}

// MagicToken is what a link holds behind its #.
type MagicToken struct {
	Token string `json:"token" required:"true" maxLength:"64" secret:"true"`
}

type redeemIn struct{ Body MagicToken }

func (a *API) redeemMagicLink(ctx context.Context, in *redeemIn) (*SessionOut, error) {
	o := account.RedeemOptions{Token: in.Body.Token, Agent: stateOf(ctx).r.UserAgent()}
	if c := stateOf(ctx).caller; c != nil {
		o.Session, o.Before = &c.account.Address, c.token
	}
	opened, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*account.Opened, error) {
		opened, err := a.Accounts.Redeem(ctx, tx, o)
		return &opened, err
	})
	if err != nil {
		return nil, err
	}
	return a.signedIn(ctx, opened), nil
}

// DoneOut says that something was done, and no more.
type DoneOut struct {
	Done bool `json:"done"`
}

func (a *API) logout(ctx context.Context, _ *none) (*DoneOut, error) {
	c := callerOf(ctx)
	err := a.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		return a.Accounts.EndSession(ctx, tx, c.token)
	})
	a.sessionsMayHaveEnded(err, c.account.Address)
	if err != nil {
		return nil, err
	}
	a.dropSessionCookie(stateOf(ctx).w)
	return &DoneOut{true}, nil
}

func (a *API) dropSessionCookie(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: a.cookieName(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: a.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// Rename is another username.
type Rename struct {
	Username string `json:"username" required:"true" minLength:"3" maxLength:"32" pattern:"^[A-Za-z0-9_-]*$"`
}

type renameIn struct{ Body Rename }

// AccountOut is an account alone.
type AccountOut struct {
	Account Account `json:"account"`
}

func (a *API) rename(ctx context.Context, in *renameIn) (*AccountOut, error) {
	address := callerOf(ctx).account.Address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*AccountOut, error) {
		renamed, err := a.Accounts.Rename(ctx, tx, address, in.Body.Username)
		return &AccountOut{wireAccount(renamed)}, err
	})
}

// SessionInfo is a session as its account sees it.
type SessionInfo struct {
	ID        string `json:"id"`
	CreatedAt Time   `json:"created_at"`
	SeenAt    Time   `json:"seen_at" doc:"When it was last used, to the hour."`
	Agent     string `json:"agent" doc:"What the browser called itself."`
	Current   bool   `json:"current" doc:"The session of this call."`
}

// SessionsOut is the answer to GET /api/sessions.
type SessionsOut struct {
	Sessions []SessionInfo `json:"sessions" doc:"The last used first, at most 100."`
	Next     *string       `json:"next"`
}

func (a *API) listSessions(ctx context.Context, _ *none) (*SessionsOut, error) {
	c := callerOf(ctx)
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*SessionsOut, error) {
		list, err := a.Accounts.Sessions(ctx, tx, c.account.Address, c.token)
		if err != nil {
			return nil, err
		}
		out := &SessionsOut{Sessions: make([]SessionInfo, len(list))}
		for i, s := range list {
			out.Sessions[i] = SessionInfo{s.ID.String(), Time{s.CreatedAt}, Time{s.SeenAt}, s.Agent, s.Current}
		}
		return out, nil
	})
}

type endSessionIn struct {
	SessionID string `path:"session_id"`
}

func (a *API) endSession(ctx context.Context, in *endSessionIn) (*DoneOut, error) {
	id, err := chain.ParseHash(in.SessionID)
	if err != nil {
		return nil, account.ErrNotFound
	}
	address := callerOf(ctx).account.Address
	out, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*DoneOut, error) {
		return &DoneOut{true}, a.Accounts.EndSessionByID(ctx, tx, address, id)
	})
	a.sessionsMayHaveEnded(err, address)
	return out, err
}
