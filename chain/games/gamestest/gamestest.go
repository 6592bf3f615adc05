// Package gamestest plays games with a wanted result, for chains that tests and benchmarks make.
package gamestest

import (
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/fair"
	"roshambo/game"
)

// Run returns the transcript of a run on a seed chain that ends as e states, from the tier first:
// ties, then wins, then the loss of a lost run; or wins, then ties of a void one, which a win would have
// made a claimed one. e.Cleared-first wins and the loss must fit in e.Throws.
func Run(seeds *fair.Chain, clientSeed chain.Hash, first int64, e *chain.RunEnd) []byte {
	wins, losses := e.Cleared-first, int64(0)
	if e.Status == chain.RunLost {
		losses = 1
	}
	raw := []byte(chain.EmptyTranscript)
	for n := int64(1); n <= e.Throws; n++ {
		outcome := game.Tie
		switch {
		case n > e.Throws-losses:
			outcome = game.Loss
		case e.Status == chain.RunVoid && n <= wins, e.Status != chain.RunVoid && n > e.Throws-losses-wins:
			outcome = game.Win
		}
		raw = chain.AppendThrow(raw, throw(seeds, int(n), clientSeed, outcome))
	}
	return raw
}

// throw returns a throw with the outcome, without entropy.
func throw(seeds *fair.Chain, n int, clientSeed chain.Hash, want game.Outcome) chain.Throw {
	t := chain.Throw{N: n, Seed: seeds.Seed(n), EntropyHash: chain.HashText(""), Outcome: want}
	t.House = fair.HouseMove(t.Seed, n, clientSeed, t.EntropyHash)
	for _, move := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		if move.Against(t.House) == want {
			t.Move = move
		}
	}
	return t
}

// Duel returns the transcript of a duel that the settlement's winner won in three rounds; without a
// winner, both sides missed two rounds, and a void one has no rounds. Each side has the stake.
func Duel(s *chain.DuelSettle, stake int64) []byte {
	d := chain.DuelTranscript{A: s.A, B: s.B, DuelID: s.DuelID, Stake: stake}
	switch {
	case s.B == (chain.Address{}):
	case s.Void: // void before its first round was decided
	case s.Winner == "":
		for n := 1; n <= game.MaxVoids; n++ {
			d.Rounds = append(d.Rounds, chain.DuelRound{N: n, Forfeit: game.Both, Outcome: game.Void})
		}
	default:
		d.Winner = game.A
		moves := [2]game.Move{game.Paper, game.Rock}
		if s.Winner == game.B.String() {
			d.Winner, moves = game.B, [2]game.Move{game.Rock, game.Paper}
		}
		for n := 1; n <= game.WinsToDecide; n++ {
			r := chain.DuelRound{N: n, Outcome: d.Winner}
			for i, move := range moves {
				salt := fmt.Sprintf("%s/%d/%d", s.DuelID, n, i)
				r.Hands[i] = chain.DuelHand{Committed: true, Commitment: chain.HashHand(move, salt), HasMove: true, Move: move,
					HasSalt: true, Salt: salt}
			}
			d.Rounds = append(d.Rounds, r)
		}
	}
	return d.Raw()
}

// Missed returns the transcript of a duel in which the sides that are not there let every deadline pass, and states
// its winner in the settlement.
func Missed(s *chain.DuelSettle, there [2]bool) []byte {
	d := chain.DuelTranscript{A: s.A, B: s.B, DuelID: s.DuelID}
	last := game.WinsToDecide
	round := chain.DuelRound{Forfeit: game.Both, Outcome: game.Void}
	switch there {
	case [2]bool{true, false}:
		d.Winner, round.Forfeit, round.Outcome = game.A, game.B, game.A
	case [2]bool{false, true}:
		d.Winner, round.Forfeit, round.Outcome = game.B, game.A, game.B
	default:
		last = game.MaxVoids
	}
	for n := 1; n <= last; n++ {
		round.N = n
		for i := range there {
			round.Hands[i] = chain.DuelHand{Committed: there[i]}
			if there[i] {
				round.Hands[i].Commitment = chain.HashText(fmt.Sprint(s.DuelID, n))
			}
		}
		d.Rounds = append(d.Rounds, round)
	}
	s.Winner = strings.TrimPrefix(d.Winner.String(), game.NoSide.String())
	return d.Raw()
}

// Cup returns a cup of two players whose seed is the hash of the block at a height: the settlement of its only duel, of
// an id, which side a wins, the transcript of that, and the table that pins both.
func Cup(number int64, duel string, seed chain.Hash, height int64, players [2]chain.Address) (
	settle *chain.DuelSettle, transcript, table []byte,
) {
	plan := tables.Plan{System: tables.Swiss, Entered: players[:], Seed: seed}
	cup := tables.Cup{Number: number, Kind: "people", Seed: seed, SeedHeight: height, System: plan.System,
		Games: plan.Pair(players[:], nil, 1)}
	g := &cup.Games[0]
	g.Duel, g.Over, g.APoints = duel, true, tables.Win
	cup.Rows = tables.Table(players[:], cup.Games, seed)
	settle = &chain.DuelSettle{A: g.A, B: g.B, DuelID: g.Duel, Winner: "a"}
	transcript = Duel(settle, 0)
	settle.TranscriptHash = chain.HashTranscript(transcript)
	return settle, transcript, cup.Raw()
}

// Season returns the table of a season without players, on a chain that began at a time.
func Season(number, began int64) []byte {
	s := tables.Season{Number: number, StartsAt: chain.SeasonEnd(began, number-1), EndsAt: chain.SeasonEnd(began, number)}
	return s.Raw()
}
