package ledger

import (
	"roshambo/chain"
	"roshambo/internal/store"
)

// remember keeps the actor's state after a posted transaction, when tx commits, and forgets the states
// of the other accounts that it changes. Only with other nodes does a read cost a round trip that is
// worth it.
func (l *Ledger) remember(tx *store.Tx, o *outcome) {
	if !l.shared {
		return
	}
	if _, ok := o.posted.tx.Data.(*chain.Rotate); ok {
		return // a recovery rotates the commitments of all accounts in one transaction
	}
	actor, state, accounts := o.posted.tx.Actor, o.posted.State, o.fact.Accounts
	tx.AfterCommit(func() {
		for i := range accounts {
			if accounts[i].Address != actor {
				l.actors.Remove(accounts[i].Address)
			}
		}
		if actor == (chain.Address{}) {
			return
		}
		// Calls may arrive in another order than the commits: the highest nonce wins.
		l.actors.Update(actor, func(kept ActorState, ok bool) (ActorState, bool) {
			if ok && kept.Account.Nonce > state.Account.Nonce {
				return kept, true
			}
			return state, true
		})
	})
}

// Recall returns the state of an account as this node posted it last, without reading it, for a Draft
// in tx, and forgets it until the draft is stored. ok is false if the account must be read: the node
// does not remember it, or tx is a retry.
//
// The state may be outdated: another node may have posted since. Then the swap of the account's row
// fails, and tx is retried (store.Deferred). The swap compares nonce and balance, and that is enough:
// every change of an account that is not its own action pays it coins and changes nothing else. If the
// database has lost commits that this node remembers, an account can have the same nonce and balance
// by other actions; the swap compares what these change, and a run's start also the commitment.
// A caller that refuses an action by the state must read it first, as it may only be outdated.
func (l *Ledger) Recall(tx *store.Tx, a chain.Address) (state ActorState, ok bool) {
	if !l.shared || !tx.Deferred().Assumed() {
		return ActorState{}, false
	}
	l.actors.Update(a, func(kept ActorState, exists bool) (ActorState, bool) {
		state, ok = kept, exists
		return kept, false
	})
	return state, ok && state.Account.Recovery == l.rules.Load().Recovery
}

// Forget drops what is remembered of accounts, of sealed transactions and of the last recovery. After a loss, another
// recovery can have the number of one that was lost.
func (l *Ledger) Forget() {
	l.actors.Clear()
	l.heights.Clear()
	l.rotated.Store(0)
}
