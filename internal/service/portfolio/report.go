package portfolio

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/portfolioq"
)

// Request selects a portfolio and passes in the market prices.
type Request struct {
	Address chain.Address
	Opened  time.Time // when the account was opened
	Days    int64     // of history, today included
	Quotes  []Quote   // by tier, from tier 1
	// References holds, by tier from tier 1, the reference prices at the end of each of the
	// last Days+1 days, today last.
	References [][]int64
}

// Report returns the portfolio of an account. Errors: the same as of ledger.Account.
func (s *Service) Report(ctx context.Context, tx *store.Tx, r Request) (*Report, error) {
	state, _, err := s.Ledger.Account(ctx, tx, r.Address)
	if err != nil {
		return nil, err
	}
	queries := q.New(tx)
	today := dayOf(tx.Now())
	// One day more than the history: the first return needs it. The day before an account was opened
	// stands with its starting balance, counted as inflow, so the return of the opening day leaves the
	// gift out.
	first := max(today-r.Days, dayOf(r.Opened)-1)
	coins, err := queries.CoinsAfter(ctx, q.CoinsAfterParams{Address: r.Address[:], After: first})
	if err != nil {
		return nil, fmt.Errorf("portfolio: of %v: %w", r.Address, err)
	}
	tiers, err := queries.TiersAfter(ctx, q.TiersAfterParams{Address: r.Address[:], After: first})
	if err != nil {
		return nil, fmt.Errorf("portfolio: of %v: %w", r.Address, err)
	}
	costs, err := queries.CostOfDisposed(ctx, r.Address[:])
	if err != nil {
		return nil, fmt.Errorf("portfolio: of %v: %w", r.Address, err)
	}
	out := &Report{Balance: state.Balance}
	out.positions(s.Ledger.Rules(), r.Quotes, tiers, costs)
	points := make([]Point, today-first+1)
	for i := range points {
		points[i].Day = startOf(first + int64(i))
	}
	coinHistory(points, coins, state.Balance)
	tokenHistory(points, tiers, r.References)
	out.Risk = risk(points)
	out.Concentration = concentration(out.Positions)
	out.History = points[1:]
	return out, nil
}

// coinHistory fills in balances and inflows. The row of a day holds the state before the
// first change of that day: the state at the end of every earlier day back to the previous
// row. The last row is the row of currentDay. Without rows the account still has its
// starting balance.
func coinHistory(points []Point, rows []q.CoinsAfterRow, balance int64) {
	if len(rows) == 0 {
		rows = []q.CoinsAfterRow{{Day: currentDay, Balance: balance, Inflow: balance}}
	}
	for i := range points {
		for rows[0].Day <= dayOf(points[i].Day) {
			rows = rows[1:]
		}
		points[i].Balance, points[i].inflow = rows[0].Balance, rows[0].Inflow
	}
}

// tokenHistory fills in the value of the tokens. Rows are ordered by day and hold the state
// before the first change of their day, as in coinHistory; it applies them backwards, from
// today on. references are the ones in Request.
func tokenHistory(points []Point, rows []q.TiersAfterRow, references [][]int64) {
	held := make([]int64, len(references))
	for i := len(points) - 1; i >= 0; i-- {
		for n := len(rows) - 1; n >= 0 && rows[n].Day > dayOf(points[i].Day); n-- {
			held[rows[n].Tier-1] = rows[n].Acquired - rows[n].Disposed
			rows = rows[:n]
		}
		for t, count := range held {
			if count != 0 {
				prices := references[t]
				points[i].Tokens += count * prices[len(prices)-len(points)+i]
			}
		}
	}
}

// currentDay is the day of the rows that hold the current state. queries.sql repeats it.
const currentDay = 1<<31 - 1

// positions computes the position of each tier, and the sums over all of them. costs holds
// the cost of the tokens disposed of, by tier.
func (r *Report) positions(rules *chain.Rules, quotes []Quote, rows []q.TiersAfterRow, costs []q.CostOfDisposedRow) {
	spent := map[int64]int64{}
	for _, c := range costs {
		spent[c.Tier] = c.Cost
	}
	for _, row := range rows {
		if row.Day != currentDay {
			continue
		}
		quote := quotes[row.Tier-1]
		buyback := rules.BuybackPrice(row.Tier)
		p := Position{
			Tier: row.Tier, Count: row.Acquired - row.Disposed,
			Prices: [Bases]*int64{Buyback: &buyback, Floor: quote.Floor, Reference: &quote.Reference},
			Cost:   row.Cost - spent[row.Tier], Realised: row.Proceeds - spent[row.Tier],
		}
		if quote.Last != nil {
			p.Prices[LastSale] = &quote.Last.Price
		}
		p.Unrealised = p.Count*quote.Reference - p.Cost
		r.Positions = append(r.Positions, p)
		r.Cost += p.Cost
		r.Realised += p.Realised
		r.Unrealised += p.Unrealised
		for basis, price := range p.Prices {
			if price == nil {
				r.Valuations[basis].Unpriced += p.Count
			} else {
				r.Valuations[basis].Tokens += p.Count * *price
			}
		}
	}
}
