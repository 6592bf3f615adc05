package score

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
	"roshambo/internal/store/storetest"
)

// node is one of several that share a database, with a clock of its own and steps that it has
// reduced and not stored.
type node struct {
	*Service
	off   time.Duration // by which its clock is ahead
	steps []*reduceStep
	errs  []error // of the steps; nil for one that can be stored
}

// now returns the time in whole milliseconds, the precision of stored times.
func (n *node) now() time.Time { return n.Now().UTC().Truncate(time.Millisecond) }

// reported is a report that was posted.
type reported struct {
	account  chain.Address
	points   int64 // of a run
	season   int64 // that counts the points, or none when the report is late
	deadline int64 // Unix milliseconds from which on the season may be closed without it
	postedAt int64
	claimed  int64 // the tier of a claimed run
}

// nodes is a group of nodes, and the reports they posted.
type nodes struct {
	*harness
	list    []*node
	players []chain.Address
	faults  atomic.Int64 // the store.Fault of the next commit
	posted  map[string]reported
	wins    map[string]int64 // by day, winner and loser
	refused map[string]bool  // ids of facts that were refused once
	n       int
}

func newNodes(t *testing.T) *nodes {
	m := &nodes{posted: map[string]reported{}, wins: map[string]int64{}, refused: map[string]bool{}}
	m.harness = newHarness(t, ledgertest.Options{DB: store.Config{Faults: &store.Faults{
		Commit: func() store.Fault { return store.Fault(m.faults.Swap(int64(store.NoFault))) },
	}}})
	for range 2 {
		m.list = append(m.list, m.start(t, 0))
	}
	for i := range 5 {
		m.players = append(m.players, m.player(t, i+1, chain.Full))
	}
	return m
}

// start starts a node with empty caches.
func (m *nodes) start(t tester, off time.Duration) *node {
	t.Helper()
	n := &node{off: off}
	var err error
	n.Service, err = New(t.Context(), Config{
		DB: m.DB, Ledger: m.Ledger, Teams: m.teams, Feed: m.harness, Now: func() time.Time {
			return m.ledger.Clock.Now().Add(n.off)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	n.ranks.BlockSize = 2
	return n
}

func (m *nodes) any(r *rapid.T) *node {
	return m.list[rapid.IntRange(0, len(m.list)-1).Draw(r, "node")]
}

func (m *nodes) id() string { m.n++; return fmt.Sprint("id-", m.n) }

// record records a report that a node has posted.
func (m *nodes) record(id string, s reported, at time.Time) {
	s.season = m.calendar.season(at)
	// Reports are dated by the database, whatever the node's clock says.
	s.deadline, s.postedAt = m.Season(s.season).EndsAt.Add(closeGrace).UnixMilli(), m.ledger.Clock.Now().UnixMilli()
	m.posted[id] = s
}

func (m *nodes) run(r *rapid.T) {
	n := m.any(r)
	now := n.now().Add(-rapid.SampledFrom([]time.Duration{0, 0, 2 * time.Hour}).Draw(r, "held up"))
	e := Run{
		ID: m.id(), Account: rapid.SampledFrom(m.players).Draw(r, "player"), Entry: chain.EntryFree,
		EndedAt: now, StartedAt: now,
		Cleared: rapid.Int64Range(1, 9).Draw(r, "tier"),
		Status:  rapid.SampledFrom([]chain.RunStatus{chain.RunClaimed, chain.RunLost}).Draw(r, "end"),
	}
	e.Throws = e.Cleared + 1
	m.update(r, func(ctx context.Context, tx *store.Tx) error { return n.RunEnded(ctx, tx, e) })
	s := reported{account: e.Account}
	if e.Status == chain.RunClaimed {
		s.points, s.claimed = 1<<e.Cleared, e.Cleared
	}
	m.record("run:"+e.ID, s, now)
}

func (m *nodes) daily(r *rapid.T) {
	n := m.any(r)
	a := rapid.SampledFrom(m.players).Draw(r, "player")
	now := n.now()
	id := fmt.Sprintf("%x %d", a[19:], DayOf(now))
	if _, played := m.posted["run:"+id]; played {
		return
	}
	m.update(r, func(ctx context.Context, tx *store.Tx) error {
		return n.RunEnded(ctx, tx, Run{
			ID: id, Account: a, Entry: chain.EntryDaily, Status: chain.RunLost, Throws: 2, StartedAt: now,
			EndedAt: now,
		})
	})
	m.record("run:"+id, reported{account: a}, now)
}

func (m *nodes) duel(r *rapid.T) {
	n := m.any(r)
	d := Duel{
		Code: m.id(), A: m.players[0], B: m.players[1], At: n.now(),
		Winner: rapid.SampledFrom([]string{"a", "b"}).Draw(r, "winner"), Earned: true,
	}
	m.update(r, func(ctx context.Context, tx *store.Tx) error { return n.DuelFinished(ctx, tx, d) })
	m.wins[fmt.Sprint(DayOf(d.At), d.Winner)]++
}

func (m *nodes) team(r *rapid.T) {
	a := rapid.SampledFrom(m.players).Draw(r, "player")
	m.update(r, func(ctx context.Context, tx *store.Tx) error {
		if in, err := m.teams.TeamOf(ctx, tx, a); err != nil || in != 0 {
			_, err = m.teams.Leave(ctx, tx, a)
			return err
		}
		if _, err := m.teams.Join(ctx, tx, a, "Red", ""); err == nil {
			return nil
		}
		_, err := m.teams.Create(ctx, tx, a, "Red", false)
		return err
	})
}

// reduce has a node reduce a step without storing it.
func (m *nodes) reduce(r *rapid.T) {
	n := m.any(r)
	t, err := n.Service.reduce(r.Context(), rapid.SampledFrom([]int64{1, 3, stepSize}).Draw(r, "size"))
	if len(t.reports) > 0 && (err == nil || len(t.reports) == 1) {
		n.steps, n.errs = append(n.steps, t), append(n.errs, err)
	}
}

// store has a node store a step that it reduced earlier, or refuse the report of a failed one.
// The commit may fail in either way, and the node ignores the outcome, as after a kill.
func (m *nodes) store(r *rapid.T) {
	n := m.any(r)
	if len(n.steps) == 0 {
		return
	}
	i := rapid.IntRange(0, len(n.steps)-1).Draw(r, "which")
	t, stepErr := n.steps[i], n.errs[i]
	m.faults.Store(int64(rapid.SampledFrom([]store.Fault{
		store.NoFault, store.NoFault, store.NotStored, store.Stored,
	}).Draw(r, "fault")))
	defer m.faults.Store(int64(store.NoFault))
	if stepErr == nil {
		err := m.DB.UpdateAt(r.Context(), store.Snapshot, t.store)
		if err != nil && !errors.Is(err, errStale) && !errors.Is(err, store.ErrUnavailable) {
			r.Fatalf("store a step: %v", err)
		}
		return
	}
	_, _ = n.refuse(r.Context(), t, stepErr)
}

// corrupt gives a report an unknown kind, so that it cannot be reduced.
func (m *nodes) corrupt(r *rapid.T) {
	m.update(r, func(ctx context.Context, tx *store.Tx) error {
		list, err := q.New(tx).ListInbox(ctx, 20)
		if err != nil || len(list) == 0 {
			return err
		}
		e := list[rapid.IntRange(0, len(list)-1).Draw(r, "which")]
		if e.Kind != factRun {
			return nil
		}
		activities, err := decodeActivities(&e)
		if err != nil {
			return err
		}
		m.refused[activities[0].id] = true
		_, err = tx.ExecContext(ctx, "UPDATE score_inbox SET kind = 'rain' WHERE id = $1", e.ID)
		return err
	})
}

// repair restores the kinds of all reports, and requeues the refused ones.
func (m *nodes) repair(r *rapid.T) {
	m.exec(r, "UPDATE score_inbox SET kind = 'run' WHERE kind = 'rain'")
	m.exec(r, "UPDATE score_refused SET kind = 'run' WHERE kind = 'rain'")
	if err := m.any(r).requeueRefused(r.Context()); err != nil {
		r.Fatal(err)
	}
}

func (m *nodes) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"run": m.run, "runs": m.run, "daily": m.daily, "duel": m.duel, "team": m.team,
		"reduce": m.reduce, "reduces": m.reduce, "store": m.store, "stores": m.store,
		"corrupt": m.corrupt, "repair": m.repair,
		"kill": func(r *rapid.T) {
			i := rapid.IntRange(0, len(m.list)-1).Draw(r, "node")
			m.list[i] = m.start(r, m.list[i].off)
		},
		"clock": func(r *rapid.T) {
			m.any(r).off = rapid.SampledFrom([]time.Duration{
				0, time.Second, store.ClockTolerance, -store.ClockTolerance / 2,
			}).Draw(r, "off")
		},
		"time": func(r *rapid.T) {
			m.ledger.Clock.Add(rapid.SampledFrom([]time.Duration{
				time.Second, 13 * time.Hour, 24 * time.Hour, 9 * 24 * time.Hour,
			}).Draw(r, "later"))
		},
		"compact": func(r *rapid.T) {
			if err := m.any(r).Compact(r.Context()); err != nil {
				r.Fatal(err)
			}
		},
		"end of season": m.endOfSeason, "close": m.close,
		"boards": func(r *rapid.T) { m.checkBoards(r, m.any(r)) },
		"check":  func(r *rapid.T) { m.checkFacts(r) },
		"next":   m.next, "season": m.season,
	}
}

// endOfSeason moves the clock to shortly before the end of a season or, from there, behind it.
func (m *nodes) endOfSeason(r *rapid.T) {
	end := m.SeasonAt(m.ledger.Clock.Now()).EndsAt
	if m.ledger.Clock.Now().Before(end.Add(-time.Minute)) {
		m.ledger.Clock.Set(end.Add(-time.Minute))
		return
	}
	m.ledger.Clock.Set(end.Add(rapid.SampledFrom([]time.Duration{
		closeGrace, closeGrace + time.Second, time.Hour,
	}).Draw(r, "over")))
}

// season runs the actions around the end of a season, leaving some out.
func (m *nodes) season(r *rapid.T) {
	for _, step := range []func(*rapid.T){
		m.endOfSeason, m.run, m.next, m.endOfSeason, m.next, m.next, m.run, m.reduce, m.close,
		m.run, m.reduce, m.next, m.store, m.store,
	} {
		if rapid.IntRange(0, 4).Draw(r, "left out") > 0 {
			step(r)
		}
	}
}

// next has a node reduce and store the next step, as RunReducer does.
func (m *nodes) next(r *rapid.T) { _, _ = m.any(r).Service.reduceNext(r.Context()) }

func (m *nodes) close(r *rapid.T) {
	n := m.any(r)
	m.faults.Store(int64(rapid.SampledFrom([]store.Fault{
		store.NoFault, store.NoFault, store.NotStored, store.Stored,
	}).Draw(r, "fault")))
	_, err := n.closeNext(r.Context())
	m.faults.Store(int64(store.NoFault))
	if err != nil && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, ledger.ErrConflict) {
		r.Fatal(err)
	}
}

// checkBoards compares the top rows of a node, which it caches, with the stored entries.
func (m *nodes) checkBoards(t tester, n *node) {
	t.Helper()
	m.view(t, func(ctx context.Context, tx *store.Tx) error {
		for _, id := range n.currentBoards(n.now()) {
			b, err := n.openBoard(tx, id)
			if err != nil {
				return err
			}
			top, err := n.top(ctx, b)
			if err != nil {
				return err
			}
			stored, err := b.queries.ListTop(ctx, q.ListTopParams{Board: int64(id), Count: MaxRows})
			if err != nil || len(stored) != len(top.rows) || b.Total() != int64(len(stored)) {
				t.Fatalf("board %v: %d rows of %d on the page, %d stored, error %v", id, len(top.rows), b.Total(),
					len(stored), err)
			}
			for i, s := range stored {
				if row := top.rows[i]; string(row.Address[:]) != string(s.Member) || row.Value != s.Value ||
					row.Rank != int64(i)+1 {
					t.Errorf("board %v, rank %d: %+v on the page, %+v stored", id, i+1, row, s)
				}
			}
		}
		return nil
	})
}

// checkFacts compares the facts with the posted reports: each fact has a report, none is
// doubled, and Check agrees.
func (m *nodes) checkFacts(t tester) (facts map[string]fact) {
	t.Helper()
	m.view(t, func(ctx context.Context, tx *store.Tx) error {
		facts = map[string]fact{}
		wins := map[string]int64{}
		got, best := map[accountDay]int64{}, map[accountDay][]int64{}
		list, err := q.New(tx).ListFacts(ctx, q.ListFactsParams{Account: []byte{}, Count: 1 << 30})
		for i := range list {
			f := factOf(&list[i])
			if f.kind == factDuel && f.points > 0 {
				wins[fmt.Sprint(DayOf(f.at), f.account)]++
			}
			if f.kind != factRun {
				continue
			}
			s, ok := m.posted[f.id]
			k := accountDay{f.account, DayOf(f.at)}
			got[k], best[k] = got[k]+f.points, append(best[k], s.points)
			if facts[f.id] = f; !ok || f.points > s.points || f.account != s.account {
				t.Errorf("fact %+v, report %+v", f, s)
			}
			late := f.season == 0 && (m.refused[f.id] || s.postedAt >= s.deadline)
			if f.points > 0 && f.season != s.season && !late {
				t.Errorf("%+v counts for season %d, want %d: %+v", f.id, f.season, s.season, s)
			}
		}
		if err != nil {
			return err
		}
		for k, list := range best {
			slices.Sort(list)
			want := int64(0)
			for _, n := range list[max(0, len(list)-runsPerDay):] {
				want += n
			}
			if got[k] != want {
				t.Errorf("the runs of %v give %d points, the best %d are worth %d", k, got[k], runsPerDay, want)
			}
		}
		for dayAndAccount, n := range wins {
			if n > winsPerDay {
				t.Errorf("%d wins count for %s, want at most %d", n, dayAndAccount, winsPerDay)
			}
		}
		return m.Check(ctx, tx, func(d Divergence) {
			if d.Expected != expectReduced {
				t.Errorf("%+v", d)
			}
		})
	})
	return facts
}

// checkFeed checks that each claim of a high tier has one item, that no claim of a low one has any, and that one claim
// of each tier is the first one here, whatever the order in which they were reduced.
func (m *nodes) checkFeed(r *rapid.T) {
	var items map[string]int
	var firsts map[int64]int
	m.view(r, func(ctx context.Context, tx *store.Tx) error {
		items, firsts = map[string]int{}, map[int64]int{}
		list, err := m.FeedItems(ctx, tx, Newest, 1<<30)
		for _, s := range list {
			if s.Kind != ItemTier {
				continue
			}
			items["run:"+s.RunID]++
			if s.First == FirstOfService {
				firsts[s.Tier]++
			}
		}
		return err
	})
	for id, s := range m.posted {
		least, most := 0, 0
		switch {
		case s.claimed >= notableTier:
			least, most = 1, 1
		case s.claimed >= notableFirst:
			most = 1
		}
		if items[id] < least || items[id] > most {
			r.Errorf("%s has %d feed items, want %d to %d", id, items[id], least, most)
		}
		if s.claimed >= notableFirst && firsts[s.claimed] != 1 {
			r.Errorf("%d claims of tier %d are the first one here", firsts[s.claimed], s.claimed)
		}
	}
}

// TestRandomNodes runs two nodes with clocks of their own that reduce, refuse, compact and close
// in random order, on stale snapshots too, and are killed before or after a commit. Each report
// counts once, for the season of its time unless it was refused or late; pages of boards show
// the stored entries; closed seasons never change.
func TestRandomNodes(t *testing.T) {
	t.Parallel()
	rounds := 0
	nodes := func(r *rapid.T, take func(map[string]func(*rapid.T))) {
		if rounds++; storetest.Postgres() && rounds > 25 { // each round creates a database and runs many queries
			return
		}
		m := newNodes(t)
		defer m.ledger.Close(t)
		take(m.actions())
		m.repair(r)
		m.drainAll(r)
		facts := m.checkFacts(r)
		m.checkFeed(r)
		for id, s := range m.posted {
			if _, ok := facts[id]; !ok {
				r.Errorf("%s has no fact: %+v", id, s)
			}
		}
		won := int64(0)
		for _, n := range m.wins {
			won += min(n, winsPerDay)
		}
		m.view(r, func(ctx context.Context, tx *store.Tx) error {
			counted := int64(0)
			row := tx.QueryRowContext(ctx, "SELECT count(*) FROM score_fact WHERE kind = 'duel' AND points > 0")
			err := row.Scan(&counted)
			if counted != won {
				r.Errorf("%d wins count, want %d: %v", counted, won, m.wins)
			}
			return err
		})
		for _, n := range m.list {
			m.checkBoards(r, n)
		}
	}
	testseed.Tour(t, func(r *rapid.T) { nodes(r, func(all map[string]func(*rapid.T)) { testseed.Each(r, 3, all) }) })
	rapid.Check(t, func(r *rapid.T) { nodes(r, r.Repeat) })
}
