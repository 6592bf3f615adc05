// Package tables makes and checks the final tables of cups and seasons, whose texts a cup.close or season.close
// pins. The service makes its tables with this package. A Checker computes the table of a cup again from the chain
// alone, and checks the form of a season's table, whose points package replay bounds by what each game gives.
//
//	c := tables.New()
//	for … {
//		c.Begin(header)                    // the next block
//		c.Genesis(time)                    // once
//		c.Duel(settle, stake, transcript)  // each settled duel
//		c.Won(time, settle, transcript)    // returns what it gives; c.Claimed, what a claimed run gives
//		err := c.Cup(close, raw)           // each closed cup
//		rows, err := c.Season(close, raw)  // each closed season
//	}
//
// # Cups
//
// The table of a cup is canonical JSON (RFC 8785), here with line ends that the text does not have:
//
//	{"cup":7,"kind":"people",
//	 "players":[{"account":"rps1…","buchholz":4,"points":3,"rank":1},…],
//	 "rounds":[[{"a":"rps1…","a_points":2,"b":"rps1…","b_points":0,"duel":"8ABC2345"},
//	            {"a":"rps1…","a_points":2,"b":null,"b_points":0,"duel":null}],…],
//	 "seed":"…","seed_height":9,"system":"swiss"}
//
// The seed is the hash of a block. Pairings, points and ranks are pure functions of the players, the results and
// the seed:
//
//	lot(round, player) = SHA-256("roshambo/cup/v1\n" || seed || round as 8 bytes || address)
//	pairing of a round = f(system, players of the round, all players, games before, lots)
//	points of a game   = 2 and 0, or 1 and 1; 0 for a side that did not show up; 2 for a bye
//	rows               = by points, then by Buchholz, then by the lot of round 0
//
// A result is the result of a duel on the chain. The list of entrants, and the withdrawals between two
// rounds, are the service's word.
//
// # Seasons
//
//	{"ends_at":1780012800000,"players":2,"rows":[{"account":"rps1…","points":16,"rank":1},…],
//	 "season":1,"starts_at":1777593600000}
//
// The times follow from the time of genesis. Points come from the games whose transactions have a time in the
// season, the best 20 runs and 10 rated duels of a UTC day, without results that are void when it closes:
//
//	points <= the sum over the days of min(10, duels) * 8 + the worth of the 20 best runs
//
// A table may state less: a result that was counted too late counts in no season.
//
// docs/cups.md and docs/boards.md explain the tables to players, docs/protocol.md defines the texts.
//
// The package is pure: standard library only, no clock, no randomness, no files.
package tables
