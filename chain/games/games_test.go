package games_test

import (
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/chain/games"
	"roshambo/chain/games/gamestest"
	"roshambo/fair"
	"roshambo/game"
)

// step is a transaction with the transcript of the game that it ends, nil for none.
type step struct {
	tx         chain.Tx
	transcript []byte
}

// script is a chain of one block per list.
type script [][]step

var (
	alice, bob = chain.Address{1}, chain.Address{2}
	seeds      = fair.NewChain(fair.Seed{7})
	clientSeed = chain.HashText("mine")
)

// rules have three tiers, worth 96, 192 and 384 coins.
func rules() chain.Rules {
	return chain.Rules{EntryFee: 50, FaucetAmount: 1, Tiers: []chain.Tier{{Material: "Clay", Value: 96},
		{Material: "Wood", Value: 192}, {Material: "Stone", Value: 384}}}
}

func begin() step { return step{tx: chain.Tx{Data: &chain.Genesis{Name: "test", Rules: rules()}}} }

// start starts Alice's run r on seeds.
func start(entry chain.Entry, first int64) step {
	return step{tx: chain.Tx{Actor: alice, Data: &chain.RunStart{ClientSeedHash: clientSeed,
		Commitment: chain.Hash(seeds.Commitment()), Entry: entry, FirstTier: first, RunID: "r"}}}
}

// end ends Alice's run r honestly.
func end(status chain.RunStatus, first, cleared, throws int64) step {
	e := &chain.RunEnd{Cleared: cleared, RunID: "r", Status: status, Throws: throws}
	raw := gamestest.Run(seeds, clientSeed, first, e)
	return ending(e, raw)
}

// ending is a run.end that pins a transcript.
func ending(e *chain.RunEnd, raw []byte) step {
	e.TranscriptHash = chain.HashTranscript(raw)
	s := step{tx: chain.Tx{Actor: alice, Data: e}, transcript: raw}
	if e.Status == chain.RunClaimed {
		s.tx.Transfers = []chain.Transfer{{Token: true, TokenID: 1, Tier: e.Cleared, To: alice}}
	}
	return s
}

// duel settles a duel of Alice and Bob honestly.
func duel(winner string, stake int64) step {
	d := &chain.DuelSettle{A: alice, B: bob, DuelID: "d", Winner: winner}
	raw := gamestest.Duel(d, stake)
	return settled(d, raw, stake)
}

// settled is a duel.settle that pins a transcript.
func settled(d *chain.DuelSettle, raw []byte, stake int64) step {
	d.TranscriptHash = chain.HashTranscript(raw)
	s := step{tx: chain.Tx{Data: d}, transcript: raw}
	switch {
	case stake == 0:
	case d.Winner == "":
		s.tx.Transfers = []chain.Transfer{{Amount: stake, To: alice}, {Amount: stake, To: bob}}
	default:
		s.tx.Transfers = []chain.Transfer{{Amount: 2 * stake, To: alice}}
	}
	return s
}

// expired returns Alice's stake for a duel that had no opponent.
func expired() step {
	d := &chain.DuelSettle{A: alice, DuelID: "x"}
	s := settled(d, gamestest.Duel(d, 7), 0)
	s.tx.Transfers = []chain.Transfer{{Amount: 7, To: alice}}
	return s
}

// check verifies a script, and transactions that are in no block yet.
func check(s script, pending ...step) *games.Report {
	c := games.New()
	for _, block := range s {
		var transcripts [][]byte
		for _, b := range block {
			if b.transcript != nil {
				transcripts = append(transcripts, b.transcript)
			}
		}
		c.Add(transcripts)
		c.Begin(&chain.Header{})
		for i := range block {
			c.Transaction(chain.Hash{byte(i)}, &block[i].tx)
		}
	}
	for i := range pending {
		c.Pending(chain.Hash{byte(i)}, &pending[i].tx, pending[i].transcript)
	}
	return c.Finish()
}

func TestHonestGames(t *testing.T) {
	t.Parallel()
	r := check(script{
		{begin()},
		{start(chain.EntryFee, 0), end(chain.RunLost, 0, 2, 4)},
		{start(chain.EntryFree, 0)},
		{end(chain.RunClaimed, 0, 2, 5), duel("a", 30), duel("b", 0), duel("", 5)},
		{start(chain.EntryBurn, 2), end(chain.RunClaimed, 2, 3, 1), start(chain.EntryDaily, 0),
			end(chain.RunAbandoned, 0, 0, 0)},
		{start(chain.EntryFee, 0), end(chain.RunAbandoned, 0, 0, fair.Length)},
		{start(chain.EntryFee, 0), end(chain.RunClaimed, 0, 1, fair.Length)},
		{expired()},
	}, start(chain.EntryFree, 0), end(chain.RunAbandoned, 0, 1, 1))
	if len(r.Problems) != 0 {
		t.Fatalf("problems of honest games: %+v", r.Problems)
	}
	got := r.Record
	throws := int64(4 + 5 + 1 + 2*fair.Length + 1)
	if got.Runs != 7 || got.Claimed != 3 || got.Lost != 1 || got.Abandoned != 3 || got.Throws != throws ||
		got.Duels != 4 ||
		got.Wins != 2+2+1+1+1 || got.Losses != 1 || got.Ties != throws-8 {
		t.Errorf("record %+v", got)
	}
	// Fees 50 three times and a token of 192; won 384 and 96; 192 were won for nothing.
	if got.Staked != 3*50+192 || got.Won != 384+96 || got.Given != 192 {
		t.Errorf("staked %d, won %d, given %d", got.Staked, got.Won, got.Given)
	}
	if hands := got.House[0] + got.House[1] + got.House[2]; hands != throws {
		t.Errorf("%d hands of the house, want %d", hands, throws)
	}
}

// lie returns a run that was claimed at tier 2 after four throws, with a change that the end pins.
func lie(change func(t []chain.Throw) []chain.Throw) step {
	e := &chain.RunEnd{Cleared: 2, RunID: "r", Status: chain.RunClaimed, Throws: 4}
	throws, err := chain.ParseTranscript(gamestest.Run(seeds, clientSeed, 0, e))
	if err != nil {
		panic(err)
	}
	raw := []byte(chain.EmptyTranscript)
	for _, t := range change(throws) {
		raw = chain.AppendThrow(raw, t)
	}
	return ending(e, raw)
}

// TestLies checks that every lie about a run is found, although all hashes are right.
func TestLies(t *testing.T) {
	t.Parallel()
	changed := func(change func(t []chain.Throw)) step {
		return lie(func(t []chain.Throw) []chain.Throw { change(t); return t })
	}
	end16 := &chain.RunEnd{Cleared: 3, RunID: "r", Status: chain.RunClaimed, Throws: 3}
	other := fair.NewChain(fair.Seed{8})
	noTranscript := end(chain.RunClaimed, 0, 1, 1)
	noTranscript.transcript = nil
	notJSON := ending(&chain.RunEnd{RunID: "r", Status: chain.RunAbandoned}, []byte("[ ]"))
	stated := func(change func(e *chain.RunEnd)) step {
		s := end(chain.RunClaimed, 0, 2, 4)
		change(s.tx.Data.(*chain.RunEnd))
		return s
	}
	for name, tt := range map[string]struct {
		end  step
		want string // part of the problem's Expected
	}{
		"an invented claim of the highest tier": {ending(end16, gamestest.Run(other, clientSeed, 0, end16)), "seed 1"},
		"a seed of no chain":                    {changed(func(t []chain.Throw) { t[1].Seed[0] ^= 1 }), "seed 2"},
		"a house move that the seed does not give": {changed(func(t []chain.Throw) {
			t[2].House = (t[2].House + 2) % 3
			t[2].Outcome = t[2].Move.Against(t[2].House)
		}), "by the house in throw 3"},
		"another entropy": {changed(func(t []chain.Throw) {
			for fair.HouseMove(t[0].Seed, 1, clientSeed, t[0].EntropyHash) == t[0].House {
				t[0].EntropyHash[0]++
			}
		}), "by the house in throw 1"},
		"a tie called a win": {changed(func(t []chain.Throw) { t[0].Outcome = game.Win }), "tie in throw 1"},
		"numbers from 2":     {changed(func(t []chain.Throw) { t[0].N = 2 }), "throw 1"},
		"a throw left out":   {lie(func(t []chain.Throw) []chain.Throw { return t[:3] }), "1 cleared"},
		"a tie left out":     {lie(func(t []chain.Throw) []chain.Throw { return t[:0] }), "0 cleared"},
		"a tier too many":    {stated(func(e *chain.RunEnd) { e.Cleared = 3 }), "2 cleared"},
		"a throw too many":   {stated(func(e *chain.RunEnd) { e.Throws = 5 }), "4 throws"},
		"lost after a win":   {stated(func(e *chain.RunEnd) { e.Status = chain.RunLost }), "status claimed or abandoned"},
		"claimed after a tie": {ending(&chain.RunEnd{Cleared: 1, RunID: "r", Status: chain.RunClaimed, Throws: 1},
			gamestest.Run(seeds, clientSeed, 0, &chain.RunEnd{Throws: 1})), "0 cleared"},
		"claimed after a loss": {ending(&chain.RunEnd{Cleared: 1, RunID: "r", Status: chain.RunClaimed, Throws: 2},
			gamestest.Run(seeds, clientSeed, 0, &chain.RunEnd{Cleared: 1, Status: chain.RunLost, Throws: 2})), "status lost"},
		"lost after the highest tier": {end(chain.RunLost, 0, 3, 4), "no throw after throw 3"},
		"abandoned at the highest tier": {ending(&chain.RunEnd{Cleared: 3, RunID: "r", Status: chain.RunAbandoned, Throws: 3},
			gamestest.Run(seeds, clientSeed, 0, &chain.RunEnd{Cleared: 3, Throws: 3})), "status claimed or claimed"},
		"no transcript":                 {noTranscript, "the transcript that its end pins"},
		"a transcript that is not JSON": {notJSON, "a canonical transcript"},
	} {
		r := check(script{{begin()}, {start(chain.EntryFree, 0), tt.end}})
		if len(r.Problems) != 1 || r.Problems[0].What != "run r" || r.Problems[0].Height != 1 ||
			!strings.Contains(r.Problems[0].Expected, tt.want) {
			t.Errorf("%s: %+v, want one problem with %q", name, r.Problems, tt.want)
		}
		if r.Record.Runs+r.Record.Voided+r.Record.Throws+r.Record.Duels != 0 {
			t.Errorf("%s counts: %+v", name, r.Record)
		}
		if p := check(script{{begin()}, {start(chain.EntryFree, 0)}}, tt.end); len(p.Problems) != 1 ||
			p.Problems[0].Height != -1 {
			t.Errorf("%s, pending: %+v", name, p.Problems)
		}
	}
}

// resigned is a round after a side has resigned.
func resigned(n int, side game.Side) chain.DuelRound {
	return chain.DuelRound{N: n, Outcome: side.Other(), Forfeit: side}
}

func TestDuelLies(t *testing.T) {
	t.Parallel()
	lie := func(winner string, stake int64, change func(d *chain.DuelTranscript)) step {
		s := &chain.DuelSettle{A: alice, B: bob, DuelID: "d", Winner: winner}
		d, err := chain.ParseDuelTranscript(gamestest.Duel(s, stake))
		if err != nil {
			panic(err)
		}
		change(&d)
		return settled(s, d.Raw(), stake)
	}
	for name, s := range map[string]step{
		"another move than committed": lie("a", 0, func(d *chain.DuelTranscript) {
			d.Rounds[1].Hands[0].Move = game.Scissors
		}),
		"a salt without a move":        lie("a", 0, func(d *chain.DuelTranscript) { d.Rounds[1].Hands[0].HasMove = false }),
		"a reveal before a commitment": lie("a", 0, func(d *chain.DuelTranscript) { d.Rounds[0].Hands[1].Committed = false }),
		"a copied commitment": lie("a", 0, func(d *chain.DuelTranscript) {
			d.Rounds[0].Hands[1] = d.Rounds[0].Hands[0]
		}),
		"another outcome":     lie("a", 0, func(d *chain.DuelTranscript) { d.Rounds[0].Outcome = game.Tied }),
		"an invented forfeit": lie("a", 0, func(d *chain.DuelTranscript) { d.Rounds[0].Forfeit = game.B }),
		"a round too few":     lie("a", 0, func(d *chain.DuelTranscript) { d.Rounds = d.Rounds[:2] }),
		"a round too many": lie("a", 0, func(d *chain.DuelTranscript) {
			d.Rounds = append(d.Rounds, d.Rounds[2])
			d.Rounds[3].N = 4
		}),
		"a resignation that is taken back": lie("a", 0, func(d *chain.DuelTranscript) { d.Rounds[0] = resigned(1, game.B) }),
		"two resignations": lie("a", 0, func(d *chain.DuelTranscript) {
			d.Rounds = append(d.Rounds[:1], resigned(2, game.A), resigned(3, game.B), resigned(4, game.B))
		}),
		"a win by resigning": lie("a", 0, func(d *chain.DuelTranscript) {
			d.Rounds[2] = chain.DuelRound{N: 3, Outcome: game.A, Forfeit: game.A}
		}),
		"rounds without numbers": lie("a", 0, func(d *chain.DuelTranscript) { d.Rounds[0].N = 0 }),
		"another winner":         lie("a", 9, func(d *chain.DuelTranscript) { d.Winner = game.B }),
		"a winner of a draw":     lie("", 9, func(d *chain.DuelTranscript) { d.Winner = game.B }),
		"another stake":          lie("a", 9, func(d *chain.DuelTranscript) { d.Stake = 8 }),
		"another side":           lie("a", 0, func(d *chain.DuelTranscript) { d.B = chain.Address{3} }),
		"another duel":           lie("a", 0, func(d *chain.DuelTranscript) { d.DuelID = "e" }),
		"not canonical":          settled(&chain.DuelSettle{A: alice, B: bob, DuelID: "d", Winner: "a"}, []byte("{}"), 0),
		"rounds without an opponent": settled(&chain.DuelSettle{A: alice, DuelID: "d"},
			(&chain.DuelTranscript{A: alice, DuelID: "d", Stake: 7, Rounds: []chain.DuelRound{{N: 1}}}).Raw(), 0),
	} {
		r := check(script{{begin()}, {s}})
		if len(r.Problems) != 1 || r.Problems[0].What != "duel d" || r.Record.Duels != 0 {
			t.Errorf("%s: %+v", name, r.Problems)
		}
	}
}

// TestTranscripts checks that missing, additional and exchanged transcripts are reported once each.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	first, second := duel("a", 0), duel("b", 0)
	for name, tt := range map[string]struct {
		served [][]byte
		want   int
	}{
		"honest":     {[][]byte{first.transcript, second.transcript}, 0},
		"one more":   {[][]byte{first.transcript, second.transcript, second.transcript}, 1},
		"one before": {[][]byte{second.transcript, first.transcript, second.transcript}, 1},
		"exchanged":  {[][]byte{second.transcript, first.transcript}, 2},
		"one":        {[][]byte{second.transcript}, 1},
		"none":       {nil, 2},
		"others":     {[][]byte{[]byte("x"), []byte("y")}, 3},
	} {
		c := games.New()
		c.Add(tt.served)
		c.Begin(&chain.Header{})
		c.Transaction(chain.Hash{1}, &first.tx)
		c.Transaction(chain.Hash{2}, &second.tx)
		if r := c.Finish(); len(r.Problems) != tt.want {
			t.Errorf("%s: %d problems, want %d: %+v", name, len(r.Problems), tt.want, r.Problems)
		}
	}
}
