package audit

import (
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
)

// periods derives the rows of chain_period from the chain alone: one row for each hour and each
// day that contains a block. The zero value is ready.
type periods struct {
	supply int64 // coins in existence
	open   [len(layout.PeriodLengths)]openPeriod
}

// openPeriod is the period that the latest block belongs to.
type openPeriod struct {
	start int64 // Unix milliseconds
	layout.Activity
}

// block begins a block; ms is its time in Unix milliseconds.
func (r *rowSums) block(ms int64) {
	for i, length := range layout.PeriodLengths {
		p := &r.periods.open[i]
		if start := layout.PeriodStart(ms, length); p.Blocks == 0 || p.start != start {
			r.endPeriod(i)
			p.start, p.Activity = start, layout.Activity{}
		}
		p.Blocks++
	}
}

// count adds a transaction of the block that block began.
func (r *rowSums) count(tx *chain.Tx) {
	var a layout.Activity
	a.Add(tx)
	r.periods.supply += a.Created - a.Destroyed
	for i := range r.periods.open {
		p := &r.periods.open[i]
		p.Transactions += a.Transactions
		p.Created += a.Created
		p.Destroyed += a.Destroyed
	}
}

// endPeriods ends the open periods after the last block.
func (r *rowSums) endPeriods() {
	for i := range r.periods.open {
		r.endPeriod(i)
		r.periods.open[i].Activity = layout.Activity{}
	}
}

func (r *rowSums) endPeriod(i int) {
	p := &r.periods.open[i]
	if p.Blocks == 0 {
		return
	}
	seconds := int64(layout.PeriodLengths[i] / time.Second)
	r.period([periodColumns]int64{
		seconds, p.start, p.Blocks, p.Transactions, p.Created, p.Destroyed, r.periods.supply,
	})
}

// periodColumns is the number of columns of chain_period.
const periodColumns = 7

// period adds a row of chain_period: seconds, start, blocks, transactions, created, destroyed,
// supply.
func (r *rowSums) period(columns [periodColumns]int64) {
	r.begin(rowPeriod)
	for _, n := range columns {
		r.number(n)
	}
	r.end()
}
