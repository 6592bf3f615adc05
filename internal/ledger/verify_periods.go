package ledger

import (
	"time"

	"roshambo/chain"
)

// periods adds up what happens in each hour and each day that has a block, as sealing
// does, but from the chain alone: the rows of chain_period.
type periods struct {
	supply int64
	open   [2]struct {
		start int64
		activity
	}
}

// periodLengths are the lengths of periods, Hourly and Daily.
var periodLengths = [2]time.Duration{Hourly, Daily}

// block begins a block of a time, in Unix milliseconds.
func (r *rows) block(ms int64) {
	for i, length := range periodLengths {
		p := &r.periods.open[i]
		if start := ms - ms%length.Milliseconds(); p.blocks == 0 || p.start != start {
			r.endPeriod(i)
			p.start, p.activity = start, activity{}
		}
		p.blocks++
	}
}

// count counts a transaction of the block.
func (r *rows) count(tx *chain.Tx) {
	var a activity
	a.add(tx)
	r.periods.supply += a.created - a.destroyed
	for i := range r.periods.open {
		p := &r.periods.open[i]
		p.transactions += a.transactions
		p.created += a.created
		p.destroyed += a.destroyed
	}
}

// endPeriods ends the last periods, after the last block.
func (r *rows) endPeriods() {
	for i := range r.periods.open {
		r.endPeriod(i)
		r.periods.open[i].activity = activity{}
	}
}

func (r *rows) endPeriod(i int) {
	if p := &r.periods.open[i]; p.blocks > 0 {
		r.period([7]int64{int64(periodLengths[i] / time.Second), p.start, p.blocks, p.transactions, p.created, p.destroyed, r.periods.supply})
	}
}

// period is a row of chain_period: its columns in their order.
func (r *rows) period(columns [7]int64) {
	r.begin(rowPeriod)
	for _, n := range columns {
		r.number(n)
	}
	r.end()
}
