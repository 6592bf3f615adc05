package score

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// Divergence is something that is not as it must be.
type Divergence struct{ What, Expected, Found string }

// Check works everything out again from the facts, and compares: what each account has
// done, where it stands on every board, what it has unlocked, the counts by which ranks
// are found, and the closed seasons with the chain. It calls report for each difference,
// and reads all that there is, in order and a little at a time.
func (s *Service) Check(ctx context.Context, tx *store.Tx, report func(Divergence)) error {
	c := &checker{
		ctx: ctx, queries: q.New(tx), report: report, now: s.now(), totals: map[Board]int64{}, teams: map[string]map[Board]entry{},
		closing: map[string]bool{},
	}
	for _, step := range []func() error{c.readInbox, c.readTeams, c.members, c.boards} {
		if err := step(); err != nil {
			return fmt.Errorf("score: check: %w", err)
		}
	}
	if err := s.checkSeasons(ctx, tx, c); err != nil {
		return fmt.Errorf("score: check seasons: %w", err)
	}
	return nil
}

// checker compares what is stored with the facts.
type checker struct {
	ctx     context.Context
	queries *q.Queries
	report  func(Divergence)
	now     time.Time                  // boards that may be dropped by then are not looked at
	totals  map[Board]int64            // entries of each board
	teams   map[string]map[Board]entry // by member
	closing map[string]bool            // teams that have closed, whose entries are still to be dropped
}

func (c *checker) differ(what string, expected, found any) {
	if e, f := fmt.Sprint(expected), fmt.Sprint(found); e != f {
		c.report(Divergence{what, e, f})
	}
}

// readInbox reads what of the reports that wait can be seen already, and names those that
// were refused. The others are no facts yet.
func (c *checker) readInbox() error {
	closing, err := c.queries.ListClosing(c.ctx)
	if err != nil {
		return err
	}
	for _, team := range closing {
		c.closing[string(teamMember(team))] = true
	}
	refused, err := c.queries.ListRefused(c.ctx)
	for _, r := range refused {
		c.report(Divergence{fmt.Sprintf("report %d of %s", r.ID, r.Kind), "reacted to", r.Error})
	}
	return err
}

// readTeams works out where teams must stand. Closed teams stand on no board.
func (c *checker) readTeams() error {
	rows, err := c.queries.ListTeamSums(c.ctx)
	for _, r := range rows {
		member := string(teamMember(r.Team))
		if c.teams[member] == nil {
			c.teams[member] = map[Board]entry{}
		}
		c.teams[member][boardOf(kindTeams, r.Season)] = entry{pointsPlace(r.Points, column.Time(r.At)), r.Points, fmt.Sprint(r.Team)}
	}
	return err
}

// members walks along facts, counts and entries at the same time: all three are sorted
// by member.
func (c *checker) members() error {
	facts, counts, entries := c.factWalk(), c.countWalk(), c.entryWalk()
	for {
		member, ok := least(facts.peek(), counts.peek(), entries.peek())
		if err := first(facts.err, counts.err, entries.err); err != nil || !ok {
			c.missingTeams()
			return err
		}
		done, expected := c.expect(member, facts.take(member))
		stored := ""
		for _, row := range counts.take(member) {
			stored = row.Counts
		}
		if len(member) == len(chain.Address{}) {
			c.differ(fmt.Sprintf("counts of %v", chain.Address([]byte(member))), done.text(), stored)
		}
		c.compare(member, expected, entries.take(member))
	}
}

// expect works out what an account has done, and its entries.
func (c *checker) expect(member string, rows []q.ScoreFact) (done Counts, expected map[Board]entry) {
	if of, ok := c.teams[member]; ok {
		delete(c.teams, member)
		return done, of
	}
	expected = map[Board]entry{}
	put := func(b Board, next raise) {
		if dropped(b, c.now) {
			return
		}
		var was *entry
		if e, ok := expected[b]; ok {
			was = &e
		}
		expected[b] = next(was)
	}
	list := make([]fact, len(rows))
	for i := range rows {
		list[i] = factOf(&rows[i])
	}
	// The order matters to streaks alone, and daily runs end in that of their days, whatever
	// a clock says.
	slices.SortFunc(list, func(a, b fact) int { return cmp.Compare(a.day, b.day) })
	for i := range list {
		f := &list[i]
		done.add(f)
		put(boardPlayers, best(entry{place: timePlace(f.at)}))
		if f.points > 0 {
			add := addPoints(f.points, f.at)
			put(boardAll, add)
			put(boardOf(kindWeek, weekOf(f.at)), add)
			put(boardOf(kindSeason, f.season), add)
		}
		if b, e, ok := dailyEntry(f); ok {
			put(b, best(e))
		}
	}
	for i := range Achievements {
		if a := &Achievements[i]; a.unlocked(&done) {
			expected[boardOf(kindAchievement, a.Number)] = entry{}
		}
	}
	return done, expected
}

// compare holds a member's entries against what they must be. When something was reached
// is not looked at where it depends on the order in which facts came.
func (c *checker) compare(member string, expected map[Board]entry, rows []q.ScoreEntry) {
	for _, r := range rows {
		b, found := Board(r.Board), entry{r.Place, r.Value, r.Ref}
		if dropped(b, c.now) {
			continue
		}
		c.totals[b]++
		if c.closing[member] {
			continue
		}
		want, ok := expected[b]
		delete(expected, b)
		switch {
		case !ok:
			c.report(Divergence{c.name(member, b), "no entry", fmt.Sprintf("%+v", found)})
		case b.kind() == kindAchievement, b.kind() == kindPlayers:
		default:
			c.differ(c.name(member, b), fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", found))
		}
	}
	for b, want := range expected {
		c.report(Divergence{c.name(member, b), fmt.Sprintf("%+v", want), "no entry"})
	}
}

// missingTeams reports teams with points and without any entry.
func (c *checker) missingTeams() {
	for member, of := range c.teams {
		c.compare(member, of, nil)
	}
}

func (c *checker) name(member string, b Board) string {
	who := fmt.Sprintf("%x", member)
	if len(member) == len(chain.Address{}) {
		who = chain.Address([]byte(member)).String()
	}
	return fmt.Sprintf("%v on board %v", who, b)
}

// String names a board for reports.
func (b Board) String() string {
	kinds := []string{"", "all", "week", "season", "daily", "teams", "players", "achievement"}
	if k := b.kind(); k > 0 && k < int64(len(kinds)) {
		return fmt.Sprintf("%s/%d", kinds[k], b.number())
	}
	return fmt.Sprintf("%d/%d", b.kind(), b.number())
}

// walkRows is how many rows are read at once.
const walkRows = 2000

// boards compares the blocks, with the changes that wait, with the entries.
func (c *checker) boards() error {
	list, err := c.queries.ListBoards(c.ctx)
	if err != nil {
		return err
	}
	for _, id := range list {
		if dropped(Board(id), c.now) {
			continue
		}
		if err := c.board(Board(id)); err != nil {
			return err
		}
		delete(c.totals, Board(id))
	}
	for b, n := range c.totals {
		c.report(Divergence{fmt.Sprintf("board %v", b), fmt.Sprintf("%d entries", n), "none counted"})
	}
	return nil
}

func (c *checker) board(id Board) error {
	f := folding{ctx: c.ctx, queries: c.queries, id: id, size: blockSize}
	if err := f.read(); err != nil {
		return err
	}
	row, err := c.queries.GetBoard(c.ctx, int64(id))
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // without a row: nothing was folded in so far
		return err
	}
	sum := int64(0)
	for _, b := range f.blocks {
		sum += b.n
	}
	c.differ(fmt.Sprintf("board %v: entries of its blocks", id), sum, row.Total)
	changes, err := readChanges(c.ctx, c.queries, id)
	if err != nil {
		return err
	}
	for i := range changes {
		f.apply(&changes[i])
	}
	return c.walkBlocks(&f)
}

// walkBlocks counts the entries of each block.
func (c *checker) walkBlocks(f *folding) error {
	counted := make([]int64, len(f.blocks))
	i, from := 0, start
	for {
		rows, err := c.queries.ListFrom(c.ctx, q.ListFromParams{
			Board: int64(f.id), Place: from.place, Member: []byte(from.member), Count: walkRows})
		if err != nil {
			return err
		}
		for _, r := range rows {
			k := key{r.Place, string(r.Member)}
			for i+1 < len(f.blocks) && !k.before(f.blocks[i+1].first) {
				i++
			}
			counted[i]++
			from = key{k.place, k.member + "\x00"} // right behind it
		}
		if len(rows) < walkRows {
			break
		}
	}
	total := int64(0)
	for i, b := range f.blocks {
		c.differ(fmt.Sprintf("board %v, block %d", f.id, i), counted[i], b.n)
		total += counted[i]
	}
	c.differ(fmt.Sprintf("board %v", f.id), total, c.totals[f.id])
	return nil
}

// checkSeasons compares closed seasons with their tables' hashes and with the chain.
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
		c.differ(what+": hash of its table", HashTable(closed.Raw), closed.Hash)
		posted, err := s.Ledger.Tx(ctx, tx, closed.Tx)
		if err != nil {
			return err
		}
		want := chain.SeasonClose{Season: closed.Number, TableHash: closed.Hash}
		if data, ok := posted.Parsed.Data.(*chain.SeasonClose); !ok || *data != want {
			c.report(Divergence{what + ": on the chain", fmt.Sprintf("%+v", want), string(posted.Raw)})
		}
		rows, err := parseTable(closed.Raw)
		if err != nil {
			c.report(Divergence{what, "a table that can be read", err.Error()})
			continue
		}
		top, err := c.queries.ListTop(ctx, q.ListTopParams{Board: int64(boardOf(kindSeason, closed.Number)), Count: FinalRows})
		if err != nil {
			return err
		}
		c.differ(what+": rows of its table", len(top), len(rows))
		for i := range min(len(top), len(rows)) {
			if !bytes.Equal(top[i].Member, rows[i].Address[:]) || top[i].Value != rows[i].Value {
				c.report(Divergence{fmt.Sprintf("%s: place %d", what, i+1), fmt.Sprintf("%x with %d", top[i].Member, top[i].Value), fmt.Sprintf("%+v", rows[i])})
			}
		}
	}
	return nil
}
