// Package portfolio computes the value, cost, history and risk of an account's coins and
// tokens.
//
// # The book
//
// Service is a ledger.Listener: it receives every transaction. Its book holds, for each
// account, the sums of coins and tokens at the end of every day. A history is therefore read
// from one row per day and tier, however many transactions there were. Transactions that
// move nothing, such as the start of a free run, write nothing here; neither does a throw.
//
// # Prices
//
// The caller passes in the prices of the market: the price the house pays (buyback), the
// lowest price asked (floor), the last price paid (last sale), and the reference price.
// Histories and profits use reference prices; a past day uses those at its end.
//
// # Cost
//
// Tokens of a tier are interchangeable, and disposals are first in, first out (FIFO). A won
// token costs nothing, because the fee of a run pays for playing; a bought token costs its
// price. A burnt token has no proceeds. Realised plus unrealised profit therefore equals all
// proceeds, plus the value of the tokens held, less all costs.
//
// # Returns
//
// The return of a day is the value of coins and tokens at its end, divided by the sum of
// their value at the end of the day before and the inflows of the day, less 1: time-weighted,
// with flows at the beginning of the day. Only gifts are inflows: the starting balance and
// the faucet. Everything else is performance: tokens won, fees of runs and sales, duels.
// Coins staked on an open duel are in its escrow and not part of the balance; GET
// /api/portfolio reports them separately.
package portfolio

import (
	"time"

	"roshambo/internal/ledger"
)

// Service keeps the book and reads portfolios from it. Its fields are set once, before use.
type Service struct {
	Ledger *ledger.Ledger
}

// Quote holds the market prices of a tier.
type Quote struct {
	Floor     *int64 // the lowest price asked; nil for none
	Depth     int64  // active listings
	Last      *Trade // the last sale; nil for none
	Reference int64
}

// Trade is the price and time of a sale.
type Trade struct {
	Price int64
	At    time.Time
}

// Basis is a price by which tokens are valued.
type Basis int

// The bases.
const (
	Buyback   Basis = iota // the price that the house pays
	Floor                  // the lowest price asked
	LastSale               // the last price paid
	Reference              // the reference price
	Bases                  // the number of bases
)

// Position holds the tokens of one tier.
type Position struct {
	Tier       int64
	Count      int64
	Prices     [Bases]*int64 // of one token, in coins; nil where there is no such price
	Cost       int64         // of the tokens held, first in, first out
	Realised   int64         // profit on the tokens disposed of
	Unrealised int64         // profit on the tokens held, at the reference price
}

// Valuation is the value of all tokens on one basis.
type Valuation struct {
	Tokens   int64 // coins, for the tokens that have a price
	Unpriced int64 // number of tokens without a price
}

// Point is the state of an account at the end of a day.
type Point struct {
	Day     time.Time // its beginning, UTC
	Balance int64     // coins
	Tokens  int64     // value of the tokens, at the reference prices of that day
	inflow  int64     // sum of gifts since the account was opened
}

// Total returns the value of coins and tokens.
func (p *Point) Total() int64 { return p.Balance + p.Tokens }

// Report is a portfolio. Amounts are in coins.
type Report struct {
	Balance       int64
	Positions     []Position // by tier: all tiers of which the account ever held a token
	Valuations    [Bases]Valuation
	Cost          int64
	Realised      int64
	Unrealised    int64
	History       []Point // the oldest day first, today last
	Risk          Risk
	Concentration Concentration
}

const secondsPerDay = 24 * 60 * 60

// dayOf returns the number of UTC days from 1970-01-01 to t.
func dayOf(t time.Time) int64 { return t.Unix() / secondsPerDay }

// startOf returns the beginning of a day.
func startOf(day int64) time.Time { return time.Unix(day*secondsPerDay, 0).UTC() }
