package main

import (
	"fmt"

	"roshambo/chain"
	"roshambo/chain/games"
	"roshambo/chain/games/gamestest"
	"roshambo/chain/tables"
)

// standing is a row of the table of a season.
func standing(name string, points, rank int64) tables.Standing {
	return tables.Standing{Account: addressOf(name), Points: points, Rank: rank}
}

// closeRows closes a season with the rows of its table, some days after the last transaction.
func (w *gameWriter) closeRows(days, number int64, rows ...tables.Standing) {
	w.closeTable(days, number, func(s *tables.Season) { s.Players, s.Rows = int64(len(rows)), rows })
}

// claim plays a number of free runs of cy, each of which claims what its plan clears.
func (w *gameWriter) claim(n int, plan string, record *games.Record) {
	for range n {
		w.run(&scriptRun{player: "cy", run: run{plan: plan, end: chain.RunClaimed, entry: chain.EntryFree}}, record)
	}
}

// win settles a number of rated duels that cy wins against ann by reveals. Their ids begin with a text.
func (w *gameWriter) win(n int, id string) {
	for i := range n {
		settle := &chain.DuelSettle{A: addressOf("cy"), B: addressOf("ann"), DuelID: fmt.Sprint(id, i), Rated: true,
			Winner: "a"}
		w.settle(settle, gamestest.Duel(settle, 0))
	}
}

// settle posts the settlement of a duel with its transcript.
func (w *gameWriter) settle(settle *chain.DuelSettle, raw []byte) {
	settle.TranscriptHash = chain.HashTranscript(raw)
	w.post(&chain.Tx{Data: settle}, string(raw))
	w.cupDuels++
}

// countedSeasons are chains with the tables of seasons in which some games of the season, or of another one, do not
// count.
func countedSeasons() []chainVector {
	return append(honestSeasons(), lyingSeasons()...)
}

// honestSeasons are chains with tables that state the most that the games of their seasons give. The games of the
// script give ann two times 8 points in the first one, for claims, and bob 8 for a rated duel with two rounds won by
// reveals.
func honestSeasons() []chainVector {
	season := func(file, about string, play func(w *gameWriter, record *games.Record)) chainVector {
		return chainVector{File: "chain/season-" + file + ".jsonl", About: about, Valid: true, lie: after(play)}
	}
	return []chainVector{
		season("earned", "two seasons, each with all points of its games", func(w *gameWriter, record *games.Record) {
			w.closeRows(28, 1, standing("ann", 16, 1), standing("bob", 8, 2))
			w.claim(1, "w", record)
			w.closeRows(28, 2, standing("cy", 2, 1))
		}),
		season("capped", "the 20 best of 22 runs of a day, 10 of 12 rated duels, and both again on the next day",
			func(w *gameWriter, record *games.Record) {
				w.claim(21, "w", record)
				w.claim(1, "www", record)
				w.win(12, "WIN")
				w.midnight()
				w.claim(1, "w", record)
				w.win(1, "NEXT")
				w.closeRows(28, 1, standing("cy", 19*2+8+10*8+2+8, 1), standing("ann", 16, 2), standing("bob", 8, 3))
			}),
		season("void-later", "a result that becomes void behind the close of its season, in the same block",
			func(w *gameWriter, record *games.Record) {
				w.claim(1, "w", record)
				w.closeRows(28, 1, standing("cy", 2, 1))
				w.voidResult("run:run-cy-1")
				w.closeRows(28, 2)
			}),
		season("restored", "a void result that is restored before its season closes",
			func(w *gameWriter, record *games.Record) {
				w.claim(1, "w", record)
				w.voidResult("run:run-cy-1")
				w.restoreResult("run:run-cy-1")
				w.closeRows(28, 1, standing("cy", 2, 1))
			}),
	}
}

// lyingSeasons are chains with tables that state points which do not count for their season.
func lyingSeasons() []chainVector {
	season := func(file, about string, lie func(w *gameWriter, record *games.Record)) chainVector {
		return chainVector{File: "chain/season-" + file + ".jsonl", About: about, lie: after(lie)}
	}
	return []chainVector{
		season("runs-beyond", "the points of 21 runs of a day", func(w *gameWriter, record *games.Record) {
			w.claim(21, "w", record)
			w.closeRows(28, 1, standing("cy", 21*2, 1))
		}),
		season("duels-beyond", "the points of 11 rated duels of a day", func(w *gameWriter, _ *games.Record) {
			w.win(11, "WIN")
			w.closeRows(28, 1, standing("cy", 11*8, 1))
		}),
		season("days-beyond", "11 rated duels of a day and 9 of the next one, as if two days had one limit",
			func(w *gameWriter, _ *games.Record) {
				w.win(11, "WIN")
				w.midnight()
				w.win(9, "NEXT")
				w.closeRows(28, 1, standing("cy", 20*8, 1))
			}),
		season("void-run", "the points of a run whose result was void before the close",
			func(w *gameWriter, record *games.Record) {
				w.claim(1, "w", record)
				w.voidResult("run:run-cy-1")
				w.closeRows(28, 1, standing("cy", 2, 1))
			}),
		season("void-duel", "the points of a duel whose result was void before the close",
			func(w *gameWriter, _ *games.Record) {
				w.win(1, "WIN")
				w.voidResult("duel:WIN0")
				w.closeRows(28, 1, standing("cy", 8, 1))
			}),
		season("void-earlier", "the points of a run whose result was void before it ended",
			func(w *gameWriter, record *games.Record) {
				end := w.open(&scriptRun{player: "cy", run: run{plan: "w", end: chain.RunClaimed, entry: chain.EntryFree}})
				w.voidResult("run:run-cy-1")
				end(record)
				w.closeRows(28, 1, standing("cy", 2, 1))
			}),
		season("points-later", "points that the table of their own season did not state",
			func(w *gameWriter, record *games.Record) {
				w.claim(1, "w", record)
				w.closeRows(28, 1)
				w.closeRows(28, 2, standing("cy", 2, 1))
			}),
		season("points-early", "the points of a run that ended after the season, before its close",
			func(w *gameWriter, record *games.Record) {
				w.seal(nil)
				w.later += 28 * 86_400_000
				w.claim(1, "w", record)
				w.closeRows(0, 1, standing("cy", 2, 1))
			}),
		season("unrevealed", "the points of a rated duel in which no round was decided by reveals",
			func(w *gameWriter, _ *games.Record) {
				settle := &chain.DuelSettle{A: addressOf("cy"), B: addressOf("ann"), DuelID: "MISSED", Rated: true}
				w.settle(settle, gamestest.Missed(settle, [2]bool{true, false}))
				w.closeRows(28, 1, standing("cy", 8, 1))
			}),
		season("one-reveal", "the points of a rated duel that was won with one round by reveals and two by deadlines",
			func(w *gameWriter, _ *games.Record) {
				(&duel{rounds: "rsr-r-", rated: true}).settleIn(w, "DUEL0009")
				w.closeRows(28, 1, standing("ann", 16+8, 1))
			}),
	}
}
