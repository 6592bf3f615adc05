package api

import (
	"context"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// chainStatsIn selects the length of a period and a page of periods.
type chainStatsIn struct {
	By     string  `query:"by" enum:"hour,day" default:"day"`
	Limit  int64   `query:"limit" default:"90" min:"1" max:"744" doc:"Periods on a page."`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// ChainPeriod is the activity of an hour or a day.
type ChainPeriod struct {
	Start        Time  `json:"start"`
	Blocks       int64 `json:"blocks"`
	Transactions int64 `json:"transactions"`
	Created      int64 `json:"created" doc:"Coins."`
	Destroyed    int64 `json:"destroyed" doc:"Coins."`
	Circulating  int64 `json:"circulating" doc:"Coins in circulation after its last block."`
}

// ChainStatsOut is the answer to GET /api/chain/stats.
type ChainStatsOut struct {
	Periods []ChainPeriod `json:"periods" doc:"The newest first, in UTC; periods without a block are omitted."`
	Next    *string       `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// chainStats reads a page of hours or days, the newest first.
func (a *call) chainStats(ctx context.Context, in *chainStatsIn) (*ChainStatsOut, error) {
	list, length := cursorStats+"-day", ledger.Daily
	if in.By == "hour" {
		list, length = cursorStats+"-hour", ledger.Hourly
	}
	before, err := parseCursor(in.Cursor, list)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*ChainStatsOut, error) {
		periods, err := a.Ledger.Periods(ctx, tx, length, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := &ChainStatsOut{}
		out.Periods, out.Next = paged(periods, in.Limit, func(p ledger.Period) ChainPeriod {
			return ChainPeriod{Start: Time{timeOf(p.Start)}, Blocks: p.Blocks, Transactions: p.Transactions,
				Created: p.Created, Destroyed: p.Destroyed, Circulating: p.Supply}
		}, func(p ledger.Period) *string { return cursor(list, p.Start) })
		return out, nil
	})
}
