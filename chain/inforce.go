package chain

import (
	"errors"
	"fmt"

	"roshambo/canon"
)

// InForce are the rules of a chain over time. A rules transaction announces rules; they begin with a
// rules.begin, at least 24 hours after the block of the announcement, or at once when that block is of the
// first hour of the chain. So there are no rules for a single transaction, which rules are in force
// does not depend on a clock, and a transaction that is dated back gives no shorter notice: the block is
// what readers and witnesses have seen. The zero value describes a chain before its genesis.
type InForce struct {
	Latest Rules // announced last
	Before Rules // the ones before these; zero for the rules of genesis
	From   int64 // Latest waits, and can begin from then on, in Unix milliseconds; 0 when it is in force, 1 at once
	Number int64 // of Latest; genesis has number 0
	Began  int64 // the time of genesis
}

const (
	// RulesNotice is how long before their beginning rules are announced, in milliseconds.
	RulesNotice = dayMS
	// RulesTrial is the time after genesis until which the block of an announcement lets rules begin at once, in
	// milliseconds.
	RulesTrial = 60 * 60 * 1000
)

// atOnce is the InForce.From of rules that can begin at once.
const atOnce = 1

// Now returns the rules in force. They must not be changed.
func (f *InForce) Now() *Rules {
	if f.From != 0 {
		return &f.Before
	}
	return &f.Latest
}

// Announce returns the state after the announcement d in a block with a time, canon.MaxInt for none. The error says
// which rule d breaks: the numbers are consecutive, and no other rules wait.
func (f *InForce) Announce(d *RulesChange, block int64) (InForce, error) {
	switch {
	case d.Number != f.Number+1:
		return *f, fmt.Errorf("rules number %d", f.Number+1)
	case f.From != 0:
		return *f, fmt.Errorf("the beginning of the rules number %d, before others are announced", f.Number)
	}
	next := InForce{Latest: d.Rules, Before: f.Latest, Number: d.Number, Began: f.Began}
	switch {
	case block <= f.Began+RulesTrial:
		next.From = atOnce
	case block > canon.MaxInt-RulesNotice:
		next.From = canon.MaxInt
	default:
		next.From = block + RulesNotice
	}
	return next, nil
}

// Begin returns the state after the beginning d at a time. The error says which rule d breaks.
func (f *InForce) Begin(d *RulesBegin, time int64) (InForce, error) {
	switch {
	case f.From == 0:
		return *f, errors.New("rules that were announced and wait")
	case d.Number != f.Number:
		return *f, fmt.Errorf("the beginning of the rules number %d", f.Number)
	case time < f.From && f.From != atOnce:
		return *f, fmt.Errorf("a beginning from %d on", f.From)
	}
	next := *f
	next.From = 0
	return next, nil
}
