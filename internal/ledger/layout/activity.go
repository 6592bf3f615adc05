package layout

import (
	"time"

	"roshambo/chain"
)

// Hourly and Daily are the lengths of the periods in chain_period.
const (
	Hourly = time.Hour
	Daily  = 24 * time.Hour
)

// PeriodLengths lists the lengths of periods.
var PeriodLengths = [...]time.Duration{Hourly, Daily}

// PeriodStart returns the start of the period of a length that contains a time. Times are in
// Unix milliseconds.
func PeriodStart(ms int64, length time.Duration) int64 { return ms - ms%length.Milliseconds() }

// Activity counts blocks, their transactions, and the coins that these create and destroy.
type Activity struct{ Blocks, Transactions, Created, Destroyed int64 }

// Add counts a transaction. A transfer of coins from the zero address creates them, one to the
// zero address destroys them.
func (a *Activity) Add(tx *chain.Tx) {
	a.Transactions++
	for _, t := range tx.Transfers {
		switch {
		case t.Token:
		case t.From == (chain.Address{}):
			a.Created += t.Amount
		case t.To == (chain.Address{}):
			a.Destroyed += t.Amount
		}
	}
}
