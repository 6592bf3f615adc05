package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// The week's board and the teams count the points of a day of the best accounts of a network only: accounts are not
// people, and cost nothing. An account is charged to each network that it had used in the 24 hours before it earned
// points (account_network), by /64, /56 and /48, and counts if it is among the best of every one of them: networks are
// never merged, so players that meet an account that moves about do not share its networks. The best accounts are a
// function of the points of the day, and do not depend on the order of the reports. An account that falls behind is
// taken out again, with all points of that day, and one that catches up brings all of them.

const (
	// bestPerNetwork is how many accounts of a network count on a day.
	bestPerNetwork = 3
	// bestSecured is how many accounts of a network count that had been secured for 3 days as the day began: carriers
	// put thousands of players behind one address.
	bestSecured = 10
)

// The values of fact.aside.
const (
	counted    = 0
	beyondBest = 1 // other accounts of a network had more points on that day
	unseen     = 2 // the account was on no board of points
)

// charge is the points of an account on a day, as charged to one network.
type charge struct {
	account chain.Address
	tag     string
	times   int64
	points  int64
	at      int64 // of the last of them, in Unix milliseconds
	secured bool
	best    bool
}

// rankCharges sets which of the charges to one network are among its best.
func rankCharges(list []*charge) {
	slices.SortFunc(list, func(a, b *charge) int {
		return cmp.Or(-cmp.Compare(a.points, b.points), cmp.Compare(a.at, b.at), cmp.Compare(string(a.account[:]),
			string(b.account[:])))
	})
	secured := int64(0)
	for i, c := range list {
		c.best = int64(i) < bestPerNetwork*c.times || c.secured && secured < bestSecured*c.times
		if c.secured {
			secured++
		}
	}
}

// earned is what an account has earned on a day, without what it earned unseen.
type earned struct {
	points int64
	at     time.Time // of the last points
	stored bool      // some of them before the step
}

func (e *earned) add(points int64, at time.Time) {
	e.points += points
	if at.After(e.at) {
		e.at = at
	}
}

// chargeNetworks decides which points of the step the week's board and the teams count, and which of those before it
// they count no more, or again.
func (t *reduceStep) chargeNetworks(tx *store.Tx) error {
	days := map[int64]map[chain.Address]time.Time{} // the first points of the step
	for _, a := range t.activities {
		if a.points == 0 {
			continue
		}
		if !t.players[a.account].exposure.ranked() {
			a.aside = unseen
			continue
		}
		k := accountDay{a.account, DayOf(a.at)}
		if days[k.day] == nil {
			days[k.day] = map[chain.Address]time.Time{}
		}
		if first, ok := days[k.day][a.account]; !ok || a.at.Before(first) {
			days[k.day][a.account] = a.at
		}
		if t.earned[k] == nil {
			t.earned[k] = &earned{}
		}
		t.earned[k].add(a.points, a.at)
	}
	for day, accounts := range days { // mostly one day
		if err := t.chargeDay(tx, day, accounts); err != nil {
			return fmt.Errorf("networks of day %d: %w", day, err)
		}
	}
	for _, a := range t.activities {
		if a.points != 0 && a.aside != unseen {
			a.aside = t.aside[accountDay{a.account, DayOf(a.at)}]
		}
	}
	return nil
}

// dayCharges are the charges that a step reads and changes on a day.
type dayCharges struct {
	day    int64
	own    map[chain.Address]map[string]*charge // of the accounts of the step, by tag
	before map[chain.Address]int64              // aside of their stored points
	tags   map[string][]*charge                 // of all accounts that may be among the best
}

// chargeDay is chargeNetworks for one day and its accounts.
func (t *reduceStep) chargeDay(tx *store.Tx, day int64, accounts map[chain.Address]time.Time) error {
	d := &dayCharges{day: day, own: map[chain.Address]map[string]*charge{}, before: map[chain.Address]int64{},
		tags: map[string][]*charge{}}
	if err := t.loadOwn(tx, d, accounts); err != nil {
		return err
	}
	var tags []any
	for _, charges := range d.own {
		for tag, c := range charges {
			if d.tags[tag] == nil {
				tags = append(tags, []byte(tag))
			}
			d.tags[tag] = append(d.tags[tag], c)
		}
	}
	if err := d.loadBest(tx, tags); err != nil {
		return err
	}
	for _, list := range d.tags {
		rankCharges(list)
		for _, c := range list {
			if d.own[c.account] == nil {
				if c.best { // as before
					continue
				}
				t.flips[accountDay{c.account, day}] = beyondBest
			}
			t.charges = append(t.charges, chargeRow(day, c))
		}
	}
	for account, charges := range d.own {
		k := accountDay{account, day}
		for _, c := range charges {
			if !c.best {
				t.aside[k] = beyondBest
			}
		}
		if t.earned[k].stored && t.aside[k] != d.before[account] {
			t.flips[k] = t.aside[k]
		}
	}
	return nil
}

// loadOwn reads the networks to which the accounts of the step are charged on a day: those before the step, and those
// that each had used in the 24 hours before its first points of the step or has used since.
func (t *reduceStep) loadOwn(tx *store.Tx, d *dayCharges, accounts map[chain.Address]time.Time) error {
	var list []any
	for account := range accounts {
		list = append(list, account[:])
	}
	add := func(account chain.Address, tag []byte, times int64) {
		if d.own[account] == nil {
			d.own[account] = map[string]*charge{}
		}
		e := t.earned[accountDay{account, d.day}]
		d.own[account][string(tag)] = &charge{account: account, tag: string(tag), times: times, points: e.points,
			at: e.at.UnixMilli(), secured: t.players[account].securedBefore(d.day)}
	}
	charged := store.Query{Text: "SELECT account, tag, times, best FROM score_network WHERE day = $1 AND account IN (?)",
		Args: []any{d.day}}
	err := store.BulkSelect(tx, charged, list, func(r store.Row) error {
		account := chain.Address(r.Bytes(0))
		if r.Int(3) == 0 {
			d.before[account] = beyondBest
		}
		add(account, r.Bytes(1), r.Int(2))
		return nil
	})
	if err != nil {
		return err
	}
	used := store.Query{Text: "SELECT account, tag, times, until FROM account_network WHERE day = $1 AND account IN (?)",
		Args: []any{d.day}}
	return store.BulkSelect(tx, used, list, func(r store.Row) error {
		if account := chain.Address(r.Bytes(0)); r.Int(3) >= accounts[account].UnixMilli() {
			add(account, r.Bytes(1), r.Int(2))
		}
		return nil
	})
}

// loadBest adds the best accounts of networks that are not of the step. Points of a day never fall, so no other account
// can come among the best.
func (d *dayCharges) loadBest(tx *store.Tx, tags []any) error {
	query := store.Query{Text: `SELECT account, tag, times, points, at, secured FROM score_network
		WHERE day = $1 AND best = 1 AND tag IN (?)`, Args: []any{d.day}}
	return store.BulkSelect(tx, query, tags, func(r store.Row) error {
		c := &charge{account: chain.Address(r.Bytes(0)), tag: string(r.Bytes(1)), times: r.Int(2), points: r.Int(3),
			at: r.Int(4), secured: r.Int(5) == 1}
		if d.own[c.account] == nil {
			d.tags[c.tag] = append(d.tags[c.tag], c)
		}
		return nil
	})
}

// securedBefore reports whether the account had been secured for 3 days as a day began.
func (p *player) securedBefore(day int64) bool {
	return p.securedAt != 0 && p.securedAt+chain.SecureFor <= DayStart(day).UnixMilli()
}

var chargeTarget = store.UpsertTarget{Table: "score_network", Key: []string{"account", "day", "tag"},
	Others: []string{"times", "points", "at", "secured", "best"}}

// chargeRow returns the row of a charge, in the order of chargeTarget.
func chargeRow(day int64, c *charge) []any {
	return []any{c.account[:], day, []byte(c.tag), c.times, c.points, c.at, bit(c.secured), bit(c.best)}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// storeCharges stores the charges of the step, whose facts are stored already, and makes the entries anew whose points
// of a day count no more, or again.
func (t *reduceStep) storeCharges(ctx context.Context, tx *store.Tx) error {
	if err := store.BulkUpsert(ctx, tx, chargeTarget, t.charges); err != nil {
		return err
	}
	queries := q.New(tx)
	for k, aside := range t.flips {
		first, before := DayStart(k.day).UnixMilli(), DayStart(k.day+1).UnixMilli()
		p := q.SetAsideParams{Aside: aside, Account: k.account[:], First: first, Before: before}
		if err := queries.SetAside(ctx, p); err != nil {
			return err
		}
		teams, err := queries.ListDayTeams(ctx, q.ListDayTeamsParams{Account: k.account[:], First: first, Before: before})
		if err != nil {
			return err
		}
		for _, r := range teams {
			if err := correctTeam(ctx, tx, t.update, r.Team, r.Season); err != nil {
				return err
			}
		}
		if err := t.correctWeek(ctx, tx, k); err != nil {
			return err
		}
	}
	return nil
}

// correctWeek makes the entry of an account on the board of a day's week anew from the facts that count.
func (t *reduceStep) correctWeek(ctx context.Context, tx *store.Tx, of accountDay) error {
	start, end, _ := WeekSpan(DayStart(of.day))
	b := boardOf(kindWeek, weekOf(start))
	if mayBeDropped(b, t.now) {
		return nil
	}
	sum, err := q.New(tx).WeekSum(ctx, q.WeekSumParams{Account: of.account[:], First: start.UnixMilli(),
		Before: end.UnixMilli()})
	if err != nil {
		return err
	}
	e := entry{sortKey: pointsKey(sum.Points, time.UnixMilli(sum.At)), value: sum.Points}
	return t.update.correct(ctx, tx, entryKey{b, string(of.account[:])}, e)
}

// DropNetworks deletes the charges of all days but today and the day before.
func (*Service) DropNetworks(ctx context.Context, tx *store.Tx) (int64, error) {
	n, err := q.New(tx).DropNetworks(ctx, DayOf(tx.Now())-1)
	if err != nil {
		return 0, fmt.Errorf("score: drop networks: %w", err)
	}
	return n, nil
}

// checkNetworks compares the charges with the facts and the accounts: the points, which accounts were secured and
// are the best of each network, and that no other one counts.
func (c *checker) checkNetworks() error {
	rows, err := c.queries.ListNetworks(c.ctx)
	if err != nil {
		return err
	}
	sums, err := c.queries.ListCharged(c.ctx)
	if err != nil {
		return err
	}
	facts := map[accountDay]q.ListChargedRow{}
	for _, r := range sums {
		facts[accountDay{chain.Address(r.Account), r.Day}] = r
	}
	aside, list := map[accountDay]int64{}, []*charge(nil)
	for i, r := range rows {
		k := accountDay{chain.Address(r.Account), r.Day}
		name := fmt.Sprintf("points of %v on day %d by network", k.account, k.day)
		c.compare(name, fmt.Sprint(facts[k].Points, facts[k].At), fmt.Sprint(r.Points, r.At))
		c.compare(fmt.Sprintf("whether %v had been secured for 3 days on day %d", k.account, k.day),
			bit((&player{securedAt: r.SecuredAt}).securedBefore(k.day)), r.Secured)
		list = append(list, &charge{account: k.account, times: r.Times, points: r.Points, at: r.At,
			secured: r.Secured == 1})
		if r.Best == 0 {
			aside[k] = beyondBest
		}
		if i+1 < len(rows) && rows[i+1].Day == r.Day && string(rows[i+1].Tag) == string(r.Tag) {
			continue
		}
		stored := map[chain.Address]int64{}
		for _, of := range rows[i+1-len(list) : i+1] {
			stored[chain.Address(of.Account)] = of.Best
		}
		rankCharges(list)
		for _, one := range list {
			c.compare(fmt.Sprintf("whether %v is among the best of a network on day %d", one.account, r.Day),
				bit(one.best), stored[one.account])
		}
		list = nil
	}
	for k, r := range facts {
		c.compare(fmt.Sprintf("whether the points of %v on day %d are left out", k.account, k.day),
			fmt.Sprint(aside[k], aside[k]), fmt.Sprint(r.Least, r.Most))
	}
	return nil
}
