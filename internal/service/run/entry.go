package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// dailyPerDay is the number of daily entries per account and UTC day. The rules have that of free
// ones.
const dailyPerDay = 1

// entry is the payment for a run.
type entry struct {
	entry     chain.Entry
	bound     bool  // whether the run wins a bound token
	tier      int64 // of the burnt token; 0 for other entries
	transfers []chain.Transfer
}

// Entry is a way to start a run, with its availability for the caller.
type Entry struct {
	Entry     chain.Entry
	Available bool
	Cost      int64  // in coins
	Left      *int64 // uses left today; nil if unlimited
	Reason    string // why it is unavailable; "" if it is available
	TokenID   *int64 // the token that burn uses by default
}

// Overview is an account's state between runs.
type Overview struct {
	Holding    ledger.Holding
	Entries    []Entry // in the order in which auto tries them
	Unfinished *Run    // nil for none
}

// Overview reads an account's holding, its ways to start a run and its unfinished run.
func (s *Service) Overview(ctx context.Context, tx *store.Tx, account chain.Address) (o Overview, err error) {
	if o.Holding, err = s.Ledger.Holding(ctx, tx, account); err != nil {
		return o, err
	}
	free, daily := o.Holding.Account.Used(s.now().UnixMilli())
	o.Entries = s.entries(o.Holding, max(0, s.Ledger.Rules().FreePerDay-free), max(0, dailyPerDay-daily))
	// The ledger's row says whether a run is unfinished: without one, nothing else is read.
	if o.Holding.Account.Playing {
		o.Unfinished, err = s.Unfinished(ctx, tx, account)
	}
	return o, err
}

// entries returns the ways to start a run for an account with holding h and with the given
// numbers of free and daily runs left today.
func (s *Service) entries(h ledger.Holding, free, daily int64) []Entry {
	fee := s.Ledger.Rules().EntryFee
	list := []Entry{
		{Entry: chain.EntryFree, Available: free > 0, Left: &free, Reason: "used up for today; the day ends at midnight UTC"},
		{Entry: chain.EntryFee, Available: h.Account.Balance >= fee, Cost: fee, Reason: "the balance is too low"},
		{Entry: chain.EntryBurn, Reason: "there is no token to burn"},
		{Entry: chain.EntryDaily, Available: daily > 0, Left: &daily, Reason: "played today; the day ends at midnight UTC"},
	}
	if token := h.Cheapest; token != nil && token.Tier < s.Ledger.Rules().Top() {
		list[2].Available, list[2].TokenID = true, &token.ID
	}
	for i := range list {
		if list[i].Available {
			list[i].Reason = ""
		}
	}
	return list
}

// entrant is the account that starts a run, with its state, at a time.
type entrant struct {
	account chain.Address
	state   *chain.Account
	now     time.Time
}

// chooseEntry returns the payment of an entrant for a run with options o. Errors: ErrEntryUsed,
// ErrNoToken, chain.ErrNotOwner.
func (s *Service) chooseEntry(ctx context.Context, tx *store.Tx, a entrant, o StartOptions) (e entry, err error) {
	rules, at := s.Ledger.Rules(), a.now.UnixMilli()
	free, daily := a.state.Used(at)
	switch {
	case o.Entry == chain.EntryDaily:
		e, err = limited(chain.EntryDaily, daily, dailyPerDay)
	case o.Entry == chain.EntryBurn:
		return s.burn(ctx, tx, a.account, o.TokenID)
	case o.Entry == chain.EntryFee || o.Entry == "" && free >= rules.FreePerDay:
		e = s.fee(a.account)
	default:
		e, err = limited(chain.EntryFree, free, rules.FreePerDay)
	}
	if err != nil {
		return entry{}, err
	}
	e.bound = a.state.WinsBound(e.entry, at, rules.EntryFee)
	if e.entry != chain.EntryFee && !e.bound && o.FreeWin != nil {
		e.bound = !o.FreeWin()
	}
	return e, nil
}

// limited returns an entry with a daily limit. Errors: ErrEntryUsed.
func limited(e chain.Entry, used, limit int64) (entry, error) {
	if used >= limit {
		return entry{}, ErrEntryUsed
	}
	return entry{entry: e}, nil
}

// fee returns the payment of the entry fee.
func (s *Service) fee(account chain.Address) entry {
	return entry{entry: chain.EntryFee, transfers: []chain.Transfer{{Amount: s.Ledger.Rules().EntryFee, From: account}}}
}

// burn returns the payment with a token: the one with id, or the cheapest if id is nil.
func (s *Service) burn(ctx context.Context, tx *store.Tx, account chain.Address, id *int64) (entry, error) {
	token, err := s.burnable(ctx, tx, account, id)
	if err != nil {
		return entry{}, err
	}
	return entry{
		entry: chain.EntryBurn, tier: token.Tier, bound: token.Bound,
		transfers: []chain.Transfer{{Token: true, TokenID: token.ID, From: account}},
	}, nil
}

// burnable returns the token to burn. Errors: chain.ErrNotOwner if the account does not own
// token id, ErrNoToken if no tier is above it.
func (s *Service) burnable(
	ctx context.Context, tx *store.Tx, account chain.Address, id *int64,
) (ledger.OwnedToken, error) {
	if id == nil {
		return s.cheapest(ctx, tx, account)
	}
	token, _, err := s.Ledger.Token(ctx, tx, *id)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return ledger.OwnedToken{}, chain.ErrNotOwner
	case err != nil:
		return ledger.OwnedToken{}, err
	case token.Owner != account:
		return ledger.OwnedToken{}, chain.ErrNotOwner
	case token.Tier >= s.Ledger.Rules().Top():
		return ledger.OwnedToken{}, ErrNoToken // no tier is left to win
	}
	return ledger.OwnedToken{ID: *id, Tier: token.Tier, Bound: token.Bound}, nil
}

// cheapest returns the account's token of the lowest tier. Errors: ErrNoToken if it has none
// below the top tier.
func (s *Service) cheapest(ctx context.Context, tx *store.Tx, account chain.Address) (ledger.OwnedToken, error) {
	token, err := s.Ledger.CheapestToken(ctx, tx, account)
	if errors.Is(err, ledger.ErrNotFound) {
		return ledger.OwnedToken{}, ErrNoToken
	}
	if err != nil {
		return ledger.OwnedToken{}, err
	}
	if token.Tier >= s.Ledger.Rules().Top() {
		return ledger.OwnedToken{}, ErrNoToken
	}
	return token, nil
}
