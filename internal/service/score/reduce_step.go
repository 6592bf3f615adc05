package score

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// reduceStep reduces one batch of reports. It loads its inputs from one snapshot, outside of
// any write transaction, and stores all outputs at once with a compare-and-swap on the step
// number. Only steps write the inputs of steps, so the swap is enough at any isolation
// level. Closing a season also changes an input and therefore advances the step number too.
type reduceStep struct {
	service *Service
	now     time.Time
	number  int64 // of steps stored before this one: score_step.number
	reports []q.ScoreInbox

	activities   []*activity
	closedTeams  []any           // as members of boards
	renamed      []chain.Address // accounts
	renamedTeams []int64
	cups         []*FeedItem               // of finished cups
	players      map[chain.Address]*player // of the activities; the house account is absent
	openTeams    map[int64]bool
	seasons      map[int64]int64           // by season of the calendar: the season that counts the points, 0 for none
	wins         map[accountDay]int64      // rated duels that gave points so far
	best         map[accountDay][]int64    // worth of the best runs so far, ascending, at most runsPerDay
	earned       map[accountDay]*earned    // points so far
	aside        map[accountDay]int64      // of accounts that count no more on a day
	charges      [][]any                   // rows of score_network to store
	flips        map[accountDay]int64      // new values of aside for stored facts
	dailyDays    map[chain.Address][]int64 // sorted days of daily runs, for accounts with a late report
	revealed     map[chain.Address]bool    // accounts whose entries are made anew, from all their facts
	closed       int64                     // the last closed season, if revealed is not empty
	claimed      map[int64]bool            // the tiers that players have claimed, if the step has a claim
	firsts       [][]any                   // rows of score_first to store
	update       *boardUpdate
	feed         []*FeedItem
}

// player is an account as the step sees it.
type player struct {
	kind     chain.AccountKind
	username string
	owner    []byte // of a bot
	exposure exposure
	counts   Counts
	version  int64 // of the counts; -1 when none are stored
	// securedAt is when the account was secured, in Unix milliseconds; 0 for never.
	securedAt int64
}

// accountDay is one account on one UTC day.
type accountDay struct {
	account chain.Address
	day     int64
}

// reduce loads and reduces the next reports, up to size. On error it still returns the
// reports it was processing.
func (s *Service) reduce(ctx context.Context, size int64) (*reduceStep, error) {
	t := s.newStep(time.Time{})
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		t = s.newStep(tx.Now()) // the closure may be retried
		return t.reduce(ctx, tx, size)
	})
	return t, err
}

func (s *Service) newStep(now time.Time) *reduceStep {
	return &reduceStep{
		service: s, now: now, players: map[chain.Address]*player{}, openTeams: map[int64]bool{},
		seasons: map[int64]int64{}, wins: map[accountDay]int64{},
		best: map[accountDay][]int64{}, earned: map[accountDay]*earned{}, aside: map[accountDay]int64{},
		flips: map[accountDay]int64{}, claimed: map[int64]bool{}, dailyDays: map[chain.Address][]int64{},
		revealed: map[chain.Address]bool{}, update: newBoardUpdate(),
	}
}

func (t *reduceStep) reduce(ctx context.Context, tx *store.Tx, size int64) (err error) {
	if t.number, err = q.New(tx).GetStep(ctx); err != nil {
		return err
	}
	if err := t.loadReports(tx, size); err != nil {
		return err
	}
	if len(t.reports) == 0 {
		return nil
	}
	if err := t.decodeReports(); err != nil {
		return err
	}
	for _, load := range []func(*store.Tx) error{t.loadPlayers, t.loadDailyDays, t.loadOpenTeams, t.loadEarned,
		t.loadClaimed} {
		if err := load(tx); err != nil {
			return err
		}
	}
	if err := t.assignPoints(ctx, tx); err != nil {
		return err
	}
	if err := t.chargeNetworks(tx); err != nil {
		return err
	}
	if err := t.loadEntries(tx); err != nil {
		return err
	}
	t.apply()
	return t.reveal(ctx, tx)
}

// loadReports reads the next reports of the inbox, by id.
func (t *reduceStep) loadReports(tx *store.Tx, size int64) error {
	return tx.Scan(q.ListInbox, []any{size}, func(r store.Row) {
		t.reports = append(t.reports, q.ScoreInbox{
			ID: r.Int(0), PostedAt: r.Int(1), Kind: string(r.Bytes(2)),
			Account: bytes.Clone(r.Bytes(3)), Other: bytes.Clone(r.Bytes(4)),
			Team: r.Int(5), OtherTeam: r.Int(6), Body: string(r.Bytes(7)), Network: bytes.Clone(r.Bytes(8)),
		})
	})
}

// decodeReports turns the reports into activities, closed teams and renamed accounts.
func (t *reduceStep) decodeReports() error {
	for i := range t.reports {
		r := &t.reports[i]
		switch r.Kind {
		case reportTeamClosed:
			t.closedTeams = append(t.closedTeams, teamMember(r.Team))
		case reportTeamRenamed:
			t.renamedTeams = append(t.renamedTeams, r.Team)
		case reportRenamed:
			t.renamed = append(t.renamed, chain.Address(r.Account))
		case reportCup:
			item, err := cupItem(r)
			if err != nil {
				return err
			}
			if item != nil {
				t.cups = append(t.cups, item)
			}
		default:
			activities, err := decodeActivities(r)
			if err != nil {
				return err
			}
			t.activities = append(t.activities, activities...)
		}
	}
	return nil
}

// loadPlayers reads the accounts of the activities and their counts, marks duels against a
// bot of the player's own as practice, and drops the activities of bots and of the house,
// which do not count.
func (t *reduceStep) loadPlayers(tx *store.Tx) error {
	listed := map[chain.Address]bool{}
	var list []any
	add := func(account chain.Address) {
		if !listed[account] {
			listed[account] = true
			list = append(list, account[:])
		}
	}
	for _, a := range t.activities {
		add(a.account)
	}
	for _, account := range t.renamed {
		add(account)
	}
	for _, item := range t.cups {
		for _, p := range item.Parties {
			add(chain.Address(p.Account))
		}
	}
	query := store.Query{Text: `SELECT a.address, a.kind, a.username, b.owner, p.counts, p.version,
			COALESCE(l.bound_start, 0), COALESCE(l.secured_at, 0) FROM account a
		LEFT JOIN bot b ON b.address = a.address LEFT JOIN score_player p ON p.account = a.address
		LEFT JOIN ledger_account l ON l.address = a.address WHERE a.address IN (?)`}
	err := store.BulkSelect(tx, query, list, func(r store.Row) (err error) {
		p := &player{
			kind: chain.AccountKind(r.Bytes(1)), username: string(r.Bytes(2)), owner: bytes.Clone(r.Bytes(3)),
			version: -1, exposure: exposureAt(r.Int(6) == 1, r.Int(7), t.now), securedAt: r.Int(7),
		}
		if counts := r.Bytes(4); counts != nil {
			p.version = r.Int(5)
			p.counts, err = parseCounts(counts)
		}
		account := chain.Address(r.Bytes(0))
		t.players[account] = p
		if p.counts.Hidden == 1 && p.exposure.ranked() {
			t.revealed[account] = true
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("players: %w", err)
	}
	kept := t.activities[:0]
	for _, a := range t.activities {
		if a.other != nil {
			a.practice = a.practice || t.owns(a.account, *a.other) || t.owns(*a.other, a.account)
			a.opponent = t.username(*a.other)
		}
		if p := t.players[a.account]; p != nil && p.kind != chain.Bot {
			kept = append(kept, a)
		}
	}
	t.activities = kept
	return nil
}

// username returns the name of an account; "" for the house.
func (t *reduceStep) username(account chain.Address) string {
	if p := t.players[account]; p != nil {
		return p.username
	}
	return ""
}

// owns reports whether an account owns a bot.
func (t *reduceStep) owns(account, bot chain.Address) bool {
	p := t.players[bot]
	return p != nil && string(p.owner) == string(account[:])
}

// loadDailyDays reads all days with a daily run for each account that has a late report: a
// daily run of an earlier day than one already reduced, for instance because the report was
// refused first. The streak of such an account is recomputed from all its days.
func (t *reduceStep) loadDailyDays(tx *store.Tx) error {
	last := map[chain.Address]int64{}
	var list []any
	for _, a := range t.activities {
		if !a.daily() {
			continue
		}
		lastDay, ok := last[a.account]
		if !ok {
			lastDay = t.players[a.account].counts.LastDay
		}
		if _, listed := t.dailyDays[a.account]; a.day < lastDay && !listed {
			t.dailyDays[a.account] = nil
			list = append(list, a.account[:])
		}
		last[a.account] = max(lastDay, a.day)
	}
	query := store.Query{
		Text: "SELECT account, day FROM score_fact WHERE kind = 'run' AND entry = 'daily' AND account IN (?)",
	}
	err := store.BulkSelect(tx, query, list, func(r store.Row) error {
		a := chain.Address(r.Bytes(0))
		t.dailyDays[a] = append(t.dailyDays[a], r.Int(1))
		return nil
	})
	if err != nil {
		return fmt.Errorf("days: %w", err)
	}
	return nil
}

// loadClaimed reads which tiers players have claimed.
func (t *reduceStep) loadClaimed(tx *store.Tx) error {
	if !slices.ContainsFunc(t.activities, func(a *activity) bool { return a.claim() }) {
		return nil
	}
	return tx.Scan(q.ListFirsts, nil, func(r store.Row) { t.claimed[r.Int(0)] = true })
}

// loadOpenTeams reads which teams that earned points are still open. A team that has closed
// since has no entry on any board.
func (t *reduceStep) loadOpenTeams(tx *store.Tx) error {
	listed := map[int64]bool{}
	var list []any
	for _, a := range t.activities {
		if a.teamThen != 0 && a.points > 0 && !listed[a.teamThen] {
			listed[a.teamThen] = true
			list = append(list, a.teamThen)
		}
	}
	query := store.Query{Text: "SELECT team_id FROM team WHERE members > 0 AND team_id IN (?)"}
	err := store.BulkSelect(tx, query, list, func(r store.Row) error {
		t.openTeams[r.Int(0)] = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("teams: %w", err)
	}
	return nil
}

// assignPoints decides, activity by activity, what depends on earlier facts: whether a duel
// gives points, and which season and team the points count for.
func (t *reduceStep) assignPoints(ctx context.Context, tx *store.Tx) error {
	for _, a := range t.activities {
		a.points = t.pointsOf(a)
		if a.points == 0 {
			continue
		}
		season, err := t.seasonOf(ctx, tx, a.at)
		if err != nil {
			return fmt.Errorf("season of %v: %w", a.at, err)
		}
		a.season = season
		if season > 0 && t.players[a.account].exposure.ranked() {
			a.team = a.teamThen
		}
	}
	return nil
}

// pointsOf returns the points that an activity gives, and counts it against the limits of its day.
// It marks the results of practice and of duels that were not played.
func (t *reduceStep) pointsOf(a *activity) int64 {
	switch {
	case a.kind == factDuel && a.unplayed:
		a.result = unplayedPrefix + a.result
		return 0
	case a.kind == factDuel && a.practice:
		a.result = practicePrefix + a.result
		return 0
	}
	if a.points == 0 {
		return 0
	}
	k := accountDay{a.account, DayOf(a.at)}
	if a.kind == factRun {
		var added int64
		t.best[k], added = addBest(t.best[k], a.points)
		return added
	}
	if t.wins[k] >= winsPerDay {
		return 0
	}
	t.wins[k]++
	return a.points
}

// addBest adds the worth of a run to the worths of the best runs of a day, ascending, and returns
// how much the sum of the best runsPerDay rises. So the points of a day's runs sum up to the
// worth of its best ones, in whatever order they are reported.
func addBest(best []int64, worth int64) (next []int64, added int64) {
	if len(best) == runsPerDay {
		if worth <= best[0] {
			return best, 0
		}
		added, best = -best[0], best[1:]
	}
	i, _ := slices.BinarySearch(best, worth)
	return slices.Insert(slices.Clone(best), i, worth), added + worth
}

// seasonOf returns the season that counts points of the given time: the calendar's season or, once it is closed, 0
// for none. A final table stands, and the table of a later season must follow from the games of its own time alone,
// as verifiers compute it. The stored closings decide which seasons are open, not a clock.
func (t *reduceStep) seasonOf(ctx context.Context, tx *store.Tx, at time.Time) (int64, error) {
	season := t.service.calendar.season(at)
	open, known := t.seasons[season]
	if known {
		return open, nil
	}
	closed, err := q.New(tx).LastClosed(ctx)
	if err != nil {
		return 0, err
	}
	if season > closed {
		open = season
	}
	t.seasons[season] = open
	return open, nil
}

// apply adds each activity to the counts of its account and to the boards, and collects the
// feed items.
func (t *reduceStep) apply() {
	for _, a := range t.activities {
		p := t.players[a.account]
		a.before = p.counts
		p.counts.add(&a.fact)
		if !p.exposure.ranked() {
			p.counts.Hidden = 1
		}
		if days, ok := t.dailyDays[a.account]; ok && a.daily() {
			t.dailyDays[a.account] = append(days, a.day)
			p.counts.setDays(t.dailyDays[a.account])
		}
		a.after = p.counts
		a.unlocked = newlyUnlocked(a.before, a.after)
		t.updateBoards(a)
		if a.claim() && !t.claimed[a.tier] {
			a.firstHere, t.claimed[a.tier] = true, true
			t.firsts = append(t.firsts, []any{a.tier, a.at.UnixMilli()})
		}
		a.item.At, a.item.Account, a.item.Username = a.at, a.account, p.username
		t.feed = append(t.feed, feedItems(a, t.service.Ledger.Rules().Top())...)
	}
	for _, item := range t.cups {
		t.nameCup(item)
	}
	t.feed = append(t.feed, t.cups...)
	for _, account := range t.renamed {
		for _, b := range t.service.currentBoards(t.now) {
			t.update.refresh(entryKey{b, string(account[:])})
		}
	}
	for _, team := range t.renamedTeams {
		t.update.refresh(t.teamEntry(team))
	}
}

// store writes the outputs of the step and deletes its reports. A crash before the commit
// leaves the reports to the next step; after it they have been reduced, once. Errors:
// errStale when another step, or the closing of a season, was stored meanwhile.
func (t *reduceStep) store(ctx context.Context, tx *store.Tx) error {
	tx.NotAhead(t.now) // it decides which boards are current; a step may take long
	swapped, err := writes(tx).SwapStep(ctx, t.number)
	if err != nil {
		return err
	}
	if swapped != 1 {
		return errStale
	}
	deleted, err := store.BulkDelete(ctx, tx, "score_inbox", []string{"id"}, t.reportRows())
	if err != nil {
		return err
	}
	if deleted != int64(len(t.reports)) {
		return errStale
	}
	if err := store.BulkInsert(ctx, tx, "score_fact", factColumns, t.factRows()); err != nil {
		return err
	}
	for account := range t.revealed {
		p := q.DropHiddenSeasonsParams{Account: account[:], Closed: t.closed}
		if err := q.New(tx.Deferred()).DropHiddenSeasons(ctx, p); err != nil {
			return err
		}
	}
	players := store.UpsertTarget{Table: "score_player", Key: []string{"account"}, Others: []string{"counts", "version"}}
	if err := store.BulkUpsert(ctx, tx, players, t.playerRows()); err != nil {
		return err
	}
	if err := store.BulkInsert(ctx, tx, "score_first", []string{"tier", "at"}, t.firsts); err != nil {
		return err
	}
	if err := t.storeCharges(ctx, tx); err != nil {
		return err
	}
	if err := t.update.store(ctx, tx, t.service.ranks); err != nil {
		return err
	}
	return t.service.publish(ctx, tx, t.feed)
}

// reportRows returns the keys of the reports, one row each.
func (t *reduceStep) reportRows() (rows [][]any) {
	for i := range t.reports {
		rows = append(rows, []any{t.reports[i].ID})
	}
	return rows
}

// factRows returns the facts in the order of factColumns.
func (t *reduceStep) factRows() (rows [][]any) {
	for _, a := range t.activities {
		rows = append(rows, a.row())
	}
	return rows
}

// playerRows returns account, counts and version of each account with an activity, or with new
// entries, once.
func (t *reduceStep) playerRows() (rows [][]any) {
	listed := map[chain.Address]bool{}
	add := func(account chain.Address) {
		if !listed[account] {
			listed[account] = true
			p := t.players[account]
			rows = append(rows, []any{account[:], p.counts.text(), p.version + 1})
		}
	}
	for _, a := range t.activities {
		add(a.account)
	}
	for account := range t.revealed {
		add(account)
	}
	return rows
}
