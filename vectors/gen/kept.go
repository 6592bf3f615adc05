package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"roshambo/chain"
	"roshambo/chain/games"
)

// keptChains are chains with kept checkpoints, whose verifier knows witnesses.
func keptChains() []chainVector {
	one, three := []string{first.verifierKey()}, []string{first.verifierKey(), second.verifierKey(), third.verifierKey()}
	return []chainVector{
		{File: "chain/kept.jsonl", About: "rules that a witness has seen a day before they began, " +
			"the clocks a minute apart",
			Valid: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.keep(map[string]int64{first.name: -60})
				w.keep(map[string]int64{first.name: 61}) // the next block is a second later
				noticed(w, 0)
			})},
		{File: "chain/kept-by-a-quorum.jsonl", About: "the clock of one of three witnesses is wrong, " +
			"and two must have cosigned",
			Valid: true, Witnesses: three, Quorum: 2, lie: kept(func(w *gameWriter) {
				w.cosigners = []witness{first, third}
				w.keep(map[string]int64{first.name: 0, second.name: -100_000, third.name: 0})
				w.keep(map[string]int64{first.name: 0, second.name: 100_000, third.name: 0})
			})},
		{File: "chain/kept-by-another.jsonl", About: "a checkpoint that another witness has cosigned bounds nothing",
			Valid: true, Witnesses: one, lie: kept(func(w *gameWriter) { w.keep(map[string]int64{second.name: 100_000}) })},
		{File: "chain/kept-last-alone.jsonl", About: "a kept checkpoint that the witness has cosigned, and a last one " +
			"without its line", Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) {
			w.keep(map[string]int64{first.name: 0})
			w.cosigners = nil
		})},
		{File: "chain/kept-last-by-too-few.jsonl", About: "one line on the last checkpoint, where two witnesses of three " +
			"must have cosigned", Rules: true, Witnesses: three, Quorum: 2, lie: kept(func(w *gameWriter) {
			w.keep(map[string]int64{first.name: 0, second.name: 0})
		})},
		{File: "chain/kept-quorum-alone.jsonl", About: "a witness must have cosigned, and the verifier knows none",
			Rules: true, Quorum: 1, lie: kept(func(w *gameWriter) { w.keep(map[string]int64{first.name: 0}) })},
		{File: "chain/kept-dated-ahead.jsonl", About: "a block that is 61 seconds later than the cosignature of its tree",
			Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) { w.keep(map[string]int64{first.name: -61}) })},
		{File: "chain/kept-dated-back.jsonl", About: "a block that is 61 seconds earlier than the " +
			"cosignature of the tree before it",
			Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) { w.keep(map[string]int64{first.name: 62}) })},
		{File: "chain/kept-wrong-cosignature.jsonl", About: "a line with the witness's name and id that it did not sign",
			Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.seal(nil)
				w.keepNote(func(head string) string { return first.cosign(head+"\n", w.newest()) })
			})},
	}
}

// keptNotices are chains with rules that begin with and without a day of notice for the witness.
func keptNotices() []chainVector {
	one := []string{first.verifierKey()}
	return []chainVector{
		{File: "chain/kept-without-notice.jsonl", About: "rules dated back into three quiet " +
			"days: no witness has seen them, and nothing is kept",
			Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.announce(1, 60)
				w.seal(nil)
				w.later += 3 * chain.RulesNotice
				w.beginRules(1)
			})},
		{File: "chain/kept-withheld.jsonl", About: "rules that began a day after the block of their announcement, " +
			"where the witness has cosigned the last tree alone",
			Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.announce(1, 60)
				w.seal(nil)
				w.later += chain.RulesNotice
				w.beginRules(1)
			})},
		{File: "chain/kept-seen-begun.jsonl", About: "rules that a witness has not seen, while it has seen their announcement",
			Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.announce(1, 60)
				w.seal(nil)
				w.later += chain.RulesNotice
				w.keep(map[string]int64{first.name: 0}) // its first tree holds the announcement
				w.beginRules(1)
			})},
		{File: "chain/kept-witness-added.jsonl", About: "rules that began before the reader's witness was added " +
			"are no fault for one who says so, and listed",
			Valid: true, Witnesses: one, WitnessesFrom: 10, lie: kept(func(w *gameWriter) {
				w.announce(1, 60)
				w.keep(map[string]int64{second.name: 0})
				w.later += chain.RulesNotice
				w.beginRules(1)
				w.keep(map[string]int64{first.name: 0, second.name: 0})
				w.announce(2, 70)
				w.keep(map[string]int64{first.name: 0, second.name: 0})
				w.later += chain.RulesNotice
				w.beginRules(2)
			})},
		{File: "chain/kept-short-notice.jsonl", About: "rules that begin a second less than a day " +
			"after a witness has seen them",
			Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) { noticed(w, 2) })},
		{File: "chain/kept-seen-again.jsonl", About: "a later checkpoint is cosigned with an earlier " +
			"time, which covers them too",
			Valid: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.announce(1, 60)
				w.keep(map[string]int64{first.name: 30})
				w.keep(map[string]int64{first.name: 0})
				w.later += chain.RulesNotice
				w.beginRules(1)
			})},
	}
}

// keptHours are chains with rules that were announced in the first hour.
func keptHours() []chainVector {
	one := []string{first.verifierKey()}
	return []chainVector{
		{File: "chain/kept-hour.jsonl", About: "rules that begin at once, which a witness has seen an hour after genesis",
			Valid: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.trial(0)
				w.keep(map[string]int64{first.name: 0})
			})},
		{File: "chain/kept-hour-unseen.jsonl", About: "rules that begin at once, which a witness has seen a second " +
			"later than an hour after genesis",
			Rules: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.trial(0)
				w.keep(map[string]int64{first.name: 1})
			})},
		{File: "chain/kept-hour-noticed.jsonl", About: "rules announced in the first hour of the chain, and " +
			"begun a day after a witness has seen them later",
			Valid: true, Witnesses: one, lie: kept(func(w *gameWriter) {
				w.announceDearer()
				w.seal(nil)
				w.later += 2 * chain.RulesTrial
				w.keep(map[string]int64{first.name: 0})
				w.later += chain.RulesNotice
				w.beginRules(1)
			})},
	}
}

// noticed announces rules, keeps their block as cosigned at an offset in seconds, and begins them a day later.
func noticed(w *gameWriter, offset int64) {
	w.announce(1, 60)
	w.keep(map[string]int64{first.name: offset})
	w.later += chain.RulesNotice
	w.beginRules(1)
}

// kept continues a chain with a part, and has the first witness cosign the last checkpoint.
func kept(part func(w *gameWriter)) func(s *gameScript) {
	return after(func(w *gameWriter, _ *games.Record) {
		w.cosigners = []witness{first}
		part(w)
	})
}

// keptMisplaced are chains with a kept checkpoint where none of its tree belongs.
func keptMisplaced() []chainVector {
	return []chainVector{
		{File: "chain/kept-of-another-tree.jsonl", About: "a kept checkpoint of a smaller tree than " +
			"that of the blocks before it",
			Rules: true, lie: kept(func(w *gameWriter) {
				w.keep(map[string]int64{first.name: 0})
				w.seal(nil) // another block between the tree and its kept checkpoint
				lines := bytes.SplitAfter([]byte(w.body.String()), []byte("\n"))
				w.body.Write(lines[len(lines)-3])
			})},
		{File: "chain/kept-twice.jsonl", About: "two kept checkpoints of one tree", Rules: true,
			lie: kept(func(w *gameWriter) {
				w.keep(map[string]int64{first.name: 0})
				lines := bytes.SplitAfter([]byte(w.body.String()), []byte("\n"))
				w.body.Write(lines[len(lines)-2])
			})},
	}
}

// keep seals the open block and keeps the checkpoint of the blocks so far, with a cosignature of each witness, at
// an offset in seconds from the newest block.
func (w *gameWriter) keep(by map[string]int64) {
	w.seal(nil)
	w.keepNote(func(head string) (lines string) {
		for _, who := range []witness{first, second, third} {
			if offset, cosigned := by[who.name]; cosigned {
				lines += who.cosign(head, uint64(int64(w.newest())+offset))
			}
		}
		return lines
	})
}

// keepNote keeps the checkpoint of the blocks so far, with the lines.
func (w *gameWriter) keepNote(lines func(head string) string) {
	h := *w.house
	h.blocks = h.blocks[:len(h.blocks)-1] // the open one
	line, err := json.Marshal(sign(h.head(), h.name, h.key) + lines(h.head()))
	if err != nil {
		panic(fmt.Sprintf("gen: %v", err))
	}
	w.body.WriteString(`{"kept":` + string(line) + "}\n")
}

// newest returns the time of the newest sealed block in Unix seconds.
func (w *gameWriter) newest() uint64 {
	height := len(w.passed) - 1
	return uint64(firstTime+1000*int64(height)+999+w.passed[height]) / 1000
}
