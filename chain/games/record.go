package games

import (
	"roshambo/chain"
	"roshambo/game"
)

// Record is the record of the house: totals over the verified games of a chain. Every verifier
// derives the same numbers from the public log. The zero value is the record of a chain
// without games.
type Record struct {
	// Runs are the runs that ended, the sum of the next three.
	Runs      int64 `json:"runs"`
	Claimed   int64 `json:"claimed"`
	Lost      int64 `json:"lost"`
	Abandoned int64 `json:"abandoned"`
	// Voided are the runs that recoveries have made void. They count nowhere else, as their entries
	// were given back; Recoveries are these recoveries.
	Voided     int64 `json:"voided"`
	Recoveries int64 `json:"recoveries"`
	// VoidTiers counts the void runs by the tier that they had reached by their transcripts, from tier 0
	// on, up to the highest with one. It is never nil in a report.
	VoidTiers []int64 `json:"void_tiers"`
	// Throws are the throws of these runs.
	Throws int64 `json:"throws"`
	// House and Players count the hands shown: rock, paper, scissors.
	House   [3]int64 `json:"house"`
	Players [3]int64 `json:"players"`
	// Wins, Ties and Losses are the outcomes of the throws for the players.
	Wins   int64 `json:"wins"`
	Ties   int64 `json:"ties"`
	Losses int64 `json:"losses"`
	// Staked is what players paid for runs: entry fees and the values of burnt tokens, in coins.
	// Won is the value of the tokens that the same runs won. Given is the value of the tokens won
	// in runs that cost nothing.
	Staked int64 `json:"staked"`
	Won    int64 `json:"won"`
	Given  int64 `json:"given"`
	// Duels are the duels that were settled.
	Duels int64 `json:"duels"`
}

// add adds the totals of o. Sums do not depend on the order, so neither does the record on the workers.
func (r *Record) add(o *Record) {
	for _, sum := range []struct {
		to   *int64
		more int64
	}{
		{&r.Runs, o.Runs}, {&r.Claimed, o.Claimed}, {&r.Lost, o.Lost}, {&r.Abandoned, o.Abandoned},
		{&r.Voided, o.Voided}, {&r.Recoveries, o.Recoveries}, {&r.Throws, o.Throws}, {&r.Wins, o.Wins}, {&r.Ties,
			o.Ties}, {&r.Losses, o.Losses},
		{&r.Staked, o.Staked}, {&r.Won, o.Won}, {&r.Given, o.Given}, {&r.Duels, o.Duels},
	} {
		*sum.to += sum.more
	}
	for tier, n := range o.VoidTiers {
		r.addVoid(int64(tier), n)
	}
	for i := range r.House {
		r.House[i] += o.House[i]
		r.Players[i] += o.Players[i]
	}
}

// addVoid adds void runs that had reached a tier. A house that voids at will voids the runs that climb, and
// so the tiers are counted, not the runs alone.
func (r *Record) addVoid(tier, n int64) {
	for int64(len(r.VoidTiers)) <= tier {
		r.VoidTiers = append(r.VoidTiers, 0)
	}
	r.VoidTiers[tier] += n
}

// count adds a verified run.
func (r *Record) count(g *gameEnd, throws []chain.Throw) {
	if g.run.end.Status == chain.RunVoid {
		r.Voided++
		r.addVoid(g.run.end.Cleared, 1)
		return
	}
	r.Runs++
	switch g.run.end.Status {
	case chain.RunClaimed:
		r.Claimed++
	case chain.RunLost:
		r.Lost++
	case chain.RunAbandoned:
		r.Abandoned++
	case chain.RunVoid:
		// Counted above: its throws are not a sample of finished games.
	}
	// Free and daily runs cost nothing, so what they win is no return on a stake.
	if g.run.atStake {
		r.Staked += g.run.paid
		r.Won += g.value
	} else {
		r.Given += g.value
	}
	r.Throws += int64(len(throws))
	for i := range throws {
		r.House[throws[i].House]++
		r.Players[throws[i].Move]++
		switch throws[i].Outcome {
		case game.Win:
			r.Wins++
		case game.Tie:
			r.Ties++
		case game.Loss:
			r.Losses++
		}
	}
}
