package chain

import "fmt"

// InForce are the rules of a chain over time. A rules transaction announces rules, which apply to the
// transactions that follow it and whose time is at least 24 hours later; one in the first hour of the
// chain applies to all that follow it. So there are no rules for a single transaction. The zero value
// is that of a chain before its genesis.
type InForce struct {
	Latest Rules // announced last
	Before Rules // the ones before these; zero for those of genesis
	From   int64 // Latest applies to times from here on, in Unix milliseconds
	Number int64 // of Latest; genesis has number 0
	Began  int64 // the time of genesis
}

const (
	// RulesNotice is how long before their effect rules are announced, in milliseconds.
	RulesNotice = dayMS
	// RulesTrial is the time after genesis in which rules change at once, in milliseconds.
	RulesTrial = 60 * 60 * 1000
)

// At returns the rules for a transaction with a time. They must not be changed.
func (f *InForce) At(time int64) *Rules {
	if time < f.From {
		return &f.Before
	}
	return &f.Latest
}

// Next returns the state after the announcement d at a time. The error says which rule d breaks: the
// numbers are consecutive, and no other rules wait for their effect.
func (f *InForce) Next(d *RulesChange, time int64) (InForce, error) {
	switch {
	case d.Number != f.Number+1:
		return *f, fmt.Errorf("rules number %d", f.Number+1)
	case time < f.From:
		return *f, fmt.Errorf("rules from %d on, when those announced before are in force", f.From)
	}
	next := InForce{Latest: d.Rules, Before: f.Latest, Number: d.Number, Began: f.Began}
	if time > f.Began+RulesTrial {
		next.From = time + RulesNotice
	}
	return next, nil
}
