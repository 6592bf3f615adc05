package run

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// dailyPerDay is the number of daily entries per account and UTC day. The rules have the number
// of free ones.
const dailyPerDay = 1

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
	o.Entries = entries(s.Ledger.Rules(), o.Holding, tx.Now())
	// The ledger's row says whether a run is unfinished: without one, nothing else is read.
	if o.Holding.Account.Playing != "" {
		o.Unfinished, err = s.Unfinished(ctx, tx, account)
	}
	return o, err
}
