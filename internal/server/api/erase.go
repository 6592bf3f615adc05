package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/account"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// eraseOperations registers the operations by which an owner takes the account's data along or
// deletes the account.
func (a *API) eraseOperations() {
	op := contract.Operation{
		ID: "exportAccount", Method: "GET", Path: "/api/account/export", Tag: "Account",
		Summary: "Everything that the service keeps about the caller", Security: session,
		Description: "The rows of each kind of record, of one moment. Secrets and their hashes are left out. One " +
			"export of an account is sent at a time.",
		Errors: may("unauthenticated", "forbidden", "too_many_streams"), Out: ExportOut{},
	}
	addStream(a, op, "application/json", (*call).exportAccount)
	erase := contract.Operation{
		ID: "deleteAccount", Method: "POST", Path: "/api/account/delete", Tag: "Account", Summary: "Delete the account",
		Description: fmt.Sprintf("Deletes name, password, mailboxes, sessions, keys and bots at once, for good. Listings, "+
			"open duels and the account's open cups are cancelled; duels in play are lost by their deadlines. Coins and tokens stay at the address on "+
			"the chain, where no one can use them. The name stays unused for %d days. A registered account needs the "+
			"password, or a sign-in less than %d minutes ago.",
			account.NameHeld/(24*time.Hour), account.RecentSignIn/time.Minute),
		Security: session, OptionalBody: true,
		Errors: may("unauthenticated", "forbidden", "csrf_failed", "bad_credentials", "sign_in_required", "rate_limited",
			"conflict"),
	}
	add(a, erase, (*call).deleteAccount)
}

// AccountDeletion is the proof of the owner.
type AccountDeletion struct {
	Password *string `json:"password" maxLength:"256" secret:"true" doc:"Not needed by a guest, nor within 10 minutes of signing in."`
}

// deleteAccount deletes the caller's account and its bots, in one transaction over all services:
// after a crash the account is as it was, or gone from all of them.
func (a *call) deleteAccount(ctx context.Context, in *body[AccountDeletion]) (*DoneOut, error) {
	c := a.caller
	proof, err := a.proof(ctx, in.Body.Password)
	if err != nil {
		return nil, err
	}
	var deleted []account.Deleted
	out, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (_ *DoneOut, err error) {
		if deleted, err = a.Accounts.Delete(ctx, tx, c.address, proof); err != nil {
			return nil, err
		}
		for _, d := range deleted { // the account and at most account.MaxBots bots
			if err := a.forget(ctx, tx, d); err != nil {
				return nil, err
			}
		}
		return &DoneOut{true}, nil
	})
	a.sessionsMayHaveEnded(err, c.address)
	if err != nil {
		return nil, err
	}
	for _, d := range deleted {
		a.publishSignedOut(d.Address)
	}
	a.dropSessionCookie(a.w)
	a.forgetLate(context.WithoutCancel(ctx), deleted) // a caller that leaves now leaves nothing behind
	return out, nil
}

// forgetLate deletes what calls of the accounts stored beside the deletion: it waited for those that held a session or
// key, and on PostgreSQL its transaction does not see their rows. After a crash before it, or an error, networks are
// deleted within an hour, and answers when they expire.
func (a *API) forgetLate(ctx context.Context, deleted []account.Deleted) {
	err := a.DB.UpdateAt(ctx, store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
		for _, d := range deleted {
			if err := a.Answers.Forget(ctx, tx, d.Address); err != nil {
				return err
			}
			if err := a.Accounts.ForgetNetworks(ctx, tx, d.Address); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil { // the deletion is stored: its answer stands
		a.Logger.Warn("erasing what calls stored beside a deletion", "error", err)
	}
}

// forget ends and erases what the services besides account keep of a deleted account.
func (a *API) forget(ctx context.Context, tx *store.Tx, d account.Deleted) error {
	if _, err := a.Market.CancelAll(ctx, tx, d.Address); err != nil {
		return err
	}
	if err := a.Duels.CancelOpen(ctx, tx, d.Address); err != nil {
		return err
	}
	if err := a.Duels.Forget(ctx, tx, d.Address); err != nil {
		return err
	}
	if err := a.ReplaceName(ctx, tx, d.Address, [2]string{d.Before, d.Name}); err != nil {
		return err
	}
	if err := a.Arena.Forget(ctx, tx, d.Address); err != nil {
		return err
	}
	if err := a.leaveCups(ctx, tx, d.Address); err != nil {
		return err
	}
	if err := a.Cups.Abandon(ctx, tx, d.Address); err != nil {
		return err
	}
	if _, err := a.Teams.Leave(ctx, tx, d.Address); err != nil && !errors.Is(err, team.ErrNoTeam) {
		return err
	}
	return a.Answers.Forget(ctx, tx, d.Address)
}

// ReplaceName replaces a name that must not show any more, names[0], by names[1], in the records that
// keep the names of their time. All other places read the account's row.
func (a *API) ReplaceName(ctx context.Context, tx *store.Tx, address chain.Address, names [2]string) error {
	if err := a.Duels.ReplaceName(ctx, tx, address, names[1]); err != nil {
		return err
	}
	if err := a.Arena.ReplaceName(ctx, tx, address, names[1]); err != nil {
		return err
	}
	if err := a.Score.ForgetNames(ctx, tx, address); err != nil {
		return err
	}
	const member = `"username":"%s"` // a username needs no escapes
	return a.Events.Replace(ctx, tx, event.Feed, fmt.Sprintf(member, names[0]), fmt.Sprintf(member, names[1]))
}

// leaveCups takes an account out of its unfinished cup: it plays no more. A game that
// has begun is lost by its deadlines.
func (a *API) leaveCups(ctx context.Context, tx *store.Tx, account chain.Address) error {
	seat, err := a.Cups.SeatOf(ctx, tx, account)
	if err != nil || seat.Cup == 0 {
		return err
	}
	_, err = a.Cups.Leave(ctx, tx, account, seat.Cup)
	return err
}
