// Package portfolio says what an account's coins and tokens are worth, what they have
// cost, how that went day by day, and how risky it was.
//
// # The book
//
// The ledger reports every transaction (Service is a ledger.Listener), and the book keeps
// for each account the sums of coins and tokens as they were at the end of every day. A
// history is therefore read from one row per day and tier, however many transactions
// there were. A transaction that moves nothing, as the start of a free run, writes
// nothing here, and neither does a throw.
//
// # Prices
//
// Prices come from the market, as input: what the house pays (buyback), the lowest price
// asked (floor), the last price paid (last sale), and the reference price. Histories and
// profits are at reference prices; those of a past day are what they were at its end.
//
// # Cost
//
// Tokens of a tier are alike, and of those that an account disposes of the first that it
// acquired goes first (FIFO). A token that was won has cost nothing, since what a run
// costs is spent on playing; one that was bought has cost its price. A burnt token has
// brought nothing. So realised and unrealised profit add up to what all tokens have
// brought, plus what those left are worth, less what they all have cost.
//
// # Returns
//
// The return of a day is what the coins and tokens were worth at its end, over what they
// were worth at the end of the day before and what was given to the account meanwhile,
// less 1: time-weighted, with flows at the beginning of the day. Only coins that come for
// nothing are such flows: the starting balance and the faucet. Everything else is how the
// account did: tokens won, fees of runs and sales, duels. Coins staked on a duel that is
// not over are in its escrow, and missing here until it is; the answer to GET
// /api/portfolio says how many they are.
package portfolio

import (
	"time"

	"roshambo/internal/ledger"
)

// Service reads portfolios and keeps the book. Its fields are set once, before use.
type Service struct {
	Ledger *ledger.Ledger
	Now    func() time.Time
}

// Quote is what the market knows of a tier.
type Quote struct {
	Floor     *int64 // the lowest price asked; nil for none
	Depth     int64  // how many are for sale
	Last      *Trade // the last sale; nil for none
	Reference int64
}

// Trade is a price that was paid.
type Trade struct {
	Price int64
	At    time.Time
}

// Basis is a way to value a token.
type Basis int

// The bases.
const (
	Buyback Basis = iota // what the house pays
	Floor                // the lowest price asked; nothing when none is for sale
	LastSale
	Reference
	Bases // how many there are
)

// Position is all tokens of one tier.
type Position struct {
	Tier   int64
	Count  int64
	Prices [Bases]*int64 // of one token; nil where there is no such price
	Cost   int64         // of those held, first in, first out
	// Realised is the profit on those disposed of, and Unrealised what there would be
	// on those held, at the reference price.
	Realised, Unrealised int64
}

// Valuation is what the tokens are worth on one basis.
type Valuation struct {
	Tokens   int64 // coins, for those that have a price
	Unpriced int64 // tokens that have none
}

// Point is what there was at the end of a day.
type Point struct {
	Day     time.Time // its beginning, UTC
	Balance int64     // coins
	Tokens  int64     // worth of the tokens, at the reference prices of that day
	inflow  int64     // given to the account since it was opened
}

// Total is what all was worth.
func (p *Point) Total() int64 { return p.Balance + p.Tokens }

// Report is a portfolio.
type Report struct {
	Balance       int64
	Positions     []Position // those held, and those that brought or cost anything
	Valuations    [Bases]Valuation
	Cost          int64
	Realised      int64
	Unrealised    int64
	History       []Point // the oldest first, today last
	Risk          Risk
	Concentration Concentration
}

const secondsPerDay = 24 * 60 * 60

// dayOf counts the UTC days from 1970-01-01 to t.
func dayOf(t time.Time) int64 { return t.Unix() / secondsPerDay }

// startOf returns when a day begins.
func startOf(day int64) time.Time { return time.Unix(day*secondsPerDay, 0).UTC() }
