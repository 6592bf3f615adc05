package score

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// turn is what follows of some reports. It is worked out from one snapshot, in no
// transaction that anybody waits for, and stored at once by a compare-and-swap on the
// number of turns: nobody but turns writes what it was worked out from, but for the
// closing of a season, which takes a turn, too.
type turn struct {
	service *Service
	now     time.Time
	seen    int64 // the number of turns before
	reports []q.ScoreInbox

	deeds   []*deed
	closed  []any                     // teams that nobody is left in, as they are members of boards
	renamed []chain.Address           // accounts
	players map[chain.Address]*player // whom all of this is about, but for the house
	teams   map[int64]bool            // those that are open
	seasons map[int64]int64           // where points of a season count
	wins    map[rivalry]int64         // that count, so far
	days    map[chain.Address][]int64 // of the daily runs of who has one that comes late, in order
	sheet   *sheet
	stories []*Story
}

// player is an account as a turn knows it.
type player struct {
	kind     chain.AccountKind
	username string
	owner    []byte // of a bot
	counts   Counts
	version  int64 // of the counts; -1 when there are none
}

// rivalry is one account against another on one day.
type rivalry struct {
	account, other chain.Address
	day            int64
}

// work works out what follows of the next reports. Also with an error it returns those
// that it was about.
func (s *Service) work(ctx context.Context, size int64) (*turn, error) {
	t := s.newTurn()
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		t = s.newTurn() // a View may run again
		return t.work(ctx, tx, size)
	})
	return t, err
}

func (s *Service) newTurn() *turn {
	return &turn{
		service: s, now: s.now(), players: map[chain.Address]*player{}, teams: map[int64]bool{}, seasons: map[int64]int64{},
		wins: map[rivalry]int64{}, days: map[chain.Address][]int64{}, sheet: newSheet(),
	}
}

func (t *turn) work(ctx context.Context, tx *store.Tx, size int64) (err error) {
	if t.seen, err = q.New(tx).GetTurn(ctx); err != nil {
		return err
	}
	if err := t.list(tx, size); err != nil || len(t.reports) == 0 {
		return err
	}
	if err := t.open(); err != nil {
		return err
	}
	for _, step := range []func(*store.Tx) error{t.readPlayers, t.readDays, t.readTeams, t.readWins} {
		if err := step(tx); err != nil {
			return err
		}
	}
	if err := t.decide(ctx, tx); err != nil {
		return err
	}
	if err := t.readEntries(tx); err != nil {
		return err
	}
	t.count()
	return nil
}

// list finds the next reports.
func (t *turn) list(tx *store.Tx, size int64) error {
	return tx.Scan(q.ListInbox, []any{size}, func(r store.Row) {
		t.reports = append(t.reports, q.ScoreInbox{
			ID: r.Int(0), PostedAt: r.Int(1), Kind: string(r.Bytes(2)), Account: bytes.Clone(r.Bytes(3)), Other: bytes.Clone(r.Bytes(4)),
			Team: r.Int(5), OtherTeam: r.Int(6), Body: string(r.Bytes(7)),
		})
	})
}

// open reads the reports.
func (t *turn) open() error {
	for i := range t.reports {
		r := &t.reports[i]
		switch r.Kind {
		case reportTeamClosed:
			t.closed = append(t.closed, teamMember(r.Team))
		case reportRenamed:
			t.renamed = append(t.renamed, chain.Address(r.Account))
		default:
			deeds, err := deedsOf(r)
			if err != nil {
				return err
			}
			t.deeds = append(t.deeds, deeds...)
		}
	}
	return nil
}

// readPlayers reads who the accounts are, and what they have done before. Bots and the
// house do nothing that counts.
func (t *turn) readPlayers(tx *store.Tx) error {
	asked := map[chain.Address]bool{}
	var list []any
	for _, d := range t.deeds {
		if !asked[d.account] {
			asked[d.account] = true
			list = append(list, d.account[:])
		}
	}
	query := store.Query{Text: `SELECT a.address, a.kind, a.username, b.owner, p.counts, p.version FROM account a
		LEFT JOIN bot b ON b.address = a.address LEFT JOIN score_player p ON p.account = a.address WHERE a.address IN (?)`}
	err := store.BulkSelect(tx, query, list, func(r store.Row) (err error) {
		p := &player{kind: chain.AccountKind(r.Bytes(1)), username: string(r.Bytes(2)), owner: bytes.Clone(r.Bytes(3)), version: -1}
		if counts := r.Bytes(4); counts != nil {
			p.version = r.Int(5)
			p.counts, err = parseCounts(counts)
		}
		t.players[chain.Address(r.Bytes(0))] = p
		return err
	})
	if err != nil {
		return fmt.Errorf("players: %w", err)
	}
	kept := t.deeds[:0]
	for _, d := range t.deeds {
		if d.other != nil {
			d.practice = d.practice || t.owns(d.account, *d.other) || t.owns(*d.other, d.account)
		}
		if p := t.players[d.account]; p != nil && p.kind != chain.Bot {
			kept = append(kept, d)
		}
	}
	t.deeds = kept
	return nil
}

// readDays reads the days on which those have played daily runs of whom one is reported late:
// after one of a later day, as when it was refused first. Streaks are of days, in whatever
// order they are told of.
func (t *turn) readDays(tx *store.Tx) error {
	last := map[chain.Address]int64{}
	var list []any
	for _, d := range t.deeds {
		if !d.daily() {
			continue
		}
		before, ok := last[d.account]
		if !ok {
			before = t.players[d.account].counts.LastDay
		}
		if _, asked := t.days[d.account]; d.day < before && !asked {
			t.days[d.account] = nil
			list = append(list, d.account[:])
		}
		last[d.account] = max(before, d.day)
	}
	query := store.Query{Text: "SELECT account, day FROM score_fact WHERE kind = 'run' AND entry = 'daily' AND account IN (?)"}
	err := store.BulkSelect(tx, query, list, func(r store.Row) error {
		a := chain.Address(r.Bytes(0))
		t.days[a] = append(t.days[a], r.Int(1))
		return nil
	})
	if err != nil {
		return fmt.Errorf("days: %w", err)
	}
	return nil
}

// owns says whether an account owns a bot.
func (t *turn) owns(account, bot chain.Address) bool {
	p := t.players[bot]
	return p != nil && string(p.owner) == string(account[:])
}

// readTeams reads which of the teams that points are earned for are still open. One that
// has closed since stands on no board any more.
func (t *turn) readTeams(tx *store.Tx) error {
	asked := map[int64]bool{}
	var list []any
	for _, d := range t.deeds {
		if d.inTeam != 0 && d.points > 0 && !asked[d.inTeam] {
			asked[d.inTeam] = true
			list = append(list, d.inTeam)
		}
	}
	query := store.Query{Text: "SELECT team_id FROM team WHERE members > 0 AND team_id IN (?)"}
	err := store.BulkSelect(tx, query, list, func(r store.Row) error {
		t.teams[r.Int(0)] = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("teams: %w", err)
	}
	return nil
}

// pairsAtOnce is how many pairs of rivals are asked about in one statement.
const pairsAtOnce = 16

// readWins counts the wins of the same day over the same other that gave points.
func (t *turn) readWins(tx *store.Tx) error {
	var accounts, others []any
	var since, upto time.Time
	for _, d := range t.deeds {
		if d.kind != factDuel || d.points == 0 || d.practice {
			continue
		}
		accounts, others = append(accounts, d.account[:]), append(others, d.other[:])
		if day := DayStart(DayOf(d.at)); since.IsZero() || day.Before(since) {
			since = day
		}
		if next := DayStart(DayOf(d.at) + 1); next.After(upto) {
			upto = next
		}
	}
	for len(accounts) > 0 {
		n := min(len(accounts), pairsAtOnce)
		args := append([]any{since.UnixMilli(), upto.UnixMilli()}, store.Padded(others[:n])...)
		query := store.Query{Args: args, Text: `SELECT account, other, at FROM score_fact
			WHERE at >= $1 AND at < $2 AND points > 0 AND other ` + store.In(3, len(args)-2) + ` AND account IN (?)`}
		found := map[rivalry]int64{}
		err := store.BulkSelect(tx, query, accounts[:n], func(r store.Row) error {
			found[rivalry{chain.Address(r.Bytes(0)), chain.Address(r.Bytes(1)), DayOf(time.UnixMilli(r.Int(2)))}]++
			return nil
		})
		if err != nil {
			return fmt.Errorf("wins: %w", err)
		}
		maps.Copy(t.wins, found) // a pair may be asked about twice
		accounts, others = accounts[n:], others[n:]
	}
	return nil
}

// decide works out, fact by fact, what of it depends on others: whether it gives points,
// and where they count.
func (t *turn) decide(ctx context.Context, tx *store.Tx) error {
	for _, d := range t.deeds {
		if d.kind == factDuel && !t.counts(d) {
			d.points = 0
		}
		if d.points == 0 {
			continue
		}
		season := t.service.calendar.season(d.at)
		if t.seasons[season] == 0 {
			in, err := t.service.openSeason(ctx, tx, d.at)
			if err != nil {
				return fmt.Errorf("season of %v: %w", d.at, err)
			}
			t.seasons[season] = in
		}
		d.season, d.team = t.seasons[season], d.inTeam
	}
	return nil
}

// counts says whether a duel that was won gives points: not for practice, and not more
// often than samePerDay over the same other.
func (t *turn) counts(d *deed) bool {
	if d.practice {
		d.result = "practice " + d.result
		return false
	}
	if d.points == 0 {
		return false
	}
	r := rivalry{d.account, *d.other, DayOf(d.at)}
	if t.wins[r] >= samePerDay {
		return false
	}
	t.wins[r]++
	return true
}

// openSeason returns the season that points of a time count in: its own, or, when that
// is closed already, the first that is not. Which are closed is what is stored of them, and no
// clock's to say.
func (s *Service) openSeason(ctx context.Context, tx *store.Tx, at time.Time) (int64, error) {
	last, err := q.New(tx).LastClosed(ctx)
	return max(s.calendar.season(at), last+1), err
}

// count adds each fact to its account's counts, puts it onto the boards, and finds what is
// worth telling.
func (t *turn) count() {
	for _, d := range t.deeds {
		p := t.players[d.account]
		d.before = p.counts
		p.counts.add(&d.fact)
		if days, ok := t.days[d.account]; ok && d.daily() {
			t.days[d.account] = append(days, d.day)
			p.counts.setDays(t.days[d.account])
		}
		d.after = p.counts
		d.unlocked = unlockedBetween(d.before, d.after)
		t.place(d)
		d.what.At, d.what.Account, d.what.Username = d.at, d.account, p.username
		t.stories = append(t.stories, newStories(d, d.what, t.service.Ledger.Rules().Top())...)
	}
	for _, account := range t.renamed {
		for _, b := range t.service.shown(t.now) {
			t.sheet.touch(spot{b, string(account[:])})
		}
	}
}

// store stores the turn, and deletes its reports. A crash before the commit: they wait for
// the next turn. After it: they have been reacted to, once.
func (t *turn) store(ctx context.Context, tx *store.Tx) error {
	n, err := q.New(tx.Deferred()).SwapTurn(ctx, t.seen)
	if err == nil && n != 1 {
		err = errTurn
	}
	if err != nil {
		return err
	}
	gone, err := store.BulkDelete(ctx, tx, "score_inbox", []string{"id"}, t.ids())
	if err == nil && gone != int64(len(t.reports)) {
		err = errTurn
	}
	if err == nil {
		err = store.BulkInsert(ctx, tx, "score_fact", factColumns, t.facts())
	}
	if err == nil {
		err = store.BulkUpsert(ctx, tx, store.UpsertTarget{Table: "score_player", Key: []string{"account"}, Others: []string{"counts", "version"}}, t.counted())
	}
	if err == nil {
		err = t.sheet.store(ctx, tx)
	}
	if err == nil {
		err = t.service.tell(ctx, tx, t.stories)
	}
	if err == nil {
		tx.AfterCommit(t.service.wake)
	}
	return err
}

func (t *turn) ids() (rows [][]any) {
	for i := range t.reports {
		rows = append(rows, []any{t.reports[i].ID})
	}
	return rows
}

func (t *turn) facts() (rows [][]any) {
	for _, d := range t.deeds {
		rows = append(rows, d.row())
	}
	return rows
}

// counted returns the rows of the players who have done something.
func (t *turn) counted() (rows [][]any) {
	listed := map[chain.Address]bool{}
	for _, d := range t.deeds {
		if !listed[d.account] {
			listed[d.account] = true
			p := t.players[d.account]
			rows = append(rows, []any{d.account[:], p.counts.text(), p.version + 1})
		}
	}
	return rows
}
