package main

import (
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

// lost is a short run, the base of most tampered vectors.
func lost(r run) *run {
	r.plan, r.end, r.clientSeed = "wtwl", chain.RunLost, "honest player"
	return &r
}

// claimed is a short run that won a token of tier 2.
func claimed(r run) *run {
	r.plan, r.end, r.clientSeed = "wtw", chain.RunClaimed, "honest player"
	return &r
}

// otherMove returns a move other than m.
func otherMove(m game.Move) game.Move { return (m + 2) % 3 }

// sameMove returns another seed with the same house move, so that only the check seeds can fail.
func sameMove(t chain.Throw, clientSeed string) fair.Seed {
	s := t.Seed
	for {
		s[0]++
		if fair.HouseMove(s, t.N, textHash(clientSeed), t.EntropyHash) == t.House {
			return s
		}
	}
}

// tamperedRuns are runs with tampered throws or consequences of them. All hashes and signatures are
// computed afterwards.
func tamperedRuns() []vector {
	return slices.Concat(tamperedThrows(), tamperedStatuses(), tamperedRecoveries())
}

// tamperedThrows change seeds, moves, texts or outcomes.
func tamperedThrows() []vector {
	return []vector{
		// Seeds outside the committed chain.
		{file: "run/seed-changed", about: "a seed that is not of the chain, though it gives the same move", fails: "seeds",
			make: lost(run{throws: func(t []chain.Throw) { t[1].Seed = sameMove(t[1], "honest player") }})},
		{file: "run/first-seed-changed", about: "a first seed that does not hash to the commitment", fails: "seeds",
			make: lost(run{throws: func(t []chain.Throw) { t[0].Seed = sameMove(t[0], "honest player") }})},
		{file: "run/last-seed-changed", about: "a last seed that does not hash to the one before", fails: "seeds",
			make: lost(run{throws: func(t []chain.Throw) { t[3].Seed = sameMove(t[3], "honest player") }})},
		{file: "run/seeds-of-another-chain", about: "seeds that hang together, but not with the commitment", fails: "seeds",
			make: lost(run{tx: map[string]func(*chain.Tx){
				"commit": func(tx *chain.Tx) { tx.Data.(*chain.AccountCreate).Commitment = digest("another commitment") },
				"start":  func(tx *chain.Tx) { tx.Data.(*chain.RunStart).Commitment = digest("another commitment") },
			}})},
		// House moves and their inputs.
		{file: "run/house-move-changed", about: "a house move that the seed does not give, with the outcome it would have",
			fails: "moves",
			make: lost(run{throws: func(t []chain.Throw) {
				t[1].House = otherMove(t[1].House)
				t[1].Outcome = t[1].Move.Against(t[1].House)
			}})},
		{file: "run/entropy-changed", about: "another entropy than the one the house drew with", fails: "moves",
			make: otherEntropy()},
		{file: "run/entropy-opened-wrong", about: "the transcript's hashes are right, and the proof opens another entropy",
			fails: "moves", make: claimed(run{proof: func(p object) {
				p["texts"] = object{"client_seed": "honest player", "entropy": []string{"", "the house's own choice", ""}}
			}})},
		{file: "run/client-seed-opened-wrong", about: "the proof opens another client seed than the chain's hash",
			fails: "client_seed", make: claimed(run{proof: func(p object) {
				p["texts"] = object{"client_seed": "dishonest house", "entropy": []string{"", "", ""}}
			}})},
		{file: "run/texts-too-few", about: "texts without the entropy of the last throw", fails: "format",
			make: claimed(run{proof: func(p object) {
				p["texts"] = object{"client_seed": "honest player", "entropy": []string{"", ""}}
			}})},
		{file: "run/texts-too-long", about: "a client seed of 65 characters", fails: "format",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: strings.Repeat("🪨", 65)}},
		{file: "run/client-seed-changed", about: "another client seed on the chain than the one the house drew with",
			fails: "moves",
			make: lost(run{tx: map[string]func(*chain.Tx){
				"start": func(tx *chain.Tx) { tx.Data.(*chain.RunStart).ClientSeedHash = textHash("dishonest house") },
			}, proof: func(p object) {
				p["texts"] = object{"client_seed": "dishonest house", "entropy": []string{"", "", "", ""}}
			}})},
		// Outcomes and the player's moves.
		{file: "run/win-called-a-tie", about: "paper against rock, said to be a tie", fails: "outcomes",
			make: lost(run{throws: func(t []chain.Throw) { t[0].Outcome = game.Tie }})},
		{file: "run/tie-called-a-loss", about: "a tie that is said to have ended the run", fails: "outcomes",
			make: &run{plan: "wt", end: chain.RunLost, clientSeed: "x",
				throws: func(t []chain.Throw) { t[1].Outcome = game.Loss }}},
		{file: "run/player-move-changed", about: "another move of the player than the outcome goes with", fails: "outcomes",
			make: lost(run{throws: func(t []chain.Throw) { t[2].Move = otherMove(t[2].Move) }})},
	}
}

// tamperedStatuses change the status, the number of throws or the tier reached.
func tamperedStatuses() []vector {
	return []vector{
		// Statuses that the last throw does not allow.
		{file: "run/on-after-a-loss", about: "a loss in the middle, after which the run went on", fails: "status",
			make: &run{plan: "wlw", end: chain.RunClaimed, clientSeed: "x"}},
		{file: "run/claimed-after-a-tie", about: "claimed when the last throw, a tie, left nothing to decide",
			fails: "status",
			make:  &run{plan: "wt", end: chain.RunClaimed, clientSeed: "x"}},
		{file: "run/claimed-after-a-loss", about: "a lost run, claimed", fails: "status",
			make: &run{plan: "wwl", end: chain.RunClaimed, clientSeed: "x"}},
		{file: "run/claimed-unplayed", about: "claimed without a throw, for a token burnt", fails: "status",
			make: &run{end: chain.RunClaimed, clientSeed: "x", entry: chain.EntryBurn, firstTier: 3}},
		{file: "run/lost-without-a-loss", about: "said to be lost though no throw was", fails: "status",
			make: &run{plan: "ww", end: chain.RunLost, clientSeed: "x"}},
		{file: "run/abandoned-after-a-loss", about: "said to be abandoned though it was lost", fails: "status",
			make: &run{plan: "wl", end: chain.RunAbandoned, clientSeed: "x"}},
		{file: "run/deciding-after-a-tie", about: "deciding, though the last throw won nothing", fails: "status",
			notes: "checkpoint end", unpinned: true, pending: true,
			make: &run{plan: "wt", status: "deciding", clientSeed: "x"}},
		{file: "run/deciding-unplayed", about: "deciding without a throw",
			fails: "status", notes: "checkpoint end", unpinned: true, pending: true,
			make: &run{status: "deciding", clientSeed: "x"}},
		{file: "run/active-after-a-loss", about: "a lost run that is said to go on",
			fails: "status", notes: "checkpoint end", unpinned: true, pending: true,
			make: &run{plan: "wl", status: "active", clientSeed: "x"}},
		// Runs that ignore the end of the seeds.
		{file: "run/seeds-used-up-and-on", about: "256 throws, and said to go on",
			fails: "status", notes: "checkpoint end", unpinned: true, pending: true,
			make: &run{plan: strings.Repeat("t", 254) + "wt", status: "active", clientSeed: "x"}},
		{file: "run/seeds-used-up-and-abandoned", about: "256 throws with a tier reached, and nothing for it",
			fails: "status",
			make:  &run{plan: strings.Repeat("t", 254) + "wt", end: chain.RunAbandoned, clientSeed: "x"}},
		{file: "run/too-many-throws", about: "257 throws, of 256 seeds", fails: "format",
			make: &run{plan: strings.Repeat("t", 256), status: "active", clientSeed: "x",
				transcriptRaw: func(raw string) string {
					return string(chain.AppendThrow([]byte(raw), chain.Throw{N: 257, Seed: fair.Seed(digest("257"))}))
				}}},
		// Throws that are missing or misnumbered.
		{file: "run/throw-left-out", about: "a throw missing, the rest numbered anew", fails: "seeds moves end",
			make: lost(run{proof: editThrows(func(t []chain.Throw) []chain.Throw {
				t = append(t[:1], t[2:]...)
				t[1].N, t[2].N = 2, 3
				return t
			})})},
		{file: "run/throw-cut-off", about: "the losing throw missing", fails: "status end",
			make: lost(run{proof: editThrows(func(t []chain.Throw) []chain.Throw { return t[:3] })})},
		{file: "run/numbers-skip", about: "throws numbered 1, 3, …", fails: "format",
			make: lost(run{throws: func(t []chain.Throw) { t[1].N = 3 }})},
		{file: "run/numbers-from-zero", about: "throws numbered from 0", fails: "format",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: "x", throws: func(t []chain.Throw) { t[0].N = 0 }}},
		// Tiers that the throws do not reach.
		{file: "run/cleared-too-high", about: "the proof claims one tier more than the throws clear", fails: "cleared",
			make: claimed(run{proof: func(p object) { p["cleared"] = 3 }})},
		{file: "run/cleared-from-nothing", about: "a token of tier 3 burnt, and the run counted from 0", fails: "cleared end",
			make: &run{plan: "ww", end: chain.RunClaimed, clientSeed: "x", entry: chain.EntryBurn, firstTier: 3,
				proof: func(p object) { p["cleared"] = 2 },
				tx: map[string]func(*chain.Tx){"end": func(tx *chain.Tx) {
					tx.Data.(*chain.RunEnd).Cleared, tx.Transfers[0].Tier = 2, 2
				}}}},
		{file: "run/cleared-from-above", about: "the run counted from a tier that no token was burnt for",
			fails: "cleared end",
			make: &run{plan: "w", end: chain.RunClaimed, clientSeed: "x", proof: func(p object) { p["cleared"] = 5 },
				tx: map[string]func(*chain.Tx){"end": func(tx *chain.Tx) {
					tx.Data.(*chain.RunEnd).Cleared, tx.Transfers[0].Tier = 5, 5
				}}}},
	}
}

// editThrows changes the transcript in the proof, but not on the chain.
func editThrows(change func([]chain.Throw) []chain.Throw) func(object) {
	return func(p object) {
		throws, err := chain.ParseTranscript([]byte(p["transcript"].(object)["raw"].(string)))
		if err != nil {
			panic(fmt.Sprintf("gen: %v", err))
		}
		throws = change(throws)
		p["transcript"] = object{"raw": transcript(throws)}
		p["texts"] = object{"client_seed": "honest player", "entropy": make([]string, len(throws))}
	}
}

// otherEntropy is a run whose transcript and texts state another entropy in throw 3 than the one that
// the house drew with.
func otherEntropy() *run {
	entropy := "x"
	return lost(run{
		throws: func(throws []chain.Throw) {
			t := &throws[2]
			for fair.HouseMove(t.Seed, t.N, textHash("honest player"), textHash(entropy)) == t.House {
				entropy += "x"
			}
			t.EntropyHash = textHash(entropy)
		},
		proof: func(p object) {
			p["texts"] = object{"client_seed": "honest player", "entropy": []string{"", "", entropy, ""}}
		},
	})
}

// onEnd changes the end transaction of a run that won a token of tier 2.
func onEnd(change func(tx *chain.Tx, data *chain.RunEnd)) *run {
	return claimed(run{tx: map[string]func(*chain.Tx){"end": func(tx *chain.Tx) { change(tx, tx.Data.(*chain.RunEnd)) }}})
}

// tamperedEnds change the end transaction of a run.
func tamperedEnds() []vector {
	return []vector{
		// An end transaction that is missing, unexpected or foreign.
		{file: "run/end-missing", about: "claimed, yet no end transaction",
			fails: "status", notes: "checkpoint end", unpinned: true, pending: true,
			make: claimed(run{proof: func(p object) { p["end"] = nil }})},
		{file: "run/end-missing-lost", about: "lost, yet no end transaction",
			fails: "status", notes: "checkpoint end", unpinned: true, pending: true,
			make: lost(run{proof: func(p object) { p["end"] = nil }})},
		{file: "run/end-of-a-run-that-goes-on", about: "deciding, yet there is an end transaction", fails: "status end",
			make: claimed(run{status: "deciding"})},
		{file: "run/end-of-another-run", about: "the end transaction of another run of the account", fails: "commitment",
			make: onEnd(func(_ *chain.Tx, d *chain.RunEnd) { d.RunID = "0199c0de-0000-7000-8000-000000000002" })},
		{file: "run/end-of-another-account", about: "an end transaction by somebody else", fails: "commitment",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) { tx.Actor = addressOf("somebody else") })},
		{file: "run/end-of-nobody", about: "an end transaction of the chain's own", fails: "commitment",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) { tx.Actor, tx.Nonce = chain.Address{}, 0 })},
		// Contents of the end transaction.
		{file: "run/end-says-abandoned", about: "claimed in the proof, abandoned on the chain", fails: "end",
			make: onEnd(func(tx *chain.Tx, d *chain.RunEnd) { d.Status, tx.Transfers = chain.RunAbandoned, nil })},
		{file: "run/end-says-less-cleared", about: "a tier less on the chain than the throws clear, token and all",
			fails: "end",
			make:  onEnd(func(tx *chain.Tx, d *chain.RunEnd) { d.Cleared, tx.Transfers[0].Tier = 1, 1 })},
		{file: "run/end-says-more-throws", about: "another number of throws on the chain", fails: "end",
			make: onEnd(func(_ *chain.Tx, d *chain.RunEnd) { d.Throws++ })},
		{file: "run/end-pins-another-transcript", about: "another transcript's hash on the chain", fails: "end",
			make: onEnd(func(_ *chain.Tx, d *chain.RunEnd) { d.TranscriptHash = digest("another transcript") })},
		// Tokens and coins that the run did not win.
		{file: "run/token-of-a-higher-tier", about: "a token of a higher tier than the run cleared", fails: "end",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) { tx.Transfers[0].Tier = 16 })},
		{file: "run/token-of-a-lower-tier", about: "a token of a lower tier than the run cleared", fails: "end",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) { tx.Transfers[0].Tier = 1 })},
		{file: "run/token-for-somebody-else", about: "the token goes to somebody else", fails: "end",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) { tx.Transfers[0].To = addressOf("somebody else") })},
		{file: "run/token-for-nobody", about: "claimed, yet no token is created", fails: "end",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) { tx.Transfers = nil })},
		{file: "run/token-twice", about: "two tokens for one run", fails: "end",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) {
				second := tx.Transfers[0]
				second.TokenID++
				tx.Transfers = append(tx.Transfers, second)
			})},
		{file: "run/token-and-coins", about: "coins created beside the token", fails: "end",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) {
				tx.Transfers = append(tx.Transfers, chain.Transfer{Amount: 1000, To: tx.Actor})
			})},
		{file: "run/token-taken-from-somebody", about: "somebody's token handed over instead of one created", fails: "end",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) {
				tx.Transfers[0].From, tx.Transfers[0].Tier = addressOf("somebody else"), 0
			})},
		{file: "run/token-for-a-loss", about: "lost, yet a token is created", fails: "end",
			make: lost(run{tx: map[string]func(*chain.Tx){"end": func(tx *chain.Tx) {
				tx.Transfers = []chain.Transfer{{Token: true, TokenID: 3, Tier: 2, To: tx.Actor}}
			}}})},
	}
}

// tamperedRotations are runs with a commitment from a rotation that is not what it must be.
func tamperedRotations() []vector {
	return []vector{
		{file: "run/rotated-to-another", about: "a rotation that publishes another commitment than the run uses",
			fails: "commitment", make: &run{plan: "wl", end: chain.RunLost, clientSeed: "after", rotated: true,
				tx: map[string]func(*chain.Tx){
					"commit": func(tx *chain.Tx) { tx.Data.(*chain.Rotate).NextCommitment = digest("another commitment") },
				}}},
		{file: "run/rotated-with-the-start", fails: "order",
			about: "a rotation in the block of the start: the client seed may have been known",
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "after", rotated: true,
				place: map[string]int{"commit": 3}}},
		{file: "run/rotated-to-itself", about: "a rotation from the commitment that it publishes",
			fails: "commitment", make: &run{plan: "wl", end: chain.RunLost, clientSeed: "after", rotated: true,
				tx: map[string]func(*chain.Tx){
					"commit": func(tx *chain.Tx) {
						d := tx.Data.(*chain.Rotate)
						d.Commitment = d.NextCommitment
					},
				}}},
	}
}
