package score

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/service/rank"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// Divergence is a stored value that differs from its recomputed one.
type Divergence struct {
	What     string // the value
	Expected string // recomputed
	Found    string // stored
}

// Check recomputes all outputs of the reducer from the facts and compares them with the
// stored ones: the counts of each account, its entries on all boards, its achievements, the
// tiers that were claimed, the blocks of the boards, the points of the last days by network, and the closed
// seasons, which it also compares with the chain. It calls report for each difference. It reads the tables of
// the package in pages, so the memory it needs does not grow with them, but for the points of
// the last days.
func (s *Service) Check(ctx context.Context, tx *store.Tx, report func(Divergence)) error {
	c := &checker{
		ctx: ctx, tx: tx, queries: q.New(tx), ranks: s.ranks, report: report, now: tx.Now(), totals: map[Board]int64{},
		teams: map[string]map[Board]entry{}, closing: map[string]bool{}, exposed: map[string]exposure{},
		claimed: map[int64]bool{},
	}
	for _, check := range []func() error{c.readInbox, c.readTeams, c.readExposed, c.checkMembers, c.checkFirsts,
		c.checkBoards, c.checkNetworks} {
		if err := check(); err != nil {
			return fmt.Errorf("score: check: %w", err)
		}
	}
	if err := s.checkSeasons(ctx, tx, c); err != nil {
		return fmt.Errorf("score: check seasons: %w", err)
	}
	return nil
}

// checker holds the state of one Check.
type checker struct {
	ctx     context.Context
	tx      *store.Tx
	queries *q.Queries
	ranks   *rank.Index[int64]
	report  func(Divergence)
	now     time.Time                  // boards that may be dropped by then are skipped
	totals  map[Board]int64            // stored entries of each board
	teams   map[string]map[Board]entry // expected entries of teams, by member; deleted once compared
	closing map[string]bool            // closed teams whose report is pending: their entries still exist
	exposed map[string]exposure        // accounts with a bound start
	claimed map[int64]bool             // the tiers of the claims among the facts
}

// compare reports a divergence unless both values print alike.
func (c *checker) compare(what string, expected, found any) {
	if e, f := fmt.Sprint(expected), fmt.Sprint(found); e != f {
		c.report(Divergence{What: what, Expected: e, Found: f})
	}
}

// readInbox collects the closed teams of pending reports, which show in other tables before
// they are reduced, and reports refused reports as divergences.
func (c *checker) readInbox() error {
	closing, err := c.queries.ListClosing(c.ctx)
	if err != nil {
		return err
	}
	for _, team := range closing {
		c.closing[string(teamMember(team))] = true
	}
	refused, err := c.queries.ListRefused(c.ctx)
	if err != nil {
		return err
	}
	for _, r := range refused {
		c.report(Divergence{
			What: fmt.Sprintf("report %d of %s", r.ID, r.Kind), Expected: expectReduced, Found: r.Error,
		})
	}
	return nil
}

// expectReduced is the expected state of a refused report.
const expectReduced = "reduced"

// readTeams computes the expected entries of open teams. Closed teams have none.
func (c *checker) readTeams() error {
	rows, err := c.queries.ListTeamSums(c.ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		member := string(teamMember(r.Team))
		if c.teams[member] == nil {
			c.teams[member] = map[Board]entry{}
		}
		c.teams[member][boardOf(kindTeams, r.Season)] = entry{
			sortKey: pointsKey(r.Points, column.Time(r.At)), value: r.Points, ref: fmt.Sprint(r.Team),
		}
	}
	return nil
}

// checkMembers merges the scans of facts, counts and entries, all sorted by member, and
// compares member by member.
func (c *checker) checkMembers() error {
	facts, counts, entries := c.scanFacts(), c.scanCounts(), c.scanEntries()
	for {
		member, ok := least(facts.peek(), counts.peek(), entries.peek())
		if err := cmp.Or(facts.err, counts.err, entries.err); err != nil {
			return err
		}
		if !ok {
			c.missingTeams()
			return nil
		}
		stored := ""
		for _, row := range counts.take(member) {
			stored = row.Counts
		}
		sums, expected := c.expect(member, stored, facts.take(member))
		if len(member) == len(chain.Address{}) {
			c.compare(fmt.Sprintf("counts of %v", chain.Address([]byte(member))), sums.text(), stored)
		}
		c.compareEntries(member, expected, entries.take(member))
	}
}

// expect computes the counts of an account from its facts, and the entries of an account or
// team. stored are the counts as they are stored.
func (c *checker) expect(member, stored string, rows []q.ScoreFact) (sums Counts, expected map[Board]entry) {
	if entries, ok := c.teams[member]; ok {
		delete(c.teams, member)
		return sums, entries
	}
	facts := factsOf(rows)
	for i := range facts {
		if facts[i].claim() {
			c.claimed[facts[i].tier] = true
		}
	}
	x := c.exposed[member]
	// Damaged counts differ from the expected ones. Others are hidden until the report of the securing
	// is reduced.
	if counts, err := parseCounts([]byte(stored)); err == nil && counts.Hidden == 1 {
		x.since = 0
	}
	return derive(facts, x, c.now)
}

// checkFirsts reports each tier with a claim among the facts that counts as never claimed. A claim that is void now
// was one.
func (c *checker) checkFirsts() error {
	stored, err := c.queries.ListFirsts(c.ctx)
	if err != nil {
		return err
	}
	for _, tier := range stored {
		delete(c.claimed, tier)
	}
	for tier := range c.claimed {
		c.report(Divergence{What: fmt.Sprintf("first claim of tier %d", tier), Expected: "stored", Found: "none"})
	}
	return nil
}

// compareEntries compares the stored entries of a member with the expected ones. On the
// boards of players and achievements it ignores the sort key, a time that depends on the
// order in which the facts arrived.
func (c *checker) compareEntries(member string, expected map[Board]entry, rows []q.ScoreEntry) {
	for _, r := range rows {
		b, found := Board(r.Board), entry{sortKey: r.Place, value: r.Value, ref: r.Ref}
		if mayBeDropped(b, c.now) {
			continue
		}
		c.totals[b]++
		if c.closing[member] {
			continue
		}
		e, ok := expected[b]
		delete(expected, b)
		switch {
		case !ok:
			c.report(Divergence{What: entryName(member, b), Expected: "no entry", Found: fmt.Sprintf("%+v", found)})
		case b.kind() == kindAchievement, b.kind() == kindPlayers:
		default:
			c.compare(entryName(member, b), fmt.Sprintf("%+v", e), fmt.Sprintf("%+v", found))
		}
	}
	for b, e := range expected {
		c.report(Divergence{What: entryName(member, b), Expected: fmt.Sprintf("%+v", e), Found: "no entry"})
	}
}

// missingTeams reports the teams with points that have no entry at all.
func (c *checker) missingTeams() {
	for member, entries := range c.teams {
		c.compareEntries(member, entries, nil)
	}
}

// entryName names an entry in divergences.
func entryName(member string, b Board) string {
	name := fmt.Sprintf("%x", member)
	if len(member) == len(chain.Address{}) {
		name = chain.Address([]byte(member)).String()
	}
	return fmt.Sprintf("%v on board %v", name, b)
}

// String returns kind and number, such as week/2943.
func (b Board) String() string {
	kinds := []string{"", "all", "week", "season", "daily", "teams", "players", "achievement"}
	if k := b.kind(); k > 0 && k < int64(len(kinds)) {
		return fmt.Sprintf("%s/%d", kinds[k], b.number())
	}
	return fmt.Sprintf("%d/%d", b.kind(), b.number())
}

// checkBoards compares the blocks of all boards, with the pending changes, with the entries.
func (c *checker) checkBoards() error {
	list, err := c.ranks.Boards(c.tx)
	if err != nil {
		return err
	}
	for _, id := range list {
		if mayBeDropped(Board(id), c.now) {
			continue
		}
		if err := c.checkBoard(Board(id)); err != nil {
			return err
		}
		delete(c.totals, Board(id))
	}
	for b, n := range c.totals {
		c.report(Divergence{
			What: fmt.Sprintf("board %v", b), Expected: fmt.Sprintf("%d entries", n), Found: "none counted",
		})
	}
	return nil
}

// checkBoard compares the blocks of a board with its entries, and their number with the
// expected one.
func (c *checker) checkBoard(id Board) error {
	total, err := c.ranks.Check(c.tx, int64(id), func(what string, expected, found int64) {
		c.compare(fmt.Sprintf("board %v, %s", id, what), expected, found)
	})
	if err != nil {
		return err
	}
	c.compare(fmt.Sprintf("board %v", id), total, c.totals[id])
	return nil
}

// checkSeasons compares each closed season with the hash of its table, with the transaction
// on the chain, and with the board of the season.
func (s *Service) checkSeasons(ctx context.Context, tx *store.Tx, c *checker) error {
	list, err := s.ClosedSeasons(ctx, tx, 1<<31)
	if err != nil {
		return err
	}
	for i := range list {
		what := fmt.Sprintf("season %d", list[i].Number)
		closed, err := s.ClosedSeason(ctx, tx, list[i].Number)
		if err != nil {
			return err
		}
		c.compare(what+": hash of its table", chain.HashPinned(closed.Raw), closed.Hash)
		posted, err := s.Ledger.Tx(ctx, tx, closed.Tx)
		if err != nil {
			return err
		}
		expected := chain.SeasonClose{Season: closed.Number, TableHash: closed.Hash}
		if data, ok := posted.Parsed.Data.(*chain.SeasonClose); !ok || *data != expected {
			c.report(Divergence{
				What: what + ": on the chain", Expected: fmt.Sprintf("%+v", expected), Found: string(posted.Raw),
			})
		}
		rows, err := parseTable(closed.Raw)
		if err != nil {
			c.report(Divergence{What: what, Expected: "a readable table", Found: err.Error()})
			continue
		}
		board := int64(boardOf(kindSeason, closed.Number))
		top, err := c.queries.ListTop(ctx, q.ListTopParams{Board: board, Count: tables.SeasonRows})
		if err != nil {
			return err
		}
		c.compare(what+": rows of its table", len(top), len(rows))
		for i := range min(len(top), len(rows)) {
			if !bytes.Equal(top[i].Member, rows[i].Address[:]) || top[i].Value != rows[i].Value {
				c.report(Divergence{
					What:     fmt.Sprintf("%s: rank %d", what, i+1),
					Expected: fmt.Sprintf("%x with %d", top[i].Member, top[i].Value),
					Found:    fmt.Sprintf("%+v", rows[i]),
				})
			}
		}
	}
	return nil
}
