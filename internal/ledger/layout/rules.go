package layout

import (
	"fmt"

	"roshambo/chain"
)

// RulesRow is the row MetaRules: which rules apply when, and the number of the last recovery. Every
// transaction is checked with it, so nodes that share a database compare the whole row.
type RulesRow struct {
	// InForce has the rules; its number, hashes and times are in the row, its rules in the transactions.
	chain.InForce
	LatestTx chain.Hash // the transaction with InForce.Latest
	BeforeTx chain.Hash // the one with InForce.Before; zero for the rules of genesis
	Recovery int64      // number of the last recovery; 0 for none
}

// Apply applies a transaction that the rules allow, if it concerns the row.
func (r *RulesRow) Apply(hash chain.Hash, tx *chain.Tx) {
	switch d := tx.Data.(type) {
	case *chain.Genesis:
		*r = RulesRow{InForce: chain.InForce{Latest: d.Rules, Began: tx.Time}, LatestTx: hash}
	case *chain.RulesChange:
		// The block is not known yet; it is later, so From is the earliest beginning.
		if next, err := r.Announce(d, tx.Time); err == nil {
			r.InForce, r.BeforeTx, r.LatestTx = next, r.LatestTx, hash
		}
	case *chain.RulesBegin:
		if next, err := r.Begin(d, tx.Time); err == nil {
			r.InForce = next
		}
	case *chain.Recovery:
		r.Recovery = d.Number
	}
}

// NowTx returns the transaction with the rules in force.
func (r *RulesRow) NowTx() chain.Hash {
	if r.From != 0 {
		return r.BeforeTx
	}
	return r.LatestTx
}

const rulesRowFormat = "%s %s %d %d %d"

// String returns the row without the rules themselves.
func (r *RulesRow) String() string {
	return fmt.Sprintf(rulesRowFormat, r.LatestTx, r.BeforeTx, r.From, r.Began, r.Recovery)
}

// ParseRulesRow is the inverse of String. Its result has no rules. Errors: ErrDamaged.
func ParseRulesRow(text string) (r RulesRow, err error) {
	var latest, before string
	if _, err := fmt.Sscanf(text, rulesRowFormat, &latest, &before, &r.From, &r.Began, &r.Recovery); err != nil {
		return r, ErrDamaged
	}
	if r.LatestTx, err = chain.ParseHash(latest); err != nil {
		return r, ErrDamaged
	}
	if r.BeforeTx, err = chain.ParseHash(before); err != nil || r.String() != text {
		return r, ErrDamaged
	}
	return r, nil
}
