package api

import (
	"context"
	"errors"
	"time"

	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// accountOperations registers the operations on the caller's own account.
func (a *API) accountOperations() {
	add(a, contract.Operation{
		ID: "createGuest", Method: "POST", Path: "/api/guest", Tag: "Account", Summary: "Play at once without signing up",
		Description: "Opens a guest account with an address and a starting balance, and a session for it. With a valid " +
			"session it returns that session's account.",
		Errors: append(may("csrf_failed"), accountLimited()),
	}, (*call).createGuest)
	add(a, contract.Operation{
		ID: "getMe", Method: "GET", Path: "/api/me", Tag: "Account", Summary: "The caller's account and available actions",
		Security: anyScheme, Errors: may("unauthenticated"),
	}, (*call).getMe)
	add(a, contract.Operation{
		ID: "useFaucet", Method: "POST", Path: "/api/faucet", Tag: "Account",
		Summary:  "Get bound coins when the balance is low",
		Security: anyScheme, Errors: may("unauthenticated", "csrf_failed", "faucet_not_ready", "balance_too_high",
			"conflict"),
	}, (*call).useFaucet)
}

// GuestIn is the input of POST /api/guest.
type GuestIn struct {
	Me bool `query:"me" default:"false" doc:"Also return what GET /api/me returns: the first throw of a new player then needs no other call."`
}

// GuestOut is the answer to POST /api/guest.
type GuestOut struct {
	Account   Account `json:"account"`
	Balance   int64   `json:"balance"`
	CSRFToken string  `json:"csrf_token" doc:"For the header X-CSRF-Token."`
	Me        *MeOut  `json:"me,omitempty" doc:"With me=true of POST /api/guest: what GET /api/me returns. Missing if it could not be read."`
}

// createGuest opens a guest account and a session for it. A caller with a valid session gets the
// account of that session instead, so that a reload of the page opens no second account.
func (a *call) createGuest(ctx context.Context, in *GuestIn) (*GuestOut, error) {
	switch out, c, err := a.currentGuest(ctx); {
	case err == nil:
		return a.withMe(ctx, in, c, out), nil
	case !errors.Is(err, errUnauthenticated) && !errors.Is(err, account.ErrNoSession):
		return nil, err
	}
	start, end, err := a.countAccount(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := writeAt(ctx, a, account.Isolation, func(ctx context.Context, tx *store.Tx) (*account.Opened, error) {
		opened, err := a.Accounts.OpenGuest(ctx, tx, a.r.UserAgent(), start)
		return &opened, err
	})
	end(err)
	if err != nil {
		return nil, err
	}
	a.setSessionCookie(a.w, opened.Token)
	out := guestOut(opened.Account, opened.Balance, opened.Token)
	c := &caller{Credential: account.Credential{Session: opened.Token}, scheme: sessionScheme}
	c.address = opened.Account.Address
	return a.withMe(ctx, in, c, &out), nil
}

// withMe adds what GET /api/me returns, if the caller asks for it. The account is open without it too, so the caller
// reads it again after a failure.
func (a *call) withMe(ctx context.Context, in *GuestIn, c *caller, out *GuestOut) *GuestOut {
	if !in.Me {
		return out
	}
	a.caller = c
	defer func() { a.caller = nil }() // a session that ends here does not keep its browser from a new account
	if me, err := a.getMe(ctx, &none{}); err == nil {
		out.Me = me
	}
	return out
}

// guestOut returns the answer about an account and the session of a caller.
func guestOut(acc account.Account, balance int64, session account.SessionToken) GuestOut {
	return GuestOut{Account: wireAccount(acc), Balance: balance, CSRFToken: account.CSRFToken(session).Text()}
}

// currentGuest answers a caller that has a session already. It changes nothing, so it needs no CSRF
// token: a page that has lost its token gets it here. Errors: errUnauthenticated, account.ErrNoSession,
// account.ErrFrozen.
func (a *call) currentGuest(ctx context.Context) (*GuestOut, *caller, error) {
	c, err := a.presentedSession(a.r)
	if err == nil {
		err = a.authoriseAlone(ctx, c)
	}
	if err != nil {
		return nil, nil, err
	}
	a.caller = c
	defer func() { a.caller = nil }() // a session that ends here does not keep its browser from a new account
	out, err := readOnce(ctx, a, func(ctx context.Context, tx *store.Tx) (*GuestOut, error) {
		state, _, err := a.Ledger.Account(ctx, tx, c.address)
		return new(guestOut(c.account, state.Balance, c.Session)), err
	})
	return out, c, err
}

// MeOut is the answer to GET /api/me.
type MeOut struct {
	Account        Account       `json:"account"`
	Balance        int64         `json:"balance" doc:"In coins."`
	Bound          int64         `json:"bound" doc:"The bound part of balance. Bound coins pay entry fees, before free ones do, and nothing else."`
	Free           int64         `json:"free" doc:"The rest of balance: coins for stakes and purchases."`
	Start          string        `json:"start" enum:"free,bound" doc:"Bound: free and daily runs win bound tokens until the account has been secured for 3 days."`
	SecuredAt      *Time         `json:"secured_at" doc:"When the account got a password or a verified mailbox; null before."`
	EntryOptions   []EntryOption `json:"entry_options" doc:"The ways to start a run; auto takes the first of free and fee that is available."`
	ActiveRun      *Run          `json:"active_run"`
	NextCommitment Commitment    `json:"next_commitment" doc:"The published commitment of the next run."`
	Faucet         FaucetState   `json:"faucet"`
	CSRFToken      *string       `json:"csrf_token" doc:"For the header X-CSRF-Token; null for callers with a key."`
}

// EntryOption is a way to start a run.
type EntryOption struct {
	Entry     string  `json:"entry" enum:"free,fee,burn,daily"`
	Available bool    `json:"available"`
	Cost      int64   `json:"cost" doc:"In coins."`
	Left      *int64  `json:"left" doc:"Uses left today; null without a limit."`
	Reason    *string `json:"reason" doc:"Why it is not available."`
	TokenID   *int64  `json:"token_id" doc:"The token that burn uses by default."`
}

// FaucetState is the state of the faucet for the caller.
type FaucetState struct {
	Amount    int64 `json:"amount" doc:"In coins."`
	Below     int64 `json:"below" doc:"It pays to balances below this."`
	Available bool  `json:"available"`
	NextAt    *Time `json:"next_at" doc:"When it pays again; null when it is ready."`
}

// getMe reads everything that the start page shows, in one snapshot.
func (a *call) getMe(ctx context.Context, _ *none) (*MeOut, error) {
	address := a.caller.address
	return readOnce(ctx, a, func(ctx context.Context, tx *store.Tx) (*MeOut, error) {
		o, err := a.Runs.Overview(ctx, tx, address)
		if err != nil {
			return nil, err
		}
		c, err := a.callerIn(ctx, tx)
		if err != nil {
			return nil, err
		}
		state, commitTx := o.Holding.Account, o.Holding.CommitmentTx
		var sealed *int64
		if !o.Holding.Pending {
			if sealed, err = a.Ledger.HeightOf(ctx, tx, commitTx); err != nil {
				return nil, err
			}
		}
		out := &MeOut{
			Account: wireAccount(c.account), Balance: state.Balance, Bound: state.Bound, Free: state.FreeCoins(),
			Start: "free", EntryOptions: wireEntries(o.Entries),
			NextCommitment: Commitment{Commitment: state.Commitment.String(), TxHash: commitTx.String(), Height: sealed},
			Faucet:         a.faucetState(c.account, state.Balance), CSRFToken: csrfToken(c),
		}
		if state.BoundStart {
			out.Start = "bound"
		}
		if state.SecuredAt != 0 {
			out.SecuredAt = &Time{timeOf(state.SecuredAt)}
		}
		if o.Unfinished != nil {
			out.ActiveRun, err = a.wireRun(o.Unfinished)
		}
		return out, err
	})
}

// csrfToken returns the token that a browser must send with unsafe methods; nil for callers with a
// key, which need none.
func csrfToken(c *caller) *string {
	if c.scheme != sessionScheme {
		return nil
	}
	return new(account.CSRFToken(c.Session).Text())
}

// wireEntries returns the wire form of the ways to start a run.
func wireEntries(entries []run.Entry) []EntryOption {
	return mapped(entries, func(e run.Entry) EntryOption {
		return EntryOption{Entry: string(e.Entry), Available: e.Available, Cost: e.Cost, Left: e.Left, TokenID: e.TokenID,
			Reason: given(e.Reason)}
	})
}

// faucetState returns what the faucet would pay to an account with a balance, and when.
func (a *API) faucetState(acc account.Account, balance int64) FaucetState {
	s := FaucetState{Amount: a.Ledger.Rules().FaucetAmount, Below: a.Accounts.Faucet.Below}
	next := a.Accounts.FaucetNext(acc)
	if next.After(a.Now()) {
		s.NextAt = &Time{next}
	}
	s.Available = s.NextAt == nil && balance < s.Below
	return s
}

// FaucetOut is the answer to POST /api/faucet.
type FaucetOut struct {
	Balance int64  `json:"balance"`
	Amount  int64  `json:"amount" doc:"The amount paid, in coins."`
	NextAt  Time   `json:"next_at" doc:"When the faucet pays again."`
	TxHash  string `json:"tx_hash"`
}

// useFaucet pays the faucet's amount to the caller. Errors: account.ErrBalanceHigh,
// *account.TooSoonError.
func (a *call) useFaucet(ctx context.Context, _ *none) (*FaucetOut, error) {
	address := a.caller.address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*FaucetOut, error) {
		acc, posted, err := a.Accounts.ClaimFaucet(ctx, tx, address)
		if err != nil {
			return nil, err
		}
		next := a.Accounts.FaucetNext(acc).Round(time.Millisecond)
		return &FaucetOut{Balance: posted.Balance, Amount: a.Ledger.Rules().FaucetAmount, NextAt: Time{next},
			TxHash: posted.Hash.String()}, nil
	})
}
