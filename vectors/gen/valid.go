package main

import (
	"slices"
	"strings"

	"roshambo/chain"
)

// allPending places no transaction of a run in a block.
var allPending = map[string]int{"commit": -1, "start": -1, "end": -1}

// validRuns are honest runs of every shape.
func validRuns() []vector {
	return slices.Concat(validShapes(), validEnds(), validCheckpoints(), recoveredRuns(), crossedDuels())
}

// validShapes are runs with every kind of outcome, payment, text and position in the chain.
func validShapes() []vector {
	return []vector{
		// Outcomes of a run, in the standard rules.
		{file: "run/claimed", about: "five wins and two ties, then claimed: the run that docs/protocol.md follows",
			notes: "moves",
			make: &run{plan: "wtwwtww", end: chain.RunClaimed, clientSeed: "paper beats rock",
				entropy: []string{"", "coffee"}}},
		{file: "run/lost", about: "two wins, then a loss; the second run of the account, paid with coins",
			make: &run{plan: "wwl", end: chain.RunLost, clientSeed: "again", entry: chain.EntryFee, second: true}},
		{file: "run/lost-at-once", about: "a loss at the first throw, and no client seed", notes: "client_seed",
			make: &run{plan: "l", end: chain.RunLost}},
		{file: "run/ties", about: "nothing but ties so far", notes: "checkpoint end", unpinned: true, pending: true,
			make: &run{plan: "ttttt", clientSeed: "t"}},
		{file: "run/abandoned", about: "abandoned after a tie",
			make: &run{plan: "wt", end: chain.RunAbandoned, clientSeed: "bye"}},
		{file: "run/abandoned-unplayed", about: "abandoned before the first throw",
			make: &run{end: chain.RunAbandoned, clientSeed: "never mind", entry: chain.EntryDaily}},
		// Runs that go on.
		{file: "run/no-throw-yet", about: "started, nothing thrown", notes: "checkpoint end", unpinned: true,
			pending: true, make: &run{clientSeed: "soon"}},
		{file: "run/deciding", about: "a win, and the player has not decided yet", notes: "checkpoint end",
			unpinned: true, pending: true, make: &run{plan: "w", clientSeed: "hm"}},
		{file: "run/active", about: "a win, and the player went on", notes: "checkpoint end", unpinned: true,
			pending: true, make: &run{plan: "w", status: "active", clientSeed: "on"}},
		// Transactions that are in no block yet, or share one.
		{file: "run/unsealed", about: "nothing is in a block yet", notes: "inclusion checkpoint order",
			unpinned: true, pending: true,
			make: &run{plan: "ww", end: chain.RunClaimed, clientSeed: "quick", place: allPending, note: noNote}},
		{file: "run/end-unsealed", about: "the end waits for its block", notes: "inclusion checkpoint order",
			unpinned: true, pending: true,
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "quick", place: map[string]int{"end": -1}}},
		{file: "run/start-unsealed", about: "only the commitment is in a block", notes: "inclusion checkpoint order end",
			unpinned: true, pending: true,
			make: &run{plan: "w", clientSeed: "quick", place: map[string]int{"start": -1}}},
		{file: "run/one-block", about: "commit, start and end in one block",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: "1",
				place: map[string]int{"commit": 4, "start": 4, "end": 4}}},
		{file: "run/next-blocks", about: "commit, start and end in neighbouring blocks, of which one has nothing else",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: "3",
				place: map[string]int{"commit": 4, "start": 5, "end": 6}}},
		// Texts at the edge of JSON and UTF-8.
		{file: "run/unicode", about: "client seed and entropy beyond ASCII, with control characters, quotes and two halves",
			notes: "moves",
			make: &run{plan: "wtl", end: chain.RunLost,
				clientSeed: "Schere, Stein, Papier: 石頭剪刀布 ✊✋✌️ \"\\/\b\f\n\r\t\x00\x1f\x7f\u0085\u2028 🪨",
				entropy:    []string{"ünïcödé", "🎲🎲", "\ufeff\ufffd"}}},
		{file: "run/texts-longest", about: "texts of 64 characters, each of two UTF-16 code units and four bytes",
			notes: "moves",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: strings.Repeat("🪨", 64),
				entropy: []string{strings.Repeat("🎲", 64)}}},
		{file: "run/entropy-of-the-house",
			about: "an entropy that the player never sent: only the player can know, and the note says so", notes: "moves",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: "mine", entropy: []string{"the house's own choice"}}},
		// Proofs for readers other than the player, without the texts.
		{file: "run/closed", about: "the client seed and the entropy are not opened: only their hashes are public",
			notes: "client_seed moves",
			make:  &run{plan: "wl", end: chain.RunLost, clientSeed: "mine", entropy: []string{"dice"}, proof: withoutTexts}},
		{file: "run/closed-no-texts", about: "nothing to open: no client seed and no entropy", notes: "client_seed",
			make: &run{plan: "wl", end: chain.RunLost, proof: withoutTexts}},
		{file: "run/escaped", about: "the same proof as JSON may write it: escapes, white space, other order of members",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: "é", text: func(s string) string {
				id := "\"run\\u005fid\"\n:\t\"\\u0030199c0de"
				return "\r\n\t " + strings.NewReplacer(`"run_id": "0199c0de`, id, "é", `\u00E9`).Replace(s) + "\n"
			}}},
	}
}

// withoutTexts is a proof that opens no text.
func withoutTexts(p object) { p["texts"] = nil }

// validEnds are runs that a token pays for, or that the rules end.
func validEnds() []vector {
	return []vector{
		// Payment by a token, which sets the first tier.
		{file: "run/burn", about: "a token of tier 3 burnt: the run starts there",
			make: &run{plan: "ww", end: chain.RunClaimed, clientSeed: "double or nothing", entry: chain.EntryBurn, firstTier: 3,
				second: true}},
		{file: "run/burn-lost", about: "a token of tier 3 burnt and lost",
			make: &run{plan: "l", end: chain.RunLost, clientSeed: "nothing", entry: chain.EntryBurn, firstTier: 3}},
		// Ends that the rules enforce: the top tier, and the last seed.
		{file: "run/top", about: "tier 16, which claims by itself",
			make: &run{plan: "wwwwwwwwwtwwwwwww", end: chain.RunClaimed, clientSeed: "all the way"}},
		{file: "run/top-deciding", about: "tier 16, and the player has not decided yet, as other rules than the " +
			"standard ones allow: a note", notes: "checkpoint status end", unpinned: true, pending: true,
			make: &run{plan: "wwwwwwwwwtwwwwwww", clientSeed: "other rules"}},
		{file: "run/top-abandoned", about: "tier 16, abandoned, as other rules than the standard ones allow: a note",
			notes: "status",
			make:  &run{plan: strings.Repeat("w", 16), end: chain.RunAbandoned, clientSeed: "other rules"}},
		{file: "run/top-lost", about: "tier 16, then another throw, as other rules than the standard ones allow: a note",
			notes: "status",
			make:  &run{plan: strings.Repeat("w", 16) + "l", end: chain.RunLost, clientSeed: "other rules"}},
		{file: "run/seeds-used-up", about: "256 throws: what was reached is claimed",
			make: &run{plan: strings.Repeat("t", 254) + "wt", end: chain.RunClaimed, clientSeed: "patience"}},
		{file: "run/seeds-used-up-for-nothing", about: "256 ties: there is nothing to claim",
			make: &run{plan: strings.Repeat("t", 256), end: chain.RunAbandoned, clientSeed: "patience"}},
		{file: "run/above-the-top-not-said", about: "17 cleared, and 5 in the proof: status and end follow from the throws",
			fails: "cleared", notes: "status", make: &run{plan: strings.Repeat("w", 17), end: chain.RunClaimed,
				clientSeed: "other rules", proof: func(p object) { p["cleared"] = 5 }}},
		{file: "run/above-the-top-said", about: "3 cleared, and 17 in the proof: status and end follow from the throws",
			fails: "cleared", make: &run{plan: "www", end: chain.RunClaimed, clientSeed: "other rules",
				proof: func(p object) { p["cleared"] = 17 }}},
		{file: "run/above-the-top", about: "beyond tier 16, as only other rules than the standard ones allow: a note",
			notes: "status",
			make:  &run{plan: strings.Repeat("w", 17), end: chain.RunClaimed, clientSeed: "other rules"}},
	}
}

// validCheckpoints are runs whose checkpoint has unusual lines, or whose key is not pinned.
func validCheckpoints() []vector {
	return []vector{
		{file: "run/key-not-pinned", about: "nobody said which key must have signed", notes: "checkpoint", unpinned: true,
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "trusting"}},
		{file: "run/witnessed", about: "signatures of others beside the house's, one of them of a key with its name",
			notes: "witnesses",
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "seen", note: func(h *house) string {
				return h.head() + "\n" + signatureLine(h.head(), "witness.example/1", keyOf("witness")) +
					signatureLine(h.head(), h.name, keyOf("other")) + signatureLine(h.head(), h.name, h.key)
			}}},
		{file: "run/note-largest", about: "a checkpoint of 65,536 bytes",
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "large",
				note: func(h *house) string { return largeNote(h, 64<<10) }}},
		{file: "run/witnessed-beyond-ascii", about: "a signer whose name has letters beyond ASCII and a zero-width space",
			notes: "witnesses", make: &run{plan: "wl", end: chain.RunLost, clientSeed: "seen", note: func(h *house) string {
				return sign(h.head(), h.name, h.key) + "— wítness\u200bé AAAAAAA=\n"
			}}},
		{file: "run/signed-twice", about: "the house's line twice",
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "twice", note: func(h *house) string {
				return sign(h.head(), h.name, h.key) + signatureLine(h.head(), h.name, h.key)
			}}},
		{file: "run/extended", about: "a checkpoint with lines of extension",
			make: &run{plan: "wl", end: chain.RunLost, clientSeed: "more", note: func(h *house) string {
				return sign(h.head()+"an extension\n", h.name, h.key)
			}}},
	}
}

// unanchoredRuns are honest runs with a claim in no block, verified with a pinned key, which requires
// that all claims are in blocks; and an honest run under an empty pin, which is no key.
func unanchoredRuns() []vector {
	list := []vector{
		{file: "run/pinned-active", about: "a key is pinned, and the run goes on: its throws are in no block", notes: "end",
			make: &run{plan: "w", status: "active", clientSeed: "on"}},
		{file: "run/pinned-no-throw-yet", about: "a key is pinned, and the run has no throw yet", notes: "end",
			make: &run{clientSeed: "soon"}},
		{file: "run/pinned-unsealed", about: "a key is pinned, and nothing is in a block yet", notes: "inclusion order",
			make: &run{plan: "ww", end: chain.RunClaimed, clientSeed: "quick", place: allPending, note: noNote}},
		{file: "run/pinned-end-unsealed", about: "a key is pinned, and the end waits for its block",
			notes: "inclusion order",
			make:  &run{plan: "wl", end: chain.RunLost, clientSeed: "quick", place: map[string]int{"end": -1}}},
		{file: "run/pinned-start-unsealed", about: "a key is pinned, and only the commitment is in a block",
			notes: "inclusion order end", make: &run{plan: "w", clientSeed: "quick", place: map[string]int{"start": -1}}},
	}
	for i := range list {
		list[i].fails, list[i].pending = "checkpoint", true
	}
	return append(list,
		vector{file: "run/pin-empty", about: "an empty text is pinned: a malformed key, not the absence of one",
			fails: "checkpoint", emptyKey: true, make: &run{plan: "wl", end: chain.RunLost, clientSeed: "trusting"}},
		vector{file: "run/pin-malformed", about: "the pinned text is no key, and the proof repeats it",
			fails: "checkpoint", notes: "witnesses", key: "house",
			make: onProof(func(p object) { p["verifier_key"] = "house" })},
		vector{file: "run/pin-empty-repeated", about: "an empty text is pinned, and the proof repeats it",
			fails: "checkpoint", notes: "witnesses", emptyKey: true,
			make: onProof(func(p object) { p["verifier_key"] = "" })})
}

// noNote is a proof without a checkpoint.
func noNote(*house) string { return "" }
