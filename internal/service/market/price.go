package market

import (
	"encoding/binary"
	"slices"
	"time"

	"roshambo/internal/store/column"
)

// The prices of a tier: pure functions on the last sales.

const (
	// referenceSales is how many sales, at most, the reference price is the median of,
	// and referenceLeast how many it needs.
	referenceSales = 20
	referenceLeast = 5
	// Day is the shorter of the times that volumes look back.
	Day = 24 * time.Hour
	// Month is the longer one, and that of the reference price.
	Month = 30 * Day
)

// Trade is a price that was paid.
type Trade struct {
	Price int64
	At    time.Time
}

// Basis says where a reference price comes from.
type Basis string

// The bases.
const (
	BySales Basis = "sales"
	ByRules Basis = "rules"
)

// Reference is what a token of a tier is taken to be worth.
type Reference struct {
	Price int64
	Basis Basis
	N     int64 // sales that were looked at
}

// reference is the median of the last 20 sales since a time, or value when there are
// fewer than 5. Of an even number of sales it is the mean of the two in the middle,
// rounded down. recent holds the last 20 sales, the newest last.
func reference(recent []Trade, since time.Time, value int64) Reference {
	var prices [referenceSales]int64
	n := 0
	for _, t := range recent {
		if !t.At.Before(since) {
			prices[n] = t.Price
			n++
		}
	}
	if n < referenceLeast {
		return Reference{value, ByRules, int64(n)}
	}
	slices.Sort(prices[:n])
	median := prices[n/2]
	if n%2 == 0 {
		median = (prices[n/2-1] + prices[n/2]) / 2
	}
	return Reference{median, BySales, int64(n)}
}

// tradeSize is how many bytes a sale takes in a row: price and time, big-endian.
const tradeSize = 16

// addTrade appends a sale to the last ones of a row, and drops the oldest when there are
// more than 20.
func addTrade(row []byte, t Trade) []byte {
	if keep := (referenceSales - 1) * tradeSize; len(row) > keep {
		row = row[len(row)-keep:]
	}
	row = slices.Clone(row)
	row = binary.BigEndian.AppendUint64(row, uint64(t.Price))
	return binary.BigEndian.AppendUint64(row, uint64(t.At.UnixMilli()))
}

// trades takes a row apart.
func trades(row []byte) []Trade {
	list := make([]Trade, 0, len(row)/tradeSize)
	for ; len(row) >= tradeSize; row = row[tradeSize:] {
		price, at := binary.BigEndian.Uint64(row), binary.BigEndian.Uint64(row[8:])
		list = append(list, Trade{int64(price), column.Time(int64(at))})
	}
	return list
}

// dayOf counts the UTC days from 1970-01-01 to t.
func dayOf(t time.Time) int64 { return t.Unix() / int64(Day/time.Second) }

// startOf returns when a day begins.
func startOf(day int64) time.Time { return time.Unix(day*int64(Day/time.Second), 0).UTC() }
