package verify_test

import (
	"maps"
	"slices"

	"roshambo/chain"
)

// recover posts two recoveries with void runs of each entry, a claimed run and a void duel.
func (w *writer) recover(
	start func(chain.Address, string, chain.Entry, int64, ...chain.Transfer),
	end func(chain.Address, string, chain.RunStatus, int64, int64, ...chain.Transfer),
) {
	var none chain.Address
	alice, bob, carol := chain.Address{1}, chain.Address{2}, chain.Address{3}
	start(alice, "v0", chain.EntryFree, 0)
	end(alice, "v0", chain.RunClaimed, 1, 1, tokenOf(6, 1, none, alice))
	start(alice, "v1", chain.EntryFee, 0, coinsOf(alice, none, 50))
	start(bob, "v2", chain.EntryFree, 0)
	start(carol, "v3", chain.EntryDaily, 0)
	escrow := chain.Escrow("d7")
	w.post(alice, &chain.DuelStake{DuelID: "d7"}, coinsOf(alice, escrow, 30))
	w.post(bob, &chain.DuelStake{DuelID: "d7"}, coinsOf(bob, escrow, 30))
	w.post(none, &chain.Recovery{Lost: chain.LostTree{Root: chain.Hash{5}, Size: 9}, ReasonHash: chain.Hash{6}, Number: 1})
	end(alice, "v1", chain.RunVoid, 1, 2, coinsOf(none, alice, 50))
	end(bob, "v2", chain.RunClaimed, 1, 2, tokenOf(8, 1, none, bob))
	w.post(none, &chain.DuelSettle{A: alice, B: bob, DuelID: "d7", Void: true}, coinsOf(escrow, alice, 30),
		coinsOf(escrow, bob, 30))
	end(carol, "v3", chain.RunVoid, 0, 1)
	for _, who := range []chain.Address{alice, bob, carol} {
		w.rotate(who)
	}
	w.seal()
	start(alice, "v4", chain.EntryBurn, 1, tokenOf(6, 0, alice, none))
	w.post(none, &chain.Recovery{Number: 2})
	end(alice, "v4", chain.RunVoid, 1, 0, tokenOf(7, 1, none, alice))
	for _, who := range []chain.Address{alice, bob, carol} {
		w.rotate(who)
	}
}

// rotate replaces an account's commitment.
func (w *writer) rotate(who chain.Address) {
	used := w.next[who]
	w.post(who, &chain.Rotate{Commitment: used, NextCommitment: w.renew(who)})
}

// renew gives an account a new commitment.
func (w *writer) renew(who chain.Address) chain.Hash {
	w.renewed++
	w.next[who] = chain.Hash{100 + w.renewed}
	return w.next[who]
}

var oneBlock = chain.LostTree{Root: chain.Hash{5}, Size: 1}

// invalidRecoveries are the invalid transactions about recoveries and announced rules. In the valid chain
// recovery 2 is over, and carol plays run r5.
func invalidRecoveries() map[string]func(w *writer) {
	var none chain.Address
	alice, bob, carol := chain.Address{1}, chain.Address{2}, chain.Address{3}
	recovery := func(w *writer) { w.post(none, &chain.Recovery{Number: 3}) }
	end := func(w *writer, status chain.RunStatus, back ...chain.Transfer) {
		w.post(carol, &chain.RunEnd{RunID: "r5", Status: status, TranscriptHash: chain.Hash{7}}, back...)
	}
	announce := func(w *writer, number, fee int64) {
		rules := standardRules()
		rules.EntryFee = fee
		w.post(none, &chain.RulesChange{Number: number, Rules: rules})
	}
	daily := chain.RunStart{Bound: true, Entry: chain.EntryDaily}
	return map[string]func(w *writer){
		"a recovery left out":                func(w *writer) { w.post(none, &chain.Recovery{Number: 4}) },
		"a recovery by an account":           func(w *writer) { w.post(alice, &chain.Recovery{Number: 3}) },
		"a lost tree of one block":           func(w *writer) { w.post(none, &chain.Recovery{Lost: oneBlock, Number: 3}) },
		"a rotation without a recovery":      func(w *writer) { w.rotate(alice) },
		"a run void without a recovery":      func(w *writer) { end(w, chain.RunVoid, coinsOf(none, carol, 60)) },
		"a rotation during a run":            func(w *writer) { recovery(w); w.rotate(carol) },
		"a second rotation":                  func(w *writer) { recovery(w); w.rotate(alice); w.rotate(alice) },
		"a rotation of another one":          func(w *writer) { recovery(w); w.next[alice] = w.next[bob]; w.rotate(alice) },
		"a start with known seeds":           func(w *writer) { recovery(w); begin(w, alice, daily) },
		"a run that a recovery did not void": func(w *writer) { recovery(w); end(w, chain.RunAbandoned) },
		"a void run without its entry":       func(w *writer) { recovery(w); end(w, chain.RunVoid) },
		"a void run with a token": func(w *writer) {
			recovery(w)
			end(w, chain.RunVoid, tokenOf(9, 1, none, carol))
		},
		"a void run with more than its entry": func(w *writer) {
			recovery(w)
			end(w, chain.RunVoid, coinsOf(none, carol, 61))
		},
		"a void run paid to another account": func(w *writer) {
			recovery(w)
			end(w, chain.RunVoid, coinsOf(none, bob, 60))
		},
		"a rotation after the recovery's end": func(w *writer) {
			recovery(w)
			w.rotate(alice)
			begin(w, alice, daily)
			w.rotate(bob)
		},
		"a start in the block of its rotation": func(w *writer) {
			end(w, chain.RunAbandoned)
			recovery(w)
			w.rotate(alice)
			begin(w, alice, daily)
		},
		"a void duel with a winner": func(w *writer) {
			w.post(none, &chain.DuelSettle{A: alice, B: bob, DuelID: "d8", Void: true, Winner: "a"})
		},
		"a faucet before the end of a run in play at a recovery": func(w *writer) {
			recovery(w)
			w.post(bob, &chain.Faucet{}, coinsOf(none, bob, 200))
		},
		"a run void in the recovery after": func(w *writer) {
			recovery(w)
			w.rotate(alice)
			begin(w, alice, daily)
			w.post(alice, &chain.RunEnd{Bound: true, RunID: "r8", Status: chain.RunVoid, TranscriptHash: chain.Hash{7}})
		},
		"rules while others wait": func(w *writer) { announce(w, 2, 70); announce(w, 3, 80) },
		"a fee by rules that wait": func(w *writer) {
			announce(w, 2, 70)
			begin(w, bob, chain.RunStart{Entry: chain.EntryFee}, coinsOf(bob, none, 70))
		},
	}
}

// clone returns a copy of w, which can be continued alone.
func (w *writer) clone() *writer {
	c := *w
	c.nonces, c.next, c.blocks = maps.Clone(w.nonces), maps.Clone(w.next), slices.Clone(w.blocks)
	c.games.runs, c.raws = maps.Clone(w.games.runs), nil
	return &c
}
