package main

import "roshambo/chain"

// crossedDuels are honest proofs of duels without a stake, which go on after a recovery.
func crossedDuels() []vector {
	return []vector{
		{file: "duel/crossed", about: "a duel without a stake that goes on after a recovery", notes: "recovery",
			make: &duel{rounds: "rsrrpssprs", rated: true, crossed: losing()}},
		{file: "duel/crossed-active", about: "a duel without a stake that has not ended since a recovery", unpinned: true,
			pending: true, notes: "checkpoint end payout recovery", make: &duel{rounds: "rsrr", crossed: losing()}},
		{file: "duel/crossed-pending", about: "a duel without a stake, settled behind a recovery, both in no block yet",
			unpinned: true, pending: true, notes: "inclusion checkpoint order recovery",
			make: &duel{rounds: "rsrsrs", crossed: losing(), place: map[string]int{"recovery": -1, "settle": -1}}},
		{file: "duel/crossed-nothing-lost", about: "a duel without a stake, and a recovery that names no lost tree",
			notes: "recovery",
			make:  &duel{rounds: "rsrsrs", crossed: &chain.Recovery{ReasonHash: chain.HashText("moved"), Number: 2}}},
	}
}

// tamperedCrossings are duels that lie about a recovery that has not ended them.
func tamperedCrossings() []vector {
	without := func(member string) func(p object) { return func(p object) { p[member] = nil } }
	return []vector{
		{file: "duel/crossed-with-a-stake", about: "a recovery that is said to have left a duel with a stake finished",
			fails: "recovery", make: &duel{rounds: "rsrsrs", stake: 30, crossed: losing()}},
		{file: "duel/crossed-after-the-end", about: "a recovery after the settlement of a duel without a stake",
			fails: "order", notes: "recovery",
			make: &duel{rounds: "rsrsrs", crossed: losing(), place: map[string]int{"recovery": 7}}},
		{file: "duel/crossed-without-kept", about: "a recovery during a duel without a stake, without the block before it",
			fails: "recovery", make: &duel{rounds: "rsrsrs", crossed: losing(), proof: without("kept")}},
		{file: "duel/crossed-kept-alone", about: "a duel without a stake, and the block before a recovery that is not there",
			fails: "recovery", make: &duel{rounds: "rsrsrs", crossed: losing(), proof: without("recovery")}},
	}
}
