package api

import (
	"bytes"
	"context"
	"errors"

	"roshambo/chain"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// read runs fn on a snapshot, in which the caller is authorised. fn may be retried.
func read[Out any](ctx context.Context, a *call, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out,
	err error) {
	err = a.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		out, err = readAs(ctx, a, tx, fn)
		return err
	})
	return out, err
}

// readOnce is read for a single query: see store.DB.ViewOnce.
func readOnce[Out any](ctx context.Context, a *call, fn func(ctx context.Context, tx *store.Tx) (*Out,
	error)) (out *Out, err error) {
	err = a.DB.ViewOnce(ctx, func(ctx context.Context, tx *store.Tx) error {
		out, err = readAs(ctx, a, tx, fn)
		return err
	})
	return out, err
}

// readAs runs fn and authorises the caller in the same snapshot and, on PostgreSQL, in the same message.
// fn changes nothing, so it may run first; an error about the caller comes before its own.
func readAs[Out any](ctx context.Context, a *call, tx *store.Tx, fn func(context.Context, *store.Tx) (*Out,
	error)) (*Out, error) {
	if a.caller == nil {
		return fn(ctx, tx)
	}
	a.Accounts.PrefetchCaller(tx, a.caller.Credential)
	out, err := fn(ctx, tx)
	if _, refused := a.callerIn(ctx, tx); refused != nil && (err == nil || isRefusal(refused)) {
		return nil, refused
	}
	return out, err
}

// write runs fn as one use case in a serializable transaction, in which the caller is authorised first:
// when write returns no error, all of it is durable; otherwise none of it happened, except for
// store.ErrUnavailable, whose outcome is unknown. fn may be retried.
//
// A repeated call with an Idempotency-Key gets the answer of the first one, if its caller may still call.
func write[Out any](ctx context.Context, a *call, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out,
	err error) {
	return writeAt(ctx, a, store.Serializable, fn)
}

// writeAt is write at another isolation level, for use cases that state why it suffices.
func writeAt[Out any](ctx context.Context, a *call, level store.Isolation, fn func(ctx context.Context,
	tx *store.Tx) (*Out, error)) (out *Out, err error) {
	return writeIf(ctx, a, level, func(context.Context, *store.Tx) error { return nil }, fn)
}

// writeKey is write for use cases that make a key; by is its maker. A repetition needs a caller that may make keys now,
// too, because the stored answer has the secret of a key that may still be valid.
func writeKey[Out any](ctx context.Context, a *call, fn func(ctx context.Context, tx *store.Tx,
	by account.Maker) (*Out, error)) (*Out, error) {
	var by account.Maker
	return writeIf(ctx, a, store.Serializable, func(ctx context.Context, tx *store.Tx) (err error) {
		by, err = a.Accounts.MayMakeKeys(ctx, tx, a.caller.address, a.caller.Credential)
		return err
	}, func(ctx context.Context, tx *store.Tx) (*Out, error) { return fn(ctx, tx, by) })
}

// writeIf is writeAt with a condition on the caller, which may checks after the authorisation and before a stored
// answer is given. may may be retried, like fn.
func writeIf[Out any](ctx context.Context, a *call, level store.Isolation, may func(ctx context.Context,
	tx *store.Tx) error, fn func(ctx context.Context, tx *store.Tx) (*Out, error)) (out *Out, err error) {
	if a.repeat != nil {
		end, errBegin := a.Answers.Begin(*a.repeat)
		if errBegin != nil {
			return nil, errBegin
		}
		defer end()
	}
	runs := 0
	ctx = fairshare.With(ctx, a.origin())
	err = a.DB.UpdateAt(ctx, level, func(ctx context.Context, tx *store.Tx) error {
		runs++
		if err := a.authorise(ctx, tx); err != nil {
			out = nil
			return err
		}
		if a.caller != nil {
			if err := a.Accounts.NoteUse(ctx, tx, a.caller.address, a.useOf(a.w.Client).Networks); err != nil {
				return err
			}
		}
		if err := may(ctx, tx); err != nil {
			out = nil
			return err
		}
		out, err = once(ctx, a, tx, fn)
		return err
	})
	a.w.Reruns += max(0, runs-1)
	return out, err
}

// endsCallers are the operations that end sessions or keys of their caller's account, or keys of bots that may be the
// caller's own, beside those that need no caller.
var endsCallers = map[string]bool{"logout": true, "endSession": true, "endOtherSessions": true, "changePassword": true,
	"deleteAccount": true, "revokeKey": true, "rotateBotKey": true, "endCupBotKey": true, "register": true, "login": true,
	"redeemMagicLink": true, "redeemPasswordReset": true}

// locksAccount are the operations that lock or change the account's row, in the order of account.AuthoriseEnd:
// those below Serializable that add what the deletion of the account must end, and those that count or change
// what the account has. blockOpponent is one of them because a challenge locks its opponent, too: of a block and a
// challenge at the same time, one runs again and sees the other.
var locksAccount = map[string]bool{"createDuel": true, "joinDuel": true, "spar": true, "rematchDuel": true,
	"blockOpponent": true, "listToken": true, "createKey": true, "createBot": true, "rename": true, "removeMailbox": true,
	"useFaucet": true}

// needsAccount are the operations that change something and use more of their caller than its address.
var needsAccount = map[string]bool{"createDuel": true, "joinDuel": true, "spar": true, "rematchDuel": true,
	"quickMatch": true, "createCup": true, "joinCup": true, "leaveCup": true, "resignDuel": true}

// authorise authorises the caller of a use case before anything else happens in its transaction. A use case
// that needs only the caller's address shares its next round trip.
func (a *call) authorise(ctx context.Context, tx *store.Tx) error {
	c, op := a.caller, a.w.Operation
	if c == nil {
		return nil
	}
	if endsCallers[op] {
		found, err := a.Accounts.AuthoriseEnd(ctx, tx, c.Credential, c.address)
		return c.admit(found, tx, err)
	}
	if locksAccount[op] {
		if err := a.lockAccounts(ctx, tx); err != nil {
			return c.admit(account.Caller{}, tx, err)
		}
	}
	if !needsAccount[op] {
		assumed, err := a.Accounts.AuthoriseAssumed(ctx, tx, c.Credential, c.address, c.needed)
		c.known, c.settled = false, assumed
		if assumed || err != nil {
			return err
		}
	}
	_, err := a.callerIn(ctx, tx)
	return err
}

// lockAccounts locks the accounts of the caller and of the player that the use case meets, in the order of their
// addresses: two players do not wait for each other when they challenge each other at the same time. The use case
// decides whether the caller may meet the other one. Errors: account.ErrNoSession.
func (a *call) lockAccounts(ctx context.Context, tx *store.Tx) error {
	if a.meets == "" {
		return a.Accounts.AddsTo(ctx, tx, a.caller.address)
	}
	other, err := a.find(ctx, tx, a.meets)
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return err
	}
	first := err == nil && bytes.Compare(other.Address[:], a.caller.address[:]) < 0
	if first {
		if _, err := a.Accounts.HoldPlayer(ctx, tx, other.Address); err != nil {
			return err
		}
	}
	return a.Accounts.AddsTo(ctx, tx, a.caller.address)
}

// find returns the account with a username or address, as paths name it. Errors:
// account.ErrNotFound.
func (a *API) find(ctx context.Context, tx *store.Tx, name string) (account.Account, error) {
	if address, err := chain.ParseAddress(name); err == nil {
		return a.Accounts.Get(ctx, tx, address)
	}
	return a.Accounts.ByName(ctx, tx, name)
}
