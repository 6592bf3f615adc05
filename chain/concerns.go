package chain

import "slices"

// Addresses returns the addresses that the transaction concerns, each once: the actor, both
// ends of its transfers and the sides of a settled duel other than the sparring bot. These are exactly the addresses of
// its account effects, so an index by address lists every transaction that changes an account.
func (tx *Tx) Addresses() []Address {
	list := make([]Address, 0, 4)
	add := func(a Address) {
		if a != (Address{}) && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	add(tx.Actor)
	for _, t := range tx.Transfers {
		add(t.From)
		add(t.To)
	}
	if d, ok := tx.Data.(*DuelSettle); ok {
		add(d.A)
		if d.B != SparringBot() {
			add(d.B)
		}
	}
	return list
}

// TokenIDs returns the ids of the tokens that the transaction creates, moves or destroys, nil
// for none. No kind moves a token twice, so each id occurs once.
func (tx *Tx) TokenIDs() []int64 {
	var list []int64
	for _, t := range tx.Transfers {
		if t.Token {
			list = append(list, t.TokenID)
		}
	}
	return list
}
