package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/chain/tables"
)

// closeSeason closes a season, some days after the last transaction. No row is more than the chain shows.
func (w *gameWriter) closeSeason(days, number int64) {
	w.closeTable(days, number, func(*tables.Season) {})
}

// closeTable closes a season of whose players change makes the table.
func (w *gameWriter) closeTable(days, number int64, change func(s *tables.Season)) {
	w.seal(nil)
	w.later += days * 86_400_000
	s := &tables.Season{Number: number, StartsAt: chain.SeasonEnd(firstTime, number-1),
		EndsAt: chain.SeasonEnd(firstTime, number)}
	change(s)
	w.postTable(&chain.SeasonClose{Season: number}, s.Raw(), nil)
}

// closeCup plays and closes a cup of ann and bob, whose duel has an id.
func (w *gameWriter) closeCup(number int64, duel string) {
	settle, transcript, table := gamestest.Cup(number, duel, w.seed(), 0,
		[2]chain.Address{addressOf("ann"), addressOf("bob")})
	w.post(&chain.Tx{Data: settle}, string(transcript))
	w.cupDuels++
	w.postTable(&chain.CupClose{Cup: number}, table, nil)
}

// seed returns the hash of block 0.
func (w *gameWriter) seed() chain.Hash { return chain.HashBlock([]byte(w.blocks[0].header)) }

// postTable posts the close of a cup or season and its table. shown, which may be nil, changes the table after it
// was pinned.
func (w *gameWriter) postTable(data chain.Data, table []byte, shown func(string) string) {
	switch d := data.(type) {
	case *chain.CupClose:
		d.TableHash = chain.HashPinned(table)
	case *chain.SeasonClose:
		d.TableHash = chain.HashPinned(table)
	}
	if shown != nil {
		table = []byte(shown(string(table)))
	}
	w.post(&chain.Tx{Data: data}, string(table))
}

// cupScript is a cup of players whose duels are on the chain. Each lie changes one stage of it.
type cupScript struct {
	players int
	system  string                                 // "" for Swiss
	absent  string                                 // plays no duel
	pairs   func(round int64, pairs []tables.Game) // before the round is played
	winner  func(s *chain.DuelSettle)              // of each duel, on the chain
	table   func(c *tables.Cup)                    // before it is pinned
	text    func(table string) string              // of it
	shown   func(table string) string              // after it
}

// play plays a cup of players who meet as the rules say: in a duel the side with the lower address wins.
func (s cupScript) play(w *gameWriter) {
	var players []chain.Address
	for i := range s.players {
		players = append(players, addressOf(fmt.Sprint("player ", i)))
		w.enroll(players[i], chain.Guest)
	}
	w.seal(nil)
	cup := &tables.Cup{Number: 1, Kind: "people", System: cmp.Or(s.system, tables.Swiss),
		SeedHeight: int64(len(w.blocks)) - 2}
	cup.Seed = chain.HashBlock([]byte(w.blocks[cup.SeedHeight].header))
	active := slices.Clone(players)
	plan := tables.Plan{System: cup.System, Entered: players, Seed: cup.Seed}
	for round := int64(1); round <= plan.Rounds(); round++ {
		pairs := plan.Pair(active, cup.Games, round)
		if s.pairs != nil {
			s.pairs(round, pairs)
		}
		for i := range pairs {
			if pairs[i].B == (chain.Address{}) {
				continue
			}
			s.duel(w, &pairs[i])
		}
		w.seal(nil)
		cup.Games = append(cup.Games, pairs...)
		if gone := addressOf(s.absent); slices.ContainsFunc(pairs, func(g tables.Game) bool {
			return g.Duel != "" && (g.A == gone || g.B == gone)
		}) {
			active = slices.DeleteFunc(active, func(a chain.Address) bool { return a == gone })
		}
	}
	cup.Rows = tables.Table(players, cup.Games, cup.Seed)
	if s.table != nil {
		s.table(cup)
	}
	text := string(cup.Raw())
	if s.text != nil {
		text = s.text(text)
	}
	w.postTable(&chain.CupClose{Cup: 1}, []byte(text), s.shown)
}

// duel plays a duel of a pairing.
func (s cupScript) duel(w *gameWriter, g *tables.Game) {
	settle := &chain.DuelSettle{A: g.A, B: g.B, DuelID: fmt.Sprintf("CUP%d%d", g.Round, g.Board), Winner: "a"}
	if strings.Compare(g.A.String(), g.B.String()) > 0 {
		settle.Winner = "b"
	}
	if s.winner != nil {
		s.winner(settle)
	}
	raw, absent := gamestest.Duel(settle, 0), [2]bool{}
	if missing := slices.Index([]chain.Address{g.A, g.B}, addressOf(s.absent)); s.absent != "" && missing >= 0 {
		absent[missing] = true
		raw = gamestest.Missed(settle, [2]bool{!absent[0], !absent[1]})
	}
	settle.TranscriptHash = chain.HashTranscript(raw)
	g.Duel, g.Over = settle.DuelID, true
	points := tables.Points(settle.Winner, absent)
	g.APoints, g.BPoints = points[0], points[1]
	w.post(&chain.Tx{Data: settle}, string(raw))
	w.cupDuels++
}

// closedTables are chains with the tables of cups and seasons.
func closedTables() []chainVector {
	return slices.Concat(closedCups(), closedSeasons(), countedSeasons())
}

// closedCups are chains with the table of a cup.
func closedCups() []chainVector {
	cup := func(file, about string, s cupScript) chainVector {
		if s.players == 0 {
			s.players = 9
		}
		return lastly("cup-"+file, about, s.play)
	}
	table := func(file, about string, change func(c *tables.Cup)) chainVector {
		return cup(file, about, cupScript{table: change})
	}
	swiss := cup("closed", "a cup of nine players: five rounds with a bye each", cupScript{})
	small := cup("small", "a cup of five, who all meet", cupScript{players: 5})
	absent := cup("no-show", "a player who does not show up, and is not paired again", cupScript{absent: "player 3"})
	left := table("left", "two players who have left before the last round", func(c *tables.Cup) {
		c.Games = slices.Delete(c.Games, len(c.Games)-2, len(c.Games)-1)
		recount(c)
	})
	all := cup("round-robin", "a round robin of nine players: nine rounds with a bye each",
		cupScript{system: tables.RoundRobin})
	swiss.Valid, small.Valid, absent.Valid, left.Valid, all.Valid = true, true, true, true, true
	return append([]chainVector{swiss, small, absent, left, all}, lyingCups(cup, table)...)
}

// recount makes the rows of a table follow from its games again.
func recount(c *tables.Cup) { c.Rows = tables.Table(c.Addresses(), c.Games, c.Seed) }

// lyingCups are chains with a false table of a cup.
func lyingCups(cup func(file, about string, s cupScript) chainVector,
	table func(file, about string, change func(c *tables.Cup)) chainVector,
) []chainVector {
	return []chainVector{
		cup("table-missing", "a cup whose table is not published", cupScript{shown: func(string) string { return "" }}),
		cup("table-changed", "another table of a cup than the pinned one", cupScript{
			shown: func(s string) string { return strings.Replace(s, `"rank":1`, `"rank":2`, 1) }}),
		cup("pairing-swapped", "two players who change their opponents", cupScript{
			pairs: func(round int64, pairs []tables.Game) {
				if round == 2 {
					pairs[0].B, pairs[1].B = pairs[1].B, pairs[0].B
				}
			}}),
		cup("sides-swapped", "a pairing whose sides are exchanged", cupScript{players: 5,
			pairs: func(_ int64, pairs []tables.Game) {
				i := slices.IndexFunc(pairs, func(g tables.Game) bool { return g.B != chain.Address{} })
				pairs[i].A, pairs[i].B = pairs[i].B, pairs[i].A
			}}),
		table("buchholz", "a wrong Buchholz score", func(c *tables.Cup) { c.Rows[0].Buchholz++ }),
		table("order", "two rows in the wrong order", func(c *tables.Cup) { c.Rows[0], c.Rows[8] = c.Rows[8], c.Rows[0] }),
		table("points", "the loser of a duel as its winner, with all that follows", func(c *tables.Cup) {
			g := &c.Games[len(c.Games)-5]
			g.APoints, g.BPoints = g.BPoints, g.APoints
			recount(c)
		}),
		table("duel-invented", "a duel that the chain does not have", func(c *tables.Cup) { c.Games[0].Duel = "NONE" }),
		table("duel-twice", "one duel for two games", func(c *tables.Cup) { c.Games[1].Duel = c.Games[0].Duel }),
		cup("duel-rated", "a rated duel in a cup", cupScript{winner: func(s *chain.DuelSettle) { s.Rated = true }}),
		table("seed", "another seed than the hash of the block", func(c *tables.Cup) { c.SeedHeight-- }),
		cup("seed-capitals", "the seed in capital letters", cupScript{text: func(s string) string {
			at := strings.Index(s, `"seed":"`) + len(`"seed":"`)
			return s[:at] + strings.ToUpper(s[at:at+64]) + s[at+64:]
		}}),
		cup("zero-address", "a bye against the address of 20 zero bytes, which stands for null", cupScript{
			text: func(s string) string {
				return strings.Replace(s, `"b":null,"b_points":0,"duel":null`,
					fmt.Sprintf(`"b":"%v","b_points":0,"duel":""`, chain.Address{}), 1)
			}}),
		table("seed-ahead", "a seed of the block of the close", func(c *tables.Cup) { c.SeedHeight += 6 }),
		table("number", "the table of another cup", func(c *tables.Cup) { c.Number++ }),
		table("kind", "a cup for neither bots nor people", func(c *tables.Cup) { c.Kind = "all" }),
		table("system", "a system that no cup has", func(c *tables.Cup) { c.System = "knockout" }),
		cup("system-changed", "a round robin that claims to be Swiss", cupScript{system: tables.RoundRobin,
			table: func(c *tables.Cup) { c.System = tables.Swiss }}),
		table("system-claimed", "a Swiss cup that claims to be a round robin", func(c *tables.Cup) {
			c.System = tables.RoundRobin
		}),
		table("player-left-out", "a player whom the table does not name", func(c *tables.Cup) { c.Rows = c.Rows[:8] }),
		table("player-invented", "a player without a game", func(c *tables.Cup) {
			c.Rows = tables.Table(append(c.Addresses(), addressOf("nobody")), c.Games, c.Seed)
		}),
		table("round-left-out", "a round left out", func(c *tables.Cup) {
			c.Games = append(c.Games[:5:5], c.Games[10:]...)
			for i := range c.Games[5:] {
				c.Games[5+i].Round--
			}
			recount(c)
		}),
		cup("no-show-scores", "a point for a player who did not show up", cupScript{absent: "player 3",
			table: func(c *tables.Cup) {
				i := slices.IndexFunc(c.Games, func(g tables.Game) bool {
					return g.B != chain.Address{} && (g.A == addressOf("player 3") || g.B == addressOf("player 3"))
				})
				g := &c.Games[i]
				g.APoints, g.BPoints = tables.Draw, tables.Draw
				recount(c)
			}}),
	}
}

// closedSeasons are chains with a false table of a season.
func closedSeasons() []chainVector {
	list := []chainVector{
		lastly("season-table-missing", "a season whose table is not published", func(w *gameWriter) {
			w.closeSeason(28, 1)
			w.transcripts = nil
		}),
	}
	season := func(file, about string, change func(s *tables.Season)) {
		list = append(list, lastly("season-"+file, about, func(w *gameWriter) { w.closeTable(28, 1, change) }))
	}
	season("too-much", "a point more than the games of an account give", func(s *tables.Season) {
		s.Players, s.Rows = 1, []tables.Standing{standing("ann", 17, 1)}
	})
	season("invented", "a point of an account without games", func(s *tables.Season) {
		s.Players, s.Rows = 1, []tables.Standing{standing("nobody", 1, 1)}
	})
	list = append(list, lastly("season-points-twice", "points that count in two seasons", func(w *gameWriter) {
		for n := range int64(2) {
			w.closeRows(28, n+1, standing("ann", 16, 1))
		}
	}), lastly("season-of-a-bot", "points of a bot", func(w *gameWriter) {
		w.enroll(addressOf("gus"), chain.Bot)
		settle := &chain.DuelSettle{A: addressOf("gus"), B: addressOf("ann"), DuelID: "BOTWINS", Rated: true, Winner: "a"}
		raw := gamestest.Duel(settle, 0)
		settle.TranscriptHash = chain.HashTranscript(raw)
		w.post(&chain.Tx{Data: settle}, string(raw))
		w.closeRows(28, 1, standing("gus", 8, 1))
	}))
	season("zero-address", "a row of the address of 20 zero bytes", func(s *tables.Season) {
		s.Players, s.Rows = 1, []tables.Standing{{Rank: 1}}
	})
	season("times", "the table of a season with other times", func(s *tables.Season) { s.EndsAt++ })
	season("number", "the table of another season", func(s *tables.Season) { s.Number++ })
	season("players", "fewer rows than players", func(s *tables.Season) {
		s.Players, s.Rows = 2, []tables.Standing{standing("ann", 8, 1)}
	})
	season("order", "rows out of order", func(s *tables.Season) {
		s.Players, s.Rows = 2, []tables.Standing{standing("ann", 7, 1), standing("bob", 8, 2)}
	})
	season("twice", "an account with two rows", func(s *tables.Season) {
		s.Players, s.Rows = 2, []tables.Standing{standing("ann", 8, 1), standing("ann", 8, 2)}
	})
	season("nothing", "a row without points", func(s *tables.Season) {
		s.Players, s.Rows = 2, []tables.Standing{standing("ann", 8, 1), standing("bob", 0, 2)}
	})
	return list
}
