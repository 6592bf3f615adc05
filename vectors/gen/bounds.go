package main

import (
	"slices"
	"strings"

	"roshambo/chain"
)

// boundedProofs are proofs with a transaction at a bound of its kind or of its time, and beyond it.
func boundedProofs() []vector {
	return slices.Concat(boundedTimes(), insideBounds(), outsideBounds(), outsideDuels())
}

// dated is a lost run, in three neighbouring blocks, in which a transaction has a time after genesis, in milliseconds.
func dated(name string, at int64) *run {
	return lost(run{place: map[string]int{"commit": 4, "start": 5, "end": 6},
		tx: map[string]func(*chain.Tx){name: func(tx *chain.Tx) { tx.Time = firstTime + at }}})
}

// boundedTimes have a transaction at, before and behind the bounds of its time. Block n is 999 + 1000 n milliseconds
// later than genesis.
func boundedTimes() []vector {
	recovered := func(at int64) *run {
		return void(run{tx: map[string]func(*chain.Tx){"recovery": func(tx *chain.Tx) { tx.Time = firstTime + at }}})
	}
	return []vector{
		{file: "run/start-at-its-block", about: "a start at the time of its block", make: dated("start", 5999)},
		{file: "run/start-after-its-block", about: "a start later than its block", fails: "inclusion",
			make: dated("start", 6000)},
		{file: "run/end-a-minute-back", about: "an end a minute before the block before its own",
			make: dated("end", 5999-60_000)},
		{file: "run/end-dated-back", about: "an end more than a minute before the block before its own", fails: "inclusion",
			make: dated("end", 5998-60_000)},
		{file: "run/end-at-time-0", about: "an end at time 0", fails: "inclusion", make: dated("end", -firstTime)},
		{file: "run/recovery-a-minute-back", about: "a recovery a minute before the block before its own", notes: "recovery",
			make: recovered(5999 - 60_000)},
		{file: "run/recovery-dated-back", about: "a recovery more than a minute before the block before its own",
			fails: "recovery", make: recovered(5998 - 60_000)},
	}
}

// created is a lost run whose account.create has other transfers.
func created(transfers ...chain.Transfer) *run {
	return onCommit(func(tx *chain.Tx) { tx.Transfers = transfers })
}

// afterFirst is the second run of an account, whose first one has another id.
func afterFirst(id string) *run {
	return lost(run{second: true, tx: map[string]func(*chain.Tx){
		"commit": func(tx *chain.Tx) { tx.Data.(*chain.RunStart).RunID = id },
	}})
}

// paid is a lost run with an entry fee.
func paid(fee int64) *run {
	return lost(run{entry: chain.EntryFee,
		tx: map[string]func(*chain.Tx){"start": func(tx *chain.Tx) { tx.Transfers[0].Amount = fee }}})
}

// won is a claimed run whose token has an id.
func won(id int64) *run {
	return claimed(run{tx: map[string]func(*chain.Tx){"end": func(tx *chain.Tx) { tx.Transfers[0].TokenID = id }}})
}

// insideBounds are valid.
func insideBounds() []vector {
	player := addressOf("player")
	return []vector{
		{file: "run/opened-with-nothing", about: "an account without a starting balance", make: created()},
		{file: "run/opened-with-the-most", about: "an account with a starting balance of 2^40",
			make: created(chain.Transfer{To: player, Amount: 1 << 40})},
		{file: "run/id-longest", about: "a first run with an id of 64 bytes, in 32 characters",
			make: afterFirst(strings.Repeat("ä", 32))},
		{file: "run/fee-largest", about: "a fee of 2^40", make: paid(1 << 40)},
		{file: "run/token-id-highest", about: "a token with the id 2^31-1", make: won(chain.MaxID)},
		{file: "run/burn-highest", about: "a token of tier 62 burnt", notes: "status",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: "x", entry: chain.EntryBurn, firstTier: 62}},
		{file: "duel/sparring", about: "a duel against the sparring bot", make: &duel{rounds: "srrpps",
			outcome: func(d *chain.DuelTranscript) { d.B = chain.SparringBot() }}},
		{file: "duel/stake-largest", about: "a stake of 2^31-1", make: &duel{rounds: "rsrsrs", stake: chain.MaxID}},
	}
}

// outsideBounds are runs with a transaction that no rules of the chain allow.
func outsideBounds() []vector {
	player, none := addressOf("player"), chain.Hash{}
	list := []vector{
		{file: "run/opened-with-0-coins", about: "a transfer of 0 coins", make: created(chain.Transfer{To: player})},
		{file: "run/opened-from-itself", about: "a transfer from an address to itself",
			make: created(chain.Transfer{From: player, To: player, Amount: 1000})},
		{file: "run/opened-from-null-to-null", about: "a transfer from null to null",
			make: created(chain.Transfer{Amount: 1000})},
		{file: "run/opened-for-another", about: "a starting balance for another account",
			make: created(chain.Transfer{To: addressOf("rival"), Amount: 1000})},
		{file: "run/opened-twice-paid", about: "two starting balances",
			make: created(chain.Transfer{To: player, Amount: 1000}, chain.Transfer{To: player, Amount: 1000})},
		{file: "run/opened-with-too-much", about: "a starting balance of 2^40+1",
			make: created(chain.Transfer{To: player, Amount: 1<<40 + 1})},
		{file: "run/opened-with-a-token", about: "a token for a starting balance",
			make: created(chain.Transfer{Token: true, TokenID: 1, Tier: 1, To: player})},
		{file: "run/commitment-of-zeros", about: "a commitment of zeros for the next run",
			make: onStart(func(_ *chain.Tx, d *chain.RunStart) { d.NextCommitment = none })},
		{file: "run/commitment-of-zeros-first", about: "a first run with a commitment of zeros",
			make: lost(run{second: true, tx: map[string]func(*chain.Tx){
				"commit": func(tx *chain.Tx) { tx.Data.(*chain.RunStart).Commitment = none }}})},
		{file: "run/id-empty", about: "a first run with an empty id", make: afterFirst("")},
		{file: "run/id-long", about: "a first run with an id of 65 bytes", make: afterFirst(strings.Repeat("ä", 32) + "s")},
		{file: "run/fee-too-large", about: "a fee of 2^40+1", make: paid(1<<40 + 1)},
		{file: "run/burn-too-high", about: "a token of tier 63 burnt",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: "x", entry: chain.EntryBurn, firstTier: 63}},
		{file: "run/token-id-too-high", about: "a token with the id 2^31", make: won(chain.MaxID + 1)},
		{file: "run/cleared-64", about: "an end at tier 64",
			make: onEnd(func(_ *chain.Tx, d *chain.RunEnd) { d.Cleared = 64 })},
		{file: "run/rotated-for-coins", about: "a rotation that creates coins",
			make: lost(run{rotated: true, tx: map[string]func(*chain.Tx){
				"commit": func(tx *chain.Tx) { tx.Transfers = []chain.Transfer{{To: player, Amount: 1}} }}})},
		{file: "run/recovery-0", about: "a recovery with the number 0", notes: "recovery",
			make: void(run{recovery: &chain.Recovery{ReasonHash: chain.HashText("zero")}})},
	}
	for i := range list {
		list[i].fails, list[i].notes = "transactions", strings.TrimSpace(notChecked+" "+list[i].notes)
	}
	return list
}

// outsideDuels are duels with a transaction that no rules of the chain allow.
func outsideDuels() []vector {
	bot := func(d *chain.DuelTranscript) { d.B = chain.SparringBot() }
	list := []vector{
		{file: "duel/sparring-rated", about: "a rated duel against the sparring bot",
			make: &duel{rounds: "srrpps", rated: true, outcome: bot}},
		{file: "duel/sparring-staked", about: "a duel against the sparring bot with a stake",
			make: &duel{rounds: "srrpps", stake: 5, outcome: bot}},
		{file: "duel/sparring-as-a", about: "the sparring bot as side a", make: &duel{rounds: "srrpps",
			outcome: func(d *chain.DuelTranscript) { d.A = chain.SparringBot() }}},
		{file: "duel/stake-too-large", about: "a stake of 2^31", make: &duel{rounds: "rsrsrs", stake: chain.MaxID + 1}},
		{file: "duel/void-rated", about: "a void duel that is rated", notes: "recovery",
			make: &duel{rounds: "rsrr", stake: 30, rated: true, recovery: losing()}},
		{file: "duel/void-without-a-stake", about: "a void duel without a stake", notes: "recovery",
			make: &duel{rounds: "rsrr", recovery: losing()}},
	}
	for i := range list {
		list[i].fails = "transactions"
		list[i].notes = "inclusion checkpoint order commitments outcomes score winner end payout " + list[i].notes
	}
	return list
}
