package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
)

// How often an entry may be used in a UTC day.
const (
	freePerDay  = 3
	dailyPerDay = 1
)

// entry is how a run is paid for.
type entry struct {
	entry     chain.Entry
	tier      int64 // of the burnt token
	transfers []chain.Transfer
}

// Entry is one of the ways in which the caller might start a run now.
type Entry struct {
	Entry     chain.Entry
	Available bool
	Cost      int64  // coins
	Left      *int64 // uses left today; nil without a limit
	Reason    string // why it is not available
	TokenID   *int64 // the token that burn takes unless another is named
}

// Overview is where an account stands before its next run.
type Overview struct {
	Holding    ledger.Holding
	Entries    []Entry // in the order in which auto looks at them
	Unfinished *Run    // nil for none
}

// Overview returns where an account stands.
func (s *Service) Overview(ctx context.Context, tx *store.Tx, account chain.Address) (o Overview, err error) {
	use := q.GetOverviewParams(useOf(account, s.now()))
	tx.Prefetch(q.GetOverview, use.Account, use.Free, use.Since, use.Daily)
	if o.Holding, err = s.Ledger.Holding(ctx, tx, account); err != nil {
		return o, err
	}
	row, err := q.New(tx).GetOverview(ctx, use)
	if err != nil {
		return o, fmt.Errorf("run: overview of %v: %w", account, err)
	}
	o.Entries = s.entries(o.Holding, max(0, freePerDay-row.Free), max(0, dailyPerDay-row.Daily))
	if row.Unfinished != "" {
		o.Unfinished, err = s.Get(ctx, tx, row.Unfinished)
	}
	return o, err
}

// entries returns the ways to start a run with what an account has, and with so many free
// and daily runs left.
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

// dayOf returns when the UTC day of a time began, as it is stored.
func dayOf(t time.Time) int64 { return t.Truncate(24 * time.Hour).UnixMilli() }

// useOf asks what an account has used of the entries of now's UTC day, and whether it has
// an unfinished run.
func useOf(account chain.Address, now time.Time) q.GetUseParams {
	return q.GetUseParams{Account: account[:], Free: string(chain.EntryFree), Daily: string(chain.EntryDaily), Since: dayOf(now)}
}

// choose works out how a run that is about to start is paid for.
func (s *Service) choose(ctx context.Context, tx *store.Tx, account chain.Address, o StartOptions, used q.GetUseRow) (entry, error) {
	switch o.Entry {
	case chain.EntryFree:
		return limited(chain.EntryFree, used.Free, freePerDay)
	case chain.EntryDaily:
		return limited(chain.EntryDaily, used.Daily, dailyPerDay)
	case chain.EntryFee:
		return s.fee(account), nil
	case chain.EntryBurn:
		return s.burn(ctx, tx, account, o.TokenID)
	}
	if used.Free >= freePerDay {
		return s.fee(account), nil
	}
	return entry{entry: chain.EntryFree}, nil
}

// limited is an entry that may be used so often a day.
func limited(e chain.Entry, used, limit int64) (entry, error) {
	if used >= limit {
		return entry{}, ErrEntryUsed
	}
	return entry{entry: e}, nil
}

func (s *Service) fee(account chain.Address) entry {
	return entry{entry: chain.EntryFee, transfers: []chain.Transfer{{Amount: s.Ledger.Rules().EntryFee, From: account}}}
}

// burn pays with a token: the one named, or the cheapest.
func (s *Service) burn(ctx context.Context, tx *store.Tx, account chain.Address, id *int64) (entry, error) {
	token, err := s.burnable(ctx, tx, account, id)
	if err != nil {
		return entry{}, err
	}
	return entry{chain.EntryBurn, token.Tier, []chain.Transfer{{Token: true, TokenID: token.ID, From: account}}}, nil
}

func (s *Service) burnable(ctx context.Context, tx *store.Tx, account chain.Address, id *int64) (ledger.OwnedToken, error) {
	if id == nil {
		return s.cheapest(ctx, tx, account)
	}
	token, _, err := s.Ledger.Token(ctx, tx, *id)
	switch {
	case errors.Is(err, ledger.ErrNotFound) || err == nil && token.Owner != account:
		return ledger.OwnedToken{}, chain.ErrNotOwner
	case err != nil:
		return ledger.OwnedToken{}, err
	case token.Tier >= s.Ledger.Rules().Top():
		return ledger.OwnedToken{}, ErrNoToken // nothing above it to win
	}
	return ledger.OwnedToken{ID: *id, Tier: token.Tier}, nil
}

// cheapest returns the token of lowest tier, or ErrNoToken when there is none below
// the top tier.
func (s *Service) cheapest(ctx context.Context, tx *store.Tx, account chain.Address) (ledger.OwnedToken, error) {
	token, err := s.Ledger.CheapestToken(ctx, tx, account)
	if errors.Is(err, ledger.ErrNotFound) || err == nil && token.Tier >= s.Ledger.Rules().Top() {
		return ledger.OwnedToken{}, ErrNoToken
	}
	return token, err
}
