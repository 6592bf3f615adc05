package api

import (
	"context"

	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// The ways to sign in to an account: its password and its mailboxes. Changing them needs the
// password or a recent sign-in, so that the thief of a session cannot keep the account.

// ownerOperations registers the operations on passwords and mailboxes.
func (a *API) ownerOperations() {
	op := func(id, method, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: method, Path: path, Tag: "Authentication", Summary: summary,
			Errors: may(errors...)}
	}
	change := op("changePassword", "POST", "/api/auth/password", "Change or set the password", "unauthenticated",
		"forbidden", "csrf_failed", "bad_credentials", "sign_in_required", "rate_limited", "unavailable", "weak_password",
		"not_found")
	change.Description = "It needs the current password, or a sign-in less than 10 minutes ago. It ends all sessions " +
		"of the account and opens a new one for this browser. All keys end, those of bots too, except those in keep; " +
		"ended_keys lists them. The account's mailboxes receive a notice. " +
		"A guest registers instead."
	change.Security = session
	add(a, change, (*call).changePassword)
	reset := op("requestPasswordReset", "POST", "/api/auth/password/reset",
		"Request a link by mail that resets the password", "csrf_failed")
	reset.Description = "The answer is the same whether the address is known or not. The link works for 15 minutes, once."
	add(a, reset, (*call).requestPasswordReset)
	redeem := op("redeemPasswordReset", "POST", "/api/auth/password/reset/redeem",
		"Set a new password with the token of a link", "csrf_failed", "link_invalid", "account_frozen", "unavailable",
		"weak_password", "not_found")
	redeem.Description = "It ends all sessions of the account and opens a new one for this browser. All keys end, those " +
		"of bots too, except those in keep; ended_keys lists them. The account's mailboxes receive a notice."
	add(a, redeem, (*call).redeemPasswordReset)
	others := op("endOtherSessions", "POST", "/api/sessions/end-others", "End all other sessions", "unauthenticated",
		"forbidden", "csrf_failed", "not_found")
	others.Description = "All keys end, too, those of bots included, except those in keep; ended_keys lists them. The session of this call continues under a new cookie and a new CSRF token: a copy of the " +
		"old cookie is worth nothing."
	others.Security, others.OptionalBody = session, true
	add(a, others, (*call).endOtherSessions)
	list := op("listMailboxes", "GET", "/api/mailboxes", "The account's mailboxes", "unauthenticated", "forbidden")
	list.Security = session
	add(a, list, (*call).listMailboxes)
	remove := op("removeMailbox", "POST", "/api/mailboxes/remove", "Remove a mailbox", "unauthenticated", "forbidden",
		"csrf_failed", "bad_credentials", "sign_in_required", "not_found", "last_credential", "rate_limited")
	remove.Description = "It needs the password, or a sign-in less than 10 minutes ago. All mailboxes receive a notice, " +
		"the removed one included. A magic link attaches a mailbox: POST /api/auth/magic-link."
	remove.Security = session
	add(a, remove, (*call).removeMailbox)
}

// PasswordChange is a new password with the current one.
type PasswordChange struct {
	Password string  `json:"password" required:"true" minLength:"8" maxLength:"256" secret:"true" doc:"The new password."`
	Current  *string `json:"current_password" maxLength:"256" secret:"true" doc:"Not needed within 10 minutes of signing in."`
	Kept
}

// changePassword sets the caller's password. It checks the caller before it hashes: a hash is
// expensive.
func (a *call) changePassword(ctx context.Context, in *body[PasswordChange]) (*SessionOut, error) {
	address := a.caller.address
	proof, err := a.proof(ctx, in.Body.Current)
	if err != nil {
		return nil, err
	}
	if err := a.Accounts.Authorized(ctx, address, proof); err != nil {
		return nil, err
	}
	if err := a.Accounts.CheckNewPassword(in.Body.Password, a.caller.account.Username); err != nil {
		return nil, err
	}
	hash, err := a.Accounts.Hasher.Hash(ctx, a.w.Client.Address, in.Body.Password)
	if err != nil {
		return nil, err
	}
	o := account.ChangeOptions{Address: address, Proof: proof, Password: hash, Agent: a.r.UserAgent(),
		Keep: deref(in.Body.Keep)}
	return a.opens(ctx, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return a.Accounts.ChangePassword(ctx, tx, o)
	})
}

// opens runs a use case that ends sessions and opens one, and sets the cookie of that one. On a
// commit with an unknown outcome it makes the streams of the caller check their session.
func (a *call) opens(ctx context.Context, use func(ctx context.Context, tx *store.Tx) (account.Opened, error)) (
	*SessionOut, error) {
	opened, err := a.signIn(ctx, use)
	if err != nil {
		if c := a.caller; c != nil {
			a.sessionsMayHaveEnded(err, c.address)
		}
		return nil, err
	}
	return a.signedIn(opened), nil
}

// requestPasswordReset queues a mail with a reset link. It shares the limits of magic links, and
// like them it reports no limit of a mailbox.
func (a *call) requestPasswordReset(ctx context.Context, in *body[ResetRequest]) (*SentOut, error) {
	return a.sendLink(ctx, in.Body.Email, func(ctx context.Context, tx *store.Tx) error {
		return a.Accounts.RequestReset(ctx, tx, in.Body.Email, a.requestID())
	})
}

// PasswordReset is the token of a reset link, its part after #reset=, and the new password.
type PasswordReset struct {
	Token    string `json:"token" required:"true" maxLength:"64" secret:"true"`
	Password string `json:"password" required:"true" minLength:"8" maxLength:"256" secret:"true"`
	Kept
}

// redeemPasswordReset sets a new password with the token of a link. It checks the token before it
// hashes, so that guessed tokens cost no hash.
func (a *call) redeemPasswordReset(ctx context.Context, in *body[PasswordReset]) (*SessionOut, error) {
	token := account.ParseReset(in.Body.Token)
	if err := a.Accounts.CheckReset(ctx, token, in.Body.Password); err != nil {
		return nil, err
	}
	hash, err := a.Accounts.Hasher.Hash(ctx, a.w.Client.Address, in.Body.Password)
	if err != nil {
		return nil, err
	}
	o := account.ResetOptions{Token: token, Password: hash, Agent: a.r.UserAgent(),
		Keep: deref(in.Body.Keep)}
	if c := a.caller; c != nil {
		o.Before = c.Session
	}
	return a.opens(ctx, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return a.Accounts.RedeemReset(ctx, tx, o)
	})
}

// endOtherSessions ends all sessions of the caller but this one, whose token it replaces, and all keys that it
// does not name.
func (a *call) endOtherSessions(ctx context.Context, in *body[Kept]) (*SessionOut, error) {
	c := a.caller
	return a.opens(ctx, func(ctx context.Context, tx *store.Tx) (account.Opened, error) {
		return a.Accounts.EndOtherSessions(ctx, tx, c.address, c.Session, deref(in.Body.Keep))
	})
}

// Mailbox is one of the account's verified mail addresses.
type Mailbox struct {
	Email      string `json:"email"`
	VerifiedAt Time   `json:"verified_at"`
}

// MailboxesOut is the answer to GET /api/mailboxes.
type MailboxesOut struct {
	Mailboxes   []Mailbox `json:"mailboxes" doc:"The oldest first, at most 5."`
	HasPassword bool      `json:"has_password" doc:"Whether the account can sign in with a password."`
	RecentUntil *Time     `json:"recent_until" doc:"Until then, the session needs no password for what only the owner may do; null if it does."`
	Next        *string   `json:"next"`
}

// listMailboxes reads the caller's mailboxes, the oldest first.
func (a *call) listMailboxes(ctx context.Context, _ *none) (*MailboxesOut, error) {
	address, session := a.caller.address, a.caller.Session
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*MailboxesOut, error) {
		until, err := a.Accounts.SignedInUntil(ctx, tx, address, session)
		if err != nil {
			return nil, err
		}
		list, password, err := a.Accounts.Mailboxes(ctx, tx, address)
		rows := mapped(list, func(m account.Mailbox) Mailbox {
			return Mailbox{Email: m.Email, VerifiedAt: Time{m.VerifiedAt}}
		})
		return &MailboxesOut{Mailboxes: rows, HasPassword: password, RecentUntil: optionalTime(until)}, err
	})
}

// MailboxRemoval names a mailbox to remove. The address is in the body, as proxies log paths.
type MailboxRemoval struct {
	Email    string  `json:"email" required:"true" maxLength:"254" pattern:"^[^@\\s\\x00]+@[^@\\s\\x00]+$"`
	Password *string `json:"password" maxLength:"256" secret:"true" doc:"Not needed within 10 minutes of signing in."`
}

// removeMailbox removes one of the caller's mailboxes.
func (a *call) removeMailbox(ctx context.Context, in *body[MailboxRemoval]) (*DoneOut, error) {
	address := a.caller.address
	proof, err := a.proof(ctx, in.Body.Password)
	if err != nil {
		return nil, err
	}
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*DoneOut, error) {
		return &DoneOut{true}, a.Accounts.RemoveMailbox(ctx, tx, address, proof, in.Body.Email)
	})
}
