package market

import (
	"encoding/binary"
	"slices"
	"time"

	"roshambo/internal/store/column"
)

// The prices of a tier, as pure functions of its last sales.

const (
	// maxReferenceSales and minReferenceSales bound the number of sales of which the
	// reference price is the median.
	maxReferenceSales = 20
	minReferenceSales = 5
	// Day is the shorter window of volumes.
	Day = 24 * time.Hour
	// Month is the longer window of volumes, and the window of the reference price.
	Month = 30 * Day
)

// Trade is the price and time of a sale.
type Trade struct {
	Price int64
	At    time.Time
}

// Basis is the source of a reference price.
type Basis string

// The bases.
const (
	BySales Basis = "sales" // the median of recent sales
	ByRules Basis = "rules" // the value that the rules give the tier
)

// Reference is the reference price of a token of a tier.
type Reference struct {
	Price int64
	Basis Basis
	N     int64 // sales within the window
}

// reference returns the median of the sales in recent since a time, or value when there are
// fewer than minReferenceSales. The median of an even number is the mean of the middle two,
// rounded down. recent holds up to maxReferenceSales sales, the newest last.
func reference(recent []Trade, since time.Time, value int64) Reference {
	var prices [maxReferenceSales]int64
	n := 0
	for _, t := range recent {
		if !t.At.Before(since) {
			prices[n] = t.Price
			n++
		}
	}
	if n < minReferenceSales {
		return Reference{Price: value, Basis: ByRules, N: int64(n)}
	}
	slices.Sort(prices[:n])
	median := prices[n/2]
	if n%2 == 0 {
		median = (prices[n/2-1] + prices[n/2]) / 2
	}
	return Reference{Price: median, Basis: BySales, N: int64(n)}
}

// tradeSize is the encoded size of a sale in bytes: price, then Unix milliseconds, each 8 bytes
// big-endian.
const tradeSize = 16

// addTrade appends a sale to the encoded last sales of a tier, and drops the oldest beyond
// maxReferenceSales. It does not modify row.
func addTrade(row []byte, t Trade) []byte {
	if keep := (maxReferenceSales - 1) * tradeSize; len(row) > keep {
		row = row[len(row)-keep:]
	}
	row = slices.Clone(row)
	row = binary.BigEndian.AppendUint64(row, uint64(t.Price))
	return binary.BigEndian.AppendUint64(row, uint64(t.At.UnixMilli()))
}

// trades decodes the last sales of a tier, the newest last.
func trades(row []byte) []Trade {
	list := make([]Trade, 0, len(row)/tradeSize)
	for ; len(row) >= tradeSize; row = row[tradeSize:] {
		price, at := binary.BigEndian.Uint64(row), binary.BigEndian.Uint64(row[8:])
		list = append(list, Trade{Price: int64(price), At: column.Time(int64(at))})
	}
	return list
}

// dayOf returns the number of UTC days from 1970-01-01 to t.
func dayOf(t time.Time) int64 { return t.Unix() / int64(Day/time.Second) }

// startOf returns the beginning of a day.
func startOf(day int64) time.Time { return time.Unix(day*int64(Day/time.Second), 0).UTC() }
