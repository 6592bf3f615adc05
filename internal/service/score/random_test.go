package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/store"
)

// model computes the expected boards from all reports, from scratch each time.
type model struct {
	harness *harness
	players []chain.Address
	bot     chain.Address
	team    map[chain.Address]int64 // by member
	earned  []earning
	dailies map[string]map[int64]line // by player and day
	hidden  map[string]bool           // reported as unranked, by player and day
	runs    map[string][]int64        // by day and player
	wins    map[string]int            // by day and winner
	closed  map[int64][]line
	n       int
}

// earning is the points of one report.
type earning struct {
	account chain.Address
	points  int64
	at      time.Time
	season  int64
	team    int64
}

// TestRandomFacts makes random reports and checks that the boards equal the boards of a
// naive model, that every rank is exact, that closed seasons never change, and that
// Check agrees.
func TestRandomFacts(t *testing.T) {
	t.Parallel()
	facts := func(r *rapid.T, take func(map[string]func(*rapid.T))) {
		m := newModel(t)
		defer m.harness.ledger.Close(t)
		take(map[string]func(*rapid.T){
			"run":   m.run,
			"runs":  m.run, // twice: most reports are runs
			"daily": m.daily,
			"duel":  m.duel,
			"teams": m.teams,
			"time": func(r *rapid.T) {
				m.harness.ledger.Clock.Add(rapid.SampledFrom([]time.Duration{
					time.Millisecond, time.Second, time.Hour, 13 * time.Hour, 24 * time.Hour, 9 * 24 * time.Hour,
				}).Draw(r, "later"))
			},
			"drain":   func(r *rapid.T) { m.harness.drainAll(r) },
			"doctor":  func(r *rapid.T) { m.checkStored(r) },
			"compact": func(r *rapid.T) { m.compact(r) },
			"drop": func(r *rapid.T) {
				if err := m.harness.DropOldBoards(t.Context()); err != nil {
					r.Error(err)
				}
			},
			"close":  func(r *rapid.T) { m.closeSeasons(r) },
			"rename": m.rename,
			"check":  func(r *rapid.T) { m.check(r) },
		})
		m.check(r)
		m.checkStored(r)
	}
	testseed.Tour(t, func(r *rapid.T) { facts(r, func(all map[string]func(*rapid.T)) { testseed.Each(r, 3, all) }) })
	rapid.Check(t, func(r *rapid.T) { facts(r, r.Repeat) })
}

func newModel(t *testing.T) *model {
	h := newHarness(t, ledgertest.Options{})
	h.ranks.BlockSize = 2
	m := &model{
		harness: h, team: map[chain.Address]int64{}, dailies: map[string]map[int64]line{}, hidden: map[string]bool{},
		wins: map[string]int{}, runs: map[string][]int64{},
		closed: map[int64][]line{},
	}
	for i := range 12 {
		a := h.player(t, i+1, chain.Full)
		if m.players = append(m.players, a); isSecured(i) {
			h.bind(t, a)
			h.exec(t, "UPDATE ledger_account SET secured_at = 1 WHERE secured_at = 0")
		}
	}
	m.bot = h.player(t, 99, chain.Bot)
	return m
}

func (m *model) anyPlayer(r *rapid.T) chain.Address {
	if rapid.IntRange(0, 19).Draw(r, "bot") == 0 {
		return m.bot
	}
	return rapid.SampledFrom(m.players).Draw(r, "player")
}

// at returns the time of an event: now, or earlier, as from a clock that is behind or a
// transaction that was delayed.
func (m *model) at(r *rapid.T) time.Time {
	late := rapid.SampledFrom([]time.Duration{
		0, 0, 0, 0, time.Second, time.Hour, 30 * time.Hour, 20 * 24 * time.Hour,
	}).Draw(r, "late")
	return m.harness.ledger.Clock.Now().Add(-late)
}

func (m *model) id() string { m.n++; return fmt.Sprint("id-", m.n) }

// earn records points. Points of a closed season count for none, and for no team.
func (m *model) earn(t tester, a chain.Address, points int64, at time.Time) {
	if a == m.bot || points == 0 {
		return
	}
	season, team := m.harness.calendar.season(at), m.team[a]
	if m.closed[season] != nil {
		season, team = 0, 0
	}
	m.earned = append(m.earned, earning{a, points, at, season, team})
	m.harness.uses(t, a, DayOf(at), m.networksOf(slices.Index(m.players, a))...)
}

func (m *model) run(r *rapid.T) {
	e := Run{
		ID: m.id(), Account: m.anyPlayer(r), Entry: chain.EntryFree, EndedAt: m.at(r),
		Cleared: rapid.Int64Range(1, 9).Draw(r, "tier"),
		Status: rapid.SampledFrom([]chain.RunStatus{
			chain.RunClaimed, chain.RunClaimed, chain.RunLost, chain.RunAbandoned,
		}).Draw(r, "end"),
	}
	if first := rapid.Int64Range(-6, e.Cleared).Draw(r, "first"); first > 0 {
		e.Entry, e.First = chain.EntryBurn, first
	}
	e.StartedAt, e.Throws = e.EndedAt, e.Cleared+2
	m.report(r, e)
	if e.Status == chain.RunClaimed {
		points := int64(1) << e.Cleared
		if e.First > 0 {
			points -= 1 << e.First
		}
		m.earn(r, e.Account, m.counted(e, points), e.EndedAt)
	}
}

// counted returns by how much a run raises the sum of the player's 20 best runs of the day.
func (m *model) counted(e Run, points int64) int64 {
	sum := func() (n int64) {
		list := m.runs[fmt.Sprintf("%d %x", DayOf(e.EndedAt), e.Account)]
		slices.SortFunc(list, func(a, b int64) int { return cmp.Compare(b, a) })
		for _, p := range list[:min(20, len(list))] {
			n += p
		}
		return n
	}
	before, k := sum(), fmt.Sprintf("%d %x", DayOf(e.EndedAt), e.Account)
	m.runs[k] = append(m.runs[k], points)
	return sum() - before
}

// report reports a run and leaves the report pending: the time of its step must not matter.
func (m *model) report(t tester, e Run) {
	m.harness.update(t, func(ctx context.Context, tx *store.Tx) error { return m.harness.RunEnded(ctx, tx, e) })
}

// daily reports a player's daily run, once per day of its start; it may end a day later.
func (m *model) daily(r *rapid.T) {
	e := Run{
		ID: m.id(), Account: m.anyPlayer(r), Entry: chain.EntryDaily,
		StartedAt: m.harness.ledger.Clock.Now(), Status: chain.RunLost,
		Cleared: rapid.Int64Range(0, 3).Draw(r, "tier"), Throws: rapid.Int64Range(4, 6).Draw(r, "throws"),
		Unranked: rapid.Bool().Draw(r, "unranked"),
	}
	day := DayOf(e.StartedAt)
	days := m.dailies[string(e.Account[:])]
	if days == nil {
		days = map[int64]line{}
		m.dailies[string(e.Account[:])] = days
	}
	if _, ok := days[day]; ok {
		return
	}
	e.EndedAt = e.StartedAt.Add(rapid.SampledFrom([]time.Duration{0, time.Second, 20 * time.Hour}).Draw(r, "long"))
	m.report(r, e)
	m.hidden[fmt.Sprintf("%d %x", day, e.Account[:])] = e.Unranked
	days[day] = line{string(e.Account[:]), e.Cleared, e.Throws, e.EndedAt.Unix()}
}

func (m *model) duel(r *rapid.T) {
	d := Duel{
		Code: m.id(), A: m.anyPlayer(r), B: m.anyPlayer(r), At: m.at(r),
		Winner: rapid.SampledFrom([]string{"a", "b", ""}).Draw(r, "winner"),
		Earned: rapid.IntRange(0, 5).Draw(r, "rated") > 0, Practice: rapid.IntRange(0, 5).Draw(r, "practice") == 0,
		Stake: rapid.Int64Range(0, 1).Draw(r, "stake") * 100,
	}
	if d.A == d.B {
		return
	}
	m.harness.update(r, func(ctx context.Context, tx *store.Tx) error { return m.harness.DuelFinished(ctx, tx, d) })
	winner := d.A
	if d.Winner == "b" {
		winner = d.B
	}
	if d.Winner == "" || d.Practice || !d.Earned {
		return
	}
	again := fmt.Sprintf("%d %x", DayOf(d.At), winner)
	if m.wins[again] < 10 {
		m.earn(r, winner, 8, d.At)
	}
	m.wins[again]++
}

// teams has a player join or create a team, or leave.
func (m *model) teams(r *rapid.T) {
	a := rapid.SampledFrom(m.players).Draw(r, "player")
	name := rapid.SampledFrom([]string{"Red", "Blue"}).Draw(r, "name")
	m.harness.update(r, func(ctx context.Context, tx *store.Tx) error {
		if m.team[a] != 0 {
			delete(m.team, a)
			_, err := m.harness.teams.Leave(ctx, tx, a)
			return err
		}
		joined, err := m.harness.teams.Join(ctx, tx, a, name, "")
		if err != nil {
			joined, err = m.harness.teams.Create(ctx, tx, a, name, false)
		}
		if err == nil {
			m.team[a] = joined.ID
		}
		return err
	})
}

func (m *model) rename(r *rapid.T) {
	a := rapid.SampledFrom(m.players).Draw(r, "player")
	name := m.id()
	m.harness.update(r, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE account SET username = $1, username_key = $1 WHERE address = $2`,
			name, a[:]); err != nil {
			return err
		}
		return m.harness.Renamed(ctx, tx, a[:])
	})
	m.harness.drainAll(r)
	m.harness.view(r, func(ctx context.Context, tx *store.Tx) error {
		b, err := m.harness.AllTimeBoard(ctx, tx, nil, PageRequest{Count: MaxRows})
		if err != nil {
			return err
		}
		for _, row := range b.Rows {
			if row.Address == a && row.Username != name {
				r.Errorf("name %s on the board, want %s", row.Username, name)
			}
		}
		return nil
	})
}

func (m *model) compact(t tester) {
	if err := m.harness.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (m *model) closeSeasons(t tester) {
	if _, err := m.harness.CloseSeasons(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := m.harness.ledger.Clock.Now()
	for n := int64(1); !now.Before(m.harness.Season(n).EndsAt.Add(closeGrace)); n++ {
		if m.closed[n] == nil {
			m.closed[n] = append([]line{}, m.points(func(e earning) bool { return e.season == n }, byAccount)...)
		}
	}
}

func byAccount(e earning) string { return string(e.account[:]) }

func byTeam(e earning) string { return string(teamMember(e.team)) }

// points sums up the selected earnings by member.
func (m *model) points(which func(earning) bool, by func(earning) string) []line {
	sums := map[string]line{}
	for _, e := range m.earned {
		if which(e) {
			l := sums[by(e)]
			sums[by(e)] = line{by(e), l.value + e.points, 0, max(l.reached, e.at.Unix())}
		}
	}
	var list []line
	for _, l := range sums {
		list = append(list, l)
	}
	return sortLines(list)
}

func (m *model) check(t tester) {
	m.harness.drainAll(t)
	now, left := m.harness.ledger.Clock.Now(), m.left()
	counts := func(e earning) bool { return !left[fmt.Sprintf("%d %x", DayOf(e.at), e.account)] }
	m.harness.wantBoard(t, boardAll, m.points(func(earning) bool { return true }, byAccount))
	for _, at := range []time.Time{now, now.AddDate(0, 0, -7)} {
		m.harness.wantBoard(t, boardOf(kindWeek, weekOf(at)), m.points(func(e earning) bool {
			return weekOf(e.at) == weekOf(at) && counts(e)
		}, byAccount))
	}
	open := map[int64]bool{}
	for _, team := range m.team {
		open[team] = true
	}
	season := m.harness.calendar.season(now)
	for n := max(1, season-1); n <= season+1; n++ {
		m.harness.wantBoard(t, boardOf(kindSeason, n), m.points(func(e earning) bool {
			return e.season == n
		}, byAccount))
	}
	if m.closed[season] == nil {
		m.harness.wantBoard(t, boardOf(kindTeams, season), m.points(func(e earning) bool {
			return e.season == season && open[e.team] && counts(e)
		}, byTeam))
	}
	for _, day := range []int64{DayOf(now), DayOf(now) - 1} {
		var list []line
		for member, days := range m.dailies {
			if l, ok := days[day]; ok && member != string(m.bot[:]) && !m.hidden[fmt.Sprintf("%d %x", day, member)] {
				list = append(list, l)
			}
		}
		m.harness.wantBoard(t, boardOf(kindDaily, day), sortLines(list))
	}
}

// checkStored runs Check, and compares the closed seasons with the model at their closing.
func (m *model) checkStored(t tester) {
	m.harness.view(t, func(ctx context.Context, tx *store.Tx) error {
		if err := m.harness.Check(ctx, tx, func(d Divergence) { t.Errorf("%+v", d) }); err != nil {
			return err
		}
		for n, want := range m.closed {
			c, err := m.harness.ClosedSeason(ctx, tx, n)
			if err != nil {
				return err
			}
			rows, err := parseTable(c.Raw)
			if err != nil || len(rows) != len(want) || c.Players != int64(len(want)) || chain.HashPinned(c.Raw) != c.Hash {
				t.Errorf("season %d: %d rows of %d players, error %v, want %d: %s", n, len(rows), c.Players, err,
					len(want), c.Raw)
				continue
			}
			for i, w := range want {
				if rows[i].Rank != int64(i)+1 || rows[i].Value != w.value || string(rows[i].Address[:]) != w.member {
					t.Errorf("season %d: rank %d is %+v, want %+v", n, i+1, rows[i], w)
				}
			}
		}
		return nil
	})
}
