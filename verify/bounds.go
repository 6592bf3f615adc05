package verify

import (
	"roshambo/chain"
)

// Bounds of section 2 of docs/protocol.md that a proof can show: those that hold under any rules of the chain, of
// one transaction alone, or of a transaction and the blocks in the proof.

const (
	maxRuleCoins = 1 << 40 // of an amount in any rules
	maxBurntTier = 62
	maxEndTier   = 63
	maxIDBytes   = 64     // of the id of a run or a duel
	maxBackdated = 60_000 // by how much a transaction may be earlier than a block before its own, in milliseconds
)

// bounded reports whether a transaction of a kind that a proof holds is within the bounds that it shows alone. The
// amounts that depend on the rules in force are not checked.
func bounded(tx *chain.Tx) bool {
	coins := int64(0) // the largest amount of a transfer
	for _, t := range tx.Transfers {
		if t.Check() != nil {
			return false
		}
		coins = max(coins, t.Amount)
	}
	isID := func(id string) bool { return id != "" && len(id) <= maxIDBytes }
	none, bot := chain.Hash{}, chain.SparringBot()
	if tx.Actor == bot { // it has no account
		return false
	}
	switch d := tx.Data.(type) {
	case *chain.AccountCreate:
		if len(tx.Transfers) > 0 && (tx.Transfers[0] != chain.Transfer{Amount: coins, To: tx.Actor}) {
			return false
		}
		return d.Commitment != none && len(tx.Transfers) <= 1 && coins <= maxRuleCoins
	case *chain.Rotate:
		return d.Commitment != none && d.NextCommitment != none && len(tx.Transfers) == 0
	case *chain.RunStart:
		return isID(d.RunID) && d.Commitment != none && d.NextCommitment != none && d.FirstTier <= maxBurntTier &&
			coins <= maxRuleCoins
	case *chain.RunEnd:
		return isID(d.RunID) && d.Cleared <= maxEndTier
	case *chain.DuelStake:
		return isID(d.DuelID) && coins <= chain.MaxID
	case *chain.DuelSettle:
		unrated, paid := !d.Rated, len(tx.Transfers) > 0
		return isID(d.DuelID) && d.A != bot && (d.B != bot || unrated && !paid) && (!d.Void || unrated && paid)
	case *chain.Recovery:
		return d.Number >= 1
	}
	return true
}

// fits reports whether the time of a transaction fits its block and the lower blocks of the proof.
func (p *placed) fits(blocks []placed) bool {
	for _, b := range blocks {
		if b.Height < p.Height && p.tx.tx.Time < b.Time-maxBackdated {
			return false
		}
	}
	return p.tx.tx.Time <= p.Time
}
